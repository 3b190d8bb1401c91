// The options of `headlight render` and of the window's export dialog: which part of a trace is exported, its
// appearance, and its file; and the functions that write it. One table has the command-line syntax of each option.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/image/theme.h"
#include "core/base/tensor/message.h"
#include "core/figures/export/stage_figure.h"

namespace headlight {

// Command-line syntax of sizes and themes.

struct PixelSize {
  int width = 0, height = 0;
};
/// "1600x900". Throws SettingError.
PixelSize parse_size(const std::string& option, const std::string& text);

enum class LengthUnit : std::uint8_t { px, cm, mm, in };

/// A figure's size as the user wrote it.
struct WantedSize {
  float width = 0, height = 0;  ///< a height of 0: as the width requires
  LengthUnit unit = LengthUnit::px;
  bool operator==(const WantedSize&) const = default;
};
/// "1600x900" in pixels, "8x6cm", "80x60mm", "3.5x2.5in"; only a width as "8cm" or a journal's "column" or "page";
/// "columnx5cm". Throws SettingError.
WantedSize parse_wanted_size(const std::string& option, const std::string& text);
std::string to_text(const WantedSize& size);

inline constexpr float units_per_inch = 96;

/// The same in units of 1/96 inch, and the pixels per unit.
struct PrintSize {
  float width = 0, height = 0, scale = 1;
};
/// At `dpi`; unset means 300 for lengths and 96 for pixels.
PrintSize print_size(const WantedSize& size, std::optional<float> dpi);

/// "light" or "dark". Throws SettingError.
Theme parse_theme(const std::string& text);

// The options.

/// Several numbers as one.
enum class TakeTogether : std::uint8_t { mean, sum, max, min };

struct ExportOptions {
  Stage stage = Stage::weights;
  bool shares = false;  ///< for contribution_norms: each row divided by its sum
  Index batch = 0;
  std::vector<Index> heads = {0};
  bool all_heads = false;          ///< overrides `heads`
  bool said_heads = false;         ///< `heads` were given; otherwise layers are drawn with all heads
  HeadPool pool = HeadPool::none;  ///< overrides both
  IndexSlice rows, cols;
  std::string query;      ///< for an overlay, the query's patch: "7,3", "cls"; "": the first token
  std::string word;       ///< for why and patch: "is", "is,are"; "": the most likely next word
  std::string from;       ///< for patch, the other text
  std::string what;       ///< for patch, the states to use: "residual" (also ""), "heads", "mlp"
  bool gradient = false;  ///< of the stage: --stage d_weights
  std::string loss;       ///< the word whose −log p is the loss; "": the task's loss
  std::string over;       ///< axes that are taken together: "rows", "cols", "heads", "layers", with commas; "": none
  TakeTogether by = TakeTogether::mean;
  TakeTogether fuse = TakeTogether::mean;  ///< of a layer's heads, for rollout and flow; never sum
  std::optional<float> discard;            ///< for rollout and flow: the share of a layer's smallest weights that is 0
  std::string layers;                      ///< all layers in place of one: "all", a stack's name, "rollout", "flow"
                                           ///< (core/figures/export/layers_figure.h); "": one

  StageFigureStyle style;  ///< without size and scale, which are the next two
  std::optional<WantedSize> size;
  std::optional<int> dpi;
  SvgText svg_text = SvgText::text;
  bool operator==(const ExportOptions&) const = default;
};

struct ExportOption {
  std::string_view option;   ///< "--range"
  std::string_view operand;  ///< "row|head|stage|LO:HI"; empty for a switch
  std::string_view help;
  /// Throws SettingError for invalid text.
  void (*apply)(ExportOptions& options, std::string_view option, std::string_view text);
  /// The text that makes apply() set the current value; unset for the default. For an option that may be repeated, one
  /// line per value.
  std::optional<std::string> (*text)(const ExportOptions& options);
  /// Sets the default; null if the option cannot be reset.
  void (*reset)(ExportOptions& options) = nullptr;
  bool repeats = false;
};

/// In the order of the manual.
std::span<const ExportOption> all_export_options();

/// The options that differ from their defaults as command-line arguments, always with --stage: {"--stage", "weights",
/// "--values"}.
std::vector<std::string> export_words(const ExportOptions& options);
/// Those of them that mean something for the kind of figure.
std::vector<std::string> meaningful_words(const ExportOptions& options);

/// The name of the numbers in files: the stage, "contribution_shares", "weights_difference", or the kind of picture.
std::string measure_name(const ExportOptions& options);

/// Throws SettingError if one of the options that the user gave, as "--head", means nothing for the kind of figure.
void check_options(const ExportOptions& options, std::span<const std::string> given);
/// Whether the option changes this kind of figure; check_options() refuses those that do not.
bool means_something(const ExportOptions& options, std::string_view option);
/// Whether the kind of figure can show several heads.
bool takes_several_heads(const ExportOptions& options);
/// Whether the axis is in options.over.
bool takes_over(const ExportOptions& options, std::string_view axis);

/// The trace with contribution_norms, if the options need them (or their shares) and the trace lacks them; otherwise
/// unset.
std::optional<Trace> with_contribution_norms(const Trace& trace, const ExportOptions& options);
/// The chosen part of the trace. Throws SettingError for a stage, batch entry or head that it does not have.
StageCut cut_of(const ExportOptions& options, const Trace& trace);
/// The style, with size and scale filled in.
StageFigureStyle style_of(const ExportOptions& options);

/// Throws FileError if the path's extension is unknown.
void check_export_name(const std::string& path);
/// Writes the chosen part atomically, in the format of the path's extension. Throws FileError for an unknown extension
/// or if writing fails, SettingError like cut_of() and the figure. Returns the parts that did not fit, as text.
std::vector<Message> write_export(const Trace& trace, const ExportOptions& options, const std::string& path);
/// Whether files with this extension are figures; the others contain numbers.
bool is_figure_file(std::string_view extension);
/// ".png" for "a/b.PNG"; "" if there is none.
std::string extension_of(const std::string& path);

/// For figures; those for numbers are in core/base/arrays/array_write.h.
std::vector<const char*> figure_endings();  ///< PDF only where the program can write it
/// Of both.
std::vector<const char*> export_endings();
/// "expected a name that ends in .npz or .json"
Message expected_ending(std::span<const char* const> endings);

/// Applies a style file. Throws FileError if it is not a style file, or has options for what is drawn instead of how
/// (stage, batch, head, rows, cols, kind); SettingError like the options themselves.
void apply_style_file(ExportOptions& options, const std::string& path);

// Bundle: a figure with everything needed to check it without Headlight, in one folder or zip.
//
//   figure.png figure.svg figure.pdf   the picture; the last where the program can write it
//   data.npy, data.csv        its numbers (.csv for one matrix)
//   scenario.json opens in Headlight; with its tensor file next to it, up to 64 MB
//   inputs.npz trace.npz the inputs; every stage, and the parameters
//   reproduce.py              computes the trace from the inputs with PyTorch and checks every stage
//   reproduce_numpy.py        the same with NumPy
//
// For several layers, inputs.npz, trace.npz and the scripts are in a folder for each, layers/N; for rollout and flow,
// means.npz has the layers' averages, and reproduce_numpy.py computes data.npy from them.

/// Writes a zip if `target` ends in .zip, otherwise a folder, atomically. An existing zip is replaced; a folder must
/// not exist or be empty. Throws FileError "TARGET: cannot be written: …", and SettingError like figure_for()
/// (core/figures/export/layers_figure.h).
void write_bundle(const std::filesystem::path& target, const Trace& trace, const ExportOptions& options);

}  // namespace headlight
