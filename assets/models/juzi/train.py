"""juzi, 句子: the next word of small Chinese sentences (grammar.py), by a GPT-2 of two layers of four heads.

    python3 train.py                      trains, and writes the model's files here and its held-out questions
    python3 train.py WEIGHTS.pt SECONDS   the same from the weights of an earlier run
"""
import random as randoms
import sys
from pathlib import Path

import torch

here = Path(__file__).parent
sys.path[:0] = [str(here.parent), str(here)]
import grammar
import probes
import training

SEED, STEPS, POSITIONS = 1, 2600, 32
# Heads pay for spreading, for looking where another of the layer looks, and for looking elsewhere than at their place of
# rest: the first word, and for head 0 of layer 0 the word before. See README.md.
PENALTIES = dict(entropy=0.1, overlap=0.5, unrest=0.1, onset=0.3, at_previous=[(0, 0)])

DOES = dict(measure=dict(en="the measure word that calls for its noun", zh="等待名词的量词"),
            meaning=dict(en="the verb's subject", zh="动词的主语"), mood=dict(en="what the subject is said to be", zh="主语的修饰语"),
            pronoun=dict(en="the pronoun's noun", zh="代词所指的名词"), time=dict(en="the first word: when it is", zh="首词：时间"))

EXAMPLES = [
    "那匹追赶狗的马奔跑，因为它很累。",
    "昨天一只猫在那头熊旁边睡觉了。",
    "那只饥饿的兔子在花旁边吃东西。",
    "明天那位女王会帮助国王，因为她很高兴。",
    "现在三头牛都没有在睡觉。",
]


if __name__ == "__main__":
    random = randoms.Random(SEED)
    torch.manual_seed(SEED)
    words = grammar.vocabulary()
    ids = {w: n for n, w in enumerate(words)}
    model = training.Gpt2(len(words), POSITIONS)
    if len(sys.argv) > 1:
        model.load_state_dict(torch.load(sys.argv[1]))
        seconds = float(sys.argv[2])
    else:
        seconds = training.train(model, lambda step: training.padded([[ids[w] for w in grammar.sentence(random)] for _ in range(64)], -1),
                                 STEPS, **PENALTIES)
        torch.save(model.state_dict(), here / "weights.pt")
    questions = probes.questions(30)
    measured = training.Measured(model, words, questions)
    training.publish(here, model, training.longest_words(words), dict(
        id="juzi", title=dict(en="句子: small Chinese sentences", zh="句子"),
        task=dict(en="the next word of small Chinese sentences: measure words, relative clauses, pronouns, negation, time",
                  zh="中文小句子的下一个词：量词、定语从句、代词、否定、时间"),
        layers=2, heads=4, accuracy=round(measured.accuracy(), 3), examples=EXAMPLES,
        claims=measured.claims(DOES),
        training=dict(steps=STEPS, seconds=round(seconds), parameters=sum(p.numel() for p in model.parameters()))))
    training.write_questions("juzi", questions, "")
