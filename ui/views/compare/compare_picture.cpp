#include "ui/views/compare/compare_picture.h"

#include <algorithm>

#include "core/compute/run/statistics.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/compare/sizes.h"

namespace headlight {
namespace {

using Kind = StageDifference::Kind;

/// The place of a matrix of this size in a card, below its title.
Rect fit(const Rect& card, Index rows, Index cols, float title, float left, float below, float u) {
  const Rect box{{card.min.x + Space::pad * u + left, card.min.y + title},
                 {card.max.x - Space::pad * u, card.max.y - Space::pad * u - below}};
  const float cell = std::min(box.width() / static_cast<float>(cols), box.height() / static_cast<float>(rows));
  const float wide = std::min(box.width() / static_cast<float>(cols), cell * 1.5f);
  const ImVec2 size{wide * static_cast<float>(cols), cell * static_cast<float>(rows)};
  const ImVec2 min{box.centre().x - size.x / 2, box.min.y};
  return {min, {min.x + size.x, min.y + size.y}};
}

/// Sets one range for all cells, whatever the view's setting.
void set_range(HeatPicture& heat, ValueRange range) {
  heat.quad.range = range;
  heat.quad.row_ranges = false;
  heat.quad.norm = Norm::linear;
  heat.shades = Tensor();
}

bool changes_in(const StageDifference& stage, Index batch, Index head) {
  const MatrixView matrix = stage.values.matrix(batch, head);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (matrix(row, col) != 0) return true;
    }
  }
  return false;
}

/// The selected batch entry and head; if nothing changes there but elsewhere, those with the largest change.
Slice slice_of(const Frame& frame, const StageDifference& stage) {
  const Slice looked{frame.view().batch, frame.view().head};
  if (stage.kind != Kind::differs || stage.values.source()) return looked;
  const Index groups = heads_per(*frame.trace(), stage.stage);
  const bool has_batch = stage.values.rank() >= 3, has_head = has_head_axis(stage.stage);
  if (changes_in(stage, has_batch ? looked.batch : 0, has_head ? looked.head / groups : 0)) return looked;
  return {has_batch ? stage.at.batch : looked.batch, has_head ? stage.at.head * groups : looked.head};
}

HeatPicture slice_heat(const Frame& frame, Stage stage, const Slice& slice, Rect rect) {
  HeatPicture heat = make_heat(frame, stage, slice.head, rect);
  if ((*frame.trace())[stage].rank() >= 3) heat.batch = heat.quad.batch = slice.batch;
  return heat;
}

/// B's matrix of a stage, with the values B − A.
HeatPicture difference_heat(const Frame& frame, const StageDifference& stage, Rect rect, const Slice& slice) {
  HeatPicture heat = slice_heat(frame, stage.stage, slice, rect);
  heat.quad.values = stage.values.defined() ? stage.values : Tensor::full({1}, 0).expand(heat.quad.values.shape());
  heat.quad.mask = heat.quad.kept = Tensor();
  heat.quad.show_leaks = false;
  heat.quad.colormap = heat.colormap = &window_colormap(frame.view(), Stage::scores);
  // Rounding differences of float32 are not coloured; the number shows them.
  const ValueRange of_stage = stage_range(*frame.trace(), stage.stage, ColormapKind::diverging);
  const float reach = stage.largest > 2e-6f * of_stage.hi ? stage.largest : std::max(of_stage.hi, 1e-30f);
  set_range(heat, {-reach, reach});
  return heat;
}

/// The matrices of A and B with one range, so that their colours can be compared.
HeatPicture side_heat(const Frame& frame, Stage stage, const Slice& slice, const Trace& side, Rect rect) {
  HeatPicture heat = slice_heat(frame, stage, slice, rect);
  heat.quad.values = side[stage];
  if (heat.quad.mask.defined()) heat.quad.mask = side[Stage::mask];
  if (heat.quad.kept.defined()) heat.quad.kept = side.dropout_keep;
  const Document& document = frame.document;
  const ColormapKind kind = heat.colormap->kind();
  const ValueRange a = stage_range(*document.pinned, stage, kind);
  const ValueRange b = stage_range(*document.trace, stage, kind);
  set_range(heat, {std::min(a.lo, b.lo), std::max(a.hi, b.hi)});
  return heat;
}

Stage stage_shown(const Frame& frame) {
  const Difference& difference = *frame.document.difference;
  const std::optional<Stage>& chosen = frame.view().compared;
  if (chosen && difference.find(*chosen)) return *chosen;
  const StageDifference* weights = difference.find(Stage::weights);
  const StageDifference* first = difference.first();
  return weights && weights->kind != Kind::differs && weights->kind != Kind::other_shape && first ? first->stage
                                                                                                  : Stage::weights;
}

