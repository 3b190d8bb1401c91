// Figures of a given size: the share of the matrix, the words that stay, and the content of the PDF.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/tensor/error.h"
#include "core/figures/figure/figure.h"
#include "core/figures/figure/figure_frame.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/ticks.h"
#include "tests/catch.h"
#include "tests/core/figure/label_box.h"
#include "tests/core/figure/without_cairo.h"
#include "tests/core/files/samples.h"

using namespace headlight;

namespace {

constexpr float cm = 96 / 2.54f;

const std::vector<std::string> sentence{"The",     "animal", "didn't", "cross", "the",   "street",
                                        "because", "it",     "was",    "too",   "tired", "."};

/// A figure of given size with the causal weights of several heads.
struct Paper {
  Tensor weights, mask;
  FigureSpec spec;
  Paper(std::size_t heads, float width, float height, Index n = 12) {
    Buffer values, allowed;
    for (Index i = 0; i < n * n; ++i) {
      const bool may = i % n <= i / n;
      allowed.push_back(may ? 1.0f : 0.0f);
      values.push_back(may ? std::fabs(std::sin(static_cast<float>(i))) : 0.0f);
    }
    weights = Tensor({n, n}, std::move(values));
    mask = Tensor({n, n}, std::move(allowed));
    spec.title = "weights";
    spec.subtitle = "softmax";
    spec.row_label = "query", spec.col_label = "key";
    for (Index i = 0; i < n; ++i) spec.row_ticks.push_back(sentence[static_cast<std::size_t>(i) % sentence.size()]);
    spec.col_ticks = spec.row_ticks;
    spec.palette = Palette::sequential;
    spec.range_mode = RangeMode::stage;
    spec.on_paper = true;
    spec.size = FigureSize{width * cm, height * cm};
    for (std::size_t h = 0; h < heads; ++h)
      spec.panels.push_back({weights.matrix(), {mask.matrix(), {}}, heads > 1 ? "head " + std::to_string(h) : "", {}});
  }
  FigureLayout layout() const {
    Typesetter typesetter(spec.font);
    return lay_out(spec, colormap("attention", spec.theme), typesetter);
  }
};

float matrix_share(const FigureLayout& layout) {
  float area = 0;
  for (const PanelBox& panel : layout.panels) area += panel.heatmap.w * panel.heatmap.h;
  return area / (layout.width * layout.height);
}

bool shows(const FigureLayout& layout, const std::string& text) {
  return std::any_of(layout.labels.begin(), layout.labels.end(),
                     [&](const Label& label) { return label.text == text; });
}

std::string written(float value, const NumberFormat& format) {
  char buffer[48];
  return std::string(format.write(value, buffer));
}

NumberFormat format_of(const std::vector<float>& values, int most) {
  NumberSpan span;
  for (const float v : values) span.add(v);
  const auto format = number_format(span, most);
  REQUIRE(format);
  return *format;
}

}  // namespace

TEST_CASE("the matrix of one head of twelve words takes two fifths of 8 x 6 cm, with every word") {
  const Paper paper(1, 8, 6);
  const FigureLayout layout = paper.layout();
  CHECK(matrix_share(layout) >= 0.40f);
  for (const std::string& word : sentence) CHECK(shows(layout, word));
  CHECK(layout.bars.size() == 1);
}

TEST_CASE(
    "sixteen heads at 16 x 6 cm are 45 in a hundred matrix, share one bar, say their names and keep every word, in two "
    "tiers") {
  const Paper paper(16, 16, 6);
  const FigureLayout layout = paper.layout();
  CHECK(matrix_share(layout) >= 0.45f);
  CHECK(layout.bars.size() == 1);
  const auto named = [&](const std::string& text) {
    const auto is = [&](const Label& label) { return label.text == text; };
    return shows(layout, text) || std::any_of(layout.inside.begin(), layout.inside.end(), is);
  };
  CHECK(named("head 0"));
  CHECK(named("head 15"));
  for (const std::string& word : sentence) CHECK(shows(layout, word));
  CHECK(std::ranges::none_of(layout.left_out,
                             [](const Message& what) { return what.english().find("words") != std::string::npos; }));
}

