// Errors that a user can cause, as exceptions. A programmer's error is an assert instead.
//
// The command line prints the message of an exception in English; the window shows it in its own language:
//   SUBJECT: what is wrong; what was expected
// The message is one line of readable text. The middle of long values (paths, arguments) is cut out.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "core/base/tensor/message.h"

namespace headlight {

class InputError : public std::runtime_error {
 public:
  /// `subject` is a file or the name of a setting and may be empty. `expected` may be empty if `wrong` says everything.
  InputError(const Message& subject, const Message& wrong, const Message& expected = {});

  /// The whole message; what() is its English text.
  Message message() const;
  std::string subject() const { return subject_.english(); }
  /// The message without its subject: "what is wrong; what was expected".
  const Message& sentence() const { return sentence_; }

 private:
  Message subject_;
  Message sentence_;
};

/// The message of an InputError; for any other exception, its what() text.
Message message_of(const std::exception& error);

/// A file that is missing, damaged, or not of the expected kind. Subject: its path as the user wrote it.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

/// A setting that is out of range or contradicts another one. Subject: its name on the command line, e.g. "--heads".
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
