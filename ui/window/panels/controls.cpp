// The left panel: the settings that determine the numbers, and the selected batch entry and head.

#include "ui/window/panels/controls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/head_overview.h"
#include "core/compute/network/network.h"
#include "core/compute/run/statistics.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/operation/operation.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

/// 1 to 32 in single steps, then in growing steps to `most`.
Choices lengths() {
  static const std::vector<Index> list = [] {
    std::vector<Index> all(32);
    std::iota(all.begin(), all.end(), Index{1});
    for (const Index n : {40, 48, 56, 64, 80, 96, 128, 192, 256, 384, 512, 1024, 2048}) all.push_back(n);
    return all;
  }();
  return std::span(list);
}

/// The first stage of a file's numbers; the input for all other sources, and until there is a trace.
Stage first_stage(const Frame& frame) {
  const bool file = frame.document.scenario.source == Source::file && frame.trace();
  return file ? frame.trace()->inputs.first_stage() : Stage::query;
}

void draw_input(const Frame& frame) {
  section(frame, frame.words("controls.input"));
  const Scenario& now = frame.document.scenario;
  if (now.source == Source::text) {
    auto text = text_field(frame, "##text", in_one_line(frame, now.text), Face::ui, true, "", AfterEnter::goes_on);
    tooltip(frame, frame.words("controls.lines"));
    if (text) *text = as_lines(*text);
    if (text &&
        text->find_first_not_of(" \t\n") != std::string::npos) {  // an empty text is ignored: the last one stays
      frame.edit("text", [text = std::move(*text)](Scenario& s) { s.text = text; });
    }
  } else if (now.source == Source::file) {
    note(frame, file_name_of(now.file));
    tooltip(frame, now.file);
  }
  constexpr const char* sources[] = {"controls.text", "controls.random", "controls.file"};
  const bool has_file = !now.file.empty();
  if (const auto source =
          pick(frame, "source", std::span(sources).first(has_file ? 3 : 2), static_cast<int>(now.source)))
    frame.actions.push_back(ChangeSource{static_cast<Source>(*source)});
  if (first_stage(frame) == Stage::query) draw_settings(frame, SettingGroup::input);
  draw_pasted(frame);
  const std::string& story = in_language(frame.document.origin.lesson.description, frame.words.language());
  const Scenario& began = frame.document.origin.lesson.scenario;
  // A story applies only to its original words.
  const bool still = now.source == began.source && now.text == began.text && now.file == began.file;
  if (!story.empty() && still) {
    note(frame, story);
  } else if (!has_file) {
    note(frame, frame.words("controls.drop_hint"));
  }
}

/// The heads of the network's layer itself; unset if there is no network.
std::optional<Index> heads_of_layer(const Trace& trace) {
  const auto run = network_of(trace.inputs);
  if (!run) return {};
  return run->network->layer(run->network->layer_or_first(trace.scenario.layer)).heads;
}

/// Why the network's layer cannot be cut into other heads; "" if it can, or if there is no network.
const std::string& why_uncut(const Frame& frame) {
  const auto find = [&]() -> std::string {
    const Trace& trace = *frame.trace();
    const auto run = network_of(trace.inputs);
    if (!run) return {};
    Inputs inputs = trace.inputs;
    Scenario finest;
    finest.heads = inputs.dims.d_model;
    try {
      run->network->cut_heads(run->network->layer_or_first(trace.scenario.layer), finest, inputs);
    } catch (const InputError& error) { return frame.words.in_window(frame.words.translate(error.message())); }
    return {};
  };
  return frame.pictures.kept(find, frame.document.trace, frame.view().language);
}

/// The width is the model's; the same text can be read with random weights of any width.
void offer_random_weights(const Frame& frame) {
  note(frame, frame.words("controls.width_of_model"));
  if (chip(frame, "random_weights", frame.words("controls.random_weights"), false, ImGui::GetContentRegionAvail().x))
    frame.actions.push_back(ChangeSource{Source::text});
}

