"""Pictures of shapes, 48 × 48: nine places, one square among circles, triangles and crosses; the answer is what is left of it."""
import struct
import zlib

import numpy

SIDE, PLACES, CELL = 48, 3, 16
SHAPES = ["circle", "triangle", "cross"]
ANSWERS = [*SHAPES, "nothing"]
PAINTS = [(214, 60, 60), (56, 112, 214), (46, 150, 86), (226, 150, 30), (130, 84, 190), (40, 44, 52)]
GROUNDS = [(244, 242, 236), (232, 240, 246), (250, 236, 232), (226, 228, 226)]


def inside(shape, x, y, r):
    """Whether points (x, y) from its middle lie in a shape of radius r."""
    if shape == "circle":
        return x * x + y * y <= r * r
    if shape == "square":
        return numpy.maximum(abs(x), abs(y)) <= 0.85 * r
    if shape == "triangle":
        return (y <= 0.8 * r) & (abs(x) <= (y + r) * 0.56)
    return (numpy.minimum(abs(x), abs(y)) <= 0.3 * r) & (numpy.maximum(abs(x), abs(y)) <= r)


def paint(pixels, shape, column, row, colour, random):
    """Into one of the nine places, a little off its middle."""
    r = random.uniform(5.0, 6.5)
    slack = CELL / 2 - r - 0.5
    x = CELL * (column + 0.5) + random.uniform(-slack, slack)
    y = CELL * (row + 0.5) + random.uniform(-slack, slack)
    ys, xs = numpy.mgrid[0:SIDE, 0:SIDE]
    pixels[inside(shape, xs + 0.5 - x, ys + 0.5 - y, r)] = colour


def scene(random):
    """(pixels [48, 48, 3], the answer, the square's place as column, row)."""
    pixels = numpy.empty((SIDE, SIDE, 3), numpy.uint8)
    pixels[:] = random.choice(GROUNDS)
    column, row = random.randrange(1, PLACES), random.randrange(PLACES)
    answer = random.choice(ANSWERS)
    for x in range(PLACES):
        for y in range(PLACES):
            if (x, y) == (column, row):
                paint(pixels, "square", x, y, random.choice(PAINTS), random)
            elif (x, y) == (column - 1, row):
                if answer != "nothing":
                    paint(pixels, answer, x, y, random.choice(PAINTS), random)
            elif random.random() < 0.6:
                paint(pixels, random.choice(SHAPES), x, y, random.choice(PAINTS), random)
    return pixels, answer, (column, row)


def write_png(path, pixels):
    """8 bits of RGB; each row as it is, so that equal rows compress well."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
