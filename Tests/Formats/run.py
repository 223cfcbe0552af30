#!/usr/bin/env python3
"""Runs the tests of the second reader: the fixtures, the decoders, stores made here, and stores made by Hearth's programs.

    run.py [--programs DIR] [--seconds N] [WORD ...]

DIR is the build folder of hearthd, hearth and store-torture; without it stores made by programs are left out. N is how long a simulated
hub runs. Only tests with one of the WORDs in their names run. The last line counts; exit status 0 if every test passed.
"""
import argparse
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def tests(suite):
    for test in suite:
        yield from tests(test) if isinstance(test, unittest.TestSuite) else [test]


def main(arguments):
    import test_programs  # lmdb is not there to say what --help says
    test_programs.PROGRAMS, test_programs.SECONDS = arguments.programs, arguments.seconds
    found = unittest.defaultTestLoader.discover(str(HERE))
    chosen = [test for test in tests(found) if not arguments.words or any(word in test.id() for word in arguments.words)]
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(unittest.TestSuite(chosen))
    failed = len(chosen) - result.passed - len(result.skipped)
    print(f"{result.passed} passed, {failed} failed")
    return 0 if failed == 0 and result.passed else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("words", nargs="*")
    sys.exit(main(parser.parse_args()))
