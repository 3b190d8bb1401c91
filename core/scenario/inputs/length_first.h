// Whether a file's inputs are [n, B, d], as nn.MultiheadAttention takes them unless batch_first is set, or [B, n, d].
#pragma once

#include "core/scenario/inputs/file_source.h"

namespace headlight {

/// Whether the weights are named as in nn.MultiheadAttention.
bool is_torch_module(const FileReading& r);
/// Why the inputs of these names are read as [n, B, d]; null if they are not.
const char* why_length_first(const FileReading& r, const InputNames& names);

}  // namespace headlight
