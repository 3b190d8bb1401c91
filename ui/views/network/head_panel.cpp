// The panel next to the heads: facts about the selected head, the size of the residual stream by layer, the prediction
// by position.
#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/sentence/story.h"

namespace headlight {
namespace {

constexpr float panel_margin = 22, action_corner = 7, lit_line = 2.4f, half_arrow_room = 13;  // points

struct ResidualSteps {
  std::vector<Tensor> sizes;  ///< [B, n] each
  std::vector<std::string> names;
};
/// For the stack of the layer.
ResidualSteps residual_steps(const SceneContext& context, const HeadOverview& overview, Index layer) {
  const OverviewLayer& at = item(overview.layers, layer);
  ResidualSteps residual;
  auto& [steps, names] = residual;
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
  return residual;
}

/// One line per token from layer to layer, the mean in bold.
void put_residual(Pen& pen, const ResidualSteps& residual, Rect room) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const float u = pen.u();
  const std::vector<Tensor>& steps = residual.sizes;
  const Index batch = std::min(context.view.batch, steps.front().size(0) - 1), n = steps.front().size(1);
  float most = 0;
  for (const Tensor& step : steps) {
    for (Index i = 0; i < n; ++i) most = std::max(most, step.at({batch, i}));
  }
  if (!(most > 0) || !std::isfinite(most)) return;
  const MatrixNumbers figures(most >= 100 ? 0 : most >= 10 ? 1 : 2, true);
  const float caption = pen.type.caption;
  const float left = pen.measure(Face::mono, pen.type.number, figures(most)).x + Space::gap * u;
  const Rect chart{{room.min.x + left, room.min.y + caption * 0.6f},
                   {room.max.x - Space::gap * u, room.max.y - caption * 1.5f}};
  pen.fill({{chart.min.x, chart.max.y}, {chart.max.x, chart.max.y + 1}}, look.line);
  pen.fill({{chart.min.x, chart.min.y}, {chart.max.x, chart.min.y + 1}}, look.line);
  pen.number(pen.type.number, {chart.min.x - Space::near * u, chart.min.y}, Align::right, look.muted, figures(most));
  pen.number(pen.type.number, {chart.min.x - Space::near * u, chart.max.y}, Align::right, look.muted, "0");
  const auto point = [&](std::size_t step, float value) {
    return ImVec2{chart.min.x + static_cast<float>(step) / static_cast<float>(steps.size() - 1) * chart.width(),
                  chart.max.y - value / most * chart.height()};
  };
  const auto put_line = [&](const auto& value, ImU32 colour, float thickness) {
    for (std::size_t s = 1; s < steps.size(); ++s)
      pen.line(point(s - 1, value(s - 1)), point(s, value(s)), colour, thickness);
  };
  for (Index i = 0; i < std::min<Index>(n, 128); ++i) {
    const bool lit = context.view.pointed.word == i;
    put_line(
        [&](std::size_t s) {
          return steps[s].at({batch, i});
        },
        lit ? look.q : fade(look.muted, 0.4f), lit ? lit_line * u : u);
  }
  const auto mean = [&](std::size_t s) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += static_cast<double>(steps[s].at({batch, i}));
    return static_cast<float>(sum / static_cast<double>(n));
  };
  put_line(mean, look.after, lit_line * u);
  float end = -1e9f;
  const float last_width = pen.measure(Face::ui, caption, residual.names.back()).x;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const float width = pen.measure(Face::ui, caption, residual.names[s]).x;
    const bool is_last = s + 1 == steps.size();
    const float middle = std::clamp(point(s, 0).x, room.min.x + width / 2, room.max.x - width / 2);
    if (middle - width / 2 < end + Space::near * u ||
        (!is_last && middle + width / 2 > room.max.x - last_width - Space::gap * u))
      continue;
    pen.caption({middle, room.max.y - caption * 0.6f}, Align::middle, residual.names[s]);
    end = middle + width / 2;
  }
}

struct HeadPanel : NetworkPart {
  Rect room;  ///< the remaining room, from the top
  const OverviewLayer& layer = layer_at(looked.layer);
  const HeadPatterns& patterns = item(layer.summary.patterns, looked.head);
  const float names = names_room();

  float names_room() const {
    float widest = std::max(width_of(say("network.without_head")), width_of(say("network.with_mean")));
    for (std::size_t i = 0; i < head_pattern_count; ++i)
      widest = std::max(widest, width_of(say(pattern_key(trace, static_cast<HeadPattern>(i)))));
    return std::min(widest + width_of(" (9)") + Space::apart * u, room.width() * 0.5f);
  }

  void put_heading(const std::string& text, ImU32 colour, float pixels) {
    pen.text(TextRole::word, Face::bold, pixels, {room.min.x, room.min.y + pixels * 0.7f}, Align::left, colour, text,
             room.width());
    room.min.y += pixels * 1.6f;
  }

