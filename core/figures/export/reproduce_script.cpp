#include "core/figures/export/reproduce_script.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/text/text_template.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
void Script::header() {
  line("\"\"\"Multi-head attention step by step: the numbers Headlight showed, computed again and checked.");
  line();
  line("inputs.npz holds what goes in, trace.npz what must come out of every step.");
  line("Needs " + either("PyTorch", "NumPy") + "; run it with: python3 " +
       either("reproduce.py", "reproduce_numpy.py"));
  line("\"\"\"");
  line("import sys");
  line("from pathlib import Path");
  line();
  line("import numpy as np");
  if (torch_) line("import torch");
  line();
  line("here = Path(__file__).resolve().parent");
  line(either("inputs = {name: torch.from_numpy(array) for name, array in np.load(here / \"inputs.npz\").items()}",
              "inputs = dict(np.load(here / \"inputs.npz\"))"));
  line("expected = np.load(here / \"trace.npz\")");
  line("differing = []");
}

void Script::checker() {
  line();
  line();
  line("def check(stage, computed):");
  line("    \"\"\"A line on how far a stage is from the saved one; up to 1e-5 + 1e-4 |b| is float32's rounding.\"\"\"");
  line("    a, b = " + either("computed.numpy()", "np.asarray(computed)") + ", expected[stage]");
  line("    a, b = np.broadcast_to(a, b.shape).astype(np.float64), b.astype(np.float64)");
  line("    same = np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)");
  line("    finite = np.isfinite(a) & np.isfinite(b)");
  line("    largest = np.abs(a[finite] - b[finite]).max(initial=0)");
  line("    print(f\"{stage:16} {str(list(b.shape)):20} largest difference {largest:.1e}  \"");
  line("          + (\"ok\" if same.all() else f\"DIFFERS in {(~same).sum()} numbers\"))");
  line("    if not same.all():");
  line("        differing.append(stage)");
}

void Script::sizes() {
  const Dims& d = trace_.dims();
  line();
  line();
  line("B, n_q, n_k = " + std::to_string(d.batch) + ", " + std::to_string(d.n_q) + ", " + std::to_string(d.n_k) +
       "  # sequences, queries, keys");
  if (d.kv_heads == d.heads) {
    line("H, d_head = " + std::to_string(d.heads) + ", " + std::to_string(d.d_head) + "  # heads, channels of each");
  } else {
    line("H, G, d_head = " + std::to_string(d.heads) + ", " + std::to_string(d.kv_heads) + ", " +
         std::to_string(d.d_head) + "  # query heads, key/value heads, channels of each");
  }
}

void Script::input(Stage stage) {
  if (stage == Stage::query) {
    line();
    if (trace_.inputs.self_attention()) {
      line("# Self-attention: queries, keys and values are made from the same x, [B, n, d].");
      line("query = key = value = inputs[\"x\"]");
    } else {
      line("# Queries are made from one sequence, keys and values from another: [B, n, d].");
      line("query, key, value = inputs[\"query\"], inputs[\"key\"], inputs[\"value\"]");
    }
  }
  check(stage);
}

void Script::known(Stage stage) {
  if (stage == Stage::Q_heads) {
    line();
    line("# The heads as they were given: [B, H, n, d_head].");
  } else if (stage == Stage::weights) {
    line();
    line("# The attention as it was given: nothing before it is known.");
  }
  step(stage, "inputs[\"" + std::string(name(stage)) + "\"]");
}

void Script::projection(Stage stage) {
  if (stage == Stage::Q) {
    line();
    line("# Linear projections, as nn.Linear: x Wᵀ + b, with W of shape [out, in].");
  }
  const StageSources& sources = info(stage).sources;
  std::string product = source(stage);
  if (trace_.has(sources[1].stage)) product += " @ inputs[\"" + std::string(name(sources[1].stage)) + "\"].T";
  if (trace_.has(sources[2].stage)) product += " + inputs[\"" + std::string(name(sources[2].stage)) + "\"]";
  step(stage, product);
}

