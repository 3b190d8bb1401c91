#include "core/figures/figure/figure.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/tensor/error.h"
#include "core/base/tensor/matrix_source.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/ticks.h"
#include "tests/catch.h"
#include "tests/core/figure/label_box.h"

using namespace headlight;

namespace {

Tensor waves(Index rows, Index cols) {
  Buffer values;
  for (Index i = 0; i < rows * cols; ++i) values.push_back(std::sin(static_cast<float>(i) * 1.7f) * 2.5f);
  return Tensor({rows, cols}, std::move(values));
}

Tensor causal(Index rows, Index cols) {
  Buffer values;
  for (Index i = 0; i < rows * cols; ++i) values.push_back(i % cols <= i / cols ? 1.0f : 0.0f);
  return Tensor({rows, cols}, std::move(values));
}

std::vector<std::string> repeated(const std::vector<std::string>& words, Index count) {
  std::vector<std::string> out;
  for (Index i = 0; i < count; ++i) out.push_back(words[static_cast<std::size_t>(i) % words.size()]);
  return out;
}

/// A figure with all parts. It owns the tensors that it shows.
struct Sample {
  Tensor matrix, mask;
  FigureSpec spec;
  Sample(Index rows, Index cols, std::size_t panels, const std::vector<std::string>& words)
      : matrix(waves(rows, cols)), mask(causal(rows, cols)) {
    spec.title = "masked_scores";
    spec.subtitle = "S where mask, else fill";
    spec.row_label = "queries";
    spec.col_label = "keys";
    if (!words.empty()) spec.row_ticks = repeated(words, rows), spec.col_ticks = repeated(words, cols);
    for (std::size_t i = 0; i < panels; ++i) {
      spec.panels.push_back({matrix.matrix(),
                             {mask.matrix(), {}},
                             panels > 1 ? "head " + std::to_string(i) : "",
                             colours(Theme::light).heads[i % 8]});
    }
  }
};

FigureLayout layout_of(const FigureSpec& spec) {
  Typesetter typesetter;
  return lay_out(spec, colormap("signal", spec.theme), typesetter);
}

/// Whether two rotated boxes overlap: they do unless an edge of one separates them.
bool overlap(const LabelBox& a, const LabelBox& b) {
  for (const LabelBox* box : {&a, &b}) {
    for (int i = 0; i < 4; ++i) {
      const Point from = box->corner[i], to = box->corner[(i + 1) % 4];
      const float nx = to.y - from.y, ny = from.x - to.x;
      const auto span = [&](const LabelBox& of) {
        float low = 1e9f, high = -1e9f;
        for (const Point p : of.corner)
          low = std::min(low, p.x * nx + p.y * ny), high = std::max(high, p.x * nx + p.y * ny);
        return std::pair(low, high);
      };
      const auto [a_low, a_high] = span(a);
      const auto [b_low, b_high] = span(b);
      if (a_high <= b_low + 1e-3f || b_high <= a_low + 1e-3f) return false;
    }
  }
  return true;
}

LabelBox box_of(const Box& r) { return {{{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}}; }

/// Describes the first fault of a layout; empty if there is none.
std::string fault(const FigureLayout& layout) {
  Typesetter typesetter;
  std::vector<std::pair<std::string, LabelBox>> things;
  for (const PanelBox& panel : layout.panels) things.emplace_back("matrix", box_of(panel.heatmap));
  for (const BarBox& bar : layout.bars) things.emplace_back("bar", box_of(bar.rect));
  for (const SwatchBox& swatch : layout.swatches) things.emplace_back("swatch", box_of(swatch.rect));
  for (const Label& label : layout.labels) things.emplace_back(label.text, label_box(label, typesetter));
  for (std::size_t i = 0; i < things.size(); ++i) {
    for (const Point p : things[i].second.corner) {
      if (p.x < 0 || p.y < 0 || p.x > layout.width || p.y > layout.height) return things[i].first + " is clipped";
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(things[i].second, things[j].second)) return things[i].first + " lies over " + things[j].first;
    }
  }
  for (const PanelBox& panel : layout.panels) {
    if (!(panel.heatmap.w >= 1 && panel.heatmap.h >= 1)) return "a matrix is not there";
  }
  return {};
}

const std::vector<std::string> no_words, short_words{"the", "cat", "sat"},
    long_words{"antidisestablishmentarianism", "of", "Donaudampfschifffahrtsgesellschaft"},
    chinese{"今天", "天气", "非常好"};

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("nothing in a figure overlaps or is cut off, at any shape, with any words, at any size") {
  const std::vector<std::pair<Index, Index>> shapes{{1, 1},   {2, 1},   {5, 5},   {6, 16},
                                                    {30, 30}, {64, 64}, {4, 600}, {600, 4}};
  const std::vector<std::optional<FigureSize>> sizes{
      {}, FigureSize{1600, 900}, FigureSize{640, 480}, FigureSize{320, 200}, FigureSize{90, 60}};
  for (const auto& [rows, cols] : shapes) {
    for (const auto* words : {&no_words, &short_words, &long_words, &chinese}) {
      for (const std::size_t panels : {std::size_t{1}, std::size_t{5}}) {
        for (const auto& size : sizes) {
          Sample sample(rows, cols, panels, *words);
          sample.spec.size = size;
          INFO(rows << " x " << cols << ", " << panels << " panels, " << (words->empty() ? "" : words->front()) << ", "
                    << (size ? size->width : 0));
          const FigureLayout layout = layout_of(sample.spec);
          CHECK(fault(layout) == "");
          if (size) CHECK((layout.width == size->width && layout.height == size->height));
        }
      }
    }
  }
}

namespace {

/// A source that is 0 above the diagonal and counts how often cells are read.
class Counted : public MatrixSource {
 public:
  explicit Counted(Index n) : MatrixSource(n, n) {}
  bool knows_blocks() const override { return true; }
  std::vector<BlockExtremes> extremes(Index, std::span<const Index> row_cuts, std::span<const Index> col_cuts, Index,
                                      const std::stop_token&) const override {
    std::vector<BlockExtremes> blocks;
    for (std::size_t r = 0; r + 1 < row_cuts.size(); ++r) {
      for (std::size_t c = 0; c + 1 < col_cuts.size(); ++c) {
        const bool below = col_cuts[c] < row_cuts[r + 1];
        blocks.push_back(below ? BlockExtremes{1, 1, false, true} : BlockExtremes{infinity, -infinity, false, true});
      }
    }
    return blocks;
  }
  KindCounts kinds(Index, const std::stop_token&) const override { return {rows() * cols()}; }

