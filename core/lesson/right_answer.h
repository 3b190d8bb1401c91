// What a question's right answer is written with, on screen and on paper.
#pragma once

#include <string>

#include "core/run/trace.h"

namespace headlight {

/// "3", "0.25", "−1.5": a whole number whole, any other with three digits.
std::string number_words(double value);

/// [B, H, n_q, n_k] in the sizes of the trace: where the mask expression allows. Throws InputError where it does not
/// parse.
Tensor allowed_cells(const std::string& expression, const Trace& trace);

}  // namespace headlight
