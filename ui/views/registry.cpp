#include "ui/views/registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/dialogs/export/export_open.h"
#include "ui/views/heads/heads_picture.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/map/map_picture.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/painting.h"
#include "ui/views/mine/mine_picture.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/train/train.h"

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

bool is_weights(Stage stage) { return stage == Stage::weights || stage == Stage::dropped_weights; }

/// The pipeline hides single cards itself.
bool levels_show(const View& view, Stage stage) {
  switch (level_shown(view)) {
    case Level::sentence: return is_weights(stage);
    case Level::operation: return stage <= view.levels.stage;
    case Level::pipeline: break;
  }
  return false;
}
bool heads_show(const View& view, Stage stage) { return stage == view.heads.stage; }
bool map_shows(const View& view, Stage stage) { return stage == view.map.stage; }
bool mask_shows(const View&, Stage stage) {
  return is_weights(stage) || stage == Stage::mask || stage == Stage::masked_scores;
}
bool all(const View&, Stage) { return true; }
bool none(const View&, Stage) { return false; }

Sides both(const Document&) { return {}; }
Sides neither(const Document&) { return {false, false}; }
/// The detailed levels use the whole width; a gradient's cell is explained beside it.
Sides of_levels(const Document& document) {
  return level_shown(document.view) == Level::pipeline ? Sides{} : Sides{false, shows_gradients(document.view)};
}
/// The middle shows the result.
Sides of_compare(const Document& document) { return {true, !document.own}; }

bool stop_painting(View& view) {
  if (view.mask_painting.tool == PaintTool::look) return false;
  view.mask_painting.tool = PaintTool::look;
  return true;
}

constexpr std::array views{
    ViewEntry{.kind = ViewKind::pipeline,
              .word = "views.pipeline",
              .draw = draw_levels_view,
              .least = least_of_levels,
              .shows = levels_show,
              .sides = of_levels,
              .offer = offer_level,
              .zooms = true},
    ViewEntry{.kind = ViewKind::network,
              .word = "views.network",
              .draw = draw_network_view,
              .least = least<800, 560>,
              .shows = all,
              .sides = neither,
              .offer = offer_network,
              .own_arrows = true},
    ViewEntry{.kind = ViewKind::heads,
              .word = "views.heads",
              .draw = draw_heads_view,
              .least = least<480, 420>,
              .shows = heads_show,
              .sides = both,
              .offer = offer_heads},
    ViewEntry{.kind = ViewKind::map,
              .word = "views.map",
              .draw = draw_map_view,
              .least = least<480, 420>,
              .shows = map_shows,
              .sides = both,
              .offer = offer_map,
              .press = press_map_keys,
              .zooms = true},
    ViewEntry{.kind = ViewKind::mask,
              .word = "views.mask",
              .draw = draw_mask_view,
              .least = least<560, 620>,
              .shows = mask_shows,
              .sides = both,
              .offer = offer_masks,
              .escape = stop_painting,
              .press = press_painting_keys,
              .zooms = true},
    ViewEntry{.kind = ViewKind::compare,
              .word = "views.compare",
              .draw = draw_mine_or_compare_view,
              .least = least<560, 560>,
              .shows = all,
              .sides = of_compare,
              .offer = offer_comparison},
    ViewEntry{.kind = ViewKind::train,
              .word = "views.train",
              .draw = draw_train_view,
              .least = least<640, 520>,
              .shows = all,
              .sides = neither,
              .offer = offer_window,
              .escape = leave_train,
              .press = press_train_keys,
              .plays = false},
    ViewEntry{.kind = ViewKind::lesson,
              .word = "views.lesson",
              .draw = draw_lesson_view,
              .least = least<0, 0>,
              .shows = none,
              .sides = neither,
              .offer = offer_window,
              .scrolls = true},
};
static_assert(views.size() == view_rows.size());

}  // namespace

std::span<const ViewEntry> all_views() { return views; }

const ViewEntry& view_entry(ViewKind kind) { return views[static_cast<std::size_t>(kind)]; }

bool shows_hidden(const View& view) {
  auto* const shows = view_entry(view.kind).shows;
  return std::ranges::any_of(view.lesson.hidden, [&](Stage stage) { return shows(view, stage); });
}

void open_export_dialog(View& view, const Trace& trace, const std::optional<OwnSource>& own) {
  view_entry(view.kind).offer(view.exporting, view, trace, own ? &*own : nullptr);
  show_export_dialog(view);
}

void cancel_in_view(View& view) {
  auto* const escape = view_entry(view.kind).escape;
  if (escape && escape(view)) return;
  view = gone_back(std::move(view));
}

}  // namespace headlight
