// Preferences: what this person chose the last time, which the command line leaves open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/image/theme.h"
#include "core/tensor/message.h"

namespace headlight {

struct WindowOptions;

struct Preferences {
  std::optional<Theme> theme;
  std::string language;       ///< "": not chosen yet
  int width = 0, height = 0;  ///< of the window, pixels; 0: not known
  bool operator==(const Preferences&) const = default;
};

/// From `file`; none where there is none. One that is damaged is renamed to FILE.broken, and `trouble` says so.
Preferences read_preferences(const std::filesystem::path& file, Message& trouble);
/// A disk that is full or read-only forgets.
void write_preferences(const std::filesystem::path& file, const Preferences& preferences);

/// The first of LC_ALL, LC_MESSAGES and LANG that is set, where there is a translation for it; else "en".
std::string language_of_environment();

/// The language that the command line leaves open; where nothing is named, the trained model of it opens.
void choose_language(WindowOptions& wanted, const std::string& language);

}  // namespace headlight
