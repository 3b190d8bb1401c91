#include "ui/pictures.h"

#include <algorithm>

namespace headlight {
namespace {

bool equal(const Rect& a, const Rect& b) {
  return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
}

}  // namespace

namespace {

constexpr Index averaged_a_frame = 2'000'000;  // numbers: a millisecond or two

}  // namespace

const std::vector<Lesson>& shown_lessons(Pictures& pictures) {
  if (pictures.lessons.empty()) pictures.lessons = shipped_lessons();
  return pictures.lessons;
}

const std::vector<LessonTile>& lesson_tiles(Pictures& pictures) {
  if (pictures.lesson_tiles.empty()) pictures.lesson_tiles = make_lesson_tiles(shown_lessons(pictures));
  return pictures.lesson_tiles;
}

const PipelinePicture& pipeline_picture(const Frame& frame, ImVec2 size) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const Pictures::PipelineKey& key = kept.pipeline_key;
  // Compared field by field, so that a steady frame copies no strings.
  const bool same = key.trace == frame.document.trace && key.batch == view.batch && key.head == view.head && key.packed == view.packed &&
                    key.theme == view.theme && key.colormap == view.colormap && key.range == view.range && key.language == view.language &&
                    key.presenting == view.presenting && key.size.x == size.x && key.size.y == size.y && key.u == frame.u;
  if (!same) {
    kept.pipeline_key = {frame.document.trace, view.batch, view.head, view.packed, view.theme, view.colormap, view.range, view.language, view.presenting, size, frame.u};
    kept.pipeline = make_pipeline_picture(frame, size);
    kept.provenance_of.reset();
    kept.provenance = {};
    kept.moment_key = {};
  }
  return kept.pipeline;
}

const HeadsPicture& heads_picture(const Frame& frame, Rect grid, Rect arcs) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const HeadsKey& key = kept.heads_key;
  const std::optional<Cell>& cell = view.hovered ? view.hovered : view.selected;
  std::optional<Index> query;
  if (frame.trace()->dims().n_q > arc_queries && cell && info(cell->stage).rows == Axis::query) query = cell->row;
  const bool same = key.trace == frame.document.trace && key.batch == view.batch && key.head == view.head && key.choice == view.heads &&
                    key.query == query && key.theme == view.theme && key.colormap == view.colormap && key.range == view.range && key.language == view.language &&
                    equal(key.grid, grid) && equal(key.arcs, arcs) && key.u == frame.u;
  if (!same) {
    kept.heads_key = {frame.document.trace, view.batch, view.head, view.heads, query, view.theme, view.colormap, view.range, view.language, grid, arcs, frame.u};
    kept.heads = make_heads_picture(frame, grid, arcs, query);
    if (kept.heads.averaged.empty()) {
      kept.average.drop();
    } else {
      kept.average.want((*frame.trace())[view.heads.stage], kept.heads.averaged_mask, view.batch, kept.heads.averaged);
    }
  }
  kept.average.advance(averaged_a_frame);
  if (!kept.heads.averaged.empty()) {
    MatrixQuad& quad = kept.heads.cards.back().heat.quad;
    quad.values = kept.average.mean();
    quad.mask = kept.average.allowed();
  }
  return kept.heads;
}

const ComparePicture& compare_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  const Document& document = frame.document;
  const View& view = document.view;
  const CompareKey& key = kept.compare_key;
  const bool same = key.a == document.pinned && key.b == document.trace && key.difference == document.difference &&
                    key.batch == view.batch && key.head == view.head && key.compared == view.compared && key.theme == view.theme &&
                    key.colormap == view.colormap && key.range == view.range && key.language == view.language && equal(key.area, area) && key.u == frame.u;
  if (!same) {
    kept.compare_key = {document.pinned, document.trace, document.difference, view.batch, view.head, view.compared,
                        view.theme, view.colormap, view.range, view.language, area, frame.u};
    kept.compare = make_compare_picture(frame, area);
  }
  return kept.compare;
}

const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const InspectorKey& key = kept.inspector_key;
  const bool has_path = view.selected == cell;
  const bool same = key.trace == frame.document.trace && key.cell == cell && key.reaches == view.reaches && (has_path ? key.path == view.path : key.path.empty()) &&
                    key.theme == view.theme && key.colormap == view.colormap && key.range == view.range && key.language == view.language &&
                    key.width == width && key.u == frame.u;
  if (!same) {
    kept.inspector_key = {frame.document.trace, cell, has_path ? view.path : std::vector<Cell>{}, view.reaches, view.theme, view.colormap, view.range, view.language, width, frame.u};
    kept.inspector = make_inspector_picture(frame, cell, width);
  }
  return kept.inspector;
}

