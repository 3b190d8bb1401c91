#!/usr/bin/env python3
"""Writes every colour map in this folder: 256 entries, one hex colour a line.

Our own maps (signal, attention) are anchors joined in OKLab, so that equal steps look equal and zero sits on the
card's background in each theme. The others are sampled from matplotlib (python3-matplotlib), whose sources name:
viridis, magma: van der Walt & Smith, CC0.  cividis: Nunez, Anderton & Renslow 2018, CC0.
rdbu: ColorBrewer (Brewer, Harrower & Penn State), Apache-2.0.  coolwarm: Moreland 2009, free of restrictions.
"""
from pathlib import Path

import matplotlib
import numpy as np

HERE = Path(__file__).resolve().parent

# name, theme: (position, colour) from the lowest to the highest value.
SIGNAL = {
    "light": [(-1, "0A3B47"), (-0.8, "145767"), (-0.55, "3F8797"), (-0.3, "8BBBC7"), (-0.1, "D7E5E9"), (0, "F5F4F1"),
              (0.1, "F5DFD3"), (0.3, "E9AA8E"), (0.55, "CE6648"), (0.8, "A13932"), (1, "6E1222")],
    "dark": [(-1, "A5E3F0"), (-0.8, "72BFD0"), (-0.55, "37889B"), (-0.3, "205B69"), (-0.1, "1D343C"), (0, "1E242C"),
             (0.1, "38282A"), (0.3, "753829"), (0.55, "B75939"), (0.8, "E9966F"), (1, "FFC7A3")],
}
ATTENTION = {
    "light": [(0, "F4F3F5"), (0.12, "E5DEF3"), (0.3, "C6B5E8"), (0.5, "A083D9"), (0.7, "7A4FC2"), (0.85, "592F96"),
              (1, "351560")],
    "dark": [(0, "1E242C"), (0.15, "352F58"), (0.32, "51418C"), (0.52, "7A5FC4"), (0.7, "A087E6"), (0.85, "C8B5F7"),
             (1, "F2EAFF")],
}


def to_oklab(hex_colour):
    """Ottosson 2020, from sRGB."""
    srgb = np.array([int(hex_colour[i:i + 2], 16) / 255 for i in (0, 2, 4)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    lms = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                    [0.2119034982, 0.6806995451, 0.1073969566],
                    [0.0883024619, 0.2817188376, 0.6299787005]]) @ linear
    return np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                     [1.9779984951, -2.4285922050, 0.4505937099],
                     [0.0259040371, 0.7827717662, -0.8086757660]]) @ np.cbrt(lms)


def from_oklab(lab):
    lms = (np.array([[1, 0.3963377774, 0.2158037573],
                     [1, -0.1055613458, -0.0638541728],
                     [1, -0.0894841775, -1.2914855480]]) @ lab) ** 3
    linear = np.clip(np.array([[4.0767416621, -3.3077115913, 0.2309699292],
                               [-1.2684380046, 2.6097574011, -0.3413193965],
                               [-0.0041960863, -0.7034186147, 1.7076147010]]) @ lms, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def from_anchors(anchors):
    positions = np.array([p for p, _ in anchors], float)
    lab = np.array([to_oklab(colour) for _, colour in anchors])
    at = np.linspace(positions[0], positions[-1], 256)
    return np.array([from_oklab(np.array([np.interp(x, positions, lab[:, c]) for c in range(3)])) for x in at])


def from_matplotlib(name):
    return matplotlib.colormaps[name](np.linspace(0, 1, 256))[:, :3]


def write(file_name, kind, colours):
    lines = ["".join(f"{int(round(float(c) * 255)):02X}" for c in colour) for colour in colours]
    (HERE / f"{file_name}.txt").write_text(f"{kind}\n" + "\n".join(lines) + "\n")


for theme in ("light", "dark"):
    write(f"signal.{theme}", "diverging", from_anchors(SIGNAL[theme]))
    write(f"attention.{theme}", "sequential", from_anchors(ATTENTION[theme]))
for name in ("viridis", "magma", "cividis"):
    write(name, "sequential", from_matplotlib(name))
write("grey", "sequential", from_matplotlib("gray"))
write("greys", "sequential", from_matplotlib("gray_r"))
write("rdbu", "diverging", from_matplotlib("RdBu_r"))  # red is positive, as in signal
write("coolwarm", "diverging", from_matplotlib("coolwarm"))
