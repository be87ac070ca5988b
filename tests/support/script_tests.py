"""How scripts of tests are started (weft_script_tests of cmake/script_tests.cmake):

    SCRIPT ARGUMENT... [NAME...]   runs the tests, all or those named
    SCRIPT --list                  prints their names
"""

import os
import sys
import unittest


def paths(count):
    """The first `count` arguments, which are paths; where only names are printed, empty."""
    if sys.argv[1:] == ["--list"]:
        return [""] * count
    return [os.path.abspath(path) for path in sys.argv[1:1 + count]]


def main(tests, before):
    """`tests`: a TestCase, or the globals() of a script whose functions test_... they are; `before`: how many arguments
    stand before names."""
    is_class = isinstance(tests, type)
    names = [name.removeprefix("test_") for name in (dir(tests) if is_class else tests) if name.startswith("test_")]
    if sys.argv[1:] == ["--list"]:
        print("\n".join(names))
        return
    wanted = [f"test_{name}" for name in sys.argv[1 + before:] or names]
    if is_class:
        suite = unittest.TestSuite(map(tests, wanted))
        sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
    for name in wanted:
        tests[name]()
