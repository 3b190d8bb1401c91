"""Kinds of next words in English text, by what stands around them: what a head of the model can be needed for."""
PREPOSITIONS = set("of in on at by with from for into through under over near between behind during against about after before".split())
OPENERS = PREPOSITIONS | set("to when if as while since once though although because unless until".split())
DETERMINERS = {"the", "a", "an"}
POSSESSIVES = {"his", "her", "its", "their", "my", "your", "our"}
BE = {"is", "are", "was", "were"}
SHE = set("she her herself girl woman mother wife daughter sister aunt queen princess lady".split())
HE = set("he his him himself boy man father husband son brother uncle king prince lord".split())
SPOKEN_OF = {"he", "she", "his", "her", "him", "himself", "herself"}

KINDS = {
    "spoken_of": lambda line, at: line[at] in SPOKEN_OF and any(word in SHE | HE for word in line[:at]),
    "possessive": lambda line, at: line[at] in POSSESSIVES,
    "was": lambda line, at: line[at] in {"was", "were"},
    "is": lambda line, at: line[at] in {"is", "are"} and line[0] in {"a", "an"},
    "determiner": lambda line, at: line[at] in DETERMINERS and line[at - 1] in PREPOSITIONS,
    "of": lambda line, at: line[at] == "of",
    "by": lambda line, at: line[at] == "by",
    "to": lambda line, at: line[at] == "to",
    "after_to": lambda line, at: line[at - 1] == "to" and line[at] not in DETERMINERS | POSSESSIVES,
    "or": lambda line, at: line[at] == "or",
    "and": lambda line, at: line[at] == "and",
    "that": lambda line, at: line[at] in {"that", "which", "who"},
    "comma": lambda line, at: line[at] == "," and line[0] in OPENERS and "," not in line[:at],
    "piece": lambda line, at: line[at].startswith("##") and line[at - 1].startswith("##"),
    "end": lambda line, at: line[at] == ".",
    "again": lambda line, at: line[at] in line[:at] and line[at].isalpha() and len(line[at]) > 3,
}

DOES = {
    "spoken_of": dict(en="he, she, his", zh="he、she、his"),
    "possessive": dict(en="his, her, its, their", zh="his、her、its、their"),
    "was": dict(en="was, were", zh="was、were"),
    "is": dict(en="is, are in a definition", zh="释义中的 is、are"),
    "determiner": dict(en="the or a after a preposition", zh="介词之后的 the、a"),
    "of": dict(en="of after a noun", zh="名词之后的 of"),
    "by": dict(en="by", zh="by"),
    "to": dict(en="to", zh="to"),
    "after_to": dict(en="the verb after to", zh="to 之后的动词"),
    "or": dict(en="or", zh="or"),
    "and": dict(en="and", zh="and"),
    "that": dict(en="that, which, who", zh="that、which、who"),
    "comma": dict(en="the first comma", zh="第一个逗号"),
    "piece": dict(en="rest of a word", zh="词的其余部分"),
    "end": dict(en="the end of the sentence", zh="句子的结束"),
    "again": dict(en="a word that was there before", zh="前面出现过的词"),
}
