// A GGUF file's description of its model, translated to Hugging Face's names of tensors and fields of config.json.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/files/array_file.h"

namespace headlight {

class Checkpoint;
struct RopeSpec;

bool is_gguf(const ArrayFile& file);
/// "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight"; empty if it is no tensor of the model.
std::string hugging_face_name(const ArrayFile& file, std::string_view name);
/// The fields of the config.json that such a model would have. Throws FileError for an architecture that is not
/// supported.
nlohmann::json gguf_config(const Checkpoint& checkpoint);
/// Divides the frequencies by rope_freqs.weight, if the file has it (LLaMA 3).
void apply_rope_factors(const Checkpoint& checkpoint, RopeSpec& rope);

}  // namespace headlight
