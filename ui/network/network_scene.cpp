#include "ui/network/network_scene.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/scenario/inputs.h"
#include "core/text/utf8_path.h"
#include "ui/frame/colormaps.h"
#include "ui/frame/frame.h"
#include "ui/level/matrix_numbers.h"
#include "ui/level/row_prose.h"
#include "ui/look/measure.h"
#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

const OverviewLayer& layer_at(const HeadOverview& overview, Index layer) {
  return overview.layers[static_cast<std::size_t>(layer)];
}

const HeadPatterns& habits_at(const HeadOverview& overview, HeadPlace at) {
  return layer_at(overview, at.layer).summary.patterns[static_cast<std::size_t>(at.head)];
}

std::optional<double> without(const NetworkFacts& facts, HeadPlace at) {
  if (static_cast<std::size_t>(at.layer) >= facts.without.size()) return {};
  return facts.without[static_cast<std::size_t>(at.layer)][static_cast<std::size_t>(at.head)];
}

/// `fills`: over all of a room that is too small for words beside the picture.
void put_picture(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, HeadPlace at, Rect room,
                 bool fills) {
  const SceneContext& context = pen.context();
  const OverviewLayer& layer = layer_at(overview, at.layer);
  const bool measured = facts.can_measure && context.view.measure != HeadMeasure::weight;
  if (measured && at.layer >= std::ssize(facts.brought)) return;  // not computed yet
  const Tensor& pictures = measured ? facts.brought[static_cast<std::size_t>(at.layer)] : layer.summary.pictures;
  if (!pictures.defined()) return;
  const Index batch = std::min(context.view.batch, pictures.size(0) - 1);
  const auto rows = static_cast<float>(pictures.size(2)), cols = static_cast<float>(pictures.size(3));
  const float side = std::min(room.width() / cols, room.height() / rows);
  const ImVec2 size =
      fills ? ImVec2{room.width(), room.height()}
            : ImVec2{std::max(side * cols, room.width() * 0.3f), std::max(side * rows, room.height() * 0.3f)};
  MatrixQuad quad;
  quad.values = pictures;
  quad.batch = batch;
  quad.head = at.head;
  quad.colormap = &window_colormap(context.view, Stage::weights);
  const bool lengths = measured && context.view.measure == HeadMeasure::arrives;
  quad.range = {0, lengths && facts.most_brought > 0 ? facts.most_brought : 1};
  quad.row_ranges = has_row_ranges(pictures.size(3));
  quad.theme = context.look.theme;
  quad.scale = context.u;
  quad.opacity = layer.silent[static_cast<std::size_t>(at.head)] ? 0.25f : 1;
  quad.min = {std::round(room.min.x), std::round(room.centre().y - size.y / 2)};
  quad.max = {std::round(room.min.x + size.x), std::round(room.centre().y + size.y / 2)};
  pen.scene().items.emplace_back(SceneMatrix{quad, {quad.min, quad.max}});
  pen.add_content({quad.min, quad.max});
}

/// What a head is marked by, in words; "" where nothing is.
std::string mark_words(const SceneContext& context, const std::optional<HeadMark>& mark, bool silent) {
  if (silent) return context.words("sentence.silent");
  if (!mark) return {};
  if (context.view.network.order == HeadOrder::effect) return context.words("network.order_effect");
  if (context.view.network.order == HeadOrder::entropy) return context.words("network.entropy");
  return mark->habit ? context.words(habit_key_of(context.trace, *mark->habit)) : context.words("network.mixed");
}

constexpr std::size_t most_claim_lines = 2;

/// Whole, in few words where all of it has no room.
std::vector<std::string> claim_lines(const Pen& pen, const NetworkFacts& facts, HeadPlace at, float width,
                                     std::size_t most = most_claim_lines) {
  return whole_lines(pen.context().fonts, Face::ui, pen.type.caption, {facts.claim(at), facts.claim(at, true)}, width,
                     std::min(most, most_claim_lines));
}

