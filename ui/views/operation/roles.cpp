// Why there are a query, a key and a value: at the foot of the steps that make them, the same word's three rows in this
// head, side by side; and what its attention would be if its key were its query (K = Q).
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

/// In points.
struct RoleSizes {
  static constexpr float strip_height = 26;
  static constexpr float least_width = 760, least_step_height = 380;  ///< that the step keeps above it
};

constexpr Index most_words = 24;

/// The weights of the followed row if every word's key were its query.
std::vector<double> weights_if_same(const Task& task) {
  const Trace& trace = task.trace();
  const MatrixView queries = numbers_of(trace, task.context().view, Stage::Q_heads);
  const MatrixView now = numbers_of(trace, task.context().view, Stage::weights);
  const Cell at = matrix_of(trace, task.context().view, Stage::weights);
  const bool masked = trace.has(Stage::mask);
  const MatrixView mask = masked ? trace[Stage::mask].matrix(at.batch, at.head) : MatrixView{};
  std::vector<double> shares;
  double most = -HUGE_VAL, sum = 0;
  for (Index k = 0; k < now.cols; ++k) {
    double score = 0;
    for (Index c = 0; c < queries.cols; ++c)
      score += static_cast<double>(queries(task.focus.query, c)) * static_cast<double>(queries(k, c));
    const bool may = !masked || mask(task.focus.query, k) != 0;
    shares.push_back(may ? score * static_cast<double>(trace.scale) : -HUGE_VAL);
    most = std::max(most, shares.back());
  }
  for (double& share : shares) sum += share = std::isfinite(share) ? std::exp(share - most) : 0;
  for (double& share : shares) share /= sum > 0 ? sum : 1;
  return shares;
}

struct Roles : TaskPart {
  const Rect room;
  const float caption = pen.type.caption, line = caption * 1.6f;
  const bool same = view.levels.unfolded;  ///< K = Q is tried
  const std::string word = in_sentence(query_word(context, task.focus.query));

  struct Role {
    Stage stage, heads;
    const char* key;
  };
  static constexpr std::array roles{Role{Stage::Q, Stage::Q_heads, "roles.asks"},
                                    Role{Stage::K, Stage::K_heads, "roles.offers"},
                                    Role{Stage::V, Stage::V_heads, "roles.passes"}};

  void put() {
    pen.line(room.min, {room.max.x, room.min.y}, look.line, Stroke::hair(u));
    const float gap = Space::row * u, wide = (room.width() - 2 * gap) / 3, deep = RoleSizes::strip_height * u;
    float x = room.min.x;
    for (const Role& role : roles) {
      const Rect strip{{x, room.min.y + line + Space::tight * u},
                       {x + wide, room.min.y + line + Space::tight * u + deep}};
      put_role(role, strip);
      x += wide + gap;
    }
    put_attention({{room.min.x, room.min.y + line + deep + Space::card * u}, room.max});
    pen.add_content(room);
  }

  /// The row of one role; a click goes to its step.
  void put_role(const Role& role, const Rect& strip) const {
    const bool tried = same && role.stage == Stage::K;
    const std::vector<float> row =
        row_numbers(numbers_of(trace, view, tried ? Stage::Q_heads : role.heads), task.focus.query);
    const bool here = role.stage == shown_as(trace, task.stage);
    pen.label(TextRole::caption, here, caption, {strip.min.x, strip.min.y - line / 2 - u}, Align::left,
              look.lane(role.stage), say.fill(tried ? "roles.offers_same" : role.key, {word}), strip.width());
    put_row_strip(pen, row, std::max(largest_of(row), 1e-20f), strip);
    pen.box(strip.grown(u), here ? look.lane(role.stage) : look.line, here ? Stroke::firm(u) : 1, Corner::mark * u);
    pen.target(strip, SceneAction::stage, 0, {role.stage, view.batch, 0, task.focus.query, 0});
  }

