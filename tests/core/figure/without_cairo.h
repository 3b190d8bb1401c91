// What figures lack in a program without Cairo and fontconfig, as that for Windows: PDFs, and fonts besides those that
// it brings along.
#pragma once

#include <string>

#include "core/figures/figure/figure.h"

namespace headlight {

#ifdef _WIN32
inline constexpr bool makes_pdf = false, takes_font_files = false;
#else
inline constexpr bool makes_pdf = true, takes_font_files = true;
#endif

/// The figure as a PDF, or as an SVG where there are no PDFs.
inline std::string printed(ArrangedFigure& figure) { return makes_pdf ? figure.pdf() : figure.svg(); }
inline std::string printed(const FigureSpec& spec) {
  ArrangedFigure figure(spec);
  return printed(figure);
}

}  // namespace headlight
