"""english: the next word of plain English, by a GPT-2 of three layers of four heads.

    apt-get install --no-install-recommends python3-torch wordnet-base wesnoth-1.16-data \\
        $(apt-cache search --names-only '^wesnoth-1.16-[a-z]+$' | cut -d' ' -f1 | grep -v server)
    python3 train.py                      trains, and writes the model's files here
    python3 train.py WEIGHTS.pt SECONDS   the same from the weights of an earlier run

The text is WordNet's definitions and example sentences, and what is said and told in Wesnoth (a game whose campaigns are stories);
one line in twelve is a sentence of grammar.py, for agreement and reference. What is learned from stays where it is: only the
weights are kept.
"""
import gettext
import random as randoms
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

here = Path(__file__).parent
sys.path[:0] = [str(here.parent), str(here)]
import grammar
import kinds
import training

WORDNET = Path("/usr/share/wordnet")
STORIES = Path("/usr/share/games/wesnoth/1.16/locale/zh_CN/LC_MESSAGES")  # each translation with its English original
WHOLE_WORDS, PIECES, STEPS = 5400, 600, 7000

OPENING = "the woman asked her brother because she was tired ."
EXAMPLES = [
    "The bank raised the rates because it feared inflation",
    "She gave her brother the book that he wanted",
    "The keys to the cabinet are on the table",
    "a large bird that lives near the water",
    "the children were playing in the garden",
]


def words_of(text):
    """As BertNormalizer and BertPreTokenizer do: lower case, no accents, punctuation alone."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return re.findall(r"[a-z0-9]+|[^a-z0-9\s]", plain)


def wordnet():
    """Each line of WordNet as words: (examples, definitions). A line is known by nothing but itself, so the same text twice
    is one line, and what is held out is never trained on."""
    examples, definitions = {}, {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (WORDNET / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if line.startswith(" ") or " | " not in line:
                continue
            gloss = line.split(" | ", 1)[1]
            for found in re.findall(r'"([^"]+)"', gloss):
                examples[sentence(found)] = None
            meaning = re.sub(r"\([^)]*\)", " ", gloss.split('"')[0])
            for found in meaning.split(";"):
                definitions[sentence(found)] = None
    keep = [lambda line: 3 <= len(line) <= 40 and all(w.isascii() for w in line)] * 2
    return [[list(line) for line in lines if test(line)] for lines, test in zip((examples, definitions), keep)]


def stories():
    """Whole sentences of Wesnoth's English, as words, each once."""
    found = {}
    for file in sorted(STORIES.glob("wesnoth-*.mo")):
        with file.open("rb") as opened:
            catalog = gettext.GNUTranslations(opened)._catalog
        for said in sorted(said for said in catalog if isinstance(said, str)):
            said = re.sub(r"<[^>]*>", "", said.split("\x04")[-1]).translate(str.maketrans("’‘—", "''-"))
            for part in re.findall(r"[^.!?…\n]+[.!?]+", said):
                part = part.strip(" \"'-")
                if re.fullmatch(r"[A-Z][A-Za-z ,;:'.!?-]+", part):
                    line = tuple(words_of(re.sub(r"[.!?]+$", lambda end: end[0][-1], part)))
                    if 5 <= len(line) <= 40:
                        found[line] = None
    return [list(line) for line in found]


def sentence(text):
    words = words_of(text.strip(" ;:,-`'"))
    return tuple(words if words and words[-1] in ".?!" else words + ["."])


