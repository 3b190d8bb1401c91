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


def wrong_with(errors, source=SOURCE, english=None, words=None):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in ("core/files", "ui", "assets/translations"):
            (root / path).mkdir(parents=True)
        (root / "core/files/f.cpp").write_text(source, encoding="utf-8")
        (root / "assets/translations/en.json").write_text(json.dumps(english or {}), encoding="utf-8")
        (root / "assets/translations/zh.json").write_text(json.dumps({"errors": errors, **(words or {})}), encoding="utf-8")
        return translations.check(root)


whole = {text: text for text in SAID}
assert wrong_with(whole) == [], wrong_with(whole)
for text in SAID:
    lines = wrong_with({key: value for key, value in whole.items() if key != text})
    assert len(lines) == 1 and json.dumps(text) in lines[0] and "core/files/f.cpp" in lines[0], (text, lines)
assert len(wrong_with({**whole, "expected {0}": "应为"})) == 1
assert "no source says" in wrong_with({**whole, "has {0}": "有 {0}"})[0]
assert wrong_with(whole, "")  # no sources at all: a mistake of the check's

english = {"views": {"compare": "Compare {0}"}, "mistakes": {"no_scale": {"title": "Scores not scaled"}}}
chinese = {"views": {"compare": "比较 {0}"}, "mistakes": {"no_scale": {"title": "未缩放", "why": "分数没有缩放。"}}}
assert wrong_with(whole, english=english, words=chinese) == [], wrong_with(whole, english=english, words=chinese)
for words, says in (
    ({"mistakes": chinese["mistakes"]}, '"views.compare": "Compare {0}"'),
    ({**chinese, "views": {"compare": "比较"}}, "different slots"),
    ({**chinese, "views": {"compare": "比较 {0}", "map": "图"}}, '"views.map", which en.json does not have'),
    ({**chinese, "mistakes": {"no_scale": {"title": "未缩放"}}}, '"mistakes.no_scale.why"'),
):
    lines = wrong_with(whole, english=english, words=words)
    assert len(lines) == 1 and says in lines[0], (says, lines)
lines = wrong_with(whole, SOURCE + 'say("views.compare"), say("views.map"), open("views.json");', english, chinese)
assert len(lines) == 1 and 'en.json lacks "views.map"' in lines[0], lines
print("translations.py finds what is missing")
