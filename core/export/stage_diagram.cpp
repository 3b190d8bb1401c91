#include "core/export/stage_diagram.h"

#include <algorithm>
#include <vector>

#include "core/export/stage_figure.h"
#include "core/figure/arranged_figure.h"

namespace headlight {
namespace {

constexpr float arrow = 17, most_wide = 92, tall = 46, name_line = 15, line_gap = 10,
                small = 8.5f;  // 8.5 units are 6.4 pt

/// One line: its stages in order, and what the first is made from, where that stands in other lines.
struct DiagramLine {
  std::vector<Stage> stages;
  std::string from;
};

std::size_t line_of(Lane lane) {
  switch (lane) {
    case Lane::query: return 0;
    case Lane::key: return 1;
    case Lane::value: return 2;
    case Lane::scores:
    case Lane::weights: return 3;
    case Lane::outputs: return 4;
  }
  return 4;
}

std::vector<DiagramLine> lines_of(const Trace& trace) {
  std::vector<DiagramLine> lines(5);
  for (const Stage stage : trace.stages()) lines[line_of(info(stage).lane)].stages.push_back(stage);
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
      // The mask is made from nothing: a plus where it comes to the scores.
      if (stage != line.stages.front() || !line.from.empty()) draw_arrow(x, middle, stage == Stage::mask);
      x += arrow;
      draw_stage(stage, {x, at.y});
      x += wide_;
    }
  }

  void draw_stage(Stage stage, Point at) {
    const bool x = is_input(stage) && trace_.inputs.self_attention();
    const std::string title = x ? "X" : std::string(name(stage));
    canvas_.text({typesetter_.elide(title, FontRole::strong, small + 1, wide_ + arrow - 3),
                  FontRole::strong,
                  small + 1,
                  colour_of(info(stage).lane),
                  {at.x, at.y + name_line - 5}});
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

  Rgba colour_of(Lane lane) const {
    switch (lane) {
      case Lane::query: return theme_.query;
      case Lane::key: return theme_.key;
      case Lane::value: return theme_.value;
      case Lane::scores: return theme_.ink;
      case Lane::weights:
      case Lane::outputs: return theme_.after;
    }
    return theme_.ink;
  }

  PdfCanvas& canvas_;
  Typesetter& typesetter_;
  const Trace& trace_;
  Index head_;
  const ThemeColours& theme_ = colours(Theme::light);
  float indent_ = 0, wide_ = 0;
};

}  // namespace

float draw_stage_diagram(PdfCanvas& canvas, Typesetter& typesetter, const Trace& trace, Index head, Point at,
                         float width) {
  return Diagram(canvas, typesetter, trace, head).draw(at, width);
}

}  // namespace headlight
