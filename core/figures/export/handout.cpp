#include "core/figures/export/handout.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/base/text/unicode.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/export/stage_figure.h"
#include "core/figures/figure/figure.h"

namespace headlight {
namespace {

constexpr float arrow = 17, most_wide = 92, tall = 46, name_line = 15, line_gap = 10,
                small = 8.5f;  // 8.5 units are 6.4 pt

/// One line of the diagram: its stages in order, and the stage before the first one, if it is in another line.
struct DiagramLine {
  std::vector<Stage> stages;
  std::string from;
};

/// By lane: its line of the diagram, and the colour of its stages' names.
struct LaneLook {
  std::size_t line;
  Rgba ThemeColours::*colour;
};
constexpr LaneLook lane_looks[] = {{0, &ThemeColours::query}, {1, &ThemeColours::key},   {2, &ThemeColours::value},
                                   {3, &ThemeColours::ink},   {3, &ThemeColours::after}, {4, &ThemeColours::after}};
static_assert(std::size(lane_looks) == static_cast<std::size_t>(Lane::outputs) + 1);
const LaneLook& look_of(Stage stage) { return lane_looks[static_cast<std::size_t>(info(stage).lane)]; }

std::vector<DiagramLine> lines_of(const Trace& trace) {
  std::vector<DiagramLine> lines(5);
  for (const Stage stage : trace.stages()) lines[look_of(stage).line].stages.push_back(stage);
  std::erase_if(lines, [](const DiagramLine& line) { return line.stages.empty(); });  // a source may give weights alone
  const auto has = [&](Stage stage) { return trace.has(stage); };
  for (DiagramLine& line : lines) {
    for (const SourceStage& source : info(line.stages.front()).sources) {
      if (const auto stage = stand_in(source.stage, has))
        line.from += (line.from.empty() ? "" : ", ") + std::string(name(*stage));
    }
  }
  return lines;
}

class Diagram {
 public:
  Diagram(PdfCanvas& canvas, Typesetter& typesetter, const Trace& trace, Index head)
      : canvas_(canvas), typesetter_(typesetter), trace_(trace), head_(head) {}

  /// Returns its height in units.
  float draw(Point at, float width) {
    const std::vector<DiagramLine> lines = lines_of(trace_);
    std::size_t most = 0;
    for (const DiagramLine& line : lines) {
      most = std::max(most, line.stages.size());
      if (!line.from.empty()) indent_ = std::max(indent_, typesetter_.width(line.from, FontRole::mono, small) + 4);
    }
    wide_ = std::min(most_wide, (width - indent_ - arrow * static_cast<float>(most)) / static_cast<float>(most));
    Point here = at;
    for (const DiagramLine& line : lines) {
      draw_line(line, here);
      here.y += name_line + tall + line_gap;
    }
    return here.y - at.y;
  }

 private:
  void draw_line(const DiagramLine& line, Point at) {
    const float middle = at.y + name_line + tall / 2;
    canvas_.text(
        {line.from, FontRole::mono, small, theme_.muted, {at.x + indent_ - 4, middle + small / 3}, Anchor::end, 0});
    float x = at.x + indent_;
    for (const Stage stage : line.stages) {
      // The mask is not computed from the stage before it; a plus shows that it is added to the scores.
      if (stage != line.stages.front() || !line.from.empty()) draw_arrow(x, middle, stage == Stage::mask);
      x += arrow;
      draw_stage(stage, {x, at.y});
      x += wide_;
    }
  }

  void draw_stage(Stage stage, Point at) {
    const bool x = is_input(stage) && trace_.inputs.self_attention();
    const std::string title = x ? "X" : std::string(name(stage));
    const std::string shown = typesetter_.elide(title, FontRole::strong, small + 1, wide_ + arrow - 3);
    canvas_.text({shown, FontRole::strong, small + 1, theme_.*look_of(stage).colour, {at.x, at.y + name_line - 5}});
    StageCut cut{trace_, stage};
    if (has_head_axis(stage))
      cut.heads = {std::min(is_per_kv_head(stage) ? head_ / trace_.dims().groups() : head_, trace_[stage].size(1) - 1)};
    StageFigureStyle style;
    style.bare = style.on_paper = true;
    style.size = FigureSize{wide_, tall};
    ArrangedFigure(stage_figure(cut, style)).draw(canvas_, {at.x, at.y + name_line});
    canvas_.path(around({at.x, at.y + name_line, wide_, tall}), 0.7f, theme_.line, false);
  }

