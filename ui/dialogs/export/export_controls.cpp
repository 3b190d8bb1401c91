#include "ui/dialogs/export/export_controls.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/network.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/colormap.h"
#include "core/figures/figure/fonts.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/controls.h"

namespace headlight {
namespace {

void draw_kind(const Frame& frame, ExportChoice& choice) {
  constexpr const char* first[] = {"export.figure", "export.numbers", "export.stages"};
  constexpr const char* second[] = {"export.bundle", "export.web_page", "export.window", "export.animation"};
  const int now = static_cast<int>(choice.kind);
  if (const auto kind = pick(frame, "kind", first, now)) choice.kind = static_cast<ExportKind>(*kind);
  if (const auto kind = pick(frame, "kind2", second, now - 3)) choice.kind = static_cast<ExportKind>(*kind + 3);
  if (choice.kind != static_cast<ExportKind>(now)) choice = with_path(std::move(choice), "");
}

void draw_stage(const Frame& frame, ExportOptions& options) {
  const std::vector<Stage> stages = frame.trace()->stages();
  const auto found = std::find(stages.begin(), stages.end(), options.stage);
  note(frame, frame.words("export.stage"));
  const auto name_of = [&](int i) { return name(stages[static_cast<std::size_t>(i)]).data(); };
  if (const auto stage = choice_box(frame, "##stage", static_cast<int>(stages.size()),
                                    static_cast<int>(found - stages.begin()), name_of)) {
    options.stage = stages[static_cast<std::size_t>(*stage)];
    if (is_parameter(options.stage)) options.batch = 0;
    const Index heads = has_head_axis(options.stage) ? (*frame.trace())[options.stage].size(1) : 1;
    std::erase_if(options.heads, [&](Index h) { return h >= heads; });
    if (options.heads.empty()) options.heads = {0};
  }
  const Index batches = is_parameter(options.stage) ? 1 : frame.trace()->dims().batch;
  if (batches < 2) return;
  if (const auto batch =
          int_slider(frame, "batch", frame.words("export.batch"), options.batch, Choices(0, batches - 1))) {
    options.batch = std::clamp<Index>(batch->value, 0, batches - 1);
  }
}

/// One chip per head: selects one or several.
void draw_head_chips(const Frame& frame, std::vector<Index>& chosen, Index heads) {
  constexpr Index a_row = 8;
  const float gap = Space::tight * frame.u;
  const float width = (ImGui::GetContentRegionAvail().x - gap * (a_row - 1)) / a_row;
  for (Index h = 0; h < heads; ++h) {
    const std::string label = std::to_string(h);
    if (h % a_row != 0) ImGui::SameLine(0, gap);
    const auto at = std::lower_bound(chosen.begin(), chosen.end(), h);
    const bool on = at != chosen.end() && *at == h;
    if (!chip(frame, label.c_str(), label, on, width)) continue;
    if (!on) chosen.insert(at, h);
    if (on && chosen.size() > 1) chosen.erase(at);
  }
}

/// For each layer: all heads, their mean, or some.
void draw_heads_of_layers(const Frame& frame, ExportOptions& options, Index heads) {
  constexpr const char* keys[] = {"export.every_head", "export.mean_head", "export.some_heads"};
  note(frame, frame.words("export.heads"));
  const int now = options.pool == HeadPool::mean ? 1 : options.said_heads ? 2 : 0;
  if (const auto how = pick(frame, "layer_heads", keys, now)) {
    options.pool = *how == 1 ? HeadPool::mean : HeadPool::none;
    options.all_heads = *how == 0;
    options.said_heads = *how == 2;
  }
  if (options.said_heads) draw_head_chips(frame, options.heads, heads);
}

void draw_heads(const Frame& frame, ExportChoice& choice) {
  constexpr const char* keys[] = {"export.one_head", "export.all_heads", "export.some_heads"};
  constexpr const char* pools[] = {"export.mean_head", "export.max_head"};
  ExportOptions& options = choice.options;
  if (!has_head_axis(options.stage)) return;
  const Index heads = (*frame.trace())[options.stage].size(1);
  if (heads < 2 || takes_layers_together(options)) return;
  if (!options.layers.empty()) return draw_heads_of_layers(frame, options, heads);
  note(frame, frame.words("export.heads"));
  const int pooled = static_cast<int>(options.pool) - 1;
  if (const auto how = pick(frame, "pool", pools, pooled)) options.pool = static_cast<HeadPool>(*how + 1);
  const int now = options.pool != HeadPool::none ? -1 : options.all_heads ? 1 : options.heads.size() > 1 ? 2 : 0;
  if (const auto how = pick(frame, "heads", keys, now)) {
    options.pool = HeadPool::none;
    options.all_heads = *how == 1;
    if (*how == 0) options.heads.resize(1);
    if (*how == 2 && options.heads.size() < 2) options.heads = {0, 1};
    return;
  }
  if (now == 2) draw_head_chips(frame, options.heads, heads);
  if (now != 0) return;
  if (const auto head =
          int_slider(frame, "head", frame.words("export.head"), options.heads.front(), Choices(0, heads - 1))) {
    options.heads = {std::clamp<Index>(head->value, 0, heads - 1)};
  }
}

const ExportOption& export_option(std::string_view option) {
  return *std::ranges::find(all_export_options(), option, &ExportOption::option);
}

/// Sets one of render's options from typed text; an error is shown below the controls.
void set(ExportChoice& choice, std::string_view option, const std::string& text) {
  try {
    export_option(option).apply(choice.options, option, text);
    choice.problem.clear();
  } catch (const InputError& error) { choice.problem = error.message(); }
}

/// A list whose first entry, with the words of `usual`, stands for ""; returns the chosen name.
std::optional<std::string> choose_name(const Frame& frame, const char* id, const char* usual,
                                       const std::vector<std::string>& names, const std::string& now) {
  const auto found = std::ranges::find(names, now);
  const int chosen = found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
  const auto name_of = [&](int i) {
    return i == 0 ? frame.words(usual) : names[static_cast<std::size_t>(i) - 1].c_str();
  };
  const auto picked = choice_box(frame, id, static_cast<int>(names.size()) + 1, chosen, name_of);
  if (!picked) return {};
  return *picked == 0 ? std::string() : names[static_cast<std::size_t>(*picked) - 1];
}

void draw_colour(const Frame& frame, ExportChoice& choice) {
  constexpr const char* ranges[] = {"export.row", "export.one", "export.whole_stage", "export.fixed"};
  StageFigureStyle& style = choice.options.style;
  note(frame, frame.words("export.range"));
  const bool together = !style.own_range && !choice.options.layers.empty();  // all layers share one colour range
  const RangeMode now = together ? RangeMode::stage : style.range.mode;
  if (const auto mode = pick(frame, "range", ranges, static_cast<int>(now))) {
    style.range.mode = static_cast<RangeMode>(*mode);
    style.own_range = true;
    if (style.range.mode == RangeMode::fixed && style.range.fixed == ValueRange{}) style.range.fixed = {0, 1};
  }
  if (style.range.mode == RangeMode::fixed) {
    const char* sign = style.range.percent ? "%" : "";
    const std::string shown = shortest(style.range.fixed.lo) + sign + ":" + shortest(style.range.fixed.hi) + sign;
    if (const auto typed = text_field(frame, "##fixed", shown, Face::mono)) set(choice, "--range", *typed);
  }
  constexpr const char* norms[] = {"export.linear", "export.sqrt", "export.log"};
  note(frame, frame.words("export.norm"));
  if (const auto norm = pick(frame, "norm", norms, static_cast<int>(style.norm))) {
    style.norm = static_cast<Norm>(*norm);
    style.own_norm = true;
  }
  static const std::vector<std::string> maps = list_colormaps();
  note(frame, frame.words("export.colormap"));
  if (const auto map = choose_name(frame, "##colormap", "export.own_map", maps, style.colormap)) style.colormap = *map;
  constexpr const char* themes[] = {"export.light", "export.dark"};
  if (const auto theme = pick(frame, "theme", themes, static_cast<int>(style.theme)))
    style.theme = static_cast<Theme>(*theme);
}

/// A text with a default; if it is emptied, the figure does not have it.
void draw_words(const Frame& frame, const char* key, std::optional<std::string>& text, const std::string& usual) {
  note(frame, frame.words(key));
  ImGui::PushID(key);
  if (const auto typed = text_field(frame, "##text", text.value_or(usual), Face::ui, true)) {
    text = *typed == usual ? std::nullopt : typed;
  }
  ImGui::PopID();
}

/// Switches side by side, all of the same width.
void draw_switches(const Frame& frame, std::initializer_list<std::pair<const char*, bool*>> switches) {
  const float gap = Space::tight * frame.u, count = static_cast<float>(switches.size());
  const float width = (ImGui::GetContentRegionAvail().x - gap * (count - 1)) / count;
  bool first = true;
  for (const auto& [key, on] : switches) {
    if (!std::exchange(first, false)) ImGui::SameLine(0, gap);
    if (chip(frame, key, frame.words(key), *on, width)) *on = !*on;
  }
}

void draw_parts(const Frame& frame, const ExportPreview& preview, ExportChoice& choice) {
  StageFigureStyle& style = choice.options.style;
  if (!style.bare) {
    draw_words(frame, "export.title", style.title, preview.usual_title);
    draw_words(frame, "export.row_label", style.row_label, preview.usual_rows);
    draw_words(frame, "export.col_label", style.col_label, preview.usual_cols);
  }
  note(frame, frame.words("export.parts"));
  draw_switches(frame,
                {{"export.tokens", &style.tokens}, {"export.bar", &style.bar}, {"export.values", &style.values}});
  draw_switches(frame, {{"export.bare", &style.bare}, {"export.transparent", &style.transparent}});
}

/// The name of an option's field in the dialog.
struct FieldName {
  std::string_view option;
  const char* key;
};

constexpr FieldName field_names[] = {
    {"--size", "export.size_of"},
    {"--cell", "export.size_of"},
    {"--range", "export.fixed"},
    {"--head", "export.heads"},
    {"--layers", "export.layers"},
    {"--kind", "export.picture"},
    {"--query", "export.query"},
    {"--opacity", "export.opacity"},
    {"--word", "export.word"},
    {"--from", "export.from"},
    {"--what", "export.states"},
    {"--other-mask", "export.other_mask"},
    {"--other-file", "export.other_file"},
    {"--block", "export.block"},
    {"--rows", "export.part_rows"},
    {"--cols", "export.part_cols"},
    {"--highlight", "export.highlight"},
    {"--columns", "export.columns"},
    {"--font-size", "export.font_size"},
};

const FieldName* field_of(std::string_view option) {
  const auto* found = std::ranges::find(field_names, option, &FieldName::option);
  return found == std::end(field_names) ? nullptr : found;
}

/// One of render's options in command-line syntax; if it is emptied, the default applies.
void draw_option(const Frame& frame, std::string_view option, ExportChoice& choice) {
  const char* const key = field_of(option)->key;
  const ExportOption& known = export_option(option);
  note(frame, frame.words(key));
  ImGui::PushID(key);
  std::string shown = known.text(choice.options).value_or("");
  std::ranges::replace(shown, '\n', ' ');
  auto typed = text_field(frame, "##option", shown, Face::mono, true);
  ImGui::PopID();
  if (!typed) return;
  if (known.repeats) std::ranges::replace(*typed, ' ', '\n');
  if (!typed->empty()) set(choice, option, *typed);
  else if (known.reset) known.reset(choice.options);
}

/// What to draw of a whole network: the prediction, or the reasons for it; for pictures, an overlay.
void draw_network_kind(const Frame& frame, StageFigureStyle& style) {
  const auto network = network_of(frame.trace()->inputs);
  if (!network) return;
  const NetworkSpec& spec = network->network->spec();
  const auto offer = [&](const char* id, const char* const(&keys)[1], PictureKind kind) {
    if (pick(frame, id, keys, style.kind == kind ? 0 : -1)) style.kind = kind;
  };
  if (spec.picture) offer("picture3", {"export.overlay"}, PictureKind::overlay);
  if (!spec.head.output.there()) return;
  offer("picture4", {"export.lens"}, PictureKind::lens);
  if (network->network->has_parts()) offer("picture5", {"export.why"}, PictureKind::why);
  // Only for small networks, since the preview waits for it; `headlight render` can draw it for large ones.
  if (network->is_small() && spec.stacks.size() == 1) offer("picture6", {"export.patch"}, PictureKind::patch);
}

/// The options that belong to one kind of picture.
constexpr std::pair<PictureKind, std::string_view> kind_options[] = {{PictureKind::overlay, "--query"},
                                                                     {PictureKind::overlay, "--opacity"},
                                                                     {PictureKind::why, "--word"},
                                                                     {PictureKind::patch, "--word"},
                                                                     {PictureKind::patch, "--from"},
                                                                     {PictureKind::patch, "--what"},
                                                                     {PictureKind::side_by_side, "--other-mask"},
                                                                     {PictureKind::difference, "--other-file"},
                                                                     {PictureKind::blocks, "--block"}};

/// What to draw of the stage: a heatmap, arcs, a difference, or the effect of a mask.
void draw_picture_kind(const Frame& frame, ExportChoice& choice) {
  constexpr const char* kinds[] = {"export.heatmap", "export.arcs", "export.difference"};
  constexpr const char* mask_kinds[] = {"export.reach", "export.blocks", "export.sides"};
  StageFigureStyle& style = choice.options.style;
  note(frame, frame.words("export.picture"));
  const int now = static_cast<int>(style.kind);
  if (const auto kind = pick(frame, "picture", kinds, now)) style.kind = static_cast<PictureKind>(*kind);
  if (const auto kind = pick(frame, "picture2", mask_kinds, now - 3)) style.kind = static_cast<PictureKind>(*kind + 3);
  draw_network_kind(frame, style);
  if (style.kind != PictureKind::heatmap && style.kind != PictureKind::overlay) choice.options.layers.clear();
  for (const auto& [kind, option] : kind_options) {
    if (style.kind == kind) draw_option(frame, option, choice);
  }
}

void draw_finer(const Frame& frame, ExportChoice& choice) {
  StageFigureStyle& style = choice.options.style;
  draw_option(frame, "--rows", choice);
  draw_option(frame, "--cols", choice);
  draw_option(frame, "--highlight", choice);
  draw_option(frame, "--columns", choice);
  static const std::vector<std::string> families = installed_families();
  note(frame, frame.words("export.font"));
  if (const auto font = choose_name(frame, "##font", "export.own_font", families, style.font)) style.font = *font;
  draw_option(frame, "--font-size", choice);
  draw_switches(frame, {{"export.letters", &style.letters}, {"export.print", &style.print}});
}

void draw_format(const Frame& frame, ExportChoice& choice) {
  const auto all = endings(choice.kind);
  if (all.size() > 1) {
    note(frame, frame.words("export.format"));
    std::array<const char*, 8> labels{};
    assert(all.size() <= labels.size());
    std::transform(all.begin(), all.end(), labels.begin(),
                   [&](const char* e) { return *e == '\0' ? frame.words("export.folder") : e + 1; });
    const int now = choice.format[static_cast<std::size_t>(choice.kind)];
    const auto clicked = segments(frame, "format", std::span(labels).first(all.size()), now);
    if (clicked && *clicked != now) choice = with_format(std::move(choice), *clicked);
  }
  if (choice.kind != ExportKind::figure || ending(choice) != std::string_view(".svg")) return;
  constexpr const char* texts[] = {"export.svg_text", "export.svg_outlines"};
  if (const auto how = pick(frame, "svg_text", texts, static_cast<int>(choice.options.svg_text))) {
    choice.options.svg_text = static_cast<SvgText>(*how);
  }
}

}  // namespace

std::string with_field_names(const Words& words, const Message& problem) {
  std::string told = words.translate(problem);
  const std::size_t end = told.find_first_not_of("-abcdefghijklmnopqrstuvwxyz");
  const FieldName* const field = field_of(std::string_view(told).substr(0, end));
  if (!field) return told;
  const std::string_view name = words(field->key);
  const std::size_t example = std::min(name.find(", "), name.find("，"));  // "frames, such as 2:4,0:3"
  return told.replace(0, field->option.size(), name.substr(0, example));
}

ExportChoice draw_export_controls(const Frame& frame, const ExportPreview& preview, ExportChoice choice) {
  section(frame, frame.words("export.what"));
  draw_kind(frame, choice);
  if (shows_figure(choice.kind)) {
    note(frame, frame.words("export.made_for"));
    draw_export_presets(frame, choice.options);
  }
  if (shows_stage(choice.kind)) {
    draw_stage(frame, choice.options);
    if (shows_figure(choice.kind)) draw_picture_kind(frame, choice);
    draw_export_layers(frame, choice.options);
    draw_heads(frame, choice);
  }
  if (choice.kind == ExportKind::window) {
    constexpr const char* parts[] = {"export.view_alone", "export.whole_window"};
    if (const auto part = pick(frame, "alone", parts, choice.alone ? 0 : 1)) choice.alone = *part == 0;
    if (!preview.size.empty()) note(frame, frame.words.fill("export.view_size", {preview.size}));
  }
  draw_format(frame, choice);
  if (shows_figure(choice.kind)) {
    section(frame, frame.words("export.size_of"));
    draw_export_size(frame, preview, choice);
    section(frame, frame.words("export.colours"));
    draw_colour(frame, choice);
    section(frame, frame.words("export.words"));
    draw_parts(frame, preview, choice);
    section(frame, frame.words("export.finer"));
    draw_finer(frame, choice);
  }
  if (choice.kind == ExportKind::animation) {
    const std::string shown = formatted("%.2f s", static_cast<double>(choice.seconds));
    if (const auto seconds =
            float_slider(frame, "seconds", frame.words("export.seconds"), choice.seconds, 0.1f, 3, shown.c_str()))
      choice.seconds = std::clamp(*seconds, 0.05f, 20.0f);
  }
  return choice;
}

}  // namespace headlight
