// The heads of every layer, as small named pictures.
#include <algorithm>
#include <cmath>

#include "ui/frame/colormaps.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"
#include "ui/sentence/sides.h"
#include "ui/widgets/paragraph.h"

namespace headlight::sentence {
namespace {

void put_thumbnail(Pen& pen, const RailHead& head, Rect room) {
  const SceneContext& context = pen.context();
  const MatrixView matrix = head.weights.matrix(context.view.batch, head.head);
  const float side =
      std::min(room.width() / static_cast<float>(matrix.cols), room.height() / static_cast<float>(matrix.rows));
  const ImVec2 size{std::max(side * static_cast<float>(matrix.cols), room.width() * 0.4f),
                    std::max(side * static_cast<float>(matrix.rows), room.height() * 0.4f)};
  MatrixQuad quad;
  quad.values = head.weights;
  quad.batch = context.view.batch;
  quad.head = head.head;
  quad.mask = head.mask;
  quad.show_leaks = true;
  quad.colormap = &window_colormap(context.view, Stage::weights);
  quad.range = {0, 1};
  quad.theme = context.look.theme;
  quad.scale = context.u;
  quad.opacity = head.silent ? 0.25f : 1;
  quad.min = {std::round(room.min.x), std::round(room.centre().y - size.y / 2)};
  quad.max = {std::round(room.min.x + size.x), std::round(room.centre().y + size.y / 2)};
  pen.scene().items.emplace_back(SceneMatrix{quad, {quad.min, quad.max}});
}

}  // namespace

void put_rail(Pen& pen, const SentenceStory& story, Rect room) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  const Words& words = context.words;
  const float u = pen.u();
  pen.fill(room, look.panel);
  pen.fill({{room.max.x - 1, room.min.y}, room.max}, look.line);
  const Rect inside{{room.min.x + 14 * u, room.min.y + 16 * u}, {room.max.x - 14 * u, room.max.y - 12 * u}};
  struct Item {
    const RailLayer* layer = nullptr;
    const RailHead* head = nullptr;
  };
  std::vector<Item> items;
  std::size_t chosen = 0;
  for (const RailLayer& layer : story.rail) {
    items.push_back({&layer, nullptr});
    for (const RailHead& head : layer.heads) {
      if (head.chosen) chosen = items.size();
      items.push_back({&layer, &head});
    }
  }
  const float title = pen.type.caption * 1.9f;
  const auto heads = static_cast<float>(items.size() - story.rail.size());
  const float fitting = (inside.height() - title * static_cast<float>(story.rail.size())) / std::max(heads, 1.0f);
  const float pitch = std::clamp(fitting, 46 * u, 74 * u);
  // Too many for the height: those around the chosen one.
  std::size_t first = 0;
  const auto height_from = [&](std::size_t from, std::size_t to) {
    float height = 0;
    for (std::size_t i = from; i < to; ++i) height += items[i].head ? pitch : title;
    return height;
  };
  const float more = pen.type.caption * 1.8f;
  if (height_from(0, items.size()) > inside.height()) {
    while (height_from(first, chosen + 1) > (inside.height() - 2 * more) * 0.6f && first < chosen) ++first;
    while (first > 0 && height_from(first - 1, items.size()) < inside.height() - 2 * more) --first;
  }
  float y = inside.min.y;
  if (first > 0) {
    const auto above =
        static_cast<std::size_t>(std::count_if(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first),
                                               [](const Item& item) { return item.head != nullptr; }));
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {inside.min.x, y + more / 2}, Align::left, look.muted,
             words.fill("sentence.more_above", {std::to_string(above)}));
    y += more;
  }
  std::size_t i = first;
  for (; i < items.size(); ++i) {
    const Item& item = items[i];
    const bool last = i + 1 == items.size();
    if (y + (item.head ? pitch : title) > inside.max.y - (last ? 0 : more)) break;
    if (!item.head) {
      pen.text(TextRole::caption, Face::bold, pen.type.caption, {inside.min.x + 4 * u, y + title / 2}, Align::left,
               look.muted, story.network ? words.fill("sentence.layer", {item.layer->name}) : words("sentence.heads"));
      y += title;
      continue;
    }
    const RailHead& head = *item.head;
    const Rect card{{inside.min.x, y}, {inside.max.x, y + pitch - 6 * u}};
    const ImU32 colour = look.head(head.head);
    pen.fill(card, head.chosen ? look.field : look.card, Corner::card * u);
    pen.box(card, head.chosen ? colour : look.line, head.chosen ? std::max(2.0f, 2 * u) : 1, Corner::card * u);
    const float inset = 5 * u, side = std::min(card.height() - 2 * inset, card.width() * 0.28f);
    put_thumbnail(pen, head,
                  {{card.min.x + inset, card.min.y + inset}, {card.min.x + inset + side, card.max.y - inset}});
    const float x = card.min.x + side + 2 * inset + 4 * u, room_for = card.max.x - x - 6 * u;
    // Its habit in as many lines as the card holds below its name, in words that are whole.
    const std::string habit = head.silent ? words("sentence.silent") : head.habit;
    const float line = pen.type.caption * 1.3f;
    const auto most = static_cast<std::size_t>(std::max(1.0f, (card.height() - 4 * u) / line - 1));
    const std::vector<std::string> lines =
        paragraph_lines(context.fonts, Face::ui, pen.type.caption, habit, room_for, most);
    float middle = card.centre().y - line / 2 * static_cast<float>(lines.size());
    pen.text(TextRole::caption, Face::bold, pen.type.caption, {x, middle}, Align::left, look.head_ink(head.head),
             words.fill("inspector.head", {std::to_string(head.head)}));
    for (const std::string& words_of : lines) {
      middle += line;
      pen.text(TextRole::caption, Face::ui, pen.type.caption, {x, middle}, Align::left,
               head.chosen ? look.ink : look.muted, words_of);
    }
    pen.target(card, SceneAction::head, head.head, {Stage::weights, head.layer, head.head, 0, 0});
    y += pitch;
  }
  if (i < items.size()) {
    const auto below = std::count_if(items.begin() + static_cast<std::ptrdiff_t>(i), items.end(),
                                     [](const Item& item) { return item.head != nullptr; });
    pen.text(TextRole::caption, Face::ui, pen.type.caption,
             {inside.min.x, std::min(y + more / 2, inside.max.y - more / 2)}, Align::left, look.muted,
             words.fill("sentence.more_below", {std::to_string(below)}));
  }
}

}  // namespace headlight::sentence
