// The left panel: what determines the numbers, and which batch entry and head are looked at.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "ui/panels/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

using Choices = std::vector<Index>;

Choices counting(Index from, Index to) {
  Choices list(static_cast<std::size_t>(std::max<Index>(to - from + 1, 1)));
  std::iota(list.begin(), list.end(), from);
  return list;
}

/// 1 to 32 singly, then in growing steps to `most`.
const Choices& lengths() {
  static const Choices list = [] {
    Choices all = counting(1, 32);
    for (const Index n : {40, 48, 56, 64, 80, 96, 128, 192, 256, 384, 512, 1024, 2048}) all.push_back(n);
    return all;
  }();
  return list;
}

Choices divisors(Index of) {
  Choices list;
  for (Index i = 1; i <= of; ++i) {
    if (of % i == 0) list.push_back(i);
  }
  return list;
}

/// Model widths that the heads divide.
Choices widths(Index heads) {
  Choices list;
  for (Index d = heads; d <= 512; d += heads) {
    if (d <= 32 || d % 8 == 0) list.push_back(d);
  }
  return list;
}

/// A slider of one whole number of the scenario. `set` puts the number into a copy.
template <typename Set>
void scenario_slider(const Frame& frame, const char* id, Index value, std::span<const Index> choices, bool enabled, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.%s", id);
  if (const auto change = int_slider(frame, id, frame.words(key), value, choices, enabled)) {
    Scenario scenario = frame.document.scenario;
    set(scenario, change->value);
    frame.change(std::move(scenario), change->typed ? std::string() : std::string(id));
  }
}

void draw_input(const Frame& frame) {
  section(frame, frame.words("controls.input"));
  const Scenario& now = frame.document.scenario;
  if (now.source == Source::text) {
    if (auto text = text_field(frame, "##text", now.text, Face::ui)) {
      Scenario scenario = now;
      scenario.text = std::move(*text);
      frame.change(std::move(scenario));
    }
  } else if (now.source == Source::file) {
    const std::string name = now.file.substr(now.file.find_last_of("/\\") + 1);
    note(frame, name);
    tooltip(frame, now.file);
  }
  const char* labels[] = {frame.words("controls.text"), frame.words("controls.random"), frame.words("controls.file")};
  const int chosen = static_cast<int>(now.source);
  const bool has_file = !now.file.empty();
  const auto clicked = segments(frame, "source", std::span(labels, has_file ? 3u : 2u), chosen);
  if (clicked && *clicked != chosen) {
    Scenario scenario = now;
    scenario.source = static_cast<Source>(*clicked);
    if (scenario.source != Source::text) scenario.queries = std::max<Index>(frame.trace() ? frame.trace()->dims().n_q : 6, 1);
    if (scenario.source == Source::file) scenario.queries = scenario.keys = scenario.d_model = scenario.batch_size = std::nullopt;
    frame.change(std::move(scenario));
  }
  const std::string& story = in_language(frame.document.lesson.description, frame.words.language());
  if (!story.empty()) {
    note(frame, story);
  } else if (!has_file) {
    note(frame, frame.words("controls.drop_hint"));
  }
}

void draw_shape(const Frame& frame) {
  section(frame, frame.words("controls.shape"));
  const Dims& dims = frame.trace()->dims();
  const Scenario& now = frame.document.scenario;
  const bool own = now.source != Source::file;
  const bool random = now.source == Source::random;
  if (random) {
    scenario_slider(frame, "batch_size", dims.batch, counting(1, 16), true, [](Scenario& s, Index n) { s.batch_size = n; });
    scenario_slider(frame, "queries", dims.n_q, lengths(), true, [&](Scenario& s, Index n) {
      if (!s.keys || *s.keys == dims.n_q) s.keys = std::nullopt;  // self-attention stays self-attention
      s.queries = n;
    });
    scenario_slider(frame, "keys", dims.n_k, lengths(), true, [](Scenario& s, Index n) { s.keys = n; });
  }
  scenario_slider(frame, "d_model", dims.d_model, widths(dims.heads), own, [](Scenario& s, Index n) { s.d_model = n; });
  scenario_slider(frame, "heads", dims.heads, divisors(dims.d_model), true, [&](Scenario& s, Index n) {
    const bool plain = dims.kv_heads == dims.heads;
    s.heads = n;
    if (plain || n % dims.kv_heads != 0) s.kv_heads = std::nullopt;
  });
  if (own) {
    scenario_slider(frame, "kv_heads", dims.kv_heads, divisors(dims.heads), true, [](Scenario& s, Index n) { s.kv_heads = n; });
    scenario_slider(frame, "seed", static_cast<Index>(now.seed), counting(0, 99), true,
                    [](Scenario& s, Index n) { s.seed = static_cast<std::uint64_t>(std::max<Index>(n, 0)); });
  }
}

void draw_looking(const Frame& frame) {
  const Dims& dims = frame.trace()->dims();
  if (dims.batch < 2 && dims.heads < 2) return;
  section(frame, frame.words("controls.looking_at"));
  const auto pick = [&](const char* id, const char* label, Index value, Index count, auto set) {
    if (count < 2) return;
    if (const auto change = int_slider(frame, id, label, value, counting(0, count - 1))) {
      View view = frame.view();
      set(view, std::clamp<Index>(change->value, 0, count - 1));
      frame.change(std::move(view));
    }
  };
  pick("batch", frame.words("controls.batch"), frame.view().batch, dims.batch, [](View& v, Index i) { v.batch = i; });
  pick("head", frame.words("controls.head"), frame.view().head, dims.heads, [](View& v, Index i) { v.head = i; });
}

