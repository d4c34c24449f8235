/* Loaded into a process with LD_PRELOAD: makes calls that read, write, sync, truncate, open or rename files fail or
 * wait, and records every change of the files in a trace. faults.rs sets the environment and describes it; trace.rs
 * reads the trace. Linux only. It calls the kernel directly, so it needs nothing of the C library that it replaces. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH 1024

enum call { READ, WRITE, SYNC, TRUNCATE, NAME, OPEN, CALLS };
static const char *const call_names[CALLS] = {"read", "write", "sync", "truncate", "name", "open"};

/* What happens to the call, besides failing with an error number. */
enum { HALF = -1, HALF_THEN_FULL = -2, HANG = -3, IO_WHILE_HELD = -4 };

enum record { CREATED = 1, WRITTEN, TRUNCATED, SYNCED, RENAMED, LINKED, UNLINKED, REPORTED, FAULT, WAITING };

struct header {
  uint32_t record, error;
  uint64_t file, offset;
  uint32_t path, other_path, data, reserved;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *report, *hold;
static int trace = -1;
static enum call fault_call = CALLS;
static unsigned long fault_at, calls;
static int fault_is_lasting, fault_error, disk_is_full;

__attribute__((constructor)) static void start(void) {
  const char *call = getenv("FAULT_CALL"), *error = getenv("FAULT_ERROR"), *path = getenv("FAULT_TRACE");
  root = getenv("FAULT_ROOT");
  report = getenv("FAULT_REPORT");
  hold = getenv("FAULT_HOLD");
  fault_is_lasting = getenv("FAULT_LASTING") != NULL;
  if (getenv("FAULT_AT")) fault_at = strtoul(getenv("FAULT_AT"), NULL, 10);
  for (int it = 0; call && it < CALLS; it++)
    if (!strcmp(call, call_names[it])) fault_call = it;
  if (error) fault_error = atoi(error);
  if (path) trace = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_watched(const char *path) {
  size_t length = root ? strlen(root) : 0;
  return length && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

/* The absolute path of a name. Only its directory is resolved. */
static int path_at(int directory, const char *name, char *path) {
  if (name[0] == '/') return snprintf(path, PATH, "%s", name);
  char link[64], base[PATH] = "";
  snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
  if (syscall(SYS_readlinkat, AT_FDCWD, link, base, PATH - 1) < 0) return -1;
  return snprintf(path, PATH, "%s/%.200s", base, name);
}

/* The path of an open file; false if there are no paths to compare it with. */
static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long size = root ? syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH - 1) : -1;
  path[size < 0 ? 0 : size] = 0;
  return size > 0;
}

static int is_watched_file(int file) {
  char path[PATH];
  return path_of(file, path) && is_watched(path);
}

static int is_report(int file) {
  char path[PATH];
  return report && path_of(file, path) && !strcmp(path, report);
}

static uint64_t number_of(int file) {
  struct stat status;
  return fstat(file, &status) ? 0 : status.st_ino;
}

/* Appends a record to the trace. */
static void record(enum record kind, int error, uint64_t file, uint64_t offset, const char *path,
                   const char *other_path, const void *data, size_t size) {
  if (trace < 0) return;
  int before = errno;
  struct header header = {kind, error, file, offset, path ? strlen(path) : 0, other_path ? strlen(other_path) : 0, size, 0};
  struct iovec parts[] = {{&header, sizeof header},
                          {(void *)path, header.path},
                          {(void *)other_path, header.other_path},
                          {(void *)data, size}};
  syscall(SYS_writev, trace, parts, 4);
  errno = before;
}

/* Waits while a test holds the lock on the file FAULT_HOLD. */
static void hang(void) {
  record(WAITING, 0, 0, 0, NULL, NULL, NULL, 0);
  int file = syscall(SYS_openat, AT_FDCWD, hold ? hold : "", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return;
  while (flock(file, LOCK_SH) && errno == EINTR) {}
  syscall(SYS_close, file);
}

static int is_held(void) {
  int file = syscall(SYS_openat, AT_FDCWD, hold ? hold : "", O_RDONLY | O_CLOEXEC, 0);
  int is_locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0;
  if (file >= 0) syscall(SYS_close, file);
  return is_locked;
}

/* Begins a call: decides what happens to it, and locks the trace until `leave`. */
static int enter(enum call call) {
  pthread_mutex_lock(&mutex);
  int fault = 0;
  if (disk_is_full && call == WRITE) {
    disk_is_full = 0;
    fault = ENOSPC;
  }
  if (call == fault_call && (++calls == fault_at || (fault_is_lasting && calls > fault_at))) {
    fault = fault_error;
    if (calls == fault_at) record(FAULT, 0, 0, 0, NULL, NULL, NULL, 0);
  }
  if (fault == HALF_THEN_FULL) disk_is_full = 1;
  if (fault == IO_WHILE_HELD) fault = is_held() ? EIO : 0;
  if (fault == HANG) {
    pthread_mutex_unlock(&mutex);
    hang();
    pthread_mutex_lock(&mutex);
    fault = 0;
  }
  return fault;
}

static long leave(long result, int error) {
  pthread_mutex_unlock(&mutex);
  if (error) {
    errno = error;
    return -1;
  }
  return result;
}

static long read_at(int file, void *data, size_t size, off_t offset, int is_positioned) {
  if (is_watched_file(file)) {
    int fault = enter(READ);
    if (fault < 0) size = (size + 1) / 2;
    if (leave(0, fault > 0 ? fault : 0)) return -1;
  }
  return is_positioned ? syscall(SYS_pread64, file, data, size, offset) : syscall(SYS_read, file, data, size);
}

static long write_at(int file, const void *data, size_t size, off_t offset, int is_positioned) {
  if (is_report(file)) {
    pthread_mutex_lock(&mutex);
    record(REPORTED, 0, 0, 0, NULL, NULL, data, size);
    return leave(syscall(SYS_write, file, data, size), 0);
  }
  if (!is_watched_file(file))
    return is_positioned ? syscall(SYS_pwrite64, file, data, size, offset) : syscall(SYS_write, file, data, size);
  int fault = enter(WRITE);
  if (fault > 0) return leave(-1, fault);
  if (fault < 0) size = (size + 1) / 2;
  if (!is_positioned) {
    int appends = fcntl(file, F_GETFL) & O_APPEND;
    offset = syscall(SYS_lseek, file, 0, appends ? SEEK_END : SEEK_CUR);
  }
  long written = is_positioned ? syscall(SYS_pwrite64, file, data, size, offset) : syscall(SYS_write, file, data, size);
  int error = written < 0 ? errno : 0;
  if (written > 0) record(WRITTEN, 0, number_of(file), offset, NULL, NULL, data, written);
  return leave(written, error);
}

static long sync_file(long call, int file) {
  if (!is_watched_file(file)) return syscall(call, file);
  int fault = enter(SYNC);
  record(SYNCED, fault, number_of(file), 0, NULL, NULL, NULL, 0);
  /* Nothing has to reach the disk: the trace says what would have. */
  return leave(0, fault);
}

static long truncate_file(int file, off_t size) {
  if (!is_watched_file(file)) return syscall(SYS_ftruncate, file, size);
  int fault = enter(TRUNCATE);
  if (fault > 0) return leave(-1, fault);
  long result = syscall(SYS_ftruncate, file, size);
  int error = result ? errno : 0;
  if (!result) record(TRUNCATED, 0, number_of(file), size, NULL, NULL, NULL, 0);
  return leave(result, error);
}

static long open_at(int directory, const char *name, int flags, mode_t mode) {
  char path[PATH];
  if (!root || path_at(directory, name, path) < 0 || !is_watched(path))
    return syscall(SYS_openat, directory, name, flags, mode);
  int fault = enter(OPEN);
  if (fault > 0) return leave(-1, fault);
  struct stat status;
  int existed = !stat(path, &status);
  long file = syscall(SYS_openat, directory, name, flags, mode);
  int error = file < 0 ? errno : 0;
  if (file >= 0 && !existed) record(CREATED, 0, number_of(file), 0, path, NULL, NULL, 0);
  if (file >= 0 && existed && flags & O_TRUNC) record(TRUNCATED, 0, number_of(file), 0, NULL, NULL, NULL, 0);
  return leave(file, error);
}

static long change_name(enum record kind, int directory, const char *name, int other_directory, const char *other,
                        unsigned flags) {
  char path[PATH], other_path[PATH] = "";
  int is_known = path_at(directory, name, path) > 0 && (kind == UNLINKED || path_at(other_directory, other, other_path) > 0);
  int is_ours = is_known && is_watched(path) && !(kind == UNLINKED && flags);
  int fault = is_ours ? enter(NAME) : 0;
  if (fault > 0) return leave(-1, fault);
  long result = kind == UNLINKED ? syscall(SYS_unlinkat, directory, name, flags)
                : kind == LINKED ? syscall(SYS_linkat, directory, name, other_directory, other, flags)
                                 : syscall(SYS_renameat2, directory, name, other_directory, other, flags);
  if (!is_ours) return result;
  int error = result ? errno : 0;
  if (!result) record(kind, 0, 0, 0, path, other_path, NULL, 0);
  return leave(result, error);
}

#define OPEN_WITH_MODE(directory, name, flags)                 \
  mode_t mode = 0;                                             \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                       \
    va_list arguments;                                         \
    va_start(arguments, flags);                                \
    mode = va_arg(arguments, mode_t);                          \
    va_end(arguments);                                         \
  }                                                            \
  return open_at(directory, name, flags, mode);

int open(const char *name, int flags, ...) { OPEN_WITH_MODE(AT_FDCWD, name, flags) }
int open64(const char *name, int flags, ...) { OPEN_WITH_MODE(AT_FDCWD, name, flags) }
int openat(int directory, const char *name, int flags, ...) { OPEN_WITH_MODE(directory, name, flags) }
int openat64(int directory, const char *name, int flags, ...) { OPEN_WITH_MODE(directory, name, flags) }
int creat(const char *name, mode_t mode) { return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

ssize_t read(int file, void *data, size_t size) { return read_at(file, data, size, 0, 0); }
ssize_t pread(int file, void *data, size_t size, off_t offset) { return read_at(file, data, size, offset, 1); }
ssize_t pread64(int file, void *data, size_t size, off64_t offset) { return read_at(file, data, size, offset, 1); }

ssize_t write(int file, const void *data, size_t size) { return write_at(file, data, size, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { return write_at(file, data, size, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) { return write_at(file, data, size, offset, 1); }

int fsync(int file) { return sync_file(SYS_fsync, file); }
int fdatasync(int file) { return sync_file(SYS_fdatasync, file); }
int ftruncate(int file, off_t size) { return truncate_file(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_file(file, size); }

int unlink(const char *name) { return change_name(UNLINKED, AT_FDCWD, name, 0, NULL, 0); }
int unlinkat(int directory, const char *name, int flags) { return change_name(UNLINKED, directory, name, 0, NULL, flags); }
int link(const char *name, const char *other) { return change_name(LINKED, AT_FDCWD, name, AT_FDCWD, other, 0); }
int linkat(int directory, const char *name, int other_directory, const char *other, int flags) {
  return change_name(LINKED, directory, name, other_directory, other, flags);
}
int rename(const char *name, const char *other) { return change_name(RENAMED, AT_FDCWD, name, AT_FDCWD, other, 0); }
int renameat(int directory, const char *name, int other_directory, const char *other) {
  return change_name(RENAMED, directory, name, other_directory, other, 0);
}
int renameat2(int directory, const char *name, int other_directory, const char *other, unsigned flags) {
  return change_name(RENAMED, directory, name, other_directory, other, flags);
}
