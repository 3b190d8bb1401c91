// From text to tree, by recursive descent with C's precedence.
#pragma once

#include <string_view>

#include "core/mask/ast.h"

namespace headlight::mask {

/// The tree of a whole expression, a condition. Throws ExpressionError.
NodePtr parse(std::string_view text);

}  // namespace headlight::mask