/// The cell size of one of three panels; with two lines, B − A is below A and B.
float panel_cell(const MatrixView& matrix, Rect area, int lines, float names, float gap, float u) {
  const auto n = static_cast<float>(lines), columns = lines == 1 ? 3.0f : 2.0f;
  const ImVec2 box{
      (area.width() - (columns - 1) * gap) / columns - names - Space::wide * u,
      (area.height() - (n - 1) * gap) / n - (ComparedPanel::title + ComparedPanel::foot + ComparedPanel::names) * u};
  return std::min(1.5f * std::max(box.y, 0.0f) / static_cast<float>(matrix.rows),
                  std::max(box.x, 0.0f) / static_cast<float>(matrix.cols));
}

/// A's matrix if its shape differs from B's, at the selected batch entry and head or the nearest existing ones.
HeatPicture other_heat(const Frame& frame, Stage stage, Rect rect) {
  const Trace& a = *frame.document.pinned;
  const Tensor& whole = a[stage];
  HeatPicture heat = side_heat(frame, stage, {}, a, rect);
  heat.elsewhere = true;
  const Index head = frame.view().head / heads_per(a, stage);
  heat.batch = heat.quad.batch = whole.rank() >= 3 ? std::min(frame.view().batch, whole.size(0) - 1) : 0;
  heat.head = heat.quad.head = whole.rank() >= 4 ? std::min(head, whole.size(1) - 1) : 0;
  const MatrixView matrix = whole.matrix(heat.batch, heat.head);
  heat.rows = matrix.rows;
  heat.cols = matrix.cols;
  return heat;
}

void put_panel(Pen& pen, const Rect& card, const std::string& title, HeatPicture heat, bool last) {
  pen.matrix_card(card, title, {.heat = std::make_shared<HeatPicture>(std::move(heat)), .numbers = true},
                  last ? pen.look().accent : 0, (last ? 1.6f : 1) * pen.u());
}

/// A and B next to each other, each in its own shape and with its own labels. Returns the y coordinate below.
float put_two_shapes(const Frame& frame, Pen& pen, Stage stage, Rect area) {
  const float u = frame.u, gap = Space::apart * u, width = (area.width() - gap) / 2, pixels = TypeSize::note * u;
  float bottom = area.min.y;
  for (int i = 0; i < 2; ++i) {
    const Trace& side = i == 0 ? *frame.document.pinned : *frame.trace();
    const MatrixView matrix = side[stage].matrix();
    const float left = area.min.x + static_cast<float>(i) * (width + gap);
    Rect card{{left, area.min.y}, {left + width, area.max.y}};
    const Index batch = side[stage].rank() >= 3 ? std::min(frame.view().batch, side[stage].size(0) - 1) : 0;
    std::vector<std::string> rows = axis_labels(side, info(stage).rows, batch, matrix.rows),
                             cols = axis_labels(side, info(stage).cols, batch, matrix.cols);
    const auto widest = [&](const std::vector<std::string>& labels) {
      float most = 0;
      for (const std::string& label : labels) most = std::max(most, pen.measure(Face::bold, pixels, label).x);
      return most;
    };
    const float names =
        std::min(std::clamp(widest(rows) + Space::gap * u, Space::section * u, ComparedNames::most * u), width * 0.36f);
    const Rect rect = fit(card, matrix.rows, matrix.cols, ComparedPanel::title * u, names, ComparedPanel::names * u, u);
    HeatPicture heat = i == 0 ? other_heat(frame, stage, rect)
                              : side_heat(frame, stage, {frame.view().batch, frame.view().head}, side, rect);
    heat.row_labels = std::move(rows);
    heat.widest_column = widest(cols) / pixels;
    if (rect.width() / static_cast<float>(matrix.cols) >= ComparedNames::columns * u) heat.col_labels = std::move(cols);
    heat.label_room = (names - Space::near * u) / pixels;
    card.max.y = rect.max.y + ComparedPanel::foot * u;
    bottom = std::max(bottom, card.max.y);
    put_panel(pen, card, frame.words(i == 0 ? "compare.a" : "compare.b"), std::move(heat), i == 1);
  }
  return bottom;
}

