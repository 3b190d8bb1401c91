#include "ui/views/network/network_scene.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/utf8_path.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/row_prose.h"

namespace headlight {
namespace {

/// The last head of a layer.
Index last_head(const HeadOverview& overview, Index layer) {
  return std::ssize(item(overview.layers, layer).silent) - 1;
}

std::string hint_key(LayersTogether together, bool row_ranges) {
  if (together == LayersTogether::none) return row_ranges ? "network.hint_rows" : "network.hint";
  return std::string("network.") + layer_words[static_cast<std::size_t>(together)] + "_says";
}

/// The picture, or the beginning of the text that fits one line; "" if neither is known.
std::string what_is_read(const SceneContext& context, const WordLines& lines) {
  if (reads_pictures(context.trace)) {
    const auto run = network_of(context.trace.inputs);
    const PictureSpec& spec = *run->network->spec().picture;
    const auto& pictures = run->text.pictures;
    if (pictures.empty()) return "";
    const InputImage& picture = *item(pictures, std::min<Index>(context.view.batch, std::ssize(pictures) - 1));
    return context.words.fill("network.picture_is", {picture.file.empty() ? std::string(context.words("network.drawn"))
                                                                          : std::string(file_name_of(picture.file)),
                                                     spec.rows, spec.columns});
  }
  std::string text;
  if (lines.empty()) return text;
  for (const std::string& word : item(lines, std::min<Index>(context.view.batch, std::ssize(lines) - 1))) {
    text += (text.empty() || word.starts_with(' ') ? "" : " ") + word;
    if (text.size() > 400) break;
  }
  return text;
}

/// The view's title, the choices, and the selected picture, from the top down.
struct NetworkPicture : NetworkPart {
  Rect area;
  const Tensor& pictures = layer_at(looked.layer).summary.pictures;
  const bool row_ranges = pictures.defined() && has_row_ranges(pictures.size(3));
  const LayersTogether together = view.network.together;

  void tell(TextRole role, std::string_view key, const std::vector<Named>& values, ImU32 colour) {
    const float pixels = role == TextRole::prose ? pen.type.title : pen.type.story;
    area.min.y += pen.sentence(role, say(key), values, area, pixels, colour);
  }

  void put_titles() {
    std::size_t heads = 0;
    for (const OverviewLayer& layer : overview.layers) heads += layer.silent.size();
    tell(TextRole::prose, key_for(trace, overview.layers.size() == 1 ? "network.title_one" : "network.title"),
         {{std::to_string(heads), look.ink, false}, {std::to_string(overview.layers.size()), look.ink, false}},
         look.ink);
    tell(TextRole::story, key_for(trace, hint_key(together, row_ranges)), {{layer_at(looked.layer).layer, look.ink}},
         look.muted);
    if (!facts.changed.empty()) tell(TextRole::story, "network.changed", {{facts.changed, look.ink}}, look.muted);
    if (facts.random_weights || trace.inputs.random_inputs)
      tell(TextRole::story, facts.random_weights ? "sentence.random_weights" : "sentence.random_input", {},
           look.warning);
  }

  /// The input, in one line.
  void put_text() {
    const std::string text = what_is_read(context, *layer_at(looked.layer).keys);
    const float pixels = pen.type.story, line = text.empty() ? 0 : pixels * 1.5f;
    if (!text.empty())
      pen.text(TextRole::story, Face::bold, pixels, {area.min.x, area.min.y + line / 2}, Align::left, look.ink, text,
               area.width());
    area.min.y += line + Space::tight * u;
  }

  /// The choice of a measure, and the legend.
  void put_measured() {
    const float taken =
        pen.tabs(area, Align::left, measure_keys, static_cast<std::size_t>(view.measure), SceneAction::measure);
    if (taken <= 0) return;
    const bool lengths = view.measure == HeadMeasure::arrives && facts.most_brought > 0;
    const std::string words = row_ranges
                                  ? std::string(say("heads.colours_row"))
                                  : say.fill("network.colours_to", {lengths ? length_text(facts.most_brought) : "1"});
    const float x = area.min.x + taken + Space::card * u;
    if (x + width_of(words) <= area.max.x) pen.caption({x, area.min.y + caption * 1.05f}, Align::left, words);
    area.min.y += caption * 2.1f + Space::gap * u;
  }

