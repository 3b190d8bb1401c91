"""juzi, 句子: the next word of small Chinese sentences (grammar.py), by a GPT-2 of two layers of four heads.

    python3 train.py                      trains, and writes the model's files here and its held-out questions
    python3 train.py WEIGHTS.pt SECONDS   the same from the weights of an earlier run
"""
import sys
from pathlib import Path

here = Path(__file__).parent
sys.path[:0] = [str(here.parent), str(here)]
import grammar
import probes
import training

DOES = dict(measure=dict(en="nouns after measure words", zh="量词配名词"), meaning=dict(en="a verb that fits its noun", zh="与名词相配的动词"),
            mood=dict(en="verbs after adjectives", zh="动词配形容词"), pronoun=dict(en="它, 他, 她 or 它们", zh="用“它、他、她”还是“它们”"),
            time=dict(en="了, 会 or 在: when it is", zh="“了、会、在”：时间"))

EXAMPLES = [
    "明天那位女王会帮助国王，因为她很高兴。",
    "那匹追赶狗的马奔跑，因为它很累。",
    "昨天一只猫在那头熊旁边睡觉了。",
    "那只饥饿的兔子在花旁边吃东西。",
    "现在三头牛都没有在睡觉。",
]


if __name__ == "__main__":
    training.train_sentences(here, grammar, probes.questions(30), dict(
        id="juzi", language="zh", opens=dict(layer="0", head=2, query=3, key=2), title=dict(en="句子: small Chinese sentences", zh="句子"),
        task=dict(en="the next word of small Chinese sentences: measure words, relative clauses, pronouns, negation, time",
                  zh="中文小句子的下一个词：量词、定语从句、代词、否定、时间"), examples=EXAMPLES),
        training.longest_words, DOES, blank="", steps=8000, onset=0.5)