  mutable std::atomic<int> computed{0};

 private:
  void compute(Index, Index, Index rows, Index, Index cols, float* to) const override {
    ++computed;
    std::fill_n(to, rows * cols, -infinity);
  }
  static constexpr float infinity = std::numeric_limits<float>::infinity();
};

}  // namespace

TEST_CASE("a figure of a given size reads blocks of a matrix on demand, not its cells") {
  const auto source = std::make_shared<Counted>(20000);
  const Tensor values = Tensor::computed_by({1, 1, 20000, 20000}, source);
  FigureSpec spec;
  spec.panels = {{values.matrix(), {}, "head 2", {}}};
  spec.size = FigureSize{800, 0};
  const Image image = ArrangedFigure(spec).preview().image;
  CHECK(image.width == 800);
  CHECK(source->computed < 1000);
}

TEST_CASE("a long title goes on in two more lines, is then elided and never runs out of the figure") {
  Sample sample(3, 3, 1, short_words);
  for (int i = 0; i < 30; ++i) sample.spec.title += " and then some", sample.spec.subtitle += " 注意力";
  const FigureLayout layout = layout_of(sample.spec);
  CHECK(fault(layout) == "");
  const auto cut = std::ranges::find_if(layout.labels, [](const Label& label) { return label.text.ends_with("…"); });
  REQUIRE(cut != layout.labels.end());
  CHECK(cut - layout.labels.begin() == 2);
  CHECK(std::ranges::count(layout.left_out, Message("the end of the title")) == 1);
}

TEST_CASE("a cell has the size asked for, and a figure at twice the scale twice the pixels") {
  Sample sample(6, 4, 1, short_words);
  sample.spec.cell = 25;
  const FigureLayout layout = layout_of(sample.spec);
  CHECK(layout.panels[0].heatmap.w == 100);
  CHECK(layout.panels[0].heatmap.h == 150);
  const Image once = ArrangedFigure(sample.spec).preview().image;
  sample.spec.scale = 2;
  const Image twice = ArrangedFigure(sample.spec).preview().image;
  CHECK(twice.width == 2 * once.width);
  CHECK(twice.height == 2 * once.height);
}

TEST_CASE("--bare draws only the cells, each as a block of its exact colour") {
  Sample sample(4, 7, 1, short_words);
  sample.spec.bare = true;
  sample.spec.cell = 8;
  sample.spec.range_mode = RangeMode::fixed;
  sample.spec.range = ValueRange{-2, 2};
  const Image image = ArrangedFigure(sample.spec).preview().image;
  REQUIRE(image.width == 56);
  REQUIRE(image.height == 32);
  const Colormap map = colormap("signal", Theme::light);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 56; ++x) {
      if (sample.mask.at({y / 8, x / 8}) == 0) continue;
      CHECK(image.at(x, y) == map.at(normalise(sample.matrix.at({y / 8, x / 8}), {-2, 2})));
    }
  }
  sample.spec.size = FigureSize{100, 40};
  const Image sized = ArrangedFigure(sample.spec).preview().image;
  CHECK(sized.width == 100);
  CHECK(sized.height == 40);
}

