#!/usr/bin/env python3
"""Figures as files, measured by Poppler: python3 figures.py HEADLIGHT. Skipped (77) without poppler-utils."""
import json, os, re, shutil, subprocess, sys, tempfile, zipfile

program = sys.argv[1]
if not all(shutil.which(tool) for tool in ("pdftotext", "pdffonts", "pdftoppm")):
    print("skipped: it needs Poppler (apt-get install poppler-utils)")
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
    for size, options, all_words in (("8x6cm", [], True), ("16x6cm", ["--heads", "8", "--head", "all"], True), ("column", [], True), ("page", ["--heads", "2", "--head", "all"], True),
                                     ("16x6cm", ["--heads", "16", "--d-model", "128", "--head", "all"], True), ("10x4cm", ["--heads", "16", "--d-model", "128", "--head", "all"], False), ("3.3x1.8in", ["--heads", "2", "--head", "all"], True), ("12x9cm", ["--font", "serif"], True)):
        said = render("a.pdf", "--size", size, *options)
        page, found = boxes("a.pdf")
        shown = [b[4] for b in found]
        for word in words[:-1]:
            missing = shown.count(word) < 1
            expect(not missing or not all_words, f"{size}: {word} is not there: {shown}")
        if not all_words:
            expect("of the row words" in said, f"{size}: words left out, not named: {said}")
        for x0, y0, x1, y1, word in found:
            expect(x0 >= -0.5 and y0 >= -0.5 and x1 <= page[0] + 0.5 and y1 <= page[1] + 0.5, f"{size}: {word} is outside of the page")
            # A box has the font's ascent and descent, which is more than the em, and even more for rotated words.
            expect(max(x1 - x0, y1 - y0) >= 6, f"{size}: {word} is smaller than 6 points")
        fonts = subprocess.run(["pdffonts", "a.pdf"], capture_output=True, text=True).stdout.splitlines()[2:]
        if "serif" in options and shutil.which("fc-match"):
            serif = subprocess.run(["fc-match", "-f", "%{family[0]}", "serif"], capture_output=True, text=True).stdout.replace(" ", "")
            expect(any(serif in line for line in fonts), f"--font serif is set in {fonts}, expected {serif}")
        expect(fonts and all(re.search(r"\byes yes yes\b", line) for line in fonts), f"{size}: fonts not embedded with their characters: {fonts}")
    render("b.pdf", "--size", "8x6cm")
    render("c.pdf", "--size", "8x6cm")
    expect(open("b.pdf", "rb").read() == open("c.pdf", "rb").read(), "the same figure is other bytes")
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    render("d.pdf", "--size", "8x6cm")
    info = subprocess.run(["pdfinfo", "-isodates", "d.pdf"], capture_output=True, text=True).stdout
    expect("2023-11-14T22:13:20Z" in info, f"SOURCE_DATE_EPOCH is not the date: {info}")
    expect(re.search(r"Subject: +head 0 · random weights · seed 0 · text: " + re.escape(" ".join(words)), info), f"the subject does not say what it is of: {info}")

    # A figure's metadata name the model, layer, head, entry and text, and say what is random.
    about = "model:english · layer 2 · head 1 · text: the girl looked at"
    for ending in ("pdf", "svg", "png"):
        subprocess.run([program, "render", "model:english", "--text", "the girl looked at", "--layer", "2", "--head", "1", "--stage", "weights", "-o", "m." + ending], check=True, capture_output=True)
    info = subprocess.run(["pdfinfo", "m.pdf"], capture_output=True, text=True).stdout
    expect(about in info and "weights · layer 2 · head 1" in info, f"the PDF does not say what it is of: {info}")
    expect(f"<desc>{about}</desc>" in open("m.svg").read(), "the SVG does not say what it is of")
    expect(about.encode() in open("m.png", "rb").read(), "the PNG does not say what it is of")

    # A file with only weights has no stages Q, K and V.
    render("alone.npz", "--head", "all")
    run = subprocess.run([program, "handout", "alone.npz", "--axes", "H,q,k", "-o", "alone.pdf"], capture_output=True, text=True)
    expect(run.returncode == 0, f"handout of weights alone: {run.returncode} {run.stderr}")

    # A handout: words and all stages on the first page, each stage with its words later, nothing outside, pages counted.
    for options, paper in ((["--language", "en"], (595.3, 841.9)), (["--language", "zh", "--paper", "letter"], (612, 792)), (["--heads", "16", "--d-model", "64", "--dropout", "0.1", "--training", "--rope", "half"], (595.3, 841.9))):
        run = subprocess.run([program, "handout", "--text", " ".join(words), "--mask", "causal()", *options, "-o", "h.pdf"], capture_output=True, text=True)
        expect(run.returncode == 0, f"handout {options}: {run.stderr}")
        listed = subprocess.run([program, "trace", "--text", " ".join(words), "--mask", "causal()", *(o for o in options if o not in ("--paper", "letter")), "-o", "h.npz"], capture_output=True, text=True)
        expect(listed.returncode == 0, listed.stderr)
        with zipfile.ZipFile("h.npz") as stored:
            arrays = {name.removesuffix(".npy") for name in stored.namelist()}
        stages = arrays & {row["name"] for row in json.loads(subprocess.run([program, "list", "stages", "--json"], capture_output=True, text=True).stdout)}
        pages = subprocess.run(["pdftotext", "-bbox", "h.pdf", "-"], capture_output=True, text=True).stdout.split("<page ")[1:]
        first, later = ({re.sub("<.*?>", "", word) for page in part for word in re.findall("<word.*?</word>", page)} for part in (pages[:1], pages))
        expect(stages - {"query", "key", "value"} <= first, f"handout {options}: not in the picture of all stages: {stages - first}")
        expect(stages - {"key", "value"} <= later, f"handout {options}: not told: {stages - later}")
        expect(all(word.replace("'", "&apos;") in first or word in first for word in words), f"handout {options}: the sentence is not on the first page: {first}")
        expect(any("random" in word.lower() or "随机" in word for word in first), f"handout {options}: does not say that its weights are random")
        if "zh" in options:
            expect("查询" in later and "键" in later and "头" in later, f"handout {options}: pictures have no Chinese names: {later}")
            english = (first | later) & {"attend", "keys", "where", "else", "masked"}
            expect(not english, f"handout {options}: a Chinese page has the English words {english}")
        numbers = [str(n) for n in range(1, len(pages) + 1)]
        for number, page in zip(numbers, pages):
            w, h = (float(x) for x in re.search(r'width="([\d.]+)" height="([\d.]+)"', page).groups())
            expect(abs(w - paper[0]) < 1 and abs(h - paper[1]) < 1, f"handout {options}: {w} x {h} is no such paper")
            for x0, y0, x1, y1 in re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">', page):
                expect(float(x0) >= 0 and float(y0) >= 0 and float(x1) <= w and float(y1) <= h, f"handout {options}: a word outside of page {number}")
            foot = " ".join(word for y, word in re.findall(r'yMin="([-\d.]+)"[^>]*>([^<]+)</word>', page) if float(y) > h - 50)
            expect(number in foot and numbers[-1] in foot, f"handout {options}: page {number} of {numbers[-1]} says {foot}")

    # The first entry of a batch is drawn, and the first page says so.
    for texts, entry in (("a b", None), ("a b\nc d", "Batch entry 0 of 2")):
        subprocess.run([program, "handout", "--text", texts, "-o", "h.pdf"], check=True, capture_output=True)
        first = subprocess.run(["pdftotext", "-l", "1", "h.pdf", "-"], capture_output=True, text=True).stdout
        expect(("Batch entry" in first) == (entry is not None) and (entry or "") in first, f"a batch of {texts!r}: {first}")

    try:
        import numpy as np
    except ImportError:
        sys.exit(1 if faults else 0)

    def ppm(path):
        raw = open(path, "rb").read()
        head = re.match(rb"P6\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+255\s", raw)
        w, h = int(head[1]), int(head[2])
        return np.frombuffer(raw[head.end():], np.uint8).reshape(h, w, 3).astype(float)

    # The share of the page that is matrix: pixels of colours that fill areas, except those of the bar, page, text and frames.
    for size, options, least in (("8x6cm", [], 0.40), ("16x6cm", ["--heads", "16", "--d-model", "128", "--head", "all"], 0.45)):
        render("share.pdf", "--size", size, "--mask", "full()", *options)  # masked cells are hatched, not filled
        subprocess.run(["pdftoppm", "-r", "400", "-singlefile", "share.pdf", "share"], check=True)
        pixels = ppm("share.ppm").astype(int)
        packed = pixels @ [65536, 256, 1]
        # Pixels in squares of 8 x 8 pixels of one colour, except the page's colour.
        runs = packed != 0xFFFFFF
        for axis in (0, 1):
            same = np.diff(packed, axis=axis) == 0
            pad = [(0, 0), (0, 0)]
            pad[axis] = (0, 1)
            same = np.pad(same, pad)
            for step in range(7):
                runs &= np.roll(same, -step, axis)
        filled = runs.copy()  # 7 pixels make a square whole again, 6 more bridge the hairline between two cells
        for _ in range(13):
            filled |= np.roll(filled, 1, 0)
        for _ in range(13):
            filled |= np.roll(filled, 1, 1)
        share = filled.sum() / packed.size
        print(f"{size}: {100 * share:.1f} % of the paper is matrix")
        expect(share >= least, f"{size}: {100 * share:.1f} % of the paper is matrix, expected {100 * least:.0f}")

    # All programs draw the same picture. Means of 8 x 8 pixels are compared, because programs smooth edges differently.
    def apart(a, b):
        h, w = (min(x, y) // 8 * 8 for x, y in zip(a.shape[:2], b.shape[:2]))
        return abs((a[:h, :w] - b[:h, :w]).reshape(h // 8, 8, w // 8, 8, 3).mean((1, 3))).mean()

    def convert(png, out):
        subprocess.run([sys.executable, "-c", "import sys, matplotlib.image as I, numpy as np; a = (I.imread(sys.argv[1])[..., :3] * 255).round().astype('uint8');"
                        "open(sys.argv[2], 'wb').write(b'P6 %d %d 255\\n' % a.shape[1::-1] + a.tobytes())", png, out], check=True, capture_output=True)

    subprocess.run(["pdftoppm", "-r", "150", "-singlefile", "b.pdf", "b"], check=True)
    poppler = ppm("b.ppm")
    if shutil.which("mutool"):
        subprocess.run(["mutool", "draw", "-q", "-r", "150", "-o", "m.ppm", "b.pdf"], check=True, stderr=subprocess.DEVNULL)
        expect(apart(poppler, ppm("m.ppm")) < 3, f"Poppler and MuPDF draw different pictures: {apart(poppler, ppm('m.ppm'))}")
    if shutil.which("gs"):
        subprocess.run(["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=ppmraw", "-r150", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", "-sOutputFile=g.ppm", "b.pdf"],
                       check=True, stdout=subprocess.DEVNULL)
        expect(apart(poppler, ppm("g.ppm")) < 3, f"Poppler and Ghostscript draw different pictures: {apart(poppler, ppm('g.ppm'))}")
    render("b.svg", "--size", "8x6cm", "--svg-text", "outlines")
    try:
        if shutil.which("rsvg-convert"):
            subprocess.run(["rsvg-convert", "-d", "150", "-p", "150", "-o", "r.png", "b.svg"], check=True)
            convert("r.png", "r.ppm")
            expect(apart(poppler, ppm("r.ppm")) < 3, f"the SVG in librsvg is another picture than the PDF: {apart(poppler, ppm('r.ppm'))}")
        browser = shutil.which("chromium")
        if browser and os.environ.get("HEADLIGHT_BROWSER"):  # seconds to start
            page = f'<body style="margin:0"><img src="file://{os.path.abspath("b.svg")}" style="width:{poppler.shape[1]}px"></body>'
            open("page.html", "w").write(page)
            subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", "--screenshot=" + os.path.abspath("c.png"),
                            f"--window-size={poppler.shape[1]},{poppler.shape[0]}", "file://" + os.path.abspath("page.html")], check=True, capture_output=True, timeout=120)
            convert("c.png", "c.ppm")
            print(f"Chromium and Poppler are {apart(poppler, ppm('c.ppm')):.2f} of 255 apart")
            expect(apart(poppler, ppm("c.ppm")) < 3, f"the SVG in Chromium is another picture than the PDF: {apart(poppler, ppm('c.ppm'))}")
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        print("not compared:", error)  # no matplotlib to read a PNG with, or no browser
sys.exit(1 if faults else 0)
