// Beside the heads: what is known of the one that is looked at, the residual's size by layer, the prediction by
// position.
#include <algorithm>
#include <cmath>

#include "ui/level/matrix_numbers.h"
#include "ui/look/measure.h"
#include "ui/network/network_scene.h"
#include "ui/sentence/story.h"

namespace headlight {
namespace {

/// From the top down, as long as there is room.
class Column {
 public:
  Column(Pen& pen, Rect room) : pen_(pen), room_(room), y_(room.min.y) {}

  float y() const { return y_; }
  float left() const { return room_.max.y - y_; }
  const Rect& room() const { return room_; }
  void skip(float height) { y_ += height; }

  void title(const std::string& text, ImU32 colour, float pixels) {
    pen_.text(TextRole::word, Face::bold, pixels, {room_.min.x, y_ + pixels * 0.7f}, Align::left, colour,
              elide(pen_.context().fonts, Face::bold, pixels, text, room_.width()));
    y_ += pixels * 1.6f;
  }
  void note(std::string_view text, std::span<const Named> values = {}) {
    y_ += pen_.sentence(TextRole::caption, text, values, {{room_.min.x, y_}, room_.max}, pen_.type.caption,
                        pen_.look().muted) +
          4 * pen_.u();
  }
  /// name, bar, number; a share that is not known has neither.
  void bar(const std::string& name, std::optional<double> share, ImU32 colour, float names) {
    const Look& look = pen_.look();
    const float u = pen_.u(), pitch = pen_.type.caption * 1.75f, middle = y_ + pitch / 2;
    const float numbers = pen_.measure(Face::mono, pen_.type.number, "0.000").x + 8 * u;
    pen_.text(TextRole::caption, Face::ui, pen_.type.caption, {room_.min.x, middle}, Align::left, look.ink,
              elide(pen_.context().fonts, Face::ui, pen_.type.caption, name, names - 8 * u));
    const Rect track{{room_.min.x + names, middle - 6 * u}, {room_.max.x - numbers, middle + 6 * u}};
    pen_.fill(track, look.field, Corner::cell * u);
    if (share) {
      const float width = static_cast<float>(std::clamp(*share, 0.0, 1.0)) * track.width();
      if (width >= 1) pen_.fill({track.min, {track.min.x + width, track.max.y}}, colour, std::min(3 * u, width / 2));
      pen_.text(TextRole::number, Face::mono, pen_.type.number, {room_.max.x, middle}, Align::right, look.ink,
                MatrixNumbers(*share < 0.01 && *share > 0 ? 3 : 2, true)(static_cast<float>(*share)));
    }
    y_ += pitch;
  }
  /// Buttons or chips in rows.
  struct Button {
    std::string words;
    SceneAction action;
    Index index = 0;
    bool lit = false, primary = false;
  };
  void buttons(const std::vector<Button>& all, bool chips) {
    const Look& look = pen_.look();
    const float u = pen_.u(), pixels = pen_.type.caption, height = pixels * (chips ? 1.9f : 2.3f);
    float x = room_.min.x;
    for (const Button& each : all) {
      const Face face = each.lit || each.primary ? Face::bold : Face::ui;
      const float width = pen_.measure(face, pixels, each.words).x + (chips ? 20 : 24) * u;
      if (x + width > room_.max.x && x > room_.min.x) {
        x = room_.min.x;
        y_ += height + 6 * u;
      }
      const Rect rect{{x, y_}, {x + width, y_ + height}};
      const float corner = chips ? height / 2 : 7 * u;
      pen_.fill(rect, each.primary ? look.ink : each.lit ? look.field : look.card, corner);
      if (!each.primary) pen_.box(rect, each.lit ? look.accent : look.line, 1, corner);
      pen_.text(TextRole::caption, face, pixels, rect.centre(), Align::middle, each.primary ? look.card : look.ink,
                each.words);
      pen_.target(rect, each.action, each.index);
      x += width + 6 * u;
    }
    y_ += height + 8 * u;
  }

