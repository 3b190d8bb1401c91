"""The sentences that `juzi` learns from: measure words, relative clauses before their noun, pronouns, negation, time.

A measure word calls for its noun across a whole clause (那匹…的▢: 马), a verb for its subject across a place
(猫在马旁边▢), 了, 会 and 正在 for the word that the sentence begins with.
"""
import zlib

ANIMALS = {  # noun: measure word, what it alone does, what it wants
    "猫": ("只", "喵喵叫 打呼噜", "牛奶"), "狗": ("条", "汪汪叫", "骨头"), "鸟": ("只", "唱歌", "种子"), "老鼠": ("只", "吱吱叫", "奶酪"),
    "马": ("匹", "奔跑", "干草"), "牛": ("头", "耕田", "青草"), "狮子": ("头", "吼叫", "肉"), "熊": ("头", "爬树", "蜂蜜"),
    "鸭子": ("只", "嘎嘎叫", "面包"), "青蛙": ("只", "呱呱叫", "虫子"), "兔子": ("只", "蹦跳", "胡萝卜"), "狼": ("匹", "嚎叫", "肉"),
    "羊": ("头", "咩咩叫", "青草"), "猪": ("头", "哼哼叫", "苹果"), "蛇": ("条", "爬行", "蛋"), "鱼": ("条", "游水", "虫子"),
    "猴子": ("只", "荡秋千", "香蕉"),
}
MEN = {"男孩": ("个", "玩耍", "蛋糕"), "爸爸": ("位", "做饭", "茶"), "国王": ("位", "下令", "黄金"), "哥哥": ("个", "学习", "书"),
       "叔叔": ("位", "写信", "咖啡")}
WOMEN = {"女孩": ("个", "玩耍", "蛋糕"), "妈妈": ("位", "做饭", "茶"), "女王": ("位", "下令", "黄金"), "姐姐": ("个", "学习", "书"),
         "阿姨": ("位", "写信", "咖啡")}
THINGS = {"汽车": ("辆", "刹车", "汽油"), "火车": ("列", "到站", "煤"), "船": ("艘", "航行", "风"), "钟": ("座", "滴答响", "电"),
          "灯": ("盏", "发光", "电"), "树": ("棵", "结果", "雨水"), "花": ("朵", "开放", "雨水")}
KINDS = {"animal": ANIMALS, "man": MEN, "woman": WOMEN, "thing": THINGS}
COMMON = {"animal": "睡觉 吃东西 躲藏", "man": "睡觉 吃东西 大笑", "woman": "睡觉 吃东西 大笑", "thing": "晃动"}
MOODS = {"animal": {"饥饿": "吃东西", "困倦": "睡觉", "胆小": "躲藏"}, "man": {"饥饿": "吃东西", "困倦": "睡觉", "快乐": "大笑"},
         "woman": {"饥饿": "吃东西", "困倦": "睡觉", "快乐": "大笑"}, "thing": {}}
FEELS = {"animal": "饿 累 渴 怕冷", "man": "累 高兴 难过 生气", "woman": "累 高兴 难过 生气", "thing": "旧 坏"}
PRONOUN = {"animal": "它", "man": "他", "woman": "她", "thing": "它"}
BETWEEN = "追赶 看见 听见 跟随 拥抱 帮助 躲开".split()
ON_THINGS = "看见 听见 躲开".split()
ON_ONESELF = "看见 听见 帮助".split()

NOUNS = {noun: (kind, *row) for kind, table in KINDS.items() for noun, row in table.items()}


def held_out(subject, other):
    """One pair of nouns in ten is never seen together in training."""
    return zlib.crc32(f"{subject} {other}".encode()) % 10 == 0


def verbs_of(noun):
    kind, _, own, _ = NOUNS[noun]
    return own.split() * 3 + COMMON[kind].split()


class Phrase:
    def __init__(self, random, plural=None, unlike=None, things=True):
        kinds = ["animal"] * 5 + ["man", "woman"] * 2 + (["thing"] * 3 if things else [])
        while True:
            self.noun = random.choice(list(KINDS[random.choice(kinds)]))
            if self.noun != unlike:
                break
        self.kind, self.measure = NOUNS[self.noun][:2]
        self.plural = random.random() < 0.4 if plural is None else plural
        self.mood = None

    @property
    def pronoun(self):
        return PRONOUN[self.kind] + ("们" if self.plural else "")

    def count(self, random):
        if self.plural:
            return [random.choice(["两", "三", "几"]), self.measure]
        return [random.choice(["那", "那", "这", "一"]), self.measure]

    def words(self, random):
        if not self.plural and random.random() < 0.6:
            return [self.noun]
        return self.count(random) + [self.noun]

    def verb(self, random):
        mood = MOODS[self.kind].get(self.mood)
        if mood and random.random() < 0.75:
            return mood
        return random.choice(verbs_of(self.noun))


