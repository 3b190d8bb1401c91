#include "ui/parts/scene/card_notes.h"

#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"

namespace headlight {
namespace {

constexpr float note_points = TypeSize::body;
constexpr float mark_points = 10;
constexpr float number_points = TypeSize::note;
constexpr float mark_drop = 2.5f;                     // of a mark below the top of its note
constexpr float note_line = 15;                       // the height of a note
constexpr float column_width = 34, column_below = 7;  // of a strip's heading, and of its lower half

std::string share_text(Index part, Index whole) {
  const auto percent = (100 * part + whole / 2) / whole;
  if (part > 0 && percent == 0) return "<1 %";
  return std::to_string(percent) + " %";
}

const char* word_of(CellKind kind) {
  switch (kind) {
    case CellKind::masked: return "card.masked";
    case CellKind::neg_inf: return "card.neg_inf";
    case CellKind::pos_inf: return "card.pos_inf";
    case CellKind::nan: return "card.nan";
    default: return "card.dropped";
  }
}

/// Draws the cell's mark at the size of a letter.
void put_mark(Pen& pen, CellKind kind, const Rect& mark, float t) {
  const ImU32 ink = pen.look().muted;
  if (kind == CellKind::masked || kind == CellKind::neg_inf) {
    pen.scene().items.emplace_back(SceneHatch{mark, ink, 0, mark.width() / 3});
  } else if (kind == CellKind::dropped) {
    pen.line(mark.min, mark.max, ink, t);
    pen.line({mark.min.x, mark.max.y}, {mark.max.x, mark.min.y}, ink, t);
  } else {
    pen.scene().items.emplace_back(SceneDot{mark.centre(), mark.width() * 0.2f, ink});
  }
  pen.box(mark, ink, std::max(1.0f, 0.8f * t), 1.5f * t);
}

/// With two decimals. Smaller numbers are marked as small, since a power of ten would overlap the next column.
std::string in_column(double value) {
  return value > 0 && value < 0.005 ? "<.01" : number_text(static_cast<float>(value), 2);
}

}  // namespace

std::vector<CountNote> count_notes(const Frame& frame, const HeatPicture& heat, float free, float right, float type) {
  const Stage counted = is_measure(heat.stage) ? Stage::weights : heat.stage;  // both have the same masked cells
  const KindCounts& counts = frame.trace()->summary->kinds(counted, heat.batch, heat.head);
  const Index all = heat.rows * heat.cols;
  const float t = type;
  const auto width = [&](const std::string& words) {
    return text_size(frame.fonts, Face::ui, note_points * t, words).x + (mark_points + Space::tight) * t;
  };
  std::vector<CountNote> notes;
  for (const CellKind kind :
       {CellKind::nan, CellKind::masked, CellKind::neg_inf, CellKind::pos_inf, CellKind::dropped}) {
    const Index count = counts[static_cast<std::size_t>(kind)];
    if (count == 0) continue;
    CountNote note;
    note.kind = kind;
    note.full = frame.words.fill(word_of(kind), {grouped(count), grouped(all), share_text(count, all)});
    note.shown = note.full;
    if (width(note.shown) > free) note.shown = share_text(count, all);
    if (width(note.shown) > free) continue;
    note.x = right - width(note.shown);
    right = note.x - Space::gap * t;
    free -= width(note.shown) + Space::gap * t;
    notes.push_back(std::move(note));
  }
  return notes;
}

float say_random(const Frame& frame, Rect room) {
  const auto make = [&] {
    const View& view = frame.view();
    const std::string pads = pad_words(*frame.trace(), view.batch, view.head, frame.words),
                      random = random_words(frame.trace()->inputs, frame.words);
    const auto fits = [&](const std::string& words) {
      return frame.width(Face::ui, TypeSize::note, words) <= room.width();
    };
    if (const std::string both = pads + (pads.empty() || random.empty() ? "" : "  ") + random; fits(both)) return both;
    return pads.empty() ? std::string(frame.words("pipeline.random_short")) : pads;
  };
  const std::string& words = frame.kept(make, room.width());
  if (words.empty()) return room.min.y;
  frame.write(Face::ui, TypeSize::note, room.min, frame.look.warning, words);
  return room.min.y + Space::wide * frame.u;
}

RowStrip row_strip(const Trace& trace, const HeatPicture& heat) {
  RowStrip strip;
  for (const RowStatistics& row : row_statistics(trace, heat.stage, heat.batch, heat.head))
    strip.rows.push_back(
        {{in_column(row.sum), in_column(std::abs(row.entropy)), in_column(row.maximum), std::to_string(row.allowed)},
         row.flag});
  return strip;
}

void put_count_note(Pen& pen, const CountNote& note, ImVec2 at, float t) {
  const float side = mark_points * t, top = at.y + mark_drop * t;
  put_mark(pen, note.kind, {{at.x, top}, {at.x + side, top + side}}, t);
  const Rect words =
      pen.words(Face::ui, note_points * t, {at.x + side + Space::tight * t, at.y}, pen.look().muted, note.shown);
  pen.hint({at, {words.max.x, at.y + note_line * t}}, note.full);
}

void put_row_strip(Pen& pen, const RowStrip& strip, const Rect& matrix, Index rows, Index lit, float t) {
  struct Column {
    float end;
    const char *title, *hint;
  };
  constexpr Column columns[] = {{34, "row.sum", "row.sum_hint"},
                                {84, "row.entropy", "row.entropy_hint"},
                                {118, "row.maximum", "row.maximum_hint"},
                                {150, "row.allowed", "row.allowed_hint"}};
  const Look& look = pen.look();
  const Words& words = pen.context().words;
  const float line = matrix.height() / static_cast<float>(strip.rows.size()), left = matrix.max.x + Space::gap * t;
  const auto put = [&](const Column& column, Face face, ImU32 colour, float y, std::string text) {
    const ImVec2 end{matrix.max.x + column.end * t, y};
    pen.text(TextRole::caption, face, number_points * t, end, Align::right, colour, std::move(text));
  };
  for (const Column& column : columns) {
    const float end = matrix.max.x + column.end * t, y = matrix.max.y + Space::pad * t;
    put(column, Face::ui, look.muted, y, words(column.title));
    pen.hint({{end - column_width * t, y - Space::gap * t}, {end, y + column_below * t}}, words(column.hint));
  }
  const Index lines_of_text =
      static_cast<Index>(std::ceil(number_points * t / line));  // number of rows that a number covers
  Index free = 0;                                               // the first row that is not covered
  for (Index r = 0; r < std::min(rows, static_cast<Index>(strip.rows.size())); ++r) {
    const RowStrip::Row& row = strip.rows[static_cast<std::size_t>(r)];
    const float y = matrix.min.y + (static_cast<float>(r) + 0.5f) * line;
    const ImU32 ink = row.flag != RowFlag::none ? look.warning : r == lit ? look.ink : look.muted;
    const bool beside_lit = lit >= 0 && lit < rows && std::abs(r - lit) < lines_of_text;
    if (r == lit || (r >= free && !beside_lit)) {
      for (std::size_t i = 0; i < 4; ++i) put(columns[i], Face::mono, ink, y, row.numbers[i]);
      free = r + lines_of_text;
    }
    if (row.flag == RowFlag::none) continue;
    pen.line({left, y}, {left, y - t}, look.warning, t, true);
    pen.hint({{left - Space::tight * t, y - line / 2}, {matrix.max.x + row_strip_width * t, y + line / 2}},
             words(word_of(row.flag)));
  }
}

}  // namespace headlight
