#include "core/export/handout.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/export/figure_kinds.h"
#include "core/export/paper_lines.h"
#include "core/export/stage_diagram.h"
#include "core/figure/arranged_figure.h"
#include "core/figure/figure_canvas.h"

namespace headlight {
namespace {

constexpr float margin = 68, body = 12.5f, line = 18, block_gap = 26;
constexpr Index most_heads = 8, most_words = 24;

FigureSpec without_subtitle(FigureSpec figure) {
  figure.subtitle.clear();
  return figure;
}

class Pages {
 public:
  Pages(const HandoutText& text, Paper paper, int count)
      : text_(text),
        width_(paper == Paper::a4 ? 793.7f : 816.0f),
        height_(paper == Paper::a4 ? 1122.5f : 1056.0f),
        count_(count),
        canvas_(width_, height_, theme_.card, typesetter_, {text.title}),
        y_(margin) {}

  void heading(const std::string& words, float size) {
    need(1.6f * size);
    put(words, FontRole::strong, size, theme_.ink, size);
    y_ += 1.6f * size;
  }

  void paragraph(const std::string& words, Rgba ink) {
    for (const std::string& each : broken_lines(words, body, inner(), typesetter_)) {
      need(line);
      put(each, FontRole::text, body, ink, body);
      y_ += line;
    }
  }

  /// The words in two columns, joined by the weights of a head.
  void arcs(const Trace& trace, Index head) {
    StageFigureStyle style;
    style.title = "";
    style.kind = PictureKind::arcs;
    style.on_paper = true;
    const auto words = static_cast<float>(trace.dims().n_q);
    style.size = FigureSize{0.62f * inner(), std::clamp(17 * words + 30, 90.0f, 420.0f)};
    put(ArrangedFigure(without_subtitle(figure_of({trace, Stage::weights, 0, {head}}, style))));
  }

  void diagram(const Trace& trace, Index head) {
    y_ += draw_stage_diagram(canvas_, typesetter_, trace, head, {margin, y_}, inner());
  }

  void stage(const StageCut& cut, const std::string& shape, const std::string& about) {
    const StageInfo& stage = info(cut.stage);
    const std::vector<std::string> lines =
        about.empty() ? std::vector<std::string>{} : broken_lines(about, body, inner(), typesetter_);
    StageFigureStyle style;
    style.title = "";
    style.on_paper = true;
    const float room = cut.heads.size() > 4 ? 330.0f : 250.0f;
    style.size = FigureSize{inner(), 0};  // as much as the width asks for, where that is not too much
    auto figure = std::make_unique<ArrangedFigure>(without_subtitle(stage_figure(cut, style)));
    if (figure->size().height > room) {
      style.size->height = room;
      figure = std::make_unique<ArrangedFigure>(without_subtitle(stage_figure(cut, style)));
    }
    need(block_gap + 26 + line * (1 + static_cast<float>(lines.size())) + figure->size().height);
    if (y_ > margin) y_ += block_gap;
    put(std::string(stage.name), FontRole::strong, 16, theme_.ink, 14);
    const float after = margin + typesetter_.width(stage.name, FontRole::strong, 16) + 12;
    canvas_.text({shape, FontRole::mono, 11, theme_.muted, {after, y_ + 14}});
    y_ += 26;
    paragraph(std::string(stage.formula), theme_.muted);
    paragraph(about, theme_.ink);
    y_ += 6;
    put(*figure);
  }

  void space(float height) { y_ += height; }
  int pages() const { return page_; }
  std::string take() {
    footer();
    return canvas_.take();
  }

 private:
  float inner() const { return width_ - 2 * margin; }

  void put(const std::string& words, FontRole role, float size, Rgba ink, float baseline) {
    canvas_.text({words, role, size, ink, {margin, y_ + baseline}});
  }

  void put(const ArrangedFigure& figure) {
    need(figure.size().height);
    figure.draw(canvas_, {margin, y_});
    y_ += figure.size().height;
  }

  void need(float height) {
    if (y_ + height <= height_ - margin || y_ <= margin) return;
    footer();
    canvas_.next_page(width_, height_);
    ++page_;
    y_ = margin;
  }

  void footer() {
    canvas_.text({filled(text_.page, {page_, count_}),
                  FontRole::text,
                  10,
                  theme_.muted,
                  {width_ / 2, height_ - margin / 2},
                  Anchor::middle,
                  0});
  }

  const HandoutText& text_;
  const ThemeColours& theme_ = colours(Theme::light);
  Typesetter typesetter_;
  float width_, height_;
  int count_, page_ = 1;
  PdfCanvas canvas_;
  float y_;
};

void fill(Pages& pages, const Trace& trace, const HandoutText& text, Index head) {
  pages.heading(text.title, 24);
  if (!text.introduction.empty()) pages.paragraph(text.introduction, colours(Theme::light).ink);
  if (!text.caution.empty()) pages.paragraph(text.caution, colours(Theme::light).muted);
  pages.space(10);
  const auto& tokens = trace.inputs.query_tokens;
  if (!tokens.empty() && std::ssize(tokens.front()) <= most_words) {
    pages.heading(filled(text.sentence, {static_cast<int>(head)}), 14);
    pages.arcs(trace, head);
  }
  pages.heading(text.stages, 14);
  pages.diagram(trace, head);
  const bool self = trace.inputs.self_attention();
  for (const Stage stage : trace.stages()) {
    if (self && (stage == Stage::key || stage == Stage::value)) continue;  // the same rows again
    StageCut cut = all_heads(trace, stage);
    if (std::ssize(cut.heads) > most_heads) cut.heads.resize(most_heads);
    if (cut.heads.size() == 1) cut.grid = false;
    const auto about = text.about.find(stage);
    pages.stage(cut, to_string(trace[stage].shape()), about == text.about.end() ? "" : about->second);
  }
}

}  // namespace

std::string make_handout(const Trace& trace, const HandoutText& text, Paper paper, Index head) {
  Pages counted(text, paper, 0);  // once to learn how many pages there are
  fill(counted, trace, text, head);
  Pages pages(text, paper, counted.pages());
  fill(pages, trace, text, head);
  return pages.take();
}

}  // namespace headlight
