#include "ui/parts/matrix/swatches.h"

#include <array>
#include <cmath>

#include "core/figures/figure/heatmap_raster.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/imgui_compat.h"

namespace headlight {
namespace {

/// The patterns of all kinds of cells as in figures, in one size.
const auto& patterns(const Frame& frame, int side) {
  const auto make = [&] {
    std::array<std::shared_ptr<const Image>, cell_kind_count> images;
    HeatmapStyle style;
    style.map = &mask_colormap(frame.look.theme);
    style.range = {0, 1};
    style.theme = frame.look.theme;
    style.scale = frame.u;
    for (std::size_t k = 0; k < cell_kind_count; ++k)
      images[k] = std::make_shared<Image>(cell_swatch(static_cast<CellKind>(k), style, side, side));
    return images;
  };
  return frame.pictures.kept(make, frame.look.theme, side, frame.u);
}

}  // namespace

std::vector<Swatch> mask_swatches(const Frame& frame) {
  return {{CellKind::value, frame.look.allowed, frame.words("legend.may")},
          {CellKind::masked, 0, frame.words("legend.may_not")}};
}

void draw_swatch(const Frame& frame, ImDrawList& list, const Swatch& swatch, ImVec2 at, float side) {
  at = {std::round(at.x), std::round(at.y)};
  const auto pixels = std::max(static_cast<int>(std::lround(side)), 2);
  const ImVec2 end{at.x + static_cast<float>(pixels), at.y + static_cast<float>(pixels)};
  if (swatch.kind == CellKind::value) {
    list.AddRectFilled(at, end, swatch.colour);
  } else {
    frame.painter.image(list, at, patterns(frame, pixels)[static_cast<std::size_t>(swatch.kind)]);
  }
  compat::add_rect(list, at, end, frame.look.muted, 0, 1);
}

float draw_swatches(const Frame& frame, ImDrawList& list, std::span<const Swatch> swatches, ImVec2 at, float width) {
  const float u = frame.u, side = swatch_side * u;
  return place_swatches(frame.fonts, u, swatches, at, width, [&](const Swatch& swatch, ImVec2 corner, float room) {
    draw_swatch(frame, list, swatch, {corner.x, corner.y + Space::thin * u}, side);
    draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {corner.x + side + Space::near * u, corner.y},
                frame.look.ink, swatch.words, room);
  });
}

}  // namespace headlight
