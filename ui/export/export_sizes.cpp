#include <cmath>
#include <cstdio>

#include "core/scenario/scenario_rules.h"
#include "core/tensor/error.h"
#include "ui/export/export_controls.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

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

void draw_export_size(const Frame& frame, ExportChoice& choice) {
  ExportOptions& options = choice.options;
  const char* const labels[] = {frame.words("export.automatic"), units[0], units[1], units[2], units[3]};
  const int now = options.size ? static_cast<int>(options.size->unit) + 1 : 0;
  if (const auto clicked = segments(frame, "unit", labels, now); clicked && *clicked != now) {
    const auto unit = static_cast<LengthUnit>(*clicked - 1);
    const WantedSize usual{8.5f, 7, LengthUnit::cm};  // a column of a paper
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