  void draw_arrow(float x, float y, bool plus) {
    if (plus) {
      canvas_.text({"+", FontRole::text, 13, theme_.muted, {x + arrow / 2, y + 4.5f}, Anchor::middle, 0});
      return;
    }
    canvas_.path(through({{x + 3, y}, {x + arrow - 6, y}}), 1, theme_.muted, false);
    canvas_.path(through({{x + arrow - 3, y}, {x + arrow - 8, y - 2.5f}, {x + arrow - 8, y + 2.5f}}), 0, theme_.muted,
                 true);
  }

  PdfCanvas& canvas_;
  Typesetter& typesetter_;
  const Trace& trace_;
  Index head_;
  const ThemeColours& theme_ = colours(Theme::light);
  float indent_ = 0, wide_ = 0;
};

std::string formula_on_paper(const StageCut& cut, const PaperPictureWords& words) {
  const auto translated = words.formulas.find(cut.stage);
  return as_mathematics(translated != words.formulas.end() ? translated->second : formula_of(cut.trace, cut.stage));
}

constexpr float margin = 68, body = 12.5f, line = 18, block_gap = 26, above_figure = 6;
constexpr Index most_heads = 8, most_words = 24;

class Pages : public PaperPages {
 public:
  Pages(const HandoutText& text, Paper paper, int count)
      : PaperPages(text.title, text.page, count, paper == Paper::a4 ? a4 : FigureSize{816, 1056}, margin),
        text_(text) {}

  void heading(const std::string& words, float size) {
    need(1.6f * size);
    put(words, FontRole::strong, size, theme_.ink, 0, size);
    y_ += 1.6f * size;
  }

  void paragraph(const std::string& words, Rgba ink) {
    for (const std::string& each : broken_lines(words, body, inner(), typesetter_)) {
      need(line);
      put(each, FontRole::text, body, ink, 0, body);
      y_ += line;
    }
  }

  /// The words in two columns, and lines between them for the weights of a head.
  void arcs(const Trace& trace, Index head) {
    StageFigureStyle style;
    style.title = "";
    style.kind = PictureKind::arcs;
    style.on_paper = true;
    const auto words = static_cast<float>(trace.dims().n_q);
    style.size = FigureSize{0.62f * inner(), std::clamp(17 * words + 30, 90.0f, 420.0f)};
    style.row_label = text_.pictures.query, style.col_label = text_.pictures.keys;
    FigureSpec figure = figure_of({trace, Stage::weights, 0, {head}}, style);
    figure.subtitle.clear();
    draw(ArrangedFigure(figure));
  }

  void diagram(const Trace& trace, Index head) {
    y_ += Diagram(canvas_, typesetter_, trace, head).draw({margin, y_}, inner());
  }

  void stage(const StageCut& cut) {
    const StageInfo& stage = info(cut.stage);
    const auto found = text_.about.find(cut.stage);
    const std::string about = found == text_.about.end() ? std::string() : found->second;
    const std::size_t lines = about.empty() ? 0 : broken_lines(about, body, inner(), typesetter_).size();
    StageFigureStyle style;
    style.title = "";
    style.on_paper = true;
    const float room = cut.heads.size() > 4 ? 330.0f : 250.0f;
    style.size = FigureSize{inner(), 0};  // as high as the width needs, up to a limit
    auto figure = std::make_unique<ArrangedFigure>(picture_of(cut, style));
    if (figure->size().height > room) {
      style.size->height = room;
      figure = std::make_unique<ArrangedFigure>(picture_of(cut, style));
    }
    need(block_gap + 26 + line * (1 + static_cast<float>(lines)) + above_figure + figure->size().height);
    if (y_ > margin) y_ += block_gap;
    put(std::string(stage.name), FontRole::strong, 16, theme_.ink, 0, 14);
    const float after = margin + typesetter_.width(stage.name, FontRole::strong, 16) + 12;
    const std::string shape = to_string(cut.trace[cut.stage].shape());
    canvas_.text({shape, FontRole::mono, 11, theme_.muted, {after, y_ + 14}});
    y_ += 26;
    paragraph(formula_on_paper(cut, text_.pictures), theme_.muted);
    if (!about.empty()) paragraph(about, theme_.ink);
    y_ += above_figure;
    draw(*figure);
  }

 private:
  /// Under a heading of its own.
  FigureSpec picture_of(const StageCut& cut, const StageFigureStyle& style) const {
    FigureSpec figure = paper_figure(cut, style, text_.pictures);
    figure.subtitle.clear();
    return figure;
  }