void Script::split(Stage stage) {
  if (stage == Stage::Q_heads) {
    line();
    line("# Split into heads: cut the channels first, then bring the heads before the positions.");
  }
  const std::string count = is_per_kv_head(stage) && trace_.dims().kv_heads != trace_.dims().heads ? "G" : "H";
  const std::string n(symbol(info(stage).rows));
  step(stage, source(stage) + either(".view(B, " + n + ", " + count + ", d_head).transpose(1, 2)",
                                     ".reshape(B, " + n + ", " + count + ", d_head).swapaxes(1, 2)"));
}

void Script::head_outputs(Stage stage) {
  const bool grouped = trace_.dims().kv_heads != trace_.dims().heads;
  line();
  line("# Each head's output: the values, mixed by the weights. Then the heads side by side again.");
  const std::vector<Index>& silent = trace_.inputs.rules.silent_heads;
  const std::string product = source(stage) + " @ " + (grouped ? "values" : source(stage, 1));
  if (silent.empty()) return step(stage, product);
  const std::string heads = comma_list(silent, [](Index head) { return std::to_string(head); });
  line("speaks = " + either("torch.ones(1, H, 1, 1)", "np.ones((1, H, 1, 1), np.float32)"));
  line("speaks[:, [" + heads + "]] = 0  # knocked out");
  step(stage, "(" + product + ") * speaks");
}

void Script::concat(Stage stage) {
  const Index d = trace_[Stage::V_heads].size(3);  // V from a file can have another size
  const std::string width = d == trace_.dims().d_head ? "H * d_head" : "H * " + std::to_string(d);
  step(stage, source(stage) + either(".transpose(1, 2)", ".swapaxes(1, 2)") + ".reshape(B, n_q, " + width + ")");
}

void Script::footer() {
  line();
  line("if differing:");
  line("    sys.exit(\"These stages differ: \" + \", \".join(differing))");
  line("print(\"Every stage agrees.\")");
}

std::string Script::text() {
  struct Line {
    Stage stage;
    void (Script::*write)(Stage);
  };
  static constexpr std::array<Line, stage_count> lines{{
      {Stage::query, &Script::input},
      {Stage::key, &Script::input},
      {Stage::value, &Script::input},
      {Stage::Q, &Script::projection},
      {Stage::K, &Script::projection},
      {Stage::V, &Script::projection},
      {Stage::Q_heads, &Script::split},
      {Stage::K_heads, &Script::split},
      {Stage::V_heads, &Script::split},
      {Stage::Q_normed, &Script::norm},
      {Stage::K_normed, &Script::norm},
      {Stage::Q_rotated, &Script::rotation},
      {Stage::K_rotated, &Script::rotation},
      {Stage::Q_scaled, &Script::scale},
      {Stage::scores, &Script::scores},
      {Stage::scaled_scores, &Script::scale},
      {Stage::capped_scores, &Script::cap},
      {Stage::biased_scores, &Script::biases},
      {Stage::mask, &Script::mask},
      {Stage::masked_scores, &Script::masking},
      {Stage::weights, &Script::softmax},
      {Stage::dropped_weights, &Script::dropout},
      {Stage::head_outputs, &Script::head_outputs},
      {Stage::concat, &Script::concat},
      {Stage::output, &Script::projection},
  }};
  static_assert(in_stage_order(lines),
                "core/figures/export/reproduce_script.cpp: a row for every stage, in their order");
  header();
  checker();
  sizes();
  for (const Stage stage : trace_.stages()) {
    const bool given = !is_input(stage) && trace_.inputs.matrix(stage).defined();
    (this->*(given ? &Script::known : lines[static_cast<std::size_t>(stage)].write))(stage);
  }
  footer();
  return std::move(text_);
}

std::string reproduce_script(const Trace& trace, ScriptLibrary library) { return Script(trace, library).text(); }

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

// Edmonds & Karp 1972: short code, and the graphs are small.
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

}  // namespace

std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers) {
  const bool rolls = options.layers.starts_with("rollout");
  std::string names;
  for (const std::string& layer : layers)  // a file's own names: what JSON quotes, Python reads as the same text
    names += (names.empty() ? "" : ", ") +
             nlohmann::json(layer).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return fill_template(std::string(averages_script) + (rolls ? rollout : flow) + check,
                       {{"{what}", rolls ? "attention rollout" : "attention flow"},
                        {"{names}", names},
                        {"{rows}", python_slice(options.rows)},
                        {"{cols}", python_slice(options.cols)}});
}

}  // namespace headlight
