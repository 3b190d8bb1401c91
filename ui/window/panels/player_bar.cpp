// The bottom line, the timeline: the stages in order of computation, in their colours; play, step, loop, scrub.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/text/number_text.h"
#include "ui/base/document/view.h"
#include "ui/base/look/measure.h"
#include "ui/base/timeline/timeline.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

/// The parts of the bar, in points from its left end.
struct PlayerColumns {
  static constexpr float play = 34, pace = 60, words = 62, calm = 160, line = 268;
};

/// Sizes in the bar, and how far below its upper edge lines and words are, in points.
struct PlayerSizes {
  static constexpr float play_radius = 16, speed = 46, way = 86;
  static constexpr float line = 22, line_height = 5, between_stages = 3;
  static constexpr float knob = 7, knob_ring = 6.5f, knob_line = 2.2f;
  static constexpr float names = 13;  ///< below the line
  static constexpr float words = 39, calm = 33;
};

/// A round button with a play or pause sign.
bool play_button(const Frame& frame, ImVec2 centre) {
  const float radius = PlayerSizes::play_radius * frame.u;
  ImGui::SetCursorScreenPos({centre.x - radius, centre.y - radius});
  const bool clicked = pressable(frame, "play", {2 * radius, 2 * radius});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddCircleFilled(centre, radius, ImGui::IsItemHovered() ? frame.look.field_hover : frame.look.field, 32);
  const float s = Space::near * frame.u;
  if (frame.view().playing) {
    list.AddRectFilled({centre.x - s, centre.y - s}, {centre.x - s * 0.25f, centre.y + s}, frame.look.ink);
    list.AddRectFilled({centre.x + s * 0.25f, centre.y - s}, {centre.x + s, centre.y + s}, frame.look.ink);
  } else {
    list.AddTriangleFilled({centre.x - s * 0.7f, centre.y - s}, {centre.x - s * 0.7f, centre.y + s},
                           {centre.x + s, centre.y}, frame.look.ink);
  }
  return clicked;
}

/// Speed and position, each a small button.
void draw_pace(const Frame& frame, ImVec2 at) {
  const View& view = frame.view();
  ImGui::SetCursorScreenPos(at);
  if (chip(frame, "speed", formatted("%.3g×", static_cast<double>(view.speed)), false, PlayerSizes::speed * frame.u)) {
    frame.show([](View& v) { v.speed = v.speed >= 4 ? 0.5f : v.speed * 2; });
  }
  tooltip(frame, frame.words("player.speed"));
  ImGui::SameLine(0, Space::tight * frame.u);
  if (chip(frame, "loop", frame.words("player.loop"), view.looping)) {
    frame.show([](View& v) { v.looping = !v.looping; });
  }
  tooltip(frame, frame.words("player.loop_hint"));
  ImGui::SameLine(0, Space::tight * frame.u);
  constexpr const char* ways[] = {"player.rows", "player.columns", "player.dot", "player.outer"};
  if (chip(frame, "way", frame.words(ways[static_cast<int>(view.way)]), false, PlayerSizes::way * frame.u)) {
    frame.show([](View& v) { v.way = static_cast<ProductOrder>((static_cast<int>(v.way) + 1) % way_count); });
  }
  tooltip(frame, frame.words("player.way_hint"));
}

/// The moment at a position on the line.
int moment_at(const Timeline& timeline, float share) {
  const auto& chapters = timeline.chapters();
  const float place = std::clamp(share, 0.0f, 0.9999f) * static_cast<float>(chapters.size());
  const Timeline::Chapter& chapter = chapters[static_cast<std::size_t>(place)];
  const float within = place - std::floor(place);
  return chapter.first + std::min(static_cast<int>(within * static_cast<float>(chapter.count)), chapter.count - 1);
}

/// "X" if one card represents query, key and value.
std::string_view label_of(const Frame& frame, Stage stage) {
  return stage == shown_as(*frame.trace(), Stage::query) && stage != Stage::query ? "X" : name(stage);
}

/// The order in which names get their room; the others come after these, from the left.
constexpr std::array named_first{Stage::weights, Stage::scores, Stage::output,       Stage::Q,   Stage::K, Stage::V,
                                 Stage::query,   Stage::key,    Stage::head_outputs, Stage::mask};
