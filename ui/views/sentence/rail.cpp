// The heads of every layer, as small pictures with names.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "core/base/text/in_sentence.h"
#include "core/compute/network/network.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/sentence/sides.h"
#include "ui/views/sentence/word_line.h"

namespace headlight::sentence_parts {
namespace {

constexpr float lowest_head = 42, highest_head = 74;  // points

/// The matrix of the head; over a picture, the attention of the selected patch.
void put_thumbnail(Pen& pen, const SentenceStory& story, const RailHead& head, Rect room) {
  const SceneContext& context = pen.context();
  const Index query = asking_word(context.trace, context.view);
  if (story.picture && head.weights.size(2) == context.trace.dims().n_q) {
    const float opacity = (head.silent ? 0.25f : 1) * context.view.levels.opacity;
    put_small_overlay(pen, *story.picture, head.weights.matrix(context.view.batch, head.head), query, opacity, room);
    return;
  }
  const MatrixView matrix = head.weights.matrix(context.view.batch, head.head);
  const float side =
      std::min(room.width() / static_cast<float>(matrix.cols), room.height() / static_cast<float>(matrix.rows));
  const ImVec2 size{std::max(side * static_cast<float>(matrix.cols), room.width() * 0.4f),
                    std::max(side * static_cast<float>(matrix.rows), room.height() * 0.4f)};
  MatrixQuad quad = matrix_quad(context, Stage::weights, head.weights, {0, 1});
  quad.batch = context.view.batch;
  quad.head = head.head;
  quad.mask = head.mask;
  quad.show_leaks = true;
  quad.opacity = head.silent ? 0.25f : 1;
  pen.matrix(std::move(quad), {{std::round(room.min.x), std::round(room.centre().y - size.y / 2)},
                               {std::round(room.min.x + size.x), std::round(room.centre().y + size.y / 2)}});
}

/// The heads below the names of their layers, or all in the order of what they give to a word; if there is no room for
/// all, those around the selected one.
struct Rail : ScenePart {
  const SentenceStory& story;
  Rect inside;
  const float title = pen.type.caption * 1.9f, more = pen.type.caption * 1.8f;
  const Index query = asking_word(trace, view);
  /// Until the user has guessed, nothing shows the weights.
  const bool tells = !(view.levels.guessing.active && !view.levels.guessing.guess);
  struct Item {
    const RailLayer* layer = nullptr;
    const RailHead* head = nullptr;  ///< null: the layer's name
    std::optional<HeadLook> look = {};
  };
  std::vector<Item> items{};
  std::size_t first = 0;
  float pitch = 0;

  float height_of(std::size_t from, std::size_t to) const {
    float height = 0;
    for (std::size_t i = from; i < to; ++i) height += items[i].head ? pitch : title;
    return height;
  }

  bool sorts() const { return view.levels.by_look && tells; }

  void gather() {
    for (const RailLayer& layer : story.rail) {
      if (!sorts()) items.push_back({&layer, nullptr});
      for (const RailHead& head : layer.heads)
        items.push_back({&layer, &head, tells ? look_of(context, layer, head, query, view.levels.at) : std::nullopt});
    }
    const auto weight = [](const Item& item) { return item.look ? item.look->weight : -1; };
    if (sorts()) std::ranges::stable_sort(items, std::greater(), weight);
  }

  /// The order of the cards, if they have something to be sorted by.
  void put_order() {
    const bool answers = std::ranges::any_of(items, [](const Item& item) { return item.look.has_value(); });
    if (!answers || story.rail.front().heads.size() + story.rail.size() < 3) return;
    const Chip chip{std::string(say("sentence.by_weight")), SceneAction::order, sorts() ? 0 : 1, sorts()};
    inside.min.y = pen.chips(inside, std::span(&chip, 1), pen.type.caption * 1.8f, 22) + Space::near * u;
  }

