"""The scripts that measure, print and draw, given what they cannot use: one line that says so, no traceback.
scripts_test.py SOURCE"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
PROGRAMS = ("lab", "weftrun", "upcrun", "upcc", "weft-bench", "ft", "ft-upc", "ft-mpi", "ft-mpi-mpich", "ft-fftw-mpi")
UPC_PROGRAMS = ("upc-triad", "upc-triad-static", "upc-triad-pthreads", "upc-kernels", "upc-random", "upc-chase")


def refuses(script, arguments, said, code=None):
    """`code`: what to do with the script, as a module, instead of running it."""
    begin = [SOURCE / script] if code is None else [
        "-c", f"import sys; sys.argv[0] = '{script}'; sys.path.insert(0, '{(SOURCE / script).parent}'); {code}"]
    done = subprocess.run([sys.executable, *begin, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, check=False)
    lines = done.stderr.splitlines() or [""]
    name = pathlib.Path(script).stem
    told = f"{script} {arguments}: {done.returncode} {done.stderr}"
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr, told
    assert lines[-1].startswith(name) and said in lines[-1], told
    assert len(lines) == 1 or lines[0].startswith(("usage: ", "run 1 of ")), told


def file_with(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def report_lacks(script, folder, report, said, arguments=()):
    """The script is told by its programs, whichever it runs, what `report` is."""
    build = folder / "reporting"
    (build / "bin").mkdir(parents=True, exist_ok=True)
    file_with(build, "report.json", json.dumps(report))
    for name in PROGRAMS + UPC_PROGRAMS:
        program = file_with(build / "bin", name, f"#!/bin/sh\nfor to; do :; done; cp {build}/report.json \"$to\"\n")
        program.chmod(0o755)
    refuses(script, ["--build", build, *arguments], said)


# Each file or report is of the right kind, and one field is not there, or not of its kind.
def check_fields(folder):
    row = {"label": "Weft, slabs", "group": "one-sided", "variant": "slabs", "seconds": 1, "seconds_per_transform": 1,
           "phases": {"communication": 0.1, "completion": 0.1}, "verified": True}
    point = {"class": "S", "hosts": 2, "rate": "1gbit", "goodput_bytes_per_s": 1e8, "computation_s": 1, "wire_s": 1,
             "results": [row]}

    def sweep_lacks(said, sweep):
        report = file_with(folder, "sweep.json", json.dumps({"sweep": sweep}))
        refuses("bench/net/sweep_report.py", [report, folder / "out"], said)

    def without(fields, name):
        return {key: value for key, value in fields.items() if key != name}
    sweep_lacks('sweep.json has "sweep": 5, not a list of objects', 5)
    sweep_lacks('sweep.json has "sweep": [1], not a list of objects', [1])
    sweep_lacks("sweep.json has no measurements", [])
    sweep_lacks('sweep.json: sweep[0] has no "class"', [{}])
    sweep_lacks('sweep.json: sweep[1] has no "wire_s"', [point, without(point, "wire_s")])
    sweep_lacks('sweep.json: sweep[0].results[0] has no "seconds"', [{**point, "results": [without(row, "seconds")]}])
    sweep_lacks('sweep.json: sweep[0].results[0].phases has no "completion"',
                [{**point, "results": [{**row, "phases": {"communication": 0.1}}]}])
    sweep_lacks("class S at 1gbit has no result of two-sided", [point])
    sweep_lacks('sweep.json: sweep[0] has "wire_s": "1", not a number', [{**point, "wire_s": "1"}])
    sweep_lacks('sweep.json: sweep[0] has "hosts": 1.5, not a whole number', [{**point, "hosts": 1.5}])
    sweep_lacks('sweep.json: sweep[0] has "class": [], not a string', [{**point, "class": []}])
    sweep_lacks('sweep.json: sweep[0].results[0] has "seconds": true, not a number',
                [{**point, "results": [{**row, "seconds": True}]}])
    sweep_lacks('sweep.json: sweep[0].results[0] has "verified": "yes", not true, false or null',
                [{**point, "results": [{**row, "verified": "yes"}]}])
    sweep_lacks('sweep.json: sweep[0].results[0] has "phases": null, not an object',
                [{**point, "results": [{**row, "phases": None}]}])
    sweep_lacks('sweep.json: sweep[0].results[0].phases has "completion": "0.1", not a number or null',
                [{**point, "results": [{**row, "phases": {"communication": 0.1, "completion": "0.1"}}]}])

    def coll_lacks(said, results):
        file_with(folder, "weft-2.json", json.dumps({"results": results}))
        refuses("bench/coll_report.py", [folder], said)
    coll_lacks('weft-2.json has "results": {}, not a list of objects', {})
    coll_lacks('results[0] has "value": "' + "fast" * 9 + 'fas..., not a number',
               [{"name": "broadcast", "size_bytes": 8, "value": "fast" * 20}])
    coll_lacks('results[0] has "size_bytes": {}, not a whole number', [{"name": "reduce", "size_bytes": {}}])
    coll_lacks('weft-2.json: results[1] has no "value"',
               [{"name": "broadcast", "size_bytes": 8, "value": 1}, {"name": "broadcast", "size_bytes": 64}])

    nothing_of = {"results": [{"name": "outside_w1", "size_bytes": 8, "unit": "ns"}]}
    report_lacks("bench/ordering.py", folder, nothing_of, 'results[0] has no "value"')
    report_lacks("bench/registration.py", folder, {}, 'registration-0.json has no "results"')
    report_lacks("tools/run_ft.py", folder, {"seconds": 1}, 'has no "verified"', ["--repetitions", 1])

    unmapped = {"results": [{"name": "outside_w1", "size_bytes": 8, "value": 1, "limit": None}]}
    report_lacks("bench/registration.py", folder, unmapped, 'results[0] has "limit": null, not a number')
    report_lacks("bench/ordering.py", folder, [], "ordering-2-strict.json is [], not an object")
    report_lacks("bench/report.py", folder, {"results": [{"name": None}]}, 'results[0] has "name": null, not a string')
    report_lacks("bench/upc/report.py", folder, {"results": "all"}, 'has "results": "all", not a list of objects')
    report_lacks("tools/run_ft.py", folder, {"seconds": "1"}, 'has "seconds": "1", not a number', ["--repetitions", 1])

    def trace_lacks(said, events):
        trace = file_with(folder, "trace.json", json.dumps(events))
        refuses("bench/net/overlap.py", [trace], said, "import overlap; overlap.read_trace(sys.argv[1])")
    start = {"name": "start", "ph": "M", "pid": 0, "args": {"monotonic_ns": 5}}
    trace_lacks("trace.json is {}, not a list of objects", {})
    trace_lacks('trace.json: [0].args has "monotonic_ns": "5", not a number',
                [{**start, "args": {"monotonic_ns": "5"}}])
    trace_lacks('trace.json: [1] has "ts": null, not a number',
                [start, {"name": "put", "ph": "X", "pid": 0, "ts": None}])
    trace_lacks("trace.json has no events of rank 0", [start])


def check(folder):
    nowhere = folder / "nowhere"
    build = folder / "build"
    (build / "bin").mkdir(parents=True)
    for name in PROGRAMS:
        (build / "bin" / name).write_text("#!/bin/sh\necho 'this fails' >&2; exit 3\n")
        (build / "bin" / name).chmod(0o755)
    no_json = file_with(folder, "no.json", "{ this is none")
    other_json = file_with(folder, "other.json", '{"benchmark": "another"}\n')

    check_fields(folder)

    sweep = "bench/net/ft_sweep.py"
    refuses(sweep, ["--rates", "fast"], "rate 'fast'")
    refuses(sweep, ["--rates"], "expected at least one argument")
    refuses(sweep, ["--hosts", 1], "at least 2")
    refuses(sweep, ["--only", "Weft"], "--only leaves out the exchange of both MPI libraries")
    refuses(sweep, ["--build", nowhere], "has no lab, weftrun, ft")
    refuses(sweep, ["--build", build, "--output", nowhere / "out"], "nowhere is not a folder that can be written to")
    refuses(sweep, ["--build", build, "--raw", nowhere / "raw"], "No such file or directory")
    refuses(sweep, ["--build", build, "--raw", no_json], "line 1: no measurement")
    refuses(sweep, ["--build", build, "--raw", other_json], "line 1: no measurement")
    stream = file_with(folder, "stream", '["S", 2, "1gbit", "raw TCP stream", 0, "fast"]\n')
    refuses(sweep, ["--build", build, "--raw", stream], 'line 1 measured as raw TCP stream: "fast", not a number')
    refuses(sweep, ["--build", build], "lab up: this fails")

    refuses("bench/net/sweep_report.py", [], "required: file, output")
    refuses("bench/net/sweep_report.py", [nowhere, folder / "out"], "No such file")
    refuses("bench/net/sweep_report.py", [no_json, folder / "out"], "it is not JSON")
    refuses("bench/net/sweep_report.py", [other_json, folder / "out"], "no report of ft_sweep.py")

    linalg = "bench/linalg/report.py"
    refuses(linalg, ["--build", nowhere], "has no weftrun, cholesky, gemm, lu, cholesky-upc, matmul-upc, ")
    refuses(linalg, ["--n", 0], "--n, --nb, --scalapack-nb, --hosts, --rounds and --repeat must be at least 1")
    refuses(linalg, ["--ranks", -1], "--ranks must be at least 0")
    refuses(linalg, ["--problems", "qr"], "invalid choice: 'qr'")

    refuses("bench/net/overlap.py", ["--build", nowhere], "has no lab, weftrun, ft")
    refuses("tools/run_ft.py", ["--build", nowhere], "has no weftrun, upcrun, ft, ")
    refuses("tools/run_ft.py", ["--build", build, "--output", nowhere / "out"], "nowhere is not a folder")
    refuses("tools/run_ft.py", ["--ranks", "many"], "invalid int value: 'many'")

    refuses("bench/coll_report.py", [], "required: folder")
    refuses("bench/coll_report.py", [nowhere], "there is no weft-N.json")
    file_with(folder, "weft-2.json", "[]")
    refuses("bench/coll_report.py", [folder], "weft-2.json is [], not an object")
    file_with(folder, "weft-2.json", "{}")
    refuses("bench/coll_report.py", [folder], 'weft-2.json is no report of weft-bench: it has no "results"')

    for script in ("bench/ordering.py", "bench/registration.py"):
        refuses(script, ["--build", nowhere], "has no weft-bench, weftrun")
        refuses(script, ["--repetitions", "x"], "invalid int value: 'x'")
    refuses("bench/report.py", ["--build", nowhere], "has no weft-bench, weftrun")
    refuses("bench/upc/report.py", ["--build", build], "has no upc-triad")
    refuses("bench/upc/hosts/report.py", ["--build", build], "has no upc-hosts-own-memory, upc-hosts-blocks, ")
    refuses("bench/upc/hosts/report.py", ["--rounds", 0], "--rounds must be at least 1")
    refuses("bench/io/report.py", ["--build", build], "has no upc-io, mpi-io")
    refuses("bench/upc/frontend.py", [nowhere], "cannot run")
    refuses("bench/upc/frontend.py", [nowhere, "--runs", 0], "at least 1")
    refuses("bench/upc/frontend.py", [nowhere, "--json", nowhere / "out"], "nowhere is not a folder")

    plot = "tools/tune/plot.py"
    refuses(plot, [], "required: table, folder")
    refuses(plot, [nowhere, folder], "No such file")
    refuses(plot, [other_json, folder], "no table of weft-tune")
    refuses(plot, [file_with(folder, "newer", "weft-tune 9\nmachine smp\nend 0\n"), folder], "another version")
    cut = file_with(folder, "cut", "weft-tune 1\nmachine smp\nreduce 2 8 flat 0 0 1\n")
    refuses(plot, [cut, folder], "was cut off")
    bad = file_with(folder, "bad", "weft-tune 1\nmachine smp\nreduce 2 8\nend 1\n")
    refuses(plot, [bad, folder], "line 3: not: operation")

    # What a program said is not lost.
    done = subprocess.run([sys.executable, SOURCE / "bench/ordering.py", "--build", build], capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 1 and "failed with exit status 3:\nthis fails\n" in done.stderr, done


with tempfile.TemporaryDirectory() as temporary:
    check(pathlib.Path(temporary))
