#!/usr/bin/env python3
"""Worksheets of every lesson in both languages: the sheet asks every question and answers none, the key has every answer.

    worksheets.py PROGRAM ASSETS/LESSONS

Words are read back from the PDFs by pdftotext; numbers that are measured are measured here, on what `trace` gives.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: it needs NumPy (apt-get install python3-numpy)")
    sys.exit(77)
if not shutil.which("pdftotext"):
    print("skipped: it needs Poppler (apt-get install poppler-utils)")
    sys.exit(77)

PROGRAM, LESSONS = sys.argv[1], Path(sys.argv[2])
KINDS = {"choice", "order", "number", "row", "mask", "head", "stage"}
failures = []


def check(ok, sentence):
    if not ok:
        failures.append(sentence)
        print("FAILED:", sentence)


def bare(text):
    """The text without line breaks and markup, so that texts with other line breaks compare equal."""
    text = re.sub(r"\[([^\]]+)\]\(stage:\w+\)", r"\1", text)
    return re.sub(r"[\s`]", "", text)


def pages_of(pdf):
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True).stdout
    return [bare(page) for page in text.split("\f")]


def sheet(lesson, language, folder, key):
    pdf = Path(folder, "sheet.pdf")
    command = [PROGRAM, "lesson", lesson, "--worksheet", pdf, "--language", language] + (["--key"] if key else [])
    subprocess.run(command, check=True, capture_output=True)
    return pages_of(pdf)


def merged(scenario, change):
    scenario = dict(scenario)
    for name, value in change.items():
        if value is None:
            scenario.pop(name, None)
        else:
            scenario[name] = value
    return scenario


def cells(arrays, address):
    stage, at = address.split(":", 1)
    array = arrays[stage]
    at = [slice(None) if part == ":" else int(part) for part in at.split(",")]
    axes = {2: at[2:], 3: [at[0]] + at[2:], 4: at}[array.ndim]
    return np.asarray(array[tuple(axes)], dtype=np.float64).ravel()


def number_words(value):
    """The text of a numeric answer: an integer as it is, any other number with three digits."""
    text = "%.0f" % value if value == round(value) else "%.3g" % value
    return text.replace("-", "−")


def measured(question, scenario, folder):
    file, out = Path(folder, "step.json"), Path(folder, "step.npz")
    file.write_text(json.dumps(scenario))
    brought = ["--contributions"] if question["of"].startswith("contribution_norms") else []
    subprocess.run([PROGRAM, "trace", file, *brought, "-o", out], check=True, capture_output=True)
    with np.load(out) as arrays:
        values = cells(arrays, question["of"])
    take = question.get("take", "value")
    taken = {"value": lambda v: v[0], "sum": np.sum, "mean": np.mean, "largest": np.max, "smallest": np.min,
             "count": np.count_nonzero, "where_largest": np.argmax,
             "entropy": lambda v: -sum(x * np.log2(x) for x in v if x > 0)}[take]
    return float(taken(values))


def answer_of(question, scenario, language, folder):
    kind = question["kind"]
    if kind == "mask":
        return question["mask"]
    if kind == "head":
        return None  # in the sentence's own words
    if kind == "number" and "answer" in question:
        return number_words(float(np.float64(question["answer"])))
    if kind == "number" and not question.get("wrong") and "minus" not in question and question.get("take") != "probability":
        return number_words(float(np.float32(measured(question, scenario, folder))))
    return None


def try_lesson(path, folder):
    lesson = json.loads(path.read_text())
    said = 0
    for language in ("en", "zh"):
        pages, key = sheet(path, language, folder, False), "".join(sheet(path, language, folder, True))
        english = re.findall(r"mayattend|·(?:batch|head|layer)\d|overkeys|elsefill|\bof\d", key)
        check(language == "en" or not english, f"{path.stem}: a Chinese sheet has the English words {set(english)}")
        paper = "".join(pages)
        asked = []  # numbers that are asked for above
        scenario = lesson["scenario"]
        for number, step in enumerate(lesson["steps"], 1):
            pose = step.get("pose", {})
            last, scenario = scenario, merged(pose.get("scenario", scenario), pose.get("change", {}))
            if scenario != last:
                asked.clear()  # its numbers are others
            question = step.get("question")
            for name, claim in step.get("claims", {}).items():
                digits = len(claim["is"].partition(".")[2])
                told = any(abs(float(claim["is"].replace("−", "-")) - answer) <= 0.5 * 10**-digits for answer in asked)
                prose = step["text"][language]
                begins = bare(re.sub(r"\{(\w+)\}", lambda m: step["claims"][m[1]]["is"], prose[: prose.find("{" + name + "}")]))
                check(not told or begins[-12:] + claim["is"] not in paper, f"{lesson['id']} step {number} in {language}: the sheet tells {claim['is']}")
            if not question:
                continue
            where = f"{lesson['id']} step {number} in {language}"
            heading = {"en": f"Step{number}", "zh": f"第{number}步"}[language]
            together = [heading, bare(question["ask"][language]), *(bare(c[language]) for c in question.get("choices", []))]
            check(any(all(part in page for part in together) for page in pages), f"{where}: the step is torn apart")
            assert question["kind"] in KINDS
            for name, text in (("the sheet", paper), ("the key", key)):
                check(bare(question["ask"][language]) in text, f"{where}: {name} does not ask")
                for choice in question.get("choices", []):
                    check(bare(choice[language]) in text, f"{where}: {name} has no choice {choice[language]!r}")
            check(bare(question["why"][language]) in key, f"{where}: the key does not say why")
            check(bare(question["why"][language]) not in paper, f"{where}: the sheet says why")
            answer = answer_of(question, scenario, language, folder)
            if answer is None:
                continue
            said += 1
            label = {"en": "Answer", "zh": "答案"}[language]
            beside = bare(label + answer) if question["kind"] == "number" else bare(answer)
            check(beside in key, f"{where}: the key does not answer {answer}")
            if question["kind"] == "number":
                asked.append(float(answer.replace("−", "-")))
                check(beside not in paper.replace(bare(label + "_"), ""), f"{where}: the sheet answers")
    return said


def try_entries(folder):
    """The pictures are of the batch entry and head that a step selects, as in the window, also where a later step selects none."""
    steps = [{"text": {"en": text}, "pose": {"stage": "weights", **({"select": select} if select else {})}}
             for text, select in (("One.", "weights:1,0,0,1"), ("Two.", None), ("Three.", "weights:0,0,0,0"))]
    steps[1]["question"] = {"kind": "mask", "ask": {"en": "Which?"}, "mask": "b == 0 || k < 1", "why": {"en": "So."}}
    scenario = {"source": "text", "text": "aa bb\ncc dd", "heads": 2, "mask": "full()"}
    path = Path(folder, "entries.json")
    path.write_text(json.dumps({"id": "entries", "title": {"en": "Entries"}, "description": {"en": "Two."}, "scenario": scenario, "steps": steps}))
    before, after = "".join(sheet(path, "en", folder, True)).split("Three.")
    check("aa" not in before and before.count("cc") >= 6, f"a sheet of the second text shows: {before}")
    check("cc" not in after and after.count("aa") >= 2, f"a sheet of the first text shows: {after}")


def main():
    files = sorted(LESSONS.glob("course/*.json")) + sorted(LESSONS.glob("bugs/*.json"))
    with tempfile.TemporaryDirectory() as folder:
        said = sum(try_lesson(path, folder) for path in files)
        try_entries(folder)
    check(said >= 30, f"{said} answers were looked for, expected thirty or more")
    print(f"{len(files)} lessons, {said} answers, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
