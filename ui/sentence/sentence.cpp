#include "ui/sentence/sentence.h"

#include <algorithm>
#include <cmath>

#include "core/figure/range.h"
#include "core/run/masks_over.h"
#include "ui/frame/colormaps.h"
#include "ui/level/figures.h"
#include "ui/level/focus.h"
#include "ui/matrix/heat.h"

namespace headlight {
namespace {

/// One row of weights and what the mask says of it.
struct Row {
  std::vector<float> shares;
  std::vector<bool> hidden;
  Index most = 0;
  bool dead = false;
};

Row row_of(const Easel& easel, Index query) {
  const Trace& trace = easel.trace;
  const View& view = easel.view;
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  const CellMasks masks = masks_over(trace, Stage::weights, view.batch, view.head);
  Row row;
  row.dead = true;
  for (Index k = 0; k < weights.cols; ++k) {
    const float share = weights(query, k);
    row.shares.push_back(share);
    row.hidden.push_back(classify(weights, masks, query, k) == CellKind::masked);
    if (std::isfinite(share) && share > 0) row.dead = false;
    if (share > row.shares[static_cast<std::size_t>(row.most)]) row.most = k;
  }
  return row;
}

/// Shares of one row, in digits that fit each other.
std::string share_text(float share) {
  if (std::isnan(share)) return "NaN";
  return Figures(2, true)(share);
}

struct WordPlace {
  Rect box;
  Index index = 0;
  int line = 0;
};

/// A line of words, or several: as large as they can be, down to the smallest that can be read.
struct WordLine {
  std::vector<WordPlace> places;
  float pixels = 0, height = 0;
  int lines = 1;
  const WordPlace* find(Index index) const {
    const auto found = std::ranges::find(places, index, &WordPlace::index);
    return found == places.end() ? nullptr : &*found;
  }
};

/// Of a long text those around the word `around`.
WordLine lay_out_words(Pen& pen, Axis axis, Index all, Index around, Rect room, float line_pitch) {
  constexpr Index most = 400;
  const Index first = all > most ? std::clamp<Index>(around - most * 3 / 4, 0, all - most) : 0, count = std::min(all, most);
  const Easel& easel = pen.easel();
  const float u = pen.u(), gap = 5 * u;
  WordLine line;
  const auto word = [&](Index i) { return axis == Axis::query ? query_word(easel, i) : key_word(easel, i); };
  const float largest = pen.easel().view.presenting ? pen.type.title : easel.fonts.crisp(Face::bold, 34 * u);
  const float smallest = std::max(easel.fonts.crisp(Face::bold, 16 * u), pen.type.least);
  std::vector<float> widths(static_cast<std::size_t>(count));
  float total = 0;
  for (line.pixels = largest;; line.pixels = std::max(line.pixels * 0.93f, smallest)) {
    total = 0;
    for (Index i = 0; i < count; ++i) {
      // The share under a word has at least the room for its number.
      const float least = pen.measure(Face::mono, pen.type.number, "<.01").x + 4 * u;
      float& width = widths[static_cast<std::size_t>(i)];
      width = std::max(pen.measure(Face::bold, line.pixels, word(first + i)).x + line.pixels * 0.9f, least);
      total += width + gap;
    }
    if (total <= room.width() || line.pixels <= smallest) break;
  }
  line.height = line.pixels * 2.1f;
  const bool one = total <= room.width();
  // A short sentence spreads out a little.
  const float extra = one ? std::min((room.width() - total) / static_cast<float>(std::max<Index>(count, 1)), 22 * u) : 0;
  float x = room.min.x, y = room.min.y;
  int at = 0;
  for (Index i = 0; i < count; ++i) {
    const float width = std::min(widths[static_cast<std::size_t>(i)] + extra, room.width());
    if (x + width > room.max.x + 1 && x > room.min.x) {
      x = room.min.x;
      y += line_pitch;
      ++at;
    }
    line.places.push_back({{{x, y}, {x + width, y + line.height}}, first + i, at});
    x += width + gap;
  }
  line.lines = at + 1;
  return line;
}

void put_word(Pen& pen, const WordLine& line, const WordPlace& place, std::string word, bool lit, bool quiet, ImU32 colour, Deed deed) {
  const Look& look = pen.look();
  const float u = pen.u();
  pen.fill(place.box, quiet ? fade(look.card, 0.5f) : look.card, 9 * u);
  pen.box(place.box, lit ? colour : look.line, lit ? std::max(2.0f, 2.4f * u) : 1, 9 * u);
  const Face face = lit ? Face::bold : Face::ui;
  float pixels = line.pixels;
  if (pen.measure(face, pixels, word).x > place.box.width() - 4 * u) word = elide(pen.easel().fonts, face, pixels, word, place.box.width() - 4 * u);
  pen.text(TextRole::word, face, pixels, place.box.centre(), Align::middle, quiet ? fade(look.muted, 0.75f) : look.ink, std::move(word));
  pen.target(place.box, deed, place.index);
}

/// Over the words, from the one that asks to the ones it looks at: as thick as their share.
void put_arcs(Pen& pen, const WordLine& from_line, const WordLine& to_line, Index query, const Row& row, ImU32 colour, float top, bool two_lines) {
  const float u = pen.u();
  const WordPlace* from = from_line.find(query);
  if (!from) return;
  const float thickest = 14 * u;
  for (Index k = 0; k < static_cast<Index>(row.shares.size()); ++k) {
    const float share = row.shares[static_cast<std::size_t>(k)];
    const WordPlace* to = to_line.find(k);
    if (!to || !(share >= 0.02f)) continue;
    const float thick = std::max(thickest * share, 1.2f * u);
    const ImU32 ink = fade(colour, 0.35f + 0.65f * share);
    if (two_lines) {
      const ImVec2 a{from->box.centre().x, from->box.max.y}, b{to->box.centre().x, to->box.min.y};
      const float bend = (b.y - a.y) * 0.5f;
      pen.curve({a, ImVec2{a.x, a.y + bend}, ImVec2{b.x, b.y - bend}, b}, ink, thick);
      continue;
    }
    if (from->line != to->line) {
      const bool up = to->line < from->line;
      const ImVec2 a{from->box.centre().x, up ? from->box.min.y : from->box.max.y}, b{to->box.centre().x, up ? to->box.max.y : to->box.min.y};
      const float bend = (b.y - a.y) * 0.5f;
      pen.curve({a, ImVec2{a.x, a.y + bend}, ImVec2{b.x, b.y - bend}, b}, ink, thick);
      continue;
    }
    const float y = from->box.min.y - thick * 0.2f;
    if (k == query) {  // a loop over itself
      const float w = std::min(from->box.width() * 0.34f, 30 * u), h = std::min((y - top) * 0.5f, 56 * u);
      pen.curve({ImVec2{from->box.centre().x - w, y}, ImVec2{from->box.centre().x - w, y - h * 1.3f}, ImVec2{from->box.centre().x + w, y - h * 1.3f}, ImVec2{from->box.centre().x + w, y}}, ink, thick);
      continue;
    }
    const float a = from->box.centre().x, b = to->box.centre().x;
    const float height = std::min((y - top) * 1.3f, 30 * u + std::abs(a - b) * 0.55f);
    const float lean = std::min(std::abs(a - b) * 0.08f, 20 * u) * (a < b ? 1.0f : -1.0f);
    pen.curve({ImVec2{a, y}, ImVec2{a + lean * 0, y - height}, ImVec2{b - lean * 0, y - height}, ImVec2{b, y}}, ink, thick);
  }
}

void put_shares(Pen& pen, const WordLine& line, const Row& row, float depth, Index lit, ImU32 colour) {
  const Look& look = pen.look();
  const float u = pen.u();
  const float number = pen.easel().fonts.crisp(Face::mono, pen.type.number) * 1.5f;
  for (std::size_t n = 0; n < line.places.size(); ++n) {
    const WordPlace& place = line.places[n];
    const auto k = static_cast<std::size_t>(place.index);
    const float top = place.box.max.y + 12 * u, bottom = top + depth;
    if (row.hidden[k]) {  // with its neighbours, as one
      std::size_t end = n;
      while (end + 1 < line.places.size() && row.hidden[static_cast<std::size_t>(line.places[end + 1].index)] && line.places[end + 1].line == place.line) ++end;
      pen.hatch({{place.box.min.x, top}, {line.places[end].box.max.x, top + depth * 0.4f}});
      const std::string_view words = pen.easel().words("level.hidden_by_mask");
      const float width = line.places[end].box.max.x - place.box.min.x;
      if (pen.measure(Face::ui, pen.type.caption, words).x <= width) pen.text(TextRole::caption, Face::ui, pen.type.caption, {(place.box.min.x + line.places[end].box.max.x) / 2, top + depth * 0.4f + number * 0.7f}, Align::middle, look.muted, std::string(words));
      n = end;
      continue;
    }
    const float half = std::min(place.box.width() * 0.3f, 15 * u), x = place.box.centre().x;
    pen.fill({{x - half, top}, {x + half, bottom}}, look.field, 3 * u);
    const float share = std::isfinite(row.shares[k]) ? std::clamp(row.shares[k], 0.0f, 1.0f) : 0;
    if (share > 0) {
      const float height = std::max(share * depth, 1.5f * u);
      pen.fill({{x - half, bottom - height}, {x + half, bottom}}, colour, std::min(3 * u, height / 2));
    }
    const bool is_lit = place.index == lit;
    pen.text(TextRole::number, Face::mono, pen.type.number, {x, bottom + number * 0.6f}, Align::middle, is_lit ? look.ink : look.muted, share_text(row.shares[k]));
  }
}

std::vector<Named> names_of(const Easel& easel, Index query, const Row& row) {
  const ImU32 head = easel.look.head(easel.view.head);
  const auto visible = std::ranges::count(row.hidden, false);
  return {{query_word(easel, query), easel.look.ink}, {key_word(easel, row.most), easel.look.ink},
          {share_text(row.shares[static_cast<std::size_t>(row.most)]), head}, {std::to_string(visible), easel.look.ink, false},
          {std::to_string(easel.view.head), head, false}};
}

/// Which sentence says what this row does.
const char* sentence_key(const Easel& easel, Index query, const Row& row) {
  if (row.dead) return "sentence.none";
  const float most = row.shares[static_cast<std::size_t>(row.most)];
  const auto visible = static_cast<float>(std::ranges::count(row.hidden, false));
  const bool self = easel.trace.inputs.self_attention() && row.most == query;
  if (visible <= 1) return self ? "sentence.only_itself" : "sentence.only";
  if (most < 1.4f / visible) return "sentence.evenly";
  if (most < 0.5f) return self ? "sentence.several_itself" : "sentence.several";
  return self ? "sentence.mostly_itself" : "sentence.mostly";
}

void put_thumbnail(Pen& pen, const RailHead& head, Rect room) {
  const Easel& easel = pen.easel();
  const MatrixView matrix = head.weights.matrix(easel.view.batch, head.head);
  const float side = std::min(room.width() / static_cast<float>(matrix.cols), room.height() / static_cast<float>(matrix.rows));
  const ImVec2 size{std::max(side * static_cast<float>(matrix.cols), room.width() * 0.4f), std::max(side * static_cast<float>(matrix.rows), room.height() * 0.4f)};
  MatrixQuad quad;
  quad.values = head.weights;
  quad.batch = easel.view.batch;
  quad.head = head.head;
  quad.mask = head.mask;
  quad.show_leaks = true;
  quad.colormap = &window_colormap(easel.view, Stage::weights);
  quad.range = {0, 1};
  quad.theme = easel.look.theme;
  quad.scale = easel.u;
  quad.opacity = head.silent ? 0.25f : 1;
  quad.min = {std::round(room.min.x), std::round(room.centre().y - size.y / 2)};
  quad.max = {std::round(room.min.x + size.x), std::round(room.centre().y + size.y / 2)};
  pen.scene().items.emplace_back(SceneMatrix{quad, {quad.min, quad.max}});
}

/// Every head of every layer, small and by name; as many as there is room for, those around the chosen one.
void put_rail(Pen& pen, const SentenceStory& story, Rect room) {
  const Easel& easel = pen.easel();
  const Look& look = pen.look();
  const Words& words = easel.words;
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
    const auto above = static_cast<std::size_t>(std::count_if(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first), [](const Item& item) { return item.head != nullptr; }));
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {inside.min.x, y + more / 2}, Align::left, look.muted, words.fill("sentence.more_above", {std::to_string(above)}));
    y += more;
  }
  std::size_t i = first;
  for (; i < items.size(); ++i) {
    const Item& item = items[i];
    const bool last = i + 1 == items.size();
    if (y + (item.head ? pitch : title) > inside.max.y - (last ? 0 : more)) break;
    if (!item.head) {
      pen.text(TextRole::caption, Face::bold, pen.type.caption, {inside.min.x + 4 * u, y + title / 2}, Align::left, look.muted,
               story.network ? words.fill("sentence.layer", {item.layer->name}) : words("sentence.heads"));
      y += title;
      continue;
    }
    const RailHead& head = *item.head;
    const Rect card{{inside.min.x, y}, {inside.max.x, y + pitch - 6 * u}};
    const ImU32 colour = look.head(head.head);
    pen.fill(card, head.chosen ? look.field : look.card, 8 * u);
    pen.box(card, head.chosen ? colour : look.line, head.chosen ? std::max(2.0f, 2 * u) : 1, 8 * u);
    const float inset = 5 * u, side = card.height() - 2 * inset;
    put_thumbnail(pen, head, {{card.min.x + inset, card.min.y + inset}, {card.min.x + inset + side, card.max.y - inset}});
    const float x = card.min.x + side + 2 * inset + 4 * u, room_for = card.max.x - x - 6 * u;
    const bool two = !head.habit.empty() || head.silent;
    pen.text(TextRole::caption, Face::bold, pen.type.caption, {x, card.centre().y - (two ? pen.type.caption * 0.65f : 0)}, Align::left, colour, words.fill("inspector.head", {std::to_string(head.head)}));
    if (two) {
      const std::string habit = head.silent ? words("sentence.silent") : head.habit;
      pen.text(TextRole::caption, Face::ui, pen.type.caption, {x, card.centre().y + pen.type.caption * 0.7f}, Align::left, head.chosen ? look.ink : look.muted, elide(easel.fonts, Face::ui, pen.type.caption, habit, room_for));
    }
    pen.target(card, Deed::head, head.head, {Stage::weights, head.layer, head.head, 0, 0});
    y += pitch;
  }
  if (i < items.size()) {
    const auto below = std::count_if(items.begin() + static_cast<std::ptrdiff_t>(i), items.end(), [](const Item& item) { return item.head != nullptr; });
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {inside.min.x, std::min(y + more / 2, inside.max.y - more / 2)}, Align::left, look.muted, words.fill("sentence.more_below", {std::to_string(below)}));
  }
}

