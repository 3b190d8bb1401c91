// The heads of a network as cards, one row per layer or in the chosen order.
#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/network/network_scene.h"

namespace headlight {
namespace {

/// A card of a head, and the sizes of cards that have each of its parts, in points.
struct CardParts {
  static constexpr float pad = 7, highest = 330, large_from = 56, least_picture = 50;
  static constexpr float bar_from_height = 40;
  static constexpr float words_from = 104, beside_from = 138,
                         beside_from_height = 52;  ///< words below and beside the picture
};

constexpr std::size_t most_claim_lines = 2;

/// Each card has the head's picture, its description if there is room, and the bar of the chosen mark.
struct HeadCards : NetworkPart {
  const float line = caption * 1.4f;

  /// `fills`: use all of a room that is too small for text next to the picture.
  void put_picture(HeadPlace at, Rect room, bool fills) const {
    const OverviewLayer& layer = layer_at(at.layer);
    const bool measured = facts.can_measure && view.measure != HeadMeasure::weight;
    if (measured && at.layer >= std::ssize(facts.brought)) return;  // not computed yet
    const Tensor& pictures = measured ? item(facts.brought, at.layer) : layer.summary.pictures;
    if (!pictures.defined()) return;
    const auto rows = static_cast<float>(pictures.size(2)), cols = static_cast<float>(pictures.size(3));
    const float side = std::min(room.width() / cols, room.height() / rows);
    const ImVec2 size =
        fills ? ImVec2{room.width(), room.height()}
              : ImVec2{std::max(side * cols, room.width() * 0.3f), std::max(side * rows, room.height() * 0.3f)};
    const bool lengths = measured && view.measure == HeadMeasure::arrives && facts.most_brought > 0;
    MatrixQuad quad = matrix_quad(context, Stage::weights, pictures, {0, lengths ? facts.most_brought : 1});
    quad.batch = batch_of(pictures.size(0));
    quad.head = at.head;
    quad.row_ranges = has_row_ranges(pictures.size(3));
    quad.opacity = item(layer.silent, at.head) ? 0.25f : 1;
    const Rect rect{{std::round(room.min.x), std::round(room.centre().y - size.y / 2)},
                    {std::round(room.min.x + size.x), std::round(room.centre().y + size.y / 2)}};
    pen.matrix(std::move(quad), rect);
    pen.add_content(rect);
  }

  /// The value of a head's mark as text; "" if there is none.
  std::string mark_words(const std::optional<HeadMark>& mark, bool silent) const {
    if (silent) return say("sentence.silent");
    if (!mark) return {};
    if (view.network.order == HeadOrder::effect) return say("network.order_effect");
    if (view.network.order == HeadOrder::entropy) return say("network.entropy");
    return say(mark->pattern ? pattern_key(trace, *mark->pattern) : "network.mixed");
  }

  /// The description in full, or a shorter one if there is no room.
  std::vector<std::string> claim_lines(HeadPlace at, float width, std::size_t most = most_claim_lines) const {
    return whole_lines(context.fonts, Face::ui, caption, {facts.claim(at), facts.claim(at, true)}, width,
                       std::min(most, most_claim_lines));
  }

  /// The number of lines of the longest description: all cards of a view reserve this much.
  std::size_t lines_of_claims(float width) const {
    std::size_t lines = 0;
    for (Index l = 0; l < std::ssize(facts.claims); ++l) {
      for (Index h = 0; h < std::ssize(item(facts.claims, l)); ++h)
        lines = std::max(lines, claim_lines({l, h}, width).size());
    }
    return lines;
  }