/// The lines of the longest label: all cards of a view leave as much room.
std::size_t most_claim_lines_of(const Pen& pen, const NetworkFacts& facts, float width) {
  std::size_t lines = 0;
  for (Index l = 0; l < std::ssize(facts.claims); ++l) {
    for (Index h = 0; h < std::ssize(facts.claims[static_cast<std::size_t>(l)]); ++h)
      lines = std::max(lines, claim_lines(pen, facts, {l, h}, width).size());
  }
  return lines;
}

/// One head: its picture, what it does in words where there is room, the bar of what heads are marked by.
void put_card(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, HeadPlace at, Rect card,
              bool says_layer) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const float u = pen.u(), caption = pen.type.caption, line = caption * 1.4f;
  const bool looked = looked_at_head(overview, context.view) == at,
             silent = layer_at(overview, at.layer).silent[static_cast<std::size_t>(at.head)];
  const ImU32 hue = look.head(at.head);
  const bool large = card.width() >= 56 * u;
  const float pad = large ? 7 * u : 2 * u;
  if (large) pen.fill(card, look.card, Corner::card * u);
  const std::optional<HeadMark> mark = mark_of(overview, facts, context.view.network, at);
  const std::size_t lines = 2 + most_claim_lines_of(pen, facts, card.width() - 2 * pad);
  // The words stand under the picture or beside it, whichever leaves it larger; without room there is the bar alone.
  const float bar = card.height() >= 40 * u ? 5 * u : 0;
  const float under = card.width() >= 104 * u
                          ? std::min(card.width() - 2 * pad, card.height() - 2 * pad - static_cast<float>(lines) * line)
                          : 0;
  const float next_to =
      card.width() >= 138 * u && card.height() >= 52 * u ? std::min(card.height() - 2 * pad, card.width() * 0.56f) : 0;
  const bool below = under >= next_to && under >= 50 * u, beside = !below && next_to > 0;
  const float side = below ? under : beside ? next_to : card.width() - 2 * pad;
  const Rect picture = below ? Rect{{card.min.x + pad, card.min.y + pad}, {card.max.x - pad, card.min.y + pad + side}}
                             : Rect{{card.min.x + pad, card.min.y + pad},
                                    {card.min.x + pad + side, card.max.y - pad - (beside ? 0 : bar)}};
  put_picture(pen, overview, facts, at, picture, !below && !beside);
  const Rect words = below
                         ? Rect{{card.min.x + pad, picture.max.y + 2 * u}, {card.max.x - pad, card.max.y - pad + 2 * u}}
                         : Rect{{picture.max.x + 8 * u, card.min.y + pad}, {card.max.x - pad, card.max.y - pad}};
  const auto put_bar = [&](const Rect& track) {
    if (!mark || bar <= 0) return;
    pen.fill(track, look.field, bar / 2);
    const float width = static_cast<float>(std::clamp(mark->share, 0.0, 1.0)) * track.width();
    if (width >= 1) pen.fill({track.min, {track.min.x + width, track.max.y}}, hue, std::min(bar, width) / 2);
  };
  if (!below && !beside) {
    put_bar({{card.min.x + pad, card.max.y - bar - u}, {card.max.x - pad, card.max.y - u}});
  } else {
    float y = words.min.y + line / 2;
    const std::string number =
        says_layer ? layer_at(overview, at.layer).layer + "." + std::to_string(at.head) : std::to_string(at.head);
    const Rect named = pen.text(TextRole::word, Face::bold, caption * 1.05f, {words.min.x, y}, Align::left,
                                look.head_ink(at.head), number);
    const float after = below ? named.max.x + 7 * u : words.min.x;
    if (beside) y += line;
    const bool shares = mark && (mark->habit || context.view.network.order == HeadOrder::effect ||
                                 context.view.network.order == HeadOrder::entropy);
    const std::string share = shares ? MatrixNumbers(2, true)(static_cast<float>(mark->share)) : "";
    const float number_room = share.empty() ? 0 : pen.measure(Face::mono, pen.type.number, share).x + 6 * u;
    const auto fits = [&](const std::string& text, float beside_it) {
      return after + pen.measure(Face::ui, caption, text).x + beside_it <= words.max.x;
    };
    std::string said = mark_words(context, mark, silent);
    if (!fits(said, 0) && mark && mark->habit && !silent)
      said = context.words("network.brief_" + std::string(name(*mark->habit)));
    const bool in_line = below && fits(said, number_room);
    if (!said.empty() && fits(said, 0))
      pen.text(TextRole::caption, Face::ui, caption, {after, y}, Align::left, silent ? look.warning : look.ink, said);
    if (!share.empty() && in_line)
      pen.text(TextRole::number, Face::mono, pen.type.number, {words.max.x, y}, Align::right, look.muted, share);
    if (!share.empty() && beside && y + 1.5f * line <= words.max.y - bar)
      pen.text(TextRole::number, Face::mono, pen.type.number, {words.min.x, y += line}, Align::left, look.muted, share);
    const auto room_for = static_cast<std::size_t>(std::max((words.max.y - bar - y) / line - 0.5f, 0.0f));
    for (const std::string& words_of : claim_lines(pen, facts, at, words.width(), room_for)) {
      pen.text(TextRole::caption, Face::ui, caption, {words.min.x, y += line}, Align::left, look.muted, words_of);
    }
    put_bar({{words.min.x, words.max.y - bar}, words.max});
  }
  pen.box(card,
          looked  ? hue
          : large ? look.line
                  : fade(look.line, 0.4f),
          looked ? std::max(2.0f, 2 * u) : 1, large ? 8 * u : 2 * u);
  pen.target(card, SceneAction::head, at.head, {Stage::weights, at.layer, at.head, 0, 0});
}