/// What the network says next; with a head knocked out, as it is and without.
void put_prediction(Pen& pen, const SentenceStory& story, Rect room) {
  const Look& look = pen.look();
  const Words& words = pen.easel().words;
  const float u = pen.u();
  pen.fill(room, look.panel);
  pen.fill({{room.min.x, room.min.y}, {room.min.x + 1, room.max.y}}, look.line);
  const Rect inside{{room.min.x + 20 * u, room.min.y + 22 * u}, {room.max.x - 20 * u, room.max.y - 16 * u}};
  const std::vector<Named> names{{story.next_after, look.ink}, {story.silent, look.ink}};
  float y = inside.min.y + pen.sentence(TextRole::story, words(story.next_after.empty() ? "sentence.next_first" : "sentence.next"), names, inside, pen.type.story, look.muted) + 10 * u;
  const bool knocked = !story.silent.empty();
  float name_room = 0;
  for (const Guess& guess : story.next) name_room = std::max(name_room, pen.measure(Face::ui, pen.type.word, guess.word).x);
  name_room = std::min(name_room + 10 * u, inside.width() * 0.42f);
  const float number_room = pen.measure(Face::mono, pen.type.number, "0.000").x + 4 * u;
  const float pitch = (knocked ? 3.3f : 2.0f) * pen.type.word;
  for (const Guess& guess : story.next) {
    if (y + pitch > inside.max.y) break;
    const auto bar = [&](float middle, double probability, ImU32 colour, bool lit) {
      const Rect track{{inside.min.x + name_room, middle - 7 * u}, {inside.max.x - number_room, middle + 7 * u}};
      pen.fill(track, look.field, 3 * u);
      const float width = std::max(static_cast<float>(probability) * track.width(), u);
      pen.fill({track.min, {track.min.x + width, track.max.y}}, colour, std::min(3 * u, width / 2));
      pen.text(TextRole::number, Face::mono, pen.type.number, {inside.max.x, middle}, Align::right, lit ? look.ink : look.muted, Figures(probability < 0.01 ? 3 : 2, true)(static_cast<float>(probability)));
    };
    const float first = y + pen.type.word * 0.8f;
    pen.text(TextRole::word, Face::ui, pen.type.word, {inside.min.x, first}, Align::left, look.ink, elide(pen.easel().fonts, Face::ui, pen.type.word, guess.word, name_room - 8 * u));
    if (knocked && guess.before >= 0) {
      bar(first, guess.before, fade(look.after, 0.45f), false);
      bar(first + pen.type.word * 1.25f, guess.probability, look.after, true);
    } else {
      bar(first, guess.probability, look.after, true);
    }
    y += pitch;
  }
  if (knocked) y += pen.sentence(TextRole::story, words("sentence.without"), names, {{inside.min.x, y + 6 * u}, inside.max}, pen.type.caption, look.muted);
}

