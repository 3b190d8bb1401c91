// A matrix as text that users copy from a spreadsheet, a CSV, or Python's output.
#pragma once

#include <string_view>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// The numbers as [rows, cols]. Reads
///   - lines of numbers separated by commas, tabs, semicolons or spaces;
///   - nested brackets: Python lists, and the output of NumPy and PyTorch, also within "array(…)" or "tensor(…)" and
///     with other text after the last bracket (dtype, device, grad_fn); a leading axis of length 1 is removed.
/// nan, inf, -inf, True and False are numbers. Throws InputError: "row 3 holds 4 numbers; expected 5, as in row 1".
Tensor parse_matrix(std::string_view text);

}  // namespace headlight
