"""The sentences that `sentences` learns from: agreement across clauses, pronouns, negation, tense.

What a noun does is part of the grammar (cats purr, dogs bark), so that a verb has to find its subject and a pronoun its
noun, not only their number. The first word may be the time ("yesterday"), on which every verb's form depends.
"""
import zlib

ANIMALS = {  # singular: plural, what it alone does, what it wants
    "cat": ("cats", "purr meow", "milk"), "dog": ("dogs", "bark", "bones"), "bird": ("birds", "sing chirp", "seeds"),
    "mouse": ("mice", "squeak", "cheese"), "horse": ("horses", "gallop neigh", "hay"), "cow": ("cows", "moo", "grass"),
    "lion": ("lions", "roar", "meat"), "bear": ("bears", "growl", "honey"), "duck": ("ducks", "quack", "bread"),
    "frog": ("frogs", "croak", "insects"), "rabbit": ("rabbits", "hop", "carrots"), "wolf": ("wolves", "howl", "meat"),
    "goat": ("goats", "bleat", "grass"), "pig": ("pigs", "grunt", "apples"), "bee": ("bees", "buzz", "nectar"),
    "owl": ("owls", "hoot", "insects"), "snake": ("snakes", "hiss", "eggs"), "monkey": ("monkeys", "chatter", "bananas"),
}
MEN = {"boy": ("boys", "play", "cake"), "man": ("men", "work", "coffee"), "king": ("kings", "reign", "gold"),
       "father": ("fathers", "cook", "tea"), "brother": ("brothers", "study", "books"), "uncle": ("uncles", "knit", "letters")}
WOMEN = {"girl": ("girls", "play", "cake"), "woman": ("women", "work", "coffee"), "queen": ("queens", "reign", "gold"),
         "mother": ("mothers", "cook", "tea"), "sister": ("sisters", "study", "books"), "aunt": ("aunts", "knit", "letters")}
THINGS = {"car": ("cars", "brake", "fuel"), "train": ("trains", "arrive", "fuel"), "boat": ("boats", "sail", "fuel"),
          "bell": ("bells", "ring", "oil"), "clock": ("clocks", "tick", "power"), "lamp": ("lamps", "shine", "power"),
          "phone": ("phones", "ring", "power"), "tree": ("trees", "grow", "rain"), "flower": ("flowers", "bloom", "rain")}
KINDS = {"animal": ANIMALS, "man": MEN, "woman": WOMEN, "thing": THINGS}
COMMON = {"animal": "sleep eat run hide", "man": "sleep eat laugh talk", "woman": "sleep eat laugh talk", "thing": "stop fall"}
FEELS = {"animal": "tired hungry thirsty afraid wild", "man": "happy sad angry busy tired", "woman": "happy sad angry busy tired",
         "thing": "old new broken red"}
PRONOUN = {"animal": "it", "man": "he", "woman": "she", "thing": "it"}
SELF = {"animal": "itself", "man": "himself", "woman": "herself", "thing": "itself"}
BETWEEN = "chase see hear follow like fear watch help".split()
PASSIVE = "see hear like watch".split()  # what may be done to a thing
PAST = {"sing": "sang", "sleep": "slept", "eat": "ate", "run": "ran", "hide": "hid", "read": "read", "ring": "rang",
        "shine": "shone", "grow": "grew", "fall": "fell", "see": "saw", "hear": "heard", "is": "was", "hop": "hopped",
        "stop": "stopped", "chat": "chatted", "knit": "knitted", "study": "studied"}
MOODS = {  # what an adjective before the noun makes it do
    "animal": {"hungry": "eat", "tired": "sleep", "shy": "hide", "quick": "run"},
    "man": {"hungry": "eat", "tired": "sleep", "happy": "laugh", "friendly": "talk"},
    "woman": {"hungry": "eat", "tired": "sleep", "happy": "laugh", "friendly": "talk"},
    "thing": {"old": "stop", "heavy": "fall"},
}
ADJECTIVES = "small big young".split()
NEAR = "near behind beside".split()

NOUNS = {noun: (kind, *row) for kind, table in KINDS.items() for noun, row in table.items()}


def third(verb):
    if verb.endswith("y") and verb[-2] not in "aeo":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("ss", "sh", "ch", "x", "zz")) else "s")


def past(verb):
    return PAST.get(verb) or (verb + "d" if verb.endswith("e") else verb + "ed")


def held_out(subject, other):
    """One pair of nouns in ten is never seen together in training."""
    return zlib.crc32(f"{subject} {other}".encode()) % 10 == 0


def verbs_of(noun):
    kind, _, own, _ = NOUNS[noun]
    return own.split() * 2 + COMMON[kind].split()


class Phrase:
    """A noun with its number, as a subject or an object."""

    def __init__(self, random, noun=None, plural=None, unlike=None, things=True):
        kinds = ["animal"] * 5 + ["man", "woman"] * 2 + (["thing"] * 3 if things else [])
        while True:
            self.noun = noun or random.choice(list(KINDS[random.choice(kinds)]))
            if noun or unlike is None or self.noun != unlike:
                break
        self.kind = NOUNS[self.noun][0]
        self.plural = random.random() < 0.5 if plural is None else plural
        self.adjective = None

    @property
    def form(self):
        return NOUNS[self.noun][1] if self.plural else self.noun

    @property
    def pronoun(self):
        return "they" if self.plural else PRONOUN[self.kind]

    @property
    def self(self):
        return "themselves" if self.plural else SELF[self.kind]

    def words(self, random):
        few = random.random()
        if few < 0.75:
            first = ["the"]
        else:
            first = [random.choice(["some", "many", "two"])] if self.plural else [random.choice(["a", "every"])]
        if random.random() < 0.40:
            self.adjective = random.choice(list(MOODS[self.kind])) if random.random() < 0.8 else random.choice(ADJECTIVES)
            first = first + [self.adjective]
        return first + [self.form]

    def verb(self, random):
        """What it does: as its adjective says, else what its kind alone does or its kind in general."""
        mood = MOODS[self.kind].get(self.adjective)
        if mood and random.random() < 0.75:
            return mood
        return random.choice(verbs_of(self.noun))