 private:
  Pen& pen_;
  Rect room_;
  float y_;
};

struct ResidualSteps {
  std::vector<Tensor> sizes;  ///< [B, n] each
  std::vector<std::string> names;
};
/// Of the stack that the layer is in.
ResidualSteps residual_steps(const SceneContext& context, const HeadOverview& overview, Index layer) {
  const OverviewLayer& at = overview.layers[static_cast<std::size_t>(layer)];
  auto [steps, names] = ResidualSteps{};
  for (const OverviewLayer& each : overview.layers) {
    if (each.stack != at.stack || each.cross != at.cross || !each.summary.entering.defined()) continue;
    steps.push_back(each.summary.entering);
    names.push_back(each.layer);
  }
  const bool last_stack = at.stack == overview.layers.back().stack || !overview.layers.back().cross;
  if (last_stack && !at.cross && overview.leaving.defined() && !steps.empty() &&
      overview.leaving.shape() == steps.front().shape()) {
    steps.push_back(overview.leaving);
    names.emplace_back(context.words("network.end"));
  }
  return {std::move(steps), std::move(names)};
}

/// One line a token from layer to layer, the mean in bold.
void put_residual(Pen& pen, const ResidualSteps& facts, Rect room) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const float u = pen.u();
  const std::vector<Tensor>& steps = facts.sizes;
  const std::vector<std::string>& names = facts.names;
  const Index batch = std::min(context.view.batch, steps.front().size(0) - 1), n = steps.front().size(1);
  float most = 0;
  for (const Tensor& step : steps) {
    for (Index i = 0; i < n; ++i) most = std::max(most, step.at({batch, i}));
  }
  if (!(most > 0) || !std::isfinite(most)) return;
  const MatrixNumbers figures(most >= 100 ? 0 : most >= 10 ? 1 : 2, true);
  const float caption = pen.type.caption;
  const float left = pen.measure(Face::mono, pen.type.number, figures(most)).x + 8 * u;
  const Rect chart{{room.min.x + left, room.min.y + caption * 0.6f}, {room.max.x - 8 * u, room.max.y - caption * 1.5f}};
  pen.fill({{chart.min.x, chart.max.y}, {chart.max.x, chart.max.y + 1}}, look.line);
  pen.fill({{chart.min.x, chart.min.y}, {chart.max.x, chart.min.y + 1}}, look.line);
  pen.text(TextRole::number, Face::mono, pen.type.number, {chart.min.x - 6 * u, chart.min.y}, Align::right, look.muted,
           figures(most));
  pen.text(TextRole::number, Face::mono, pen.type.number, {chart.min.x - 6 * u, chart.max.y}, Align::right, look.muted,
           "0");
  const auto point = [&](std::size_t step, double value) {
    return ImVec2{chart.min.x + static_cast<float>(step) / static_cast<float>(steps.size() - 1) * chart.width(),
                  chart.max.y - static_cast<float>(value) / most * chart.height()};
  };
  const Index lines = std::min<Index>(n, 128);
  for (Index i = 0; i < lines; ++i) {
    const bool lit = context.view.network.pointed == i;
    for (std::size_t s = 1; s < steps.size(); ++s) {
      pen.line(point(s - 1, static_cast<double>(steps[s - 1].at({batch, i}))),
               point(s, static_cast<double>(steps[s].at({batch, i}))), lit ? look.q : fade(look.muted, 0.4f),
               lit ? 2.4f * u : u);
    }
  }
  const auto mean = [&](std::size_t s) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += static_cast<double>(steps[s].at({batch, i}));
    return sum / static_cast<double>(n);
  };
  for (std::size_t s = 1; s < steps.size(); ++s)
    pen.line(point(s - 1, mean(s - 1)), point(s, mean(s)), look.after, 2.4f * u);
  float end = -1e9f;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const float width = pen.measure(Face::ui, caption, names[s]).x;
    const bool is_last = s + 1 == steps.size();
    const float middle = std::clamp(point(s, 0).x, room.min.x + width / 2, room.max.x - width / 2);
    const float last_width = pen.measure(Face::ui, caption, names.back()).x;
    if (middle - width / 2 < end + 6 * u || (!is_last && middle + width / 2 > room.max.x - last_width - 8 * u))
      continue;
    pen.text(TextRole::caption, Face::ui, caption, {middle, room.max.y - caption * 0.6f}, Align::middle, look.muted,
             names[s]);
    end = middle + width / 2;
  }
}

