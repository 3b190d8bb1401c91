#include "core/figure/colormap.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/assets/assets.h"
#include "core/tensor/error.h"

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

/// Of two masks: only the first allows, both do, only the second.
Colormap mask_pair(Theme theme) {
  const Colormap signs = colormap("signal", theme);
  Colormap::Table table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = i < 86 ? signs.at(0.22f) : i < 170 ? colours(theme).allowed : signs.at(0.78f);
  return Colormap("mask pair", ColormapKind::diverging, table);
}

/// Of blocks: computed and masked, computed and allowed beside those, allowed in a full block.
Colormap mask_blocks(Theme theme) {
  const ThemeColours& ground = colours(theme);
  Colormap::Table table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = mix(ground.card, ground.allowed, i < 86 ? 0.12f : i < 170 ? 0.5f : 1.0f);
  return Colormap("mask blocks", ColormapKind::sequential, table);
}

}  // namespace

Rgba Colormap::at(float t) const {
  const float x = t > 0 ? std::min(t, 1.0f) * 255.0f : 0;  // NaN, whose colour is somebody else's, is below too
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
  std::string names;
  for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
  throw SettingError("--colormap", Message("there is no colour map \"{0}\"", std::string(name)),
                     Message("expected one of {0}", names));
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

}  // namespace headlight
