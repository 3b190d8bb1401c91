// What figures lack in a program without Cairo and fontconfig, as that for Windows: PDFs, and fonts besides those that
// it brings along.
#pragma once

#include <string>

#include "core/figures/figure/figure.h"

namespace headlight {

inline const bool makes_pdf = PdfCanvas::is_available(), takes_font_files = makes_pdf;

/// The figure as a PDF, or as an SVG where there are no PDFs.
inline std::string printed(ArrangedFigure& figure) { return makes_pdf ? figure.pdf() : figure.svg(); }
inline std::string printed(const FigureSpec& spec) {
  ArrangedFigure figure(spec);
  return printed(figure);
}

}  // namespace headlight