def acts(verb, rest, time, negated, both=()):
    """How time, negation and 都 stand around a verb."""
    both = list(both)
    if time == "昨天":
        return both + (["没有", verb, *rest] if negated else [verb, "了", *rest])
    if time == "明天":
        return both + (["不会", verb, *rest] if negated else ["会", verb, *rest])
    if time == "现在":
        return both + (["没有在", verb, *rest] if negated else ["正在", verb, *rest])
    return both + (["不", verb, *rest] if negated else [verb, *rest])


def predicate(random, phrase, time, after_pronoun):
    negated = random.random() < 0.15
    both = ["都"] if phrase.plural and random.random() < 0.6 else []
    way = random.random()
    if after_pronoun and way < 0.3:
        return both + (["不"] if negated else []) + ["需要" if phrase.kind == "thing" else "想要", NOUNS[phrase.noun][3]]
    if after_pronoun and way < 0.4:
        return both + (["不"] if negated else ["很"]) + [random.choice(FEELS[phrase.kind].split())]
    if way < 0.82 or phrase.kind == "thing":
        return acts(phrase.verb(random), [], time, negated, both)
    verb = random.choice(BETWEEN)
    if random.random() < 0.25:
        return acts(random.choice(ON_ONESELF), ["自己"], time, negated, both)
    return acts(verb, Phrase(random, unlike=phrase.noun, things=verb in ON_THINGS).words(random), time, negated, both)


def subject(random, phrase=None, other=None, shape=None):
    """→ words, subject, the other noun or None. Shapes: 追狗的猫, 狗追的猫, 猫在狗旁边."""
    phrase = phrase or Phrase(random)
    shape = shape or random.choices(["none", "does", "done", "near"], [25, 30, 20, 25])[0]
    if phrase.kind == "thing" and shape == "does":
        shape = "done"
    if shape == "none":
        if MOODS[phrase.kind] and random.random() < 0.5:
            phrase.mood = random.choice(list(MOODS[phrase.kind]))
            return phrase.count(random) + [phrase.mood, "的", phrase.noun], phrase, None
        return phrase.count(random) + [phrase.noun], phrase, None
    other = other or Phrase(random, unlike=phrase.noun, things=shape != "done")
    if shape == "near":
        start = phrase.count(random)
        if MOODS[phrase.kind] and random.random() < 0.4:
            phrase.mood = random.choice(list(MOODS[phrase.kind]))
            start = start + [phrase.mood, "的"]
        return start + [phrase.noun, "在"] + other.words(random) + [random.choice(["旁边", "后面", "前面"])], phrase, other
    verb = random.choice(ON_THINGS if "thing" in (phrase.kind, other.kind) else BETWEEN)
    inner = [verb] + other.words(random) if shape == "does" else other.words(random) + [verb]
    return phrase.count(random) + inner + ["的", phrase.noun], phrase, other


def sentence(random, test=False):
    """One sentence as a list of words, "。" last. `test`: of pairs of nouns that training never sees together."""
    while True:
        time = random.choices([None, "昨天", "明天", "现在"], [40, 25, 17, 18])[0]
        first, main, other = subject(random)
        if other is not None and held_out(main.noun, other.noun) != test:
            continue
        words = ([time] if time else []) + first + predicate(random, main, time, after_pronoun=False)
        way = random.random()
        if way < 0.75:
            about = main
            if other is not None and other.pronoun != main.pronoun and random.random() < 0.45:
                about = other
            words = words + ["，", random.choice(["因为", "因为", "而且", "但是"]), about.pronoun]
            words += predicate(random, about, time, after_pronoun=True)
        elif way < 0.85:
            more, next_main, _ = subject(random, shape="none")
            words = words + ["，", random.choice(["而且", "但是"])] + more + acts(next_main.verb(random), [], time, False)
        if len(words) < 26:
            return words + ["。"]


def vocabulary():
    words = ["。", "，", "那", "这", "一", "两", "三", "几", "的", "在", "旁边", "后面", "前面", "都", "不", "没有", "没有在", "不会", "会",
             "正在", "了", "很", "昨天", "明天", "现在", "因为", "而且", "但是", "自己", "想要", "需要", *BETWEEN]
    for pronoun in ("它", "他", "她"):
        words += [pronoun, pronoun + "们"]
    for noun, (kind, measure, own, wants) in NOUNS.items():
        words += [noun, measure, *own.split(), *COMMON[kind].split(), wants]
    for kind in KINDS:
        words += [*MOODS[kind], *FEELS[kind].split()]
    return list(dict.fromkeys(words))
