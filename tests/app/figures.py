#!/usr/bin/env python3
"""Figures as files, measured by Poppler: python3 figures.py HEADLIGHT. Skipped (77) without poppler-utils."""
import os, re, shutil, subprocess, sys, tempfile

program = sys.argv[1]
if not all(shutil.which(tool) for tool in ("pdftotext", "pdffonts", "pdftoppm")):
    sys.exit(77)
words = "The animal didn't cross the street because it was too tired .".split()
faults = []


def expect(holds, what):
    if not holds:
        faults.append(what)
        print("FAULT", what)


def render(out, *options):
    run = subprocess.run([program, "render", "--text", " ".join(words), "--mask", "causal()", "--stage", "weights", *options, "-o", out],
                         capture_output=True, text=True)
    expect(run.returncode == 0, f"render {options}: {run.stderr}")
    return run.stderr


def boxes(pdf):
    text = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True).stdout
    page = [float(x) for x in re.search(r'<page width="([\d.]+)" height="([\d.]+)"', text).groups()]
    found = re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', text)
    return page, [(*map(float, b[:4]), b[4].replace("&apos;", "'").replace("&amp;", "&")) for b in found]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for size, options, all_words in (("8x6cm", [], True), ("16x6cm", ["--heads", "8", "--head", "all"], False),
                                     ("3.3x1.8in", ["--heads", "2", "--head", "all"], True), ("12x9cm", ["--font", "serif"], True)):
        said = render("a.pdf", "--size", size, *options)
        page, found = boxes("a.pdf")
        shown = [b[4] for b in found]
        for word in words[:-1]:
            missing = shown.count(word) < 1
            expect(not missing or not all_words, f"{size}: {word} is not there: {shown}")
        if not all_words:
            expect("every other" in said, f"{size}: words left out, not named: {said}")
        for x0, y0, x1, y1, word in found:
            expect(x0 >= -0.5 and y0 >= -0.5 and x1 <= page[0] + 0.5 and y1 <= page[1] + 0.5, f"{size}: {word} is outside of the page")
            # A box has the font's ascent and descent, more than the em; of slanted words, more still.
            expect(max(x1 - x0, y1 - y0) >= 6, f"{size}: {word} is smaller than 6 points")
        fonts = subprocess.run(["pdffonts", "a.pdf"], capture_output=True, text=True).stdout.splitlines()[2:]
        expect(fonts and all(re.search(r"\byes yes yes\b", line) for line in fonts), f"{size}: fonts not embedded with their characters: {fonts}")
    render("b.pdf", "--size", "8x6cm")
    render("c.pdf", "--size", "8x6cm")
    expect(open("b.pdf", "rb").read() == open("c.pdf", "rb").read(), "the same figure is other bytes")
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    render("d.pdf", "--size", "8x6cm")
    info = subprocess.run(["pdfinfo", "-isodates", "d.pdf"], capture_output=True, text=True).stdout
    expect("2023-11-14T22:13:20Z" in info, f"SOURCE_DATE_EPOCH is not the date: {info}")

    # A page of the PDF is the picture that PNG is.
    try:
        import numpy as np
    except ImportError:
        np = None
    if np is not None:
        def ppm(path):
            raw = open(path, "rb").read()
            head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", raw)
            w, h = int(head[1]), int(head[2])
            return np.frombuffer(raw[head.end():], np.uint8).reshape(h, w, 3).astype(float)
        subprocess.run(["pdftoppm", "-r", "150", "-singlefile", "b.pdf", "b"], check=True)
        if shutil.which("mutool"):
            subprocess.run(["mutool", "draw", "-q", "-r", "150", "-o", "m.ppm", "b.pdf"], check=True, stderr=subprocess.DEVNULL)
            poppler, mupdf = ppm("b.ppm"), ppm("m.ppm")
            # Over blocks of 8 x 8 pixels: where an edge falls within a pixel is each renderer's own.
            h, w = (min(a, b) // 8 * 8 for a, b in zip(poppler.shape[:2], mupdf.shape[:2]))
            blocks = (poppler[:h, :w] - mupdf[:h, :w]).reshape(h // 8, 8, w // 8, 8, 3).mean((1, 3))
            expect(abs(blocks).mean() < 3, f"Poppler and MuPDF draw different pictures: {abs(blocks).mean()}")
sys.exit(1 if faults else 0)