constexpr int current_first = -1, ranks = static_cast<int>(named_first.size());

int rank_of(Stage stage) { return static_cast<int>(std::ranges::find(named_first, stage) - named_first.begin()); }

/// The line of all stages. A presentation shows the stage's name in larger letters elsewhere.
struct TimelineLine {
  const Frame& frame;
  const float left, right;
  const Rect place;
  const bool named;
  const Timeline& timeline = frame.timeline;
  const float u = frame.u, apart = Space::close * u;  ///< between names
  const float step = (right - left) / static_cast<float>(timeline.chapters().size());
  const float y = named ? place.min.y + PlayerSizes::line * u : place.centre().y - PlayerSizes::line_height * u / 2;
  const int now = frame.view().step.value_or(timeline.count() - 1);
  ImDrawList& list = *ImGui::GetWindowDrawList();

  void scrub() const {
    clickable("line", Rect{{left, place.min.y}, {right, place.max.y}});
    const float share = (ImGui::GetIO().MousePos.x - left) / (right - left);
    if (ImGui::IsItemHovered()) {
      const auto at =
          static_cast<std::size_t>(std::clamp(share, 0.0f, 0.9999f) * static_cast<float>(timeline.chapters().size()));
      tooltip(frame, label_of(frame, timeline.chapters()[at].stage));
    }
    if (!ImGui::IsItemActive()) return;
    const int moment = moment_at(timeline, share);
    if (frame.view().step != moment) go_to_moment(frame, moment);
  }

  bool is_current(const Timeline::Chapter& chapter) const {
    const View& view = frame.view();
    if (view.step) return now >= chapter.first && now < chapter.first + chapter.count;
    if (level_shown(view) != Level::operation) {
      const std::optional<Cell> cell = frame.looked_at();
      return cell && cell->stage == chapter.stage;
    }
    const bool after_output = view.levels.facet == Facet::next || view.levels.facet == Facet::why;
    return chapter.stage == (after_output ? timeline.chapters().back().stage : view.levels.stage);
  }

  /// The extent of a chapter's name at `x`.
  std::pair<float, float> reach(const Timeline::Chapter& chapter, float x) const {
    const Face face = is_current(chapter) ? Face::bold : Face::ui;
    const float extent = frame.width(face, TypeSize::body, label_of(frame, chapter.stage));
    const float at = std::clamp(x + (step - extent) / 2, left, right - extent);
    return {at, at + extent};
  }

  /// The extent of the current name at `x`. If it is longer than its bar, it may move until it begins or ends with it,
  /// so that it hides fewer of the names beside it.
  std::pair<float, float> reach_of_current(std::size_t index, float x) const {
    const auto& chapters = timeline.chapters();
    const std::pair<float, float> whole = reach(chapters[index], x);
    const float from = whole.first, to = whole.second, over = std::max(0.0f, (to - from - step) / 2);
    const auto hidden = [&](float shift) {
      int count = 0;
      if (index > 0) count += reach(chapters[index - 1], x - step).second + apart > from + shift;
      if (index + 1 < chapters.size()) count += reach(chapters[index + 1], x + step).first < to + shift + apart;
      return count;
    };
    float best = 0;
    for (const float shift : {-over, over}) {
      if (from + shift >= left && to + shift <= right && hidden(shift) < hidden(best)) best = shift;
    }
    return {from + best, to + best};
  }

  void draw_bar(const Timeline::Chapter& chapter, float x) const {
    const ImU32 lane = frame.look.lane(chapter.stage);
    const float done =
        std::clamp(static_cast<float>(now + 1 - chapter.first) / static_cast<float>(chapter.count), 0.0f, 1.0f);
    const float from = x + PlayerSizes::between_stages * u / 2, width = step - PlayerSizes::between_stages * u;
    compat::add_fill(list, {from, y}, {from + width, y + PlayerSizes::line_height * u}, frame.look.field,
                     Corner::mark * u);
    if (done > 0)
      compat::add_fill(list, {from, y}, {from + width * done, y + PlayerSizes::line_height * u}, fade(lane, 0.85f),
                       Corner::mark * u);
    if (!is_current(chapter) || !frame.view().step) return;
    list.AddCircleFilled({from + width * done, y + PlayerSizes::line_height * u / 2}, PlayerSizes::knob * u,
                         frame.look.knob, 24);
    list.AddCircle({from + width * done, y + PlayerSizes::line_height * u / 2}, PlayerSizes::knob_ring * u, lane, 24,
                   PlayerSizes::knob_line * u);
  }