TEST_CASE("cells of a sized figure are square, and no text is smaller than 6 points or off the page") {
  for (const auto& [heads, width, height] : {std::tuple{1, 8.0f, 6.0f},
                                             {2, 8.4f, 4.6f},
                                             {8, 16.0f, 6.0f},
                                             {16, 16.0f, 6.0f},
                                             {4, 17.0f, 5.0f},
                                             {1, 3.0f, 2.0f}}) {
    const Paper paper(static_cast<std::size_t>(heads), width, height);
    const FigureLayout layout = paper.layout();
    INFO(heads << " heads, " << width << " x " << height << " cm");
    CHECK(std::fabs(layout.cell_width - layout.cell_height) < 1e-3f);
    Typesetter typesetter;
    std::vector<Label> all = layout.labels;
    all.insert(all.end(), layout.inside.begin(), layout.inside.end());
    for (const Label& label : all) {
      INFO(label.text);
      CHECK(label.size >= 8 - 1e-3f);
      for (const Point p : label_box(label, typesetter).corner)
        CHECK((p.x >= 0 && p.y >= 0 && p.x <= layout.width && p.y <= layout.height));
    }
  }
}

TEST_CASE("a figure names what it has no room for") {
  const Paper roomy(1, 24, 20), small(1, 2, 2);
  CHECK(roomy.layout().left_out == std::vector<Message>{"formula"});
  const std::vector<Message> missing = small.layout().left_out;
  CHECK(std::find(missing.begin(), missing.end(), Message("title")) != missing.end());
  CHECK(std::any_of(missing.begin(), missing.end(),
                    [](const Message& each) { return each.english().find("words") != std::string::npos; }));
}

TEST_CASE("a figure with only a width is as high as its matrices need") {
  Paper paper(4, 9, 0);
  const FigureLayout layout = paper.layout();
  CHECK(layout.width == 9 * cm);
  CHECK(layout.height > 4 * cm);
  CHECK(layout.height <= 1.3f * layout.width);
  CHECK(ArrangedFigure(paper.spec).preview().image.height == std::lround(layout.height));
}

TEST_CASE("the number of columns that is asked for is kept, and letters precede the names of heads") {
  Paper paper(6, 16, 9);
  paper.spec.columns = 3;
  paper.spec.letters = true;
  const FigureLayout layout = paper.layout();
  CHECK(layout.panels[3].heatmap.x == layout.panels[0].heatmap.x);
  CHECK(layout.panels[2].heatmap.y == layout.panels[0].heatmap.y);
  CHECK(shows(layout, "(b) head 1"));
}

TEST_CASE("equal figures have equal PDF bytes, and different ones different bytes") {
  Paper paper(2, 8, 5);
  const std::string once = printed(paper.spec);
  CHECK((once.starts_with("%PDF-1.5") || !makes_pdf));
  CHECK(once == printed(paper.spec));
  paper.spec.letters = true;
  CHECK(once != printed(paper.spec));
}

TEST_CASE("a program without PDFs refuses one and names what it makes") {
  if (makes_pdf) return;
  const Paper paper(2, 8, 5);
  const std::string said = samples::sentence_of([&] { ArrangedFigure(paper.spec).pdf(); });
  CHECK(samples::has(said, "a PDF cannot be made by this program"));
  CHECK(samples::has(said, "expected PNG or SVG"));
}

TEST_CASE("a figure that is arranged once gives the same files as one arranged for each") {
  const Paper paper(4, 12, 6);
  ArrangedFigure figure(paper.spec);
  CHECK(figure.png() == ArrangedFigure(paper.spec).png());
  CHECK(figure.svg() == ArrangedFigure(paper.spec).svg());
  CHECK(printed(figure) == printed(paper.spec));
  CHECK(figure.left_out() == ArrangedFigure(paper.spec).left_out());
}

