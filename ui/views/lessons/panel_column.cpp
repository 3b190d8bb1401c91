#include "ui/views/lessons/panel_column.h"

#include <algorithm>

#include "core/teaching/diagnosis/comparer.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"

namespace headlight {

namespace {

// In points: an answer to choose with its mark, and the slider of a guess.
constexpr float choice_pad = 11, choice_mark = 26, guess_knob = 9, guess_height = 22, guess_room = 46;
constexpr float guess_line = 2.5f, guess_line_hot = 3.5f;

Face face_of(bool bold, bool code) { return code ? Face::mono : bold ? Face::bold : Face::ui; }
Face face_of(const ProseRun& run) { return face_of(run.stage || run.number, run.code); }

/// Code is set a little smaller: its letters are wide.
float size_of(bool code, float pixels) { return code ? 0.92f * pixels : pixels; }

/// The numbers that the text states, as they are with the current settings; none: as the lesson's file has them. About
/// another text the sentences say nothing, so they keep their numbers.
std::vector<std::string> numbers_of(const Document& document, const LessonStep& step) {
  const Scenario &shown = document.computed, &posed = step.pose.scenario;
  if (!document.trace || shown == posed || shown.text != posed.text || shown.file != posed.file) return {};
  const Compared* compared = document.own_compared.get();
  if (!compared) return step.numbers_in(*document.trace);
  const Trace wrong = with_stages(*compared->trace, compared->own);
  return step.numbers_in(*document.trace, &wrong);
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
                     mouse.y < under + Space::fine * frame.u;
    list.AddLine({from.x, under}, {from.x + piece.width, under}, hot ? colour : fade(colour, piece.cell ? 0.3f : 0.5f),
                 hot ? Stroke::firm(frame.u) : frame.u);
    if (!hot) continue;
    pointed = {piece.stage ? piece.stage : std::optional(piece.cell->stage), piece.cell};
    if (piece.cell) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  return pointed;
}

}  // namespace

void PanelColumn::paragraph(Face face, float points, ImU32 colour, std::string_view text, float inset) {
  const ImVec2 at = here();
  const float pixels = points * frame_.u;
  const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame_.fonts, face, pixels, {left_ + inset, at.y},
                                      colour, text, width_ - 2 * inset);
  advance(height);
}

ProsePointed PanelColumn::prose(const LessonStep& step, float points) {
  const float pixels = points * frame_.u;
  const std::string& language = frame_.words.language();
  const Document& document = frame_.document;
  const auto make = [&] {
    return lay_out_prose(frame_.fonts, step.runs(language, numbers_of(document, step)), pixels, width_);
  };
  const ProseLayout& layout = frame_.pictures.kept(make, step.text, language, pixels, width_, document.trace,
                                                   document.computed == step.pose.scenario);
  const ProsePointed pointed = draw_prose(frame_, layout, {left_, here().y}, pixels);
  advance(layout.height);
  return pointed;
}

std::optional<std::size_t> PanelColumn::dashes(std::size_t step, const Course& course) {
  const std::size_t count = course.steps.size();
  const float u = frame_.u, gap = Space::tight * u,
              each = (width_ - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = here().y;
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = left_ + static_cast<float>(i) * (each + gap);
    const LessonAnswer* answer = frame_.view().lesson.answer(i);
    const bool answered = answer && answer->revealed, seen = i < step || i <= frame_.view().lesson.furthest;
    const ImU32 colour = i == step                   ? frame_.look.ink
                         : answered && answer->right ? frame_.look.v
                         : seen                      ? frame_.look.after
                                                     : frame_.look.line;
    ImGui::PushID(static_cast<int>(i));
    ImGui::SetCursorScreenPos({x, y - Space::near * u});
    if (pressable(frame_, "step", {each, Space::part * u})) clicked = i;
    const float thick = ImGui::IsItemHovered() ? Space::near * u : Space::tight * u;
    ImGui::PopID();
    list.AddRectFilled({x, y}, {x + each, y + thick}, colour, Corner::mark * u);
  }
  ImGui::SetCursorScreenPos({left_, y});
  advance(Space::near * u);
  return clicked;
}

