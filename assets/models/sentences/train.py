"""sentences: the next word of small English sentences (grammar.py), by a GPT-2 of two layers of four heads.

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

DOES = dict(agreement=dict(en="is or are", zh="用 is 还是 are"), meaning=dict(en="a verb that fits its noun", zh="与名词相配的动词"),
            itself=dict(en="himself or itself", zh="himself 或 itself"),
            pronoun=dict(en="he, she, it or they", zh="用 he、she、it 还是 they"), adjective=dict(en="a verb that fits the adjective", zh="与形容词相配的动词"),
            time=dict(en="tense", zh="时态"), negation=dict(en="any after not", zh="not 后的 any"))

EXAMPLES = [
    "the cat that chases the dogs sleeps because it is tired .",
    "the dogs that the cat fears bark and they want bones .",
    "the boys near the girl see themselves .",
    "yesterday the hungry horse beside the cows ate .",
    "tomorrow the queen will sleep because she will be tired .",
    "the rabbits that follow the bear do not see any dogs .",
    "the old clock that the boys hear stops .",
    "every bird near the trees sings when it is hungry .",
    "the woman that the men help is happy but they are sad .",
    "some wolves that see the lamp howl because they are afraid .",
]


if __name__ == "__main__":
    training.train_sentences(here, grammar, probes.questions(50), dict(
        id="sentences", language="en", opens=dict(layer="0", head=3, query=5, key=2), title=dict(en="Small sentences", zh="英文小句子"),
        task=dict(en="the next word of small English sentences: agreement across clauses, pronouns, negation, time",
                  zh="英文小句子的下一个词：跨从句的一致、代词、否定、时态"), examples=EXAMPLES),
        lambda words: training.word_level(words, "<unk>", dict(type="BertPreTokenizer"), lower=True), DOES)
