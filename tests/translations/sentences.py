"""The sentences that go wrong in core and ui, as templates: what stands in the places where errors are made.

`"says " + std::to_string(n) + " heads"` is the template "says {0} heads"; a choice, (one ? "a" : "b"), gives both.
"""
import pathlib
import re

MAKERS = re.compile(r"\b(?:SettingError|FileError|InputError|ExpressionError|UnknownModel|MissingArray|fail\w*|refuse\w*|miss|lacks|assume\w*|"
                    r"assumptions\.push_back|notes\.push_back|show_error|read_json_object)\s*[({]")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
WRAPPED = re.compile(r"std::string(?:_view)?\s*[({]\s*(\"(?:[^\"\\\n]|\\.)*\"(?:\s*\"(?:[^\"\\\n]|\\.)*\")*)\s*[)}]")
RAW = re.compile(r'R"\((.*?)\)"', re.S)


def without_comments(source):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda m: m.group(1) or "", source)


def split(text, separators):
    """`text` at its separators that stand in no brackets and no string: (separator before it, part)."""
    parts, depth, begin, i, last = [], 0, 0, 0, ""
    while i < len(text):
        c = text[i]
        if c in "\"'":
            end = i + 1
            while end < len(text) and text[end] != c:
                end += 2 if text[end] == "\\" else 1
            i = end + 1
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and c in separators and not (c == ":" and "::" in (text[i - 1:i + 1], text[i:i + 2])):
            parts.append((last, text[begin:i].strip()))
            last, begin = c, i + 1
        i += 1
    parts.append((last, text[begin:].strip()))
    return parts


def closing(text, at):
    """The end of the bracket that `text[at]` opens."""
    depth, i = 0, at
    while i < len(text):
        c = text[i]
        if c == '"' or (c == "'" and not text[i - 1].isalnum()):
            end = i + 1
            while end < len(text) and text[end] != c:
                end += 2 if text[end] == "\\" else 1
            i = end
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return i
        i += 1
    return len(text)


def forms(expression):
    """What an expression may say, computed parts as \\0."""
    e = expression.strip()
    while e.startswith("(") and closing(e, 0) == len(e) - 1:
        e = e[1:-1].strip()
    choice = split(e, "?")
    if len(choice) > 1 and '"' in e:
        rest = e[e.index(choice[1][1]):] if choice[1][1] else ""
        sides = split(rest, ":")
        if len(sides) > 1:
            return forms(sides[0][1]) + forms(rest[rest.index(sides[1][1], len(sides[0][1])):])
    parts = split(e, "+")
    if len(parts) > 1:
        said = [""]
        for _, part in parts:
            said = [a + b for a in said for b in forms(part)]
        return said
    e = WRAPPED.sub(r"\1", e)
    if LITERAL.match(e) and not LITERAL.sub("", e).strip():
        text = "".join(m[1:-1] for m in LITERAL.findall(e))
        return [text.replace('\\"', '"').replace("\\\\", "\\")]
    return ["\0"]


def template(said):
    said = re.sub("\0+", "\0", said)
    number = iter(range(100))
    return re.sub("\0", lambda _: "{%d}" % next(number), said).strip()


def is_sentence(text):
    """Two words at least, one of them English: not a name, a key, or a part of code."""
    words = re.sub(r"\{\d\}|[\"'].*?[\"']|[-\w./]*[_./\d][-\w./]*|[^a-zA-Z' ]", " ", text)
    return " " in text.strip() and re.search(r"(?<![-\w])[a-zA-Z]{2,}(?![-\w])", words) is not None


def sentences(root):
    """{template: the place where it is}"""
    found = {}
    for path in sorted(p for floor in ("core", "ui") for p in (pathlib.Path(root) / floor).rglob("*") if p.suffix in (".cpp", ".h")):
        source = RAW.sub(lambda m: '"%s"' % m.group(1).replace("\\", "\\\\").replace('"', '\\"'), without_comments(path.read_text(encoding="utf-8")))
        constants = {m.group(1): "".join(x[1:-1] for x in LITERAL.findall(m.group(2))).replace('\\"', '"')
                     for m in re.finditer(r"\b(\w+)(?:\[\])?\s*(?:=|\{)\s*((?:\"(?:[^\"\\\n]|\\.)*\"\s*)+)\}?;", source)}
        for match in MAKERS.finditer(source):
            begin = match.end() - 1
            for _, argument in split(source[begin + 1:closing(source, begin)].strip("{}"), ","):
                if '"' not in argument and argument not in constants:
                    continue
                for said in [constants[argument]] if argument in constants else forms(argument):
                    text = template(said)
                    if is_sentence(text):
                        found.setdefault(text, "%s:%d" % (path.relative_to(root), source.count("\n", 0, match.start()) + 1))
    return found


if __name__ == "__main__":
    import sys
    for text, place in sentences(sys.argv[1]).items():
        print(place, text, sep="\t")
