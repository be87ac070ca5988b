#!/usr/bin/env python3
"""Runs the tests of the upcc command: programs translated, compiled, and run.

  run_programs.py --bin BUILD/bin SUITE... [--cc gcc,clang] [--quick] [--sanitize address] [--bless] [-k WORD]

Suites:
  traps     traps/all.upc and run/*.upc in every mode: dynamic, static and pthreads; upcc's passes off and on; gcc and
            clang, each optimising in one mode; several thread counts. Output must be the same for every thread count
            and end with PASS.
  golden    golden/*.upc: the C that --print-c gives for them equals golden/*.c. --bless rewrites the .c files.
  optimise  optimise/*.upc, one for each pass of `upcc --help`: what comments mark `only when on:`, `only when off:` and
            `either way:` is in the C then, and not otherwise, and the program's output is the same, mapped or not.
  regressions
            regressions/*.upc: programs that some pass once got wrong end with PASS at each level of optimisation,
            those that say "Also with WEFT_MAP_PEERS=0" with nothing mapped, too.
  warnings  warnings/*.upc: with -Wall -Wextra -Wconversion the C compiler's warnings and upcc's are those that comments
            name, each once, and there are no others.
  corpus    corpus/*.c: ordinary C programs print the same through upcc -x upc as through the C compiler.
  driver    driver/test_*.sh: the command line.
  examples  ../../examples/upc/*.upc in the same modes.
  simulated ../../examples/upc/*.upc as threads of a simulated job, with `upcrun --sim`.
  network   some programs of these folders over libfabric, with nothing mapped: their output is what it is in shared
            memory.
  misuse    misuse/misuse.upc: each mistake at run time gives its message with file and line, and an exit code that is
            not 0.

-k takes only what has WORD in its name. A run that finds nothing to do fails.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples" / "upc"
failures = []
taken = []  # names of what ran


def run(command, timeout=300, env=None):
    """The exit code and output of a command."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env, check=False,
                              errors="replace")
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {timeout} s"


def fail(what, detail=""):
    failures.append(what)
    print(f"FAIL {what}\n{detail}".rstrip(), flush=True)


def chosen(options, name):
    """Whether -k takes what is called `name`."""
    if options.k not in name:
        return False
    taken.append(name)
    return True


class Tools:
    def __init__(self, options):
        self.bin = pathlib.Path(options.bin).resolve()
        self.upcc = str(self.bin / "upcc")
        launcher = self.bin / "upcrun"
        self.launcher = str(launcher if launcher.exists() else self.bin / "weftrun")
        self.sanitizer = []
        if options.sanitize:
            self.sanitizer = [f"-fsanitize={options.sanitize}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
                              "-g"]
        self.temporary = tempfile.TemporaryDirectory(prefix="upcc-test-")
        self.directory = pathlib.Path(self.temporary.name)
        self.serial = 0

    def name(self, suffix=""):
        self.serial += 1
        return str(self.directory / f"{self.serial}{suffix}")

    def compile(self, source, flags, cc):
        """The program's path, or None after reporting."""
        program = self.name()
        env = dict(os.environ, CC=cc)
        system = ["-isystem", str(HERE / "traps" / "system")]
        code, out, err = run([self.upcc, "-w", *flags, *self.sanitizer, *system, "-o", program, str(source), "-lm"],
                             120, env)
        if code == 0:
            return program
        fail(f"compile {source.name} {cc} {' '.join(flags)}", out + err)
        return None

    def launch(self, program, threads, in_one_process=False, arguments=(), environment=None):
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:abort_on_error=0", **(environment or {}))
        how = ["--ranks-as=threads"] if in_one_process and self.launcher.endswith("weftrun") else []
        return run([self.launcher, *how, "-n", str(threads), program, *arguments], 180, env)


THREAD_COUNTS = (1, 2, 3, 4, 7)


# All passes of upcc as at -O2. The C compiler, which takes most of the time at -O2, does not optimise.
PASSES = ["-O0", "-fupc-optimise", "-fstrict-aliasing"]


