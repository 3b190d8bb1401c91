// State of the export dialog and the save dialog. Part of the View.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/tensor/message.h"
#include "core/figures/export/export_options.h"

namespace headlight {

enum class ExportKind : std::uint8_t {
  figure,     ///< one stage as a picture, as `headlight render`
  numbers,    ///< one stage as numbers
  stages,     ///< all stages as numbers, as `headlight trace`
  bundle,     ///< figure, data, scenario and script, as `headlight bundle`
  page,       ///< the program with the document in one file, as `headlight page`
  window,     ///< the view or the whole window
  animation,  ///< the window, step by step
};
inline constexpr std::size_t export_kinds = 7;

struct ExportChoice {
  ExportKind kind = ExportKind::figure;
  ExportOptions options;
  std::array<int, export_kinds> format{};  ///< for each kind, an index into endings()
  std::string folder;                      ///< where files go unless a path is typed
  std::optional<std::string> path;         ///< as typed; unset: the first free name derived from the choice
  bool alone = true;                       ///< for a window picture: the view without the panels around it
  float seconds = 0.8f;                    ///< duration of one animation step
  Message problem;                         ///< why the last input was refused
  int written = 0;                         ///< number of files written; default names are derived again after each
  std::string saved;                       ///< the file just written; "" once anything was changed after that
  bool operator==(const ExportChoice&) const = default;
};

/// ".png", ".svg" …; "" for a folder.
std::span<const char* const> endings(ExportKind kind);
const char* ending(const ExportChoice& choice);
/// The choice with this path: a known ending selects the format, another one gets the format's ending appended. ""
/// discards the typed path.
ExportChoice with_path(ExportChoice choice, const std::string& path);
/// The choice with another format; a typed path gets its ending.
ExportChoice with_format(ExportChoice choice, int format);

/// Whether the kind uses `options` at all.
bool shows_stage(ExportKind kind);
bool shows_figure(ExportKind kind);

/// What the user was about to do when unsaved changes were found.
enum class Next : std::uint8_t { stay, leave, open };

/// The save dialog, and the one that asks whether to save.
struct SaveChoice {
  std::string path;
  Next next = Next::stay;  ///< what follows after saving or discarding
  std::string opens;       ///< the file to open, for Next::open
  bool operator==(const SaveChoice&) const = default;
};

}  // namespace headlight