  void draw(const ArrangedFigure& figure) {
    need(figure.size().height);
    figure.draw(canvas_, {margin, y_});
    y_ += figure.size().height;
  }

  const HandoutText& text_;
};

void fill(Pages& pages, const Trace& trace, const HandoutText& text, Index head) {
  pages.heading(text.title, 24);
  if (!text.introduction.empty()) pages.paragraph(text.introduction, colours(Theme::light).ink);
  for (const std::string& note : {text.caution, text.batch}) {
    if (!note.empty()) pages.paragraph(note, colours(Theme::light).muted);
  }
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
    if (self && (stage == Stage::key || stage == Stage::value)) continue;  // the same rows as query
    StageCut cut = all_heads(trace, stage);
    if (std::ssize(cut.heads) > most_heads) cut.heads.resize(most_heads);
    if (cut.heads.size() == 1) cut.grid = false;
    pages.stage(cut);
  }
}

}  // namespace

void PaperPages::need(float height) {
  if (y_ + height <= size_.height - margin_ || y_ <= margin_) return;
  footer();
  canvas_.next_page(size_.width, size_.height);
  ++page_;
  y_ = margin_;
}

std::string PaperPages::take() {
  footer();
  return canvas_.take();
}

void PaperPages::footer() {
  put_at({size_.width / 2, size_.height - margin_ / 2}, Anchor::middle, filled(numbering_, {page_, count_}),
         FontRole::text, 10, theme_.muted);
}

FigureSpec paper_figure(const StageCut& cut, StageFigureStyle style, const PaperPictureWords& words) {
  const auto label = [&](Axis axis) {
    return axis == Axis::query ? std::optional(words.query)
           : axis == Axis::key ? std::optional(words.keys)
                               : std::nullopt;
  };
  style.row_label = label(info(cut.stage).rows), style.col_label = label(info(cut.stage).cols);
  if (!style.title) {
    std::string title = cut.trace.name_of(cut.stage);
    if (const std::string layer = layer_shown(cut.trace); !layer.empty())
      title += " · " + replaced(words.layer, "{0}", layer);
    if (!is_parameter(cut.stage) && cut.trace.dims().batch > 1)
      title += " · " + filled(words.batch, {static_cast<int>(cut.batch)});
    if (has_head_axis(cut.stage) && !cut.grid)
      title += " · " + filled(words.head, {static_cast<int>(cut.heads.front())});
    style.title = std::move(title);
  }
  FigureSpec figure = stage_figure(cut, style);
  figure.words.may_attend = words.may_attend;
  figure.words.masked = words.masked;
  if (!cut.trace.gradients_of) figure.subtitle = formula_on_paper(cut, words);
  for (std::size_t i = 0; cut.grid && i < figure.panels.size(); ++i)
    figure.panels[i].title = filled(words.head, {static_cast<int>(cut.heads[i])});
  return figure;
}

std::string make_handout(const Trace& trace, const HandoutText& text, Paper paper, Index head) {
  Pages counted(text, paper, 0);  // laid out once to count the pages
  fill(counted, trace, text, head);
  Pages pages(text, paper, counted.pages());
  fill(pages, trace, text, head);
  return pages.take();
}

std::vector<std::string> broken_lines(const std::string& text, float size, float width, Typesetter& typesetter,
                                      FontRole role) {
  std::vector<std::string> lines(1);
  std::string word;
  const auto flush = [&] {
    if (!lines.back().empty() && typesetter.width(lines.back() + word, role, size) > width) {
      while (lines.back().ends_with(' ')) lines.back().pop_back();
      lines.emplace_back();
      while (word.starts_with(' ')) word.erase(0, 1);
    }
    lines.back() += word;
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_character(text, at);
    const std::string_view character = std::string_view(text).substr(from, at - from);
    const bool chinese =
        c >= 0x2E80 && c < 0xFF00 && !(c >= 0x3000 && c < 0x3040);  // a line must not begin with 。 or ，
    if (c == ' ' || chinese) flush();
    word += character;
  }
  flush();
  return lines;
}

std::string filled(std::string pattern, std::initializer_list<int> numbers) {
  int place = 0;
  for (const int number : numbers) {
    const std::string mark = "{" + std::to_string(place++) + "}";
    if (const std::size_t at = pattern.find(mark); at != std::string::npos)
      pattern.replace(at, mark.size(), std::to_string(number));
  }
  return pattern;
}

}  // namespace headlight