  /// The word's attention: filled as it is now, or with K = Q while that is tried, with a mark for what it is.
  void put_attention(const Rect& place) const {
    const MatrixView now = numbers_of(trace, view, Stage::weights);
    const std::vector<double> tried = weights_if_same(task);
    const auto [left, top] = place.min;
    const Rect button =
        pen.button({place.max.x, top}, std::string(say(same ? "roles.restore" : "roles.what_if")), SceneAction::unfold);
    pen.scene().targets.back().index = same ? 0 : 1;
    pen.scene().targets.back().cell = {shown_as(trace, task.stage), view.batch, 0, task.focus.query, 0};
    const Index key_now = largest_column(now, task.focus.query);
    const auto key_tried = static_cast<Index>(std::ranges::max_element(tried) - tried.begin());
    const auto number = [](double value) { return MatrixNumbers(2, true)(static_cast<float>(value)); };
    const auto key = [&](Index k) { return in_sentence(key_word(context, k)); };
    const float name = pen.measure(Face::ui, caption, say.fill("roles.looks", {word})).x + Space::card * u;
    const Rect bars{{left + name, top}, {button.min.x - Space::row * u, top + RoleSizes::strip_height * u}};
    pen.caption({left, bars.centre().y}, Align::left, say.fill("roles.looks", {word}));
    const float each = bars.width() / static_cast<float>(now.cols);
    for (Index k = 0; k < now.cols; ++k) {
      const float x = bars.min.x + each * static_cast<float>(k);
      const Rect track{{x + u, bars.min.y}, {x + each - u, bars.max.y}};
      const auto weight = static_cast<double>(now(task.focus.query, k));
      const auto share = static_cast<float>(std::clamp(same ? tried[static_cast<std::size_t>(k)] : weight, 0.0, 1.0));
      pen.fill(track, look.field, Corner::mark * u);
      if (share > 0) pen.fill({{track.min.x, track.max.y - track.height() * share}, track.max}, look.after);
      const float y = track.max.y - track.height() * static_cast<float>(std::clamp(weight, 0.0, 1.0));
      if (same) pen.line({track.min.x, y}, {track.max.x, y}, look.ink, Stroke::firm(u));
      const std::string text = key_word(context, k);
      if (pen.measure(Face::ui, caption, text).x <= each - Space::fine * u)
        pen.caption({track.centre().x, track.max.y + line / 2}, Align::middle, text);
    }
    const std::string told =
        same ? say.fill("roles.told_same",
                        {key(key_tried), number(tried[static_cast<std::size_t>(key_tried)]), key(key_now),
                         number(static_cast<double>(now(task.focus.query, key_now))), word})
             : say.fill("roles.told", {key(key_now), number(static_cast<double>(now(task.focus.query, key_now)))});
    pen.caption({left, top + RoleSizes::strip_height * u + line * 1.5f}, Align::left, told, look.ink, place.width());
  }
};

}  // namespace

std::optional<Rect> roles_room(const Task& task) {
  const Trace& trace = task.trace();
  const Stage stage = shown_as(trace, task.stage);
  const bool of_word = stage == Stage::Q || stage == Stage::K || stage == Stage::V;
  if (!of_word || task.context().view.presenting || !trace.inputs.self_attention() || !has_facets(trace)) return {};
  for (const Stage other :
       {Stage::Q_normed, Stage::Q_rotated, Stage::Q_scaled, Stage::capped_scores, Stage::biased_scores}) {
    if (trace.has(other)) return {};  // K = Q would have to go through these, too
  }
  if (!trace.has(Stage::V_heads) || trace.dims().n_k > most_words || trace.dims().groups() != 1) return {};
  const float u = task.u(), high = (2 * RoleSizes::strip_height + Space::card) * u + task.pen.type.caption * 1.6f * 3;
  if (task.area.height() < RoleSizes::least_step_height * u + high || task.area.width() < RoleSizes::least_width * u)
    return {};
  return Rect{{task.area.min.x, task.area.max.y - high}, task.area.max};
}

void put_roles(const Task& task, Rect room) {
  if (task.reveal.whole() && !is_guessed(task.context())) Roles{task, room}.put();
}

}  // namespace headlight::operation
