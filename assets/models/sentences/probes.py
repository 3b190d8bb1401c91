"""Held-out questions: a prefix of a sentence with a pair of nouns that training never saw together, the word that may
follow, one that may not, and which word of the prefix decides (counted from 0)."""
import random as randoms

import grammar
from grammar import NOUNS, third


def own_verb(random, noun, plural):
    verb = random.choice([v for v in NOUNS[noun][2].split() if v != "read"])
    return verb if plural else third(verb)


def pair(random, things=True):
    while True:
        main, other = grammar.Phrase(random), grammar.Phrase(random)
        if main.noun == other.noun or not grammar.held_out(main.noun, other.noun):
            continue
        if not things and "thing" in (main.kind, other.kind):
            continue
        if set(NOUNS[main.noun][2].split()) & set(NOUNS[other.noun][2].split()):
            continue  # the king and the queen both reign
        return main, other


def clause(random, main, other):
    shapes = ["near", "done" if main.kind == "thing" else "does"]
    if main.kind != "thing" and other.kind != "thing":
        shapes.append("done")
    while True:
        shape = random.choice(shapes)
        if shape == "done" and other.kind == "thing":
            continue
        words, _, _ = grammar.subject(random, "present", main, other, shape)
        return words


def agreement(random):
    """The verb's number, with a noun of the other number between."""
    main, other = pair(random)
    other.plural = not main.plural
    words = clause(random, main, other)
    verb = random.choice(grammar.COMMON[main.kind].split())
    right, wrong = (verb, third(verb)) if main.plural else (third(verb), verb)
    return words, right, wrong, words.index(main.form)


def meaning(random):
    """The verb's meaning: cats purr, dogs bark; both nouns in one number."""
    main, other = pair(random)
    other.plural = main.plural
    words = clause(random, main, other)
    if main.adjective in grammar.MOODS[main.kind]:
        return meaning(random)
    return words, own_verb(random, main.noun, main.plural), own_verb(random, other.noun, main.plural), words.index(main.form)


def adjective(random):
    """The adjective of a noun decides its verb: its number and its word must come together."""
    while True:
        main, other = pair(random)
        main.adjective, other.adjective = None, None
        words = clause(random, main, other)
        moods = grammar.MOODS[main.kind]
        if main.adjective in moods:
            break
    wrong = random.choice([v for v in moods.values() if v != moods[main.adjective]])
    right = moods[main.adjective]
    if not main.plural:
        right, wrong = third(right), third(wrong)
    return words, right, wrong, words.index(main.form) - 1


def pronoun(random):
    """What a pronoun stands for: its noun's own verb against the other noun's. Their numbers differ, so it is decided."""
    main, other = pair(random)
    other.plural = not main.plural
    about, rest = (main, other) if random.random() < 0.7 else (other, main)
    words = clause(random, main, other)
    verb = random.choice(grammar.COMMON[main.kind].split())
    words = words + grammar.verb_words(verb, main, "present") + [random.choice(["because", "and", "when", "but"]), about.pronoun]
    return words, own_verb(random, about.noun, about.plural), own_verb(random, rest.noun, about.plural), words.index(about.form)


def time(random):
    """The first word decides the form of a verb far from it."""
    main, other = pair(random)
    words = ["yesterday"] + grammar.subject(random, "past", main, other, "near")[0]
    verb = random.choice([v for v in grammar.COMMON[main.kind].split() if v != "read"])
    return words, grammar.past(verb), verb if main.plural else third(verb), 0


def negation(random):
    """After "not" the plural object has "any"; without it "some"."""
    while True:
        main, other = pair(random, things=False)
        words = clause(random, main, other)
        verb = random.choice(grammar.BETWEEN)
        words = words + ["do" if main.plural else "does", "not", verb]
        return words, "any", "some", len(words) - 2


def itself(random):
    """A reflexive is its subject's, not the nearest noun's."""
    while True:
        main, other = pair(random, things=False)
        if main.self == other.self:
            continue
        words = clause(random, main, other)
        words = words + grammar.verb_words(random.choice(grammar.BETWEEN), main, "present")
        return words, main.self, other.self, words.index(main.form)


KINDS = dict(agreement=agreement, meaning=meaning, adjective=adjective, pronoun=pronoun, time=time, negation=negation, itself=itself)


def questions(count, seed=20261121):
    random = randoms.Random(seed)
    return [(kind, *make(random)) for kind, make in KINDS.items() for _ in range(count)]


if __name__ == "__main__":
    for kind, words, right, wrong, at in questions(4):
        print(kind, " ".join(words), "|", right, "|", wrong, "|", words[at])
