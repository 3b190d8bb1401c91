"""Headlight from Python: figures of attention, every stage as an array, and where an implementation goes wrong.

`pip install ./python` (with -e to change it), or copy this folder beside your own file. It needs NumPy and the program
`headlight`: on PATH, in the environment variable HEADLIGHT, or built in the repository that this folder is in.

    import headlight
    headlight.figure(weights, tokens)                         # shows in a notebook
    headlight.figure(weights, tokens, head="all", size="column").save("figure.pdf")
    headlight.show(weights, tokens)                           # the same, answering to the pointer
    headlight.show(model, tokenizer, "the cat sat")           # every layer and head of a Hugging Face model
    headlight.check(module, x)                                # which known mistake does a module make?
    headlight.watch(model)                                    # the window shows its attention while it runs
    stages = headlight.trace("net.npz", mask="causal()")      # {"Q": array, ..., "weights": array, "output": array}
    headlight.train("reverse", heads=4)                       # a small network learns; its history and folder
    headlight.compare("net.npz", {"weights": mine})           # {"match": False, "diagnosis": [...], ...}

Keyword arguments are the words of the command line: `font_size=8` is --font-size 8, `values=True` is --values, a list
is the option once for each: highlight=["2:4,0:3", "5:6,0:1"]. Whatever is wrong with them is a HeadlightError.
"""
from ._check import Check, check, compare, trace
from ._figures import Figure, Page, figure, render, show
from ._program import HeadlightError, program
from ._train import Trained, train
from ._watch import Watch, watch

__all__ = ["HeadlightError", "Figure", "Page", "Check", "Trained", "Watch", "figure", "show", "render", "trace",
           "compare", "check", "train", "watch", "program"]
__version__ = "1.0.0"
