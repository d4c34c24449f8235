"""Follows the commands in the headers of Dockerfile, compose.yaml and kubernetes/petstore.yaml, word for word.

    containers.py FOLDER ROOT PROGRAM

deploy/check runs it as root, in a copy of the source, with a network and processes of its own, which end with it: all ports are
free, and no image can be pulled. So those of PostgreSQL, Valkey, nginx and Rust are made under their names from ROOT, the tar
file of a Debian; the build takes PROGRAM for the one that cargo makes. All that Docker keeps is in FOLDER. If it does not start,
the exit code is 75.
"""

import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from itertools import takewhile
from pathlib import Path

import yaml

FOLDER, ROOT, PROGRAM = map(Path, sys.argv[1:])
BASE = "http://127.0.0.1:8080"
KEY = re.compile(r"pst_\w{30,}")
COMPOSE = yaml.safe_load(Path("deploy/compose.yaml").read_text())
STAND_INS = """
FROM debian AS nginx
CMD ["nginx", "-g", "daemon off;"]
STOPSIGNAL SIGQUIT

FROM debian AS valkey
WORKDIR /data
ENTRYPOINT ["sh", "-c", "exec \\"$@\\" --protected-mode no", "sh"]

FROM debian AS postgres
ENV PATH=/usr/lib/postgresql/17/bin:/usr/bin PGDATA=/var/lib/postgresql/data
RUN install -d -o postgres -m 700 $PGDATA /run/postgresql
USER postgres
CMD ["bash", "-ec", "[ -s $PGDATA/PG_VERSION ] || { \
  initdb --auth=scram-sha-256 --username=$POSTGRES_USER --pwfile=<(echo $POSTGRES_PASSWORD); \
  echo host all all all scram-sha-256 >>$PGDATA/pg_hba.conf; \
  echo CREATE DATABASE $POSTGRES_DB | postgres --single postgres; }; exec postgres -h '*'"]
STOPSIGNAL SIGINT

FROM debian AS rust
COPY petstore /petstore
RUN ln -s /bin/true /usr/local/bin/apt-get && cd /usr/local/bin && chmod +x /petstore \
    && echo '[ -z "$(ls -d .git target deploy/*.token deploy/.env)" ] && install -D /petstore target/dist/petstore' >cargo \
    && chmod +x cargo
"""


