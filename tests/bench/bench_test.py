"""weft-bench, its MPI peers and weft-tune as programs: bench_test.py BIN_FOLDER TEST, or --list."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

SKIP = 77
BENCHMARKS = ["latency", "bandwidth", "rate", "am", "barrier", "atomic", "signal", "network", "tail", "ordering",
              "registration", "coll", "overlap", "vis"]
# What each benchmark of weft-bench must report.
NAMES = {
    "latency": {"put", "get", "put_fixed", "get_fixed", "get_chain", "get_value_chain", "put_get_chain"},
    "bandwidth": {"put_flood", "get_flood", "put_stream_flood"},
    "rate": {"put_rate", "put_nb_rate", "put_nbi_rate", "get_rate", "get_nb_rate", "get_nbi_rate"},
    "am": {"am_short_round_trip", "am_short_flood", "am_medium_round_trip", "am_medium_flood", "am_long_round_trip",
           "am_long_flood", "am_all_pairs", "bare_two_lines"},
    "barrier": {"barrier", "barrier_split", "bare_barrier"},
    "atomic": {operation + where for operation in ("fetch_add_", "compare_swap_", "add_call_")
               for where in ("own", "peer", "contended")} | {"list_1024_own", "list_1024_peer"},
    "signal": {"put_signal_line", "put_signal_add_line", "put_signal_apart", "semaphore", "bare_signal"},
    "network": {"put_complete", "net_get", "net_request_reply", "udp_round_trip", "net_put_rate", "net_request_rate",
                "net_put_flood", "net_get_flood"},
    "tail": {"put_median", "put_p999", "put_worst", "put_slowest_1000"},
    "ordering": {f"ordering_{way}_w{window}" for way in ("put", "get") for window in (1, 4, 16, 64)},
    "coll": {"broadcast", "broadcast_in_flight", "broadcast_strict", "exchange", "exchange_nb", "gather", "gather_all",
             "gather_all_v", "gather_v", "reduce", "reduce_all", "scatter", "scatter_v", "team_barrier", "team_split"},
    "overlap": {"exchange_alone", "exchange_computing", "exchange_computing_polls"},
    "vis": {"put_strided", "get_strided", "put_indexed", "get_indexed", "put_vector", "get_vector"},
    "registration": {f"outside_w{window}" for window in (1, 4, 16)},
}
PEER_NAMES = {"send_ack", "isend_ack", "put", "get", "isend_flood", "put_flood", "get_flood", "isend_rate", "put_rate",
              "get_rate", "message_round_trip", "message_one_way", "barrier", "fetch_add_own", "fetch_add_peer",
              "fetch_add_contended", "compare_swap_own", "compare_swap_peer", "compare_swap_contended", "net_send_ack",
              "net_flood"} | NAMES["coll"]
LOWER_IS_BETTER = {"ns", "KiB"}
HIGHER_IS_BETTER = {"GB/s", "M/s"}

[bin_folder] = script_tests.paths(1)


def run(command, **environment):
    return subprocess.run(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def weft(ranks, *arguments, launcher=(), **environment):
    return run([f"{bin_folder}/weftrun", "-n", str(ranks), *launcher, f"{bin_folder}/weft-bench", *arguments],
               **environment)


MACHINE = ["simulated", "platform", "machine", "contention", "seed", "compute", "data"]


def measured(start, benchmark, machine=()):
    """Starts a quick run with --json and returns what it wrote, after checks that hold for all.

    machine: the keys that tell which one was simulated.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/result.json"
        done = start(benchmark, "--quick", "--json", path)
        assert done.returncode == 0, done.stderr
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    assert list(report) == ["benchmark", "ranks", "conduit", *machine, "results"], list(report)
    assert report["benchmark"] == benchmark
    assert report["results"]
    seen = set()
    for result in report["results"]:
        assert list(result) == ["name", "size_bytes", "value", "unit", "limit", "ratio_to_limit"], result
        assert isinstance(result["size_bytes"], int) and result["size_bytes"] >= 0, result
        # What a simulated rank does in its own memory takes no time.
        assert result["value"] > 0 or (machine and result["value"] == 0), result
        assert result["unit"] in LOWER_IS_BETTER | HIGHER_IS_BETTER, result
        key = (result["name"], result["size_bytes"])
        assert key not in seen, f"{key} is there twice"
        seen.add(key)
        if result["limit"] is not None:
            assert abs(result["ratio_to_limit"] * result["limit"] - result["value"]) <= 1e-9 * result["value"], result
        # The table shows the same.
        assert any(line.split()[:1] == [result["name"]] and f"{result['value']:.2f}" in line
                   for line in done.stdout.splitlines()), result
    return report