  void put_section(const std::string& title) {
    room.min.y += Space::tight * u;
    put_heading(title, look.ink, caption * 1.1f);
  }

  void put_note(std::string_view text, std::span<const Named> values = {}) {
    room.min.y += pen.sentence(TextRole::caption, text, values, room, caption, look.muted) + Space::tight * u;
  }

  struct Bar {
    std::string name;
    std::optional<double> share;  ///< an unknown one has neither bar nor number
    ImU32 colour = 0;
  };

  void put_bars(const std::vector<Bar>& bars) {
    std::vector<double> shares;
    for (const Bar& bar : bars) shares.push_back(bar.share.value_or(-1));
    const MatrixNumbers digits = for_chances(shares);
    for (const Bar& bar : bars) put_bar(bar, digits);
  }

  void put_bar(const Bar& bar, const MatrixNumbers& digits) {
    const float pitch = caption * 1.75f, middle = room.min.y + pitch / 2;
    const float numbers = pen.measure(Face::mono, pen.type.number, "0.000").x + Space::gap * u;
    pen.caption({room.min.x, middle}, Align::left, bar.name, look.ink, names - Space::gap * u);
    const Rect track{{room.min.x + names, middle - Space::near * u}, {room.max.x - numbers, middle + Space::near * u}};
    pen.fill(track, look.field, Corner::cell * u);
    if (bar.share) {
      const float width = static_cast<float>(std::clamp(*bar.share, 0.0, 1.0)) * track.width();
      if (width >= 1) pen.meter(track, width, bar.colour);
      pen.number(pen.type.number, {room.max.x, middle}, Align::right, look.ink, digits(static_cast<float>(*bar.share)));
    }
    room.min.y += pitch;
  }

  void put_chips(const std::vector<Chip>& chips) {
    room.min.y = pen.chips(room, chips, caption * 1.9f, 20) + Space::gap * u;
  }

  void put_title() {
    const std::string head = std::to_string(looked.head);
    put_heading(overview.layers.size() == 1 ? say.fill("inspector.head", {head})
                                            : say.fill("network.head_title", {layer.layer, head}),
                look.head_ink(looked.head), pen.type.story * 1.15f);
    if (const std::string claim = facts.claim(looked); !claim.empty())
      put_note(say("network.found"), std::vector<Named>{{claim, look.ink}});
    const HeadClaim* claim = claim_at(facts.file, layer.layer, looked.head);
    if (!claim) return;
    const auto measured = [&](const char* field) { return percent(claim->measured.value(field, 0.0)); };
    put_note(say("network.missed"),
             std::vector<Named>{{measured("accuracy"), look.ink}, {measured("without"), look.ink}});
    if (const char* key = rest_key(*claim)) put_note(say(key), std::vector<Named>{{percent(claim->rests), look.ink}});
  }

