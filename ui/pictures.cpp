#include "ui/pictures.h"

namespace headlight {

const PipelinePicture& pipeline_picture(const Frame& frame, ImVec2 size) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const Pictures::PipelineKey& key = kept.pipeline_key;
  // Compared field by field, so that a steady frame copies no strings.
  const bool same = key.trace == frame.document.trace && key.batch == view.batch && key.head == view.head && key.packed == view.packed &&
                    key.theme == view.theme && key.colormap == view.colormap && key.language == view.language &&
                    key.size.x == size.x && key.size.y == size.y && key.u == frame.u;
  if (!same) {
    kept.pipeline_key = {frame.document.trace, view.batch, view.head, view.packed, view.theme, view.colormap, view.language, size, frame.u};
    kept.pipeline = make_pipeline_picture(frame, size);
    kept.provenance_of.reset();
    kept.provenance = {};
  }
  return kept.pipeline;
}

const InspectorPicture& inspector_picture(const Frame& frame, const Cell& cell, float width) {
  Pictures& kept = frame.pictures;
  const View& view = frame.view();
  const InspectorKey& key = kept.inspector_key;
  const bool has_path = view.selected == cell;
  const bool same = key.trace == frame.document.trace && key.cell == cell && (has_path ? key.path == view.path : key.path.empty()) &&
                    key.theme == view.theme && key.colormap == view.colormap && key.language == view.language &&
                    key.width == width && key.u == frame.u;
  if (!same) {
    kept.inspector_key = {frame.document.trace, cell, has_path ? view.path : std::vector<Cell>{}, view.theme, view.colormap, view.language, width, frame.u};
    kept.inspector = make_inspector_picture(frame, cell, width);
  }
  return kept.inspector;
}

const Provenance& provenance_picture(const Frame& frame) {
  Pictures& kept = frame.pictures;
  const std::optional<Cell> cell = frame.looked_at();
  if (cell != kept.provenance_of) {
    kept.provenance_of = cell;
    kept.provenance = cell ? make_provenance(*frame.trace(), kept.pipeline, *cell) : Provenance{};
  }
  return kept.provenance;
}

}  // namespace headlight
