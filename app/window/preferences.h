// Preferences: the user's last choices, used where the command line leaves them open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/image/theme.h"
#include "core/base/tensor/message.h"

namespace headlight {

struct WindowOptions;

struct Preferences {
  std::optional<Theme> theme;
  std::string language;       ///< "": not chosen yet
  int width = 0, height = 0;  ///< of the window in pixels; 0: unknown
  bool operator==(const Preferences&) const = default;
};

/// Reads `file`; default preferences if it does not exist. A damaged file is renamed to FILE.broken, and `trouble` says
/// so.
Preferences read_preferences(const std::filesystem::path& file, Message& trouble);
/// Errors are ignored: on a full or read-only disk nothing is saved.
void write_preferences(const std::filesystem::path& file, const Preferences& preferences);

/// The language of the first of LC_ALL, LC_MESSAGES and LANG that is set, if there is a translation; otherwise "en".
std::string language_of_environment();

/// Sets the language if the command line leaves it open; if nothing is named, the trained model in that language opens.
void choose_language(WindowOptions& wanted, const std::string& language);

}  // namespace headlight
