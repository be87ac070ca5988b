"""The report that redraws the papers' figures, and weft-bench-scale, which most of its runs are:
papers_test.py BUILD SOURCE TEST, or --list."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

PYTHON = "/usr/bin/python3"  # Debian's, which has matplotlib
FIGURES = ("flood-elan3", "messages-per-thread")  # seconds
OPERATIONS = ("latency", "put_flood", "get_flood", "barrier", "broadcast", "scatter", "gather", "gather_all",
              "exchange", "reduce", "reduce_all")

build, source = map(pathlib.Path, script_tests.paths(2))
sys.path[1:1] = [str(source / "bench" / "papers"), str(source / "bench")]


def run(command, **environment):
    return subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def report(folder, *arguments, programs=None):
    return run([PYTHON, source / "bench" / "papers" / "report.py", "--build", programs or build, "--output",
                folder, "--no-measure", "--no-sensitivity", "--no-pdf", *arguments])


def page_of(folder):
    return (pathlib.Path(folder) / "index.html").read_text(encoding="utf-8")


def program(folder, name, text):
    path = pathlib.Path(folder) / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def scale(*arguments, ranks=4, simulated=("--sim", "bgp"), **environment):
    """weft-bench-scale's results by size."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = run([build / "bin" / "weftrun", *simulated, "-n", ranks, build / "bin" / "weft-bench-scale", *arguments,
                    "--json", path], **environment)
        assert done.returncode == 0, done.stderr
        written = json.loads(path.read_text(encoding="utf-8"))
    assert written["ranks"] == ranks and written["benchmark"] == arguments[0], written
    assert all(row["unit"] == "ns" and row["value"] > 0 for row in written["results"]), written
    return {row["size_bytes"]: row["value"] for row in written["results"]}


def test_the_page_has_what_was_run_and_a_second_call_runs_nothing():
    with tempfile.TemporaryDirectory() as folder:
        done = report(folder, *FIGURES)
        assert done.returncode == 0, done.stderr
        page = page_of(folder)
        for words in ("Lemieux, Elan3", "flood-elan3.svg", "17.7", "fat tree of 5 levels", "seed 1", 'class="yes"'):
            assert words in page, words
        assert "exchange-ranger" not in page and 'class="failed"' not in page
        assert (pathlib.Path(folder) / "flood-elan3.svg").stat().st_size > 1000
        kept = sorted((pathlib.Path(folder) / "runs").iterdir())
        assert len(kept) == 4, kept  # a flood, and a transform in three variants
        entry = json.loads(next(path for path in kept if "scale" in path.name).read_text(encoding="utf-8"))
        assert entry["simulated"] and entry["platform"] == "elan3" and entry["seed"] == 1, entry
        assert "contention 0.7" in entry["calibration"] and "put_flood" in entry["command"], entry
        before = {path: path.stat().st_mtime_ns for path in kept}
        assert report(folder, *FIGURES).returncode == 0
        assert {path: path.stat().st_mtime_ns for path in (pathlib.Path(folder) / "runs").iterdir()} == before


def test_a_missed_number_is_shown_as_it_moves_with_what_is_unknown():
    """Of the page's own parts, with numbers that no run has to bring."""
    import model
    import page
    import verdicts

    class Runs:
        results, failures = {}, {}
    names = ("flat", "flat*processor.send_overhead*0.5", "flat*processor.send_overhead*2")
    for name, ns in zip(names, (30, 20, 50)):
        Runs.results[model.Run("p", platform=name)] = {"result": {"results": [{"size_bytes": 8, "value": ns}]}}
    figure = model.Figure("f", "F", "paper", "It takes 10.",
                          (model.Series("ours", model.Run("p", platform="flat"), model.by_size()),),
                          (model.Claim("ns", 10, lambda data: data["ours"][8]),
                           model.Claim("near", 29, lambda data: data["ours"][8]),
                           model.Claim("not run", 1, lambda data: data["theirs"][8])),
                          unknown=("processor.send_overhead",))
    assert [(row.ours, row.holds) for row in verdicts.rows_of(figure, Runs)] == [(30, False), (30, True), (None, None)]
    assert {run.platform for run in verdicts.more_runs(figure, Runs)} == set(names[1:])
    (moved,) = verdicts.moves_of(figure, Runs)
    assert (moved.half, moved.ours, moved.double) == (20, 30, 50), moved
    assert "<td>20</td><td>30</td><td>50</td>" in page.moves_table([moved])