void draw_shape(const Frame& frame) {
  section(frame, frame.words("controls.shape"));
  const Dims dims = wanted_dims(frame.document);
  const ControlsPicture& picture = controls_picture(frame);
  const Scenario& now = frame.document.scenario;
  const bool own = now.source != Source::file;
  const bool random = now.source == Source::random && !now.x;
  if (random) {
    scenario_slider(frame, "batch_size", dims.batch, Choices(1, 16), true, [](Scenario& s, Index n) {
      s.batch_size = n;
      if (!s.valid_lens.empty())
        s.valid_lens.resize(static_cast<std::size_t>(std::max<Index>(n, 1)), s.valid_lens.back());
    });
    scenario_slider(frame, "queries", dims.n_q, lengths(), true, [trace = frame.document.trace](Scenario& s, Index n) {
      if (s.keys == wanted_dims(s, *trace).n_q) s.keys = std::nullopt;  // self-attention stays self-attention
      s.queries = n;
    });
    scenario_slider(frame, "keys", dims.n_k, lengths(), true, [](Scenario& s, Index n) { s.keys = n; });
  }
  scenario_slider(frame, "d_model", dims.d_model, Choices(picture.widths), own,
                  [](Scenario& s, Index n) { s.d_model = n; });
  const std::string& whole = why_uncut(frame);
  const std::optional<Index> of_layer = heads_of_layer(*frame.trace());
  scenario_slider(frame, "heads", dims.heads, Choices(picture.heads), whole.empty(),
                  [trace = frame.document.trace, of_layer](Scenario& s, Index n) {
                    const Dims before = wanted_dims(s, *trace);
                    const bool plain = before.kv_heads == before.heads;
                    s.heads = n == of_layer ? std::nullopt : std::optional(n);
                    if (plain || n % before.kv_heads != 0) s.kv_heads = std::nullopt;
                  });
  if (!whole.empty()) note(frame, whole);
  if (of_layer) offer_random_weights(frame);
  if (own) {
    scenario_slider(frame, "kv_heads", dims.kv_heads, Choices(picture.kv_heads), true,
                    [](Scenario& s, Index n) { s.kv_heads = n; });
    scenario_slider(frame, "seed", static_cast<Index>(now.seed), Choices(0, 99), true,
                    [](Scenario& s, Index n) { s.seed = static_cast<std::uint64_t>(std::max<Index>(n, 0)); });
  }
  draw_settings(frame, SettingGroup::shape);
}

/// W_q, W_k, W_v as three matrices or as one: the numbers are the same.
void draw_packing(const Frame& frame) {
  const Inputs& inputs = frame.trace()->inputs;
  note(frame, frame.words("controls.weights_as"));
  constexpr const char* ways[] = {"controls.three", "controls.one"};
  if (const auto way = pick(frame, "packing", ways, frame.view().packed.value_or(inputs.packed) ? 1 : 0))
    frame.show([one = *way == 1](View& v) { v.packed = one; });
}

/// Selects a layer of a network, or one of the layers in a file.
void draw_layer_choice(const Frame& frame) {
  const auto& overview = frame.trace()->overview;
  if (!overview || overview->layers.size() < 2) return;
  const auto name_of = [&](int i) { return overview->layers[static_cast<std::size_t>(i)].layer.c_str(); };
  note(frame, frame.words("settings.layer"));
  const auto picked = choice_box(frame, "##looked_at_layer", static_cast<int>(overview->layers.size()),
                                 static_cast<int>(overview->chosen), name_of);
  if (picked) frame.edit({}, [name = std::string(name_of(*picked))](Scenario& s) { s.layer = name; });
}

/// The stages' numbers, or how the loss changes with them.
void draw_gradient_choice(const Frame& frame) {
  const View& view = frame.view();
  if (!frame.kept([&] { return has_gradients(*frame.trace()); })) return;
  constexpr const char* ways[] = {"controls.numbers", "controls.gradients"};
  if (const auto way = pick(frame, "gradients", ways, view.loss ? 1 : 0)) {
    const std::string loss = usual_loss(*network_of(frame.trace()->inputs));
    frame.actions.push_back(EditView{[on = *way == 1, loss](View& v) {
                                       v.loss = on ? std::optional(loss) : std::nullopt;
                                       v.step.reset();
                                     },
                                     true});
  }
  if (!view.loss) return;
  if (!view.loss->empty()) {
    note(frame, frame.words("controls.loss_of"));
    if (const auto word = text_field(frame, "##loss", *view.loss, Face::mono, false, ""); word && !word->empty())
      frame.actions.push_back(EditView{[word = *word](View& v) { v.loss = word; }, true});
  }
  if (frame.trace()->gradients_of) note(frame, frame.words.translate(frame.trace()->loss));
}

void draw_looking(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  section(frame, frame.words("controls.looking_at"));
  draw_layer_choice(frame);
  const auto pick = [&](const char* id, const char* label, Index value, Index count, auto set) {
    if (count < 2) return;
    if (const auto change = int_slider(frame, id, label, value, Choices(0, count - 1))) {
      frame.show([set, i = std::clamp<Index>(change->value, 0, count - 1)](View& v) { set(v, i); });
    }
  };
  pick("batch", frame.words("controls.batch"), frame.view().batch, dims.batch, [](View& v, Index i) { v.batch = i; });
  pick("head", frame.words("controls.head"), frame.view().head, dims.heads, [](View& v, Index i) { v.head = i; });
  const bool projects = frame.trace()->has(Stage::W_q);
  if (projects && dims.d_query == dims.d_key && dims.d_key == dims.d_value) draw_packing(frame);
  draw_gradient_choice(frame);
}

