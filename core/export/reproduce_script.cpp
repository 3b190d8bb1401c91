#include "core/export/script.h"
#include "core/scenario/model_layer.h"

#include <utility>

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
    line("H, G, d_head = " + std::to_string(d.heads) + ", " + std::to_string(d.kv_heads) + ", " + std::to_string(d.d_head) +
         "  # query heads, key/value heads, channels of each");
  }
}

void Script::given(std::initializer_list<Stage> stages) {
  for (const Stage stage : stages) {
    if (trace_.has(stage)) step(stage, "inputs[\"" + std::string(name(stage)) + "\"]");
  }
}

void Script::inputs() {
  line();
  if (trace_.inputs.self_attention()) {
    line("# Self-attention: queries, keys and values are made from the same x, [B, n, d].");
    line("query = key = value = inputs[\"x\"]");
  } else {
    line("# Queries are made from one sequence, keys and values from another: [B, n, d].");
    line("query, key, value = inputs[\"query\"], inputs[\"key\"], inputs[\"value\"]");
  }
  for (const Stage stage : {Stage::query, Stage::key, Stage::value}) check(stage);
}

void Script::projection(Stage stage, const std::string& x, Stage weight, Stage bias) {
  std::string product = x;
  if (trace_.has(weight)) product += " @ inputs[\"" + std::string(name(weight)) + "\"].T";
  if (trace_.has(bias)) product += " + inputs[\"" + std::string(name(bias)) + "\"]";
  step(stage, product);
}

void Script::projections() {
  line();
  line("# Linear projections, as nn.Linear: x Wᵀ + b, with W of shape [out, in].");
  projection(Stage::Q, "query", Stage::W_q, Stage::b_q);
  projection(Stage::K, "key", Stage::W_k, Stage::b_k);
  projection(Stage::V, "value", Stage::W_v, Stage::b_v);
}

void Script::split() {
  const std::string kv = trace_.dims().kv_heads == trace_.dims().heads ? "H" : "G";
  const auto heads = [&](const std::string& n, const std::string& count) {
    return either(".view(B, " + n + ", " + count + ", d_head).transpose(1, 2)",
                  ".reshape(B, " + n + ", " + count + ", d_head).swapaxes(1, 2)");
  };
  line();
  line("# Split into heads: cut the channels first, then bring the heads before the positions.");
  step(Stage::Q_heads, "Q" + heads("n_q", "H"));
  step(Stage::K_heads, "K" + heads("n_k", kv));
  step(Stage::V_heads, "V" + heads("n_k", kv));
}

void Script::outputs() {
  const std::string weights = trace_.has(Stage::dropped_weights) ? "dropped_weights" : "weights";
  const std::string values = trace_.dims().kv_heads == trace_.dims().heads ? "V_heads" : "values";
  line();
  line("# Each head's output: the values, mixed by the weights. Then the heads side by side again.");
  if (const std::vector<Index>& silent = own_rules(trace_.inputs).silent_heads; !silent.empty()) {
    std::string heads;
    for (const Index head : silent) heads += (heads.empty() ? "" : ", ") + std::to_string(head);
    line("keep = " + either("torch.ones(1, H, 1, 1)", "np.ones((1, H, 1, 1), np.float32)"));
    line("keep[:, [" + heads + "]] = 0  # knocked out");
    step(Stage::head_outputs, "(" + weights + " @ " + values + ") * keep");
  } else {
    step(Stage::head_outputs, weights + " @ " + values);
  }
  step(Stage::concat, either("head_outputs.transpose(1, 2).reshape(B, n_q, -1)",
                             "head_outputs.swapaxes(1, 2).reshape(B, n_q, -1)"));
  projection(Stage::output, "concat", Stage::W_o, Stage::b_o);
}

void Script::footer() {
  line();
  line("if differing:");
  line("    sys.exit(\"These stages differ: \" + \", \".join(differing))");
  line("print(\"Every stage agrees.\")");
}

std::string Script::text() {
  header();
  checker();
  sizes();
  const Stage first = trace_.inputs.first_stage();
  if (first == Stage::weights) {
    line();
    line("# The attention alone is known.");
    given({Stage::weights});
  } else {
    if (first == Stage::Q_heads) {
      line();
      line("# The heads are known, and not what they were projected from.");
      given({Stage::Q_heads, Stage::K_heads, Stage::V_heads});
    } else {
      inputs();
      projections();
      split();
    }
    norm_and_rotation();
    scores();
    biases();
    masking();
    softmax();
    dropout();
    if (trace_.has(Stage::head_outputs)) outputs();
  }
  footer();
  return std::move(text_);
}

std::string reproduce_script(const Trace& trace, ScriptLibrary library) { return Script(trace, library).text(); }

}  // namespace headlight
