#include "ui/views/registry.h"

#include <algorithm>
#include <array>

#include "ui/heads/heads_picture.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/map/map_picture.h"
#include "ui/masklab/mask_picture.h"
#include "ui/mine/mine_picture.h"
#include "ui/network/network_scene.h"

namespace headlight {
namespace {

ImVec2 least_of_levels(const Frame& frame) {
  const bool pipeline = level_shown(frame.view()) == Level::pipeline;
  return pipeline ? ImVec2{480, 420} : ImVec2{620, 470};
}
template <int width, int height>
ImVec2 least(const Frame&) {
  return {width, height};
}

constexpr std::array views{
    ViewEntry{ViewKind::pipeline, "views.pipeline", draw_levels_view, least_of_levels, true},
    ViewEntry{ViewKind::network, "views.network", draw_network_view, least<800, 560>},
    ViewEntry{ViewKind::heads, "views.heads", draw_heads_view, least<480, 420>},
    ViewEntry{ViewKind::map, "views.map", draw_map_view, least<480, 420>, true},
    ViewEntry{ViewKind::mask, "views.mask", draw_mask_view, least<560, 620>, true},
    ViewEntry{ViewKind::compare, "views.compare", draw_mine_or_compare_view, least<560, 560>},
    ViewEntry{ViewKind::lesson, "views.lesson", draw_lesson_view, least<0, 0>, false, true},
};

}  // namespace

std::span<const ViewEntry> all_views() { return views; }

const ViewEntry& view_entry(ViewKind kind) {
  const auto found = std::ranges::find(views, kind, &ViewEntry::kind);
  return found != views.end() ? *found : views.front();
}

}  // namespace headlight