def check_weft_benchmark(benchmark):
    report = measured(lambda *arguments: weft(2, *arguments), benchmark)
    assert (report["ranks"], report["conduit"]) == (2, "smp"), report
    assert {result["name"] for result in report["results"]} == NAMES[benchmark]
    assert all(result["limit"] and result["limit"] > 0 for result in report["results"])


def test_network_reports_what_is_documented():
    check_weft_benchmark("network")


def test_tail_reports_what_is_documented():
    check_weft_benchmark("tail")


def test_ordering_and_registration_run_over_a_network():
    for benchmark in ("ordering", "registration"):
        report = measured(lambda *arguments, name=benchmark: weft(2, *arguments, WEFT_CONDUIT="ofi",
                                                                  WEFT_REGISTER_LOCAL="1"), benchmark)
        assert {result["name"] for result in report["results"]} == NAMES[benchmark]


def test_overlap_reports_what_is_documented():
    check_weft_benchmark("overlap")


def test_network_runs_over_a_network():
    settings = {"WEFT_CONDUIT": "ofi", "WEFT_NET_INTERFACE": "127.0.0.0/8"}
    report = measured(lambda *arguments: weft(5, *arguments, **settings), "network")
    assert report["conduit"] == "ofi", report
    (memory,) = (result for result in report["results"] if result["name"] == "memory_per_peer")
    assert memory["unit"] == "KiB" and memory["value"] < 64, memory


def test_vis_reports_what_is_documented():
    check_weft_benchmark("vis")


def test_latency_reports_what_is_documented():
    check_weft_benchmark("latency")


def test_bandwidth_reports_what_is_documented():
    check_weft_benchmark("bandwidth")


def test_rate_reports_what_is_documented():
    check_weft_benchmark("rate")


def test_am_reports_what_is_documented():
    check_weft_benchmark("am")


def test_barrier_reports_what_is_documented():
    check_weft_benchmark("barrier")


def test_atomic_reports_what_is_documented():
    check_weft_benchmark("atomic")


def test_signal_reports_what_is_documented():
    check_weft_benchmark("signal")


def test_all_reports_every_benchmark_with_names_of_their_own():
    report = measured(lambda *arguments: weft(2, *arguments), "all")
    assert {result["name"] for result in report["results"]} == set().union(*NAMES.values())


def test_more_ranks_than_measure_wait_their_turn():
    report = measured(lambda *arguments: weft(4, *arguments), "barrier")
    assert report["ranks"] == 4
    assert {result["name"] for result in report["results"]} == {"barrier", "barrier_split"}


def test_ranks_that_share_processors_are_measured_by_their_turns():
    on_one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    for mapped, limit in (("1", "turn of each"), ("0", "peer is not mapped")):
        done = run([*on_one, f"{bin_folder}/weftrun", "-n", "3", f"{bin_folder}/weft-bench", "barrier", "--quick"],
                   WEFT_MAP_PEERS=mapped)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(limit) == 2, done.stdout


def test_ranks_may_be_threads():
    measured(lambda *arguments: weft(2, *arguments, launcher=["--ranks-as=threads"]), "all")


def check_machine(report):
    told = {key: report[key] for key in MACHINE}
    assert told.pop("machine").startswith("bgp: "), report
    assert told == {"simulated": True, "platform": "bgp", "contention": 0.58, "seed": 1, "compute": "free",
                    "data": "exact"}, told


