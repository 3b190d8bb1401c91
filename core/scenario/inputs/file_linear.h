// One linear layer of a file: its weight and bias as nn.Linear has them, however they are stored.
#pragma once

#include <string>

#include "core/scenario/inputs/file_source.h"

namespace headlight {

/// [out, in]. Throws FileError for an array of another rank, one that is quantised or changed by another array of the
/// file, and for NaN and inf.
Tensor weight_of(const FileReading& reading, const LinearSpec& linear);
/// [out]; undefined where the file has none. Throws FileError as weight_of() does.
Tensor bias_of(const FileReading& reading, const LinearSpec& linear, Index out);
Tensor bias_of(const FileReading& reading, const std::string& name, Index out);
/// How the weight is stored, for a sentence: "[out, in] as in nn.Linear".
Message order_of(const FileReading& reading, const LinearSpec& linear);

}  // namespace headlight