TEST_CASE("with --range stage heads share one bar, and with --range head each has its own") {
  Sample sample(5, 5, 3, short_words);
  const Tensor small = Tensor::full({5, 5}, 0.25f);
  sample.spec.panels[1].matrix = small.matrix();
  sample.spec.range_mode = RangeMode::head;
  FigureLayout layout = layout_of(sample.spec);
  CHECK(layout.bars.size() == 3);
  CHECK(layout.panels[1].range == ValueRange{-0.25f, 0.25f});
  sample.spec.panels[1].matrix = sample.spec.panels[2].matrix = sample.spec.panels[0].matrix;
  CHECK(layout_of(sample.spec).bars.size() == 1);  // one bar would be enough for all
  sample.spec.panels[1].matrix = small.matrix();
  sample.spec.range_mode = RangeMode::stage;
  layout = layout_of(sample.spec);
  CHECK(layout.bars.size() == 1);
  CHECK(layout.panels[1].range == layout.panels[0].range);
}

TEST_CASE("the legend counts cells that are no values, and is absent where there are none") {
  Sample sample(6, 6, 1, short_words);
  const FigureLayout layout = layout_of(sample.spec);
  REQUIRE(layout.swatches.size() == 1);
  CHECK(layout.swatches[0].kind == CellKind::masked);
  CHECK(layout.labels.back().text == "masked  15 of 36 (42 %)");
  sample.spec.panels[0].masks = {};
  CHECK(layout_of(sample.spec).swatches.empty());
}

TEST_CASE("numbers stand in cells where they fit and nowhere else") {
  Sample sample(6, 6, 1, short_words);
  Typesetter typesetter;
  sample.spec.values = true;
  const auto under_the_mask = [&](float value) {
    Buffer filled(sample.matrix.values().begin(), sample.matrix.values().end());
    for (std::size_t i = 0; i < filled.size(); ++i) {
      if (sample.mask.values()[i] == 0) filled[i] = value;
    }
    sample.matrix = Tensor({6, 6}, std::move(filled));
    sample.spec.panels[0].matrix = sample.matrix.matrix();
  };
  under_the_mask(-std::numeric_limits<float>::infinity());
  for (const float cell : {60.0f, 44.0f, 30.0f, 22.0f, 14.0f}) {
    sample.spec.cell = cell;
    for (const Label& label : layout_of(sample.spec).inside) {
      CHECK(typesetter.width(label.text, label.role, label.size) <= cell - 2);
      CHECK(label.size <= cell);
    }
  }
  sample.spec.cell = 44;
  CHECK(layout_of(sample.spec).inside.size() == 36);
  CHECK(layout_of(sample.spec).inside[1].text == "−∞");
  under_the_mask(0);  // masked weights are 0
  CHECK(layout_of(sample.spec).inside[1].text == "0");
  under_the_mask(-1e9f);  // a finite fill is neither 0 nor -inf
  CHECK(layout_of(sample.spec).inside.size() == 21);
  sample.spec.cell = 10;
  CHECK(layout_of(sample.spec).inside.empty());
}

