#include "core/tensor/error.h"

namespace headlight {
namespace {

std::string join(const std::string& first, const char* separator, const std::string& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  return first + separator + second;
}

}  // namespace

InputError::InputError(const std::string& subject, const std::string& wrong, const std::string& expected)
    : std::runtime_error(join(subject, ": ", join(wrong, "; ", expected))),
      subject_(subject),
      sentence_(join(wrong, "; ", expected)) {}

ExpressionError::ExpressionError(std::size_t position, const std::string& wrong, const std::string& expected)
    : InputError("--mask", wrong, expected), position_(position) {}

}  // namespace headlight
