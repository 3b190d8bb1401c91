#include "ui/lessons/prose.h"

#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

Face face_of(bool bold, bool code) { return code ? Face::mono : bold ? Face::bold : Face::ui; }
Face face_of(const ProseRun& run) { return face_of(run.stage || run.number, run.code); }

/// Code is set a little smaller: its letters are wide.
float size_of(bool code, float pixels) { return code ? 0.92f * pixels : pixels; }

}  // namespace

ProseLayout lay_out_prose(const Fonts& fonts, const std::vector<ProseRun>& runs, float pixels, float width) {
  ProseLayout layout;
  const float leading = 1.45f * pixels;
  float x = 0, y = 0;
  std::vector<ProsePiece> word;  // pieces that no line may end between
  float word_width = 0;
  const auto flush = [&] {
    if (x > 0 && x + word_width > width) {
      x = 0;
      y += leading;
      while (!word.empty() && word.front().words == " ") {
        word_width -= word.front().width;
        word.erase(word.begin());
      }
    }
    const bool breaks = word_width > width;  // a long name has no place to end a line at
    for (ProsePiece& piece : word) {
      if (breaks && x > 0 && x + piece.width > width) {
        x = 0;
        y += leading;
      }
      piece.at = {x, y};
      x += piece.width;
      ProsePiece* last = layout.pieces.empty() ? nullptr : &layout.pieces.back();
      const bool joins = last && last->at.y == y && last->stage == piece.stage && last->number == piece.number &&
                         last->code == piece.code && last->cell == piece.cell &&
                         std::abs(last->at.x + last->width - piece.at.x) < 0.5f;
      if (joins) {
        last->words += piece.words;
        last->width += piece.width;
      } else {
        layout.pieces.push_back(std::move(piece));
      }
    }
    word.clear();
    word_width = 0;
  };
  std::string before;
  for (const ProseRun& run : runs) {
    for (std::string_view rest = run.words; !rest.empty();) {
      const std::string_view character = first_character(rest);
      if (!before.empty() && may_break_between(before, character)) flush();
      const float advance = text_size(fonts, face_of(run), size_of(run.code, pixels), character).x;
      word.push_back({std::string(character), {}, advance, run.stage, run.number, run.code, run.cell});
      word_width += advance;
      before = character;
      rest.remove_prefix(character.size());
    }
  }
  flush();
  layout.height = y + leading;
  return layout;
}

ProsePointed draw_prose(const Frame& frame, const ProseLayout& layout, ImVec2 at, float pixels) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ProsePointed pointed;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool here = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  for (const ProsePiece& piece : layout.pieces) {
    const ImVec2 from{at.x + piece.at.x, at.y + piece.at.y};
    const bool links = piece.stage || piece.cell;
    const ImU32 colour = piece.stage ? frame.look.lane(*piece.stage) : frame.look.ink;
    draw_text(list, frame.fonts, face_of(piece.stage || piece.number, piece.code), size_of(piece.code, pixels), from,
              colour, piece.words);
    if (!links) continue;
    const float under = from.y + 1.25f * pixels;
    const bool hot = here && mouse.x >= from.x && mouse.x < from.x + piece.width && mouse.y >= from.y &&
                     mouse.y < under + 2 * frame.u;
    list.AddLine({from.x, under}, {from.x + piece.width, under}, hot ? colour : fade(colour, piece.cell ? 0.3f : 0.5f),
                 (hot ? 2 : 1) * frame.u);
    if (!hot) continue;
    pointed = {piece.stage ? piece.stage : std::optional(piece.cell->stage), piece.cell};
    if (piece.cell) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  return pointed;
}

}  // namespace headlight
