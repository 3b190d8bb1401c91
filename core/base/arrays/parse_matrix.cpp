#include "core/base/arrays/parse_matrix.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

constexpr const char* expected_forms =
    "expected lines of numbers (CSV, or from a spreadsheet), or [[1, 2], [3, 4]] as Python prints it";
constexpr std::size_t most_numbers = std::size_t{1} << 24;

[[noreturn]] void fail(const Message& wrong, const Message& expected) {
  throw InputError("the text on the clipboard", wrong, expected);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_separator(char c) { return is_space(c) || c == ',' || c == ';'; }

std::optional<float> number_in(std::string_view word) {
  const std::string low = lowercase(word);
  if (low == "true") return 1.0f;
  if (low == "false") return 0.0f;
  std::string_view digits = low;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = number_from(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  if (whole && error == std::errc()) return static_cast<float>(value);
  if (whole && error == std::errc::result_out_of_range) {
    // from_chars does not tell whether the number is too large or too small for a double: the exponent's sign does.
    const bool tiny = digits.find("e-") != std::string_view::npos || digits.find("0.") < 2;
    const float size = tiny ? 0.0f : std::numeric_limits<float>::infinity();
    return digits.starts_with('-') ? -size : size;
  }
  return {};
}

class Rows {
 public:
  void add(std::string_view word) {
    if (word == "..." || word == "…") {
      fail("it is shortened by \"...\"",
           "expected every number: np.set_printoptions(threshold=np.inf) or torch.set_printoptions(profile=\"full\") "
           "print them all");
    }
    const std::optional<float> number = number_in(word);
    if (!number) fail(Message("row {0} holds {1}, which is no number", rows_ + 1, in_quotes(word)), expected_forms);
    if (values_.size() == most_numbers)
      fail("it holds more than 16 million numbers", "expected fewer; a file opens faster");
    values_.push_back(*number);
    ++in_row_;
  }
  void end_row() {
    if (in_row_ == 0) return;
    if (rows_ == 0) cols_ = in_row_;
    if (in_row_ != cols_) {
      fail(Message(in_row_ == 1 ? "row {0} holds {1} number" : "row {0} holds {1} numbers", rows_ + 1, in_row_),
           Message("expected {0}, as in row 1", cols_));
    }
    ++rows_;
    in_row_ = 0;
  }
  Tensor take() {
    if (rows_ == 0) fail("it holds no number", expected_forms);
    return Tensor({rows_, cols_}, std::move(values_));
  }

 private:
  Buffer values_;
  Index rows_ = 0, cols_ = 0, in_row_ = 0;
};

/// The word at `at`; `at` moves to its end.
std::string_view take_word(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  while (at < text.size() && !is_separator(text[at]) && text[at] != '[' && text[at] != ']') ++at;
  return text.substr(first, at - first);
}

Tensor parse_lines(std::string_view text) {
  Rows rows;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') rows.end_row();
    if (is_separator(text[at])) {
      ++at;
    } else {
      std::string_view word = take_word(text, at);
      if (word.empty()) fail("it has a \"]\" before any \"[\"", expected_forms);
      if (word.size() > 2 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
      rows.add(word);
    }
  }
  rows.end_row();
  return rows.take();
}

/// The innermost brackets are rows. The brackets around them may hold one matrix only.
Tensor parse_brackets(std::string_view text) {
  Rows rows;
  int depth = 0, deepest = 0;
  bool inner_closed = false;  // a bracket within the present one has closed
  int matrices = 0;
  std::size_t at = text.find('[');
  const std::string_view before = text.substr(0, at);
  for (const char c : before) {
    if (!(std::isalpha(static_cast<unsigned char>(c)) || is_space(c) || c == '(' || c == '.' || c == '=' || c == '_')) {
      fail(Message("it has {0} before the first \"[\"", in_quotes(before)), expected_forms);
    }
  }
  while (at < text.size()) {
    const char c = text[at];
    if (c == '[') {
      ++depth;
      deepest = std::max(deepest, depth);
      inner_closed = false;
      if (deepest > 4) fail("its brackets are more than four deep", "expected one matrix, [[…], […]]");
      ++at;
    } else if (c == ']') {
      if (!inner_closed) rows.end_row();
      if (inner_closed && depth == deepest - 1) ++matrices;
      inner_closed = true;
      ++at;
      if (--depth == 0) break;
    } else if (is_separator(c)) {
      ++at;
    } else {
      if (inner_closed) fail("it has numbers beside a row in brackets", expected_forms);
      rows.add(take_word(text, at));
    }
  }
  if (depth != 0) fail("a \"[\" is not closed", "expected as many \"]\" as \"[\"");
  if (matrices > 1)
    fail(Message("it holds {0} matrices", matrices),
         "expected one; copy that of one head or batch entry, such as x[0]");
  return rows.take();
}

}  // namespace

Tensor parse_matrix(std::string_view text) {
  return text.find('[') == std::string_view::npos ? parse_lines(text) : parse_brackets(text);
}

}  // namespace headlight