  /// The head's number, its mark and its description, below or next to its picture.
  void put_words(HeadPlace at, Rect words, bool below, bool names_layer, const std::optional<HeadMark>& mark) const {
    const bool silent = item(layer_at(at.layer).silent, at.head);
    float y = words.min.y + line / 2;
    const std::string number = names_layer ? head_name(at) : std::to_string(at.head);
    const Rect named = pen.text(TextRole::word, Face::bold, caption * 1.05f, {words.min.x, y}, Align::left,
                                look.head_ink(at.head), number);
    const float after = below ? named.max.x + CardParts::pad * u : words.min.x;
    if (!below) y += line;
    const bool shares =
        mark && (mark->pattern || view.network.order == HeadOrder::effect || view.network.order == HeadOrder::entropy);
    const std::string share = shares ? MatrixNumbers(2, true)(static_cast<float>(mark->share)) : "";
    const float number_room = share.empty() ? 0 : pen.measure(Face::mono, pen.type.number, share).x + Space::near * u;
    const auto fits = [&](const std::string& text, float beside_it) {
      return after + width_of(text) + beside_it <= words.max.x;
    };
    std::string label = mark_words(mark, silent);
    if (!fits(label, 0) && mark && mark->pattern && !silent)
      label = say("network.brief_" + std::string(name(*mark->pattern)));
    const bool in_line = below && fits(label, number_room);
    if (!label.empty() && fits(label, 0)) pen.caption({after, y}, Align::left, label, silent ? look.warning : look.ink);
    if (!share.empty() && in_line) pen.number(pen.type.number, {words.max.x, y}, Align::right, look.muted, share);
    if (!share.empty() && !below && y + 1.5f * line <= words.max.y)
      pen.number(pen.type.number, {words.min.x, y += line}, Align::left, look.muted, share);
    const auto room_for = static_cast<std::size_t>(std::max((words.max.y - y) / line - 0.5f, 0.0f));
    for (const std::string& text : claim_lines(at, words.width(), room_for))
      pen.caption({words.min.x, y += line}, Align::left, text);
  }

  bool is_large(const Rect& card) const { return card.width() >= CardParts::large_from * u; }
  float corner_of(const Rect& card) const { return is_large(card) ? Space::gap * u : Space::fine * u; }

  void put_card(HeadPlace at, Rect card, bool names_layer) const {
    const ImU32 hue = look.head(at.head);
    const bool large = is_large(card);
    const float pad = large ? CardParts::pad * u : Space::fine * u;
    if (large) pen.fill(card, look.card, Corner::card * u);
    const std::optional<HeadMark> mark = mark_of(overview, facts, view.network, at);
    const std::size_t lines = 2 + lines_of_claims(card.width() - 2 * pad);
    // Text is placed below or next to the picture, whichever leaves a larger picture; without room there is only the
    // bar.
    const float bar = card.height() >= CardParts::bar_from_height * u ? Space::close * u : 0;
    const float under =
        card.width() >= CardParts::words_from * u
            ? std::min(card.width() - 2 * pad, card.height() - 2 * pad - static_cast<float>(lines) * line)
            : 0;
    const float next_to =
        card.width() >= CardParts::beside_from * u && card.height() >= CardParts::beside_from_height * u
            ? std::min(card.height() - 2 * pad, card.width() * 0.56f)
            : 0;
    const bool below = under >= next_to && under >= CardParts::least_picture * u, beside = !below && next_to > 0;
    const float side = below ? under : beside ? next_to : card.width() - 2 * pad;
    const ImVec2 corner{card.min.x + pad, card.min.y + pad};
    const Rect picture = below ? Rect{corner, {card.max.x - pad, corner.y + side}}
                               : Rect{corner, {corner.x + side, card.max.y - pad - (beside ? 0 : bar)}};
    put_picture(at, picture, !below && !beside);
    const Rect words =
        below ? Rect{{card.min.x + pad, picture.max.y + Space::fine * u},
                     {card.max.x - pad, card.max.y - pad + Space::fine * u}}
              : Rect{{picture.max.x + Space::gap * u, card.min.y + pad}, {card.max.x - pad, card.max.y - pad}};
    const auto put_bar = [&](const Rect& track) {
      if (!mark || bar <= 0) return;
      pen.fill(track, look.field, bar / 2);
      const float width = static_cast<float>(std::clamp(mark->share, 0.0, 1.0)) * track.width();
      if (width >= 1) pen.fill({track.min, {track.min.x + width, track.max.y}}, hue, std::min(bar, width) / 2);
    };
    if (!below && !beside) {
      put_bar({{card.min.x + pad, card.max.y - bar - u}, {card.max.x - pad, card.max.y - u}});
    } else {
      put_words(at, {words.min, {words.max.x, words.max.y - bar}}, below, names_layer, mark);
      put_bar({{words.min.x, words.max.y - bar}, words.max});
    }
    pen.box(card, large ? look.line : fade(look.line, 0.4f), 1, corner_of(card));
    pen.target(card, SceneAction::head, at.head, {Stage::weights, at.layer, at.head, 0, 0});
  }

  /// The maximum useful height of a card of this width.
  float most_card_height(float width) const {
    const std::size_t lines = lines_of_claims(width - Space::section * u);
    return std::min(width + (2.2f + static_cast<float>(lines)) * 1.4f * caption, CardParts::highest * u);
  }