const ExportPreview& export_preview(const Frame& frame, ImVec2 room) {
  Pictures& kept = frame.pictures;
  const ExportKey& key = kept.export_key;
  const ExportChoice& choice = frame.view().exporting;
  const int width = std::max(1, static_cast<int>(room.x)), height = std::max(1, static_cast<int>(room.y));
  const bool same = key.trace == frame.document.trace && key.choice == choice && key.beginning == frame.document.origin.lesson.file &&
                    key.width == width && key.height == height;
  if (!same) {
    kept.export_key = {frame.document.trace, choice, frame.document.origin.lesson.file, width, height};
    kept.export_preview = make_export_preview(frame.document, width, height);
  }
  return kept.export_preview;
}

const Provenance& provenance_picture(const Frame& frame) {
  Pictures& kept = frame.pictures;
  const std::optional<Cell> cell = frame.looked_at();
  const bool reaches = cell && shows_reach(frame.view(), *frame.trace(), cell->stage);
  if (cell != kept.provenance_of || reaches != kept.provenance_reaches) {
    kept.provenance_of = cell;
    kept.provenance_reaches = reaches;
    const auto make = reaches ? make_reach : make_provenance;
    kept.provenance = cell ? make(*frame.trace(), kept.pipeline, *cell) : Provenance{};
  }
  return kept.provenance;
}

const MomentPicture& moment_picture(const Frame& frame) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const MomentKey& key = kept.moment_key;
  const bool same = key.trace == frame.document.trace && key.step == view.step && key.way == view.way && key.batch == view.batch &&
                    key.head == view.head && key.theme == view.theme && key.language == view.language;
  if (!same) {
    kept.moment_key = {frame.document.trace, view.step, view.way, view.batch, view.head, view.theme, view.language};
    kept.moment = make_moment_picture(frame, kept.pipeline);
  }
  return kept.moment;
}

const MaskPicture& mask_picture(const Frame& frame, Rect area) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const MaskKey& key = kept.mask_key;
  const bool same = key.trace == frame.document.trace && key.batch == view.batch && key.head == view.head && key.theme == view.theme &&
                    key.colormap == view.colormap && key.range == view.range && key.language == view.language && key.u == frame.u &&
                    equal(key.area, area);
  if (!same) {
    kept.mask_key = {frame.document.trace, view.batch, view.head, view.theme, view.colormap, view.range, view.language, area, frame.u};
    kept.mask = make_mask_picture(frame, area);
  }
  return kept.mask;
}

const ControlsPicture& controls_picture(const Frame& frame) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const ControlsKey& key = kept.controls_key;
  const bool same = key.trace == frame.document.trace && key.batch == view.batch && key.head == view.head && key.fixed_range == view.range.fixed &&
                    key.language == view.language;
  if (!same) {
    kept.controls_key = {frame.document.trace, view.batch, view.head, view.range.fixed, view.language};
    kept.controls = make_controls_picture(frame);
  }
  return kept.controls;
}

const MaskTextPicture& mask_text_picture(const Frame& frame, std::size_t columns) {
  Pictures& kept = frame.pictures;
  const std::optional<std::string>& draft = frame.view().mask_draft;
  const std::string& text = draft ? *draft : frame.document.scenario.mask;
  if (kept.mask_text.text != text || kept.mask_text_columns != columns) {
    kept.mask_text_columns = columns;
    kept.mask_text = make_mask_text_picture(text, columns);
  }
  return kept.mask_text;
}

const std::string& painted_words(const Frame& frame) {
  Pictures::PaintedWords& kept = frame.pictures.painted_words;
  const std::vector<PaintedCells>& painted = frame.document.scenario.painted;
  const View& view = frame.view();
  const Dims& dims = frame.trace()->dims();
  const bool same = kept.painted == painted && kept.dims == dims && kept.batch == view.batch && kept.head == view.head && kept.language == view.language;
  if (same && !kept.words.empty()) return kept.words;
  kept = {painted, dims, view.batch, view.head, view.language, {}};
  const PaintedCount count = painted_count(painted, view.batch, view.head, {dims.batch, dims.heads, dims.n_q, dims.n_k});
  kept.words = frame.words.fill("mask_paint.painted", {std::to_string(count.allowed), std::to_string(count.forbidden)});
  return kept.words;
}

const std::vector<PatternTile>& palette_picture(const Frame& frame) {
  std::vector<PatternTile>& palette = frame.pictures.palette;
  if (palette.empty()) palette = make_palette();
  return palette;
}

}  // namespace headlight
