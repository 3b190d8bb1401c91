// The heads view: every head of one stage side by side over one range, their average, and arcs between the tokens.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/frame/frame.h"
#include "ui/heads/heads_picture.h"
#include "ui/imgui_compat.h"
#include "ui/level/scene_context.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"
#include "ui/matrix/heatmap.h"
#include "ui/matrix/matrix_menu.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

/// Chips for the stages that have heads, and for the measures of weights; gives the y below them.
float choose_stage(const Frame& frame, Rect place) {
  const float u = frame.u;
  float x = place.min.x, y = place.min.y;
  const auto put_chip = [&](const char* id, std::string_view words, bool chosen) {
    const float width = text_size(frame.fonts, Face::bold, TypeSize::note * u, words).x + 18 * u;
    if (x + width > place.max.x && x > place.min.x) {
      x = place.min.x;
      y += 30 * u;
    }
    ImGui::SetCursorScreenPos({x, y});
    x += width + 4 * u;
    return chip(frame, id, words, chosen, width);
  };
  for (const Stage stage : all_stages()) {
    if (!has_head_axis(stage) || !frame.trace()->has(stage)) continue;
    if (put_chip(name(stage).data(), name(stage), frame.view().heads.stage == stage))
      frame.show([stage](View& v) { v.heads.stage = stage; });
  }
  const bool weighs = frame.view().heads.stage == Stage::weights || frame.view().heads.stage == Stage::dropped_weights;
  if (!weighs || !can_be_measured(*frame.trace())) return y + 36 * u;
  x = place.min.x;
  y += 30 * u;
  for (int i = 0; i < 3; ++i) {
    const bool here = static_cast<int>(measure_shown(*frame.trace(), frame.view())) == i;
    if (put_chip(measure_keys[i], frame.words(measure_keys[i]), here))
      frame.show([i](View& v) { v.measure = static_cast<HeadMeasure>(i); });
  }
  return y + 36 * u;
}

const HeadCard* card_at(const HeadsPicture& picture, ImVec2 point) {
  for (const HeadCard& card : picture.cards) {
    if (card.card.contains(point)) return &card;
  }
  return nullptr;
}

/// An average is no head's: it has no cells to look at.
std::optional<Cell> cell_in(const HeadCard& card, ImVec2 point) {
  return card.average ? std::nullopt : headlight::cell_in(card.heat, point);
}

/// The weight whose arc is under the pointer or, left of the arcs, of the query whose token is, the largest.
std::optional<Cell> arc_or_token_at(const Frame& frame, const HeadsPicture& picture, ImVec2 point) {
  const Rect& arcs = picture.arcs;
  if (const auto cell = picture.arc_at(point, 5 * frame.u)) return cell;
  if (point.y < arcs.min.y || point.y >= arcs.max.y || point.x >= arcs.min.x || point.x < arcs.min.x - 90 * frame.u)
    return std::nullopt;
  const auto q = static_cast<Index>((point.y - arcs.min.y) / arcs.height() * static_cast<float>(picture.n_q));
  Cell cell{picture.arcs_of, frame.view().batch, frame.view().head, std::min(q, picture.n_q - 1), 0};
  const MatrixView weights = picture.arc_shares.matrix(cell.batch, cell.head);
  for (Index k = 1; k < weights.cols; ++k) {
    if (weights(cell.row, k) > weights(cell.row, cell.col)) cell.col = k;
  }
  return cell;
}

/// All query heads of a card go together: in, where one was missing, else out.
void toggle(std::vector<Index>& heads, Index first, Index users) {
  std::vector<Index> changed;
  Index in = 0;
  for (const Index head : heads) {
    const bool here = head >= first && head < first + users;
    in += here ? 1 : 0;
    if (!here) changed.push_back(head);
  }
  for (Index head = first; in < users && head < first + users; ++head) changed.push_back(head);
  std::ranges::sort(changed);
  heads = std::move(changed);
}

Rect dragged_area() {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 a = io.MouseClickedPos[0];
  const ImVec2 b = io.MousePos;
  return {{std::min(a.x, b.x), std::min(a.y, b.y)}, {std::max(a.x, b.x), std::max(a.y, b.y)}};
}

std::vector<Index> heads_touched(const HeadsPicture& picture, const Rect& area) {
  std::vector<Index> heads;
  for (const HeadCard& card : picture.cards) {
    const bool apart = card.card.max.x < area.min.x || card.card.min.x > area.max.x || card.card.max.y < area.min.y ||
                       card.card.min.y > area.max.y;
    for (Index i = 0; !card.average && !apart && i < card.users; ++i) heads.push_back(card.head + i);
  }
  return heads;
}