def run(*words, **options):
    """Runs a command, and returns what it prints."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **{"stdin": subprocess.DEVNULL, **options})
    assert done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def follow(file, part, replacements=()):
    """Runs the paragraph of commands with this part in the header of a file, on a terminal, as its reader does."""
    header = takewhile(lambda line: line.startswith("#"), Path("deploy", file).read_text().splitlines())
    lines = (line[4:] if line.startswith("#   ") else "" for line in header)
    (commands,) = (it for it in re.split("\n{2,}", "\n".join(lines)) if part in it)
    for old, new in replacements:
        assert old in commands, f"{old} is missing in\n{commands}"
        commands = commands.replace(old, new)
    return run("script", "--quiet", "--return", "--command", f"set -e\n{commands}", "/dev/null")


def expect(status, url, key="", token=""):
    """The text of a response, which has this status."""
    credentials = base64.b64encode(f"any:{token}".encode()).decode()
    headers = {"X-API-Key": key} if key else {"Authorization": f"Basic {credentials}"} if token else {}
    request = urllib.request.Request(url, headers={"Accept": "text/html", **headers})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            found, text = response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        found, text = error.code, error.read().decode()
    assert found == status, f"{url}: {found}, not {status}: {text}"
    return text


def check_panel(page, token):
    expect(401, page)
    expect(401, page, token="another password")
    expect(200, page, token=token)


def inspect(name, field):
    return run("docker", "inspect", "--format", "{{%s}}" % field, name).strip()


def address(name):
    return inspect(name, "range .NetworkSettings.Networks}}{{.IPAddress}}{{end")


def end(name, seconds):
    """Ends a container by SIGTERM; it stops cleanly in the time that it has."""
    run("docker", "stop", "--time", str(seconds), name)
    assert inspect(name, ".State.ExitCode") == "0", run("docker", "logs", name)
    run("docker", "rm", "--volumes", name)


def wait(what, condition):
    last = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < last, f"after a minute still not {what}"
        time.sleep(0.1)


def answers(url, seconds):
    try:
        with urllib.request.urlopen(url, timeout=seconds):
            return True
    except OSError:
        return False


def check_image():
    follow("Dockerfile", "docker build")
    rest = int(inspect("petstore:latest", ".Size")) - PROGRAM.stat().st_size
    assert rest < 6_000_000, f"the image has {rest} bytes beside its program"
    wait("healthy", lambda: inspect("petstore", ".State.Health.Status") == "healthy")
    key = KEY.search(follow("Dockerfile", "keys create"))[0]
    expect(200, f"{BASE}/pets", key)
    panel = re.search(r"PETSTORE_ADMIN_LISTEN=0.0.0.0(:\d+)", inspect("petstore", ".Config.Env"))[1]
    page = expect(403, f"http://{address('petstore')}{panel}/")
    assert "PETSTORE_ADMIN_TOKEN_FILE" in page and "<a " not in page, page
    end("petstore", 10)


def load(key, number, ended, created, failures):
    """Reads and writes in turn over one connection, until it is told to end."""
    connection, count = http.client.HTTPConnection("127.0.0.1", 8080, timeout=20), 0
    # Both loads together stay below the 1000 requests a minute of the key.
    while not ended.wait(0.15):
        count += 1
        name = f"category-{count}-{number}"
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        method, body = ("POST", json.dumps({"name": name})) if count % 2 else ("GET", None)
        try:
            connection.request(method, "/categories", body, headers)
            response = connection.getresponse()
            text = response.read().decode()
            if response.status == 201:
                created.append(json.loads(text)["id"])
            elif response.status != 200:
                failures.append(f"{method}: {response.status} {text}")
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"{method}: {error!r}")
            connection.close()


def check_restart(key):
    """The ids of what was written while each server was restarted."""
    ended, created, failures = threading.Event(), [], []
    threads = [threading.Thread(target=load, args=(key, it, ended, created, failures)) for it in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(int(os.environ.get("ROUNDS", "1"))):
            follow("compose.yaml", "restart $server")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert created and not failures, f"{len(created)} writes, and {len(failures)} failures: {failures[:5]}"
    return created


def check_compose():
    follow("compose.yaml", "openssl rand")
    follow("compose.yaml", "up --build")
    key = KEY.search(follow("compose.yaml", "keys create"))[0]
    expect(200, f"{BASE}/pets", key)
    for port in 9091, 9092:
        check_panel(f"http://127.0.0.1:{port}/", Path("deploy/admin.token").read_text().strip())
    created = check_restart(key)
    check_kubernetes()
    follow("compose.yaml", " down")
    assert not run("docker", "ps", "--all", "--quiet"), "containers are left"
    follow("compose.yaml", "up --build")
    # What the key has used before: a write for each record, and about as many reads.
    day = json.loads(expect(200, f"{BASE}/rate-limit", key))["day"]
    assert day["limit"] - day["remaining"] > 1.5 * len(created), day
    stored, last = set(), 0
    while page := json.loads(expect(200, f"{BASE}/categories?limit=100&after={last}", key)):
        last = page[-1]["id"]
        stored.update(it["id"] for it in page)
    assert stored.issuperset(created), f"lost: {set(created) - stored}"
    follow("compose.yaml", " down")


def check_kubernetes():
    """Runs the container of the manifest, as Kubernetes would, over the engines of compose.yaml."""
    deployment = next(yaml.safe_load_all(Path("deploy/kubernetes/petstore.yaml").read_text()))
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    known = {"args", "env", "image", "livenessProbe", "name", "ports", "readinessProbe", "resources"}
    assert set(container) <= known | {"securityContext", "startupProbe", "volumeMounts"}, "follow the new settings here"
    log, tool = FOLDER / "kubectl.log", FOLDER / "bin/kubectl"
    tool.parent.mkdir()
    tool.write_text(f"""#!/bin/sh
