#!/usr/bin/env python3
"""That translations.py finds what it is to find."""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import translations  # noqa: E402

SOURCE = r"""
[[noreturn]] void fail(const std::string& wrong) { throw FileError(path, wrong); }  // never "said to a person"
constexpr const char* forms = "a list of names";
void f() {
  throw SettingError("--heads", std::to_string(h) + " does not divide " + name(x, "y") + (many ? " heads" : " head"), "expected " + divisors(d));
  fail("its \"header\" ends early");
  fail(forms);
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
assert len(wrong_with({**whole, "has {0}": "有"})) == 1
assert len(wrong_with({**whole, "has {0}{1}": "有 {0}{1}"})) == 1
assert wrong_with(whole, "")  # no sources at all: a mistake of the check's
print("translations.py finds what is missing")