bool PanelColumn::choice(const char* id, std::string_view text, bool chosen, ImU32 border, std::string_view mark,
                         Face face) {
  const float u = frame_.u, pad = choice_pad * u, side = mark.empty() ? 0 : choice_mark * u;
  const float height =
      draw_paragraph(nullptr, frame_.fonts, face, TypeSize::large * u, {0, 0}, 0, text, width_ - 2 * pad - side) +
      2 * pad - Space::tight * u;
  const ImVec2 at = here();
  ImGui::SetCursorScreenPos({left_, at.y});
  const bool clicked = pressable(frame_, id, {width_, height});
  const bool hot = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{left_ + width_, at.y + height};
  list.AddRectFilled({left_, at.y}, end, hot || chosen ? frame_.look.field : frame_.look.card, Corner::control * u);
  compat::add_rect(list, {left_, at.y}, end, border, Corner::control * u, chosen ? Stroke::chosen(u) : 1);
  draw_paragraph(&list, frame_.fonts, face, TypeSize::large * u, {left_ + pad, at.y + pad - Space::fine * u},
                 frame_.look.ink, text, width_ - 2 * pad - side);
  if (!mark.empty())
    frame_.write(Face::bold, TypeSize::large, {end.x - side, at.y + pad - Space::fine * u}, border, mark);
  ImGui::SetCursorScreenPos({at.x, at.y});
  advance(height + Space::gap * u);
  return clicked;
}

bool PanelColumn::next_chip(const char* id, std::string_view label, bool chosen) {
  const float u = frame_.u, width = frame_.width(Face::ui, TypeSize::body, label) + ControlPad::chip * u;
  if (chip_x_ > left_ && chip_x_ + width > left_ + width_) {
    chip_x_ = left_;
    space(34);
  }
  const float y = here().y;
  ImGui::SetCursorScreenPos({chip_x_, y});
  const bool clicked = chip(frame_, id, label, chosen, width);
  ImGui::SetCursorScreenPos({left_, y});
  chip_x_ += width + Space::near * u;
  return clicked;
}

void PanelColumn::share(double part) {
  const float u = frame_.u, y = here().y;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({left_, y}, {left_ + width_, y + Space::pad * u}, frame_.look.field, Corner::control * u);
  const float filled = width_ * static_cast<float>(std::min(part, 1.0));
  if (filled > 1)
    list.AddRectFilled({left_, y}, {left_ + filled, y + Space::pad * u}, frame_.look.q, Corner::control * u);
  advance(Space::part * u);
}

std::optional<double> PanelColumn::slider(const char* id, double part, bool set, std::string_view from,
                                          std::string_view to, bool live) {
  const float u = frame_.u, knob = guess_knob * u, y = here().y + guess_height * u / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float first = left_ + knob, length = width_ - 2 * knob;
  const ImVec2 at = here();
  ImGui::SetCursorScreenPos(at);
  clickable(id, {width_, guess_height * u});
  const int steps = live && takes_keyboard(frame_) ? keyboard_steps() : 0;
  const bool held = live && ImGui::IsItemActive(), hot = live && ImGui::IsItemHovered();
  list.AddRectFilled({left_, y - Space::thin * u}, {left_ + width_, y + Space::thin * u}, frame_.look.field,
                     Corner::cell * u);
  const float x = first + length * static_cast<float>(std::clamp(part, 0.0, 1.0));
  const ImU32 colour = set ? frame_.look.q : frame_.look.muted;
  list.AddCircleFilled({x, y}, knob, frame_.look.card, 24);
  list.AddCircle({x, y}, knob, colour, 24, (hot || held ? guess_line_hot : guess_line) * u);
  const float pixels = TypeSize::body * u, under = y + Space::apart * u;
  draw_text(list, frame_.fonts, Face::mono, pixels, {left_, under}, frame_.look.muted, from);
  draw_text(list, frame_.fonts, Face::mono, pixels,
            {left_ + width_ - text_size(frame_.fonts, Face::mono, pixels, to).x, under}, frame_.look.muted, to);
  ImGui::SetCursorScreenPos(at);
  advance(guess_room * u);
  if (steps != 0) return std::clamp(part + 0.01 * steps, 0.0, 1.0);
  if (!held) return {};
  return std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - first) / length), 0.0, 1.0);
}

void PanelColumn::advance(float height) {
  const ImVec2 at = here();
  ImGui::SetCursorScreenPos({left_, at.y});
  ImGui::Dummy({1, height});
  ImGui::SetCursorScreenPos({left_, at.y + height});
}

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
    const bool breaks = word_width > width;  // a long name is broken anywhere
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

}  // namespace headlight
