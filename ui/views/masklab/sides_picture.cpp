// The side-by-side sheet: the current mask A, another mask B, and their difference.
#include <algorithm>
#include <array>

#include "core/base/image/png_image.h"
#include "core/base/tensor/error.h"
#include "core/rules/mask/statistics.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/document/wanted.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

constexpr float outline_width = 2.5f, outlined_from = 9, below_field = 42, use_button = 142;  // points

struct SidesPicture {
  Scene scene;
  Rect cells{};        ///< A, B, B − A
  bool shows = false;  ///< false: B has an error
};

constexpr float words_of_card = 112;  // points: approximate height of a card's title and labels

struct SidesBuilder : ScenePart {
  const Frame& frame;
  Rect area;
  SidesPicture& picture;
  const Dims& dims = trace.dims();
  SheetWords words{};
  std::array<MatrixCard, 3> matrices{};  ///< A, B, B − A
  Tensor a{}, b{}, differing{}, either{};
  Index only_a = 0, only_b = 0;  ///< numbers of cells

  void compare() {
    a = looked_at_mask(frame);
    Scenario other = trace.scenario;
    other.mask = second_mask(view.mask_lab, frame.document.scenario);
    other.painted.clear();
    try {
      b = build_mask(mask_rule(other, trace.inputs))
              .slice(0, view.batch, 1)
              .slice(1, view.head, 1)
              .view({dims.n_q, dims.n_k});
    } catch (const ExpressionError& error) {
      words.error = frame.words.translate(error.sentence());
      return;
    }
    const MaskDifference difference = mask_difference(b, a);
    differing = difference.cells;  // B − A, as everywhere
    only_b = difference.only_first;
    only_a = difference.only_second;
    Buffer any(static_cast<std::size_t>(a.count()));
    for (std::size_t i = 0; i < any.size(); ++i) any[i] = std::max(a.values()[i], b.values()[i]);
    either = Tensor(a.shape(), std::move(any));
  }

  /// Outlines large cells that differ, in the colour of the difference.
  void outline(const HeatPicture& heat) {
    const MatrixView cells = differing.matrix();
    const Colormap& map = pair_colormap(look.theme);
    for (Index row = 0; row < cells.rows; ++row) {
      for (Index col = 0; col < cells.cols; ++col) {
        if (cells(row, col) == 0) continue;
        pen.box(cells_rect(heat, heat.rect, row, 1, col, 1).grown(-Space::fine * u),
                to_imgui(map.at(cells(row, col) < 0 ? 0 : 1)), outline_width * u, Corner::mark * u);
      }
    }
  }

  /// Tints small cells: an image with one pixel per screen pixel, tinted in the colour of the difference if a cell
  /// below it differs.
  std::shared_ptr<const Image> tint(const Rect& rect) const {
    const MatrixView cells = differing.matrix();
    const Colormap& map = pair_colormap(look.theme);
    const Rgba by_a = map.at(0), by_b = map.at(1);
    const int width = std::max(static_cast<int>(rect.width()), 1),
              height = std::max(static_cast<int>(rect.height()), 1);
    auto image = std::make_shared<Image>(width, height);
    for (int y = 0; y < height; ++y) {
      const Index first = y * cells.rows / height, last = std::max(first + 1, (y + 1) * cells.rows / height);
      for (int x = 0; x < width; ++x) {
        const Index left = x * cells.cols / width, right = std::max(left + 1, (x + 1) * cells.cols / width);
        for (Index row = first; row < last; ++row) {
          for (Index col = left; col < right; ++col) {
            if (cells(row, col) != 0) image->set(x, y, cells(row, col) < 0 ? by_a : by_b);
          }
        }
      }
    }
    return image;
  }

  void tell() {
    const Index differ = only_a + only_b;
    const std::string cells = grouped(dims.n_q * dims.n_k);
    words.title = say("mask_lab.sides.about");
    if (!words.error.empty()) return;
    words.lines.push_back(differ == 0 ? std::string(say("mask_lab.sides.same"))
                                      : say.fill("mask_lab.sides.differ", {grouped(differ), cells}));
    const Colormap& map = pair_colormap(look.theme);
    words.legend = mask_swatches(frame);
    words.legend.push_back({CellKind::value, to_imgui(map.at(0)), say("legend.only_a")});
    words.legend.push_back({CellKind::value, to_imgui(map.at(1)), say("legend.only_b")});
    const auto caption = [&](const Tensor& mask, const char* key, Index alone) {
      return std::vector{say.fill("mask_lab.sides.allowed", {grouped(allowed_share(mask).allowed), cells}),
                         say.fill(key, {grouped(alone)})};
    };
    matrices[0].caption = caption(a, "mask_lab.sides.a_alone", only_a);
    matrices[1].caption = caption(b, "mask_lab.sides.b_alone", only_b);
    matrices[2].caption = {say.fill("mask_lab.sides.more_a", {grouped(only_a)}),
                           say.fill("mask_lab.sides.more_b", {grouped(only_b)})};
  }

