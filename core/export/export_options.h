// What is taken out of a trace and how it looks: the options of `headlight render`, which the window's export dialog
// shares. One table says how each is written on a command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export/sizes.h"
#include "core/export/stage_figure.h"
#include "core/tensor/message.h"

namespace headlight {

struct ExportOptions {
  Stage stage = Stage::weights;
  bool shares = false;  ///< of contribution_norms: each row divided by its sum
  Index batch = 0;
  std::vector<Index> heads = {0};
  bool all_heads = false;          ///< wins over `heads`
  bool said_heads = false;         ///< `heads` were asked for: of layers, else every head is drawn
  HeadPool pool = HeadPool::none;  ///< wins over both
  Part rows, cols;
  std::string query;   ///< of an overlay, the patch that looks: "7,3", "cls"; "": the first token
  std::string layers;  ///< all layers in place of one: "all", a stack's name, "rollout", "flow"
                       ///< (core/export/layers_figure.h); "": one

  StageFigureStyle style;  ///< but for size and scale, which the next two say
  std::optional<WantedSize> size;
  std::optional<int> dpi;
  SvgText svg_text = SvgText::text;
  bool operator==(const ExportOptions&) const = default;
};

struct ExportOption {
  std::string_view option;   ///< "--range"
  std::string_view operand;  ///< "row|head|stage|LO:HI"; empty for a switch
  std::string_view help;
  /// Throws SettingError for text that it does not take.
  void (*apply)(ExportOptions& options, std::string_view option, std::string_view text);
  /// The text that apply() would take for what the options have; none for the default. Of an option that may stand
  /// there several times, one line each.
  std::optional<std::string> (*text)(const ExportOptions& options);
  bool repeats = false;
};

/// In the order of the manual.
std::span<const ExportOption> all_export_options();

/// Back to its default.
void clear_export_option(ExportOptions& options, std::string_view option);

/// Those that are not at their defaults, as words of a command line, --stage always: {"--stage", "weights",
/// "--values"}.
std::vector<std::string> export_words(const ExportOptions& options);

/// The trace with contribution_norms where the options draw them and it has none: their shares where those are meant.
std::optional<Trace> measured(const Trace& trace, const ExportOptions& options);
/// What of the trace is meant. Throws SettingError for a stage, batch entry or head that it does not have.
StageCut cut_of(const ExportOptions& options, const Trace& trace);
/// With size and scale settled.
StageFigureStyle style_of(const ExportOptions& options);

/// Throws FileError where a cut cannot be written as what the path's ending says.
void check_export_name(const std::string& path);
/// Writes the cut as what the path's ending says, whole or not at all. Throws FileError for another ending and where
/// it cannot be written, SettingError as cut_of() and the figure do. Gives what a figure had no room for, in words.
std::vector<Message> write_export(const Trace& trace, const ExportOptions& options, const std::string& path);
/// Whether files of this ending are figures; the others hold numbers.
bool is_figure_file(std::string_view extension);
/// ".png" of "a/b.PNG"; "" where there is none.
std::string extension_of(const std::string& path);

}  // namespace headlight
