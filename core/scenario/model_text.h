// A whole model's input: text through the file's own token embedding, as its first attention gets it.
#pragma once

#include "core/scenario/file_source.h"

namespace headlight {

/// query = key = value from scenario.text, a line a batch entry: GPT-2's wte + wpe and the block's ln_1, BERT's sum of
/// embeddings and its LayerNorm, LLaMA's embed_tokens and the layer's input_layernorm. What was done, and what is
/// missing for layers after the first, is noted in the assumptions. Throws FileError where the file has no such
/// embedding or no tokenizer beside it. `dims` has the widths of the parameters.
TextSequence read_model_text(const FileReading& reading, const Dims& dims);

}  // namespace headlight
