#include "ui/look/colormaps.h"

#include <map>

namespace headlight {

const Colormap& window_colormap(const View& view, Stage stage) {
  static std::map<std::pair<std::string, Theme>, Colormap> loaded;
  const auto get = [&](const std::string& name) -> const Colormap& {
    const auto key = std::pair(name, view.theme);
    const auto found = loaded.find(key);
    return found != loaded.end() ? found->second : loaded.emplace(key, colormap(name, view.theme)).first->second;
  };
  const std::string standard(default_colormap(info(stage).palette));
  if (view.colormap.empty()) return get(standard);
  const Colormap& chosen = get(view.colormap);
  return chosen.kind() == get(standard).kind() ? chosen : get(standard);
}

ValueRange stage_range(const Trace& trace, Stage stage, ColormapKind kind) {
  const Tensor& values = trace[stage];
  const Tensor& mask = trace[Stage::mask];
  const bool masked = mask.defined() && stage == Stage::masked_scores;
  Extent extent;
  const Index batches = values.rank() >= 3 ? values.size(0) : 1;
  const Index heads = values.rank() == 4 ? values.size(1) : 1;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads; ++h) {
      CellMasks masks;
      if (masked) masks.allowed = mask.matrix(b, h);
      extent.add(values.matrix(b, h), masks);
    }
  }
  return extent.range(kind);
}

}  // namespace headlight
