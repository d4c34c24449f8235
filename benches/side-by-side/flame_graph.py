"""Where the petstore spends its time: a flame graph of `GET /pets/{id}`, by perf and inferno."""

import shutil
import subprocess
import sys

from measure import run_wrk, running

SECONDS = 8


def draw(case, directory, svg):
    """Records the stacks of the server of `case` under load, and writes them as an SVG."""
    programs = ["perf", "inferno-collapse-perf", "inferno-flamegraph"]
    if missing := [it for it in programs if not shutil.which(it)]:
        sys.exit(f"a flame graph needs perf and inferno (cargo install inferno); missing: {' '.join(missing)}")
    recording = directory / "perf.data"
    with running(case, directory) as server:
        run_wrk(case, server.port, 1)
        # Stacks of asynchronous code are deep; a sample that has not the whole stack loses its root.
        record = ["perf", "record", "--quiet", "--event=cpu-clock", "--freq=499", "--call-graph=dwarf,32768"]
        perf = subprocess.Popen([*record, f"--pid={server.pid}", "--output", recording, "--", "sleep", str(SECONDS)])
        try:
            run_wrk(case, server.port, SECONDS)
        finally:
            perf.wait()
    script = subprocess.run(["perf", "script", "--no-inline", "--input", recording], check=True, stdout=subprocess.PIPE)
    stacks = subprocess.run(["inferno-collapse-perf"], input=script.stdout, check=True, stdout=subprocess.PIPE)
    # What takes less than a pixel is left out, which keeps the file small.
    graph = ["inferno-flamegraph", "--title", case.name, "--minwidth=0.3", "--hash"]
    drawn = subprocess.run(graph, input=stacks.stdout, check=True, stdout=subprocess.PIPE)
    svg.write_bytes(drawn.stdout)
