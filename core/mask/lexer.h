// Cuts the text of a mask expression into tokens.
#pragma once

#include <string_view>
#include <vector>

#include "core/mask/ast.h"

namespace headlight::mask {

struct Token {
  enum class Kind : std::uint8_t { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< part of the text that was cut
  Span span;
  double number = 0;
};

/// The last token is always of Kind::end. Throws ExpressionError at a character the language does not have.
/// `and`, `or` come as the symbols && and ||; `not` stays a name, since it binds more loosely than `!`.
std::vector<Token> tokenize(std::string_view text);

}  // namespace headlight::mask
