// Text as the input of a file's layer, through the file's own token embedding.
#pragma once

#include "core/scenario/file_source.h"

namespace headlight {

/// query = key = value from scenario.text, a line per batch entry: the embedding, and the norm before the attention
/// that the layer's architecture has, or else GPT-2's, BERT's or LLaMA's, judged by the arrays' names. What was done,
/// and what is missing for layers after the first, is noted in the assumptions. Throws FileError without such an
/// embedding or a tokenizer. `dims` has the widths of the parameters.
TextSequence read_model_text(const FileReading& reading, const Dims& dims,
                             const std::optional<LayerDescription>& layer);

}  // namespace headlight
