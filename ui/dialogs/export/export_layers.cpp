#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/head_overview.h"
#include "ui/dialogs/export/export_controls.h"
#include "ui/parts/widgets/controls.h"

namespace headlight {
namespace {

struct LayersWay {
  const char* option;
  const char* key;
};
constexpr LayersWay ways[] = {{"", "export.this_layer"},
                              {"all", "export.all_layers"},
                              {"encoder", "export.encoder_layers"},
                              {"decoder", "export.decoder_layers"},
                              {"cross", "export.cross_layers"},
                              {"rollout", "export.rollout"},
                              {"flow", "export.flow"}};

/// Whether the network has such layers: stacks are offered where there are several.
bool is_offered(const HeadOverview& overview, const std::string& option) {
  if (option != "encoder" && option != "decoder" && option != "cross") return true;
  return std::ranges::any_of(overview.layers,
                             [&](const OverviewLayer& layer) { return layer.layer.starts_with(option); });
}

/// "rollout:3": up to which layer.
void draw_last_layer(const Frame& frame, const HeadOverview& overview, const std::string& way, ExportOptions& options) {
  std::vector<const OverviewLayer*> stack;
  const OverviewLayer& chosen = overview.layers[static_cast<std::size_t>(overview.chosen)];
  for (const OverviewLayer& layer : overview.layers) {
    if (layer.stack == chosen.stack && layer.cross == chosen.cross) stack.push_back(&layer);
  }
  const auto found = std::ranges::find_if(
      stack, [&](const OverviewLayer* layer) { return options.layers == way + ":" + layer->layer; });
  const Index last = std::ssize(stack) - 1, now = found == stack.end() ? last : found - stack.begin();
  if (last < 1) return;
  if (const auto upto = int_slider(frame, "upto", frame.words("export.up_to_layer"), now, Choices(0, last))) {
    options.layers = way + ":" + stack[static_cast<std::size_t>(std::clamp<Index>(upto->value, 0, last))]->layer;
  }
}

constexpr const char* units[] = {"px", "cm", "mm", "in"};

/// The same size in another unit, to a tenth of it; of pixels, at the dpi that lengths have.
WantedSize converted(const WantedSize& size, LengthUnit unit, std::optional<int> dpi) {
  constexpr float per_inch[] = {0, 2.54f, 25.4f, 1};
  const float pixels = static_cast<float>(dpi.value_or(300));
  const auto density = [&](LengthUnit u) { return u == LengthUnit::px ? pixels : per_inch[static_cast<int>(u)]; };
  const float step = unit == LengthUnit::px ? 1 : 10;
  const auto convert = [&](float length) {
    return std::round(length / density(size.unit) * density(unit) * step) / step;
  };
  return {convert(size.width), convert(size.height), unit};
}

/// What a figure is made for.
struct Preset {
  WantedSize size;
  std::optional<int> dpi;          ///< in pixels; unset: as for any length
  std::optional<float> font_size;  ///< in points; unset: as for any paper
  Index most_columns = 0;          ///< heads side by side
};
constexpr Preset presets[] = {
    {{40.0f / 3, 7.5f, LengthUnit::in}, 144, 20, 8},  // a 16:9 slide of 1920 × 1080 pixels, read from the last row
    {{3.5f, 0, LengthUnit::in}, {}, {}, 2},           // a column of a two-column paper
    {{7, 0, LengthUnit::in}, {}, {}, 4},              // the width of a page
    {{60, 0, LengthUnit::cm}, 150, 28, 8}};           // on a wall

/// Layers have a row each, whatever their figure is for.
std::optional<Index> columns_of(const Preset& preset, const ExportOptions& options) {
  return options.layers.empty() ? std::optional(preset.most_columns) : std::nullopt;
}

bool is_set(const Preset& preset, const ExportOptions& options) {
  return options.size == preset.size && options.dpi == preset.dpi && options.style.font_size == preset.font_size &&
         options.style.columns == columns_of(preset, options);
}

void draw_lengths(const Frame& frame, ExportChoice& choice) {
  const WantedSize size = *choice.options.size;
  const std::string shown = size.height == 0 ? to_text(size) : shortest(size.width) + " x " + shortest(size.height);
  const auto typed = text_field(frame, "##size", shown, Face::mono);
  if (!typed) return;
  std::string text;
  for (const char c : *typed) {
    if (c != ' ') text += c;
  }
  try {
    const std::string unit = size.unit == LengthUnit::px ? "" : units[static_cast<int>(size.unit)];
    choice.options.size =
        parse_wanted_size("--size", text.find_first_of("cmin") == std::string::npos ? text + unit : text);
    choice.problem.clear();
  } catch (const InputError& error) { choice.problem = error.message(); }
}

}  // namespace

void draw_export_layers(const Frame& frame, ExportOptions& options) {
  const auto& overview = frame.trace()->overview;
  if (!overview || overview->layers.size() < 2) return;
  std::vector<const LayersWay*> offered;
  for (const LayersWay& way : ways) {
    if (is_offered(*overview, way.option)) offered.push_back(&way);
  }
  const std::string now = options.layers.substr(0, options.layers.find(':'));
  const auto found = std::ranges::find_if(offered, [&](const LayersWay* way) { return now == way->option; });
  note(frame, frame.words("export.layers"));
  const auto name_of = [&](int i) { return frame.words(offered[static_cast<std::size_t>(i)]->key); };
  const int chosen = found == offered.end() ? 0 : static_cast<int>(found - offered.begin());
  if (const auto way = choice_box(frame, "##layers", static_cast<int>(offered.size()), chosen, name_of)) {
    options.layers = offered[static_cast<std::size_t>(*way)]->option;
    options.said_heads = false;
    options.all_heads = !options.layers.empty();
    options.pool = HeadPool::none;
    if (!options.layers.empty()) options.style.kind = PictureKind::heatmap;
    if (now.empty() != options.layers.empty()) options.style.title.reset();
  }
  const std::string way = options.layers.substr(0, options.layers.find(':'));
  if (way == "rollout" || way == "flow") draw_last_layer(frame, *overview, way, options);
}

void draw_export_presets(const Frame& frame, ExportOptions& options) {
  constexpr const char* keys[] = {"export.slide", "export.column", "export.page", "export.poster"};
  int now = -1;
  for (int i = 0; i < static_cast<int>(std::size(presets)); ++i) {
    if (is_set(presets[i], options)) now = i;
  }
  const auto picked = pick(frame, "preset", keys, now);
  if (!picked) return;
  const Preset& preset = presets[*picked];
  options.size = preset.size;
  options.dpi = preset.dpi;
  options.style.font_size = preset.font_size;
  options.style.columns = columns_of(preset, options);
}

void draw_export_size(const Frame& frame, const ExportPreview& preview, ExportChoice& choice) {
  ExportOptions& options = choice.options;
  const char* const labels[] = {frame.words("export.automatic"), units[0], units[1], units[2], units[3]};
  const int now = options.size ? static_cast<int>(options.size->unit) + 1 : 0;
  if (const auto clicked = segments(frame, "unit", labels, now); clicked && *clicked != now) {
    const auto unit = static_cast<LengthUnit>(*clicked - 1);
    // A size of one's own begins as the automatic one: the file keeps its pixels.
    WantedSize usual{8.5f, 7, LengthUnit::cm};
    if (preview.width > 0) usual = {static_cast<float>(preview.width), static_cast<float>(preview.height)};
    options.size =
        *clicked == 0 ? std::nullopt : std::optional(converted(options.size.value_or(usual), unit, options.dpi));
  }
  if (options.size) draw_lengths(frame, choice);
  constexpr Index densities[] = {72, 96, 150, 200, 300, 400, 600, 1200};
  const int usual = options.size && options.size->unit != LengthUnit::px ? 300 : 96;
  const int dpi = options.dpi.value_or(usual);
  if (const auto change = int_slider(frame, "dpi", "dpi", dpi, Choices(densities))) {
    const int wanted = static_cast<int>(std::clamp<Index>(change->value, 10, 2400));
    options.dpi = wanted == usual ? std::nullopt : std::optional(wanted);
  }
}

}  // namespace headlight