def held_out(lines, random):
    """Lines in their order shuffled: (training, held out), one in forty."""
    lines = list(lines)
    random.shuffle(lines)
    return lines[len(lines) // 40 :], lines[: len(lines) // 40]


def pieces_of(counts, size):
    """Pieces for words that are not whole: the pair that comes most often is joined, again and again (Sennrich et al. 2016)."""
    split = {word: [word[0]] + ["##" + c for c in word[1:]] for word in counts}
    pairs, holders = Counter(), {}

    def count(word, sign):
        for pair in zip(split[word], split[word][1:]):
            pairs[pair] += sign * counts[word]
            holders.setdefault(pair, set()).add(word)

    for word in counts:
        count(word, 1)
    pieces = {}
    while len(pieces) < size:
        pair = max(pairs, key=lambda p: (pairs[p], p))
        joined = pair[0] + pair[1][2:]
        pieces[joined] = None
        for word in sorted(holders.pop(pair)):
            count(word, -1)
            parts, at = split[word], 0
            while at + 1 < len(parts):
                if (parts[at], parts[at + 1]) == pair:
                    parts[at : at + 2] = [joined]
                at += 1
            count(word, 1)
    return list(pieces)


def vocabulary(lines):
    """Punctuation, letters alone and inside a word, the most frequent words, pieces of the others."""
    counts = Counter(w for line in lines for w in line)
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789")
    signs = [w for w, n in counts.items() if not w.isalnum()]
    always = dict.fromkeys(sorted(set(signs) | set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")) + letters + ["##" + c for c in letters])
    ours = [w for w in grammar.vocabulary() if w.isalpha()]
    frequent = [w for w, _ in counts.most_common() if w.isalpha() and len(w) > 1]
    whole = dict.fromkeys(sorted({*ours, *frequent[:WHOLE_WORDS]}, key=lambda w: (-counts[w], w)))
    rare = {w: n for w, n in counts.items() if w.isalpha() and w not in whole and w not in always and n > 1}
    return list(dict.fromkeys([*always, *whole, *pieces_of(rare, PIECES)]))


class Pieces:
    """WordPiece (Schuster & Nakajima 2012): the longest piece first."""

    def __init__(self, words):
        self.ids, self.known = {w: n for n, w in enumerate(words)}, {}
        self.longest = max(map(len, words))

    def word(self, word):
        if word not in self.known:
            found, at = [], 0
            while at < len(word):
                end = next(e for e in range(min(len(word), at + self.longest), at, -1) if ("##" if at else "") + word[at:e] in self.ids)
                found.append(self.ids[("##" if at else "") + word[at:end]])
                at = end
            self.known[word] = found
        return self.known[word]

    def line(self, words):
        return [piece for word in words for piece in self.word(word)]


def texts(random):
    """Of the examples, the definitions and the stories: (training, held out), as words."""
    return [held_out(lines, random) for lines in (*wordnet(), stories())]


def plain(lines, pieces):
    """Lines as pieces, without those that are mostly names and Latin: more than half as many pieces again as words."""
    split = [(line, pieces.line(line)) for line in lines]
    return [found for line, found in split if 2 * len(found) <= 3 * len(line) and len(found) <= 48]


if __name__ == "__main__":
    random = randoms.Random(1)
    training.torch.manual_seed(1)
    parts = texts(random)
    words = vocabulary([line for part, _ in parts for line in part])
    pieces = Pieces(words)
    examples, definitions, told = (plain(part, pieces) for part, _ in parts)
    lines = examples * 3 + definitions + told * 3
    out = [line for _, part in parts for line in plain(part, pieces)]
    random.shuffle(out)
    model = training.Gpt2(len(words), 48, width=128, heads=4, layers=3)
    print(len(lines), "lines", sum(map(len, lines)), "tokens", len(words), "words", sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    if len(sys.argv) > 1:
        model.load_state_dict(training.torch.load(sys.argv[1]))
        seconds = float(sys.argv[2])
    else:
        seconds = training.train_text(model, lines, lambda: pieces.line(grammar.sentence(random)), 1 / 12, random, STEPS, here, out)
    model.eval()
    known = {tuple(line) for part, _ in parts for line in part}
    probes = [(text, pieces.line(text.split())) for text in (here / "sentences.txt").read_text().splitlines() if tuple(text.split()) not in known]
    tokenizer = training.word_level(words, "<unk>", dict(type="BertPreTokenizer"))
    tokenizer["normalizer"] = dict(type="BertNormalizer", clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
    tokenizer["model"].update(type="WordPiece", continuing_subword_prefix="##", max_input_chars_per_word=100)
    training.publish_text(here, model, words, tokenizer, dict(
        id="english", language="en", title=dict(en="Plain English", zh="日常英文"),
        task=dict(en="the next word of plain English: a dictionary's definitions and examples, stories", zh="日常英文的下一个词：词典的释义与例句、故事"),
        examples=EXAMPLES), out, probes, kinds.KINDS, kinds.DOES, STEPS, seconds,
        opening=(OPENING, pieces.line(OPENING.split())))
