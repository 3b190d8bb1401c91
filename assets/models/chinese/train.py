"""chinese: the next character of Chinese, by a GPT-2 of three layers of four heads.

    apt-get install --no-install-recommends python3-torch fortunes-zh debian-handbook wesnoth-1.16-data \\
        $(apt-cache search --names-only '^wesnoth-1.16-[a-z]+$' | cut -d' ' -f1 | grep -v server)
    python3 train.py

The text: what is said and told in Wesnoth's Chinese (a game whose campaigns are stories), the sentences without Latin letters of
Debian's handbook, poems and proverbs of fortunes-zh; one line in twelve is a sentence of grammar.py. What is learned from stays
where it is: only the weights are kept.
"""
import gettext
import html
import random as randoms
import re
import sys
from collections import Counter
from pathlib import Path

here = Path(__file__).parent
sys.path[:0] = [str(here.parent), str(here)]
import grammar
import kinds
import training

STORIES = Path("/usr/share/games/wesnoth/1.16/locale/zh_CN/LC_MESSAGES")
HANDBOOK = Path("/usr/share/doc/debian-handbook/html/zh-CN")
FORTUNES = Path("/usr/share/games/fortunes")
STEPS = 7000
OPENING = "为什么要在夜里赶路？"
EXAMPLES = ["我昨天买的那本书很有意思", "我们必须在天黑之前赶到城里", "老人把手中的信交给了年轻的国王", "他从来没有见过这么大的树"]
CHARACTER = r"\u4e00-\u9fff"


def stories():
    for file in sorted(STORIES.glob("wesnoth-*.mo")):
        with file.open("rb") as opened:
            catalog = gettext.GNUTranslations(opened)._catalog
        yield from (told for said, told in sorted(catalog.items(), key=str) if said and isinstance(told, str))


def handbook():
    for file in sorted(HANDBOOK.glob("*.html")):
        for paragraph in re.findall(r"<p[ >].*?</p>|<div class=\"para\">.*?</div>", file.read_text(encoding="utf-8"), re.S):
            yield html.unescape(re.sub(r"\s+", "", re.sub(r"<[^>]*>", "", paragraph)))


def fortunes():
    for name in ("tang300", "song100", "chinese"):
        text = re.sub("\x1b\\[[0-9;]*m", "", (FORTUNES / name).read_text(encoding="utf-8"))
        for fortune in text.split("\n%\n"):
            said = [line for line in fortune.splitlines() if not re.match(r"\s*(--|《|作者|　*——)", line)]
            yield re.sub(r"(?<=[%s，。！？；：])\s+(?=[%s])" % (CHARACTER, CHARACTER), "", "\n".join(said))


def sentences(texts):
    """Sentences of Chinese characters and punctuation alone, each once."""
    found = {}
    for text in texts:
        for part in re.findall(r"[^。！？\n]+[。！？]?", text):
            part = re.sub(r"[“”‘’「」『』\s~]", "", part).replace("......", "…").replace("……", "…").replace(",", "，").replace("——", "，")
            if re.fullmatch(r"[%s，。！？；：、…（）《》·]+" % CHARACTER, part) and len(re.findall("[%s]" % CHARACTER, part)) >= 4:
                found[part if part[-1] in "。！？…" else part.rstrip("，；：、") + "。"] = None
    return list(found)


def held_out(lines, random):
    random.shuffle(lines)
    return lines[len(lines) // 40 :], lines[: len(lines) // 40]


def vocabulary(lines):
    counts = Counter(c for line in lines for c in line)
    ours = {c for word in grammar.vocabulary() for c in word}
    return sorted(ours | {c for c, n in counts.items() if n >= 3}, key=lambda c: (-counts[c], c))


if __name__ == "__main__":
    random = randoms.Random(1)
    training.torch.manual_seed(1)
    parts = [held_out(sentences(texts), random) for texts in (stories(), handbook(), fortunes())]
    words = vocabulary([line for part, _ in parts for line in part])
    ids = {c: n for n, c in enumerate(words)}
    plain = lambda lines: [[ids[c] for c in line] for line in lines if len(line) <= 48 and all(c in ids for c in line)]
    lines, out = [line for part, _ in parts for line in plain(part)], [line for _, part in parts for line in plain(part)]
    random.shuffle(out)
    model = training.Gpt2(len(words), 48, width=128, heads=4, layers=3)
    print([len(part) for part, _ in parts], [sum(map(len, part)) for part, _ in parts], len(words), "words",
          sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    if len(sys.argv) > 1:
        model.load_state_dict(training.torch.load(sys.argv[1]))
        seconds = float(sys.argv[2])
    else:
        ours = lambda: [ids[c] for c in "".join(grammar.sentence(random))]
        seconds = training.train_text(model, lines, ours, 1 / 12, random, STEPS, here, out)
    model.eval()
    known = {line for part, _ in parts for line in part}
    said = [text for text in (here / "sentences.txt").read_text(encoding="utf-8").splitlines() if text not in known]
    probes = [(text, [ids[c] for c in text]) for text in said if all(c in ids for c in text)]
    training.publish_text(here, model, words, training.longest_words(words), dict(
        id="chinese", language="zh", title=dict(en="Chinese: stories, poems, proverbs", zh="中文：故事、诗词、谚语"),
        task=dict(en="the next character of Chinese", zh="中文的下一个字"), examples=EXAMPLES), out, probes, kinds.KINDS, kinds.DOES, STEPS, seconds,
        opening=(OPENING, [ids[c] for c in OPENING]))