/// Click: select. Ctrl-click or drag: choose several. Double-click: one alone, and all again.
void act(const Frame& frame, const HeadsPicture& picture, const std::optional<Cell>& cell) {
  const ImGuiIO& io = ImGui::GetIO();
  const HeadCard* card = card_at(picture, io.MousePos);
  if (ImGui::IsItemHovered() && !io.KeyCtrl && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    const std::optional<Index> alone = card && !card->average ? std::optional(card->head) : std::nullopt;
    frame.show([alone](View& v) {
      const bool restores = v.heads.isolated || !alone;
      v.heads.isolated = restores ? std::nullopt : alone;
      if (restores) v.heads.heads.clear();
      if (!restores) v.head = *alone;
    });
    return;
  }
  const bool ends_double_click = !io.KeyCtrl && io.MouseClickedLastCount[ImGuiMouseButton_Left] == 2;
  if (!ImGui::IsItemDeactivated() || ends_double_click) return;
  const Rect area = dragged_area();
  if (was_dragged(frame)) {
    frame.show([heads = heads_touched(picture, area)](View& v) { v.heads.heads = heads; });
  } else if (io.KeyCtrl && card && !card->average) {
    frame.show([first = card->head, users = card->users](View& v) { toggle(v.heads.heads, first, users); });
  } else {
    frame.show([head = card && !card->average ? std::optional(card->head) : std::nullopt, cell](View& v) {
      if (head) v.head = *head;
      v.selected = cell;
    });
  }
}

void draw_card(const Frame& frame, ImDrawList& list, const HeadsPicture& picture, const HeadCard& card) {
  const float u = frame.u;
  const Rect r = card_on_pixels(card.card);
  const bool front = !card.average && card.head == frame.view().head;
  fill_card(frame, list, r, 7 * u);
  // The hue stands beside the name, which is to be read, or, where only its number has room, is the border's alone.
  const Face face = card.average ? Face::ui : Face::bold;
  const auto fits = [&](const std::string& words, float room) {
    return text_size(frame.fonts, face, 13 * u, words).x <= room;
  };
  const float mark =
      card.average || !fits(std::string(std::to_string(picture.cards.size()).size(), '8'), r.width() - 24 * u) ? 0
                                                                                                               : 12 * u;
  if (mark > 0)
    list.AddRectFilled({r.min.x + 7 * u, r.min.y + 8 * u}, {r.min.x + 15 * u, r.min.y + 16 * u},
                       fade(card.hue, card.chosen ? 1.0f : 0.35f), Corner::mark * u);
  const float room = r.width() - 12 * u - mark;
  const std::string* title = fits(card.title, room) ? &card.title : fits(card.number, room) ? &card.number : nullptr;
  if (title)
    draw_text(list, frame.fonts, face, 13 * u, {r.min.x + 7 * u + mark, r.min.y + 4 * u},
              card.chosen ? frame.look.ink : frame.look.muted, *title);
  const HeadsAverage* average = card.average ? frame.pictures.find<HeadsAverage>() : nullptr;
  if (average && average->busy()) {
    char words[96];
    std::snprintf(words, sizeof words, "%s %.0f %%", frame.words("heads.averaging"),
                  static_cast<double>(average->share() * 100));
    draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {r.min.x + 7 * u, r.centre().y}, frame.look.muted,
                words, r.width() - 12 * u);
  } else {
    draw_heat(frame, list, card.heat, card.heat.rect, card.chosen);
    draw_labels(frame, list, card.heat, card.heat.rect, picture.label_points() * u, true, true);
    if (!card.strip.rows.empty()) {
      const std::optional<Cell> cell = frame.looked_at();
      const bool lit = cell && info(cell->stage).rows == Axis::query;
      const SceneContext context = scene_context(frame);
      Scene scene;
      Pen pen(context, scene);
      put_row_strip(pen, card.strip, card.heat.rect, frame.rows_shown(card.heat.stage), lit ? cell->row : -1,
                    u * picture.type);
      draw_scene(frame, list, scene);
    }
  }
  const View& view = frame.view();
  const auto highlight = [&](const std::optional<Cell>& cell, Mark mark_of) {
    if (!cell || !frame.shows(*cell)) return;
    const bool covered = std::min(card.heat.rect.width() / static_cast<float>(card.heat.cols),
                                  card.heat.rect.height() / static_cast<float>(card.heat.rows)) < 8 * u;
    if (covered && !front) return;  // the lines would hide what they stand around
    Cell here = *cell;              // query 3 is query 3 in every head
    if (here.stage == card.heat.stage) here.head = card.heat.head;
    draw_highlight(frame, list, card.heat, card.heat.rect, here, mark_of);
  };
  highlight(view.selected, Mark::kept);
  if (view.hovered != view.selected) highlight(view.hovered, Mark::pointed);
  draw_head_border(list, r, card.average ? frame.look.line : fade(card.hue, card.chosen ? 1.0f : 0.35f),
                   card.average ? 0 : frame.look.head_lap(card.head), 7 * u, (front ? 2.4f : 1.1f) * u, u);
}

