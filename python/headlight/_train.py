"""A small network that learns a task: what `headlight train` gives, as a dict."""
from __future__ import annotations

import json
import os
import shutil
import tempfile
from typing import Any, Dict, Optional, Union

from ._program import HeadlightError, run, words_of

Path = Union[str, "os.PathLike[str]"]


class Trained(Dict[str, Any]):
    """What `headlight train --json` says: task, accuracy, ceiling, history, losses … and `folder`, a model that opens anywhere."""

    def __repr__(self) -> str:
        ceiling = "" if self["ceiling"] is None else f", ceiling {self['ceiling']:.1%}"
        return f"{self['run']}: accuracy {self['accuracy']:.1%}{ceiling}, chance {self['chance']:.1%}, in {self['folder']}"


def train(task: Path, folder: Optional[Path] = None, gradients: Optional[Path] = None, **settings: Any) -> Trained:
    """A small network learns `task` ("reverse", or a text file): train("reverse", heads=4, mask="causal()", seed=1).

    Gives the history and the model's folder: `folder`, or a new one among the temporary files. `gradients`: a path for the
    last step's arrays (.npz)."""
    made = os.fspath(folder) if folder is not None else os.path.join(tempfile.mkdtemp(prefix="headlight-"), "model")
    arrays = [] if gradients is None else ["--gradients", os.fspath(gradients)]
    try:
        done = run(["train", os.fspath(task), *words_of(settings), "-o", made, "--json", *arrays])
    except HeadlightError:
        if folder is None:
            shutil.rmtree(os.path.dirname(made), ignore_errors=True)
        raise
    return Trained(json.loads(done.stdout), folder=made)