/// As high as a card of this width is of use.
float most_card_height(const Pen& pen, const NetworkFacts& facts, float width) {
  const std::size_t lines = most_claim_lines_of(pen, facts, width - 24 * pen.u());
  return std::min(width + (2.2f + static_cast<float>(lines)) * 1.4f * pen.type.caption, 330 * pen.u());
}

/// Layers as rows, heads as columns; of too many layers those around the one that is looked at.
void put_layers(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  const SceneContext& context = pen.context();
  const float u = pen.u();
  const auto layers = static_cast<Index>(overview.layers.size()), heads = overview.heads();
  float label = 0;
  const auto name_of = [&](Index layer) {
    return overview.layers.size() == 1 ? std::string()
                                       : context.words.fill("network.layer", {layer_at(overview, layer).layer});
  };
  for (Index l = 0; l < layers; ++l) label = std::max(label, pen.measure(Face::ui, pen.type.caption, name_of(l)).x);
  label = label > 0 ? label + 12 * u : 0;
  const float gap = heads > 8 || layers > 6 ? 4 * u : 10 * u;
  const float width = (room.width() - label) / static_cast<float>(heads);
  // Cards without room for words leave the heads' numbers to the columns.
  const bool numbered = heads > 1 && width - gap < 104 * u;
  const float line = pen.type.caption * 1.5f;
  if (numbered) {
    for (Index h = 0; h < heads; ++h) {
      const std::string number = std::to_string(h);
      if (pen.measure(Face::ui, pen.type.caption, number).x > width - gap) break;
      pen.text(TextRole::caption, Face::ui, pen.type.caption,
               {room.min.x + label + static_cast<float>(h) * width + (width - gap) / 2, room.min.y + line / 2},
               Align::middle, pen.look().muted, number);
    }
    room.min.y += line;
  }
  const auto fits = std::max<Index>(1, static_cast<Index>(room.height() / (24 * u)));
  const bool cut = layers > fits;
  const Index shown = cut ? std::max<Index>(1, fits - 1) : layers;
  const Index first =
      cut ? std::clamp<Index>(looked_at_head(overview, context.view).layer - shown / 2, 0, layers - shown) : 0;
  const float note = cut ? pen.type.caption * 1.6f : 0;
  const float height = std::min(
      {(room.height() - note) / static_cast<float>(shown), std::max(most_card_height(pen, facts, width), 24 * u)});
  for (Index l = first; l < first + shown; ++l) {
    const float y = room.min.y + static_cast<float>(l - first) * height;
    if (label > 0)
      pen.text(TextRole::caption, Face::ui, pen.type.caption, {room.min.x, y + (height - gap) / 2}, Align::left,
               pen.look().muted, name_of(l));
    const auto count = static_cast<Index>(layer_at(overview, l).silent.size());
    for (Index h = 0; h < count; ++h) {
      const float x = room.min.x + label + static_cast<float>(h) * width;
      put_card(
          pen, overview, facts, {l, h},
          {{x, y}, {x + (numbered ? width : std::min(width, std::max(height * 2.1f, 24 * u))) - gap, y + height - gap}},
          false);
    }
  }
  if (cut) {
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {room.min.x, room.max.y - note / 2}, Align::left,
             pen.look().muted,
             context.words.fill("network.layers_shown",
                                {layer_at(overview, first).layer, layer_at(overview, first + shown - 1).layer,
                                 std::to_string(layers)}));
  }
}