  /// Layers as rows, heads as columns; if there are too many layers, those around the selected one. Returns whether
  /// there are.
  bool put_layers(Rect room) const {
    const auto layers = static_cast<Index>(overview.layers.size()), heads = overview.heads();
    float label = 0;
    const auto name_of = [&](Index layer) { return overview.layers.size() == 1 ? std::string() : layer_title(layer); };
    for (Index l = 0; l < layers; ++l) label = std::max(label, width_of(name_of(l)));
    label = label > 0 ? label + Space::apart * u : 0;
    const float gap = heads > 8 || layers > 6 ? Space::tight * u : Space::pad * u;
    const float width = (room.width() - label) / static_cast<float>(heads);
    // If cards have no room for text, the columns have the heads' numbers.
    const bool numbered = heads > 1 && width - gap < CardParts::words_from * u;
    if (numbered) {
      const float row = caption * 1.5f;
      for (Index h = 0; h < heads; ++h) {
        const std::string number = std::to_string(h);
        if (width_of(number) > width - gap) break;
        pen.caption({room.min.x + label + static_cast<float>(h) * width + (width - gap) / 2, room.min.y + row / 2},
                    Align::middle, number);
      }
      room.min.y += row;
    }
    const auto fits = std::max<Index>(1, static_cast<Index>(room.height() / (Space::section * u)));
    const bool cut = layers > fits;
    const Index shown = cut ? std::max<Index>(1, fits - 1) : layers;
    const Index first = cut ? std::clamp<Index>(looked.layer - shown / 2, 0, layers - shown) : 0;
    const float note = cut ? caption * 1.6f : 0;
    const float height = std::min(
        {(room.height() - note) / static_cast<float>(shown), std::max(most_card_height(width), Space::section * u)});
    for (Index l = first; l < first + shown; ++l) {
      const float y = room.min.y + static_cast<float>(l - first) * height;
      if (label > 0) pen.caption({room.min.x, y + (height - gap) / 2}, Align::left, name_of(l));
      const auto count = static_cast<Index>(layer_at(l).silent.size());
      for (Index h = 0; h < count; ++h) {
        const float x = room.min.x + label + static_cast<float>(h) * width;
        const float taken = numbered ? width : std::min(width, std::max(height * 2.1f, Space::section * u));
        put_card({l, h}, {{x, y}, {x + taken - gap, y + height - gap}}, false);
      }
    }
    if (cut)
      pen.caption({room.min.x, room.max.y - note / 2}, Align::left,
                  say.fill("network.layers_shown", {layer_at(first).layer, layer_at(first + shown - 1).layer, layers}));
    return cut;
  }

  /// Number of heads per row if they are sorted.
  static Index columns_in_order(Index heads, float width, float height) {
    Index best = 1;
    float largest = 0;
    for (Index columns = 1; columns <= heads; ++columns) {
      const Index rows = (heads + columns - 1) / columns;
      const float side = std::min(width / static_cast<float>(columns) / 1.5f, height / static_cast<float>(rows));
      if (side > largest) largest = side, best = columns;
    }
    return best;
  }

  void put_in_order(Rect room) const {
    const std::vector<HeadPlace> order = heads_in_order(overview, facts, view.network);
    const Index count = std::ssize(order), columns = columns_in_order(count, room.width(), room.height());
    const Index rows = (count + columns - 1) / columns;
    const float gap = columns > 8 ? Space::tight * u : Space::pad * u;
    const float width = room.width() / static_cast<float>(columns),
                height = std::min(room.height() / static_cast<float>(rows), most_card_height(width));
    for (Index i = 0; i < count; ++i) {
      const ImVec2 corner{room.min.x + static_cast<float>(i % columns) * width,
                          room.min.y + static_cast<float>(i / columns) * height};
      put_card(item(order, i), {corner, {corner.x + std::min(width, height * 2.1f) - gap, corner.y + height - gap}},
               true);
    }
  }
};

}  // namespace

bool put_heads(const NetworkPart& part, Rect room) {
  const HeadCards cards{part};
  if (part.view.network.order == HeadOrder::layer) return cards.put_layers(room);
  cards.put_in_order(room);
  return false;
}

void put_looked_frame(const NetworkPart& part, const Scene& scene) {
  for (const SceneTarget& card : scene.targets) {
    const bool here = card.action == SceneAction::head && HeadPlace{card.cell.batch, card.cell.head} == part.looked;
    if (here)
      part.pen.box(card.rect, part.look.head(part.looked.head), Stroke::chosen(part.u),
                   HeadCards{part}.corner_of(card.rect));
  }
}

}  // namespace headlight
