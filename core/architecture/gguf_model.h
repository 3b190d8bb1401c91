// What a GGUF file says of its model, in the words of Hugging Face: names of tensors and fields of config.json.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/files/array_file.h"

namespace headlight {

class Checkpoint;
struct RopeSpec;

bool is_gguf(const ArrayFile& file);
/// "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight"; empty for what is no tensor of the model.
std::string hugging_face_name(const ArrayFile& file, std::string_view name);
/// As config.json would say it. Throws FileError for an architecture that is not read, UnknownModel style, and for
/// mixtures of experts.
nlohmann::json gguf_config(const Checkpoint& checkpoint);
/// Divides the frequencies by rope_freqs.weight, where the file has it (LLaMA 3).
void apply_rope_factors(const Checkpoint& checkpoint, RopeSpec& rope);

}  // namespace headlight