/// Number of heads per row if they are sorted.
Index columns_in_order(Index heads, float width, float height) {
  Index best = 1;
  float largest = 0;
  for (Index columns = 1; columns <= heads; ++columns) {
    const Index rows = (heads + columns - 1) / columns;
    const float side = std::min(width / static_cast<float>(columns) / 1.5f, height / static_cast<float>(rows));
    if (side > largest) largest = side, best = columns;
  }
  return best;
}

void put_in_order(Pen& pen, const HeadOverview& overview, const NetworkFacts& facts, Rect room) {
  const std::vector<HeadPlace> order = heads_in_order(overview, facts, pen.context().view.network);
  const Index columns = columns_in_order(static_cast<Index>(order.size()), room.width(), room.height());
  const Index rows = (static_cast<Index>(order.size()) + columns - 1) / columns;
  const float u = pen.u(), gap = columns > 8 ? 4 * u : 10 * u;
  const float width = room.width() / static_cast<float>(columns),
              height = std::min(room.height() / static_cast<float>(rows), most_card_height(pen, facts, width));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const ImVec2 corner{room.min.x + static_cast<float>(at % columns) * width,
                        room.min.y + static_cast<float>(at / columns) * height};
    put_card(pen, overview, facts, order[i],
             {corner, {corner.x + std::min(width, height * 2.1f) - gap, corner.y + height - gap}}, true);
  }
}

const char* hint_key(const View& view, bool row_ranges) {
  switch (view.network.together) {
    case LayersTogether::none: return row_ranges ? "network.hint_rows" : "network.hint";
    case LayersTogether::mean: return "network.mean_says";
    case LayersTogether::rollout: return "network.rollout_says";
    case LayersTogether::flow: return "network.flow_says";
    case LayersTogether::lens: return "network.lens_says";
    case LayersTogether::patch: return "network.patch_says";
    case LayersTogether::study: return "network.study_says";
    case LayersTogether::experts: return "network.experts_says";
    case LayersTogether::writing: return "network.writing_says";
  }
  return "network.hint";
}

}  // namespace

bool reads_pictures(const Trace& trace) {
  const auto run = network_of(trace.inputs);
  return run && run->network->spec().picture;
}

std::string said_of(const Trace& trace, const std::string& key) {
  constexpr std::string_view about_words[] = {
      "title",      "habit_previous",  "habit_first", "habit_next", "measured",     "lens_says", "patch",
      "patch_says", "patch_from_hint", "positions",   "the_words",  "rollout_says", "flow_says", "patch_word_hint"};
  const std::string_view name = std::string_view(key).substr(key.find('.') + 1);
  return reads_pictures(trace) && std::ranges::find(about_words, name) != std::end(about_words) ? key + "_picture"
                                                                                                : key;
}

std::string habit_key_of(const Trace& trace, HeadPattern habit) {
  return said_of(trace, "network.habit_" + std::string(name(habit)));
}

HeadPlace looked_at_head(const HeadOverview& overview, const View& view) {
  const Index layer =
      std::clamp<Index>(view.network.layer.value_or(overview.chosen), 0, std::ssize(overview.layers) - 1);
  return {layer, std::clamp<Index>(view.network.head.value_or(view.head), 0,
                                   std::ssize(layer_at(overview, layer).silent) - 1)};
}

