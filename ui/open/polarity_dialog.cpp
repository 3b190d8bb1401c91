#include "ui/open/polarity_dialog.h"

#include <algorithm>
#include <cmath>

#include "core/image/theme.h"
#include "core/scenario/inputs.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/paragraph.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

struct Answer {
  const char* word;  ///< as --mask-polarity takes it, and LayerChoice::layer
  MaskPolarity polarity;
  const char* title;
  const char* meaning;
};
constexpr Answer answers[] = {{"attend", MaskPolarity::attend, "polarity.attend", "polarity.attend_means"},
                              {"ignore", MaskPolarity::ignore, "polarity.ignore", "polarity.ignore_means"}};

/// What each answer gives: 1 where a query may look.
struct MaskPictures {
  Tensor masks[2];
};
MaskPictures mask_pictures(const Scenario& asked) {
  MaskPictures pictures;
  for (std::size_t i = 0; i < 2; ++i) {
    Scenario scenario = asked;
    scenario.mask_polarity = answers[i].polarity;
    try {
      pictures.masks[i] = resolve(scenario).file_mask;
    } catch (const InputError&) {  // what else is wrong with the file is said once it is answered
    }
  }
  return pictures;
}

ImU32 ink_of(Rgba colour) { return IM_COL32(colour.r, colour.g, colour.b, 255); }

void draw_mask(const Frame& frame, const Tensor& mask, Rect place) {
  if (!mask.defined()) return;
  const MatrixView cells = mask.matrix(0, 0);
  constexpr Index most = 48;  // the upper left corner of a long one
  const Index rows = std::min(cells.rows, most), cols = std::min(cells.cols, most);
  const float side =
      std::floor(std::min(place.width() / static_cast<float>(cols), place.height() / static_cast<float>(rows)));
  const ThemeColours& theme = colours(frame.view().theme);
  const float gap = side >= 6 ? frame.u : 0;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const ImVec2 min{place.min.x + static_cast<float>(c) * side, place.min.y + static_cast<float>(r) * side};
      const ImVec2 max{min.x + side - gap, min.y + side - gap};
      const bool seen = cells(r, c) != 0;
      list.AddRectFilled(min, max, seen ? frame.look.allowed : ink_of(theme.hatch_ground));
      if (!seen) list.AddLine({min.x, max.y}, {max.x, min.y}, ink_of(theme.hatch_line), frame.u);
    }
  }
}

bool draw_answer(const Frame& frame, const Answer& answer, const Tensor& mask, Rect place) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(place.min);
  const bool clicked = pressable(frame, answer.word, {place.width(), place.height()});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) list.AddRectFilled(place.min, place.max, frame.look.field, Corner::card * u);
  compat::add_rect(list, place.min, place.max, hovered ? frame.look.accent : frame.look.line, Corner::card * u, 1);
  const float x = place.min.x + 14 * u, width = place.width() - 28 * u;
  draw_text(list, frame.fonts, Face::bold, TypeSize::large * u, {x, place.min.y + 12 * u}, frame.look.ink,
            frame.words(answer.title));
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::body * u, {x, place.min.y + 38 * u}, frame.look.muted,
                 frame.words(answer.meaning), width);
  const float said = 2.6f * TypeSize::body * u;  // two lines, so that both pictures stand at one height
  draw_mask(frame, mask, {{x, place.min.y + 50 * u + said}, {place.max.x - 14 * u, place.max.y - 14 * u}});
  return clicked;
}

}  // namespace

void draw_polarity_dialog(const Frame& frame, Rect place) {
  const auto& question = frame.view().layers.question;
  if (frame.view().dialog != Dialog::layers || !question || !question->candidates.empty()) return;
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::layers, "polarity", frame.words("polarity.title"), {720 * u, 520 * u});
  if (!area.open()) return;
  const MaskPictures& pictures =
      frame.pictures.get<MaskPictures>([&] { return mask_pictures(question->scenario); }, question);
  note(frame, frame.words.fill("polarity.which", {file_name_of(question->scenario.file)}));
  const Rect inside = area.content();
  const float top = ImGui::GetCursorScreenPos().y + 6 * u, half = (inside.width() - 14 * u) / 2;
  for (std::size_t i = 0; i < 2; ++i) {
    const float x = inside.min.x + static_cast<float>(i) * (half + 14 * u);
    if (!draw_answer(frame, answers[i], pictures.masks[i], {{x, top}, {x + half, inside.max.y}})) continue;
    frame.show([word = answers[i].word](View& v) { v.layers.layer = word; });
    frame.actions.push_back(TakeLayer{});
  }
}

}  // namespace headlight
