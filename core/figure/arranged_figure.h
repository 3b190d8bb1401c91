// A figure whose layout is computed once, for several files or questions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/tensor/message.h"

namespace headlight {

class PdfCanvas;

/// A label without the marks around its indices: "Q_h".
std::string as_plain_text(std::string text);

class ArrangedFigure {
 public:
  /// Throws SettingError as render_image().
  explicit ArrangedFigure(FigureSpec spec);
  ~ArrangedFigure();
  ArrangedFigure(const ArrangedFigure&) = delete;
  ArrangedFigure& operator=(const ArrangedFigure&) = delete;

  /// `about` is the description in the file: PDF's subject, SVG's and PNG's description; "" = none.
  std::vector<std::uint8_t> png(const std::string& about = {});
  std::string svg(SvgText text = SvgText::text, const std::string& about = {});
  std::string pdf(const std::string& about = {});
  /// As render_preview().
  FigurePreview preview(int most_width, int most_height);
  /// Within a page, its upper left corner at `at`.
  void draw(PdfCanvas& canvas, Point at) const;
  /// In units.
  FigureSize size() const;
  /// What is left out because it does not fit, in words: {"title", "every other of the row words"}.
  const std::vector<Message>& left_out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
