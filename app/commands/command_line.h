// What the person typed, read but not yet acted on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scenario/lesson.h"
#include "core/scenario/scenario.h"
#include "core/tensor/error.h"

namespace headlight {

/// A command line that cannot be understood. The sentence says what is wrong and where to read on.
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
  bundle,
  handout,
  mask_code,
  lesson,
  list,
  help,
  version
};

struct CommandLine {
  CommandKind kind = CommandKind::window;
  std::string file;                                           ///< "" where none was named
  std::string second_file;                                    ///< for compare
  std::vector<std::pair<std::string, std::string>> settings;  ///< option and text, in the order of the manual
  std::map<std::string, std::string> options;                 ///< the command's own, by name: "--stage" → "weights"
  std::string list_what;                                      ///< for list

  bool has(const std::string& option) const { return options.contains(option); }
  /// "" where it was not given.
  std::string operator[](const std::string& option) const;
  /// From --threads; 0 where it was not given.
  int threads() const;
};

/// `arguments` without the program's name. Throws UsageError.
CommandLine parse_command_line(std::vector<std::string> arguments);

/// What FILE names, without settings; without FILE the default lesson, unless the settings say where the inputs come
/// from. Throws FileError, SettingError.
Lesson source_of(const CommandLine& line);
/// No file, no settings: a trained model opens, in the window's language.
bool names_nothing(const CommandLine& line);
/// The scenario that FILE, --random or neither names, with the settings applied. Throws FileError, SettingError.
Scenario scenario_of(const CommandLine& line);

/// The text of --help.
std::string help_text();

/// What a terminal may show of a name that anybody may have chosen: control characters and what is not UTF-8 as U+FFFD.
std::string printable(std::string_view text);
/// A line a row, its texts in columns.
void print_columns(const std::vector<std::vector<std::string>>& table);
/// "subject: sentence" on a line of standard error, control characters escaped.
void say(const std::string& subject, const std::string& sentence);

}  // namespace headlight
