// The mistakes a person can make, as exceptions. A programmer's mistake is an assert instead.
//
// Every one carries what the command line prints in English and the window shows in its language:
//   SUBJECT: what is wrong; what was expected
// It is one line of readable text, cut in its middle where a file or an argument made it long.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "core/tensor/message.h"

namespace headlight {

class InputError : public std::runtime_error {
 public:
  /// `subject` is a file or a setting's name and may be empty; `expected` may be empty where `wrong` says it all.
  InputError(const Message& subject, const Message& wrong, const Message& expected = {});

  /// All of it, of which what() is the English.
  Message message() const;
  std::string subject() const { return subject_.english(); }
  /// The message without its subject: "what is wrong; what was expected".
  const Message& sentence() const { return sentence_; }

 private:
  Message subject_;
  Message sentence_;
};

/// An InputError's message; of any other exception the text that it carries.
Message message_of(const std::exception& error);

/// A file that is missing, damaged, or not what it was taken for. Subject: its path as the person wrote it.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

/// A setting out of its range or at odds with another. Subject: its name on the command line, e.g. "--heads".
class SettingError : public InputError {
 public:
  using InputError::InputError;
};

/// A mask expression that does not parse or evaluate. `position` is the byte offset of the caret in the expression.
class ExpressionError : public InputError {
 public:
  ExpressionError(std::size_t position, const Message& wrong, const Message& expected = {});
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// Thrown by long computations when their stop token asks for it. Not an error; never shown.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace headlight