def test_each_entry_is_whole():
    import report as script
    import runs
    import verdicts
    figures = [figure for _, group in script.entries() for figure in group]
    names = [figure.name for figure in figures]
    assert len(set(names)) == len(names) > 10, names
    for figure in figures:
        assert figure.source and figure.statement.endswith("."), figure.name
        labels = [series.label for series in figure.series]
        assert len(set(labels)) == len(labels), figure.name
        for series in figure.series:
            assert series.points or series.pick, (figure.name, series.label)
            for each in series.all_runs:
                assert bool(each.platform) != bool(each.hosts), (figure.name, each)
                for parameter in figure.unknown if each.platform else ():
                    other = verdicts.with_changed(each, parameter, 2)
                    assert other.settings != each.settings or runs.platform_text(other.platform) != runs.platform_text(
                        each.platform), (figure.name, parameter)


def test_every_changed_platform_can_be_simulated():
    import report as script
    import runs
    import verdicts
    changed = {verdicts.with_changed(run, parameter, factor).platform
               for _, group in script.entries() for figure in group for parameter in figure.unknown
               for series in figure.series for run in series.all_runs if run.platform for factor in verdicts.FACTORS}
    changed = sorted(name for name in changed if "*" in name)
    assert len(changed) > 20, changed
    with tempfile.TemporaryDirectory() as folder:
        for name in changed:
            path = pathlib.Path(folder) / "changed.json"
            path.write_text(runs.platform_text(name), encoding="utf-8")
            done = run([build / "bin" / "weft-sim", "show", path])
            assert done.returncode == 0, (name, done.stderr)


def test_a_run_that_fails_or_does_not_end_is_shown_with_its_command():
    for fake, why in (("echo 'out of luck' >&2; exit 3", "exit status 3: out of luck"),
                      ("echo $$ >{pid}; sleep 60 & wait", "did not end within 1 s"), ("exit 0", "brought no report")):
        with tempfile.TemporaryDirectory() as folder:
            pid = pathlib.Path(folder) / "pid"
            program(folder, "weftrun", f"#!/bin/sh\n{fake.format(pid=pid)}\n")
            program(folder, "weft-bench-scale", "")
            begin = time.monotonic()
            done = report(f"{folder}/report", "flood-elan3", "--time-limit", 1, programs=folder)
            assert time.monotonic() - begin < 30
            assert done.returncode == 1 and why in done.stderr and "Traceback" not in done.stderr, done.stderr
            page = page_of(f"{folder}/report")
            assert why in page and 'class="failed"' in page and "--sim elan3" in page and "not run" in page, page
            assert not list((pathlib.Path(folder) / "report" / "runs").iterdir())
            if pid.exists():
                assert not pathlib.Path(f"/proc/{pid.read_text().strip()}").exists(), "the program still runs"


def test_an_interrupted_report_leaves_nothing_running():
    with tempfile.TemporaryDirectory() as folder:
        pid = pathlib.Path(folder) / "pid"
        program(folder, "weftrun", f"#!/bin/sh\necho $$ >{pid}.new; mv {pid}.new {pid}; sleep 60 & wait\n")
        program(folder, "weft-bench-scale", "")
        words = [PYTHON, source / "bench" / "papers" / "report.py", "--build", folder, "flood-elan3"]
        with subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True) as script:
            end = time.monotonic() + 60
            while not pid.exists() and time.monotonic() < end:
                time.sleep(0.05)
            script.terminate()
            errors = script.communicate(timeout=60)[1]
        assert script.returncode == 143 and not errors, (script.returncode, errors)
        assert not pathlib.Path(f"/proc/{pid.read_text().strip()}").exists(), "the program still runs"


def test_a_program_that_starts_as_the_report_ends_is_ended():
    code = ("import measuring, os\nrunning = measuring.Running()\nrunning.end()\n"
            "try:\n    measuring.run_in_group(['sleep', '60'], 60, os.environ, running)\n"
            "except InterruptedError:\n    print('ended', len(running))\n")
    done = run([PYTHON, "-c", code], PYTHONPATH=str(source / "bench"))
    assert done.returncode == 0 and done.stdout == "ended 0\n", done


