#include "ui/frame/colormaps.h"

#include <cassert>
#include <map>

#include "core/run/summary.h"

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
  assert(trace.summary);
  return trace.summary->extent(stage).range(kind);
}

}  // namespace headlight