TEST_CASE("emoji are pictures in a PDF, the words beside them text; as outlines in SVG they stay text") {
  Paper paper(1, 8, 6);
  const auto images = [](const std::string& pdf) {
    int count = 0;
    for (std::size_t at = pdf.find("/Subtype /Image"); at != std::string::npos;
         at = pdf.find("/Subtype /Image", at + 1))
      ++count;
    return count;
  };
  const int before = images(printed(paper.spec));  // the colour bar
  paper.spec.row_ticks[1] = "a🐈b";
  const std::string pdf = printed(paper.spec);
  CHECK((images(pdf) > before || !makes_pdf));
  CHECK(pdf == printed(paper.spec));
  const std::string svg = ArrangedFigure(paper.spec).svg(SvgText::outlines);
  CHECK(svg.find("🐈") != std::string::npos);
  CHECK(svg.find(">animal<") == std::string::npos);
}

TEST_CASE("eight heads of twelve words at 16 × 6 cm keep every row label, and no two touch") {
  const Paper paper(8, 16, 6);
  const FigureLayout layout = paper.layout();
  for (const std::string& word : sentence) CHECK(shows(layout, word));
  CHECK(std::find(layout.left_out.begin(), layout.left_out.end(), "every other of the row words") ==
        layout.left_out.end());
}

TEST_CASE("a font that is not installed is refused with the name of the setting") {
  Paper paper(1, 8, 6);
  paper.spec.font = "No Such Family At All";
  CHECK_THROWS_AS(printed(paper.spec), SettingError);
  paper.spec.font = "serif";
  CHECK(printed(paper.spec).size() > 1000);
}

TEST_CASE("a norm maps the range to 0 to 1 and keeps the order of values") {
  for (const Norm norm : {Norm::linear, Norm::sqrt, Norm::log}) {
    const ValueRange range{norm == Norm::log ? 0.001f : 0.0f, 1};
    CHECK(spread(range.lo, range, ColormapKind::sequential, norm) == 0);
    CHECK(spread(1, range, ColormapKind::sequential, norm) == 1);
    CHECK(spread(0.1f, range, ColormapKind::sequential, norm) < spread(0.2f, range, ColormapKind::sequential, norm));
    CHECK(spread(0, {-2, 2}, ColormapKind::diverging, norm) == 0.5f);
    CHECK(std::fabs(spread(0.5f, {-2, 2}, ColormapKind::diverging, norm) +
                    spread(-0.5f, {-2, 2}, ColormapKind::diverging, norm) - 1) < 1e-6f);
  }
  CHECK(std::fabs(spread(0.1f, {0.01f, 1}, ColormapKind::sequential, Norm::log) - 0.5f) < 1e-6f);
  CHECK(spread(0.25f, {0, 1}, ColormapKind::sequential, Norm::sqrt) == 0.5f);
}

TEST_CASE("the ticks of a logarithmic bar are powers of ten at their positions") {
  const std::vector<BarTick> ticks = spread_ticks({0.001f, 1}, ColormapKind::sequential, Norm::log, 0.2f);
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[0].text == "0.001");
  CHECK(std::fabs(ticks[1].at - 1 / 3.0f) < 1e-5f);
  CHECK(ticks[3].text == "1");
}