std::optional<HeadMark> mark_of(const HeadOverview& overview, const NetworkFacts& facts, const NetworkChoice& choice,
                                HeadPlace at) {
  if (choice.order == HeadOrder::effect) {
    const std::optional<double> p = without(facts, at);
    return p ? std::optional(HeadMark{std::max(0.0, facts.probability - *p), {}}) : std::nullopt;
  }
  const HeadPatterns& habits = habits_at(overview, at);
  if (habits.queries == 0) return {};
  if (choice.order == HeadOrder::entropy) return HeadMark{habits.entropy, {}};
  const std::optional<HeadPattern> habit = choice.habit ? choice.habit : habits.strongest();
  return habit ? HeadMark{habits[*habit], habit} : HeadMark{0, {}};
}

std::vector<HeadPlace> heads_in_order(const HeadOverview& overview, const NetworkFacts& facts,
                                      const NetworkChoice& choice) {
  std::vector<HeadPlace> order;
  for (Index l = 0; l < std::ssize(overview.layers); ++l) {
    for (Index h = 0; h < std::ssize(layer_at(overview, l).silent); ++h) order.push_back({l, h});
  }
  if (choice.order == HeadOrder::layer) return order;
  const auto key = [&](HeadPlace at) {
    const std::optional<HeadMark> mark = mark_of(overview, facts, choice, at);
    // One habit after another, each with the most of it first; what was not measured comes last.
    const int group = !mark                              ? 100
                      : choice.order == HeadOrder::habit ? (mark->habit ? static_cast<int>(*mark->habit) : 99)
                                                         : 0;
    const double share = mark ? mark->share : 0;
    return std::pair(group, choice.order == HeadOrder::entropy ? share : -share);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

HeadPlace neighbour(const HeadOverview& overview, const NetworkFacts& facts, const View& view, int across, int down) {
  const HeadPlace now = looked_at_head(overview, view);
  if (view.network.order == HeadOrder::layer || view.network.together != LayersTogether::none) {
    const Index layer = std::clamp<Index>(now.layer + down, 0, std::ssize(overview.layers) - 1);
    return {layer, std::clamp<Index>(now.head + across, 0, std::ssize(layer_at(overview, layer).silent) - 1)};
  }
  const std::vector<HeadPlace> order = heads_in_order(overview, facts, view.network);
  const auto at = std::ranges::find(order, now) - order.begin();
  const auto to = at + across + down * static_cast<std::ptrdiff_t>(8);
  return order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, std::ssize(order) - 1))];
}

namespace {

/// The choice of a measure, and what its colours stand for; gives its height.
float put_measured(Pen& pen, const NetworkFacts& facts, bool row_ranges, Rect room) {
  const SceneContext& context = pen.context();
  const float taken =
      pen.tabs(room, Align::left, measure_keys, static_cast<std::size_t>(context.view.measure), SceneAction::measure);
  if (taken <= 0) return 0;
  const bool lengths = context.view.measure == HeadMeasure::arrives && facts.most_brought > 0;
  const std::string most = lengths ? length_text(facts.most_brought) : "1";
  const std::string words =
      row_ranges ? std::string(context.words("heads.colours_row")) : context.words.fill("network.colours_to", {most});
  const float x = room.min.x + taken + 14 * pen.u();
  if (x + pen.measure(Face::ui, pen.type.caption, words).x <= room.max.x)
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {x, room.min.y + pen.type.caption * 1.05f}, Align::left,
             context.look.muted, words);
  return pen.type.caption * 2.1f + 8 * pen.u();
}

/// The picture, or the text as far as one line may hold it; "" where neither is known.
std::string what_is_read(const SceneContext& context, const WordLines& lines) {
  if (reads_pictures(context.trace)) {
    const auto run = network_of(context.trace.inputs);
    const PictureSpec& spec = *run->network->spec().picture;
    const auto& pictures = run->text.pictures;
    if (pictures.empty()) return "";
    const Picture& picture = *pictures[std::min(static_cast<std::size_t>(context.view.batch), pictures.size() - 1)];
    return context.words.fill("network.picture_is", {picture.file.empty() ? std::string(context.words("network.drawn"))
                                                                          : std::string(file_name_of(picture.file)),
                                                     std::to_string(spec.rows), std::to_string(spec.columns)});
  }
  std::string text;
  if (lines.empty()) return text;
  for (const std::string& word :
       lines[static_cast<std::size_t>(std::min<Index>(context.view.batch, std::ssize(lines) - 1))]) {
    text += (text.empty() || word.starts_with(' ') ? "" : " ") + word;
    if (text.size() > 400) break;
  }
  return text;
}