/// Returns the y coordinate below the panels: they are as high as their matrices need.
float put_panels(const Frame& frame, Pen& pen, const StageDifference& stage, Rect area) {
  if (stage.kind == Kind::other_shape) return put_two_shapes(frame, pen, stage.stage, area);
  if (stage.kind != Kind::differs && stage.kind != Kind::same) return area.min.y;
  const float u = frame.u, gap = Space::apart * u, pixels = TypeSize::note * u;
  const MatrixView matrix = (*frame.trace())[stage.stage].matrix();
  const StageInfo& about = info(stage.stage);
  const float widest = widest_label(frame, about.rows, matrix.rows, pixels) + Space::gap * u;
  const float wanted = std::clamp(widest, Space::section * u, ComparedNames::most * u);
  const bool folds = panel_cell(matrix, area, 2, wanted, gap, u) > panel_cell(matrix, area, 1, wanted, gap, u);
  const float width = folds ? (area.width() - gap) / 2 : (area.width() - 2 * gap) / 3;
  const float height = folds ? (area.height() - gap) / 2 : area.height();
  const float names = std::min(wanted, width * 0.36f);
  const ImVec2 box{width - names - Space::wide * u, height - (ComparedPanel::title + ComparedPanel::foot) * u};
  const float turned =
      about.cols == Axis::key ? turned_room(frame, Axis::key, matrix.rows, matrix.cols, box, pixels) : 0;
  const float names_below = turned > 0 ? 0.71f * turned + Space::card * u : ComparedPanel::names * u;
  const bool wide_cells = width / static_cast<float>(matrix.cols) >= ComparedNames::columns * u;
  const Slice slice = slice_of(frame, stage);
  const std::string titles[] = {frame.words("compare.a"), frame.words("compare.b"),
                                slice_title(frame, stage.stage, slice)};
  float bottom = area.min.y;
  for (int i = 0; i < 3; ++i) {
    const bool second = folds && i == 2;
    const float left = area.min.x + (second ? 0 : static_cast<float>(i) * (width + gap)),
                top = second ? bottom + gap : area.min.y;
    Rect card{{left, top}, {second ? area.max.x : left + width, top + height}};
    const Rect rect = fit(card, matrix.rows, matrix.cols, ComparedPanel::title * u, names, names_below, u);
    bottom = card.max.y = rect.max.y + names_below + (ComparedPanel::foot - ComparedPanel::names) * u;
    HeatPicture heat =
        i == 2 ? difference_heat(frame, stage, rect, slice)
               : side_heat(frame, stage.stage, slice, i == 0 ? *frame.document.pinned : *frame.trace(), rect);
    heat.row_labels = axis_labels(*frame.trace(), about.rows, slice.batch, matrix.rows);
    if (wide_cells || turned > 0) {
      heat.col_labels = axis_labels(*frame.trace(), about.cols, slice.batch, matrix.cols);
      heat.widest_column = widest_label(frame, about.cols, matrix.cols, pixels) / pixels;
    }
    heat.label_room = (names - Space::near * u) / pixels;
    heat.turned_room = turned / pixels;
    put_panel(pen, card, titles[i], std::move(heat), i == 2);
  }
  return bottom;
}

/// A small card with a matrix; a click shows it large.
SceneTarget& put_small(Pen& pen, const Rect& card, bool chosen, std::string id, SceneAction action, const Cell& cell,
                       HeatPicture heat) {
  pen.card(card, chosen ? pen.look().accent : 0, (chosen ? 2 : 1) * pen.u());
  if (heat.rows > 0) pen.heat({.heat = std::make_shared<HeatPicture>(std::move(heat))});
  SceneTarget& target = pen.control(card, std::move(id), action, 0, cell);
  if (!chosen) target.framed = card;
  return target;
}

/// One batch entry and head of the large stage.
struct OneSlice {
  Slice of;
  std::string label;
  bool chosen = false, changed = false;
};

