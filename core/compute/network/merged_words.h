// The weights of words in place of those of their pieces.
#pragma once

#include "core/compute/run/pipeline.h"

namespace headlight {

/// The trace of the weights alone in which the tokens of a word (core/models/tokenizer/spelling.h) are one row, the
/// mean of theirs, and one column, their sum. A cell is masked if all of its cells are. Throws SettingError if there
/// are no weights or no names.
std::shared_ptr<const Trace> merged_words(const std::shared_ptr<const Trace>& pieces, const Trace* last,
                                          const Run& run);

}  // namespace headlight
