#include "core/export/layers_script.h"

namespace headlight {
namespace {

constexpr const char* averages_script =
    R"(# Makes data.npy of means.npz, the average over the heads of each layer: {what}
# (Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers"). Needs NumPy.
from collections import deque
from pathlib import Path
import sys

import numpy as np

here = Path(__file__).parent
means = np.load(here / "means.npz")
layers = [{names}]


def with_residual(mean):
    a = 0.5 * mean.astype(np.float64) + 0.5 * np.eye(len(mean))
    return a / a.sum(-1, keepdims=True)


steps = [with_residual(means["layers." + name]) for name in layers]
n = len(steps[0])
)";

constexpr const char* rollout = R"(
result = steps[0]
for step in steps[1:]:
    result = step @ result
)";

// Edmonds & Karp 1972, which is short; graphs are as small as a sentence.
constexpr const char* flow = R"(

def largest_flow(query, key):
    left = {}
    for level, step in enumerate(steps, 1):
        for q in range(n):
            for k in range(n):
                if step[q, k] > 0:
                    left.setdefault((level, q), {})[(level - 1, k)] = step[q, k]
                    left.setdefault((level - 1, k), {}).setdefault((level, q), 0.0)
    source, sink, total = (len(steps), query), (0, key), 0.0
    while True:
        came, waiting = {source: None}, deque([source])
        while waiting and sink not in came:
            at = waiting.popleft()
            for to, room in left.get(at, {}).items():
                if room > 1e-9 and to not in came:
                    came[to] = at
                    waiting.append(to)
        if sink not in came:
            return total
        path, at = [], sink
        while came[at] is not None:
            path.append((came[at], at))
            at = came[at]
        pushed = min(left[a][b] for a, b in path)
        for a, b in path:
            left[a][b] -= pushed
            left[b][a] += pushed
        total += pushed


result = np.array([[largest_flow(q, k) for k in range(n)] for q in range(n)])
)";

constexpr const char* check = R"(
expected = np.load(here / "data.npy")
result = result[{rows}, {cols}]
error = np.abs(result - expected).max()
right = np.allclose(result, expected, rtol=1e-4, atol=1e-5)
print(f"{what}: largest difference {error:.1e}", "ok" if right else "WRONG")
sys.exit(0 if right else 1)
)";

/// As Python slices it.
std::string slice(const Part& part) {
  return (part.first ? std::to_string(*part.first) : "") + ":" + (part.last ? std::to_string(*part.last) : "");
}

std::string with_words(std::string text, const std::string& place, const std::string& with) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + with.size()))
    text.replace(at, place.size(), with);
  return text;
}

}  // namespace

std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers) {
  const bool rolls = options.layers.starts_with("rollout");
  std::string names;
  for (const std::string& layer : layers) names += (names.empty() ? "\"" : ", \"") + layer + "\"";
  std::string text = std::string(averages_script) + (rolls ? rollout : flow) + check;
  text = with_words(std::move(text), "{what}", rolls ? "attention rollout" : "attention flow");
  text = with_words(std::move(text), "{names}", names);
  text = with_words(std::move(text), "{rows}", slice(options.rows));
  return with_words(std::move(text), "{cols}", slice(options.cols));
}

}  // namespace headlight