  void lay_out() {
    gather();
    put_order();
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].head && items[i].head->chosen) chosen = i;
    }
    const auto layers = sorts() ? 0.0f : static_cast<float>(story.rail.size()),
               heads = static_cast<float>(items.size()) - layers;
    pitch = std::clamp((inside.height() - title * layers) / std::max(heads, 1.0f), lowest_head * u, highest_head * u);
    if (height_of(0, items.size()) <= inside.height()) return;
    while (height_of(first, chosen + 1) > (inside.height() - 2 * more) * 0.6f && first < chosen) ++first;
    while (first > 0 && height_of(first - 1, items.size()) < inside.height() - more)
      --first;  // nothing below is hidden
  }

  void put_layer(const RailLayer& layer, float middle) const {
    pen.text(TextRole::caption, Face::bold, pen.type.caption, {inside.min.x + Space::tight * u, middle}, Align::left,
             look.muted, story.network ? say.fill("sentence.layer", {layer.name}) : std::string(say("sentence.heads")));
  }

  /// "3 more above"; the layer's name if nothing else is hidden.
  void put_more(const char* key, std::size_t from, std::size_t to, float middle) const {
    const auto begin = items.begin();
    const auto count = std::count_if(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                                     [](const Item& item) { return item.head != nullptr; });
    if (count == 0 && !sorts()) return put_layer(*items.front().layer, middle);
    pen.caption({inside.min.x, middle}, Align::left, say.fill(key, {count}));
  }

  std::string name_of(const RailLayer& layer, const RailHead& head) const {
    if (!sorts() || !story.network) return say.fill("inspector.head", {head.head});
    return say.fill("sentence.head_of_layer", {layer.name, head.head});
  }

  /// Its matrix, its name, where it looks, and what it is known for, as far as there is room: "→ dog 0.98" comes first.
  void put_head(const Item& item, Rect card) const {
    const RailHead& head = *item.head;
    pen.fill(card, head.chosen ? look.field : look.card, Corner::card * u);
    pen.box(card, head.chosen ? look.head(head.head) : look.line, head.chosen ? Stroke::chosen(u) : 1,
            Corner::card * u);
    const float inset = Space::close * u, side = std::min(card.height() - 2 * inset, card.width() * 0.28f);
    put_thumbnail(pen, story, head,
                  {{card.min.x + inset, card.min.y + inset}, {card.min.x + inset + side, card.max.y - inset}});
    const float x = card.min.x + side + 2 * inset + Space::tight * u, room = card.max.x - x - Space::near * u;
    const ImU32 ink = head.chosen ? look.ink : look.muted;
    const float caption = pen.type.caption;
    const bool looks = item.look && !head.silent;
    // The description of the head in as many lines as fit below its name, without cutting words.
    const std::string does = head.silent ? say("sentence.silent") : head.claim;
    float line = caption * 1.3f;
    std::vector<std::string> lines;
    const auto break_lines = [&](std::initializer_list<std::string_view> texts, float height) {
      const float fit = height / line - (looks ? 2 : 1);
      lines = fit < 1 ? std::vector<std::string>()
                      : whole_lines(context.fonts, Face::ui, caption, texts, room, static_cast<std::size_t>(fit));
    };
    break_lines({does}, card.height() - Space::tight * u);
    if (lines.empty()) line = caption * 1.15f;
    if (lines.empty() && !does.empty())  // with less spacing, or with a shorter text, if that avoids cutting words
      break_lines({does, head.silent ? "" : head.brief}, card.height() - Space::fine * u);
    const auto below = static_cast<float>(lines.size()) + (looks ? 1 : 0);
    float middle = card.centre().y - line / 2 * below;
    const Rect name = pen.text(TextRole::caption, Face::bold, caption, {x, middle}, Align::left,
                               look.head_ink(head.head), name_of(*item.layer, head));
    if (looks) put_look(*item.look, {x, middle += line}, room);
    for (const std::string& text : lines) pen.caption({x, middle += line}, Align::left, text, ink);
    const std::string& brief = head.brief.empty() ? head.claim : head.brief;
    const float beside = card.max.x - Space::near * u - name.max.x - Space::gap * u;
    if (lines.empty() && !head.silent && pen.measure(Face::ui, caption, brief).x <= beside)
      pen.caption({name.max.x + Space::gap * u, name.centre().y}, Align::left, brief, ink);
    pen.target(card, SceneAction::head, head.head, {Stage::weights, head.layer, head.head, 0, 0});
    if (lines.empty() && looks) pen.scene().targets.back().hint = does;
  }

  /// "→ dog 0.98"; where it does not fit, "dog 0.98", else only the number. No word is cut.
  void put_look(const HeadLook& at, ImVec2 from, float room) const {
    const float caption = pen.type.caption, gap = Space::near * u;
    const std::string share = share_text(at.weight), word = in_sentence(at.word);
    const auto width = [&](const std::string& text) { return pen.measure(Face::ui, caption, text).x; };
    const float left = room - pen.measure(Face::mono, pen.type.number, share).x - gap;
    const std::string arrow = "→ ", words = width(arrow + word) <= left ? arrow + word
                                            : width(word) <= left       ? word
                                                                        : arrow;
    const Rect put = pen.caption(from, Align::left, words, look.ink);
    pen.number(pen.type.number, {put.max.x + gap, from.y}, Align::left, look.ink, share);
  }

  void put() const {
    float y = inside.min.y;
    if (first > 0) {
      put_more("sentence.more_above", 0, first, y + more / 2);
      y += more;
    }
    std::size_t i = first;
    for (; i < items.size(); ++i) {
      const auto& [layer, head, at] = items[i];
      const float height = head ? pitch : title;
      if (y + height > inside.max.y - (i + 1 == items.size() ? -0.5f : more)) break;
      if (head)
        put_head(items[i], {{inside.min.x, y}, {inside.max.x, y + pitch - std::min(Space::near * u, pitch * 0.1f)}});
      else put_layer(*layer, y + title / 2);
      y += height;
    }
    if (i < items.size())
      put_more("sentence.more_below", i, items.size(), std::min(y + more / 2, inside.max.y - more / 2));
  }
};

}  // namespace

void put_rail(Pen& pen, const SentenceStory& story, Rect room) {
  const float u = pen.u();
  pen.fill(room, pen.look().panel);
  pen.fill({{room.max.x - 1, room.min.y}, room.max}, pen.look().line);
  Rail rail{pen,
            story,
            {{room.min.x + Space::card * u, room.min.y + Space::part * u},
             {room.max.x - Space::card * u, room.max.y - Space::apart * u}}};
  rail.lay_out();
  rail.put();
}

}  // namespace headlight::sentence_parts

namespace headlight {

std::optional<HeadLook> look_of(const SceneContext& context, const RailLayer& layer, const RailHead& head, Index query,
                                std::optional<Index> key) {
  if (!layer.answers || query >= head.weights.size(2)) return {};
  const Index batch = std::min(context.view.batch, head.weights.size(0) - 1);
  const MatrixView weights = head.weights.matrix(batch, head.head);
  if (key && (layer.keys || *key >= weights.cols)) return {};
  const Index at = key ? *key : largest_column(weights, query);
  HeadLook look{at, weights(query, at), {}};
  if (!std::isfinite(look.weight)) return {};
  if (!layer.keys) look.word = key_word(context, at);
  else if (const auto& words = layer.keys->entries[static_cast<std::size_t>(batch)]; at < std::ssize(words))
    look.word = words[static_cast<std::size_t>(at)].text;
  return look;
}

}  // namespace headlight