def verb_words(verb, phrase, tense, negated=False):
    if tense == "past":
        return ["did", "not", verb] if negated else [past(verb)]
    if tense == "future":
        return ["will", "not", verb] if negated else ["will", verb]
    if negated:
        return ["do" if phrase.plural else "does", "not", verb]
    return [verb if phrase.plural else third(verb)]


def is_words(phrase, tense, negated=False):
    if tense == "future":
        return ["will", "not", "be"] if negated else ["will", "be"]
    if tense == "past":
        word = "were" if phrase.plural else "was"
    else:
        word = "are" if phrase.plural else "is"
    return [word, "not"] if negated else [word]


def predicate(random, phrase, tense, after_pronoun):
    """What follows a subject; `after_pronoun`: what is said of a noun named before."""
    negated = random.random() < 0.15
    adverb = [random.choice(["often", "never", "always"])] if random.random() < 0.1 and not negated and tense != "future" else []
    way = random.random()
    if after_pronoun and way < 0.25:
        kind, _, _, wants = NOUNS[phrase.noun]
        return adverb + verb_words("need" if kind == "thing" else "want", phrase, tense, negated) + [wants]
    if way < 0.45:
        return is_words(phrase, tense, negated) + [random.choice(FEELS[phrase.kind].split())]
    if way < 0.80 or phrase.kind == "thing":
        return adverb + verb_words(phrase.verb(random), phrase, tense, negated)
    verb = random.choice(BETWEEN)
    if random.random() < 0.3:
        return adverb + verb_words(verb, phrase, tense, negated) + [phrase.self]
    other = Phrase(random, unlike=phrase.noun, things=verb in PASSIVE)
    some = ["any", other.form] if negated and other.plural else other.words(random)
    return adverb + verb_words(verb, phrase, tense, negated) + some


def subject(random, tense, phrase=None, other=None, shape=None):
    """A subject with what stands between it and its verb. → words, subject, the other noun or None."""
    phrase = phrase or Phrase(random)
    words = phrase.words(random)
    shape = shape or random.choices(["none", "does", "done", "near"], [25, 35, 22, 18])[0]
    if phrase.kind == "thing" and shape == "does":
        shape = "done"
    if shape == "none":
        return words, phrase, None
    other = other or Phrase(random, unlike=phrase.noun, things=shape != "done")
    if shape == "near":
        return words + [random.choice(NEAR)] + other.words(random), phrase, other
    if shape == "does":
        verb = random.choice(PASSIVE if other.kind == "thing" else BETWEEN)
        return words + ["that"] + verb_words(verb, phrase, tense) + other.words(random), phrase, other
    verb = random.choice(PASSIVE if phrase.kind == "thing" else BETWEEN)
    return words + ["that"] + other.words(random) + verb_words(verb, other, tense), phrase, other


def time(random):
    way = random.random()
    if way < 0.60:
        return [], "present"
    if way < 0.70:
        return ["today"], "present"
    return (["yesterday"], "past") if way < 0.88 else (["tomorrow"], "future")


def sentence(random, test=False):
    """One sentence as a list of words, "." last. `test`: of pairs of nouns that training never sees together."""
    while True:
        words, tense = time(random)
        first, main, other = subject(random, tense)
        if other is not None and held_out(main.noun, other.noun) != test:
            continue
        words = words + first + predicate(random, main, tense, after_pronoun=False)
        way = random.random()
        if way < 0.75:
            # Its noun: the subject, unless the pronoun fits the other noun alone.
            about = main
            if other is not None and other.pronoun != main.pronoun and random.random() < 0.3:
                about = other
            words = words + [random.choice(["because", "because", "and", "when", "but"]), about.pronoun]
            words += predicate(random, about, tense, after_pronoun=True)
        elif way < 0.85:
            next_words, next_main, _ = subject(random, tense, shape="none")
            words = words + [random.choice(["while", "and", "but"])] + next_words
            words += verb_words(next_main.verb(random), next_main, tense)
        if len(words) < 24:
            return words + ["."]


def vocabulary():
    """Every word that a sentence may hold."""
    words = ["the", "a", "every", "some", "many", "two", "any", "that", *NEAR, *ADJECTIVES, "is", "are", "was", "were", "will", "be",
             "do", "does", "did", "not", "often", "never", "always", "because", "and", "when", "but", "while",
             "it", "he", "she", "they", "itself", "himself", "herself", "themselves", "today", "yesterday", "tomorrow"]
    for noun, (_, plural, _, _) in NOUNS.items():
        words += [noun, plural]
    verbs = [*BETWEEN, "want", "need", *(v for n in NOUNS for v in verbs_of(n))]
    for verb in verbs:
        words += [verb, third(verb), past(verb)]
    for text in FEELS.values():
        words += text.split()
    for moods in MOODS.values():
        words += moods
    words += [row[3] for row in NOUNS.values()]
    return ["."] + list(dict.fromkeys(words))
