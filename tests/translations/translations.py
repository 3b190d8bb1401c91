#!/usr/bin/env python3
"""translations.py ROOT: fails where a sentence that goes wrong in core or ui lacks its translation.

Every language under assets/translations that has "errors" is to have all of them; the lines to add are printed.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sentences  # noqa: E402

# The same in every language: names and parts of code alone.
SAME = {
    '"file": PATH',
    "ALiBi (config.json)",
    "name: value",
    '{"name": {"dtype": …, "shape": […], "data_offsets": [first, end]}, …}',
    '{"token": id, …}',
    "{name}: STAGE:b,h,row,col = number",
}
# Completed by the caller to what has an entry of its own: "expected {0}, as {1} says".
COMPLETED = {"expected {0}, {1}"}
# What others say (nlohmann's parser), of which not every part is told.
SHORTER = re.compile("syntax error while parsing")


def slots(text):
    return set(re.findall(r"\{\d\}", text))


def check(root):
    wrong = []
    found = sentences.sentences(root)
    if not found:
        return ["%s has no sentences; expected the repository's own core and ui" % root]
    checked = 0
    for path in sorted((pathlib.Path(root) / "assets/translations").glob("*.json")):
        errors = json.loads(path.read_text(encoding="utf-8")).get("errors")
        if errors is None:
            continue
        checked += 1
        for text, place in found.items():
            if text not in errors and text not in SAME | COMPLETED:
                wrong.append('%s: "errors" lacks what %s says; add  %s: "…",' % (path.name, place, json.dumps(text, ensure_ascii=False)))
        for english, here in errors.items():
            if slots(english) != slots(here) and not SHORTER.match(english):
                wrong.append("%s: %s and %s have different slots" % (path.name, json.dumps(english, ensure_ascii=False), json.dumps(here, ensure_ascii=False)))
            if re.search(r"\{\d\}\{\d\}", english):
                wrong.append("%s: two slots of %s have nothing between them" % (path.name, json.dumps(english, ensure_ascii=False)))
    if checked == 0:
        wrong.append('no language in %s has "errors"' % root)
    return wrong


if __name__ == "__main__":
    lines = check(sys.argv[1])
    print("\n".join(lines) if lines else "every sentence is translated")
    sys.exit(1 if lines else 0)