/// "after the: cat 0.31", a line a word, the last words where there are too many.
void put_predictions(Pen& pen, const NetworkFacts& facts, Rect room) {
  const Look& look = pen.look();
  const float u = pen.u(), pitch = pen.type.caption * 1.5f;
  const auto fits = static_cast<std::size_t>(std::max(0.0f, room.height() / pitch));
  if (fits == 0) return;
  const std::size_t first = facts.said.size() > fits ? facts.said.size() - fits : 0;
  float words = 0;
  for (std::size_t i = first; i < facts.said.size(); ++i)
    words = std::max(words, pen.measure(Face::ui, pen.type.caption, facts.said[i].after).x);
  words = std::min(words, room.width() * 0.38f);
  const float numbers = pen.measure(Face::mono, pen.type.number, "0.00").x + 8 * u;
  float y = room.min.y;
  for (std::size_t i = first; i < facts.said.size(); ++i) {
    const NetworkFacts::Prediction& said = facts.said[i];
    const float middle = y + pitch / 2;
    const bool lit = pen.context().view.network.pointed == static_cast<Index>(i);
    const Rect row{{room.min.x - 6 * u, y}, {room.max.x + 6 * u, y + pitch}};
    if (lit) pen.fill(row, look.field, Corner::cell * u);
    pen.text(TextRole::word, Face::ui, pen.type.caption, {room.min.x + words, middle}, Align::right, look.muted,
             elide(pen.context().fonts, Face::ui, pen.type.caption, said.after, words));
    const float x = room.min.x + words + 26 * u;
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {x - 13 * u, middle}, Align::middle, look.muted, "→");
    pen.text(TextRole::word, said.last ? Face::bold : Face::ui, pen.type.caption, {x, middle}, Align::left, look.ink,
             elide(pen.context().fonts, said.last ? Face::bold : Face::ui, pen.type.caption, said.word,
                   room.max.x - numbers - x - 4 * u));
    pen.text(TextRole::number, Face::mono, pen.type.number, {room.max.x, middle}, Align::right, look.muted,
             MatrixNumbers(2, true)(static_cast<float>(said.probability)));
    pen.target(row, SceneAction::query_word, static_cast<Index>(i));
    y += pitch;
  }
}

struct HeadPanel {
  Pen& pen;
  const HeadOverview& overview;
  const NetworkFacts& facts;
  Column column;
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const Words& words = context.words;
  const float u = pen.u(), caption = pen.type.caption;
  const HeadPlace at = looked_at_head(overview, context.view);
  const OverviewLayer& layer = overview.layers[static_cast<std::size_t>(at.layer)];
  const HeadPatterns& patterns = layer.summary.patterns[static_cast<std::size_t>(at.head)];
  const float names = names_room();

  float names_room() const {
    float room = 0;
    for (const char* key : {"network.without_head", "network.with_mean"})
      room = std::max(room, pen.measure(Face::ui, caption, words(key)).x);
    for (std::size_t i = 0; i < head_pattern_count; ++i)
      room = std::max(
          room, pen.measure(Face::ui, caption, words(habit_key_of(context.trace, static_cast<HeadPattern>(i)))).x);
    return std::min(room + pen.measure(Face::ui, caption, " (9)").x + 12 * u, column.room().width() * 0.5f);
  }

  void put_title() {
    const std::string head = std::to_string(at.head);
    column.title(overview.layers.size() == 1 ? words.fill("inspector.head", {head})
                                             : words.fill("network.head_title", {layer.layer, head}),
                 look.head_ink(at.head), pen.type.story * 1.15f);
    if (const std::string claim = facts.claim(at); !claim.empty())
      column.note(words("network.found"), std::vector<Named>{{claim, look.ink}});
    const HeadClaim* claim = claim_at(facts.file, layer.layer, at.head);
    if (!claim) return;
    const auto measured = [&](const char* field) { return percent(claim->measured.value(field, 0.0)); };
    column.note(words("network.missed"),
                std::vector<Named>{{measured("accuracy"), look.ink}, {measured("without"), look.ink}});
    if (const char* key = rest_key(*claim))
      column.note(words(key), std::vector<Named>{{percent(claim->rests), look.ink}});
  }

  void put_patterns() {
    for (std::size_t i = 0; i < head_pattern_count; ++i) {
      const auto pattern = static_cast<HeadPattern>(i);
      if (patterns.rows[i] == 0) continue;
      // Of few words only: how many.
      const std::string few = patterns.is_usual(pattern) ? "" : " (" + std::to_string(patterns.rows[i]) + ")";
      column.bar(words(habit_key_of(context.trace, pattern)) + few, patterns[pattern], look.head(at.head), names);
    }
    if (patterns.queries > 0) column.bar(words("network.entropy"), patterns.entropy, look.muted, names);
    column.note(words(said_of(context.trace, patterns.queries > 0 ? "network.measured" : "network.not_measured")));
  }