/// The number in "causal() && window(4)" that the slider moves; nothing if the mask is another one.
std::optional<Index> window_width(const std::string& mask) {
  Index width = 0;
  int end = 0;
  long long number = 0;
  if (std::sscanf(mask.c_str(), "causal() && window(%lld)%n", &number, &end) == 1 && end == static_cast<int>(mask.size())) {
    width = number;
    return width;
  }
  return std::nullopt;
}

void draw_lengths(const Frame& frame) {
  const Dims& dims = frame.trace()->dims();
  const Tensor& lens = frame.trace()->inputs.valid_lens;
  if (frame.document.scenario.mask != "padding()" || !lens.defined() || lens.rank() != 1) return;
  for (Index b = 0; b < std::min<Index>(dims.batch, 8); ++b) {
    char id[24];
    std::snprintf(id, sizeof id, "length%lld", static_cast<long long>(b));
    const std::string label = frame.words.fill("controls.valid_length", {std::to_string(b)});
    if (const auto change = int_slider(frame, id, label.c_str(), std::lround(lens.at({b})), counting(0, dims.n_k))) {
      Scenario scenario = frame.document.scenario;
      scenario.valid_lens.clear();
      for (Index i = 0; i < dims.batch; ++i) scenario.valid_lens.push_back({i == b ? change->value : std::lround(lens.at({i}))});
      frame.change(std::move(scenario), id);
    }
  }
}

void mask_chip(const Frame& frame, const char* id, const std::string& expression, bool chosen, float width) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.mask_%s", id);
  if (!chip(frame, id, frame.words(key), chosen, width) || chosen) return;
  Scenario scenario = frame.document.scenario;
  const Dims& dims = frame.trace()->dims();
  scenario.mask = expression;
  const bool has_lens = frame.trace()->inputs.valid_lens.defined();
  if (expression == "padding()" && !has_lens) {
    for (Index b = 0; b < dims.batch; ++b) scenario.valid_lens.push_back({std::max<Index>(dims.n_k - 1 - b, 1)});
  }
  frame.change(std::move(scenario));
}

/// "15 of 36 masked, 42 %", of the matrix that is looked at.
std::string masked_words(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const MatrixView mask = trace[Stage::mask].matrix(frame.view().batch, frame.view().head);
  Index masked = 0;
  for (Index r = 0; r < mask.rows; ++r) {
    for (Index c = 0; c < mask.cols; ++c) masked += mask(r, c) == 0 ? 1 : 0;
  }
  const Index all = mask.rows * mask.cols;
  return frame.words.fill("controls.masked", {std::to_string(masked), std::to_string(all), std::to_string((100 * masked + all / 2) / all)});
}

void draw_mask(const Frame& frame) {
  section(frame, frame.words("controls.mask"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  if (auto text = text_field(frame, "##mask", now.mask, Face::mono)) {
    Scenario scenario = now;
    scenario.mask = std::move(*text);
    frame.change(std::move(scenario));
  }
  const auto width = window_width(now.mask);
  const Index start = std::max<Index>((trace.dims().n_k + 1) / 2, 1);
  const float gap = 4 * frame.u;
  const float each = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const bool file_masks = trace.inputs.file_mask.defined() || (trace.inputs.valid_lens.defined() && now.valid_lens.empty());
  mask_chip(frame, file_masks ? "of_file" : "none", "", now.mask.empty(), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "causal", "causal()", now.mask == "causal()", each);
  mask_chip(frame, "window", "causal() && window(" + std::to_string(start) + ")", width.has_value(), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "padding", "padding()", now.mask == "padding()", each);
  if (width) {
    scenario_slider(frame, "window_width", *width, counting(1, std::max<Index>(trace.dims().n_k, 2)), true,
                    [](Scenario& s, Index n) { s.mask = "causal() && window(" + std::to_string(n) + ")"; });
  }
  draw_lengths(frame);
  if (trace.has(Stage::mask)) note(frame, masked_words(frame));
}

void draw_scores(const Frame& frame) {
  section(frame, frame.words("controls.scores"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  char shown[32];
  if (now.scale) {
    std::snprintf(shown, sizeof shown, "%.3g", static_cast<double>(*now.scale));
  } else {
    std::snprintf(shown, sizeof shown, "1/√%lld", static_cast<long long>(trace.dims().d_head));
  }
  if (const auto scale = float_slider(frame, "scale", frame.words("controls.scale"), trace.scale, 0, 2, shown)) {
    Scenario scenario = now;
    const float standard = 1 / std::sqrt(static_cast<float>(trace.dims().d_head));
    scenario.scale = std::abs(*scale - standard) < 0.006f ? std::nullopt : std::optional(*scale);
    frame.change(std::move(scenario), "scale");
  }
  if (trace.has(Stage::mask)) {
    note(frame, frame.words("controls.fill"));
    const char* labels[] = {"−∞", "−1e9", "−1e4"};
    constexpr float fills[] = {-INFINITY, -1e9f, -1e4f};
    int chosen = -1;
    for (int i = 0; i < 3; ++i) {
      if (trace.fill == fills[i]) chosen = i;
    }
    if (const auto clicked = segments(frame, "fill", labels, chosen)) {
      Scenario scenario = now;
      scenario.fill = fills[*clicked];
      frame.change(std::move(scenario));
    }
  }
}

}  // namespace

void draw_controls(const Frame& frame, Rect place) {
  const PanelArea area(frame, "controls", place.min, place.max, frame.look.panel, {18, 14}, true);
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  draw_input(frame);
  if (!frame.trace()) return;
  draw_shape(frame);
  draw_looking(frame);
  draw_mask(frame);
  draw_scores(frame);
}

}  // namespace headlight
