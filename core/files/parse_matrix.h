// A matrix written as text, as people copy it: from a spreadsheet, a CSV, or what Python prints.
#pragma once

#include <string_view>

#include "core/tensor/tensor.h"

namespace headlight {

/// The numbers as [rows, cols]. Reads
///   - lines of numbers between commas, tabs, semicolons or blanks;
///   - nested brackets: Python lists, what NumPy and PyTorch print, with "array(…)" or "tensor(…)" around, whatever
///   stands
///     behind the last bracket (dtype, device, grad_fn); one leading axis of length 1 is left out.
/// nan, inf, -inf, True and False are numbers. Throws InputError: "row 3 holds 4 numbers; expected 5, as in row 1".
Tensor parse_matrix(std::string_view text);

}  // namespace headlight
