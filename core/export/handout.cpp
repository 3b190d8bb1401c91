#include "core/export/handout.h"

#include <algorithm>
#include <vector>

#include "core/export/paper_lines.h"
#include "core/export/stage_figure.h"
#include "core/figure/figure_canvas.h"

namespace headlight {
namespace {

constexpr float margin = 68, body = 12.5f, line = 18, block_gap = 26;
constexpr Index most_heads = 8;

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

  /// A row of a table, its columns at shares of the width.
  void row(const std::string& name, const std::string& shape, const std::string& formula) {
    need(line);
    const float x[] = {margin, margin + 0.24f * inner(), margin + 0.5f * inner()};
    canvas_.text({name, FontRole::mono, 11, theme_.ink, {x[0], y_ + body}});
    canvas_.text({shape, FontRole::mono, 11, theme_.muted, {x[1], y_ + body}});
    canvas_.text({typesetter_.elide(formula, FontRole::text, 11.5f, 0.5f * inner()), FontRole::text, 11.5f, theme_.muted, {x[2], y_ + body}});
    y_ += line;
  }

  void stage(const StageCut& cut, const std::string& shape, const std::string& about) {
    const StageInfo& stage = info(cut.stage);
    const std::vector<std::string> lines = about.empty() ? std::vector<std::string>{} : broken_lines(about, body, inner(), typesetter_);
    StageFigureStyle style;
    style.title = "";
    style.on_paper = true;
    style.size = FigureSize{inner(), cut.heads.size() > 4 ? 250.0f : cut.heads.size() > 1 ? 210.0f : 190.0f};
    FigureSpec figure = stage_figure(cut, style);
    figure.subtitle.clear();
    need(block_gap + 26 + line * (1 + static_cast<float>(lines.size())) + style.size->height);
    if (y_ > margin) y_ += block_gap;
    put(std::string(stage.name), FontRole::strong, 16, theme_.ink, 14);
    const float after = margin + typesetter_.width(stage.name, FontRole::strong, 16) + 12;
    canvas_.text({shape, FontRole::mono, 11, theme_.muted, {after, y_ + 14}});
    y_ += 26;
    paragraph(std::string(stage.formula), theme_.muted);
    paragraph(about, theme_.ink);
    y_ += 6;
    draw_figure(canvas_, figure, {margin, y_});
    y_ += style.size->height;
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

  void need(float height) {
    if (y_ + height <= height_ - margin || y_ <= margin) return;
    footer();
    canvas_.next_page(width_, height_);
    ++page_;
    y_ = margin;
  }

  void footer() {
    std::string words = text_.page;
    const auto put_in = [&](const std::string& place, int number) {
      if (const std::size_t at = words.find(place); at != std::string::npos) words.replace(at, place.size(), std::to_string(number));
    };
    put_in("{0}", page_);
    put_in("{1}", count_);
    canvas_.text({words, FontRole::text, 10, theme_.muted, {width_ / 2, height_ - margin / 2}, Anchor::middle, 0});
  }

  const HandoutText& text_;
  const ThemeColours& theme_ = colours(Theme::light);
  Typesetter typesetter_;
  float width_, height_;
  int count_, page_ = 1;
  PdfCanvas canvas_;
  float y_;
};

std::string shape_of(const Tensor& tensor) {
  std::string text = "[";
  for (std::size_t i = 0; i < tensor.shape().size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(tensor.shape()[i]);
  return text + "]";
}

void fill(Pages& pages, const Trace& trace, const HandoutText& text) {
  pages.heading(text.title, 24);
  if (!text.introduction.empty()) pages.paragraph(text.introduction, colours(Theme::light).ink);
  pages.space(10);
  const auto& tokens = trace.inputs.query_tokens;
  if (!tokens.empty()) {
    std::string sentence;
    for (const std::string& token : tokens.front()) sentence += (sentence.empty() ? "" : "  ") + token;
    pages.paragraph(sentence, colours(Theme::light).muted);
    pages.space(10);
  }
  pages.heading(text.stages, 14);
  for (const Stage stage : trace.stages()) pages.row(std::string(name(stage)), shape_of(trace[stage]), std::string(info(stage).formula));
  for (const Stage stage : trace.stages()) {
    StageCut cut = all_heads(trace, stage);
    if (std::ssize(cut.heads) > most_heads) cut.heads.resize(most_heads);
    if (cut.heads.size() == 1) cut.grid = false;
    const auto about = text.about.find(stage);
    pages.stage(cut, shape_of(trace[stage]), about == text.about.end() ? "" : about->second);
  }
}

}  // namespace

std::string make_handout(const Trace& trace, const HandoutText& text, Paper paper) {
  Pages counted(text, paper, 0);  // once to learn how many pages there are
  fill(counted, trace, text);
  Pages pages(text, paper, counted.pages());
  fill(pages, trace, text);
  return pages.take();
}

}  // namespace headlight
