// The middle of the script: from heads to weights.

#include <cmath>

#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/compute/run/score_terms.h"
#include "core/compute/run/stage_steps.h"
#include "core/figures/export/reproduce_script.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

std::string number(float value) {
  return std::isfinite(value) ? shortest(value) : "float(\"" + shortest(value) + "\")";
}

/// The text on one line, for a comment: a mask expression can have several lines.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

/// Whether the script makes the mask itself with a well-known line, and reads no mask.
bool makes_own_mask(const Scenario& scenario) { return scenario.mask == "causal()" && scenario.painted.empty(); }

void add_defined(std::vector<NamedArray>& arrays, std::string_view name, const Tensor& values, bool boolean = false) {
  if (values.defined()) arrays.push_back({std::string(name), values, boolean});
}

}  // namespace

void Script::define_norm() {
  const HeadNorm norm = norm_of(trace_, Stage::Q_normed);
  const bool whole = norm.over_all_heads, gain = norm.gain.defined(), bias = norm.bias.defined();
  line();
  line();
  line(std::string("def normalise(x") + (gain ? ", weight" : "") + (bias ? ", bias" : "") + "):");
  if (norm.kind == QkNorm::l2) {
    line("    \"\"\"Each head's queries and keys at length one.\"\"\"");
    line(either("    return torch.nn.functional.normalize(x, dim=-1)",
                "    return x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), 1e-12)"));
  } else {
    const bool layer = norm.kind == QkNorm::layer;
    line(std::string("    \"\"\"") + (layer ? "LayerNorm" : "Root mean square norm") + " of " +
         (whole ? "all heads at once" : "each head's queries and keys") +
         (gain ? ", with the model's learned weight" : "") + (bias ? " and bias" : "") + ".\"\"\"");
    if (gain && norm.gain.count() > trace_.dims().d_head)
      line("    weight = weight.reshape(1, x.shape[1], 1, x.shape[3])");
    if (bias && norm.bias.count() > trace_.dims().d_head) line("    bias = bias.reshape(1, x.shape[1], 1, x.shape[3])");
    const std::string mean =
        std::string(".mean(") + (whole ? "(1, 3)" : "-1") + ", " + either("keepdim=True)", "keepdims=True)");
    if (layer) line("    x = x - x" + mean);
    line("    return x / " + either("torch", "np") + ".sqrt((x * x)" + mean + " + " + shortest(norm.epsilon) + ")" +
         (gain ? " * weight" : "") + (bias ? " + bias" : ""));
  }
  line();
  line();
}

void Script::norm(Stage stage) {
  if (stage == Stage::Q_normed) define_norm();
  const std::string array = stage == Stage::Q_normed ? "q_norm" : "k_norm";
  const HeadNorm norm = norm_of(trace_, stage);
  step(stage, "normalise(" + source(stage) + (norm.gain.defined() ? ", inputs[\"" + array + "\"]" : "") +
                  (norm.bias.defined() ? ", inputs[\"" + array + "_bias\"]" : "") + ")");
}

void Script::define_rotation() {
  const Rotation rotation = rotation_of(trace_, Stage::Q_rotated);
  const bool part = rotation.turned() < trace_.dims().d_head, half = rotation.pairing == Rope::half;
  const bool offset = rotation.first_position != 0, own = !trace_.inputs.rules.rope_frequencies.empty();
  const std::string lib = either("torch", "np");
  line();
  line();
  line(offset ? "def rotate(x, first=0):" : "def rotate(x):");
  line(own ? "    \"\"\"RoPE: at position i, the j-th pair of channels turns by the angle i · frequency[j].\"\"\""
           : "    \"\"\"RoPE: at position i, the j-th pair of channels turns by the angle i · base^(-2j/d).\"\"\"");
  line(part ? "    n, d = x.shape[-2], " + std::to_string(rotation.turned()) + "  # only the first d channels turn"
            : "    n, d = x.shape[-2:]");
  if (part) line("    x, rest = x[..., :d], x[..., d:]");
  if (own) {
    const std::string list = comma_list(rotation.frequencies, [](double frequency) { return shortest(frequency); });
    line("    frequency = " + either("torch.tensor([" + list + "], dtype=torch.float64)", "np.array([" + list + "])") +
         "  # the model's own");
  } else {
    line("    frequency = " + number(scenario_.rope_base) + " ** (-" + lib + ".arange(0, d, 2, dtype=" + lib +
         ".float64) / d)");
  }
  line("    angle = " + std::string(offset ? "(first + " : "") + lib + ".arange(n, dtype=" + lib + ".float64)" +
       (offset ? ")" : "") + "[:, None] * frequency");
  line("    cos, sin = " + either("angle.cos().float(), angle.sin().float()",
                                  "np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)"));
  if (const std::string gain = shortest(static_cast<float>(rotation.gain)); rotation.gain != 1)
    line("    cos, sin = " + gain + " * cos, " + gain + " * sin");
  line(half ? "    a, b = x[..., : d // 2], x[..., d // 2 :]  # pairs (j, j + d/2), as in LLaMA"
            : "    a, b = x[..., 0::2], x[..., 1::2]  # pairs (2j, 2j + 1), as in the paper");
  const std::string pair = "[a * cos - b * sin, a * sin + b * cos]", give = part ? "    x = " : "    return ";
  if (half) {
    line(give + either("torch.cat(" + pair + ", dim=-1)", "np.concatenate(" + pair + ", axis=-1)"));
  } else {
    line(give +
         either("torch.stack(" + pair + ", dim=-1).flatten(-2)", "np.stack(" + pair + ", axis=-1).reshape(x.shape)"));
  }
  if (part) line(either("    return torch.cat([x, rest], dim=-1)", "    return np.concatenate([x, rest], axis=-1)"));
  line();
  line();
}

