// The part of a trace that is exported and its appearance: the options of `headlight render` and of the window's export
// dialog. One table says how each is written on a command line.
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
  bool shares = false;  ///< for contribution_norms: each row divided by its sum
  Index batch = 0;
  std::vector<Index> heads = {0};
  bool all_heads = false;          ///< overrides `heads`
  bool said_heads = false;         ///< `heads` were given; for layers, all heads are drawn otherwise
  HeadPool pool = HeadPool::none;  ///< overrides both
  Part rows, cols;
  std::string query;   ///< for an overlay, the query's patch: "7,3", "cls"; "": the first token
  std::string word;    ///< for why and patch: "is", "is,are"; "": the most likely next word
  std::string from;    ///< for patch, the other text
  std::string what;    ///< and which of its states: "residual" (also ""), "heads", "mlp"
  std::string layers;  ///< all layers in place of one: "all", a stack's name, "rollout", "flow"
                       ///< (core/export/layers_figure.h); "": one

  StageFigureStyle style;  ///< except size and scale, which are the next two
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
  /// The text with which apply() would set the present value; none for the default. For an option that may be
  /// repeated, one line for each.
  std::optional<std::string> (*text)(const ExportOptions& options);
  bool repeats = false;
};

/// In the order of the manual.
std::span<const ExportOption> all_export_options();

/// Sets it back to its default.
void clear_export_option(ExportOptions& options, std::string_view option);

/// The options that differ from their defaults, as words of a command line, always with --stage: {"--stage", "weights",
/// "--values"}.
std::vector<std::string> export_words(const ExportOptions& options);

/// If the options need contribution_norms (or their shares) and the trace lacks them: the trace with them. Else none.
std::optional<Trace> measured(const Trace& trace, const ExportOptions& options);
/// The chosen part of the trace. Throws SettingError for a stage, batch entry or head that it does not have.
StageCut cut_of(const ExportOptions& options, const Trace& trace);
/// The style, with size and scale filled in.
StageFigureStyle style_of(const ExportOptions& options);

/// Throws FileError if the path's ending is none that can be written.
void check_export_name(const std::string& path);
/// Writes the chosen part in the format of the path's ending, the whole file or none. Throws FileError for an unknown
/// ending or if writing fails, SettingError as cut_of() and the figure do. Returns what did not fit, in words.
std::vector<Message> write_export(const Trace& trace, const ExportOptions& options, const std::string& path);
/// Whether files of this ending are figures; the others hold numbers.
bool is_figure_file(std::string_view extension);
/// ".png" for "a/b.PNG"; "" if there is none.
std::string extension_of(const std::string& path);

}  // namespace headlight
