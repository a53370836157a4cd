#!/usr/bin/env python3
"""Run test suites side by side, the longest first, and count their tests.

    tests/run.py SUMMARY SUITE...

SUITE is a cmocka program, a Python or a shell script, or a test of node. Each one prints to logs/NAME.log, beside SUMMARY. The last
line, also written to SUMMARY, is "N passed, N failed, N skipped". Beside it, `suites` has the CPU seconds of each suite, and `left`
the suites of which tests belong to a higher BOIDS_TEST_LEVEL (tests/support.py); these tests are not counted.

A suite fails if its exit status is not 0 or if it ran no test. A test may be skipped for lack of a tool that scripts/setup.sh does
not install (EXPECTED); at the full and exhaustive levels any other skip is a failure.

JOBS is the number of suites at a time; default: all processors.
"""

import collections
import compileall
import contextlib
import concurrent.futures
import fnmatch
import os
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEVEL = os.environ.get("BOIDS_TEST_LEVEL") or "quick"

# Seconds after which a suite counts as hanging; the longest takes a tenth of this.
LIMIT = 24 * 3600 if LEVEL == "exhaustive" else 1800

# The suites that take longest, in this order, start first, so that none of them runs alone at the end.
LONGEST = """
tests/docs/test_readme.py tests/plotting/test_plot.py tests/tools/test_build.py tests/cli/test_running_out.py tests/oracle/compare.py
tests/tools/test_demo.py tests/plotting/test_analyse.py tests/tools/test_install.py tests/plotting/test_charts.py
tests/python/test_fit.py tests/tools/test_sweep.py tests/engine/test_engine tests/trajectory/test_kill.py tests/plotting/test_player.py
tests/cli/test_cli.py tests/trajectory/test_resume.py tests/python/test_combinations.py
""".split()
# Not in `make test`, unless FOLDERS or SUITES name them; the Makefile does not build the programs among them (LEFT_OUT). Of the core's
# number types, float32 shares the source of float64.
ONLY_FULL = """
plotting/test_plot.py plotting/test_charts.py plotting/test_player.py plotting/test_analyse.py tools/test_setup.py tools/test_build.py
tools/test_demo.py tools/test_hash_matrix.sh docs/test_files.py trajectory/test_kill.py cli/test_running_out.py cli/test_crowd.py
core/test_*_f32 engine/test_domain trajectory/test_libhdf5_guard
""".split()
# Reasons for which a test may be skipped although setup.sh has installed its group "test".
EXPECTED = r"""
^(Rscript|gnuplot|octave-cli|h5dump|pvpython) is not installed
^this python has no (pandas|xarray|MDAnalysis|ase)
^needs (fish|snakemake|Xvfb and tkinter)
^only root
mounted here$
sanitizer|^its malloc is its own
^there (is no (MPICH|program with sanitizers)|are no sources of locales)
^later versions of libhdf5
""".split(
    "\n"
)

Result = collections.namedtuple("Result", "suite passed failed skips left seconds cpu log names")


def sorted_suites(suites):
    """The suites of this level, the longest first."""
    if LEVEL == "quick" and not os.environ.get("CHOSEN"):
        chosen = [suite for suite in suites if not is_only_full(path_of(suite)[6:])]
        if len(chosen) < len(suites):
            print(
                f"left out here: {', '.join(ONLY_FULL)}; run them with SUITES='plotting/test_plot' or `make check`"
            )
        suites = chosen
    rank = {suite: i for i, suite in enumerate(LONGEST)}
    return sorted(suites, key=lambda suite: rank.get(path_of(suite), len(rank)))


def is_only_full(name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in ONLY_FULL)


def path_of(suite):
    """Return the path of a suite below the folder of the build."""
    return "tests/" + suite.partition("tests/")[2]