/// That, in one line; its height.
float put_text(Pen& pen, const HeadOverview& overview, const HeadPlace& at, const Rect& area) {
  const SceneContext& context = pen.context();
  const std::string text = what_is_read(context, *layer_at(overview, at.layer).keys);
  if (text.empty()) return 0;
  const float pixels = pen.type.story, line = pixels * 1.5f;
  pen.text(TextRole::story, Face::bold, pixels, {area.min.x, area.min.y + line / 2}, Align::left, context.look.ink,
           elide(context.fonts, Face::bold, pixels, text, area.width()));
  return line;
}

}  // namespace

Scene make_network(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  const Words& words = context.words;
  const float u = context.u;
  const bool panel = place.width() >= 640 * u;
  const float side = panel ? std::round(std::clamp(place.width() * 0.36f, 300 * u, 560 * u)) : 0;
  const float margin = std::clamp(place.width() * 0.022f, 12 * u, 36 * u);
  Rect area{{place.min.x + margin, place.min.y + std::clamp(place.height() * 0.03f, 10 * u, 26 * u)},
            {place.max.x - side - margin, place.max.y - 10 * u}};
  const HeadPlace at = looked_at_head(overview, context.view);
  const std::string heads =
      std::to_string(std::accumulate(overview.layers.begin(), overview.layers.end(), std::size_t{0},
                                     [](std::size_t n, const OverviewLayer& l) { return n + l.silent.size(); }));
  const std::vector<Named> counts{{heads, context.look.ink, false},
                                  {std::to_string(overview.layers.size()), context.look.ink, false}};
  area.min.y +=
      pen.sentence(TextRole::prose,
                   words(said_of(context.trace, overview.layers.size() == 1 ? "network.title_one" : "network.title")),
                   counts, area, pen.type.title, context.look.ink);
  const Tensor& pictures = layer_at(overview, at.layer).summary.pictures;
  const bool row_ranges = pictures.defined() && has_row_ranges(pictures.size(3));
  const std::vector<Named> where{{layer_at(overview, at.layer).layer, context.look.ink}};
  area.min.y += pen.sentence(TextRole::story, words(said_of(context.trace, hint_key(context.view, row_ranges))), where,
                             area, pen.type.story, context.look.muted);
  const std::vector<Named> changed{{facts.changed, context.look.ink}};
  if (!facts.changed.empty())
    area.min.y +=
        pen.sentence(TextRole::story, words("network.changed"), changed, area, pen.type.story, context.look.muted);
  if (facts.random_weights || context.trace.inputs.random_inputs)
    area.min.y +=
        pen.sentence(TextRole::story, words(facts.random_weights ? "sentence.random_weights" : "sentence.random_input"),
                     {}, area, pen.type.story, context.look.warning);
  area.min.y += put_text(pen, overview, at, area) + 4 * u;
  area.min.y += put_ways(pen, facts, area);
  if (facts.can_measure && context.view.network.together == LayersTogether::none)
    area.min.y += put_measured(pen, facts, row_ranges, area);
  if (context.view.network.together == LayersTogether::lens) put_lens(pen, overview, facts, area);
  else if (context.view.network.together == LayersTogether::patch) put_patch(pen, overview, facts, area);
  else if (context.view.network.together == LayersTogether::study) put_study(pen, overview, facts, area);
  else if (context.view.network.together == LayersTogether::experts) put_experts(pen, overview, facts, area);
  else if (context.view.network.together == LayersTogether::writing) put_writing(pen, overview, facts, area);
  else if (context.view.network.together != LayersTogether::none) put_together(pen, overview, facts, area, at);
  else if (context.view.network.order == HeadOrder::layer) put_layers(pen, overview, facts, area);
  else put_in_order(pen, overview, facts, area);
  if (panel) put_head_panel(pen, overview, facts, {{place.max.x - side, place.min.y}, place.max});
  return scene;
}

}  // namespace headlight
