"""Shared by the tests of python/headlight: the module, with the program in sys.argv[1], and the list of failures."""
import os, sys

os.environ["HEADLIGHT"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import headlight

faults = []


def expect(holds, what):
    if not holds:
        faults.append(what)
        print("FAULT", what)
