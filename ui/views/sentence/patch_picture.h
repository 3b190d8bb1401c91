// The picture as a sentence: its patches are the words. The attention of one patch is shown as colours over the
// picture, the attention to that patch over a second copy; tokens that are not patches are cells next to it.
#pragma once

#include <memory>

#include "core/compute/network/network.h"
#include "ui/parts/scene/pen.h"

namespace headlight {

/// A batch entry's picture and the layout of its tokens.
struct PatchPicture {
  std::shared_ptr<const Image> image, small;  ///< as the network sees it; for thumbnails
  Index rows = 0, columns = 0, extra = 0;     ///< number of patches; number of tokens before the patches
};
/// Unset if the network does not read pictures.
std::optional<PatchPicture> patch_picture(const NetworkRun& run, Index batch);

namespace sentence_parts {

struct Row;

/// One head's row over a small copy of the picture; returns the largest of its numbers.
float put_small_overlay(Pen& pen, const PatchPicture& picture, const MatrixView& weights, Index query, float opacity,
                        Rect room);
/// The attention of the selected token, whose `row` this is, in `body`; `hidden` hides it. The attention to that token
/// in `beside` if that has room, otherwise also in `body`.
void put_patches(Pen& pen, const PatchPicture& picture, const Row& row, Index query, bool hidden, Rect body,
                 Rect beside);
/// A row of any matrix over tokens on the picture, with its colour bar, in `room`.
void put_patch_row(Pen& pen, const PatchPicture& picture, const MatrixView& matrix, Index query, Rect room);

/// The number under the pointer, above everything: "0.031 from 7,3, which it gives 0.012 itself".
void draw_patch_number(const SceneContext& context, const PatchPicture& picture, Index query, Index key);

}  // namespace sentence_parts
}  // namespace headlight