TEST_CASE("a bar ends at the largest value, or has a point and says how many cells lie beyond") {
  for (const bool roomy : {false, true}) {
    for (const Norm norm : {Norm::linear, Norm::sqrt, Norm::log}) {
      for (const float end : {0.0f, 0.5f, 2.0f}) {
        Paper paper(1, 9, 8);
        if (roomy) paper.spec.size.reset(), paper.spec.on_paper = false;
        paper.spec.norm = norm;
        if (end > 0) paper.spec.range_mode = RangeMode::fixed, paper.spec.range = ValueRange{0.001f, end};
        const FigureLayout layout = paper.layout();
        float most = 0;
        for (const float value : paper.weights.values()) most = std::max(most, value);
        INFO("norm " << static_cast<int>(norm) << ", to " << end << (roomy ? ", roomy" : ""));
        REQUIRE(layout.bars.size() == 1);
        const bool above = most > layout.bars[0].range.hi;
        CHECK(above == (end == 0.5f));
        const bool pointed = std::ranges::any_of(layout.paths, [](const DrawnPath& path) { return path.filled; });
        if (above) CHECK(pointed);
        const auto said = [&](const char* words) {
          return std::ranges::any_of(layout.labels,
                                     [&](const Label& l) { return l.text.find(words) != std::string::npos; });
        };
        CHECK(said("above 0.5") == above);
      }
    }
  }
}

TEST_CASE("on paper and in print masked cells are hatched, in no flat colour that could be a value") {
  for (const bool print : {false, true}) {
    for (const Index n : {12, 60, 90}) {  // few cells are drawn as rectangles, many as pixels
      Paper paper(1, 9, 8, n);
      paper.spec.print = print;
      if (print) paper.spec.colormap = "greys";
      paper.spec.scale = 300.0f / 96;
      const FigureLayout layout = paper.layout();
      const Image image = ArrangedFigure(paper.spec).preview().image;
      const Box& box = layout.panels[0].heatmap;
      // Samples the upper right corner, which is masked.
      int dark = 0, pale = 0;
      for (int step = 0; step < 60; ++step) {
        const auto x = static_cast<int>((box.right() - 2) * paper.spec.scale) - step,
                   y = static_cast<int>((box.y + 4) * paper.spec.scale);
        const Rgba at = image.at(x, y);
        (contrast(at, colours(Theme::light).card) > 1.35f ? dark : pale) += 1;
      }
      INFO(n << (print ? ", print" : ""));
      CHECK(dark > 5);
      CHECK(pale > 20);
    }
  }
}

TEST_CASE("labels keep the weight and slant of their font, and titles are not lighter") {
  const std::string regular = find_font(FontRole::text).path, bold = find_font(FontRole::strong).path;
  if (!takes_font_files) {
    CHECK_THROWS_AS(Typesetter(bold), SettingError);
    return;
  }
  CHECK(font_style(regular).weight == 400);
  CHECK(font_style(bold).weight >= 600);
  CHECK(font_style("DejaVu Sans").weight == 400);
  CHECK(font_style(find_font(FontRole::math).path).italic);
  Typesetter usual, heavy(bold), plain(regular);
  const auto width = [](Typesetter& by, FontRole role) { return by.width("Heavy words", role, 20); };
  CHECK(width(plain, FontRole::text) == width(usual, FontRole::text));
  CHECK(width(heavy, FontRole::text) == width(usual, FontRole::strong));
  CHECK(width(heavy, FontRole::text) > width(usual, FontRole::text));
  CHECK(width(heavy, FontRole::strong) >= width(usual, FontRole::strong));
  CHECK(width(heavy, FontRole::mono) == width(usual, FontRole::mono));
}

TEST_CASE("a label is one line: a tab or the end of a line in its text is a blank") {
  Typesetter typesetter;
  const auto width = [&](std::string_view text) { return typesetter.width(text, FontRole::text, 12); };
  for (const char* text : {"a\nb", "a\tb", "a\rb", "a\u2028b"}) CHECK(width(text) == width("a b"));
  CHECK(width("a\x01"
              "b") == width("a\uFFFDb"));
}