void draw_scores(const Frame& frame) {
  section(frame, frame.words("controls.scores"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  const Index d_head = std::max<Index>(wanted_dims(frame.document).d_head, 1);
  const float standard = 1 / std::sqrt(static_cast<float>(d_head));
  const bool own = now.source != Source::file;  // a file may have another value
  const float wanted = now.scale.value_or(own ? standard : trace.scale);
  const std::string shown =
      now.scale ? formatted("%.3g", static_cast<double>(*now.scale)) : "1/√" + std::to_string(d_head);
  if (const auto scale = float_slider(frame, "scale", frame.words("controls.scale"), wanted, 0, 2, shown.c_str())) {
    frame.edit("scale", [chosen = std::abs(*scale - standard) < 0.006f ? std::nullopt : scale](Scenario& s) {
      s.scale = chosen;
    });
  }
  if (trace.has(Stage::mask)) {
    note(frame, frame.words("controls.fill"));
    const char* labels[] = {"−∞", "−1e9", "−1e4"};
    constexpr float fills[] = {-INFINITY, -1e9f, -1e4f};
    int chosen = -1;
    for (int i = 0; i < 3; ++i) {
      if (now.fill.value_or(trace.fill) == fills[i]) chosen = i;
    }
    if (const auto clicked = segments(frame, "fill", labels, chosen)) {
      frame.edit({}, [fill = fills[*clicked]](Scenario& s) { s.fill = fill; });
    }
  }
  draw_settings(frame, SettingGroup::scores);
}

/// In a presentation, a lesson's text must be legible from the last row: 24 pixels at 1920 × 1080, 18 in the smallest
/// presentation.
float wall_scale(ImVec2 window, float u) {
  const float pixels = std::max(24 * std::min(window.x / 1920, window.y / 1080), 18.0f);
  return std::clamp(std::ceil(pixels / (TypeSize::large * u) * 8) / 8, 1.0f, 2.0f);
}

void draw_setting_named(const Frame& frame, const std::string& key) {
  const auto& settings = all_settings();
  const auto found = std::ranges::find(settings, key, &Setting::key);
  if (found != settings.end()) draw_setting(frame, *found);
}

constexpr Index most_lengths = 8;  // sliders

std::vector<Index> divisors(Index of) {
  std::vector<Index> list;
  for (Index i = 1; i <= of; ++i) {
    if (of % i == 0) list.push_back(i);
  }
  return list;
}

std::vector<Index> widths(Index heads) {
  std::vector<Index> list;
  for (Index d = heads; d <= 512; d += heads) {
    if (d <= 32 || d % 8 == 0) list.push_back(d);
  }
  return list;
}

std::string masked_words(const Frame& frame) {
  const Trace& trace = *frame.trace();
  if (!trace.has(Stage::mask) || !selects_within(frame.view(), trace)) return {};
  const KindCounts& kinds = trace.summary->kinds(Stage::masked_scores, frame.view().batch, frame.view().head);
  if (kinds == KindCounts{}) return {};  // not counted yet
  const Index masked = kinds[static_cast<std::size_t>(CellKind::masked)];
  const Index all = trace.dims().n_q * trace.dims().n_k;
  return frame.words.fill("controls.masked", {grouped(masked), grouped(all), (100 * masked + all / 2) / all});
}

ControlsPicture make_controls_picture(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  ControlsPicture picture;
  picture.widths = widths(dims.heads);
  picture.heads = divisors(dims.d_model);
  picture.kv_heads = divisors(dims.heads);
  for (Index b = 0; b < std::min(dims.batch, most_lengths); ++b) {
    picture.length_labels.push_back(frame.words.fill("controls.valid_length", {b}));
  }
  picture.masked = masked_words(frame);
  picture.colormaps = list_colormaps();
  std::erase_if(picture.colormaps, [](const std::string& map) {
    return map == default_colormap(Palette::diverging) || map == default_colormap(Palette::sequential);
  });
  const ValueRange& fixed = frame.view().range.fixed;
  picture.fixed_range = formatted("%.6g:%.6g", static_cast<double>(fixed.lo), static_cast<double>(fixed.hi));
  return picture;
}

}  // namespace

void draw_controls(const Frame& frame, Rect place) {
  if (const Course* course = open_course(frame.document, frame.pictures);
      course && frame.view().kind != ViewKind::lesson) {
    Frame on_wall = frame;
    if (frame.view().presenting) on_wall.u *= wall_scale(ImGui::GetIO().DisplaySize, frame.u);
    return draw_lesson_panel(on_wall, *course, place, draw_setting_named);
  }
  const PanelArea area(frame, "controls", place.min, place.max, frame.look.panel, {18, 14}, PanelArea::Kind::scrolling);
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  draw_input(frame);
  if (!frame.trace()) return;
  if (first_stage(frame) == Stage::query) draw_shape(frame);
  draw_looking(frame);
  if (first_stage(frame) != Stage::weights) {  // otherwise there are no scores to change
    draw_mask_controls(frame);
    draw_scores(frame);
    draw_variant_controls(frame);
    draw_dropout_controls(frame);
  }
  draw_colour_controls(frame);
  draw_file_controls(frame);
  draw_further_controls(frame);
}

const ControlsPicture& controls_picture(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  return frame.picture<ControlsPicture>([&] { return make_controls_picture(frame); }, dims.batch, dims.heads,
                                        dims.d_model);
}

}  // namespace headlight
