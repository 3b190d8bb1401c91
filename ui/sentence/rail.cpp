// The heads of every layer, as small pictures with names.
#include <algorithm>
#include <cmath>

#include "ui/frame/colormaps.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"
#include "ui/sentence/sides.h"
#include "ui/widgets/paragraph.h"

namespace headlight::sentence_parts {
namespace {

/// The matrix of the head; over a picture, the attention of the selected patch.
void put_thumbnail(Pen& pen, const SentenceStory& story, const RailHead& head, Rect room) {
  const SceneContext& context = pen.context();
  const Index query = asking_word(context.trace, context.view);
  if (story.picture && head.weights.size(2) == context.trace.dims().n_q) {
    const float opacity = (head.silent ? 0.25f : 1) * context.view.looking.opacity;
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

/// The heads below the names of their layers; if there is no room for all, those around the selected one.
struct Rail : ScenePart {
  const SentenceStory& story;
  Rect inside;
  const float title = pen.type.caption * 1.9f, more = pen.type.caption * 1.8f;
  struct Item {
    const RailLayer* layer = nullptr;
    const RailHead* head = nullptr;  ///< null: the layer's name
  };
  std::vector<Item> items{};
  std::size_t first = 0;
  float pitch = 0;

  float height_of(std::size_t from, std::size_t to) const {
    float height = 0;
    for (std::size_t i = from; i < to; ++i) height += items[i].head ? pitch : title;
    return height;
  }

  void lay_out() {
    std::size_t chosen = 0;
    for (const RailLayer& layer : story.rail) {
      items.push_back({&layer, nullptr});
      for (const RailHead& head : layer.heads) {
        if (head.chosen) chosen = items.size();
        items.push_back({&layer, &head});
      }
    }
    const auto layers = static_cast<float>(story.rail.size()), heads = static_cast<float>(items.size()) - layers;
    pitch = std::clamp((inside.height() - title * layers) / std::max(heads, 1.0f), 46 * u, 74 * u);
    if (height_of(0, items.size()) <= inside.height()) return;
    while (height_of(first, chosen + 1) > (inside.height() - 2 * more) * 0.6f && first < chosen) ++first;
    while (first > 0 && height_of(first - 1, items.size()) < inside.height() - more)
      --first;  // nothing below is hidden
  }

  void put_layer(const RailLayer& layer, float middle) const {
    pen.text(TextRole::caption, Face::bold, pen.type.caption, {inside.min.x + 4 * u, middle}, Align::left, look.muted,
             story.network ? say.fill("sentence.layer", {layer.name}) : std::string(say("sentence.heads")));
  }

  /// "3 more above"; the layer's name if nothing else is hidden.
  void put_more(const char* key, std::size_t from, std::size_t to, float middle) const {
    const auto begin = items.begin();
    const auto count = std::count_if(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                                     [](const Item& item) { return item.head != nullptr; });
    if (count == 0) return put_layer(*items.front().layer, middle);
    pen.caption({inside.min.x, middle}, Align::left, say.fill(key, {count}));
  }

  void put_head(const RailHead& head, Rect card) const {
    pen.fill(card, head.chosen ? look.field : look.card, Corner::card * u);
    pen.box(card, head.chosen ? look.head(head.head) : look.line, head.chosen ? Stroke::chosen(u) : 1,
            Corner::card * u);
    const float inset = 5 * u, side = std::min(card.height() - 2 * inset, card.width() * 0.28f);
    put_thumbnail(pen, story, head,
                  {{card.min.x + inset, card.min.y + inset}, {card.min.x + inset + side, card.max.y - inset}});
    const float x = card.min.x + side + 2 * inset + 4 * u, room = card.max.x - x - 6 * u;
    // The description of the head in as many lines as fit below its name, without cutting words.
    const std::string does = head.silent ? say("sentence.silent") : head.claim;
    float line = pen.type.caption * 1.3f;
    std::vector<std::string> lines;
    const auto break_lines = [&](std::initializer_list<std::string_view> texts, float height) {
      const auto most = static_cast<std::size_t>(std::max(1.0f, height / line - 1));
      lines = whole_lines(context.fonts, Face::ui, pen.type.caption, texts, room, most);
    };
    break_lines({does}, card.height() - 4 * u);
    if (lines.empty() && !does.empty()) {  // with less spacing, or with a shorter text, if that avoids cutting words
      line = pen.type.caption * 1.15f;
      break_lines({does, head.silent ? "" : head.brief}, card.height() - 2 * u);
    }
    float middle = card.centre().y - line / 2 * static_cast<float>(lines.size());
    pen.text(TextRole::caption, Face::bold, pen.type.caption, {x, middle}, Align::left, look.head_ink(head.head),
             say.fill("inspector.head", {head.head}));
    for (const std::string& text : lines)
      pen.caption({x, middle += line}, Align::left, text, head.chosen ? look.ink : look.muted);
    pen.target(card, SceneAction::head, head.head, {Stage::weights, head.layer, head.head, 0, 0});
  }

  void put() const {
    float y = inside.min.y;
    if (first > 0) {
      put_more("sentence.more_above", 0, first, y + more / 2);
      y += more;
    }
    std::size_t i = first;
    for (; i < items.size(); ++i) {
      const auto& [layer, head] = items[i];
      const float height = head ? pitch : title;
      if (y + height > inside.max.y - (i + 1 == items.size() ? -0.5f : more)) break;
      if (head) put_head(*head, {{inside.min.x, y}, {inside.max.x, y + pitch - 6 * u}});
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
            {{room.min.x + Space::card * u, room.min.y + 16 * u}, {room.max.x - Space::card * u, room.max.y - 12 * u}}};
  rail.lay_out();
  rail.put();
}

}  // namespace headlight::sentence_parts