/// Why the cards are empty: the step player is before their stage.
void say_not_yet(const Frame& frame, ImDrawList& list, Rect grid) {
  const float u = frame.u, width = std::min(420 * u, grid.width() - 40 * u);
  const char* words = frame.words("heads.not_yet");
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::story * u, {0, 0}, 0, words, width);
  const ImVec2 at{grid.centre().x - width / 2, grid.centre().y - height / 2};
  const Rect plate = Rect{at, {at.x + width, at.y + height}}.grown(12 * u);
  list.AddRectFilled(plate.min, plate.max, frame.look.panel, Corner::card * u);
  compat::add_rect(list, plate.min, plate.max, frame.look.line, Corner::card * u, 1);
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::story * u, at, frame.look.ink, words, width);
}

void draw_token(const Frame& frame, ImDrawList& list, const TokenLabel& token, float x, float width, bool right_aligned,
                bool lit) {
  const float size = TypeSize::note * frame.u;
  const Face face = lit ? Face::bold : Face::ui;
  const float wide = std::min(text_size(frame.fonts, face, size, token.text).x, width);
  draw_elided(list, frame.fonts, face, size, {right_aligned ? x - wide : x, token.y - size * 0.6f},
              lit ? frame.look.ink : frame.look.muted, token.text, width);
}

/// Exact weights of the query looked at, beside its keys: the pointed-at one first, the others where there is room.
void draw_weights(const Frame& frame, ImDrawList& list, const HeadsPicture& picture, Index query, Index key) {
  const float u = frame.u;
  const HeadArcs* head = picture.heads.size() == 1 ? &picture.heads[0] : nullptr;
  const std::optional<Cell> looked = frame.looked_at();
  for (const HeadArcs& each : picture.heads) {
    if (looked && looked->stage == picture.arcs_of && looked->head == each.head) head = &each;
  }
  if (query < 0 || query >= frame.rows_shown(Stage::weights) || head == nullptr) return;
  const float room = 12 * u, pointed = key < 0 ? -1e9f : picture.key_y(key);
  float last = -1e9f;
  for (const TokenLabel& token : picture.keys) {
    for (const TokenArc& arc : head->arcs) {
      const bool at_key = arc.key == key;
      const bool crowded = token.y - last < room || (!at_key && std::abs(token.y - pointed) < room);
      if (arc.query != query || arc.key != token.index || crowded) continue;
      const std::string text = number_text(arc.weight, arc.weight < 1e-3f ? 2 : 4);
      draw_text(list, frame.fonts, Face::mono, TypeSize::note * u, {picture.arcs.max.x + 74 * u, token.y - 7 * u},
                frame.look.ink, text);
      last = token.y;
    }
  }
}

/// The number that is pointed at, beside the pointer: of an arc or of the average, which no inspector shows.
void draw_pointed(const Frame& frame, const HeadsPicture& picture, ImVec2 point) {
  const HeadCard* card = card_at(picture, point);
  std::optional<Cell> cell = card ? headlight::cell_in(card->heat, point) : picture.arc_at(point, 5 * frame.u);
  if (!cell || (card && !card->average) || !frame.shows(*cell)) return;
  const Tensor& values = card ? card->heat.quad.values : picture.arc_shares;
  if (!values.defined()) return;
  const std::string number = number_text(values.matrix(cell->batch, cell->head)(cell->row, cell->col), 4);
  char words[128];
  std::snprintf(words, sizeof words, "%s  %s", card ? card->title.c_str() : "", number.c_str());
  tooltip(frame, card ? words : number.c_str());
}

