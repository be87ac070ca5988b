#!/usr/bin/env python3
"""Whole programs on the UPC runtime: linked from units and an archive by gcc and by clang, started, and watched.

program_test.py BUILD_DIR SOURCE_DIR TEST      runs one test function
program_test.py --list                         prints their names
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

BUILD, SOURCE = script_tests.paths(2)
FOLDER = None


def build(name, cc="gcc", main_flags=(), table_flags=(), static=False, link_flags=()):
    """Compiles scenarios.c and table.c (into an archive) and links them as upcc would."""
    def run(*command):
        subprocess.run(command, check=True, cwd=FOLDER)
    flags = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include"]
    programs = f"{SOURCE}/tests/upcrt/programs"
    run(cc, *flags, *main_flags, "-c", f"{programs}/scenarios.c", "-o", f"{name}.o")
    run(cc, *flags, *table_flags, "-c", f"{programs}/table.c", "-o", f"{name}-table.o")
    run("ar", "rcs", f"lib{name}.a", f"{name}-table.o")
    if static:
        libraries = [f"{BUILD}/lib/libweft-upcrt.a", f"{BUILD}/lib/libweft.a", "-lstdc++", "-lm", "-lpthread", "-ldl"]
    else:
        libraries = [f"-L{BUILD}/lib", "-lweft-upcrt", "-lweft", f"-Wl,-rpath,{BUILD}/lib"]
    run(cc, f"{name}.o", f"lib{name}.a", *libraries, *link_flags, "-o", name)
    return os.path.join(FOLDER, name)


def upcrun(threads, *command, env=(), tool="upcrun", options=()):
    count = ["-n", str(threads)] if threads else []
    done = subprocess.run([f"{BUILD}/bin/{tool}", *count, *options, *command], capture_output=True, text=True,
                          env=dict(os.environ, **dict(env)), timeout=300)
    return done.returncode, done.stdout, done.stderr


def expect(result, code, out="", err=""):
    ok = (result[0] == code if code is not None else result[0] not in (0, 139))
    if not (ok and re.search(out, result[1]) and re.search(err, result[2])):
        sys.exit(f"expected code {code}, output /{out}/, message /{err}/; got {result}")


def compilers():
    return ["gcc"] + (["clang"] if shutil.which("clang") else [])


def test_statics_of_several_units():
    for cc in compilers():
        for static in (False, True):
            program = build(f"dynamic-{cc}-{static}", cc, static=static)
            # The section takes no room in the file.
            assert os.path.getsize(program) < 10_000_000
            for threads in (1, 2, 3, 7):
                expect(upcrun(threads, program, "statics"), 0, "statics are right")


def test_statics_with_position_independence_and_without():
    for cc in compilers():
        for flags in (["-fPIC"], ["-fno-pic", "-fno-pie"], ["-O0", "-g"], ["-flto"] if cc == "gcc" else ["-O1"]):
            link = ["-no-pie"] if "-fno-pie" in flags else [flag for flag in flags if flag == "-flto"]
            program = build("flags", cc, flags, flags, link_flags=link)
            expect(upcrun(3, program, "statics"), 0, "statics are right")


def test_threads_of_one_process():
    program = build("pthreads", "gcc", ["-DUPCR_PTHREADS=1"], ["-DUPCR_PTHREADS=1"])
    # The private pointer is one object for all threads here; a compiler would make it thread-local.
    expect(upcrun(3, program, "statics"), 0, "statics are right")
    expect(upcrun(3, program, "outlive", options=["--tag-output"]), 0, r"\[0-2\] still there")
    expect(upcrun(2, program, "statics", tool="weftrun"), 0, "statics are right")
    expect(upcrun(2, program, "statics", options=["--hosts", "localhost"]), 2, "",
           "compiled with --pthreads are on one host; leave --hosts out")
    plain = build("plain")
    expect(upcrun(2, plain, "statics", tool="weftrun", options=["--ranks-as=threads"]), None, "",
           "compiled without --pthreads")


def test_static_threads():
    program = build("static", "gcc", ["-DUPCR_THREADS=3"], ["-DUPCR_THREADS=3"])
    expect(upcrun(None, program, "statics"), 0, "statics are right")
    expect(upcrun(3, program, "statics"), 0, "statics are right")
    expect(upcrun(4, program, "statics"), 2, "", "was compiled for 3 threads and cannot run on 4")
    expect(upcrun(4, program, "statics", tool="weftrun"), None, "",
           "compiled for 3 threads but is run with 4; run it with upcrun -n 3, or compile it without -T$")


def test_units_must_agree():
    program = build("disagree", "gcc", ["-DUPCR_THREADS=3"], [])
    expect(upcrun(3, program, "statics"), None, "",
           r"(scenarios|table)\.upc was compiled for .*, (scenarios|table)\.upc for .*; compile all units")
    program = build("modes", "gcc", ["-DUPCR_PTHREADS=1"], [])
    expect(upcrun(2, program, "statics"), None, "", "compile all units alike")


def test_end_of_main():
    program = build("end")
    expect(upcrun(3, program, "outlive"), 0, "still there")
    expect(upcrun(3, program, "return", "0"), None)  # threads 1 and 2 return 1 and 2
    expect(upcrun(1, program, "return", "5"), 5, "", r"thread 0 \(pid.*\) exited with code 5$")
    expect(upcrun(3, program, "exit", "0"), 0)
    expect(upcrun(3, program, "exit", "9"), 9, "", r"thread 0 \(pid.*called exit\(9\) or upc_global_exit\(9\); ending")
    printed = "(?s)(?=.*before 0)(?=.*before 1)(?=.*before 2)"  # also by threads that another one ends
    expect(upcrun(3, program, "global exit", "42"), 42, printed)
    expect(upcrun(3, program, "global exit", "-1"), 255, printed)  # the system keeps eight bits
    expect(upcrun(3, program, "global exit", "300"), 44, printed)
    expect(upcrun(3, program, "end"), None, "", "barrier")


def test_heap_size():
    program = build("heap")
    expect(upcrun(2, program, "heap", "3000000", options=["--shared-heap", "4M"]), 0, "yes\nyes")
    expect(upcrun(2, program, "heap", "5000000", options=["--shared-heap", "4M"]), 0, "no\nno",
           "5000000 bytes were asked for, [0-9]+ of 4194304 are left; raise upcrun --shared-heap")
    expect(upcrun(2, program, "heap", "5000000", options=["--shared-heap", "lots"]),
           2, "", "upcrun: --shared-heap lots: give")
    for env, setting in [({}, r"upcrun --shared-heap \(UPC_SHARED_HEAP_SIZE, now 900T\)"),
                         ({"WEFT_SEGMENT_SIZE": "900T"}, "WEFT_SEGMENT_SIZE")]:
        expect(upcrun(2, program, "heap", "1", options=["--shared-heap", "900T"], env=env), 1, "",
               rf"cannot map \d+ PiB .*; lower {setting} or raise ulimit -v")
    expect(upcrun(2, program, "heap", "5000000", env={"UPC_SHARED_HEAP_SIZE": "lots"}),
           None, "", "UPC_SHARED_HEAP_SIZE is 'lots'")


def test_cache_size():
    program = build("heap")
    for size in ("0", "1", "64K", "1G"):
        expect(upcrun(2, program, "heap", "1000", env={"UPC_CACHE": size, "WEFT_MAP_PEERS": "0"}), 0, "yes\nyes")
    for size in ("lots", "-1", "2000T"):
        expect(upcrun(2, program, "heap", "1000", env={"UPC_CACHE": size}), None, "",
               f"UPC_CACHE is '{size}'; it must be a number of bytes")


def test_heap_in_one_piece():
    program = build("grow")
    for how in ("local", "global", "both"):
        expect(upcrun(1, program, "grow", how, options=["--shared-heap", "4M"]), 0, "^yes$")


def test_leaving_early():
    program = build("leave")
    for env in ({}, {"WEFT_MAP_PEERS": "0"}, {"WEFT_CHECK": "1"}, {"WEFT_HOST_NAME": "a,b"}):
        for how, text in (("0", ""), ("9", " with exit code 9")):
            code, out, err = upcrun(3, program, "leave", how, env=env)
            line = (rf"thread [012]: error: user\.upc:300: thread 1 returned from main{text} while "
                    r"threads? (0|2|0, 2) waits? at upc_barrier")
            if out or code != (9 if how == "9" else 134) or not re.search(line, err):
                sys.exit(f"leaving with {how} under {env}: {(code, out, err)}")


def test_null_writes_fault():
    program = build("null")
    for threads, offset in (1, 0), (3, 0), (3, 4000), (3, 57340):
        code, out, err = upcrun(threads, program, "null write", str(offset))
        line = "thread 0: error: an access through a null pointer-to-shared.*WEFT_CHECK=1"
        if code != 139 or not re.search(line, err):
            sys.exit(f"a null write: {(code, out, err)}")
    # Pointers-to-shared have been looked at: this one was private.
    line = "thread 0: error: an access to the memory of thread 0, before the first.*was not through a pointer-to-shared"
    expect(upcrun(2, program, "private null write", env={"WEFT_CHECK": "1"}), 139, "", line)


def test_fault_signals_that_are_sent_end_the_job():
    program = build("raise")
    for env, line in ({}, ""), ({"WEFT_BACKTRACE": "1"}, "thread 0: error: SIGSEGV; backtrace"):
        expect(upcrun(2, program, "raise", env=env), 139, "", line)


def test_misuse_is_named_with_its_place():
    program = build("misuse")
    for what, message in [("mismatch", r"user\.upc:100: barrier mismatch"),
                          ("double free", r"user\.upc:\d+: upc_free: .* has been freed already; one thread calls"),
                          ("bad free", r"user\.upc:\d+: upc_free: .* was not allocated"),
                          ("unlock", r"user\.upc:\d+: upc_unlock: this thread does not hold the lock"),
                          ("wait", r"user\.upc:\d+: upc_wait without an upc_notify"),
                          ("notify", r"user\.upc:\d+: upc_notify follows the upc_notify at user\.upc:\d+"),
                          ("root", r"upc_team_broadcast: the root, thread [01], is not in the team"),
                          ("type", r"upc_team_reduce_all: bitwise operations are for integers"),
                          ("collective", r"upc_all_alloc was called between the upc_notify at user\.upc:\d+")]:
        expect(upcrun(2, program, what), None, "", message)
    for what, message in [("null", r"user\.upc:200: a read through a null pointer-to-shared"),
                          ("freed", r"user\.upc:201: a write of 4 bytes .*: the memory has been freed"),
                          ("wild", r"user\.upc:202: a read of 4 bytes .*: no shared object is there"),
                          ("beyond", r"user\.upc:203: a strict read of 4 bytes at thread 1000"),
                          ("cast", r"user\.upc:\d+: a pointer-to-shared with affinity to thread [12] is cast"),
                          ("relock", r"user\.upc:\d+: upc_lock: this thread holds the lock already")]:
        expect(upcrun(2, program, what, env={"WEFT_CHECK": "1"}), None, "", message)
    expect(upcrun(2, program, "statics", env={"WEFT_CHECK": "1"}), 0, "statics are right")
    expect(upcrun(2, program, "statics", env={"WEFT_STATS": "1"}), 0, "statics are right")


def test_upcrun_command_line():
    expect(upcrun(None, "--help"), 0, "Usage: upcrun")
    expect(upcrun(None, "--version"), 0, r"upcrun \(Weft\) \d")
    expect(upcrun(2), 2, "", "no program given")
    expect(upcrun(None, "--frob"), 2, "", "unknown or misused option --frob;")
    expect(upcrun(None, "--share-heap", "1G"), 2, "", r"option --share-heap \(did you mean --shared-heap\?\)")
    for words, message in [(["-shared-heap", "64M"], "unknown option -shared-heap; .*--shared-heap SIZE"),
                           (["-shared-heap=64M"], "unknown option -shared-heap=64M; .*--shared-heap SIZE"),
                           (["-E", "A=1"], "unknown option -E; what it does is here: --env NAME"),
                           (["-env", "A", "1"], "unknown option -env; .*--env NAME"),
                           (["-x", "A=1"], "unknown option -x; .*--env NAME"),
                           (["-bind-threads"], "unknown option -bind-threads; .*--bind$"),
                           (["-np", "4"], "unknown option -np; .*-n N$"), (["-y"], "misused option -y;"),
                           (["--shared-heap"], "^upcrun: --shared-heap needs a value")]:
        expect(upcrun(4, *words, *([] if words == ["--shared-heap"] else ["/bin/true"])), 2, "", "(?m)" + message)
    expect(upcrun(4, "-c", "2", "/bin/true"), 2, "", "unknown option -c; .*--hosts h1:N,h2:N")
    # What weftrun finds wrong upcrun says.
    source, text = f"{FOLDER}/first.upc", f"{FOLDER}/plain"
    for name in source, text:
        with open(name, "w", encoding="utf-8"):
            pass
    for threads in 2, None:
        for word, code, message in [("/no/such/program", 127, "/no/such/program does not exist"),
                                    (source, 126, f"{source} is a source file.* as in upcc -o"),
                                    (text, 126, f"{text} is not executable"),
                                    ("no-such-program", 127, "'no-such-program' is not in any folder of PATH"),
                                    (FOLDER, 126, f"{FOLDER} is a folder, not a program")]:
            expect(upcrun(threads, word), code, "", f"^upcrun: {message}.*\n$")
    expect(upcrun(None, "-i", "/no/such/program"), 127, "", "^upcrun: /no/such/program does not exist\n$")
    for options, message in [(["--hosts", "/"], "--hosts /: '/' is not the name of a host"),
                             (["--env", "3=4"], "--env '3=4': give"),
                             (["--bind", "-n", "9999"], "--bind: 9999 threads need"),
                             (["--sim-seed", "1"], "--sim-seed goes with --sim")]:
        expect(upcrun(2, "/bin/true", options=options), 2, "", f"^upcrun: {message}.*\n$")
    expect(upcrun(None, "/bin/true"), 2, "", "how many threads")
    expect(upcrun(2, "/bin/true"), 1, "", "^upcrun: /bin/true is not a UPC program .*upcc.*upcr_start")
    expect(upcrun("many", "/bin/true"), 2, "", "^upcrun: -n many: the number of threads")
    expect(upcrun(9999, "/bin/true", options=["--bind"]),
           2, "", "9999 threads need a processor each.*; use fewer threads")
    expect(upcrun(5, "/bin/true", options=["--hosts", "h1:2,h2:2"]), 2, "", "-n 5 threads do not fit the 4 slots")
    expect(upcrun(2, "/bin/true", options=["--hosts", "localhost"]), 1, "", "/bin/true is not a UPC program")


def test_upcrun_options_of_berkeley_upc():
    program = build("options", "gcc", ["-DUPCR_THREADS=3"], ["-DUPCR_THREADS=3"])
    for word in "-q", "-quiet", "--quiet":
        assert upcrun(3, word, program, "statics") == upcrun(3, program, "statics")
    for word in "-localhost", "-abort", "-noabort", "-encode-args", "-encode", "-norc", "-conf=own.conf":
        expect(upcrun(3, word, program, "statics"), 0, "statics are right", f"^upcrun: note: {word} is ignored: .*\n$")
    command = rf"^(UPC_SHARED_HEAP_SIZE=8M )?/\S*/weftrun --upc -n 3 -- {program} statics\n$"
    expect(upcrun(3, "-v", program, "statics"), 0, "statics are right", command)
    for words in ["-t"], ["-show"], ["-t", "-v"], ["-v", "-t", "--shared-heap", "8M"]:
        expect(upcrun(3, *words, program, "statics"), 0, command, "^$")
    # A shell reads the command as it was meant.
    words = ["two words", "it's", "", "$HOME"]
    shown = upcrun(3, "-t", program, *words)[1]
    assert shlex.split(shown)[-5:] == [program, *words], shown
    expect(upcrun(None, "-i", program), 0, r"options: compiled for 3 threads, which are processes\nstatic.*: \d+ bytes")
    expect(upcrun(None, "-i", "/bin/true"), 2, "", "/bin/true is no UPC program")
    # After the program they are its own.
    expect(upcrun(3, program, "outlive", "-i"), 0, "still there")


def test_libraries_through_the_compiler():
    upcc, source = f"{BUILD}/bin/upcc", f"{SOURCE}/tests/upcrt/programs/libraries.upc"
    for cc in compilers():
        for flags, threads in (["-O0", "-g"], 2), (["-O2"], 3), (["-O2", "-T", "4"], None), (["-O1", "--pthreads"], 3):
            subprocess.run([upcc, *flags, source, "-o", "libraries"], check=True, cwd=FOLDER,
                           env=dict(os.environ, CC=cc))
            program = f"{FOLDER}/libraries"
            expect(upcrun(threads, program), 0, "libraries are right")
    expect(upcrun(3, program, env={"WEFT_MAP_PEERS": "0"}), 0, "libraries are right")
    expect(upcrun(3, program, env={"WEFT_CHECK": "1"}), 0, "libraries are right")
    for what, message in [("unlock", "upc_unlock: this thread does not hold the lock"),
                          ("null", "a read through a null pointer-to-shared"),
                          ("barrier", "barrier mismatch")]:
        expect(upcrun(3, program, what, env={"WEFT_CHECK": "1"}), None, "", r"libraries\.upc:\d+: " + message)


def line_of(program, text):
    """The number of the only line of programs/PROGRAM with this text."""
    with open(f"{SOURCE}/tests/upcrt/programs/{program}", encoding="utf-8") as lines:
        found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def end_when_ready(threads, *command, env=()):
    """Standard error of a job that gets SIGTERM when it hangs."""
    job = subprocess.Popen([f"{BUILD}/bin/upcrun", "-n", str(threads), *command], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.PIPE, env=dict(os.environ, WEFT_BACKTRACE="1", **dict(env)))
    assert job.stdout.readline() == "ready\n"
    time.sleep(max(1, os.getloadavg()[0] / os.cpu_count()))  # the others come to where they wait
    job.terminate()
    _, errors = job.communicate(timeout=300)
    assert job.returncode != 0
    return errors


def test_a_hang_names_what_each_thread_waits_in_with_the_compiler():
    shutil.copy(f"{SOURCE}/tests/upcrt/programs/hang.upc", FOLDER)  # messages name the file as the command does
    first = line_of("hang.upc", "the lock is taken")
    barrier = line_of("hang.upc", "upc_barrier")
    for flags in [], ["--pthreads"]:
        subprocess.run([f"{BUILD}/bin/upcc", *flags, "hang.upc", "-o", "hang"], check=True, cwd=FOLDER)
        program = f"{FOLDER}/hang"
        for what, holder in [("barrier", rf"upc_barrier \(hang\.upc:{barrier}\)"),
                             ("call", rf"upc_all_alloc \(hang\.upc:{line_of('hang.upc', 'upc_all_alloc')}\)"),
                             ("end", "the end of main")]:
            errors = end_when_ready(4, program, what)
            found = re.findall(rf"thread (\d): error: SIGTERM after waiting in {holder} for \d\.\d s; backtrace",
                               errors)
            waiting = re.findall(rf"SIGTERM after waiting in upc_lock \(hang\.upc:{first}\) for \d\.\d s; "
                                 rf"thread (\d) has held the lock since hang\.upc:{first}; backtrace", errors)
            if len(found) != 1 or waiting != found * 3:
                sys.exit(f"{what} with {flags}: {errors}")
    twice = line_of("hang.upc", "again")
    for threads in 1, 4:
        for env in {}, {"WEFT_MAP_PEERS": "0"}:
            expect(upcrun(threads, program, "twice", env=env), 134, "",
                   rf"hang\.upc:{twice}: upc_lock: this thread holds the lock already, since hang\.upc:{first}")
    for threads, what, line in [
            (2, "compute", rf"upc_lock \(hang\.upc:{first}\) for \d\.\d s; thread [01] holds the lock; backtrace"),
            (1, "semaphore", r"bupc_sem_wait \(hang\.upc:\d+\) for")]:
        errors = end_when_ready(threads, program, what)
        if not re.search("SIGTERM after waiting in " + line, errors):
            sys.exit(f"{what}: {errors}")
    # Between hosts a thread sees who was before it, and the holder says itself that it is.
    subprocess.run([f"{BUILD}/bin/upcc", "hang.upc", "-o", "hang"], check=True, cwd=FOLDER)
    errors = end_when_ready(4, program, "barrier", env={"WEFT_MAP_PEERS": "0"})
    before = dict(re.findall(rf"thread (\d): error: SIGTERM after waiting in upc_lock \(hang\.upc:{first}\) for "
                             r"\d\.\d s; thread (\d) asked for the lock before this one; backtrace", errors))
    holder = re.findall(rf"thread (\d): error: SIGTERM after waiting in upc_barrier \(hang\.upc:{barrier}\) for "
                        rf"\d\.\d s; this thread has held a lock since hang\.upc:{first}; backtrace", errors)
    if len(holder) != 1 or len(before) != 3 or holder[0] not in before.values() or holder[0] in before:
        sys.exit(f"not mapped: {errors}")


def parallel_io(name, *flags):
    """tests/upcrt/programs/parallel_io.upc through the compiler."""
    subprocess.run([f"{BUILD}/bin/upcc", "-O1", "-Wall", "-Wextra", *flags, "-o", name,
                    f"{SOURCE}/tests/upcrt/programs/parallel_io.upc"], check=True, cwd=FOLDER)
    return f"{FOLDER}/{name}"


def test_parallel_files_through_the_compiler():
    for flags, threads in ([], 3), (["--pthreads"], 2), (["-T", "4"], None):
        program = parallel_io("io", *flags)
        for env in ({}, {"WEFT_CHECK": "1"}):
            expect(upcrun(threads, program, f"{FOLDER}/data", env=env), 0, "parallel files are right", "no open file")
        assert os.path.getsize(f"{FOLDER}/data") == 2000


def test_parallel_files_and_the_end_of_the_program_with_the_compiler():
    for flags in [], ["--pthreads"]:
        program, data = parallel_io("io", *flags), f"{FOLDER}/data"
        expect(upcrun(2, program, data, "left open"), 0, "^$", "^$")
        assert not os.path.exists(data)  # deleted as by upc_all_fclose
        expect(upcrun(2, program, data, "exit"), 3)
        assert not os.path.exists(data)


def test_parallel_files_misuse_is_named_with_the_compiler():
    program, data = parallel_io("io"), f"{FOLDER}/data"
    for what, message in [("twice", "fwrite_local_async: the upc_all_fwrite_local_async of this file is not complete"),
                          ("closed", "upc_all_fread_local_async: that is no open file; it may have been closed"),
                          ("notify", r"upc_all_fsync was called between the upc_notify at .*parallel_io\.upc:\d+"),
                          ("flags", "upc_all_fread_local: the flags are 0x100; they are one of"),
                          ("barrier", r"thread 0 is in upc_all_fsync.*thread 1 is at upc_barrier")]:
        expect(upcrun(2, program, data, what), None, "", message)
    expect(upcrun(2, program, data, "others", env={"WEFT_CHECK": "1"}), None, "",
           "all threads make the same collective calls")
    expect(upcrun(2, program, data, "overlap", env={"WEFT_CHECK": "1"}), 0, "", "two regions of memvec overlap")


def test_parallel_files_name_the_argument_that_differs_with_the_compiler():
    program, data = parallel_io("io"), f"{FOLDER}/data"
    for what, message in [("differ", "upc_all_fset_size: size is 11 on thread 1 and 10 on thread 0; all threads make"),
                          ("nmemb", "upc_all_fwrite_shared: nmemb is 39 on thread 1 and 40 on thread 0;"),
                          ("buffer", "upc_all_fread_shared: buffer's thread is 1 on thread 1 and 0 on thread 0;"),
                          ("files", "upc_all_fwrite_shared: the file is another on thread 1 than on thread 0;"),
                          ("sync", r"flags is UPC_IN_MYSYNC \| UPC_OUT_ALLSYNC on thread 1 and UPC_IN_ALLSYNC \| ")]:
        expect(upcrun(3, program, data, what), 0, "", r"thread 1: .*parallel_io\.upc:\d+: .*" + message)
        expect(upcrun(3, program, data, what, env={"WEFT_CHECK": "1"}), None, "", message)
    expect(upcrun(2, program, data, "hints"), 0, "",
           r"(?s)hint's value is another on thread 1 .*numhints is 1 .* 0 on thread 0.*flags is 0x\w+ .* 0x\w+ on thr")


def test_parallel_files_on_a_full_disk_with_the_compiler():
    disk = f"{FOLDER}/disk"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", disk], capture_output=True,
                      check=False).returncode != 0:
        return  # needs root
    try:
        expect(upcrun(3, parallel_io("io"), f"{disk}/data", "fill"), 0, "a full disk is told", "^$")
        assert os.path.getsize(f"{disk}/data") == 6 << 16
    finally:
        subprocess.run(["umount", disk], check=True)


def test_parallel_files_outlive_a_killed_thread_with_the_compiler():
    program, block = parallel_io("io"), 1 << 16
    for victim in range(3):
        data = f"{FOLDER}/data-{victim}"
        with subprocess.Popen([f"{BUILD}/bin/upcrun", "-n", "3", program, data, "for ever"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as job:
            pids = dict(map(int, job.stdout.readline().split()) for _ in range(3))
            time.sleep(0.05)
            os.kill(pids[victim], signal.SIGKILL)
            code = job.wait(60)
            line = job.stderr.read()
        if code == 0 or f"thread {victim} " not in line:
            sys.exit(f"thread {victim} was killed: {(code, line)}")
        with open(data, "rb") as file:
            start = file.read(3 * block)
        assert start == b"".join(bytes([ord("a") + thread]) * block for thread in range(3))
        assert os.path.getsize(data) > 3 * block  # it was in the middle


def test_parallel_files_leave_a_bound_thread_its_processor_with_the_compiler():
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        return
    program = parallel_io("io")

    def processors(*options):
        done = subprocess.run([f"{BUILD}/bin/upcrun", "-n", "1", *options, program, f"{FOLDER}/data", "processors"],
                              capture_output=True, text=True, check=True)
        found = [line.split()[1] for line in done.stdout.splitlines()]
        return [sorted(sum(([*range(int(first), int(last or first) + 1)] for first, _, last in
                            (part.partition("-") for part in one.split(","))), [])) for one in found]
    bound = processors("--bind")
    assert bound[0] == allowed[:1] and allowed in bound[1:], bound  # the thread itself comes first
    assert all(one == allowed for one in processors()), allowed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        script_tests.main(globals(), 2)
