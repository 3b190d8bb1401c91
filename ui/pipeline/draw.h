// Draws a PipelinePicture on a canvas that pans and zooms, and finds what is under the pointer.
#pragma once

#include <optional>
#include <string>

#include "ui/frame/frame.h"
#include "ui/pipeline/layout.h"
#include "ui/pipeline/moment_picture.h"
#include "ui/pipeline/picture.h"
#include "ui/pipeline/provenance.h"

namespace headlight {

/// Converts canvas pixels at zoom 1 to screen pixels and back.
struct CanvasTransform {
  ImVec2 origin;
  float zoom = 1;
  ImVec2 screen(ImVec2 p) const { return {origin.x + p.x * zoom, origin.y + p.y * zoom}; }
  ImVec2 canvas(ImVec2 p) const { return {(p.x - origin.x) / zoom, (p.y - origin.y) / zoom}; }
  Rect screen(const Rect& r) const { return {screen(r.min), screen(r.max)}; }
};

void draw_pipeline(const Frame& frame, const PipelinePicture& picture, const Provenance& provenance,
                   const MomentPicture& moment, const CanvasTransform& transform);

/// The cell at a point of the canvas.
std::optional<Cell> cell_at(const PipelinePicture& picture, ImVec2 point);
/// The head whose thumbnail is at a point.
std::optional<Index> thumbnail_at(const PipelinePicture& picture, ImVec2 point);

/// `on_its_way` replaces the numbers of an unfinished stage: "3 of 16 terms".
void draw_caption(const Frame& frame, ImDrawList& list, Stage stage, const std::string& on_its_way, Rect row);

}  // namespace headlight
