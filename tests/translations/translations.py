#!/usr/bin/env python3
"""translations.py ROOT: fails where a Message of core or ui lacks its translation, or a translation its Message, and where a
language lacks a key of en.json or en.json a key that the source names.

A message is a literal among the arguments of Message or of what takes one, or any literal with a slot, "{0}". Only languages with
"errors" are held to be finished.
"""
import json
import pathlib
import re
import sys

TAKERS = re.compile(r"(?:\b(?:Message|\w*Error|UnknownModel|MissingArray|\w*(?:fail|refuse|assume)\w*|miss|joined_by_\w+|read_json_object)|"
                    r"\b(?:assumptions|notes|left_out)\.(?:push|emplace)_back)\b(?:\s+\w+)?\s*[({]")
LITERAL = re.compile(r'R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*"')
LITERALS = re.compile(r"(?:(?:%s)\s*)+" % LITERAL.pattern)
SLOT = re.compile(r"\{\d\}")
# The same in every language: signs, names, parts of code.
SAME = re.compile(r"""(?:[^\w{]|\{\d\})*|\{0\}x\{1\}|.*\\frac.*|ALiBi \(config\.json\)|name: value|"file": PATH|lesson:\{0\}|"""
                  r"""tokenizer\.json: \{0\}|\{name\}: STAGE:b,h,row,col = number|\{"(?:token|name)": .*""")
# A key, and what looks like one: names of files, and keys that a word is joined to.
KEY = re.compile(r"[a-z_]+(?:\.[A-Za-z0-9_]+)+")
NO_KEY = re.compile(r"layers\.0\..*|prose\.input|.*\.(?:json|npz|npy|pt|csv)|.*_")
# Words on paper; the window passes them in.
PAPER = {"Who looks at whom: head {0}", "page {0} of {1}", "head {0}", "layer {0}", "batch {0}", "Step {0}"}
# Messages of libraries and systems, which are not in the source.
FOREIGN = re.compile(r"(?:Can't|CRC|Cannot|Compression|Device|Directory|Disk|Encryption|File|Input|Invalid|Is a|Multi|No |Not a|Operation|PNG|"
                     r"Permission|Possibly|Premature|Read|Seek|Too many|Write|Zip|Zlib|attempting|data error|end of|invalid|missing|number (?:lit|over)|"
                     r"parse error|read beyond|string literal|unexpected end|'\[', '\{', or a literal)")


def without_comments(source):
    return re.sub(r"(%s)|//[^\n]*" % LITERAL.pattern, lambda m: m.group(1) or "", source)


def closing(text, at):
    """The end of the bracket that text[at] opens."""
    depth = 0
    for part in re.compile(LITERAL.pattern + r"|'(?:[^'\\]|\\.)'|[(\[{]|[)\]}]").finditer(text, at):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(part.group(), 0)
        if depth == 0:
            return part.start()
    return len(text)


def said(literals):
    """The text of adjacent string literals."""
    return "".join(x[3:-2] if x[0] == "R" else re.sub(r'\\(["\\])', r"\1", x[1:-1]) for x in LITERAL.findall(literals))


def is_sentence(text):
    """Whether the text has two words or more, one of them English, and so is no name, key or code."""
    words = re.sub(r"\{\d\}|[\"'].*?[\"']|[-\w./]*[_./\d][-\w./]*|[^a-zA-Z' ]", " ", text)
    return " " in text.strip() and re.search(r"(?<![-\w])[a-zA-Z]{2,}(?![-\w])", words) is not None


def messages(root):
    """Returns {message: its place}, and all literals, also those of app."""
    found, literals = {}, set()
    for path in sorted(p for folder in ("core", "ui", "app") for p in (pathlib.Path(root) / folder).rglob("*") if p.suffix in (".cpp", ".h")):
        source = without_comments(path.read_text(encoding="utf-8"))
        own = {}
        for match in LITERALS.finditer(source):
            text = said(match.group())
            literals.add(text)
            if SLOT.search(text):
                own.setdefault(text, match.start())
        for taker in TAKERS.finditer(source):
            for match in LITERALS.finditer(source, taker.end(), closing(source, taker.end() - 1)):
                if is_sentence(said(match.group())):
                    own.setdefault(said(match.group()), match.start())
        if path.relative_to(root).parts[0] != "app":
            for text, at in own.items():
                if not SAME.fullmatch(text) and text not in PAPER:
                    found.setdefault(text, "%s:%d" % (path.relative_to(root), source.count("\n", 0, at) + 1))
    return found, literals


def flat(words, before=""):
    """{"views.compare": "Compare"} of {"views": {"compare": "Compare"}}."""
    table = {}
    for key, word in words.items():
        table.update(flat(word, before + key + ".") if isinstance(word, dict) else {before + key: word})
    return table


def check_keys(name, words, english):
    """What a finished language lacks of en.json's keys, or has beyond them. English explains each mistake in its own run's words, so
    that it has no `why`."""
    wrong = []
    expected = dict(english)
    for key in english:
        if key.startswith("mistakes."):
            expected[key.removesuffix(".title") + ".why"] = ""
    for key in [key for key in expected if key not in words]:
        wrong.append('%s lacks "%s"%s' % (name, key, ': "%s"' % expected[key] if expected[key] else ", what goes wrong"))
    for key, word in words.items():
        if key not in expected:
            wrong.append('%s has "%s", which en.json does not have' % (name, key))
        elif key in english and set(SLOT.findall(word)) != set(SLOT.findall(english[key])):
            wrong.append('%s: "%s" and en.json have different slots' % (name, key))
    return wrong


def check(root):
    wrong = []
    found, literals = messages(root)
    if not found:
        return ["%s has no messages; expected the repository's own core and ui" % root]
    folder = pathlib.Path(root) / "assets/translations"
    sections = json.loads((folder / "en.json").read_text(encoding="utf-8"))
    english = flat(sections)
    for text in sorted(literals):
        if KEY.fullmatch(text) and text.split(".")[0] in sections and text not in english and not NO_KEY.fullmatch(text):
            wrong.append('en.json lacks "%s", which the source names' % text)
    checked = 0
    for path in sorted(folder.glob("*.json")):
        words = json.loads(path.read_text(encoding="utf-8"))
        errors = words.pop("errors", None)
        if errors is None:
            continue
        checked += 1
        wrong += check_keys(path.name, flat(words), english)
        for text, place in found.items():
            if text not in errors:
                wrong.append('%s: "errors" lacks what %s says; add  %s: "…",' % (path.name, place, json.dumps(text, ensure_ascii=False)))
        for english, here in errors.items():
            if english not in literals and not FOREIGN.match(english):
                wrong.append("%s: no source says %s" % (path.name, json.dumps(english, ensure_ascii=False)))
            if set(SLOT.findall(english)) != set(SLOT.findall(here)) and "while parsing" not in english:
                wrong.append("%s: %s and %s have different slots" % (path.name, json.dumps(english, ensure_ascii=False), json.dumps(here, ensure_ascii=False)))
    if checked == 0:
        wrong.append('no language in %s has "errors"' % root)
    return wrong


if __name__ == "__main__":
    lines = check(sys.argv[1])
    print("\n".join(lines) if lines else "every message is translated")
    sys.exit(1 if lines else 0)