TEST_CASE("SVG has the geometry of the pixels: size, cells and words") {
  Sample sample(6, 5, 1, short_words);
  const FigureLayout layout = layout_of(sample.spec);
  const Image image = ArrangedFigure(sample.spec).preview().image;
  const std::string svg = ArrangedFigure(sample.spec).svg();
  CHECK(svg.find("width=\"" + std::to_string(image.width) + "\" height=\"" + std::to_string(image.height) + "\"") <
        300);
  CHECK(occurrences(svg, "<text") == layout.labels.size());
  CHECK(occurrences(svg, "url(#masked)") == 10 + 1);  // ten cells and the one in the legend
  const Colormap map = colormap("signal", Theme::light);
  for (Index row = 0; row < 6; ++row) {
    const Box& box = layout.panels[0].heatmap;
    const Rgba colour = map.at(normalise(sample.matrix.at({row, 0}), layout.panels[0].range));
    const float y = box.y + static_cast<float>(row) * layout.cell_height;
    const std::string start = "<rect x=\"" + format_value(box.x, 0) + "\" y=\"" + format_value(y, 0) + "\"";
    const std::size_t at = svg.find(start);
    REQUIRE(at != std::string::npos);
    CHECK(svg.substr(at, svg.find('>', at) - at).find(to_hex(colour)) != std::string::npos);
    CHECK(image.at(static_cast<int>(box.x) + 3, static_cast<int>(y) + 3) == colour);
  }
}

TEST_CASE("SVG escapes what XML forbids and draws outlines where asked") {
  Sample sample(2, 2, 1, {"<s>", "a&b"});
  sample.spec.title = "\"T\" \x01 \xff";
  const std::string svg = ArrangedFigure(sample.spec).svg();
  CHECK(svg.find("&lt;s&gt;") != std::string::npos);
  CHECK(svg.find("a&amp;b") != std::string::npos);
  CHECK(svg.find("<s>") == std::string::npos);
  CHECK(svg.find('\x01') == std::string::npos);
  CHECK(svg.find('\xff') == std::string::npos);
  const std::string outlined = ArrangedFigure(sample.spec).svg(SvgText::outlines);
  CHECK(occurrences(outlined, "<text") == 0);
  CHECK(occurrences(outlined, "<path d=\"M") > 5);
}

TEST_CASE("a large matrix goes into SVG as one picture") {
  Sample sample(200, 200, 1, no_words);
  const std::string svg = ArrangedFigure(sample.spec).svg();
  CHECK(occurrences(svg, "<image") == 1);
  CHECK(occurrences(svg, "<rect") < 64);
  CHECK(svg.size() < 600'000);
}

TEST_CASE("themes differ in their card, and a transparent figure has none") {
  Sample sample(3, 3, 1, short_words);
  CHECK(ArrangedFigure(sample.spec).preview().image.at(0, 0) == colours(Theme::light).card);
  sample.spec.theme = Theme::dark;
  CHECK(ArrangedFigure(sample.spec).preview().image.at(0, 0) == colours(Theme::dark).card);
  sample.spec.transparent = true;
  CHECK(ArrangedFigure(sample.spec).preview().image.at(0, 0).a == 0);
}

TEST_CASE("a matrix of nothing but NaN, or of one constant, still makes a figure") {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), 0.0f, 7.0f, -std::numeric_limits<float>::infinity()}) {
    const Tensor t = Tensor::full({3, 3}, value);
    FigureSpec spec;
    spec.panels = {{t.matrix(), {}, "", {}}};
    spec.values = true;
    for (const RangeMode mode : {RangeMode::row, RangeMode::head, RangeMode::stage}) {
      spec.range_mode = mode;
      CHECK(fault(layout_of(spec)) == "");
      CHECK(ArrangedFigure(spec).preview().image.width > 100);
    }
  }
}

TEST_CASE("an impossible figure is refused with the name of the setting") {
  Sample sample(3, 3, 1, short_words);
  sample.spec.cell = -1;
  CHECK_THROWS_AS(ArrangedFigure(sample.spec).preview().image, SettingError);
  sample.spec.cell = 1e6f;
  CHECK_THROWS_AS(ArrangedFigure(sample.spec).preview().image, SettingError);
  sample.spec.cell.reset();
  sample.spec.size = FigureSize{0, 100};
  CHECK_THROWS_AS(ArrangedFigure(sample.spec).svg(), SettingError);
}

