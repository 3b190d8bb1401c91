#include <algorithm>
#include <string>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/unicode.h"
#include "core/rules/mask/ast.h"

namespace headlight::mask {
namespace {

// Not <cctype>: it depends on the locale and must not get bytes over 127.
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The longest first. The single = & | are tokens too, so that the parser can say what is expected instead. So are // **
// << >> ^ of other languages.
constexpr std::string_view symbols[] = {"<=", ">=", "==", "!=", "&&", "||", "//", "**", "<<", ">>",
                                        "<",  ">",  "+",  "-",  "*",  "/",  "%",  "!",  "(",  ")",
                                        "{",  "}",  ",",  "?",  ":",  "=",  "&",  "|",  "^"};

Token number_at(std::string_view text, std::size_t begin) {
  Token token{.kind = Token::Kind::number, .text = {}, .span = {}};
  const auto [end, status] = number_from(text.data() + begin, text.data() + text.size(), token.number);
  if (status != std::errc()) {
    throw ExpressionError(begin, "this is no number that can be computed with", "expected one such as 4 or 0.5");
  }
  token.span = {begin, static_cast<std::size_t>(end - text.data())};
  return token;
}

Token name_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  const std::string_view name = text.substr(begin, end - begin);
  const bool operation = name == "and" || name == "or" || name == "in";
  return {operation ? Token::Kind::symbol : Token::Kind::name, {}, {begin, end}};
}

/// A sign of other languages, and what is written here instead.
struct ForeignSign {
  std::string_view sign, meant;
};
constexpr ForeignSign foreign_signs[] = {{"~", "!"},  {"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"¬", "!"}, {"∧", "&&"},
                                         {"∨", "||"}, {"×", "*"},  {"·", "*"},  {"÷", "/"},  {"−", "-"}};

Token symbol_at(std::string_view text, std::size_t begin) {
  const auto* found =
      std::ranges::find_if(symbols, [&](std::string_view symbol) { return text.substr(begin).starts_with(symbol); });
  if (found == std::end(symbols)) {
    std::size_t end = begin + 1;
    while (end < text.size() && continues_character(text[end])) ++end;
    const std::string sign(text.substr(begin, end - begin));
    for (const ForeignSign& foreign : foreign_signs) {
      if (foreign.sign == sign)
        throw ExpressionError(begin, Message("'{0}' is not an operator here", sign),
                              Message("write {0}", foreign.meant.data()));
    }
    if (sign == "[")
      throw ExpressionError(
          begin, "'[' is not part of the language",
          "expected {0, 4} for a set of numbers, and valid_len for the length of the entry looked at");
    throw ExpressionError(begin, Message("'{0}' is not part of the language", sign),
                          "expected a number, a name or one of + - * / % < <= > >= == != && || ! ( ) , ? :");
  }
  return {Token::Kind::symbol, {}, {begin, begin + found->size()}};
}

Token token_at(std::string_view text, std::size_t begin) {
  const char c = text[begin];
  const bool fraction = c == '.' && begin + 1 < text.size() && is_digit(text[begin + 1]);
  if (is_digit(c) || fraction) return number_at(text, begin);
  return is_letter(c) ? name_at(text, begin) : symbol_at(text, begin);
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    Token token = token_at(text, i);
    i = token.span.end;
    token.text = text.substr(token.span.begin, token.span.end - token.span.begin);
    if (token.kind == Token::Kind::symbol && token.text == "and") token.text = "&&";
    if (token.kind == Token::Kind::symbol && token.text == "or") token.text = "||";
    tokens.push_back(token);
  }
  tokens.push_back({Token::Kind::end, {}, {text.size(), text.size()}});
  return tokens;
}

}  // namespace headlight::mask
