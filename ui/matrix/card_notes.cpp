#include "ui/matrix/card_notes.h"

#include <algorithm>
#include <cmath>

#include "core/run/summary.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"

namespace headlight {
namespace {

constexpr float note_points = TypeSize::body;
constexpr float mark_points = 10;
constexpr float number_points = TypeSize::note;

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

void tooltip_over(ImVec2 min, ImVec2 max, const char* words) {
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min, max)) return;
  ImGui::SetTooltip("%s", words);
}

/// The cell's mark at the size of a letter.
void draw_mark(const Frame& frame, ImDrawList& list, CellKind kind, ImVec2 min, float t) {
  const float side = mark_points * t;
  const ImVec2 max{min.x + side, min.y + side};
  const ImU32 ink = frame.look.muted;
  compat::add_rect(list, min, max, ink, 1.5f * t, std::max(1.0f, 0.8f * t));
  list.PushClipRect(min, max, true);
  if (kind == CellKind::masked || kind == CellKind::neg_inf) {
    for (float x = -side; x < side; x += side / 3)
      list.AddLine({min.x + x, max.y}, {min.x + x + side, min.y}, ink, std::max(1.0f, 0.8f * t));
  } else if (kind == CellKind::dropped) {
    list.AddLine(min, max, ink, t);
    list.AddLine({min.x, max.y}, {max.x, min.y}, ink, t);
  } else {
    list.AddCircleFilled({(min.x + max.x) / 2, (min.y + max.y) / 2}, side * 0.2f, ink, 8);
  }
  list.PopClipRect();
}

}  // namespace

std::vector<CountNote> count_notes(const Frame& frame, const HeatPicture& heat, float free, float right, float type) {
  const Stage counted = is_measure(heat.stage) ? Stage::weights : heat.stage;  // masked are the same cells
  const KindCounts& counts = frame.trace()->summary->kinds(counted, heat.batch, heat.head);
  const Index all = heat.rows * heat.cols;
  const float t = type;
  const auto width = [&](const std::string& words) {
    return text_size(frame.fonts, Face::ui, note_points * t, words).x + (mark_points + 4) * t;
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
    right = note.x - 8 * t;
    free -= width(note.shown) + 8 * t;
    notes.push_back(std::move(note));
  }
  return notes;
}

namespace {

/// With two decimals; what they cannot show is said to be small, as a power of ten would run into its neighbour.
std::string in_column(double value) {
  return value > 0 && value < 0.005 ? "<.01" : number_text(static_cast<float>(value), 2);
}

}  // namespace

float say_random(const Frame& frame, Rect room) {
  struct Note {
    std::string words;
  };
  const float pixels = TypeSize::note * frame.u;
  const auto make = [&] {
    std::string words = random_words(frame);
    if (text_size(frame.fonts, Face::ui, pixels, words).x > room.width()) words = frame.words("pipeline.random_short");
    return Note{std::move(words)};
  };
  const std::string& words = frame.picture<Note>(make, room.width()).words;
  if (words.empty()) return room.min.y;
  draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, pixels, room.min, frame.look.warning, words);
  return room.min.y + 20 * frame.u;
}

RowStrip row_strip(const Frame& frame, const HeatPicture& heat, float t) {
  RowStrip strip;
  strip.left = heat.rect.max.x + 8 * t;
  constexpr float columns[] = {34, 84, 118, 150};
  for (std::size_t i = 0; i < 4; ++i) strip.ends[i] = heat.rect.max.x + columns[i] * t;
  for (const RowStatistics& row : row_statistics(*frame.trace(), heat.stage, heat.batch, heat.head)) {
    RowStrip::Row& shown = strip.rows.emplace_back();
    shown.numbers = {in_column(row.sum), in_column(std::abs(row.entropy)), in_column(row.maximum),
                     std::to_string(row.allowed)};
    shown.flag = row.flag;
  }
  return strip;
}

void draw_count_note(const Frame& frame, ImDrawList& list, const CountNote& note, ImVec2 at, float t) {
  draw_mark(frame, list, note.kind, {at.x, at.y + 2.5f * t}, t);
  const ImVec2 words{at.x + (mark_points + 4) * t, at.y};
  draw_text(list, frame.fonts, Face::ui, note_points * t, words, frame.look.muted, note.shown);
  const float end = words.x + text_size(frame.fonts, Face::ui, note_points * t, note.shown).x;
  tooltip_over(at, {end, at.y + 15 * t}, note.full.c_str());
}

void draw_row_strip(const Frame& frame, ImDrawList& list, const RowStrip& strip, const Rect& matrix, Index rows,
                    float left, const std::array<float, 4>& ends, float t) {
  const float line = matrix.height() / static_cast<float>(strip.rows.size());
  const std::optional<Cell> looked_at = frame.looked_at();
  const auto right = [&](Face face, ImU32 colour, float end, float y, std::string_view text) {
    const ImVec2 size = text_size(frame.fonts, face, number_points * t, text);
    draw_text(list, frame.fonts, face, number_points * t, {end - size.x, y - size.y / 2}, colour, text);
  };
  constexpr const char* titles[] = {"row.sum", "row.entropy", "row.maximum", "row.allowed"};
  constexpr const char* sentences[] = {"row.sum_hint", "row.entropy_hint", "row.maximum_hint", "row.allowed_hint"};
  for (std::size_t i = 0; i < 4; ++i) {
    const float y = matrix.max.y + 10 * t;
    right(Face::ui, frame.look.muted, ends[i], y, frame.words(titles[i]));
    tooltip_over({ends[i] - 34 * t, y - 8 * t}, {ends[i], y + 7 * t}, frame.words(sentences[i]));
  }
  for (Index r = 0; r < std::min(rows, static_cast<Index>(strip.rows.size())); ++r) {
    const RowStrip::Row& row = strip.rows[static_cast<std::size_t>(r)];
    const float y = matrix.min.y + (static_cast<float>(r) + 0.5f) * line;
    const bool lit = looked_at && info(looked_at->stage).rows == Axis::query && looked_at->row == r;
    const ImU32 ink = row.flag != RowFlag::none ? frame.look.warning : lit ? frame.look.ink : frame.look.muted;
    for (std::size_t i = 0; i < 4; ++i) right(Face::mono, ink, ends[i], y, row.numbers[i]);
    if (row.flag == RowFlag::none) continue;
    list.AddTriangleFilled({left - 3 * t, y + 3.5f * t}, {left + 3 * t, y + 3.5f * t}, {left, y - 3.5f * t},
                           frame.look.warning);
    tooltip_over({left - 4 * t, y - line / 2}, {ends[3], y + line / 2}, frame.words(word_of(row.flag)));
  }
}

}  // namespace headlight
