"""Held-out questions: a prefix with a pair of nouns that training never saw together, the word that may follow, one that
may not, and which word of the prefix decides (counted from 0)."""
import random as randoms

import grammar
from grammar import NOUNS


def pair(random, things=True):
    while True:
        main, other = grammar.Phrase(random), grammar.Phrase(random)
        if main.noun == other.noun or not grammar.held_out(main.noun, other.noun):
            continue
        if main.kind == other.kind == "thing":
            continue
        if not things and "thing" in (main.kind, other.kind):
            continue
        if set(NOUNS[main.noun][2].split()) & set(NOUNS[other.noun][2].split()):
            continue  # the king and the queen both rule
        return main, other


def own_verb(random, noun):
    return random.choice(NOUNS[noun][2].split())


def clause(random, main, other, shape=None):
    if shape is None:
        shape = random.choice(["done"] if main.kind == "thing" else ["does"] if other.kind == "thing" else ["does", "done"])
    return grammar.subject(random, main, other, shape)[0]


def measure(random):
    """The measure word calls for its noun, across a clause with another noun."""
    while True:
        main, other = pair(random)
        if main.measure == other.measure:
            continue
        words = clause(random, main, other)[:-1]
        return words, main.noun, other.noun, words.index(main.measure)


def meaning(random):
    """The verb's meaning across a place: 猫在马旁边▢."""
    while True:
        main, other = pair(random)
        main.plural = False
        words = clause(random, main, other, "near")
        if main.mood is None:
            return words, own_verb(random, main.noun), own_verb(random, other.noun), words.index(main.noun)


def mood(random):
    """What the noun is said to be decides what it does."""
    while True:
        main, other = pair(random, things=False)
        main.plural = False
        words = clause(random, main, other, "near")
        moods = grammar.MOODS[main.kind]
        if main.mood:
            wrong = random.choice([v for v in moods.values() if v != moods[main.mood]])
            return words, moods[main.mood], wrong, words.index(main.mood)


def pronoun(random):
    """What a pronoun stands for: its noun's own verb against the other noun's. One is plural, so it is decided."""
    main, other = pair(random)
    other.plural = not main.plural
    # The number must be said: a bare noun has none.
    words = clause(random, main, other)
    if not other.measure in words or words.count(other.measure) < 1 + (main.measure == other.measure):
        return pronoun(random)
    about, rest = (main, other) if random.random() < 0.7 else (other, main)
    verb = random.choice(grammar.COMMON[main.kind].split())
    words = words + ([verb]) + ["，", random.choice(["因为", "而且", "但是"]), about.pronoun]
    return words, own_verb(random, about.noun), own_verb(random, rest.noun), words.index(about.noun)


def time(random):
    """昨天 calls for 了 after a verb far from it; 明天 for 会."""
    main, other = pair(random)
    main.plural = False
    if random.random() < 0.5:
        words = ["昨天"] + clause(random, main, other) + [own_verb(random, main.noun)]
        return words, "了", "。", 0
    words = ["明天"] + clause(random, main, other)
    return words, "会", "正在", 0


KINDS = dict(measure=measure, meaning=meaning, mood=mood, pronoun=pronoun, time=time)


def questions(count, seed=20261121):
    random = randoms.Random(seed)
    return [(kind, *make(random)) for kind, make in KINDS.items() for _ in range(count)]


if __name__ == "__main__":
    for kind, words, right, wrong, at in questions(4):
        print(kind, "".join(words), "|", right, "|", wrong, "|", words[at])