  void place() {
    const Rect below = put_sheet_words(pen, words, {{area.min.x, area.min.y + below_field * u}, area.max});
    picture.shows = words.error.empty();
    if (!picture.shows) return;
    constexpr std::array titles{"mask_lab.sides.a", "mask_lab.sides.b", "mask_lab.sides.difference"};
    const std::array values{a, b, differing};
    const float gap = Space::apart * u;
    const float one_line = std::min((below.width() - 2 * gap) / 3 / static_cast<float>(dims.n_k),
                                    below.height() / static_cast<float>(dims.n_q));
    const float two_lines = std::min((below.width() - gap) / 2 / static_cast<float>(dims.n_k),
                                     ((below.height() - gap) / 2 - words_of_card * u) / static_cast<float>(dims.n_q));
    const bool folds =
        two_lines > one_line - words_of_card * u / static_cast<float>(dims.n_q);  // B − A is below A and B
    const float width = folds ? (below.width() - gap) / 2 : (below.width() - 2 * gap) / 3;
    const float height = folds ? (below.height() - gap) / 2 : below.height();
    for (std::size_t i = 0; i < 3; ++i) {
      MatrixCard& card = matrices[i];
      card.title = say(titles[i]);
      card.heat = sheet_heat(frame, looked_at_stage(frame), values[i], {i == 2 ? -1.0f : 0.0f, 1});
      card.heat.quad.colormap = card.heat.colormap =
          i == 2 ? &pair_colormap(look.theme) : &window_colormap(view, Stage::mask);
      card.heat.quad.mask = i == 2 ? either : values[i];
      const bool second = folds && i == 2;
      const float left = below.min.x + (second ? 0 : static_cast<float>(i) * (width + gap)),
                  top = below.min.y + (second ? matrices[0].card.height() + gap : 0);
      lay_out(frame, card, {{left, top}, {second ? below.max.x : left + width, top + height}}, {.low = folds});
      put_matrix_card(pen, card);
    }
    picture.cells = {matrices[0].card.min,
                     {std::max(matrices[1].card.max.x, matrices[2].card.max.x),
                      std::max(matrices[1].card.max.y, matrices[2].card.max.y)}};
    if (only_a + only_b == 0) return;
    const Rect& first = matrices[0].heat.rect;
    const ImVec2 cell = cell_size(matrices[0].heat, first);
    const bool large = std::min(cell.x, cell.y) >= outlined_from * u;
    const auto image = large ? nullptr : tint(first);
    for (const HeatPicture* heat : {&matrices[0].heat, &matrices[1].heat}) {
      const ImVec2 min = heat->rect.min;
      if (large) outline(*heat);
      else
        pen.scene().items.emplace_back(SceneImage{
            {min, {min.x + static_cast<float>(image->width), min.y + static_cast<float>(image->height)}}, image});
    }
  }
};

const SidesPicture& sides_picture(const Frame& frame, Rect area) {
  const auto make = [&] {
    SidesPicture picture;
    Pen pen(frame, picture.scene);
    SidesBuilder build{pen, frame, area, picture};
    build.compare();
    build.tell();
    build.place();
    return picture;
  };
  return frame.picture<SidesPicture>(make, frame.view().mask_lab, area);
}

/// The field for B, and the button that makes it the mask.
void draw_field(const Frame& frame, const Rect& field, bool shows) {
  const float u = frame.u, button = use_button * u;
  const std::string& other = second_mask(frame.view().mask_lab, frame.document.scenario);
  {
    const ControlArea area("other", {field.min, {field.max.x - button - Space::gap * u, field.max.y}});
    if (const auto text = text_field(frame, "##other", other, Face::mono, true))
      frame.show([typed = *text](View& v) { v.mask_lab.other = typed; });
  }
  ImGui::SetCursorScreenPos({field.max.x - button, field.min.y});
  if (!chip(frame, "use", frame.words("mask_lab.sides.use"), false, button) || !shows) return;
  frame.edit({}, [mask = other](Scenario& s) { s.mask = mask; });
}

}  // namespace

void draw_side_by_side_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const SidesPicture& picture = sides_picture(frame, inside);
  draw_field(frame, {inside.min, {inside.max.x, inside.min.y + ControlHeight::field * frame.u}}, picture.shows);
  if (picture.shows) point_at_cells(frame, picture.scene, picture.cells);
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
}

}  // namespace headlight
