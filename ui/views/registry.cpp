#include "ui/views/registry.h"

#include <algorithm>
#include <array>

#include "ui/heads/heads_view.h"
#include "ui/lessons/lesson_view.h"
#include "ui/map/map_view.h"
#include "ui/masklab/mask_view.h"
#include "ui/mine/mine_view.h"
#include "ui/network/network_view.h"
#include "ui/views/levels_view.h"

namespace headlight {
namespace {

constexpr std::array views{
    ViewEntry{ViewKind::pipeline, "views.pipeline", draw_levels_view},
    ViewEntry{ViewKind::network, "views.network", draw_network_view},
    ViewEntry{ViewKind::heads, "views.heads", draw_heads_view},
    ViewEntry{ViewKind::map, "views.map", draw_map_view},
    ViewEntry{ViewKind::mask, "views.mask", draw_mask_view},
    ViewEntry{ViewKind::compare, "views.compare", draw_mine_or_compare_view},
    ViewEntry{ViewKind::lesson, "views.lesson", draw_lesson_view, true},
};

}  // namespace

std::span<const ViewEntry> all_views() { return views; }

const ViewEntry& view_entry(ViewKind kind) {
  const auto found = std::ranges::find(views, kind, &ViewEntry::kind);
  return found != views.end() ? *found : views.front();
}

}  // namespace headlight