/// A small B − A for every batch entry and head, in a row that ends at `right`; returns the y coordinate below it.
float put_slices(const Frame& frame, Pen& pen, const StageDifference& stage, ImVec2 at, float right) {
  const float u = frame.u, side = ComparedSlice::side * u, gap = Space::gap * u, above = Space::row * u;
  const Tensor& whole = (*frame.trace())[stage.stage];
  const bool has_head = has_head_axis(stage.stage);
  const Index entries = whole.rank() >= 3 ? whole.size(0) : 1, heads = has_head ? whole.size(1) : 1,
              groups = heads_per(*frame.trace(), stage.stage);
  if (stage.kind != Kind::differs || entries * heads < 2) return at.y;
  const auto room = static_cast<std::size_t>(std::max((right - at.x + gap) / (side + gap), 1.0f));
  const Slice shown = slice_of(frame, stage);
  std::vector<OneSlice> all;
  for (Index b = 0; b < entries; ++b) {
    for (Index h = 0; h < heads; ++h) {
      OneSlice& slice = all.emplace_back(OneSlice{{b, h * groups}, {}});
      slice.changed = changes_in(stage, b, h);
      slice.chosen = (entries == 1 || b == shown.batch) && (!has_head || h == shown.head / groups);
      slice.label = !has_head      ? frame.words.fill("mask.entry", {b})
                    : entries == 1 ? frame.words.fill("mask.head", {h})
                                   : std::to_string(b) + " · " + std::to_string(h);
    }
  }
  if (all.size() > room) {
    std::stable_partition(all.begin(), all.end(), [](const OneSlice& slice) { return slice.changed || slice.chosen; });
    all.resize(room);
    std::ranges::sort(all, {}, [](const OneSlice& slice) { return std::pair(slice.of.batch, slice.of.head); });
  }
  const MatrixView matrix = whole.matrix();
  float x = at.x;
  for (const OneSlice& slice : all) {
    const Rect card{{x, at.y + above}, {x + side, at.y + above + side}};
    const Rect cells = fit(card, matrix.rows, matrix.cols, Space::tight * u, 0, Space::tight * u, u);
    put_small(pen, card, slice.chosen, "slice " + slice.label, SceneAction::slice,
              {stage.stage, slice.of.batch, slice.of.head, 0, 0}, difference_heat(frame, stage, cells, slice.of))
        .rect.min.y = at.y;
    pen.words(slice.chosen ? Face::bold : Face::ui, TypeSize::body * u, {x, at.y + u},
              slice.changed ? frame.look.ink : frame.look.muted, slice.label, side + Space::near * u);
    x += side + gap;
  }
  return at.y + above + side + Space::pad * u;
}

/// A stage that differs: its name, B − A, and the largest change.
void put_tile(const Frame& frame, Pen& pen, const StageDifference& stage, const Rect& card, bool chosen) {
  const float u = frame.u, inner = card.width() - Space::part * u, left = card.min.x + Space::gap * u;
  const std::string largest = largest_words(frame, stage);
  HeatPicture heat;
  Cell at{stage.stage};
  if (stage.kind == Kind::differs) {
    at = stage.at;
    const MatrixView matrix = stage.values.matrix();
    // In a low tile, the matrix is next to the number, not above it.
    const bool low = card.height() < ComparedTile::low * u;
    const float number = low ? pen.measure(Face::ui, TypeSize::body * u, largest).x + Space::near * u : 0,
                below = low ? -Space::tight * u : Space::wide * u;
    heat = difference_heat(frame, stage, fit(card, matrix.rows, matrix.cols, ComparedTile::title * u, number, below, u),
                           slice_of(frame, stage));
  }
  put_small(pen, card, chosen, std::string(name(stage.stage)), SceneAction::stage, at, std::move(heat));
  pen.words(Face::bold, TypeSize::body * u, {left, card.min.y + Space::close * u}, frame.look.lane(stage.stage),
            name(stage.stage), inner);
  pen.words(Face::ui, TypeSize::body * u, {left, card.max.y - ComparedTile::number * u}, frame.look.ink, largest,
            inner);
}

/// Whether at least one tile has a matrix.
bool any_differs(const Frame& frame) {
  return std::ranges::any_of(frame.document.difference->stages,
                             [](const StageDifference& stage) { return stage.kind == Kind::differs; });
}

/// The number of lines of tiles for the changed stages.
int tile_rows(const Frame& frame, float width) {
  const auto changed = static_cast<int>(std::ranges::count_if(
      frame.document.difference->stages, [](const StageDifference& stage) { return stage.kind != Kind::same; }));
  const int fitting = std::max(
      static_cast<int>((width / frame.u + ComparedTile::gap) / (ComparedTile::narrowest + ComparedTile::gap)), 1);
  return (changed + fitting - 1) / fitting;
}

void put_tiles(const Frame& frame, Pen& pen, Rect area, Stage chosen) {
  const float u = frame.u;
  std::vector<const StageDifference*> changed;
  for (const StageDifference& stage : frame.document.difference->stages) {
    if (stage.kind != Kind::same) changed.push_back(&stage);
  }
  const float gap = ComparedTile::gap * u;
  const int rows = tile_rows(frame, area.width());
  if (rows == 0) return;
  const int columns = (static_cast<int>(changed.size()) + rows - 1) / rows;
  const float width = std::min((area.width() + gap) / static_cast<float>(columns) - gap, ComparedTile::widest * u);
  const float height = std::min((area.height() + gap) / static_cast<float>(rows) - gap,
                                (any_differs(frame) ? ComparedTile::highest : ComparedTile::lowest) * u);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const ImVec2 min{area.min.x + static_cast<float>(static_cast<int>(i) % columns) * (width + gap),
                     area.min.y + static_cast<float>(static_cast<int>(i) / columns) * (height + gap)};
    put_tile(frame, pen, *changed[i], {min, {min.x + width, min.y + height}}, changed[i]->stage == chosen);
  }
}

