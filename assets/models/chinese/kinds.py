"""Kinds of next characters in Chinese text, by what stands around them: what a head of the model can be needed for."""
STOPS = set("。！？…")

KINDS = {
    "particle": lambda line, at: line[at] in {"的", "了"},
    "plural": lambda line, at: line[at] == "们",
    "comma": lambda line, at: line[at] == "，",
    "period": lambda line, at: line[at] == "。" and "，" in line[:at],
    "question": lambda line, at: line[at] == "？",
    "inside": lambda line, at: line[at] == "里" and any(c in "在到从进往向这那哪" for c in line[max(0, at - 8) : at]),
    "pronoun": lambda line, at: line[at] in set("我你他她它"),
    "again": lambda line, at: line[at] in line[:at] and line[at] not in STOPS | {"，", "的", "们"},
    "not": lambda line, at: line[at] in set("不没"),
    "is": lambda line, at: line[at] == "是",
    "measure": lambda line, at: line[at] in set("个只条匹头位座本块把些种群场件封辆艘盏棵朵") and line[at - 1] in set("一两三四几这那每"),
    "second": lambda line, at: line[at - 1] not in STOPS | {"，"} and line[at] not in STOPS | set("，的了们是不我你他她它在"),
    "after_pronoun": lambda line, at: line[at - 1] in set("我你他她它"),
}

DOES = {
    "particle": dict(en="的 and 了", zh="“的”和“了”"),
    "plural": dict(en="们 after a person", zh="人之后的“们”"),
    "comma": dict(en="the comma", zh="逗号"),
    "period": dict(en="the full stop after several clauses", zh="分句之后的句号"),
    "question": dict(en="the question mark", zh="问号"),
    "inside": dict(en="里", zh="“里”"),
    "pronoun": dict(en="我, 你, 他, 她", zh="我、你、他、她"),
    "again": dict(en="a character that was there before", zh="前面出现过的字"),
    "not": dict(en="不 and 没", zh="不、没"),
    "is": dict(en="是", zh="是"),
    "measure": dict(en="the measure word after a number", zh="数词之后的量词"),
    "second": dict(en="the rest of a word", zh="一个词的其余部分"),
    "after_pronoun": dict(en="what follows 我, 你, 他", zh="“我、你、他”之后的字"),
}
