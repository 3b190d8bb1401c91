// What stands in the export dialog and in the save dialog. Part of the View.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/export/export_options.h"

namespace headlight {

enum class ExportKind : std::uint8_t {
  figure,     ///< a stage as a picture: render
  numbers,    ///< the same as numbers
  stages,     ///< all stages as numbers: trace
  bundle,     ///< a figure with everything it takes to check it: bundle
  window,     ///< the view, or the window, as it stands
  animation,  ///< the window, step by step
};
inline constexpr std::size_t export_kinds = 6;

struct ExportChoice {
  ExportKind kind = ExportKind::figure;
  ExportOptions options;
  std::array<int, export_kinds> format{};  ///< of each kind, among its endings()
  std::string folder;                      ///< where a file goes that no path was typed for
  std::optional<std::string> path;         ///< as typed; unset: a free name that follows from the rest
  bool alone = true;                       ///< of the window, the view without the panels around it
  float seconds = 0.8f;                    ///< that a step of the animation stands
  std::string problem;                     ///< why what was typed last was not taken
  int written = 0;                         ///< counts the files, after each of which names are looked for anew
  bool operator==(const ExportChoice&) const = default;
};

/// ".png", ".svg" …; "" for a folder.
std::span<const char* const> endings(ExportKind kind);
const char* ending(const ExportChoice& choice);
/// The choice with this path typed: a known ending chooses the format, another gets the format's after it. "" takes the
/// typed path back.
ExportChoice with_path(ExportChoice choice, const std::string& path);
/// With another format, which a typed path follows.
ExportChoice with_format(ExportChoice choice, int format);

/// Whether the kind looks at `options` at all.
bool shows_stage(ExportKind kind);
bool shows_figure(ExportKind kind);

/// What the person was about to do when changes would have been lost.
enum class Next : std::uint8_t { stay, leave, open };

/// The save dialog, and the one that asks whether to save.
struct SaveChoice {
  std::string path;
  Next next = Next::stay;  ///< once it is saved, or is not to be
  std::string opens;       ///< with Next::open
  bool operator==(const SaveChoice&) const = default;
};

}  // namespace headlight