def modes(options, turn):
    """(C compiler, flags, thread counts) for a suite's program number `turn`: dynamic and pthreads mode, and static for
    each count, each with upcc's passes off and on. All counts without passes and with them, elsewhere those that may
    show more. Each C compiler optimises in one of three modes, by turns: the two together in all nine ways.
    """
    if options.quick:  # for sanitizers, under which the C compiler's optimiser takes ten times as long
        return [("gcc", PASSES, [1, 3]), ("gcc", ["-O0", "--pthreads"], [2])]
    compilers = options.cc.split(",")
    first, last = compilers[0], compilers[-1]
    gcc_modes = [("-O2", [], THREAD_COUNTS), ("-O3", ["-T", "3"], [3]), ("-O3", ["-T", "3", "--pthreads"], [3])]
    clang_modes = [("-O2", [], [1, 3]), ("-O2", ["--pthreads"], [2, 7]), ("-O3", ["-T", "4"], [4])]
    out = [(first, ["-O0"], THREAD_COUNTS), (first, ["-O0", "--pthreads"], [2, 7]), (first, ["-O0", "-T", "1"], [1]),
           (last, ["-O0", "-T", "2"], [2]), (first, [*PASSES, "-T", "7"], [7])]
    for cc, ways, number in ((first, gcc_modes, turn % 3), (last, clang_modes, turn // 3 % 3)):
        out += [(cc, [*([level] if way == number else PASSES), *flags], counts)
                for way, (level, flags, counts) in enumerate(ways)]
    return out


def run_in_modes(tools, source, options, turn):
    expected = None
    for cc, flags, counts in modes(options, turn):
        program = tools.compile(source, flags, cc)
        if program is None:
            continue
        for threads in counts:
            what = f"{source.name} {cc} {' '.join(flags)} on {threads}"
            code, out, err = tools.launch(program, threads, "--pthreads" in flags)
            if code != 0 or not out.endswith("PASS\n"):
                fail(what, f"exit code {code}\n{out[-500:]}{err[-1500:]}")
            elif expected is None:
                expected = out
            elif out != expected:
                fail(what, f"output depends on threads or mode:\n{out}\ninstead of\n{expected}")
        os.unlink(program)


def traps(tools, options):
    for turn, source in enumerate([HERE / "traps" / "all.upc", *sorted((HERE / "run").glob("*.upc"))]):
        if chosen(options, source.name):
            run_in_modes(tools, source, options, turn)


def regressions(tools, options):
    """Each level of optimisation with another way to start the threads, by turns."""
    ways = [("-O1", []), ("-O2", []), ("-O3", []), ("-O2", ["--pthreads"]), ("-O3", ["-T", "3"])]
    for number, source in enumerate(sorted((HERE / "regressions").glob("*.upc"))):
        if not chosen(options, source.name):
            continue
        text = source.read_text()
        openmp = ["-fopenmp"] if "#pragma omp" in text else []
        own_processes = openmp or " exit(" in text  # what threads of one process cannot do
        for level, flags in (ways[number % len(ways)], ways[(number + 2) % len(ways)]):
            flags = [] if own_processes else flags
            program = tools.compile(source, [level, *flags, *openmp], "gcc")
            if program is None:
                continue
            unmapped = [{"WEFT_MAP_PEERS": "0"}] if "Also with WEFT_MAP_PEERS=0" in text else []
            for environment in [{}, *unmapped]:
                code, out, err = tools.launch(program, 3, "--pthreads" in flags, environment=environment)
                if code != 0 or not out.endswith("PASS\n"):
                    fail(f"{source.name} {level} {' '.join(flags)} {environment or ''}",
                         f"exit code {code}\n{out[-500:]}{err[-1500:]}")


def printed_c(tools, source, flags):
    """The C made of the user's own lines: what comes from headers and the paths are left out."""
    code, out, err = run([tools.upcc, "--print-c", *flags, source.name],
                         env=dict(os.environ, CC="gcc", PWD=str(source.parent)))
    if code != 0:
        fail(f"print {source.name}", err)
        return ""
    kept, ours = [], False
    for line in out.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = marker.group(1) == source.name
        if ours and line.strip():
            kept.append(line)
    return "\n".join(kept) + "\n"


def golden(tools, options):
    os.chdir(HERE / "golden")
    for source in sorted((HERE / "golden").glob("*.upc")):
        if not chosen(options, source.name):
            continue
        first = source.read_text().splitlines()[0]
        flags = re.search(r"flags: ([^*]*)", first)
        text = printed_c(tools, source, flags.group(1).split() if flags else [])
        expected = source.with_suffix(".c")
        if options.bless:
            expected.write_text(text)
        elif not expected.exists() or expected.read_text() != text:
            fail(f"golden {source.name}", "the C changed; if it should, run with --bless and review the difference")


def optimise(tools, options):
    os.chdir(HERE / "optimise")
    listed = run([tools.upcc, "--help"])[1].partition("The passes:\n")[2].partition("\n\n")[0]
    passes = set(re.findall(r"^  (\S+)", listed, re.M))
    tested = {source.stem.replace("_", "-") for source in (HERE / "optimise").glob("*.upc")}
    if not passes or passes != tested:
        fail("optimise", f"passes of upcc --help without a program: {sorted(passes - tested)}; "
                         f"programs that no pass is called after: {sorted(tested - passes)}")
    for source in sorted((HERE / "optimise").glob("*.upc")):
        if not chosen(options, source.name):
            continue
        text = source.read_text()
        switch = source.stem.replace("_", "-")
        on = printed_c(tools, source, ["-O2"])
        off = printed_c(tools, source, ["-O2", f"-fno-upc-{switch}"])
        marks = re.findall(r"(only when on|only when off|either way): (.*\S)", text.replace("*/", ""))
        states = {state for state, _ in marks}
        if "only when on" not in states or len(states) < 2:
            fail(f"{source.name} needs marks: 'only when on: TEXT' and, for what the pass replaces, "
                 f"'only when off: TEXT', or if it stays for memory that is not mapped, 'either way: TEXT'")
        for state, mark in marks:
            for name, made in (("on", on), ("off", off)):
                wanted = state == "either way" or state.endswith(" " + name)
                if (mark in made) != wanted:
                    fail(f"{source.name}: '{mark}' is {'missing' if wanted else 'there'} with {switch} {name} "
                         "(all other passes are on)")
        outputs = {}
        for flags in (["-O2"], ["-O2", f"-fno-upc-{switch}"], ["-O0"], ["-O0", f"-fupc-{switch}"]):
            program = tools.compile(source, flags, "gcc")
            for threads, mapped in ([(1, 1), (2, 0), (3, 1), (3, 0)] if program else []):
                code, out, err = tools.launch(program, threads, environment={"WEFT_MAP_PEERS": str(mapped)})
                how = f"{' '.join(flags)} on {threads}{'' if mapped else ' unmapped'}"
                if code != 0:
                    fail(f"{source.name} {how}", out + err)
                outputs.setdefault(out, how)
        if len(outputs) > 1:
            fail(f"{source.name}: the output depends on the pass, the number of threads or mapped memory",
                 "\n".join(f"{how}:\n{out}" for out, how in outputs.items()))


def warnings(tools, options):
    for source in sorted((HERE / "warnings").glob("*.upc")):
        if not chosen(options, source.name):
            continue
        lines = source.read_text().splitlines()
        named = re.search(r"flags: ([^*]*)", lines[0])
        flags = ["-Wall", "-Wextra", "-Wconversion", *(named.group(1).split() if named else [])]
        for cc in options.cc.split(","):
            expected = set()
            for number, line in enumerate(lines, 1):
                # `-Wname` is every compiler's, `gcc: -Wname` one's
                comment = line.partition("; /* ")[2] or line.partition("} /* ")[2]
                for only, name in re.findall(r"(?:(\w+): )?(-W[\w=-]+)", comment):
                    expected |= {(number, name)} if not only or only == cc else set()
            for action in (["-c", "-o", tools.name(".o")], ["-c", "-O2", "-o", tools.name(".o")], ["-fsyntax-only"]):
                code, _, err = run([tools.upcc, *flags, *action, str(source)], env=dict(os.environ, CC=cc, LC_ALL="C"))
                found = re.findall(rf"{re.escape(source.name)}:(\d+)(?::\d+)?: warning: .*\[(-W[^\]]*)\]$", err, re.M)
                found = [(int(number), name) for number, name in found]
                late = cc == "gcc" and action == ["-fsyntax-only"]
                wanted = {e for e in expected if not late or e[1] not in LATE_WARNINGS}
                what = f"warnings {source.name} {cc} {' '.join(action[:2])}"
                once = len(found) == len(set(found)) == err.count("warning: ")
                if code != 0 or not once or set(found) != wanted:
                    fail(what, f"missing {wanted - set(found)}, not wanted {set(found) - wanted}, exit code {code}\n"
                               f"{err}")


# What gcc finds only on the way to assembly.
LATE_WARNINGS = ("-Wreturn-type", "-Wuninitialized", "-Wunused-function")


def corpus(tools, options):
    for source in sorted((HERE / "corpus").glob("*.c")):
        if not chosen(options, source.name):
            continue
        named = re.match(r"/\* standards: ([^*]*)\*/", source.read_text())
        standards = named.group(1).split() if named else ["gnu11"]
        compilers = options.cc.split(",")
        runs = [(cc, level, standards[0]) for cc in compilers for level in ("-O0", "-O2")]
        runs += [(compilers[i % len(compilers)], "-O0", standard) for i, standard in enumerate(standards[1:])]
        for cc, level, standard in runs:
            what = f"{source.name} {cc} {level} -std={standard}"
            flags = ["-w", level, f"-std={standard}", *tools.sanitizer]
            plain = tools.name()
            code, _, err = run([cc, *flags, "-o", plain, str(source), "-lm", "-pthread"])
            if code != 0:
                fail(f"{what}: the C compiler itself rejects it", err)
                continue
            through = tools.name()
            code, _, err = run([tools.upcc, *flags, "-x", "upc", "-o", through, str(source), "-x", "none", "-lm",
                                "-pthread"], env=dict(os.environ, CC=cc))
            if code != 0:
                fail(what, err)
                continue
            want, got = run([plain]), tools.launch(through, 1)
            if want[:2] != got[:2]:
                fail(what, f"exit code and output {got}\ninstead of {want}")


def driver(tools, options):
    for script in sorted((HERE / "driver").glob("test_*.sh")):
        if not chosen(options, script.name):
            continue
        directory = pathlib.Path(tools.name())
        directory.mkdir()
        env = dict(os.environ, UPCC=tools.upcc, LAUNCH=tools.launcher, HERE=str(HERE / "driver"), LC_ALL="C")
        env.pop("CC", None)
        # `! command` would not end a script: -e does not look at what is inverted.
        fails = 'fails() { if "$@"; then echo "succeeded: $*" >&2; return 1; fi; }'
        # `command | grep -q` would end the command by SIGPIPE now and then, and with pipefail the script.
        says = 'says() { local text; text=$(cat); grep -q "$@" <<< "$text"; }'
        command = ["bash", "-eu", "-o", "pipefail", "-c", f"{fails}; {says}; cd '{directory}' && . '{script}'"]
        code, out, err = run(command, 120, env)
        if code != 0:
            fail(f"driver {script.name}", out + err)


LONG_EXAMPLES = ("cg",)


def examples(tools, options):
    for turn, source in enumerate(sorted(EXAMPLES.glob("*.upc"))):
        if not chosen(options, source.name):
            continue
        for cc, flags, counts in modes(options, turn):
            if source.stem in LONG_EXAMPLES:  # as few ways as show all: no slow code, few threads
                slow = "-O0" in flags and "-fupc-optimise" not in flags
                counts = [threads for threads in counts if threads <= 4 and not slow]
            program = tools.compile(source, flags, cc) if counts else None
            for threads in (counts if program else []):
                code, out, err = tools.launch(program, threads, "--pthreads" in flags)
                if code != 0 or not is_right(source, threads, out):
                    fail(f"{source.name} {cc} {' '.join(flags)} on {threads}", f"exit code {code}\n{out}{err}")


def is_right(source, threads, output):
    if source.stem == "hello":
        return output.count("Hello from thread") == threads
    return re.search(r"\bok\b", output) is not None and "wrong" not in output


# More than a second each on many simulated threads: single elements of others' memory are a message each.
NOT_ON_MANY_THREADS = ("checkpoint", "gups", "heat", "histogram", "is", "linked_list", "matvec", "prefix", "sort")


def simulated(tools, options):
    gathered = HERE / "run" / "gather.upc"
    if chosen(options, gathered.name):
        program = tools.compile(gathered, ["-O2", "--pthreads"], "gcc")
        if program:
            code, out, err = run([str(tools.bin / "upcrun"), "--sim", "flat", "-n", "3", program], 180)
            if code != 0 or not out.endswith("PASS\n"):
                fail(f"{gathered.name} on 3 simulated threads", f"exit code {code}\n{out[-500:]}{err[-1500:]}")
    for source in sorted(EXAMPLES.glob("*.upc")):
        if source.stem in LONG_EXAMPLES or not chosen(options, source.name):
            continue
        program = tools.compile(source, ["-O2", "--pthreads"], "gcc")
        for threads in (1, 7, 64) if program else ():
            if threads == 64 and source.stem in NOT_ON_MANY_THREADS:
                continue
            code, out, err = run([str(tools.bin / "upcrun"), "--sim", "bgp", "-n", str(threads), program], 180)
            if code != 0 or not is_right(source, threads, out) or f" of {threads} ranks: " not in err:
                fail(f"{source.name} on {threads} simulated threads", f"exit code {code}\n{out}{err}")
    if not chosen(options, "hello.upc without --pthreads"):
        return
    program = tools.compile(EXAMPLES / "hello.upc", [], "gcc")
    code, out, err = run([str(tools.bin / "upcrun"), "--sim", "bgp", "-n", "2", program])
    if (code, out) != (2, "") or "compile it with upcc --pthreads" not in err:
        fail("simulated threads that would be processes", f"exit code {code}\n{out}{err}")


def network(tools, options):
    examples_over = ("heat", "linked_list", "producer_consumer", "teams", "work_queue")
    sources = [HERE / "traps" / "all.upc", HERE / "run" / "loops.upc", HERE / "run" / "mixture.upc",
               HERE / "run" / "own_memory.upc", HERE / "run" / "rows.upc", HERE / "run" / "windows.upc",
               HERE / "run" / "nests.upc",
               HERE / "run" / "gather.upc", HERE / "run" / "updates.upc", HERE / "run" / "kept_reads.upc",
               HERE.parent / "upcrt" / "programs" / "libraries.upc",
               *(EXAMPLES / f"{name}.upc" for name in examples_over)]
    for turn, source in enumerate(sources):
        program = tools.compile(source, PASSES, "gcc") if chosen(options, source.name) else None
        if program is None:
            continue
        threads = 2 + turn % 2
        expected = tools.launch(program, threads, environment={"WEFT_CONDUIT": "smp"})
        got = tools.launch(program, threads, environment={"WEFT_CONDUIT": "ofi"})
        if expected[0] != 0 or got != expected:
            fail(f"{source.name} on {threads} over libfabric", f"exit code and output {got}\ninstead of {expected}")
        if source.parent.name == "run":  # some of the memory mapped
            got = tools.launch(program, 3, environment={"WEFT_HOST_NAME": "a,a,b"})
            if got != expected:
                fail(f"{source.name} on two hosts", f"exit code and output {got}\ninstead of {expected}")
    # Two senders that both reach the receiver's memory are seen although the third thread does not.
    program = tools.compile(HERE / "misuse" / "misuse.upc", PASSES, "gcc") if chosen(options, "misuse.upc") else None
    if program:
        code, out, err = tools.launch(program, 3, arguments=["no permutation"], environment={"WEFT_HOST_NAME": "a,a,b"})
        if code in (0, 124) or "upc_all_permute: perm[0] and perm[1] are both 0" not in err:
            fail("no permutation, between hosts", f"exit code {code}\n{out}{err}")


def misuse(tools, options):
    source = HERE / "misuse" / "misuse.upc"
    expected = []  # (name, line, message, found without WEFT_CHECK, too)
    for number, line in enumerate(source.read_text().splitlines(), 2):
        for name, message in re.findall(r"/\* expect ([\w -]+): (.*?) \*/", line):
            expected.append((name, number, message.removesuffix("; always"), message.endswith("; always")))
    compilers = options.cc.split(",")
    for cc, flags in [(compilers[0], ["-O0"]), (compilers[-1], ["-O2"]), (compilers[0], ["-O2", "--pthreads"])]:
        program = tools.compile(source, flags, cc)
        for name, line, message, always in (expected if program else []):
            if not chosen(options, source.name + " " + name):
                continue
            for check in (("1", "0") if always else ("1",)):
                code, out, err = tools.launch(program, 3, "--pthreads" in flags, [name], {"WEFT_CHECK": check})
                pattern = rf"misuse\.upc:{line}: {message}"
                if code in (0, 124) or not re.search(pattern, err) or "nothing was wrong" in out:
                    fail(f"misuse '{name}' {cc} {' '.join(flags)} WEFT_CHECK={check}",
                         f"expected /{pattern}/, got exit code {code}\n{out}{err}")
        # Where memory is not mapped every access is a call, which notices null pointers unasked.
        for name, line, message, _ in (expected if program and "-O2" in flags else []):
            if not name.startswith(("null ", "overlap")) or not chosen(options, source.name + " " + name):
                continue
            code, out, err = tools.launch(program, 3, "--pthreads" in flags, [name],
                                          {"WEFT_CHECK": str(int(name[0] == "o")), "WEFT_MAP_PEERS": "0"})
            if code in (0, 124) or not re.search(rf"misuse\.upc:{line}: {message}", err):
                fail(f"misuse '{name}' {cc} {' '.join(flags)}, nothing mapped", f"got exit code {code}\n{out}{err}")
        if program:
            for check in ("1", "0"):
                code, out, err = tools.launch(program, 3, "--pthreads" in flags, [], {"WEFT_CHECK": check})
                if code != 0 or err or out != "nothing was wrong\n":
                    fail(f"no misuse {cc} {' '.join(flags)} WEFT_CHECK={check}", f"exit code {code}\n{out}{err}")


def main():
    suites = {f.__name__: f for f in (traps, golden, optimise, regressions, warnings, corpus, driver, examples,
                                      simulated, network, misuse)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="+", choices=suites)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cc", default="gcc,clang")
    parser.add_argument("--sanitize", metavar="KINDS", help="of the C compiler's -fsanitize=")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("-k", default="", metavar="WORD")
    options = parser.parse_args()
    tools = Tools(options)
    for suite in options.suite:
        before, taken_before = len(failures), len(taken)
        suites[suite](tools, options)
        if len(taken) == taken_before and not options.k:
            fail(f"{suite}: its folder has no tests")
        print(f"{suite}: {'ok' if len(failures) == before else f'{len(failures) - before} failed'}", flush=True)
    if not taken and options.k:
        fail(f"-k {options.k}: no test of {', '.join(options.suite)} has that in its name")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