TEST_CASE("no name of a panel is cut, and labels of neighbouring panels have a gap between them") {
  Typesetter typesetter;
  for (const std::size_t heads : {4, 12, 64}) {
    for (const float width : {8.4f, 17.0f, 0.0f}) {  // a column, a page, and as wide as needed
      Paper paper(heads, width, 0, 24);
      if (width == 0) paper.spec.size.reset(), paper.spec.on_paper = false;
      paper.spec.row_ticks.clear(), paper.spec.col_ticks.clear();
      const FigureLayout layout = paper.layout();
      INFO(heads << " heads, " << width << " cm");
      for (const std::vector<Label>& labels : {layout.labels, layout.inside}) {
        CHECK(std::ranges::none_of(labels, [](const Label& l) { return l.text.ends_with("…"); }));
      }
      if (width > 0) CHECK(shows(layout, "weights"));  // the height is the program's own choice
      std::map<float, std::vector<std::pair<float, float>>> lines;
      for (const Label& label : layout.labels) {
        if (label.anchor != Anchor::middle || label.angle != 0 ||
            label.text.find_first_not_of("0123456789") != std::string::npos)
          continue;
        const float half = typesetter.width(label.text, label.role, label.size) / 2;
        lines[label.at.y].push_back({label.at.x - half, label.at.x + half});
      }
      for (auto& [y, spans] : lines) {
        std::ranges::sort(spans);
        for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first - spans[i - 1].second > 2);
      }
    }
  }
}

TEST_CASE("a grid of layers by heads is labelled at its edges where panels have no room for names") {
  Paper paper(24 * 16, 12, 16, 8);
  paper.spec.columns = 16;
  for (std::size_t i = 0; i < paper.spec.panels.size(); ++i)
    paper.spec.panels[i].title = std::to_string(i / 16) + "." + std::to_string(i % 16);
  for (int layer = 0; layer < 24; ++layer) paper.spec.line_names.push_back("L" + std::to_string(layer));
  for (int head = 0; head < 16; ++head) paper.spec.column_names.push_back("H" + std::to_string(head));
  const FigureLayout layout = paper.layout();
  for (const char* name : {"L0", "L23", "H0", "H15"}) CHECK(shows(layout, name));
}

TEST_CASE("the print theme goes from white at zero to black") {
  const Colormap map = colormap("greys", Theme::light);
  CHECK(map.at(0) == rgb("FFFFFF"));
  CHECK(map.at(1) == rgb("000000"));
}

TEST_CASE(
    "a logarithmic bar begins at a power of ten within four decades of the largest, however small the others are") {
  for (const float small : {1e-43f, 1e-6f, 0.003f, 0.4f}) {
    const Tensor weights = Tensor::of({1, 3}, {1, small, 0});
    const float low = log_low(weights.matrix(), {}, {0, 1}, 3e38f);
    INFO(small);
    CHECK(low >= 0.99e-4f);
    CHECK(low <= std::max(small, 1.01e-4f));
    const float decade = std::log10(low);
    CHECK(std::fabs(decade - std::round(decade)) < 1e-4f);
    const std::vector<BarTick> ticks = spread_ticks({low, 1}, ColormapKind::sequential, Norm::log, 0.1f);
    CHECK(ticks.front().at == Approx(0).margin(1e-5));
    CHECK(ticks.back().at == Approx(1));
  }
}

TEST_CASE("log of values that are not above zero is refused") {
  Paper paper(1, 8, 6);
  const Tensor zeros = Tensor::full({12, 12}, -1);
  paper.spec.panels[0] = {zeros.matrix(), {}, "", {}};
  paper.spec.norm = Norm::log;
  paper.spec.range_mode = RangeMode::fixed;
  paper.spec.range = ValueRange{-2, -1};
  CHECK_THROWS_AS(printed(paper.spec), SettingError);
}