def test_simulated_jobs_are_measured_in_virtual_time():
    def start(*arguments):
        return weft(4, *arguments, launcher=["--sim", "bgp"])
    for benchmark in BENCHMARKS:
        if benchmark in ("network", "tail", "overlap"):
            refused_by = start(benchmark)
            assert "weft: simulated" in refused_by.stderr, refused_by.stderr
            assert f"weft-bench: '{benchmark}'" in refused_by.stderr and refused_by.returncode == 2, refused_by
            continue
        report = measured(start, benchmark, MACHINE)
        check_machine(report)
        assert report == measured(start, benchmark, MACHINE)
        assert {result["name"] for result in report["results"]} <= NAMES[benchmark], report


def scale(ranks, *arguments):
    return run([f"{bin_folder}/weftrun", "--sim", "bgp", "-n", str(ranks), f"{bin_folder}/weft-scale", *arguments])


def test_scale_of_simulated_jobs():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/scale.json"
        times = []
        for _ in range(2):
            done = scale(64, "--json", path)
            assert done.returncode == 0, done.stderr
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            assert list(report) == ["benchmark", "ranks", "memory_kib", *MACHINE, "results"], list(report)
            assert (report["benchmark"], report["ranks"]) == ("scale", 64)
            check_machine(report)
            names = [result["name"] for result in report["results"]]
            assert names == ["start", "barrier", "broadcast", "reduce_all", "split", "exchange of rows"], names
            assert all(result["seconds"] > 0 for result in report["results"][1:]), report
            assert all(result["processor_seconds"] >= 0 for result in report["results"]), report
            times.append([result["seconds"] for result in report["results"]])
        assert times[0] == times[1]
    for arguments in (["--exchange", "0"], ["--exchange", "-1"], ["--exchange", "8x"], ["--exchange"], ["--nonsense"]):
        done = scale(4, *arguments)
        assert done.returncode == 2, done
        assert f"weft-scale: cannot use '{' '.join(arguments)}'; see weft-scale --help" in done.stderr, done.stderr
    done = scale(4, "--help")
    assert done.returncode == 0 and done.stdout.count("usage: weft-scale") == 1, done
    done = scale(4, "--json", "/nowhere/scale.json")
    assert done.returncode == 1 and "cannot write /nowhere/scale.json" in done.stderr, done


def test_without_mapped_peers_there_is_no_limit():
    report = measured(lambda *arguments: weft(2, *arguments, "--max-size", "64", WEFT_MAP_PEERS="0"), "latency")
    assert all(result["limit"] is None and result["ratio_to_limit"] is None for result in report["results"])
    measured(lambda *arguments: weft(2, *arguments, WEFT_MAP_PEERS="0"), "vis")


def refused(done, word):
    assert done.returncode == 2, (done.returncode, done.stderr)
    # The launcher's line says that a rank failed; the program's own is one.
    own = [line for line in done.stderr.splitlines() if not line.startswith("weftrun:")]
    assert len(own) == 1 and own[0].startswith("weft-bench") and word in own[0], done.stderr
    assert done.stdout == "", done.stdout


def test_mistakes_are_refused_in_one_line():
    refused(weft(2), "required")
    refused(weft(2, "nonsense"), "nonsense")
    refused(weft(2, "latency", "--repetitions", "0"), "--repetitions")
    refused(weft(2, "latency", "--repetitions", "few"), "few")
    refused(weft(2, "latency", "--max-size", "-1"), "--max-size")
    refused(weft(2, "latency", "--frobnicate"), "--frobnicate")
    refused(weft(2, "latency", "--json", "/nowhere/result.json"), "/nowhere/result.json")
    refused(weft(2, "latency", "--json", "/"), "directory")


def test_one_rank_is_too_few():
    refused(weft(1, "latency"), "at least 2 ranks")
    refused(run([f"{bin_folder}/weft-bench", "barrier"]), "at least 2 ranks")


def test_help_needs_no_launcher():
    done = run([f"{bin_folder}/weft-bench", "--help"])
    assert done.returncode == 0 and "weftrun -n 2" in done.stdout, done
    for benchmark in BENCHMARKS:
        assert benchmark in done.stdout, benchmark


