// A figure whose place for everything is found once, for several files or questions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"

namespace headlight {

class PdfCanvas;

class ArrangedFigure {
 public:
  /// Throws SettingError as render_image().
  explicit ArrangedFigure(FigureSpec spec);
  ~ArrangedFigure();
  ArrangedFigure(const ArrangedFigure&) = delete;
  ArrangedFigure& operator=(const ArrangedFigure&) = delete;

  std::vector<std::uint8_t> png();
  std::string svg(SvgText text = SvgText::text);
  std::string pdf();
  /// Within a page, its upper left corner at `at`.
  void draw(PdfCanvas& canvas, Point at) const;
  /// In units.
  FigureSize size() const;
  /// What it leaves out for want of room, in words: {"title", "every other of the row words"}.
  const std::vector<std::string>& left_out() const;

 private:
  friend FigurePreview render_preview(const FigureSpec& spec, int most_width, int most_height);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