def test_what_cannot_be_used_is_told_in_one_line():
    with tempfile.TemporaryDirectory() as folder:
        nowhere = pathlib.Path(folder) / "nowhere"
        a_file = pathlib.Path(folder) / "file"
        a_file.write_text("", encoding="utf-8")
        for arguments, said in ((["no-such-figure"], "there is no figure no-such-figure; there are flood-elan3"),
                                (["--jobs", 0], "--jobs must be at least 1"),
                                (["--time-limit", 0], "--time-limit must be above 0"),
                                (["--build", nowhere], f"{nowhere}/bin has no weftrun; build"),
                                (["--output", a_file], f"cannot write {a_file}")):
            done = report(f"{folder}/report", *arguments)
            line = done.stderr.strip().splitlines()[-1]
            assert done.returncode in (1, 2) and said in line and "Traceback" not in done.stderr, done.stderr
        program(folder, "weftrun", "#!/bin/sh\n")
        done = report(f"{folder}/report", "flood-elan3", programs=folder)
        assert done.returncode == 1 and "has no weft-bench-scale; build it: make" in done.stderr, done.stderr


def test_scale_times_every_operation_alike_each_time():
    for operation in OPERATIONS:
        words = (operation, "--sizes", "8,4096", "--calls", 2)
        first = scale(*words, ranks=8)
        assert first == scale(*words, ranks=8), operation
        assert set(first) == {8, 4096}
        scale(*words, ranks=4, simulated=())


def test_scale_knows_teams_strictness_and_calls_in_flight():
    loose = scale("scatter", "--calls", 8, ranks=32)[8]
    assert scale("scatter", "--calls", 8, "--strict", ranks=32)[8] > 2 * loose
    assert scale("exchange", "--row", 4, ranks=32)[8] < scale("exchange", ranks=32)[8]
    scale("broadcast", "--calls", 8, "--in-flight", ranks=32)
    one = scale("put_flood", "--senders", 1, ranks=8, simulated=("--sim", "bgp", "--sim-map", "txyz"))[8]
    assert scale("put_flood", "--senders", 4, ranks=8, simulated=("--sim", "bgp", "--sim-map", "txyz"))[8] > one


def test_scale_computes_after_calls_or_while_they_are_in_flight():
    modelled = ("--sim", "bgp", "--sim-compute", "model")
    size, work = 65536, ("--compute", "1e6")  # 1.5 ms
    alone = scale("broadcast", "--sizes", size, ranks=32)[size]
    after = scale("broadcast", "--sizes", size, *work, ranks=32, simulated=modelled)[size]
    during = scale("broadcast", "--sizes", size, *work, "--in-flight", ranks=32, simulated=modelled)[size]
    assert after > 1.4e6 + 0.9 * alone and 1.4e6 < during < after - 0.2 * alone, (alone, after, during)


def test_scale_refuses_what_it_cannot_time():
    start = [build / "bin" / "weftrun", "-n", 4, build / "bin" / "weft-bench-scale"]
    for words, said in ((["swim"], "operation: swim not in"), ([], "operation is required"),
                        (["reduce", "--sizes", "12"], "--sizes 12 is no multiple of 8"),
                        (["exchange", "--row", "3"], "--row 3 does not divide 4 ranks"),
                        (["put_flood", "--senders", "3"], "--senders 3 is more than half of 4 ranks"),
                        (["barrier", "--compute", "1"], "--compute needs weftrun --sim PLATFORM --sim-compute model"),
                        (["barrier", "--sizes", "0"], "--sizes"), (["barrier", "--json", "/nowhere/x"], "/nowhere/x")):
        done = run([*start, *words])
        assert done.returncode in (1, 2) and said in done.stderr, (words, done.returncode, done.stderr)
        assert done.stderr.count(said) == 1, done.stderr
    done = run([build / "bin" / "weft-bench-scale", "barrier"])
    assert done.returncode == 2 and "at least 2 ranks are needed" in done.stderr, done.stderr


if __name__ == "__main__":
    script_tests.main(globals(), 2)