/// Puts the names of the unchanged stages at the bottom; returns where they begin.
float put_unchanged(const Frame& frame, Pen& pen, Rect inside) {
  const float u = frame.u, body = TypeSize::body * u;
  const std::string title = frame.words("compare.unchanged");
  const float names = inside.min.x + pen.measure(Face::ui, body, title).x + Space::gap * u;
  const std::vector<std::string> lines =
      paragraph_lines(frame.fonts, Face::ui, body, unchanged_words(frame), inside.max.x - names);
  float y = inside.max.y - summary_line * u * std::max(static_cast<float>(lines.size()), 1.0f);
  const float top = y;
  pen.words(Face::ui, body, {inside.min.x, y}, frame.look.muted, title);
  for (const std::string& line : lines) {
    pen.words(Face::ui, body, {names, y}, frame.look.muted, line);
    y += summary_line * u;
  }
  return top;
}

/// `inside` has the heading, `area` below it the matrices.
ComparePicture make_compare_picture(const Frame& frame, Rect inside, Rect area, float right) {
  ComparePicture picture;
  Pen pen(frame, picture.scene);
  const float u = frame.u, body = TypeSize::body * u, heading = TypeSize::heading * u;
  const Look& look = frame.look;
  pen.words(Face::bold, heading, {inside.min.x, inside.min.y + Space::thin * u}, look.ink, changes_words(frame),
            right - inside.min.x - Space::apart * u);
  float y = inside.min.y + CompareParts::summary * u;
  for (const std::string& line : summary_lines(frame, inside.width())) {
    pen.words(Face::ui, body, {inside.min.x, y}, look.muted, line);
    y += summary_line * u;
  }

  area.max.y -= inside.max.y - summary_line * u - put_unchanged(frame, pen, inside);
  picture.stage = stage_shown(frame);
  const StageDifference& stage = *frame.document.difference->find(picture.stage);
  const float from =
      pen.words(Face::bold, heading, area.min, look.lane(picture.stage), name(picture.stage)).max.x + Space::apart * u;
  pen.words(Face::ui, body, {from, area.min.y + Space::fine * u}, look.ink, difference_words(frame, stage),
            area.max.x - from);

  const int rows = tile_rows(frame, area.width());
  const float lowest =
      std::min(static_cast<float>(rows) * (ComparedTile::lowest + ComparedTile::gap) * u, area.height() * 0.45f);
  float tiles = !any_differs(frame) ? lowest
                : rows > 0          ? std::max(CompareParts::tiles.of(area.height(), u), lowest)
                                    : 0;
  const Tensor& whole = (*frame.trace())[picture.stage];
  bool several = stage.kind == Kind::differs && whole.rank() >= 3 &&
                 (whole.size(0) > 1 || (has_head_axis(picture.stage) && whole.size(1) > 1));
  // If room is scarce, the three panels have priority over the small matrices.
  if (area.height() - tiles - (several ? CompareParts::slices : 0) * u - CompareParts::both * u <
      CompareParts::least_panels * u)
    tiles = lowest;
  if (area.height() - tiles - CompareParts::slices * u - CompareParts::both * u < CompareParts::least_panels * u)
    several = false;
  const float row = several ? CompareParts::slices * u : 0;
  float bottom = put_panels(frame, pen, stage,
                            {{area.min.x, area.min.y + CompareParts::title * u},
                             {area.max.x, area.max.y - tiles - row - CompareParts::foot * u}});
  picture.large = {area.min, {area.max.x, bottom}};
  if (several) bottom = put_slices(frame, pen, stage, {area.min.x, bottom + Space::gap * u}, area.max.x);
  put_tiles(frame, pen, {{area.min.x, bottom + Space::card * u}, {area.max.x, area.max.y - Space::section * u}},
            picture.stage);
  return picture;
}

}  // namespace

const ComparePicture& compare_picture(const Frame& frame, Rect inside, Rect area, float right) {
  const Document& document = frame.document;
  return frame.picture<ComparePicture>([&] { return make_compare_picture(frame, inside, area, right); },
                                       document.pinned, document.difference, document.view.compared, inside, area,
                                       right);
}

}  // namespace headlight
