// Colour maps: tables under assets/colormaps, read by name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/image/theme.h"
#include "core/stage/extent.h"
#include "core/stage/stage.h"

namespace headlight {

class Colormap {
 public:
  using Table = std::array<Rgba, 256>;
  Colormap(std::string name, ColormapKind kind, const Table& table)
      : name_(std::move(name)), kind_(kind), table_(table) {}

  const std::string& name() const { return name_; }
  ColormapKind kind() const { return kind_; }
  /// From the lowest to the highest value; what the window uploads as a 256 × 1 texture.
  const Table& table() const { return table_; }
  /// The colour at t in [0, 1] (clamped), joined linearly between entries: x = 255 t, i = floor(x),
  /// mix(table[i], table[min(i + 1, 255)], x − i). A shader that does the same agrees within 1/255.
  Rgba at(float t) const;

 private:
  std::string name_;
  ColormapKind kind_;
  Table table_;
};

/// By name; if the map has a variant for each theme, the theme's. Throws SettingError ("--colormap") with a list of
/// the names.
Colormap colormap(std::string_view name, Theme theme);
/// For masks: cells that may attend have one colour, used by no other map and no head; the others are hatched.
const Colormap& mask_colormap(Theme theme);
/// "signal" for signed stages, "attention" for weights.
std::string_view default_colormap(Palette palette);
/// The names, our own two first, then by alphabet.
std::vector<std::string> list_colormaps();

}  // namespace headlight
