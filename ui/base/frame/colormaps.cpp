#include "ui/base/frame/colormaps.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "core/base/tensor/error.h"
#include "core/compute/run/statistics.h"

namespace headlight {
namespace {

/// If a map's file is damaged or was deleted while the program runs, the map is grey, so that numbers are still
/// distinguishable.
Colormap read_or_grey(const std::string& name, Palette palette, Theme theme) {
  try {
    return colormap(name, theme);
  } catch (const InputError&) {
    const bool diverging = palette == Palette::diverging;
    Colormap::Table table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto level = static_cast<std::uint8_t>(i);
      table[i] = {level, level, level, 255};
    }
    return Colormap(name, diverging ? ColormapKind::diverging : ColormapKind::sequential, table);
  }
}

const Colormap& map_of(const View& view, Palette palette) {
  if (palette == Palette::boolean) return mask_colormap(view.theme);
  static std::map<std::pair<std::string, Theme>, Colormap> loaded;
  const auto get = [&](const std::string& name) -> const Colormap& {
    const auto key = std::pair(name, view.theme);
    const auto found = loaded.find(key);
    return found != loaded.end() ? found->second
                                 : loaded.emplace(key, read_or_grey(name, palette, view.theme)).first->second;
  };
  const std::string standard(default_colormap(palette));
  if (view.colormap.empty()) return get(standard);
  const Colormap& chosen = get(view.colormap);
  return chosen.kind() == get(standard).kind() ? chosen : get(standard);
}

}  // namespace

const Colormap& window_colormap(const View& view, Stage stage) { return map_of(view, info(stage).palette); }

const Colormap& window_colormap(const View& view, const Trace& trace, Stage stage) {
  return map_of(view, trace.palette_of(stage));
}

ValueRange stage_range(const Trace& trace, Stage stage, ColormapKind kind) {
  if (is_measure(stage)) {  // the summary has no measures
    const Tensor lengths = trace[stage].contiguous();
    float most = 0;
    for (const float length : lengths.values()) most = std::max(most, length);
    return {0, most > 0 ? most : 1};
  }
  assert(trace.summary);
  const ValueRange range = trace.summary->extent(stage).range(kind);
  const bool weights = stage == Stage::weights || stage == Stage::dropped_weights;
  if (!weights || kind == ColormapKind::diverging) return range;
  if (trace[stage].source()) return {0, 1};  // its range is from a sample of its rows
  return trace[stage].size(-1) <= keys_spread_evenly ? ValueRange{0, std::max(1.0f, range.hi)} : range;
}

}  // namespace headlight
