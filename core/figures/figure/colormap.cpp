#include "core/figures/figure/colormap.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/assets/assets.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_hex(const std::string& line) {
  return line.size() == 6 && std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isxdigit(c); });
}

Colormap read_colormap(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const bool diverging = line == "diverging";
  if (!diverging && line != "sequential") {
    throw FileError(path.string(), Message("begins with \"{0}\"", line), "expected \"sequential\" or \"diverging\"");
  }
  Colormap::Table table;
  for (Rgba& entry : table) {
    if (!std::getline(file, line) || !is_hex(line)) {
      throw FileError(path.string(), "is not a colour map", "expected 256 lines RRGGBB");
    }
    entry = rgb(line);
  }
  return {std::string(name), diverging ? ColormapKind::diverging : ColormapKind::sequential, table};
}

std::optional<fs::path> file_of(std::string_view name, Theme theme) {
  const std::string themed = std::string(name) + (theme == Theme::light ? ".light.txt" : ".dark.txt");
  for (const std::string& file : {themed, std::string(name) + ".txt"}) {
    for (const fs::path& path : asset_files("colormaps", ".txt")) {
      if (path.filename() == file) return path;
    }
  }
  return {};
}

/// For two masks: only the first allows, both allow, only the second allows.
Colormap mask_pair(Theme theme) {
  const Colormap signs = colormap("signal", theme);
  Colormap::Table table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = i < 86 ? signs.at(0.22f) : i < 170 ? colours(theme).allowed : signs.at(0.78f);
  return Colormap("mask pair", ColormapKind::diverging, table);
}

/// For blocks: masked cells that are computed, allowed cells beside them, and allowed cells of a full block.
Colormap mask_blocks(Theme theme) {
  const ThemeColours& ground = colours(theme);
  Colormap::Table table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = mix(ground.card, ground.allowed, i < 86 ? 0.12f : i < 170 ? 0.5f : 1.0f);
  return Colormap("mask blocks", ColormapKind::sequential, table);
}

}  // namespace

Rgba Colormap::at(float t) const {
  const float x = t > 0 ? std::min(t, 1.0f) * 255.0f : 0;  // NaN also gets 0 here; its colour comes from elsewhere
  const auto low = static_cast<std::size_t>(x);
  return mix(table_[low], table_[std::min<std::size_t>(low + 1, 255)], x - static_cast<float>(low));
}

Colormap colormap(std::string_view name, Theme theme) {
  if (name == "mask") return mask_colormap(theme);
  if (name == "mask pair") return mask_pair(theme);
  if (name == "mask blocks") return mask_blocks(theme);
  const std::vector<std::string> known = list_colormaps();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    if (const std::optional<fs::path> path = file_of(name, theme)) return read_colormap(*path, name);
  }
  throw SettingError("--colormap", Message("there is no colour map \"{0}\"", std::string(name)),
                     Message("expected one of {0}", comma_list(known)));
}

const Colormap& mask_colormap(Theme theme) {
  const auto make = [](Theme of) {
    Colormap::Table table;
    table.fill(colours(of).allowed);
    return Colormap("mask", ColormapKind::sequential, table);
  };
  static const Colormap light = make(Theme::light), dark = make(Theme::dark);
  return theme == Theme::light ? light : dark;
}

std::string_view default_colormap(Palette palette) { return palette == Palette::diverging ? "signal" : "attention"; }

std::vector<std::string> list_colormaps() {
  std::vector<std::string> names;
  for (const fs::path& path : asset_files("colormaps", ".txt")) {
    const std::string stem = path.stem().string();
    names.push_back(stem.substr(0, stem.find('.')));
  }
  const auto ours_first = [](const std::string& a, const std::string& b) {
    const auto rank = [](const std::string& n) { return n == "signal" ? 0 : n == "attention" ? 1 : 2; };
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  };
  std::sort(names.begin(), names.end(), ours_first);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace {

constexpr float sequential_least = 1e-4f, diverging_least = 1e-3f;  // of the largest value, on a logarithmic scale

std::optional<float> parse_number(std::string_view text) {
  const auto value = number_of_text<float>(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

RangeSetting parse_range(std::string_view text) {
  for (const RangeMode mode : {RangeMode::row, RangeMode::head, RangeMode::stage}) {
    if (text == range_words[static_cast<std::size_t>(mode)]) return {mode, {}, false};
  }
  if (text.ends_with('%') && text.find("%:") != std::string_view::npos) {
    const std::size_t colon = text.find("%:");
    const auto lo = parse_number(text.substr(0, colon)),
               hi = parse_number(text.substr(colon + 2, text.size() - colon - 3));
    if (lo && hi && 0 <= *lo && *lo < *hi && *hi <= 100) return {RangeMode::fixed, {*lo, *hi}, true};
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto lo = parse_number(text.substr(0, colon)), hi = parse_number(text.substr(colon + 1));
    if (lo && hi && *lo < *hi) return {RangeMode::fixed, {*lo, *hi}, false};
  }
  throw SettingError("--range", Message("\"{0}\" is not a range", std::string(text)),
                     "expected row, head, stage or LO:HI with LO below HI, such as -2:2 or 1%:99%");
}

float normalise(float value, ValueRange range) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  return width > 0 ? static_cast<float>((value - lo) / width) : 0.5f;
}

float spread(float value, ValueRange range, ColormapKind kind, Norm norm) {
  if (norm == Norm::linear) return normalise(value, range);
  const bool diverging = kind == ColormapKind::diverging;
  const float most = diverging ? std::max(std::fabs(range.lo), std::fabs(range.hi)) : range.hi;
  const float size = diverging ? std::fabs(value) : value;
  float t = 0;
  if (norm == Norm::sqrt) {
    const float low = diverging ? 0 : range.lo;
    t = std::sqrt(std::clamp(normalise(size, {low, most}), 0.0f, 1.0f));
  } else if (size > 0) {
    const auto low = static_cast<double>(diverging      ? most * diverging_least
                                         : range.lo > 0 ? range.lo
                                                        : most * sequential_least);
    t = static_cast<float>(
        std::clamp(std::log(static_cast<double>(size) / low) / std::log(static_cast<double>(most) / low), 0.0, 1.0));
  }
  return diverging ? 0.5f + std::copysign(t / 2, value) : t;
}

float log_low(const MatrixView& matrix, const CellMasks& masks, ValueRange range, float least) {
  const float floor = range.hi * sequential_least;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const float value = matrix(row, col);
      if (value > 0 && value < least && classify(matrix, masks, row, col) == CellKind::value)
        least = std::max(value, floor);
    }
  }
  least = std::max(floor, std::min(least, range.hi / 2));
  // Rounded down to a power of ten, for the label of the bar. The small addition is for floats just below a power.
  return std::pow(10.0f, std::floor(std::log10(least) + 1e-4f));
}

Buffer normalise_rows(const MatrixView& matrix, const CellMasks& masks, ColormapKind kind) {
  Buffer out;
  out.reserve(static_cast<std::size_t>(matrix.rows * matrix.cols));
  for (Index row = 0; row < matrix.rows; ++row) {
    Extent extent;
    for (Index col = 0; col < matrix.cols; ++col) {
      if (classify(matrix, masks, row, col) == CellKind::value) extent.add(matrix(row, col));
    }
    const ValueRange range = extent.range(kind);
    for (Index col = 0; col < matrix.cols; ++col) {
      const float value = matrix(row, col);
      const float t = normalise(value, range);
      out.push_back(!std::isfinite(value) ? value : kind == ColormapKind::diverging ? 2 * t - 1 : t);
    }
  }
  return out;
}

}  // namespace headlight