/// A button with its words in the middle; gives its right end.
float put_button(Pen& pen, ImVec2 at, const std::string& words, bool first, Deed deed) {
  const float u = pen.u(), height = pen.type.story * 2.5f;
  const float width = pen.measure(Face::bold, pen.type.story, words).x + 40 * u;
  const Rect rect{at, {at.x + width, at.y + height}};
  pen.fill(rect, first ? pen.look().ink : pen.look().card, 9 * u);
  if (!first) pen.box(rect, pen.look().line, 1, 9 * u);
  pen.text(TextRole::caption, Face::bold, pen.type.story, rect.centre(), Align::middle, first ? pen.look().card : pen.look().ink, words);
  pen.target(rect, deed);
  return rect.max.x;
}

}  // namespace

Index asking_word(const Trace& trace, const View& view) {
  const Focus focus = focus_of(trace, view);
  return std::clamp<Index>(view.looking.pointed.value_or(focus.query), 0, trace.dims().n_q - 1);
}

Scene make_sentence(const Easel& easel, const SentenceStory& story, Rect place, Index scroll) {
  Scene scene;
  Pen pen(easel, scene);
  const Trace& trace = easel.trace;
  const Look& look = easel.look;
  const Words& words = easel.words;
  const float u = easel.u;
  const bool presenting = easel.view.presenting;
  Rect middle = place;
  const bool rail = !presenting && !story.rail.empty() && place.width() >= 760 * u;
  const bool prediction = !story.next.empty() && !presenting && place.width() >= 900 * u;
  if (rail) middle.min.x += std::round(std::clamp(place.width() * 0.156f, 190 * u, 270 * u));
  if (prediction) middle.max.x -= std::round(std::clamp(place.width() * 0.2f, 230 * u, 350 * u));

  const Index query = asking_word(trace, easel.view);
  const Row row = row_of(easel, query);
  const ImU32 colour = look.head(easel.view.head);
  const float side = std::clamp(middle.width() * 0.045f, 18 * u, 54 * u);
  Rect area{{middle.min.x + side, middle.min.y + std::clamp(middle.height() * 0.035f, 14 * u, 30 * u)}, {middle.max.x - side, middle.max.y - 18 * u}};
  const Align align = presenting ? Align::middle : Align::left;
  area.min.y += pen.sentence(TextRole::prose, words(sentence_key(easel, query, row)), names_of(easel, query, row), area, pen.type.title, look.ink, align);
  const char* truth = story.random_weights ? "sentence.random_weights" : story.random_input ? "sentence.random_input" : nullptr;
  if (truth) area.min.y += pen.sentence(TextRole::story, words(truth), {}, area, pen.type.story, look.warning, align);

  // Buttons at the foot.
  const float button = pen.type.story * 2.5f;
  Rect body{{area.min.x, area.min.y + 10 * u}, {area.max.x, area.max.y - (presenting ? 0 : button + 20 * u)}};
  const Index n_q = trace.dims().n_q, n_k = trace.dims().n_k;
  const bool cross = !trace.inputs.self_attention() && (n_q != n_k || trace.inputs.query_tokens != trace.inputs.key_tokens);
  const float number = easel.fonts.crisp(Face::mono, pen.type.number) * 1.6f;
  float depth = std::clamp(body.height() * 0.2f, 36 * u, 110 * u);
  if (cross) {
    WordLine asks = lay_out_words(pen, Axis::query, n_q, query, body, 0), asked = lay_out_words(pen, Axis::key, n_k, cross ? row.most : query, body, 0);
    const auto pitch_of = [&](const WordLine& line, float extra) { return line.height + extra; };
    asks = lay_out_words(pen, Axis::query, n_q, query, body, pitch_of(asks, 8 * u));
    const float top = body.min.y + pen.type.caption * 1.6f;
    const float asks_height = static_cast<float>(asks.lines) * (asks.height + 8 * u);
    const float asked_top = std::max(top + asks_height + body.height() * 0.18f, body.max.y - depth - number - 12 * u - asked.height - (static_cast<float>(asked.lines) - 1) * (asked.height + depth + number));
    asks = lay_out_words(pen, Axis::query, n_q, query, {{body.min.x, top}, body.max}, asks.height + 8 * u);
    asked = lay_out_words(pen, Axis::key, n_k, cross ? row.most : query, {{body.min.x, asked_top}, body.max}, asked.height + depth + number + 14 * u);
    put_arcs(pen, asks, asked, query, row, colour, body.min.y, true);
    for (const WordPlace& word : asks.places) put_word(pen, asks, word, query_word(easel, word.index), word.index == query, false, look.q, Deed::query_word);
    for (const WordPlace& word : asked.places) put_word(pen, asked, word, key_word(easel, word.index), word.index == row.most && !row.dead, row.hidden[static_cast<std::size_t>(word.index)], colour, Deed::key_word);
    put_shares(pen, asked, row, depth, row.most, colour);
    pen.text(TextRole::caption, Face::ui, pen.type.caption, {body.min.x, body.min.y + pen.type.caption * 0.6f}, Align::left, look.q, words("sentence.they_ask"));
    for (const WordPlace& word : asked.places) pen.matter(word.box);
    for (const WordPlace& word : asks.places) pen.matter(word.box);
  } else {
    WordLine line = lay_out_words(pen, Axis::key, n_k, cross ? row.most : query, body, 0);
    if (line.lines > 1) {  // rows of words, each with its shares
      depth = std::min(depth, 44 * u);
      const float pitch = line.height + depth + number + 34 * u;
      line = lay_out_words(pen, Axis::key, n_k, cross ? row.most : query, body, pitch);
      const auto fits = std::max<Index>(static_cast<Index>(body.height() / pitch), 1);
      const Index at = line.find(query) ? line.find(query)->line : 0;
      const Index first = std::clamp<Index>(line.lines > fits ? at - fits / 2 + scroll : 0, 0, std::max<Index>(line.lines - fits, 0));
      std::erase_if(line.places, [&](const WordPlace& word) { return word.line < first || word.line >= first + fits; });
      for (WordPlace& word : line.places) {
        const float up = static_cast<float>(first) * pitch - 14 * u;
        word.box.min.y -= up;
        word.box.max.y -= up;
      }
      if (line.lines > fits) {
        pen.text(TextRole::caption, Face::ui, pen.type.caption, {body.max.x, body.max.y}, Align::right, look.muted, words.fill("sentence.rows", {std::to_string(first + 1), std::to_string(first + fits), std::to_string(line.lines)}));
      }
    } else {
      const float below = 12 * u + depth + number;
      const float arcs = std::min(body.height() - below - line.height, body.width() * 0.36f);
      const float y = std::min(body.min.y + arcs, body.max.y - below - line.height);
      line = lay_out_words(pen, Axis::key, n_k, cross ? row.most : query, {{body.min.x, y}, {body.max.x, body.max.y}}, 0);
    }
    put_arcs(pen, line, line, query, row, colour, body.min.y, false);
    for (const WordPlace& word : line.places) {
      const auto k = static_cast<std::size_t>(word.index);
      put_word(pen, line, word, key_word(easel, word.index), word.index == query || (word.index == row.most && !row.dead), row.hidden[k] && word.index != query, word.index == query ? look.q : colour, Deed::query_word);
      pen.matter(word.box);
    }
    put_shares(pen, line, row, depth, row.most, colour);
  }
  if (!presenting) {
    const float y = area.max.y - button;
    const std::string share = share_text(row.shares[static_cast<std::size_t>(row.most)]);
    float x = put_button(pen, {area.min.x, y}, words.fill("sentence.how", {share}), true, Deed::how) + 12 * u;
    const std::string every = words("sentence.every_step"), other = words(story.can_knock ? (story.silent.empty() ? "sentence.knock" : "sentence.back_in") : "sentence.other_head");
    const auto room = [&](const std::string& text) { return x + pen.measure(Face::bold, pen.type.story, text).x + 40 * u <= area.max.x; };
    if (room(every)) x = put_button(pen, {x, y}, every, false, Deed::back) + 12 * u;
    if (trace.dims().heads > 1 || story.network) {
      if (room(other)) x = put_button(pen, {x, y}, other, false, story.can_knock ? Deed::knock_out : Deed::next_word) + 12 * u;
    }
    // What is left is for one's own words.
    if (story.takes_words && area.max.x - x >= 190 * u) pen.target({{std::max(x + 8 * u, area.max.x - 420 * u), y}, {area.max.x, area.max.y}}, Deed::own_words);
  }
  if (rail) put_rail(pen, story, {place.min, {middle.min.x, place.max.y}});
  if (prediction) put_prediction(pen, story, {{middle.max.x, place.min.y}, place.max});
  return scene;
}

}  // namespace headlight