void draw_arcs(const Frame& frame, ImDrawList& list, const HeadsPicture& picture) {
  const float u = frame.u;
  const Rect& arcs = picture.arcs;
  const std::optional<Cell> looked = frame.looked_at();
  const Index shown = frame.rows_shown(Stage::weights);
  const Index query = looked && info(looked->stage).rows == Axis::query ? looked->row : -1;
  const Index key = looked && info(looked->stage).cols == Axis::key ? looked->col : -1;
  for (const HeadArcs& head : picture.heads) {
    for (const TokenArc& arc : head.arcs) {
      if (arc.query >= shown) continue;  // the step player is not there yet
      const bool lit = query < 0 || arc.query == query;
      const ImVec2 a{arcs.min.x, picture.query_y(arc.query)};
      const ImVec2 b{arcs.max.x, picture.key_y(arc.key)};
      const float middle = arcs.centre().x;
      const float weight = std::min(arc.weight, 1.0f);
      list.AddBezierCubic(a, {middle, a.y}, {middle, b.y}, b,
                          fade(head.hue, (lit ? 0.35f : 0.07f) + (lit ? 0.6f : 0.15f) * weight),
                          (0.6f + 4.4f * weight) * u, 20);
    }
  }
  for (const TokenLabel& token : picture.queries)
    draw_token(frame, list, token, arcs.min.x - 6 * u, 84 * u, true, token.index == query);
  for (const TokenLabel& token : picture.keys)
    draw_token(frame, list, token, arcs.max.x + 6 * u, 64 * u, false, token.index == key);
  draw_weights(frame, list, picture, query, key);
}

/// What the colours of all cards stand for, under them.
void draw_scale(const Frame& frame, ImDrawList& list, const HeadsPicture& picture) {
  const float u = frame.u, pixels = TypeSize::note * u;
  float x = picture.scale.min.x;
  const auto put = [&](Face face, const std::string& words) {
    draw_text(list, frame.fonts, face, pixels, {x, picture.scale.min.y}, frame.look.muted, words);
    x += text_size(frame.fonts, face, pixels, words).x + 6 * u;
  };
  put(Face::ui, picture.scale_words);
  if (picture.scale_lo.empty()) return;
  put(Face::mono, picture.scale_lo);
  const Rect bar{{x, picture.scale.min.y + 4 * u}, {x + 90 * u, picture.scale.min.y + 11 * u}};
  draw_colour_bar(list, bar, *picture.cards[0].heat.colormap);
  x = bar.max.x + 6 * u;
  put(Face::mono, picture.scale_hi);
}

void mass_slider(const Frame& frame, Rect place) {
  ImGui::SetCursorScreenPos(place.min);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, IM_COL32(0, 0, 0, 0));
  ImGui::BeginChild("mass", {place.width(), place.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.0f", static_cast<double>(frame.view().heads.mass * 100));
  if (const auto mass =
          float_slider(frame, "slider", frame.words("heads.mass"), frame.view().heads.mass * 100, 0, 100, shown)) {
    const float part = std::clamp(std::round(*mass) / 100, 0.0f, 1.0f);
    if (part != frame.view().heads.mass) frame.show([part](View& v) { v.heads.mass = part; });
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace

void draw_heads_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inner = place.grown(-14 * u);
  const float side = std::clamp(inner.width() * 0.38f, 260 * u, 460 * u);
  const float left = inner.max.x - side;
  const float top = say_random(frame, {{inner.min.x, choose_stage(frame, inner)}, inner.max});
  const Rect grid{{inner.min.x, top}, {left - 16 * u, inner.max.y}};
  const Rect arcs{{left + 92 * u, top + 68 * u}, {inner.max.x - 124 * u, inner.max.y - 6 * u}};
  const HeadsPicture& picture = heads_picture(frame, grid, arcs);
  ImDrawList& list = *ImGui::GetWindowDrawList();

  mass_slider(frame, {{left, top + 20 * u}, {inner.max.x, top + 60 * u}});
  ImGui::SetCursorScreenPos({inner.min.x, top});
  // The arcs' column is part of the surface; the slider's window lies above it.
  ImGui::InvisibleButton("surface", {inner.width(), std::max(inner.max.y - top, 1.0f)});
  const ImVec2 point = ImGui::GetIO().MousePos;
  std::optional<Cell> cell;
  if (ImGui::IsItemHovered()) {
    const HeadCard* card = card_at(picture, point);
    cell = card ? cell_in(*card, point) : arc_or_token_at(frame, picture, point);
    if (cell && !frame.shows(*cell)) cell.reset();  // not computed yet
    draw_pointed(frame, picture, point);
  }
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  offer_matrix_menu(frame, cell);
  act(frame, picture, cell);

  for (const HeadCard& card : picture.cards) draw_card(frame, list, picture, card);
  draw_scale(frame, list, picture);
  if (frame.shown(heads_stage(*frame.trace(), frame.view())).nothing()) say_not_yet(frame, list, grid);
  draw_text(list, frame.fonts, Face::bold, TypeSize::body * u, {left, top}, frame.look.ink,
            frame.words(picture.arcs_of == Stage::weights ? "heads.arcs" : "heads.arcs_share"));
  draw_arcs(frame, list, picture);
  if (ImGui::IsItemActive() && is_dragging(frame)) {
    const Rect area = dragged_area();
    compat::add_rect(list, area.min, area.max, frame.look.accent, Corner::mark * u, u);
  }
}

}  // namespace headlight