  void put_actions() {
    std::vector<Column::Button> actions{{words("network.open"), SceneAction::how, 0, false, true}};
    const bool silent = layer.silent[static_cast<std::size_t>(at.head)];
    if (facts.can_knock)
      actions.push_back({words(silent ? "sentence.back_in" : "network.knock"), SceneAction::knock_out, 0, silent});
    column.buttons(actions, false);
  }

  void put_orders() {
    std::vector<Column::Button> orders;
    const char* const keys[] = {"network.order_layer", "network.order_habit", "network.order_entropy",
                                "network.order_effect"};
    const NetworkChoice& choice = context.view.network;
    for (Index i = 0; i < 4; ++i) {
      if (static_cast<HeadOrder>(i) == HeadOrder::effect && facts.without.empty()) continue;
      orders.push_back({words(keys[i]), SceneAction::order, i, static_cast<Index>(choice.order) == i});
    }
    column.note(words("network.order"));
    column.buttons(orders, true);
    const bool marks_patterns = choice.order == HeadOrder::layer || choice.order == HeadOrder::habit;
    if (!marks_patterns || column.left() <= caption * 9) return;
    std::vector<Column::Button> marks{{words("network.strongest"), SceneAction::habit, -1, !choice.habit}};
    for (std::size_t i = 0; i < head_pattern_count; ++i) {
      const auto pattern = static_cast<HeadPattern>(i);
      // No patch of a picture comes twice.
      if (reads_pictures(context.trace) && (pattern == HeadPattern::duplicate || pattern == HeadPattern::induction))
        continue;
      marks.push_back({words(habit_key_of(context.trace, pattern)), SceneAction::habit, static_cast<Index>(i),
                       choice.habit == pattern});
    }
    column.note(words("network.mark"));
    column.buttons(marks, true);
  }

  /// The probability of the likeliest next word with all heads, without this one, and without its layer.
  void put_effect() {
    if (facts.likeliest.empty() || facts.without.empty() || column.left() <= caption * 11) return;
    column.skip(4 * u);
    column.title(words.fill("network.how_sure", {facts.likeliest}), look.ink, caption * 1.1f);
    const auto& without = facts.without[static_cast<std::size_t>(at.layer)];
    column.bar(words("network.whole"), facts.probability, look.after, names);
    const auto head = static_cast<std::size_t>(at.head);
    column.bar(words("network.without_head"), without[head], look.after, names);
    if (!facts.with_mean.empty())
      column.bar(words("network.with_mean"), facts.with_mean[static_cast<std::size_t>(at.layer)][head], look.after,
                 names);
    column.bar(words("network.without_layer"), facts.without_layer[static_cast<std::size_t>(at.layer)], look.after,
               names);
  }

  void put_residual_sizes() {
    const float chart = caption * 8.5f;
    const ResidualSteps steps = residual_steps(context, overview, at.layer);
    if (steps.sizes.size() <= 1 || column.left() <= chart + caption * 2) return;
    column.skip(4 * u);
    column.title(words("network.residual"), look.ink, caption * 1.1f);
    put_residual(pen, steps,
                 {{column.room().min.x, column.y()}, {column.room().max.x, column.y() + chart - caption * 1.8f}});
    column.skip(chart - caption * 1.6f);
  }

  void put_said() {
    if (facts.said.empty() || column.left() <= caption * 4.5f) return;
    column.skip(4 * u);
    column.title(words("network.said"), look.ink, caption * 1.1f);
    put_predictions(pen, facts, {{column.room().min.x, column.y()}, column.room().max});
  }
};

}  // namespace

void put_head_panel(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  const float u = pen.u();
  pen.fill(room, pen.look().panel);
  pen.fill({room.min, {room.min.x + 1, room.max.y}}, pen.look().line);
  const Rect inside{{room.min.x + 22 * u, room.min.y + 18 * u}, {room.max.x - 22 * u, room.max.y - 10 * u}};
  HeadPanel panel{pen, overview, facts, Column(pen, inside)};
  panel.put_title();
  panel.put_patterns();
  panel.put_actions();
  panel.put_orders();
  panel.put_effect();
  panel.put_residual_sizes();
  panel.put_said();
}

}  // namespace headlight