  /// Returns whether it depends on the current head.
  bool put_chosen() const {
    switch (together) {
      case LayersTogether::none: return put_heads(*this, area);
      case LayersTogether::lens: put_lens(*this, area); break;
      case LayersTogether::patch: put_patch(*this, area); break;
      case LayersTogether::study: put_study(*this, area); break;
      case LayersTogether::experts: put_experts(*this, area); break;
      case LayersTogether::writing: put_writing(*this, area); break;
      default: put_together(*this, area);
    }
    return true;
  }
};

}  // namespace

std::string key_for(const Trace& trace, const std::string& key) {
  constexpr std::string_view about_words[] = {
      "title",      "habit_previous",  "habit_first", "habit_next", "measured",     "lens_says", "patch",
      "patch_says", "patch_from_hint", "positions",   "the_words",  "rollout_says", "flow_says", "patch_word_hint"};
  const std::string_view name = std::string_view(key).substr(key.find('.') + 1);
  return reads_pictures(trace) && std::ranges::find(about_words, name) != std::end(about_words) ? key + "_picture"
                                                                                                : key;
}

std::string pattern_key(const Trace& trace, HeadPattern pattern) {
  return key_for(trace, "network.habit_" + std::string(name(pattern)));
}

HeadPlace looked_at_head(const HeadOverview& overview, const View& view) {
  const Index layer =
      std::clamp<Index>(view.network.layer.value_or(overview.chosen), 0, std::ssize(overview.layers) - 1);
  return {layer, std::clamp<Index>(view.network.head.value_or(view.head), 0, last_head(overview, layer))};
}

std::optional<HeadMark> mark_of(const HeadOverview& overview, const NetworkFacts& facts, const NetworkChoice& choice,
                                HeadPlace at) {
  if (choice.order == HeadOrder::effect) {
    if (at.layer >= std::ssize(facts.without)) return {};
    const std::optional<double> p = item(item(facts.without, at.layer), at.head);
    return p ? std::optional(HeadMark{std::max(0.0, facts.probability - *p), {}}) : std::nullopt;
  }
  const HeadPatterns& patterns = item(item(overview.layers, at.layer).summary.patterns, at.head);
  if (patterns.queries == 0) return {};
  if (choice.order == HeadOrder::entropy) return HeadMark{patterns.entropy, {}};
  const std::optional<HeadPattern> pattern = choice.pattern ? choice.pattern : patterns.strongest();
  return pattern ? HeadMark{patterns[*pattern], pattern} : HeadMark{0, {}};
}

std::vector<HeadPlace> heads_in_order(const HeadOverview& overview, const NetworkFacts& facts,
                                      const NetworkChoice& choice) {
  std::vector<HeadPlace> order;
  for (Index l = 0; l < std::ssize(overview.layers); ++l) {
    for (Index h = 0; h <= last_head(overview, l); ++h) order.push_back({l, h});
  }
  if (choice.order == HeadOrder::layer) return order;
  const auto key = [&](HeadPlace at) {
    const std::optional<HeadMark> mark = mark_of(overview, facts, choice, at);
    // Sorted by pattern, each with its largest value first; heads without a measurement come last.
    const int group = !mark                                ? 100
                      : choice.order == HeadOrder::pattern ? (mark->pattern ? static_cast<int>(*mark->pattern) : 99)
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
    return {layer, std::clamp<Index>(now.head + across, 0, last_head(overview, layer))};
  }
  const std::vector<HeadPlace> order = heads_in_order(overview, facts, view.network);
  const Index at = std::ranges::find(order, now) - order.begin();
  return item(order, std::clamp<Index>(at + across + 8 * down, 0, std::ssize(order) - 1));
}

namespace {

// In points: the panel beside the cards, and the margins around these.
constexpr float panel_from = 640;
constexpr RoomShare side_panel{0.36f, 300, 560}, side_margin{0.022f, Space::apart, 36},
    upper_margin{0.03f, Space::pad, 26};

/// The width of the panel beside the cards; 0 if there is no room for it.
float panel_width(Rect place, float u) {
  return place.width() >= panel_from * u ? std::round(side_panel.of(place.width(), u)) : 0;
}

}  // namespace

NetworkScene make_network(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts,
                          Rect place) {
  NetworkScene made;
  Pen pen(context, made.scene);
  const float u = context.u, side = panel_width(place, u);
  const float margin = side_margin.of(place.width(), u);
  NetworkPicture picture{{pen, overview, facts},
                         {{place.min.x + margin, place.min.y + upper_margin.of(place.height(), u)},
                          {place.max.x - side - margin, place.max.y - Space::pad * u}}};
  picture.put_titles();
  picture.put_text();
  picture.area.min.y += put_ways(picture, picture.area);
  if (facts.can_measure && picture.together == LayersTogether::none) picture.put_measured();
  made.follows = picture.put_chosen();
  return made;
}

Scene make_network_overlay(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts,
                           const Scene& scene, Rect place) {
  Scene overlay;
  Pen pen(context, overlay);
  const NetworkPart part{pen, overview, facts};
  if (part.view.network.together == LayersTogether::none) put_looked_frame(part, scene);
  if (const float side = panel_width(place, context.u); side > 0)
    put_head_panel(part, {{place.max.x - side, place.min.y}, place.max});
  return overlay;
}

}  // namespace headlight