def catch_ignored_signals():
    """Started by nohup or `&`, a suite would ignore the signals that it tests; a signal caught here has its default in the child."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def command_of(suite):
    if suite.endswith(".sh"):
        return ["sh", suite]
    if suite.endswith(".py"):
        return [
            sys.executable,
            "-X",
            "faulthandler",
            suite,
            "-v",
        ]  # -v prints why a test is skipped
    if suite.endswith(".mjs"):
        return ["node", "--test-reporter=tap", suite]
    return [suite]


def end(group):
    """End a suite that hangs. Python prints where it was when SIGABRT comes; what else it started may ignore that."""
    for number in (signal.SIGABRT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
        time.sleep(5)


def run(suite, log, running):
    begun = time.monotonic()
    with open(log, "wb") as out:
        process = subprocess.Popen(
            command_of(suite),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        running.add(process.pid)
        too_long = threading.Timer(LIMIT, end, (process.pid,))
        too_long.start()
        _, status, used = os.wait4(process.pid, 0)
        too_long.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        running.discard(process.pid)
    with open(log, encoding="utf-8", errors="replace") as file:
        return judge(
            suite,
            process.returncode,
            file.read(),
            time.monotonic() - begun,
            used.ru_utime + used.ru_stime,
        )


def judge(suite, status, text, seconds, cpu):
    """Add up the counts in a log: "[  PASSED  ] 3 test(s)." of cmocka, "Ran 3 tests" of unittest, "3 passed, 0 failed" of scripts,
    "# pass 3" of node."""
    ran = passed = failed = 0
    for number in re.findall(r"^Ran (\d+) tests?", text, re.MULTILINE):
        ran += int(number)
    for line in re.findall(r"^(?:OK|FAILED) \((.*)\)$", text, re.MULTILINE):
        counts = dict(part.split("=") for part in line.split(", "))
        failed += (
            int(counts.get("failures", 0))
            + int(counts.get("errors", 0))
            + int(counts.get("unexpected successes", 0))
        )
    reasons = re.findall(r"""\.\.\. skipped ['"](.*)['"]$""", text, re.MULTILINE)
    reasons += re.findall(r"^ok .* # SKIP ?(.*)$", text, re.MULTILINE)
    skips = [reason for reason in reasons if not reason.startswith("level: ")]
    left = len(reasons) - len(skips)
    for number in re.findall(r"^\[  SKIPPED \] (\d+) test", text, re.MULTILINE):
        skips += ["cmocka"] * int(number)
    passed = ran - failed - (len(reasons) if ran else 0)
    for kind, number in re.findall(r"^# (pass|fail) (\d+)$", text, re.MULTILINE):
        passed, failed = passed + int(number) * (kind == "pass"), failed + int(number) * (
            kind == "fail"
        )
    for number in re.findall(r"^\[  PASSED  \] (\d+) test", text, re.MULTILINE):
        passed += int(number)
    for good, bad in re.findall(r"^(\d+) passed, (\d+) failed", text, re.MULTILINE):
        passed, failed = passed + int(good), failed + int(bad)
    for number in re.findall(r"^\[  FAILED  \] (\d+) test\(s\), listed", text, re.MULTILINE):
        failed += int(number)
    if status != 0 and failed == 0 or passed + len(reasons) + failed == 0:
        failed, text = failed + 1, text + f"\n(exit status {status})"
    if status == 0 and failed:
        text += "\n(exit status 0 in spite of that)"
    passed = max(passed, 0)
    return Result(suite, passed, failed, skips, left, seconds, cpu, text, failed_names(text))


def failed_names(text):
    """The names of the failed tests in a log."""
    return re.findall(r"^(?:FAIL: |ERROR: |not ok \d+ - )(\w+)", text, re.MULTILINE) + re.findall(
        r"^\[  FAILED  \] (?!\d)(\w+)", text.partition(" test(s), listed below:")[2], re.MULTILINE
    )


def is_expected(reason):
    return any(re.search(pattern, reason) for pattern in EXPECTED if pattern)


def report(result, number, total):
    verdict = "FAILED" if result.failed else "ok"
    skipped = f", {len(result.skips)} skipped" if result.skips else ""
    print(
        f"{number:3d} of {total}  {path_of(result.suite)[6:]:<34} {result.passed + result.failed:4d} tests {result.seconds:4.0f} s {result.cpu:5.1f} CPU s  "
        f"{verdict}{skipped}",
        flush=True,
    )
    if result.failed:
        print("\n".join("    " + line for line in result.log.splitlines()[-60:]), flush=True)


def main():
    summary, *suites = sys.argv[1:]
    os.chdir(ROOT)
    if "BOIDS" in os.environ:  # for commands of the package in other folders
        os.environ["BOIDS"] = os.path.abspath(os.environ["BOIDS"])
    catch_ignored_signals()
    # Processes of tests write no bytecode, which is nothing that an installation wrote; hundreds of them would compile it again.
    for folder in ("python", "tests"):
        compileall.compile_dir(folder, quiet=2)
    logs = os.path.join(os.path.dirname(summary), "logs")
    os.makedirs(logs, exist_ok=True)
    running, results = set(), []
    jobs = int(os.environ.get("JOBS") or os.cpu_count())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            waiting = [
                pool.submit(
                    run,
                    suite,
                    os.path.join(logs, path_of(suite)[6:].replace("/", "_") + ".log"),
                    running,
                )
                for suite in sorted_suites(suites)
            ]
            for done in concurrent.futures.as_completed(waiting):
                results.append(done.result())
                report(results[-1], len(results), len(waiting))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for pid in list(running):
                os.killpg(pid, signal.SIGKILL)
            raise
    failed = sum(result.failed for result in results)
    skips = collections.Counter(reason for result in results for reason in result.skips)
    for reason, count in sorted(skips.items()):
        is_bad = LEVEL != "quick" and not is_expected(reason)
        failed += count if is_bad else 0
        print(f"{count} skipped: {reason}" + (": this level needs it" if is_bad else ""))
    for result in results:
        if result.failed:
            print(f"failed: {path_of(result.suite)[6:]}: {', '.join(result.names) or 'see above'}")
    cpu = sum(result.cpu for result in results)
    beside = os.path.dirname(summary)
    with open(os.path.join(beside, "suites"), "w", encoding="utf-8") as file:
        for result in results:
            file.write(
                f"{result.cpu:6.1f} {os.path.basename(beside)}: {path_of(result.suite)[6:]}\n"
            )
    with open(os.path.join(beside, "left"), "w", encoding="utf-8") as file:
        for result in results:
            if result.left:
                file.write(f"{result.left} of {path_of(result.suite)[6:]}\n")
    line = f"{sum(result.passed for result in results)} passed, {failed} failed, {sum(skips.values())} skipped"
    print(f"level {LEVEL}: {cpu:.0f} CPU s\n{line}", flush=True)
    with open(summary, "w", encoding="utf-8") as file:
        file.write(line + "\n")
    return failed > 0 or not results


if __name__ == "__main__":
    sys.exit(main())