def check_peer(program, launcher):
    binary = f"{bin_folder}/{program}"
    if not os.path.exists(binary) or not shutil.which(launcher[0]):
        sys.exit(SKIP)

    def start(ranks, *arguments):
        return run([*launcher, "-n", str(ranks), binary, *arguments], OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    report = measured(lambda *arguments: start(2, *arguments), "all")
    assert {result["name"] for result in report["results"]} == PEER_NAMES
    done = start(1, "latency")
    assert done.returncode != 0 and "at least 2 ranks" in done.stderr, done
    done = start(2, "nonsense")
    assert done.returncode != 0 and done.stderr.count("nonsense not in") == 1, done


def test_the_peer_by_open_mpi_reports_the_same_way():
    check_peer("weft-bench-mpi", ["mpirun.openmpi", "--oversubscribe"])


def test_the_peer_by_mpich_reports_the_same_way():
    check_peer("weft-bench-mpich", ["mpiexec.mpich"])


def tune(ranks, *arguments, **environment):
    return run([f"{bin_folder}/weftrun", "-n", str(ranks), f"{bin_folder}/weft-tune", *arguments], **environment)


def test_a_table_of_weft_tune_is_used():
    few = ("--ops", "reduce,broadcast", "--sizes", "8,4096", "--milliseconds", "0.1")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table"
        made = tune(2, *few, "-o", path)
        assert made.returncode == 0 and made.stderr == "", made
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        assert lines[0] == "weft-tune 1" and lines[1].startswith("machine smp "), lines[:2]
        assert lines[-1] == f"end {len(lines) - 4}", lines[-1]
        assert f"weft-tune: {path}: {len(lines) - 4} measurements in " in made.stdout, made
        done = tune(2, "show", "--ops", "reduce", "--sizes", "8", WEFT_TUNE_FILE=path, WEFT_LOG="info")
        assert done.returncode == 0 and "least measured time" in done.stdout, done
        assert done.stderr.count(f"{len(lines) - 4} measurements") == 1 and "warning" not in done.stderr, done.stderr


def choice_of(shown, title):
    """In what `weft-tune show` printed: the chosen candidate, and why."""
    block = shown.split(title)[1].split("\n\n")[0].splitlines()
    chosen = [line.split()[0] for line in block if line.endswith("<- chosen")]
    assert len(chosen) == 1, shown
    return chosen[0], block[-1].strip()


def test_weft_tune_shows_why_a_choice_is_what_it_is():
    by_model = "chosen for the least predicted time: no table in use has a size within two octaves for 2 ranks"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table"
        done = tune(2, "--ops", "reduce", "--sizes", "64", "--milliseconds", "0.1", "-o", path)
        assert done.returncode == 0, done
        done = tune(2, "show", "--ops", "reduce", "--sizes", "64,128,4K", "--teams", "2,1", WEFT_TUNE_FILE=path)
    reason = choice_of(done.stdout, "reduce of 64 bytes on 2 ")[1]
    assert reason == "chosen for the least measured time (WEFT_TUNE_FILE)", done.stdout
    assert choice_of(done.stdout, "reduce of 128 bytes on 2 ")[1] == (
        "chosen for the least measured time of the table's nearest size, 64 bytes (WEFT_TUNE_FILE)"), done.stdout
    assert choice_of(done.stdout, "reduce of 4096 bytes on 2 ")[1] == by_model, done.stdout
    assert "reduce of 64 bytes on 1 ranks" in done.stdout, done.stdout
    # A size that no candidate has; and the first of two entries that fits.
    done = tune(2, "show", "--ops", "broadcast,barrier", "--sizes", "8,1M", WEFT_LOG="info",
                WEFT_COLL="broadcast=tree:2,broadcast=kary:1:5000")
    assert choice_of(done.stdout, "broadcast of 8 bytes") == ("tree:2", "forced by WEFT_COLL"), done.stdout
    assert choice_of(done.stdout, "broadcast of 1048576 bytes") == ("kary:1:5000", "forced by WEFT_COLL"), done.stdout
    assert done.stderr.count("WEFT_COLL has several entries for broadcast") == 1, done.stderr
    assert done.stdout.count("barrier on 2 ranks") == 1, done.stdout
    assert choice_of(done.stdout, "barrier on 2 ranks")[1] == by_model, done.stdout
    # What cannot serve, for one reason or for two.
    why = "it serves only where members' memory is not mapped, as between hosts and with WEFT_MAP_PEERS=0"
    for radix, more in ((1, ""), (9, ", and its radix is too large for so few members")):
        done = tune(2, "show", "--ops", "broadcast", "--sizes", "8", WEFT_COLL=f"broadcast=kary_tree:{radix}")
        assert f"{why}{more}; another algorithm does" in done.stderr, done.stderr
        assert choice_of(done.stdout, "broadcast of 8 bytes")[1] == by_model, done.stdout


def test_a_table_of_weft_tune_is_replaced_when_the_new_one_is_whole():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table"
        with open(path, "w", encoding="utf-8") as file:
            file.write("good\n")
        os.chmod(path, 0o640)
        os.symlink("table", f"{folder}/link")
        os.symlink("later", f"{folder}/dangling")
        done = tune(2, "--ops", "reduce", "--sizes", "64M", "-o", path, WEFT_SEGMENT_SIZE="16M")
        assert done.returncode != 0 and "no memory for buffers" in done.stderr, done
        with open(path, encoding="utf-8") as file:
            assert file.read() == "good\n"
        done = tune(2, "--ops", "reduce", "--sizes", "8", "--milliseconds", "0.1", "-o", f"{folder}/link")
        assert done.returncode == 0, done
        assert os.path.islink(f"{folder}/link") and os.stat(path).st_mode & 0o777 == 0o640
        with open(path, encoding="utf-8") as file:
            assert file.read().startswith("weft-tune 1\n")
        done = tune(2, "--ops", "reduce", "--sizes", "8", "--milliseconds", "0.1", "-o", f"{folder}/dangling")
        assert done.returncode == 0 and os.path.islink(f"{folder}/dangling"), done
        assert sorted(os.listdir(folder)) == ["dangling", "later", "link", "table"]
    done = tune(2, "--ops", "reduce", "--sizes", "8", "--milliseconds", "0.1", "-o", "/dev/stdout")
    assert done.returncode == 0 and done.stdout.startswith("weft-tune 1\n"), done
    for path, said in (("/no/such/folder/table", "No such file"), ("/", "it is a folder")):
        done = tune(2, "-o", path)
        assert done.returncode == 1 and f"weft-tune: cannot write {path}: {said}" in done.stderr, done


def test_weft_tune_says_once_what_it_cannot_do():
    for ranks, arguments, said in ((2, (), "-o FILE is needed"), (2, ("--ops", "dance", "-o", "t"), "dance"),
                                   (2, ("--teams", "5", "-o", "t"), "the job has 2"), (1, ("-o", "t"), "at least 2"),
                                   (2, ("--milliseconds", "-3", "-o", "t"), "--milliseconds: '-3' is no"),
                                   (2, ("--prune", "0.5", "-o", "t"), "--prune: '0.5' is no number of times"),
                                   (2, ("--teams", "0", "-o", "t"), "--teams: '0' is no number of members"),
                                   (2, ("--sizes", "4Q", "-o", "t"), "--sizes: '4Q' is no number of bytes"),
                                   (2, ("show", "--teams", "5"), "the job has 2"),
                                   (2, ("show", "-o", "t"), "show writes no table"),
                                   (2, ("show", "--prune", "2"), "show measures nothing"),
                                   (2, ("compare", "-o", "t"), "compare writes no table")):
        done = tune(ranks, *arguments)
        lines = done.stderr.splitlines()
        assert done.returncode == 2, (arguments, done)
        assert [line.startswith("weft-tune: ") and said in line for line in lines].count(True) == 1, (arguments, lines)
    done = tune(2, "--help")
    assert done.returncode == 0 and done.stdout.count("--prune") == 1, done


if __name__ == "__main__":
    script_tests.main(globals(), 1)