  /// Names are never cut: the current stage always has its name, others, the most important first, if there is room.
  void draw_names() const {
    NamesDrawn drawn;
    for (int rank = current_first; rank <= ranks; ++rank) {
      float x = left;
      for (std::size_t i = 0; i < timeline.chapters().size(); ++i) {
        const Timeline::Chapter& chapter = timeline.chapters()[i];
        const bool current = is_current(chapter);
        if ((current ? current_first : rank_of(chapter.stage)) == rank)
          draw_name(chapter, current ? reach_of_current(i, x) : reach(chapter, x), drawn);
        x += step;
      }
    }
  }

  /// The extents of the names that are drawn. No allocation: this is drawn in every frame.
  struct NamesDrawn {
    std::array<std::pair<float, float>, 64> reach{};
    std::size_t count = 0;
  };
  void draw_name(const Timeline::Chapter& chapter, std::pair<float, float> extent, NamesDrawn& drawn) const {
    const auto [from, to] = extent;
    if (drawn.count == drawn.reach.size()) return;
    for (std::size_t i = 0; i < drawn.count; ++i) {
      if (from < drawn.reach[i].second + apart && drawn.reach[i].first < to + apart) return;
    }
    const bool current = is_current(chapter);
    frame.write(current ? Face::bold : Face::ui, TypeSize::body, {from, y + PlayerSizes::names * u},
                current ? frame.look.ink : frame.look.muted, label_of(frame, chapter.stage));
    drawn.reach[drawn.count++] = {from, to};
  }
};

void draw_line(const Frame& frame, float left, float right, Rect place, bool named) {
  const TimelineLine line{frame, left, right, place, named};
  line.scrub();
  float x = left;
  for (const Timeline::Chapter& chapter : line.timeline.chapters()) {
    line.draw_bar(chapter, x);
    x += line.step;
  }
  if (named) line.draw_names();
}

}  // namespace

void draw_player_bar(const Frame& frame, Rect place) {
  if (place.height() < 1) return;
  const PanelArea area(frame, "player_bar", place.min, place.max, frame.look.panel, {0, 0});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(place.min, {place.max.x, place.min.y}, frame.look.line);
  if (!frame.trace() || frame.timeline.count() == 0) return;
  const float u = frame.u;
  if (frame.view().presenting)
    return draw_line(frame, place.min.x + Space::row * u, place.max.x - Space::row * u, place, false);
  if (play_button(frame, {place.min.x + PlayerColumns::play * u, place.centre().y}))
    frame.show([trace = frame.document.trace, &timeline = frame.timeline](View& v) {
      v = with_play_toggled(std::move(v), *trace, timeline);
    });
  draw_pace(frame, {place.min.x + PlayerColumns::pace * u, place.min.y + Space::close * u});
  char words[64];
  const int now = frame.view().step.value_or(frame.timeline.count() - 1) + 1;
  std::snprintf(words, sizeof words, "%s %d / %d", frame.words("player.step"), now, frame.timeline.count());
  frame.write(Face::ui, TypeSize::note, {place.min.x + PlayerColumns::words * u, place.min.y + PlayerSizes::words * u},
              frame.look.muted, words);
  ImGui::SetCursorScreenPos({place.min.x + PlayerColumns::calm * u, place.min.y + PlayerSizes::calm * u});
  if (chip(frame, "calm", frame.words("player.calm"), frame.view().calm)) frame.show([](View& v) { v.calm = !v.calm; });
  tooltip(frame, frame.words("player.calm_hint"));
  draw_line(frame, place.min.x + PlayerColumns::line * u, place.max.x - Space::row * u, place, true);
}

}  // namespace headlight
