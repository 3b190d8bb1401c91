// The picture as a sentence: a patch is a word. Where one patch looks lies over the picture as a scale of colours, what
// looks at it over a second one; tokens that are no patches stand beside as cells.
#pragma once

#include <memory>

#include "core/network/network.h"
#include "ui/level/pen.h"

namespace headlight {

/// A batch entry's picture and how its tokens lie over it.
struct PatchPicture {
  std::shared_ptr<const Image> image, small;  ///< as the network sees it; for thumbnails
  Index rows = 0, columns = 0, extra = 0;     ///< `extra` tokens stand before the patches
};
/// Nothing where the network reads no pictures.
std::optional<PatchPicture> patch_picture(const NetworkRun& run, Index batch);

namespace sentence_parts {

struct Row;

/// One head's row over a small copy of the picture; gives the largest of its numbers.
float put_small_overlay(Pen& pen, const PatchPicture& picture, const MatrixView& weights, Index query, float opacity,
                        Rect room);
/// Where the asking token, whose `row` this is, looks: in `body`; with `hidden` nothing says it. What looks at it: in
/// `beside` where that has room, else in `body` too.
void put_patches(Pen& pen, const PatchPicture& picture, const Row& row, Index query, bool hidden, Rect body,
                 Rect beside);
/// A row of any matrix of tokens over the picture, with its bar, in `room`.
void put_patch_row(Pen& pen, const PatchPicture& picture, const MatrixView& matrix, Index query, Rect room);

/// "0.031 from 7,3, which it gives 0.012 itself": the number under the pointer, over everything.
void draw_patch_number(const SceneContext& context, const PatchPicture& picture, Index query, Index key);

}  // namespace sentence_parts
}  // namespace headlight
