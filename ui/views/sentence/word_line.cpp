#include "ui/views/sentence/word_line.h"

#include <cmath>
#include <utility>

#include "core/base/text/word_piece.h"
#include "core/compute/run/trace.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/sentence/sizes.h"

namespace headlight::sentence_parts {

Row row_of(const SceneContext& context, Index query) {
  const Trace& trace = context.trace;
  const View& view = context.view;
  const MatrixView weights = trace[Stage::weights].matrix(view.batch, view.head);
  const CellMasks masks = masks_over(trace, Stage::weights, view.batch, view.head);
  Row row;
  row.dead = true;
  row.all_masked = masks.allowed.has_value();
  for (Index k = 0; k < weights.cols; ++k) {
    const float share = weights(query, k);
    row.shares.push_back(share);
    row.hidden.push_back(classify(weights, masks, query, k) == CellKind::masked);
    if (std::isfinite(share) && share > 0) row.dead = false;
    if (row.all_masked && (*masks.allowed)(query, k) != 0) row.all_masked = false;
  }
  row.most = largest_column(weights, query);
  return row;
}

Row measured_row(const SceneContext& context, Index query) {
  Row row = row_of(context, query);
  const HeadMeasure measure = measure_shown(context.trace, context.view);
  if (measure == HeadMeasure::weight || row.dead) return row;
  row.brought = contribution_row(context.trace, context.view, query);
  row.lengths = measure == HeadMeasure::arrives;
  row.weights = std::exchange(row.shares, row.brought->shares);
  row.most = std::ranges::max_element(row.shares) - row.shares.begin();
  return row;
}

std::string Row::number(std::size_t k) const {
  return lengths ? length_text(brought->lengths[k]) : share_text(shares[k]);
}

std::string share_text(float share) {
  if (std::isnan(share)) return "NaN";
  return MatrixNumbers(2, true)(share);
}

WordLine lay_out_words(Pen& pen, Axis axis, Index all, Index around, Rect room, float line_pitch) {
  constexpr Index most = 400;
  const Index first = all > most ? std::clamp<Index>(around - most * 3 / 4, 0, all - most) : 0,
              count = std::min(all, most);
  const SceneContext& context = pen.context();
  const float u = pen.u(), gap = room.width() < WordLineSizes::narrow * u ? Space::thin * u : Space::close * u;
  WordLine line;
  const auto word = [&](Index i) { return axis == Axis::query ? query_word(context, i) : key_word(context, i); };
  const auto gap_after = [&](Index i) { return i + 1 < first + count && continues_word(word(i + 1)) ? -1.0f : gap; };
  const float largest = std::max(pen.context().view.presenting ? pen.type.title : 0,
                                 context.fonts.crisp(Face::bold, WordLineSizes::largest_type * u));
  const float readable = std::max(size_not_below(context.fonts, Face::bold, pen.type.least),
                                  size_not_below(context.fonts, Face::ui, pen.type.least));
  const float smallest = std::max(context.fonts.crisp(Face::bold, TypeSize::body * u), readable);
  std::vector<float> widths(static_cast<std::size_t>(count));
  float total = 0;
  for (line.pixels = largest;; line.pixels = std::max(line.pixels * 0.93f, smallest)) {
    total = 0;
    for (Index i = 0; i < count; ++i) {
      // The share below a word is at least as wide as its number. Small words are closer together.
      const float least = pen.measure(Face::mono, pen.type.number, "<.01").x + Space::fine * u;
      const float air = line.pixels * std::clamp(0.9f - (Space::wide * u - line.pixels) / (Space::row * u), 0.5f, 0.9f);
      float& width = widths[static_cast<std::size_t>(i)];
      width = std::max(pen.measure(Face::bold, line.pixels, without_mark(word(first + i))).x + air, least);
      total += width + gap_after(first + i);
    }
    if (total <= room.width() || line.pixels <= smallest) break;
  }
  line.height = line.pixels * 2.1f;
  const bool one = total <= room.width();
  // A short sentence is spread out and centred.
  const auto words = static_cast<float>(std::max<Index>(count, 1));
  const float extra =
      one ? std::min((room.width() - total) / words, std::max(WordLineSizes::spread * u, 1.2f * line.pixels)) : 0;
  const float spare = one ? std::max(room.width() - total - extra * words + gap, 0.0f) : 0;
  float x = room.min.x + spare / 2, y = room.min.y;
  int at = 0;
  for (Index i = 0; i < count; ++i) {
    const float width = std::min(widths[static_cast<std::size_t>(i)] + extra, room.width());
    if (x + width > room.max.x + 1 && x > room.min.x) {
      x = room.min.x;
      y += line_pitch;
      ++at;
    }
    line.places.push_back({{{x, y}, {x + width, y + line.height}}, first + i, at});
    x += width + gap_after(first + i);
  }
  line.lines = at + 1;
  return line;
}

void put_word(Pen& pen, const WordLine& line, const WordPlace& place, std::string word, bool lit, bool quiet,
              ImU32 colour, SceneAction action) {
  const Look& look = pen.look();
  const float u = pen.u();
  word = without_mark(std::move(word));
  pen.fill(place.box, quiet ? fade(look.card, 0.5f) : look.card, Corner::card * u);
  pen.box(place.box, lit ? colour : look.line, lit ? Stroke::followed(u) : 1, Corner::card * u);
  const Face face = lit ? Face::bold : Face::ui;
  float pixels = line.pixels;
  if (lit) {  // bold type comes in other sizes: the nearest one
    const float below = pen.context().fonts.crisp(Face::bold, pixels), above = pen.bold(pixels);
    pixels = std::abs(above - line.pixels) < std::abs(below - line.pixels) ? above : below;
  }
  if (pen.measure(face, pixels, word).x > place.box.width() - Space::tight * u)
    word = elide(pen.context().fonts, face, pixels, word, place.box.width() - Space::tight * u);
  pen.text(TextRole::word, face, pixels, place.box.centre(), Align::middle, quiet ? fade(look.muted, 0.75f) : look.ink,
           std::move(word));
  pen.target(place.box, action, place.index);
}

namespace {

/// Height of the control points of a curve between words at this distance; the curve reaches three quarters of it.
float arc_reach(const Pen& pen, float apart) { return WordLineSizes::least_reach * pen.u() + apart * 0.55f; }

}  // namespace

float arc_peak(const Pen& pen, float apart) { return 0.75f * arc_reach(pen, apart) + Space::wide * pen.u(); }

void put_arcs(Pen& pen, const WordLine& from_line, const WordLine& to_line, Index query, const Row& row, ImU32 colour,
              float top, bool two_lines) {
  const float u = pen.u();
  const WordPlace* from = from_line.find(query);
  if (!from) return;
  const float thickest = WordLineSizes::thickest_arc * u;
  if (from_line.over > 0) top = from->box.min.y - from_line.over;
  for (Index k = 0; k < static_cast<Index>(row.shares.size()); ++k) {
    const float share = row.shares[static_cast<std::size_t>(k)];
    const WordPlace* to = to_line.find(k);
    if (!to || !(share >= 0.02f)) continue;
    const float thick = std::max(thickest * share, WordLineSizes::thinnest_arc * u);
    const ImU32 ink = fade(colour, 0.35f + 0.65f * share);
    if (two_lines || from->line != to->line) {
      const bool up = !two_lines && to->line < from->line;
      const ImVec2 a{from->box.centre().x, up ? from->box.min.y : from->box.max.y},
          b{to->box.centre().x, up ? to->box.max.y : to->box.min.y};
      const float bend = (b.y - a.y) * 0.5f;
      pen.curve({a, ImVec2{a.x, a.y + bend}, ImVec2{b.x, b.y - bend}, b}, ink, thick);
      continue;
    }
    const float y = from->box.min.y - thick * 0.2f;
    if (k == query) {  // a loop at the word itself
      const float w = std::min(from->box.width() * 0.34f, WordLineSizes::half_loop * u),
                  h = std::min((y - top) * 0.5f, WordLineSizes::highest_loop * u);
      pen.curve({ImVec2{from->box.centre().x - w, y}, ImVec2{from->box.centre().x - w, y - h * 1.3f},
                 ImVec2{from->box.centre().x + w, y - h * 1.3f}, ImVec2{from->box.centre().x + w, y}},
                ink, thick);
      continue;
    }
    const float a = from->box.centre().x, b = to->box.centre().x;
    const float height = std::min((y - top) * 1.3f, arc_reach(pen, std::abs(a - b)));
    pen.curve({ImVec2{a, y}, ImVec2{a, y - height}, ImVec2{b, y - height}, ImVec2{b, y}}, ink, thick);
  }
}

void put_shares(Pen& pen, const WordLine& line, const Row& row, float depth, Index lit, ImU32 colour, bool guessed) {
  const Look& look = pen.look();
  const float u = pen.u();
  const float number = pen.context().fonts.crisp(Face::mono, pen.type.number) * 1.5f;
  for (std::size_t n = 0; n < line.places.size(); ++n) {
    const WordPlace& place = line.places[n];
    const auto k = static_cast<std::size_t>(place.index);
    const float top = place.box.max.y + Space::apart * u, bottom = top + depth;
    if (row.hidden[k]) {  // adjacent hidden words are shown as one
      std::size_t end = n;
      while (end + 1 < line.places.size() && row.hidden[static_cast<std::size_t>(line.places[end + 1].index)] &&
             line.places[end + 1].line == place.line)
        ++end;
      const Rect hatched{{place.box.min.x, top}, {line.places[end].box.max.x, top + depth * 0.4f}};
      pen.hatch(hatched);
      if (!pen.context().view.presenting) pen.target(hatched, SceneAction::masks);
      const std::string_view words = pen.context().words("level.hidden_by_mask");
      const float width = line.places[end].box.max.x - place.box.min.x;
      if (pen.measure(Face::ui, pen.type.caption, words).x <= width)
        pen.caption({(place.box.min.x + line.places[end].box.max.x) / 2, top + depth * 0.4f + number * 0.7f},
                    Align::middle, std::string(words));
      n = end;
      continue;
    }
    const float half = std::min(place.box.width() * 0.3f, WordLineSizes::half_bar * u), x = place.box.centre().x;
    pen.fill({{x - half, top}, {x + half, bottom}}, look.field, Corner::cell * u);
    const Rect column{{place.box.min.x, top}, {place.box.max.x, bottom + number * 1.2f}};
    pen.target(column, SceneAction::looked_at, place.index);
    if (pen.context().view.levels.at == place.index) pen.box(column, look.k, Stroke::chosen(u), Corner::card * u);
    if (guessed) {
      pen.number(pen.type.number, {x, bottom + number * 0.6f}, Align::middle, look.muted, "?");
      continue;
    }
    const float between = row.weights.empty() ? 0 : Stroke::arrow(u), middle = row.weights.empty() ? x - half : x;
    if (!row.weights.empty() && row.weights[k] > 0) {
      const float height = std::max(std::clamp(row.weights[k], 0.0f, 1.0f) * depth, WordLineSizes::least_hollow * u);
      pen.box({{x - half, bottom - height}, {x - between, bottom}}, colour, Stroke::arrow(u), Corner::mark * u);
    }
    const float value = row.bar(k);
    const float share = std::isfinite(value) ? std::clamp(value, 0.0f, 1.0f) : 0;
    if (share > 0) {
      const float height = std::max(share * depth, WordLineSizes::least_bar * u);
      pen.fill({{middle + between, bottom - height}, {x + half, bottom}}, colour,
               std::min(Corner::cell * u, height / 2));
    }
    const bool is_lit = place.index == lit;
    // The largest share must be legible from the last row too, if its word leaves enough room.
    const std::string words = row.number(k);
    const float larger = pen.context().fonts.crisp(Face::mono, pen.type.number * 1.5f);
    const bool large = is_lit && line.lines == 1 && pen.measure(Face::mono, larger, words).x <= place.box.width();
    pen.number(large ? larger : pen.type.number, {x, bottom + number * 0.6f}, Align::middle,
               is_lit ? look.ink : look.muted, words);
  }
}

}  // namespace headlight::sentence_parts
