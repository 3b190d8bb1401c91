#!/usr/bin/env python3
"""Checks that translations.py finds each kind of fault."""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import translations  # noqa: E402

SOURCE = r"""
[[noreturn]] void fail(const Message& wrong) { throw FileError(path, wrong); }  // never "said to a person"
void f() {
  throw SettingError("--heads", Message(many ? "{0} does not divide {1} heads" : "{0} does not divide {1} head", h, name(x, "y")),
                     Message("expected {0}", divisors(d)));
  fail("its \"header\" ends "
       "early");
  fail(h ? "a list of names" : text(h));
}
"""
SAID = ["{0} does not divide {1} heads", "{0} does not divide {1} head", "expected {0}", 'its "header" ends early', "a list of names"]


def wrong_with(errors, source=SOURCE):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in ("core/files", "ui", "assets/translations"):
            (root / path).mkdir(parents=True)
        (root / "core/files/f.cpp").write_text(source, encoding="utf-8")
        (root / "assets/translations/en.json").write_text("{}", encoding="utf-8")
        (root / "assets/translations/zh.json").write_text(json.dumps({"errors": errors}), encoding="utf-8")
        return translations.check(root)


whole = {text: text for text in SAID}
assert wrong_with(whole) == [], wrong_with(whole)
for text in SAID:
    lines = wrong_with({key: value for key, value in whole.items() if key != text})
    assert len(lines) == 1 and json.dumps(text) in lines[0] and "core/files/f.cpp" in lines[0], (text, lines)
assert len(wrong_with({**whole, "expected {0}": "应为"})) == 1
assert "no source says" in wrong_with({**whole, "has {0}": "有 {0}"})[0]
assert wrong_with(whole, "")  # no sources at all: a mistake of the check's
print("translations.py finds what is missing")
