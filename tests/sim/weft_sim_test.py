"""weft-sim, weft-sim-links and weft-sim-shrink as users call them.

    weft_sim_test.py BIN_FOLDER SOURCE TEST
    weft_sim_test.py --list
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

BIN, SOURCE = map(pathlib.Path, script_tests.paths(2))


def captured(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, **more)


def run(*arguments, code=0):
    done = captured([f"{BIN}/weft-sim", *map(str, arguments)])
    assert done.returncode == code, (arguments, done)
    return done


def refused(*arguments):
    """The one line that says why."""
    done = run(*arguments, code=2)
    lines = done.stderr.splitlines()
    assert done.stdout == "" and len(lines) == 1 and lines[0].startswith("weft-sim: "), (arguments, done)
    return lines[0]


def test_lists_and_shows_what_it_knows():
    known = json.loads(run("platforms", "--json").stdout)
    names = [platform["name"] for platform in known]
    assert names == sorted(names) and {"bgp", "gemini", "elan3", "lab", "flat"} <= set(names), names
    text = run("platforms").stdout
    assert all(f"{name} " in text for name in names), text
    for name in names:
        shown = json.loads(run("show", name, "--json", "--nodes", 2).stdout)
        assert shown["name"] == name and shown["derived"]["neighbour_seconds"] > 0, shown
    # The numbers of one machine by hand: 8 x 16 x 32, cut in z: 2 * 8 * 16 links of 374 MB/s.
    bgp = json.loads(run("show", "bgp", "--json").stdout)["derived"]
    assert bgp["diameter"] == 28 and bgp["nodes"] == 4096 and bgp["links"] == 6 * 4096, bgp
    assert abs(bgp["bisection_bytes_per_second"] / (2 * 8 * 16 * 374e6) - 1) < 1e-9, bgp
    inside = json.loads(run("show", "lab", "--json").stdout)["derived"]["same_node_seconds"]
    assert 100e-9 < inside < 200e-9, inside  # 154 to 532 ns there and back are measured
    assert 0 < bgp["same_node_seconds"] < bgp["neighbour_seconds"], bgp
    hop = json.loads(run("show", "bgp", "--json").stdout)["link"]["latency"]["base"][0]
    assert abs((bgp["farthest_seconds"] - bgp["neighbour_seconds"]) * 1e9 - 27 * hop) < 2, bgp
    text = run("show", "bgp", "--nodes", 64).stdout
    assert "8 bytes, same node" in text, text
    assert "mesh of 4 x 4 x 4" in text and "diameter             9 links" in text and "source: " in text, text


def test_shows_what_a_job_on_few_nodes_gets():
    for name, nodes in (("ranger", None), ("bgp", 64)):
        text = run("show", name, "--nodes", 5).stdout
        has = json.loads(run("show", name, "--nodes", 5, "--json").stdout)["derived"]["nodes"]
        assert nodes in (None, has) and f"for {has} nodes, the fewest that hold a job on 5\n" in text, text
    text = run("show", "bgp", "--nodes", 64).stdout
    assert "for 64 nodes\n" in text and "header included" in text and "of these bytes alone" in text, text


def test_says_which_links_of_a_dragonfly_lead_nowhere():
    mine = json.loads((SOURCE / "src/sim/platforms/dragonfly.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mine.json"
        # 8 routers with 4 links each: 32 links of a group, 30 of them to 10 other groups or 32 to 32.
        for groups, unused in ((11, 11 * 2), (33, 0)):
            mine["topology"].update(groups=groups, routers_per_group=8, global_links_per_router=4)
            path.write_text(json.dumps(mine), encoding="utf-8")
            derived = json.loads(run("show", path, "--json").stdout)["derived"]
            assert derived["unused_links"] == unused, derived
            assert derived["links"] == groups * (8 * 7 + 32) - unused, derived
            text = run("show", path).stdout
            assert (f"; {unused} global links lead nowhere" in text) == (unused > 0), text


def test_a_platform_of_ones_own_is_a_file():
    shown = json.loads(run("show", "bgp", "--json").stdout)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mine.json"
        text = (SOURCE / "src/sim/platforms/bgp.json").read_text(encoding="utf-8")
        text = text.replace('"name": "bgp"', '"name": "mine"').replace("374 MB/s", "748 MB/s", 1)
        path.write_text(text, encoding="utf-8")
        mine = json.loads(run("show", path, "--json").stdout)
        assert mine["derived"]["bisection_bytes_per_second"] == 2 * shown["derived"]["bisection_bytes_per_second"], mine
        checked = run("check", path, "-n", 256).stdout
        assert "is well formed; 0 numbers have no source\n" in checked and "64 nodes with 4 ranks" in checked, checked
        assert "-n RANKS checks that a job fits" in run("check", path).stdout
        assert run("check", path, "-n", 1).stdout.endswith(", map xyzt, contention 0.58\n")
        assert (f"platform mine ({path}) has at most 4096 nodes, but 16385 ranks need 4097; with 4 on a node it takes "
                "up to 16384; topology.dimensions"
                in refused("check", path, "-n", 4 * 4096 + 1))
        bare = json.loads(text)
        bare["node"]["cores"] = 4
        path.write_text(json.dumps(bare), encoding="utf-8")
        assert "1 numbers have no source: node.cores\n" in run("check", path).stdout
        path.write_text(text.replace('"slots"', '"slot"'), encoding="utf-8")
        said = refused("check", path)
        line = 1 + text[:text.index('"slots"')].count("\n")
        assert f"{path}:{line}: interface.slot: there is no such key; did you mean slots?" in said, said
        assert said in refused("show", path) and said in refused("exchange", path, "-n", 8)
        wrong_map = pathlib.Path(folder) / "map"
        wrong_map.write_text("0 0 0\n9 0 0\n", encoding="utf-8")
        assert f"{wrong_map}:2: '9 0 0' is outside of" in refused("exchange", "bgp", "-n", 8, "--map", wrong_map)


def test_what_is_wrong_is_said_in_one_line():
    cases = [([], "A subcommand is required"), (["--json", "shw"], "there is no command 'shw'"),
             (["show"], "PLATFORM is required"), (["show", "bpg"], "Known are bgp, "),
             (["show", "nowhere.json"], "cannot read nowhere.json: No such file"),
             (["show", "/tmp/"], "it is a folder"),
             (["check", "/dev/null"], "/dev/null:1: this is no JSON"), (["exchange", "lab", "-n", 0], "-n, --ranks: "),
             (["exchange", "lab", "-n", 4, "--bytes", "0"], "'0' is no number of bytes from 1 to 1G"),
             (["flood", "lab", "--sizes", "4Q"], "'4Q' is no number of bytes"),
             (["exchange", "lab", "-n", 4, "--ranks-per-node", 65],
              "platform lab has 64 cores per node, too few for 65 ranks"),
             (["show", "lab", "--nodes", 65], "platform lab has 64 nodes, not 65"),
             (["calibrate", "/dev/null", "--name", ""], "--name: it is empty"),
             (["calibrate", "/dev/null"], "weft-sim: /dev/null: a calibration needs measurements of two sizes or more"),
             (["check", "flat"], "flat is a platform that is built in, and needs no check; check wants a file"),
             (["exchange", "lab", "--seed", -1], "--seed: '-1' is no whole number from 0 to 2^64 - 1"),
             (["exchange", "lab", "--seed", "x"], "--seed: 'x' is no whole number"),
             (["exchange", "flat", "-n", 4, "--ranks-per-node", 65], "platform flat has 1 core per node, too few for"),
             (["exchange", "lab", "--strict", "--order", "relaxed"], "--strict excludes --order"),
             (["shw"], "weft-sim --help shows the commands")]
    for arguments, said in cases:
        line = refused(*arguments)
        assert said in line, (arguments, line)
    done = run("exchange", "lab", "-n", 4, "--links", "/nowhere/links.json", code=1)
    assert "weft-sim: cannot write /nowhere/links.json: No such file" in done.stderr, done


def test_a_full_disk_is_told():
    with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w", encoding="utf-8") as full:
        table = pathlib.Path(folder) / "table"
        table.write_text("flood 8 90\nflood 65536 16000\nacknowledged 8 500\nacknowledged 65536 16500\n",
                         encoding="utf-8")
        for words in (["platforms"], ["show", "bgp"], ["calibrate", table], ["--help"]):
            done = subprocess.run([f"{BIN}/weft-sim", *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
            assert done.returncode == 1, (words, done)
            assert done.stderr.endswith("weft-sim: cannot write the result: No space left on device\n"), (words, done)


def test_calibrates_from_what_a_model_measures():
    sizes = "8,64,512,4096,16384,65536,1M"
    measured = json.loads(run("flood", "flat", "--sizes", sizes, "--json").stdout)
    with tempfile.TemporaryDirectory() as folder:
        table, mine = pathlib.Path(folder) / "table", pathlib.Path(folder) / "mine.json"
        table.write_text("".join(f"flood {row['bytes']} {row['flood_seconds'] * 1e9:.6g}\n"
                                 f"acknowledged {row['bytes']} {row['acknowledged_seconds'] * 1e9:.6g}\n"
                                 for row in measured), encoding="utf-8")
        done = run("calibrate", table, "--name", "again", "--nodes", 8)
        assert "largest error is" in done.stderr, done
        mine.write_text(done.stdout, encoding="utf-8")
        again = json.loads(run("flood", mine, "--sizes", sizes, "--json").stdout)
        for one, other in zip(measured, again):
            for key in ("flood_seconds", "acknowledged_seconds"):
                assert abs(one[key] / other[key] - 1) < 0.03, (one, other)
        inside = pathlib.Path(folder) / "inside"
        inside.write_text("flood 8 90\nflood 65536 16000\nacknowledged 8 500\nacknowledged 65536 16500\n",
                          encoding="utf-8")
        done = run("calibrate", table, "--same-host", inside, "--cores", 2)
        assert done.stderr.count("largest error is") == 2 and f"weft-sim: {inside}: overhead 90 ns" in done.stderr, done
        node = json.loads(done.stdout)["node"]
        assert node["send_overhead"]["value"] == "90 ns", node
        assert node["send_overhead"]["source"].startswith(f"fitted to {inside}, worst error "), node
        assert "warning" not in done.stderr, done
        assert 3.9e9 < 1e9 * float(node["memory_rate"]["value"].removesuffix(" GB/s")) < 4.3e9, node
        assert f"cannot read {folder}/none" in refused("calibrate", table, "--same-host", f"{folder}/none")
        assert "weft-sim: /dev/null: a calibration" in refused("calibrate", table, "--same-host", "/dev/null")
        mine.write_text(run("calibrate", table).stdout, encoding="utf-8")
        assert json.loads(run("show", mine, "--json").stdout)["derived"]["same_node_seconds"] is None  # one core
        table.write_text(table.read_text(encoding="utf-8").replace("acknowledged 8 ", "acknowledged 8 9"),
                         encoding="utf-8")
        done = run("calibrate", table)
        assert f"weft-sim: {table}: warning: this is no fit" in done.stderr, done
        worst = re.search(r"largest error is (\S+ %)", done.stderr)[1]
        source = json.loads(done.stdout)["processor"]["send_overhead"]["source"]
        assert source == f"fitted to {table}, worst error {worst}", (source, done.stderr)


def test_the_bound_of_an_exchange_has_gaps_and_overheads():
    mine = json.loads((SOURCE / "src/sim/platforms/flat.json").read_text(encoding="utf-8"))
    mine["topology"]["nodes"] = 4
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mine.json"
        for gap, overhead, bound in (("5 us", "1 us", 2 * 5e-6 + 3 * 8e-10), ("5 us", "9 us", 3 * 9e-6)):
            mine["interface"]["message_gap"] = gap
            mine["processor"]["send_overhead"] = overhead
            path.write_text(json.dumps(mine), encoding="utf-8")
            arguments = ["exchange", path, "-n", 4, "--ranks-per-node", 1, "--bytes", 8]
            result = json.loads(run(*arguments, "--json").stdout)
            assert abs(result["bound_seconds"] / bound - 1) < 1e-6, (result, bound)
            assert result["bound_seconds"] < result["seconds"] < 1.5 * result["bound_seconds"], result
            assert "the network's cuts, interfaces and processors allow" in run(*arguments).stdout
    assert "message_gap" in run("exchange", "--help").stdout


def test_an_exchange_is_never_faster_than_its_bound():
    """Interfaces are fast and nothing bursts, so the links are the bound."""
    mine = json.loads((SOURCE / "src/sim/platforms/flat.json").read_text(encoding="utf-8"))
    mine["processor"] = {"send_overhead": "1 ns", "receive_overhead": "1 ns"}
    mine["interface"].update(message_gap="0 ns", injection_rate="900 GB/s", ejection_rate="900 GB/s")
    size = 65536
    # By hand: one message a link of a ring of 3; 16 ranks to 48 others by a pod's 4 links of 1 GB/s.
    cases = [({"kind": "torus", "dimensions": [3]}, "2 GB/s", size / 2e9),
             ({"kind": "fat-tree", "down": [4, 4, 4], "up": [1, 4, 1]}, ["2 GB/s", "2 GB/s", "1 GB/s"],
              16 * 48 * size / 4e9)]
    cases += [({"kind": "torus", "dimensions": sizes, "mesh_below_nodes": below}, "2 GB/s", None)
              for sizes in ([2], [4], [5], [3, 3], [4, 3, 2]) for below in (1, 100)]
    cases += [({"kind": "torus", "dimensions": [2, 3], "nodes_per_router": 2}, "2 GB/s", None),
              ({"kind": "crossbar", "nodes": 5}, "2 GB/s", None),
              ({"kind": "fat-tree", "down": [3, 3], "up": [2, 1]}, "2 GB/s", None),
              ({"kind": "fat-tree", "down": [2, 5], "up": [1, 1]}, ["2 GB/s", "1 GB/s"], None)]
    cases += [({"kind": "dragonfly", "groups": groups, "routers_per_group": 3, "nodes_per_router": per,
                "global_links_per_router": 1}, ["2 GB/s", "1 GB/s"], None) for groups in (2, 3, 4) for per in (1, 2)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mine.json"
        for topology, rate, bound in cases:
            mine["topology"], mine["link"] = topology, {"rate": rate, "latency": "1 ns", "contention": 1}
            path.write_text(json.dumps(mine), encoding="utf-8")
            ranks = json.loads(run("show", path, "--json").stdout)["derived"]["nodes"]
            result = json.loads(run("exchange", path, "-n", ranks, "--ranks-per-node", 1, "--bytes", size,
                                    "--json").stdout)
            assert result["bound_seconds"] <= result["seconds"], (topology, result)
            assert bound is None or abs(result["bound_seconds"] / bound - 1) < 1e-9, (topology, bound, result)


def test_an_exchange_is_the_same_again_and_can_be_drawn():
    with tempfile.TemporaryDirectory() as folder:
        links, picture = pathlib.Path(folder) / "links.json", pathlib.Path(folder) / "links.png"
        first = run("exchange", "bgp", "-n", 256, "--bytes", "4K", "--seed", 5, "--links", links, "--json").stdout
        assert first == run("exchange", "bgp", "-n", 256, "--bytes", "4K", "--seed", 5, "--json").stdout
        result = json.loads(first)
        assert result["simulated"] is True and result["messages"] == 256 * 255, result
        assert result["bound_seconds"] < result["seconds"] < 3 * result["bound_seconds"], result
        part = json.loads(run("exchange", "bgp", "-n", 128, "--bytes", 64, "--json").stdout)
        assert part["bound_seconds"] is None, part  # half of the nodes
        assert "no bound: it is known where all nodes" in run("exchange", "bgp", "-n", 128).stdout
        # Two ranks of a node of the lab send to 126 others through its link of 120 MB/s.
        lab = json.loads(run("exchange", "lab", "-n", 64 * 2, "--ranks-per-node", 2, "--bytes", "64K", "--json").stdout)
        assert abs(lab["bound_seconds"] / (2 * 126 * 65536 / 120e6) - 1) < 1e-9, lab
        burst = 2 * 250e3 / 120e6  # of the two links that a message takes
        assert lab["bound_seconds"] - burst < lab["seconds"] < 1.1 * lab["bound_seconds"], lab
        data = json.loads(links.read_text(encoding="utf-8"))
        assert [group["name"] for group in data["links"]] == ["x+", "x-", "y+", "y-", "z+", "z-"], data
        assert all(len(group["bytes"]) == 64 for group in data["links"]), data
        # A mesh of 4 x 4 x 4 has 3/4 of the links that its numbers allow, and each has traffic.
        used = [value for group in data["links"] for value in group["utilisation"]]
        through = [value for group in data["links"] for value in group["bytes"]]
        assert used.count(None) == through.count(None) == 6 * 16 and used[3] is None, data
        assert 0 not in through, data
        real = [value for value in used if value is not None]
        assert abs(data["mean_utilisation"] / (sum(real) / len(real)) - 1) < 1e-9, data
        assert json.loads(run("show", "bgp", "--nodes", 64, "--json").stdout)["derived"]["links"] == len(real)

        def draw(source, target):
            return captured(["/usr/bin/python3", SOURCE / "tools/sim_links.py", source, target],
                            env={**os.environ, "MPLCONFIGDIR": folder})
        done = draw(links, picture)
        assert done.returncode == 0 and picture.read_bytes().startswith(b"\x89PNG"), done
        # Links that are hardly used are as bright, beside the colour bar on the right.
        for group in data["links"] + data["interfaces"]:
            group["utilisation"] = [used and used / 100 for used in group["utilisation"]]
        links.write_text(json.dumps(data), encoding="utf-8")
        assert draw(links, picture).returncode == 0
        blank = captured(["/usr/bin/python3", "-c", BLANK, picture], env={**os.environ, "MPLCONFIGDIR": folder})
        assert int(blank.stdout) > 1000, blank
        bright = captured(["/usr/bin/python3", "-c", BRIGHT, picture], env={**os.environ, "MPLCONFIGDIR": folder})
        assert int(bright.stdout) > 1000, bright
        whole = pathlib.Path(folder) / "whole.json"
        whole.write_text(json.dumps(data), encoding="utf-8")
        data["links"][0]["utilisation"].pop()
        links.write_text(json.dumps(data), encoding="utf-8")
        for source, target, said in ((links, picture, "a group needs a name"), (folder, picture, "cannot read"),
                                     (SOURCE / "src/sim/platforms/bgp.json", picture, "no links and interfaces"),
                                     (whole, f"{folder}/none/a.png", "/a.png: No such file or directory\n"),
                                     (whole, f"{folder}/links", "links: the name of a picture ends in ")):
            done = draw(source, target)
            assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1, done


# How many pixels have the colour of links that do not exist.
BLANK = """
import sys
from matplotlib.image import imread
print((abs(imread(sys.argv[1])[:, :, :3] - 0xe8 / 0xff) < 0.002).all(axis=2).sum())
"""

# How many pixels are yellow in the left four fifths of a picture.
BRIGHT = """
import sys
from matplotlib.image import imread
picture = imread(sys.argv[1])
red, green, blue = (picture[:, :picture.shape[1] * 4 // 5, i] for i in range(3))
print(((red > 0.9) & (green > 0.6) & (blue < 0.6)).sum())
"""

# Fails in any case.
BREAKS = "import os, sys; print(sys.argv[1:], os.environ.get('WEFT_SIM_FAULT')); sys.exit(5)"

# Fails with 3 if message 41 is dropped, with 4 if hosts are slow.
FAILS = """
import sys
faults = dict(entry.partition("=")[::2] for entry in sys.argv[2].split(",") if entry)
first, last = map(int, faults.get("only", "0-1000").split("-"))
if float(faults.get("drop", 0)) > 0.04 and first <= 41 <= last:
    sys.exit(3)
sys.exit(4 if "slow" in faults else 0)
"""


# Hangs if messages are dropped, and else takes as long as its name says.
HANGS = 'case "$*" in *drop*) exec sleep 1000;; esac; exec sleep "$0"'


def test_what_is_only_slow_is_no_failure_that_shrinks():
    def shrink(limit, seconds, faults="drop=0.4,reorder,seed=5"):
        return captured(["/usr/bin/python3", SOURCE / "tools/sim_shrink.py", "--limit", limit, "--", "sh", "-c", HANGS,
                         seconds, "--sim-fault", faults])
    done = shrink("2", "0", "drop=0.002,only=0-0")
    assert done.returncode == 0 and "\nweft-sim-shrink: fails with drop=0.001" in done.stdout, done
    done = shrink("1", "0.3")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert re.search(r": the command did not end within 1 s, and without faults it takes \d+\.\d s: it may only be "
                     r"slow; give --limit \d+ or more\n", done.stderr), done
    done = shrink("0.5", "30", "reorder,seed=5")
    assert done.returncode == 1 and "nor does it without faults; raise --limit if it is only slow" in done.stderr, done
    done = shrink("0.5", "x")
    assert done.returncode == 1 and "and without faults it ends with 1: that is to be mended first" in done.stderr, done
    for limit in ("0", "-1", "nan", "inf", "1e300", "x", ""):
        done = captured(["/usr/bin/python3", SOURCE / "tools/sim_shrink.py", f"--limit={limit}", "--", "true"])
        assert done.returncode == 2 and done.stdout == "", done
        assert done.stderr == (f"weft-sim-shrink: --limit '{limit}': expected seconds, more than 0 and at most 1000000"
                               "\n"), done


def test_a_shrinking_that_is_interrupted_prints_what_it_has():
    command = ["/usr/bin/python3", SOURCE / "tools/sim_shrink.py", "--", "sh", "-c", "sleep 0.1; exit 3", "sh",
               "--sim-fault", "drop=0.4,reorder,seed=5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as shrinker:
        first = shrinker.stdout.readline()
        shrinker.send_signal(signal.SIGINT)
        output, errors = shrinker.communicate(timeout=60)
    assert (shrinker.returncode, errors) == (130, ""), errors
    assert first.startswith("weft-sim-shrink: fails with ") and "\nreplay: sh -c " in output, (first, output)


def test_faults_shrink_to_what_it_takes():
    def shrink(*words):
        return captured(["/usr/bin/python3", SOURCE / "tools/sim_shrink.py", *words])
    job = ["--", sys.executable, "-c", FAILS, "--sim-fault"]
    done = shrink(*job, "delay=0.1:20us,drop=0.4,reorder,slow=h1:4,seed=5")
    assert done.returncode == 0 and done.stdout.endswith(" --sim-fault drop=0.05,seed=5,only=41-41\n"), done
    assert done.stdout.count("\nreplay: ") == 1, done
    assert done.stdout.count("only=") == 2, done  # the window is narrowed silently
    for wrong in ("WEFT_SIM_FAULT (--sim-fault): there is no dalay", "WEFT_COLL has 'bush': expected operation"):
        wrong = f'import sys; sys.exit("weft: rank 0: error: setting {wrong}\\nweft: error: weft_put was called")'
        done = shrink("--", sys.executable, "-c", wrong, "--sim-fault", "dalay=0.1:1us")
        assert done.returncode == 2 and "the command is wrong: weft: rank 0: error: setting" in done.stderr, done
        assert "weft_put" not in done.stderr, done
    done = shrink(*job, "slow=h1:4,drop=0.01,seed=5")
    assert done.returncode == 0 and done.stdout.endswith(" --sim-fault slow=h1:4,seed=5\n"), done
    breaks = ["--", sys.executable, "-c", BREAKS]
    for words, variables in (([*breaks, "--sim-fault", "drop=0.1,seed=3"], {}),
                             ([*breaks, "--sim-fault=reorder,only=0-5"], {}),
                             (breaks, {"WEFT_SIM_FAULT": "drop=0.1,seed=3"})):
        done = captured(["/usr/bin/python3", SOURCE / "tools/sim_shrink.py", *words], env={**os.environ, **variables})
        assert done.returncode == 0 and "\nweft-sim-shrink: fails with no faults\n" in done.stdout, done
        replay = done.stdout.splitlines()[-1]
        assert "FAULT=" not in replay and replay.endswith("sys.exit(5)'"), done
    for words, code, said in ((job + ["delay=0.1:20us"], 1, "the command does not fail"),
                              (["--", "true"], 2, "there are no faults to shrink"),
                              (["--match", "(", *job, "drop=0.5"], 2, "--match '('"),
                              (["--", "/none/there", "--sim-fault", "drop=0.5"], 2, "cannot run /none/there")):
        done = shrink(*words)
        assert done.returncode == code and said in done.stderr and done.stdout == "", done


if __name__ == "__main__":
    script_tests.main(globals(), 2)