void Script::rotation(Stage stage) {
  if (stage == Stage::Q_rotated) define_rotation();
  const Index first = rotation_of(trace_, stage).first_position;
  step(stage, "rotate(" + source(stage) + (first == 0 ? ")" : ", first=" + std::to_string(first) + ")"));
}

void Script::scores(Stage stage) {
  const bool grouped = trace_.dims().kv_heads != trace_.dims().heads;
  std::string keys = source(stage, 1);
  line();
  if (grouped) {
    line("# Grouped heads: H / G query heads in a row share one key head and one value head.");
    line("keys = " + keys + either(".repeat_interleave(H // G, dim=1)", ".repeat(H // G, axis=1)"));
    if (trace_.has(Stage::V_heads))
      line("values = V_heads" + either(".repeat_interleave(H // G, dim=1)", ".repeat(H // G, axis=1)"));
    line();
    keys = "keys";
  }
  line("# Every query with every key: [B, H, n_q, n_k].");
  step(stage, source(stage) + " @ " + keys + either(".transpose(-1, -2)", ".swapaxes(-1, -2)"));
}

void Script::scale(Stage stage) {
  const bool default_scale = std::abs(trace_.scale * std::sqrt(static_cast<float>(trace_.dims().d_head)) - 1) < 1e-6F;
  step(stage, source(stage) + (default_scale ? " / d_head**0.5" : " * " + number(trace_.scale)));
}

void Script::cap(Stage stage) {
  const std::string cap = number(*scenario_.softcap);
  line();
  line("# The soft-cap keeps scores between -c and c.");
  step(stage, cap + " * " + either("torch.tanh", "np.tanh") + "(" + source(stage) + " / " + cap + ")");
}

void Script::biases(Stage stage) {
  line();
  line("# What is added to the scores before the mask.");
  std::string sum = source(stage);
  for (const ScoreTerm* term : terms_of(scenario_, trace_.inputs)) {
    const TermOfScript added = term->script(trace_, torch_);
    for (const std::string& before : added.before) line(before);
    sum += " + " + added.value;
  }
  step(stage, sum);
}

void Script::mask(Stage stage) {
  const std::string rule = scenario_.mask.empty() ? "." : ": " + one_line(scenario_.mask);
  line();
  line("# The mask, true = may attend" + rule + (scenario_.painted.empty() ? "" : " with what was painted over it"));
  if (makes_own_mask(scenario_)) {
    step(stage, either("torch.ones(n_q, n_k, dtype=torch.bool).tril()", "np.tri(n_q, n_k, dtype=bool)"));
  } else {
    step(stage, "inputs[\"mask\"]");
  }
}

void Script::masking(Stage stage) {
  if (!trace_.has(Stage::mask)) {
    line();
    line("# No mask.");
    return step(stage, source(stage));
  }
  if (scenario_.mask_mode == MaskMode::add) {
    return step(stage,
                either(source(stage) + " + torch.zeros(mask.shape).masked_fill(~mask, " + number(trace_.fill) + ")",
                       source(stage) + " + np.where(mask, np.float32(0), np.float32(" + number(trace_.fill) + "))"));
  }
  step(stage, either(source(stage) + ".masked_fill(~mask, " + number(trace_.fill) + ")",
                     "np.where(mask, " + source(stage) + ", np.float32(" + number(trace_.fill) + "))"));
}

