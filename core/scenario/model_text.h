// A whole model's input: text through the file's own token embedding, as its first attention gets it.
#pragma once

#include "core/scenario/file_source.h"

namespace headlight {

/// query = key = value from scenario.text, a line a batch entry: the embedding and the norm before the attention that
/// the layer's architecture has, else GPT-2's, BERT's or LLaMA's by the arrays' names. What was done, and what is
/// missing for layers after the first, is noted in the assumptions. Throws FileError where the file has no such
/// embedding or no tokenizer beside it. `dims` has the widths of the parameters.
TextSequence read_model_text(const FileReading& reading, const Dims& dims,
                             const std::optional<LayerDescription>& layer);

}  // namespace headlight
