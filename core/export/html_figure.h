// A figure as one interactive HTML file. It holds its numbers, style and script (assets/figure) and loads nothing from
// the network, so it opens from disk and within other pages.
#pragma once

#include <string>

#include "core/figure/figure.h"

namespace headlight {

/// The most cells that a file may hold, over all panels.
inline constexpr Index most_html_cells = 4'000'000;
/// With more cells, those without a number are left out of `values`: 12 layers of 12 heads of 64 tokens with a causal
/// mask take 0.9 MB in place of 1.6.
inline constexpr Index most_whole_cells = 500'000;

/// The count of numbers in the figure's page, and the most that keep it below 1.5 MB.
Index html_numbers(const FigureSpec& spec);
inline constexpr Index most_html_numbers = 540'000;

/// The numbers stand in <script type="application/json" id="headlight-data">: `values` is the base64 of little-endian
/// int16, [heads, rows, cols], times `scale`; cells that hold no number (masked, NaN) are 0 there, and `kinds` says
/// which; where `kept_only` is true they are left out. `stage` is the name that a script looks for. `arrives`, of the
/// same panels, is what each weight brings: the page has a choice between the two ("arrives": stage, scale, values).
/// Throws SettingError for an unknown colour map and for more cells than most_html_cells; FileError where the assets
/// are not found.
std::string html_figure(const FigureSpec& spec, const std::string& stage, const FigureSpec* arrives = nullptr);

}  // namespace headlight