  void put_patterns() {
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < head_pattern_count; ++i) {
      const auto pattern = static_cast<HeadPattern>(i);
      if (patterns.rows[i] == 0) continue;
      // Shows the number of words if there are few.
      const std::string few = patterns.is_usual(pattern) ? "" : " (" + std::to_string(patterns.rows[i]) + ")";
      bars.push_back({say(pattern_key(trace, pattern)) + few, patterns[pattern], look.head(looked.head)});
    }
    if (patterns.queries > 0) bars.push_back({say("network.entropy"), patterns.entropy, look.muted});
    put_bars(bars);
    put_note(say(key_for(trace, patterns.queries > 0 ? "network.measured" : "network.not_measured")));
  }

  void put_actions() {
    std::vector<Chip> actions{{say("network.open"), SceneAction::how, 0, false, true}};
    const bool silent = item(layer.silent, looked.head);
    if (facts.can_knock)
      actions.push_back({say(silent ? "sentence.back_in" : "network.knock"), SceneAction::knock_out, 0, silent});
    room.min.y = pen.chips(room, actions, caption * 2.3f, 24, action_corner * u) + Space::gap * u;
  }

  void put_orders() {
    std::vector<Chip> orders;
    constexpr const char* keys[] = {"network.order_layer", "network.order_habit", "network.order_entropy",
                                    "network.order_effect"};
    const NetworkChoice& choice = view.network;
    for (Index i = 0; i < 4; ++i) {
      if (static_cast<HeadOrder>(i) == HeadOrder::effect && facts.without.empty()) continue;
      orders.push_back({say(keys[i]), SceneAction::order, i, static_cast<Index>(choice.order) == i});
    }
    put_note(say("network.order"));
    put_chips(orders);
    const bool marks_patterns = choice.order == HeadOrder::layer || choice.order == HeadOrder::pattern;
    if (!marks_patterns || room.height() <= caption * 9) return;
    std::vector<Chip> marks{{say("network.strongest"), SceneAction::pattern, -1, !choice.pattern}};
    for (std::size_t i = 0; i < head_pattern_count; ++i) {
      const auto pattern = static_cast<HeadPattern>(i);
      // Patches of a picture are never repeated.
      if (reads_pictures(trace) && (pattern == HeadPattern::duplicate || pattern == HeadPattern::induction)) continue;
      marks.push_back(
          {say(pattern_key(trace, pattern)), SceneAction::pattern, static_cast<Index>(i), choice.pattern == pattern});
    }
    put_note(say("network.mark"));
    put_chips(marks);
  }

  /// The probability of the most likely next word with all heads, without this one, and without its layer.
  void put_effect() {
    if (facts.likeliest.empty() || facts.without.empty() || room.height() <= caption * 11) return;
    const auto asked = std::ranges::find(facts.predictions, true, &NetworkFacts::Prediction::asked);
    put_section(asked == facts.predictions.end() || reads_pictures(trace)
                    ? say.fill("network.how_sure", {facts.likeliest})
                    : say.fill("network.how_sure_after", {asked->after, facts.likeliest}));
    const auto of_head = [&](const auto& table) { return item(item(table, looked.layer), looked.head); };
    std::vector<Bar> bars{{say("network.whole"), facts.probability, look.after},
                          {say("network.without_head"), of_head(facts.without), look.after}};
    if (!facts.with_mean.empty()) bars.push_back({say("network.with_mean"), of_head(facts.with_mean), look.after});
    bars.push_back({say("network.without_layer"), item(facts.without_layer, looked.layer), look.after});
    put_bars(bars);
  }

  void put_residual_sizes() {
    const float chart = caption * 8.5f;
    const ResidualSteps steps = residual_steps(context, overview, looked.layer);
    if (steps.sizes.size() <= 1 || room.height() <= chart + caption * 2) return;
    put_section(say("network.residual"));
    put_residual(pen, steps, {room.min, {room.max.x, room.min.y + chart - caption * 1.8f}});
    room.min.y += chart - caption * 1.6f;
  }

  /// "after the: cat 0.31", one line per word; if there are too many, the last words and the asked one.
  void put_predictions() {
    if (facts.predictions.empty() || room.height() <= caption * 4.5f) return;
    put_section(say("network.said"));
    const float pitch = caption * 1.5f;
    const auto fits = static_cast<std::size_t>(std::max(0.0f, room.height() / pitch)), count = facts.predictions.size();
    const auto asked = static_cast<std::size_t>(
        std::ranges::find(facts.predictions, true, &NetworkFacts::Prediction::asked) - facts.predictions.begin());
    const std::size_t first = std::min(count - std::min(count, fits), asked);
    float words = 0;
    const std::size_t end = std::min(count, first + fits);
    for (std::size_t i = first; i < end; ++i) words = std::max(words, width_of(facts.predictions[i].after));
    words = std::min(words, room.width() * 0.38f);
    const float numbers = pen.measure(Face::mono, pen.type.number, "0.00").x + Space::gap * u;
    for (std::size_t i = first; i < end; ++i, room.min.y += pitch) {
      const NetworkFacts::Prediction& next = facts.predictions[i];
      const float middle = room.min.y + pitch / 2, x = room.min.x + words + 2 * half_arrow_room * u;
      const Rect row{{room.min.x - Space::near * u, room.min.y}, {room.max.x + Space::near * u, room.min.y + pitch}};
      if (view.pointed.word == static_cast<Index>(i)) pen.fill(row, look.field, Corner::cell * u);
      pen.text(TextRole::word, Face::ui, caption, {room.min.x + words, middle}, Align::right, look.muted, next.after,
               words);
      pen.caption({x - half_arrow_room * u, middle}, Align::middle, "→");
      pen.text(TextRole::word, next.asked ? Face::bold : Face::ui, caption, {x, middle}, Align::left, look.ink,
               next.word, room.max.x - numbers - x - Space::tight * u);
      pen.number(pen.type.number, {room.max.x, middle}, Align::right, look.muted,
                 MatrixNumbers(2, true)(static_cast<float>(next.probability)));
      pen.target(row, SceneAction::query_word, static_cast<Index>(i));
    }
  }
};

}  // namespace

void put_head_panel(const NetworkPart& part, Rect room) {
  const float u = part.u;
  part.pen.fill(room, part.look.panel);
  part.pen.fill({room.min, {room.min.x + 1, room.max.y}}, part.look.line);
  HeadPanel panel{part,
                  {{room.min.x + panel_margin * u, room.min.y + Space::row * u},
                   {room.max.x - panel_margin * u, room.max.y - Space::pad * u}}};
  panel.put_title();
  panel.put_patterns();
  panel.put_actions();
  panel.put_orders();
  panel.put_effect();
  panel.put_residual_sizes();
  panel.put_predictions();
}

}  // namespace headlight
