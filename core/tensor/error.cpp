#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr std::size_t longest_subject = 300, longest_wrong = 900, longest_expected = 4000;

Message sentence_of(const Message& wrong, const Message& expected) {
  return joined_by_semicolon(wrong.cut_to(longest_wrong), expected.cut_to(longest_expected));
}

}  // namespace

InputError::InputError(const Message& subject, const Message& wrong, const Message& expected)
    : std::runtime_error(joined_by_colon(subject.cut_to(longest_subject), sentence_of(wrong, expected)).english()),
      subject_(subject),
      sentence_(sentence_of(wrong, expected)) {}

Message InputError::message() const { return joined_by_colon(subject_.cut_to(longest_subject), sentence_); }

Message message_of(const std::exception& error) {
  const auto* mistake = dynamic_cast<const InputError*>(&error);
  return mistake ? mistake->message() : Message(std::string(error.what()));
}

ExpressionError::ExpressionError(std::size_t position, const Message& wrong, const Message& expected)
    : InputError("--mask", wrong, expected), position_(position) {}

}  // namespace headlight