case "$*" in
*" exec deployment/petstore -- "*) shift 5; exec docker exec kubernetes "$@" ;;
*" get secret "*) sed -n 's/^--from-literal=admin-token=//p' {log} | tr -d '\\n' | base64 ;;
*) printf '%s\\n' "$@" >>{log} ;;
esac
""")
    tool.chmod(0o755)
    os.environ["PATH"] = f"{tool.parent}:{os.environ['PATH']}"
    variables = COMPOSE["x-petstore"]["environment"]
    password = Path("deploy/.env").read_text().strip().rpartition("=")[2]
    database = re.sub(r"\$\{.*\}", password, variables["PETSTORE_DATABASE"])
    engines = [("postgres://USER:PASSWORD@HOST/petstore", database), ("rediss://HOST", variables["PETSTORE_LIMITS"])]
    follow("kubernetes/petstore.yaml", "create secret", engines)
    secret = dict(re.findall("^--from-literal=([^=]+)=(.*)$", log.read_text(), re.M))

    security = {**pod["securityContext"], **container["securityContext"]}
    assert security["runAsUser"] > 0 and security["runAsNonRoot"]
    words = ["--user", f"{security['runAsUser']}:{security['runAsGroup']}", "--group-add", str(security["fsGroup"])]
    words += ["--read-only"] if security["readOnlyRootFilesystem"] else []
    words += [] if security["allowPrivilegeEscalation"] else ["--security-opt", "no-new-privileges"]
    words += [f"--cap-drop={it}" for it in security["capabilities"]["drop"]]
    words += ["--memory", container["resources"]["limits"]["memory"].rstrip("i").lower()]
    for variable in container["env"]:
        value = variable.get("value") or secret[variable["valueFrom"]["secretKeyRef"]["key"]]
        words += ["--env", f"{variable['name']}={value}"]
    mounts = {it["name"]: it["mountPath"] for it in container["volumeMounts"]}
    for volume in pod["volumes"]:
        folder = FOLDER / volume["name"]
        folder.mkdir()
        for item in volume["secret"]["items"]:
            file = folder / item["path"]
            file.write_text(secret[item["key"]])
            file.chmod(volume["secret"]["defaultMode"])
            shutil.chown(file, group=security["fsGroup"])
        words += ["--volume", f"{folder}:{mounts[volume['name']]}:ro"]
    network = inspect("petstore_petstore-1_1", "range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end")
    words += ["--network", network, "--name", "kubernetes", "petstore:latest", *container["args"]]
    run("docker", "run", "--detach", *words)
    ports = {it["name"]: f"http://{address('kubernetes')}:{it['containerPort']}" for it in container["ports"]}
    for probe in "startupProbe", "livenessProbe", "readinessProbe":
        asked, seconds = container[probe]["httpGet"], container[probe].get("timeoutSeconds", 1)
        wait(probe, lambda: answers(ports[asked["port"]] + asked["path"], seconds))
    text = follow("kubernetes/petstore.yaml", "keys create")
    expect(200, f"{ports['http']}/pets", KEY.search(text)[0])
    assert secret["admin-token"] in text, text
    check_panel(f"{ports['panel']}/", secret["admin-token"])
    end("kubernetes", pod["terminationGracePeriodSeconds"])


def main():
    os.environ.update(DOCKER_HOST=f"unix://{FOLDER}/socket", DOCKER_BUILDKIT="0", DOCKER_CONFIG=str(FOLDER / "client"), SHELL="/bin/bash")
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        # What Debian has is a command of its own.
        plugin = FOLDER / "client/cli-plugins/docker-compose"
        plugin.parent.mkdir(parents=True)
        plugin.write_text("""#!/bin/sh
[ "$1" != docker-cli-plugin-metadata ] || { echo '{"SchemaVersion": "0.1.0", "Vendor": "Debian"}'; exit; }
shift
exec docker-compose "$@"
""")
        plugin.chmod(0o755)
    run("ip", "link", "set", "lo", "up")
    for folder in "/etc/docker", "/run/docker":
        # Neither the settings of another daemon, nor files for it.
        os.makedirs(folder, exist_ok=True)
        run("mount", "--types=tmpfs", "tmpfs", folder)
    folders = [f"--data-root={FOLDER}/data", f"--exec-root={FOLDER}/exec", f"--pidfile={FOLDER}/pid"]
    with open(FOLDER / "log", "w") as log:
        daemon = subprocess.Popen(["dockerd", *folders, f"--host={os.environ['DOCKER_HOST']}"], stdout=log, stderr=log)
    try:
        wait("started", lambda: daemon.poll() or not subprocess.run(["docker", "info"], capture_output=True).returncode)
        if daemon.poll():
            print((FOLDER / "log").read_text()[-1000:])
            sys.exit(75)
        run("docker", "import", str(ROOT), "debian")
        shutil.copy(PROGRAM, FOLDER / "images/petstore")
        (FOLDER / "images/Dockerfile").write_text(STAND_INS)
        rust = re.search("FROM (rust:[^ ]*)", Path("deploy/Dockerfile").read_text())[1]
        for name in rust, *(COMPOSE["services"][it]["image"] for it in ("nginx", "postgres", "valkey")):
            target = re.search(r"(\w+):", name)[1]
            run("docker", "build", "--target", target, "--tag", name, str(FOLDER / "images"))
        for part in check_image, check_compose:
            start = time.monotonic()
            part()
            print(f"{part.__name__}: {time.monotonic() - start:.1f} s", flush=True)
    finally:
        daemon.terminate()
        daemon.wait(60)


main()
