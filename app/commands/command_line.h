// The parsed command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/tensor/error.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// A command line that cannot be parsed. The message says what is wrong and where to read more.
class UsageError : public InputError {
 public:
  explicit UsageError(const std::string& wrong) : InputError("", wrong, "see headlight --help") {}
};

enum class CommandKind {
  window,
  screenshot,
  animation,
  frames,
  trace,
  render,
  explain,
  compare,
  predict,
  heads,
  patch,
  train,
  bundle,
  page,
  handout,
  mask_code,
  lesson,
  list,
  help,
  version
};

struct CommandLine {
  CommandKind kind = CommandKind::window;
  std::string file;                                           ///< "" if none was named
  std::string second_file;                                    ///< for compare
  std::vector<std::pair<std::string, std::string>> settings;  ///< option and text, in the order of the manual
  std::map<std::string, std::string> options;  ///< options of the command, by name: "--stage" → "weights"
  std::string list_what;                       ///< for list; for help, the word after the program

  bool has(const std::string& option) const { return options.contains(option); }
  /// The text of an option; `usual` if it was not given.
  std::string text(const std::string& option, const std::string& usual) const;
  std::string operator[](const std::string& option) const { return text(option, ""); }
  std::string language() const { return text("--language", "en"); }
  /// From --threads; 0 if it was not given.
  int threads() const;
};

/// `arguments` without the program's name. Throws UsageError.
CommandLine parse_command_line(std::vector<std::string> arguments);

/// The lesson or file that FILE names, without settings; without FILE the default lesson, unless the settings name
/// another input. Throws FileError, SettingError.
Lesson source_of(const CommandLine& line);
/// Whether neither a file nor settings are given: then a trained model opens, in the window's language.
bool names_nothing(const CommandLine& line);
/// The scenario of FILE, --random or the default, with the settings applied. Throws FileError, SettingError.
Scenario scenario_of(const CommandLine& line);

/// The text of --help.
std::string help_text();
/// The part of it that is about one command; all of it if there is no such command.
std::string help_text(const std::string& command);

/// Text from outside, safe to print on a terminal: control characters and invalid UTF-8 become U+FFFD.
std::string printable(std::string_view text);
/// Prints one line per row, with the texts in columns.
void print_columns(const std::vector<std::vector<std::string>>& table);
/// Prints "subject: sentence" on a line of standard error, with control characters escaped.
void say(const std::string& subject, const std::string& sentence);

}  // namespace headlight