TEST_CASE("ticks are round, signed with a real minus, and inside the range") {
  const std::vector<BarTick> ticks = bar_ticks({-2.3f, 2.3f}, 6);
  REQUIRE(ticks.size() == 5);
  CHECK(ticks[0].text == "−2");
  CHECK(ticks[2].text == "0");
  CHECK(ticks[2].at == 0.5f);
  for (const ValueRange range : {ValueRange{0, 1}, {0, 3e-7f}, {-4e8f, 4e8f}, {0.1f, 0.13f}, {-3e38f, 3e38f}}) {
    for (const BarTick& tick : bar_ticks(range, 6)) CHECK((tick.at >= 0 && tick.at <= 1 && !tick.text.empty()));
    CHECK(bar_ticks(range, 6).size() >= 2);
    CHECK(bar_ticks(range, 6).size() <= 6);
  }
  CHECK(bar_ticks({-4e8f, 4e8f}, 5)[0].text == "−4e8");
  CHECK(format_value(-0.25f, 2) == "−0.25");
  CHECK(format_value(-0.001f, 2) == "0.00");
  CHECK(format_value(12, 1) == "12.0");
}

TEST_CASE("longer text is wider, and text is elided at whole characters") {
  Typesetter typesetter;
  CHECK(typesetter.width("", FontRole::text, 12) == 0);
  CHECK(typesetter.width("attention", FontRole::text, 12) > typesetter.width("attend", FontRole::text, 12));
  CHECK(typesetter.width("111", FontRole::mono, 12) == typesetter.width("888", FontRole::mono, 12));
  CHECK(typesetter.width("x", FontRole::text, 24) == 2 * typesetter.width("x", FontRole::text, 12));
  const std::string cut = typesetter.elide("注意力注意力", FontRole::text, 12, 50);
  CHECK(cut.ends_with("…"));
  CHECK(typesetter.width(cut, FontRole::text, 12) <= 50);
  CHECK((cut.size() - 3) % 3 == 0);
  CHECK(typesetter.elide("abc", FontRole::text, 12, 1) == "");
  const std::string long_word(50000, 'a'), ends = typesetter.shorten(long_word, FontRole::text, 12, 900);
  CHECK(ends.find("…") != std::string::npos);
  CHECK(typesetter.width(ends, FontRole::text, 12) <= 900);
  CHECK(typesetter.width("aa" + ends, FontRole::text, 12) > 900);
}

TEST_CASE("the label of a highlight covers no cell, with and without a given size") {
  Sample sample(6, 6, 2, {"the", "cat", "sat"});
  sample.spec.highlights = {{2, 4, 3, 5, "later"}, {0, 2, 0, 2, "first"}};
  for (const std::optional<FigureSize> size : {std::optional<FigureSize>(), std::optional(FigureSize{600, 400})}) {
    sample.spec.size = size;
    const FigureLayout layout = layout_of(sample.spec);
    Typesetter typesetter;
    std::size_t labels = 0;
    for (const Label& label : layout.inside) {
      labels += label.text == "later" || label.text == "first";
      for (const PanelBox& panel : layout.panels) {
        const Box& cells = panel.heatmap;
        const LabelBox corners{
            {{cells.x, cells.y}, {cells.right(), cells.y}, {cells.right(), cells.bottom()}, {cells.x, cells.bottom()}}};
        CHECK(!overlap(label_box(label, typesetter), corners));
      }
    }
    CHECK(labels == 4);
  }
}

TEST_CASE("an SVG's cells are vectors up to 10,000 of a matrix, and a picture beyond") {
  const auto svg_of = [](Index cols) {
    const Tensor cells = Tensor::full({100, cols}, 0.5F);
    FigureSpec spec;
    spec.palette = Palette::sequential;
    spec.panels = {{cells.matrix(), {}, "", {}}};
    return ArrangedFigure(spec).svg();
  };
  CHECK(svg_of(100).find("<image") == std::string::npos);
  CHECK(svg_of(101).find("<image") != std::string::npos);
}
