// The compare view, computed once for two traces, a view and a size: A, B and B − A of one stage, and small pictures of
// B − A for the others.
#pragma once

#include <string>
#include <vector>

#include "core/compute/run/difference.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

struct ComparePicture {
  /// The large stage, below its name; a row of its batch entries and heads, if there are several (changed ones come
  /// first if not all fit); the stages that differ. Its targets: SceneAction::slice and SceneAction::stage.
  Scene scene;
  Stage stage{};
  Rect large;  ///< A, B, B − A, which can be pointed at
};

/// The same, cached. The heading ends at `right`, before the buttons.
const ComparePicture& compare_picture(const Frame& frame, Rect inside, Rect area, float right);

void draw_compare_view(const Frame& frame, Rect place);

/// One matrix of a stage.
struct Slice {
  Index batch = 0, head = 0;  ///< a query head
};

// The texts of the picture.
/// The settings that differ.
std::string changes_words(const Frame& frame);
/// The first stage that differs, and how the output changes, in lines of that width.
std::vector<std::string> summary_lines(const Frame& frame, float width);
inline constexpr float summary_line = 18;  ///< points: the height of such a line
/// The names of the unchanged stages.
std::string unchanged_words(const Frame& frame);
/// How much a stage differs: in a word, for a tile, and in a sentence.
std::string largest_words(const Frame& frame, const StageDifference& stage);
std::string difference_words(const Frame& frame, const StageDifference& stage);
/// The title of B − A. It names the batch entry and head if they are not those of the view.
std::string slice_title(const Frame& frame, Stage stage, const Slice& slice);

}  // namespace headlight