void Script::softmax(Stage stage) {
  const bool sink = trace_.sink_logits.defined();
  line();
  line("# Softmax over the keys: each row of weights sums to one" +
       std::string(sink ? ", the sink's share included." : "."));
  std::string logits = source(stage);
  if (sink) {
    line("# The sink is one more key a head that takes its share and gives nothing.");
    line(either("sink = inputs[\"sink_logits\"].view(1, H, 1, 1).expand(B, H, n_q, 1)",
                "sink = np.broadcast_to(inputs[\"sink_logits\"].reshape(1, H, 1, 1), (B, H, n_q, 1))"));
    line(either("logits = torch.cat([" + logits + ", sink], dim=-1)",
                "logits = np.concatenate([" + logits + ", sink], axis=-1)"));
    logits = "logits";
  }
  if (torch_) {
    line("weights = torch.softmax(" + logits + ", dim=-1)");
  } else {
    line("with np.errstate(invalid=\"ignore\"):  # a row that is all -inf has no largest score: NaN, as in PyTorch");
    line("    e = np.exp(" + logits + " - " + logits + ".max(axis=-1, keepdims=True))");
    line("weights = e / e.sum(axis=-1, keepdims=True)");
  }
  if (sink) line("weights = weights[..., :-1]");
  dead_rows();
  check(stage);
}

void Script::dead_rows() {
  if (scenario_.dead_row == DeadRow::from_fill || !trace_.has(Stage::mask)) return;
  const std::string value = scenario_.dead_row == DeadRow::nan    ? "float(\"nan\")"
                            : scenario_.dead_row == DeadRow::zero ? "0.0"
                                                                  : "1 / n_k";
  line("dead = ~mask" + either(".any(dim=-1, keepdim=True)", ".any(axis=-1, keepdims=True)") +
       "  # rows that may attend to nothing");
  line(either("weights = weights.masked_fill(dead, " + value + ")",
              "weights = np.where(dead, np.float32(" + value + "), weights)"));
}

void Script::dropout(Stage stage) {
  line();
  line("# Dropout, as in training: what is kept grows, so that the mean stays. Which, is in inputs.npz.");
  line("p, keep = " + number(scenario_.dropout) + ", inputs[\"dropout_keep\"]");
  step(stage, source(stage) + either(" * keep / (1 - p)", " * keep / np.float32(1 - p)"));
}

std::vector<NamedArray> script_inputs(const Trace& trace) {
  const Inputs& in = trace.inputs;
  std::vector<NamedArray> arrays;
  const auto add = [&](std::string_view name, const Tensor& values, bool boolean = false) {
    add_defined(arrays, name, values, boolean);
  };
  if (in.self_attention()) {
    add("x", in.query);
  } else {
    for (const Stage stage : {Stage::query, Stage::key, Stage::value}) add(name(stage), in.matrix(stage));
  }
  for (const Stage stage : all_matrices()) {
    if (!is_input(stage)) add(name(stage), in.matrix(stage));
  }
  add("bias", in.attn_bias);
  if (!makes_own_mask(trace.scenario)) add("mask", trace[Stage::mask], true);
  add("t5_table", trace.t5_table);
  add("sink_logits", trace.sink_logits);
  add("q_norm", norm_of(trace, Stage::Q_normed).gain);
  add("k_norm", norm_of(trace, Stage::K_normed).gain);
  add("q_norm_bias", norm_of(trace, Stage::Q_normed).bias);
  add("k_norm_bias", norm_of(trace, Stage::K_normed).bias);
  add("dropout_keep", trace.dropout_keep, true);
  return arrays;
}

std::vector<NamedArray> trace_arrays(const Trace& trace, bool parameters) {
  std::vector<NamedArray> arrays;
  for (const Stage stage : trace.stages()) {
    arrays.push_back({std::string(name(stage)), trace[stage], info(stage).palette == Palette::boolean});
  }
  add_defined(arrays, name(Stage::contribution_norms), trace.contributions);
  if (!parameters) return arrays;
  for (const Stage stage : all_matrices()) {
    if (is_parameter(stage)) add_defined(arrays, name(stage), trace[stage]);
  }
  add_defined(arrays, "dropout_keep", trace.dropout_keep, true);
  add_defined(arrays, "sink_logits", trace.sink_logits);
  add_defined(arrays, "t5_table", trace.t5_table);
  return arrays;
}

}  // namespace headlight