TEST_CASE("a number in a cell keeps two significant digits, whatever the room") {
  const std::vector<float> values{-0.436f, 0.71f, 1.5f, -2.25f};
  for (int most = 1; most < 10; ++most) {
    NumberSpan span;
    for (const float v : values) span.add(v);
    const auto format = number_format(span, most);
    if (!format) continue;
    for (const float v : values) {
      const std::string text = written(v, *format);
      INFO(most << ": " << text);
      CHECK(text != "0");
      CHECK(text != "−0");
      if (text == "≈0") continue;
      const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
      CHECK(digits >= 2);
    }
  }
  CHECK(written(-0.436f, format_of(values, 6)) == "−0.436");
  CHECK(written(-0.436f, format_of(values, 5)) == "−0.44");
  CHECK(written(0, format_of({0, 0.25f}, 5)) == "0");
  CHECK(written(3, format_of({1, 2, 3}, 1)) == "3");
  CHECK(written(1e-6f, format_of({0.9f, 1e-6f}, 5)) == "≈0");
  NumberSpan tiny;
  tiny.add(0.71f);
  CHECK_FALSE(number_format(tiny, 2));  // "1" or ".7" would lose a digit
}

TEST_CASE("a figure of arcs has a line for each visible weight, and every word on both sides") {
  Paper paper(1, 10, 8);
  paper.spec.kind = FigureKind::arcs;
  const FigureLayout layout = paper.layout();
  CHECK(layout.paths.size() > 30);
  CHECK(layout.paths.size() <= 78 + 3);  // and three samples of strength
  for (const std::string& word : sentence) {
    CHECK(std::count_if(layout.labels.begin(), layout.labels.end(),
                        [&](const Label& label) { return label.text == word; }) == 2);
  }
}

TEST_CASE("after z, panels are lettered with two letters") {
  Paper paper(28, 40, 30, 2);
  paper.spec.letters = true;
  CHECK(panel_name(paper.spec, 0, true) == "(a)");
  CHECK(panel_name(paper.spec, 25, true) == "(z)");
  CHECK(panel_name(paper.spec, 26, true) == "(aa)");
  CHECK(panel_name(paper.spec, 27, false) == "(ab) head 27");
  paper.spec.kind = FigureKind::arcs;
  CHECK(shows(paper.layout(), "(ab) head 27"));
}

TEST_CASE("the name of an axis is the last thing to go") {
  // 12 queries by 40 keys of four heads: at this size the key's name was left out, at smaller ones kept.
  for (const auto& [width, height] :
       {std::pair{17.0f, 5.0f}, {16.0f, 4.5f}, {14.0f, 4.0f}, {12.0f, 8.0f}, {8.0f, 6.0f}}) {
    CAPTURE(width, height);
    Paper paper(4, width, height);
    const Tensor wide = Tensor::full({12, 40}, 0.5f);
    for (FigurePanel& panel : paper.spec.panels) panel.matrix = wide.matrix(), panel.masks = {};
    paper.spec.row_ticks.clear(), paper.spec.col_ticks.clear();
    const std::vector<Message> missing = paper.layout().left_out;
    const auto lacks = [&](const char* what) { return std::ranges::count(missing, Message(what)) > 0; };
    CHECK_FALSE(lacks("name of the rows"));
    CHECK_FALSE(lacks("name of the columns"));
  }
}

TEST_CASE("arcs name the side that asks, and their panels have a gap between their words") {
  Paper paper(2, 14, 8);
  paper.spec.kind = FigureKind::arcs;
  paper.spec.row_label = "query", paper.spec.col_label = "key";
  const FigureLayout layout = paper.layout();
  CHECK(std::ranges::count(layout.labels, std::string("query"), &Label::text) == 2);
  CHECK(std::ranges::count(layout.labels, std::string("key"), &Label::text) == 2);
  float first_ends = 0, second_begins = layout.width;
  for (const Label& label : layout.labels) {
    if (std::ranges::find(sentence, label.text) == std::end(sentence)) continue;
    if (label.anchor == Anchor::start && label.at.x < layout.width / 2) first_ends = std::max(first_ends, label.at.x);
    if (label.anchor == Anchor::end && label.at.x > layout.width / 2)
      second_begins = std::min(second_begins, label.at.x);
  }
  CHECK(second_begins > first_ends + 2 * least_text);
}
