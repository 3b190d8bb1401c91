// Overlays: the pixels and numbers of their cells are those of the trace's row.
#include <array>
#include <cmath>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/figure_layout.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/figure/without_cairo.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;
using samples::has;

namespace {

/// A vision transformer with 2 × 3 patches after cls and three heads.
Scenario vit() {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = samples::fixture("networks/vit").string();
  scenario.layer = "1";
  return scenario;
}

ExportOptions overlay(const std::string& query, float opacity = 1) {
  ExportOptions options;
  options.style.kind = PictureKind::overlay;
  options.style.opacity = opacity;
  options.style.cell = 24;
  options.all_heads = true;
  options.query = query;
  return options;
}

/// The colour in the middle of a cell.
Rgba middle(const Image& image, const FigureLayout& layout, std::size_t panel, Index row, Index col) {
  const Box& box = layout.panels[panel].heatmap;
  return image.at(static_cast<int>(box.x + (static_cast<float>(col) + 0.5f) * layout.cell_width),
                  static_cast<int>(box.y + (static_cast<float>(row) + 0.5f) * layout.cell_height));
}

bool near(std::uint8_t a, double b) { return std::abs(static_cast<double>(a) - b) <= 2; }

}  // namespace

TEST_CASE("an overlay's pixels are the colours of the trace's row over the picture, with the opacity that is set") {
  const auto trace = compute_any(vit());
  for (const auto& [query, row, opacity] : {std::tuple{"1,2", 6, 1.0f}, {"cls", 0, 0.5f}, {"", 0, 0.25f}}) {
    const FigureSpec spec = figure_for(*trace, overlay(query, opacity));
    REQUIRE(spec.panels.size() == 4);  // the picture alone, three heads
    const Image image = ArrangedFigure(spec).preview().image;
    const Colormap map = colormap_of(spec, spec.theme);
    Typesetter typesetter;
    const FigureLayout layout = lay_out(spec, map, typesetter);
    const ValueRange range = layout.panels.front().range;
    float most = 0;
    for (Index head = 0; head < 3; ++head) {
      for (Index r = 0; r < 2; ++r) {
        for (Index c = 0; c < 3; ++c) {
          const float weight = (*trace)[Stage::weights].at({0, head, row, 1 + 3 * r + c});
          most = std::max(most, weight);
          const Rgba seen = middle(image, layout, static_cast<std::size_t>(head) + 1, r, c),
                     under = middle(image, layout, 0, r, c), colour = map.at(normalise(weight, range));
          const auto mixed = [share = opacity](std::uint8_t over, std::uint8_t below) {
            return static_cast<double>(share) * over + (1 - static_cast<double>(share)) * below;
          };
          INFO(query << " head " << head << " patch " << r << "," << c);
          CHECK((near(seen.r, mixed(colour.r, under.r)) && near(seen.g, mixed(colour.g, under.g)) &&
                 near(seen.b, mixed(colour.b, under.b))));
        }
      }
    }
    CHECK(range.lo == 0);
    CHECK(range.hi == most);  // all heads share one scale, up to their largest weight
  }
}

TEST_CASE("the numbers of an overlay are the trace's, for weights and for contribution_norms") {
  const samples::TempFolder folder;
  const auto trace = compute_any(vit());
  const auto check = [&](const ExportOptions& options, const Tensor& whole, const char* name) {
    write_export(*trace, options, (folder / "a.npz").string());
    const Tensor read = open_arrays(folder / "a.npz")->load(name);
    REQUIRE(read.shape() == Shape{3, 2, 3});
    for (Index head = 0; head < 3; ++head) {
      for (Index i = 0; i < 6; ++i) CHECK(read.at({head, i / 3, i % 3}) == whole.at({0, head, 3, 1 + i}));
    }
  };
  check(overlay("0,2"), (*trace)[Stage::weights], "weights");
  ExportOptions arrives = overlay("0,2");
  arrives.stage = Stage::contribution_norms;
  check(arrives, contribution_norms(*trace), "contribution_norms");
  ExportOptions one = overlay("0,2");
  one.all_heads = false;
  CHECK_NOTHROW(write_export(*trace, one, (folder / "a.csv").string()));
  ExportOptions rollout = one;
  rollout.layers = "rollout";
  write_export(*trace, rollout, (folder / "b.npz").string());
  CHECK(open_arrays(folder / "b.npz")->load("weights").at({1, 0}) == join_layers(*trace, rollout).matrix.at({3, 4}));
}

TEST_CASE("the axes of a picture's weights show its patches, and nothing at tokens that are no patch", "[figure]") {
  const auto trace = compute_any(vit());
  ExportOptions options;
  options.style.cell = 24;
  const FigureSpec spec = figure_for(*trace, options);
  REQUIRE(spec.row_pictures.size() == 7);
  CHECK_FALSE(spec.row_pictures[0]);  // cls
  const Image& whole = network_of(trace->inputs)->text.pictures[0]->image;
  const Image& piece = *spec.col_pictures[6];  // 1,2
  CHECK(piece.at(0, 0) == whole.at(2 * piece.width, piece.height));
  Typesetter typesetter;
  const FigureLayout layout = lay_out(spec, colormap_of(spec, spec.theme), typesetter);
  CHECK(layout.pictures.size() == 2 * 6);
  const auto written = [&](const std::string& text) { return std::ranges::count(layout.labels, text, &Label::text); };
  CHECK(written("cls") == 2);
  CHECK(written("1,2") == 0);
  for (const PictureBox& picture : layout.pictures) CHECK(picture.rect.w >= 5);
  options.query = "cls", options.style.kind = PictureKind::overlay;
  CHECK(figure_for(*trace, options).row_pictures.empty());
}

TEST_CASE("a page of an overlay has the picture, the numbers of each head's row, and contribution_norms") {
  const samples::TempFolder folder;
  const auto trace = compute_any(vit());
  write_export(*trace, overlay("1,2", 0.5F), (folder / "a.html").string());
  const std::string page = samples::read_bytes(folder / "a.html");
  CHECK(has(page, "data:image/png;base64,"));
  CHECK(has(page, "\"opacity\":0.5"));
  CHECK(has(page, "\"asks\":{\"row\":1,\"col\":2}"));
  CHECK(has(page, "\"heads\":3,\"rows\":2,\"cols\":3"));  // the panel of the picture alone is not counted
  CHECK(has(page, "contribution_norms"));
}

TEST_CASE("attention from a file is drawn over --image with --grid, with the file's numbers") {
  const samples::TempFolder folder;
  Buffer values;
  for (int i = 0; i < 2 * 4 * 9; ++i) values.push_back(static_cast<float>(i % 9 + 1) / 45);
  write_npz(folder / "cross.npz",
            std::array{NamedArray{"cross_attentions", Tensor({1, 2, 4, 9}, std::move(values)), false}});
  const std::vector<std::uint8_t> png = encode_png(Image(30, 20, {90, 120, 60, 255}));
  samples::write_text(folder / "cat.png", {reinterpret_cast<const char*>(png.data()), png.size()});
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = (folder / "cross.npz").string();
  scenario.tokens = {{"a", "dog", "and", "a"}};
  scenario.axes = "B,H,q,k";
  scenario.image = (folder / "cat.png").string();
  const auto no_grid = samples::sentence_of([&] { compute_any(scenario); });
  CHECK(has(no_grid, "or --grid 14x14"));
  scenario.grid = "2x3@1";  // a token before the patches, two after them
  const auto trace = compute_any(scenario);
  const FigureSpec spec = figure_for(*trace, overlay("dog"));
  REQUIRE(spec.panels.size() == 3);  // the picture, two heads
  CHECK(spec.panels.front().under->width == 30);
  CHECK(has(spec.subtitle, "besides on 0 0.022, 0.022; 7 0.18, 0.18; 8 0.2, 0.2"));
  CHECK(spec.highlights.empty());
  for (const char* query : {"dog", "1", "2", ""}) {
    write_export(*trace, overlay(query), (folder / "a.npz").string());
    const Tensor read = open_arrays(folder / "a.npz")->load("weights");
    REQUIRE(read.shape() == Shape{2, 2, 3});
    for (Index i = 0; i < 6; ++i) CHECK(read.at({1, i / 3, i % 3}) == static_cast<float>(i + 2) / 45);
  }
  CHECK(has(samples::sentence_of([&] { figure_for(*trace, overlay("a")); }),
            "names 2 tokens; expected a query's number, such as 0"));
  CHECK(has(samples::sentence_of([&] { figure_for(*trace, overlay("4")); }), "is no query"));
  ExportOptions second = overlay("dog");
  second.batch = 1;
  CHECK(has(samples::sentence_of([&] { figure_for(*trace, second); }), "--batch"));
}

TEST_CASE("an overlay can have a given size and all layers, and what it cannot show is refused by name") {
  const samples::TempFolder folder;
  const auto trace = compute_any(vit());
  ExportOptions paper = overlay("0,0");
  paper.style.cell.reset();
  paper.size = parse_wanted_size("--size", "8x5cm");
  for (const char* name : {"a.png", "a.svg", makes_pdf ? "a.pdf" : "a.html"})
    CHECK_NOTHROW(write_export(*trace, paper, (folder / name).string()));
  CHECK(has(samples::read_bytes(folder / "a.svg"), "data:image/png;base64,"));
  ExportOptions layers = overlay("cls");
  layers.layers = "all";
  CHECK(figure_for(*trace, layers).panels.size() == 6);
  const auto said = [&](const ExportOptions& options, const char* name = "a.png") {
    return samples::sentence_of([&] { write_export(*trace, options, (folder / name).string()); });
  };
  CHECK(has(said(overlay("2,0")), "is no patch of this picture; expected a patch's row and column up to 1,2, or cls"));
  ExportOptions wrong = overlay("cls");
  wrong.stage = Stage::Q;
  CHECK(has(said(wrong), "an overlay is of what a query gives to each key"));
  wrong = overlay("cls");
  wrong.style.values = true;
  CHECK(has(said(wrong), "numbers cannot be read over a picture"));
  wrong = overlay("cls");
  wrong.rows = {0, 2};
  CHECK(has(said(wrong), "an overlay is drawn whole"));
  const auto words = compute_any(Scenario());
  CHECK(has(samples::sentence_of([&] { figure_for(*words, overlay("cls")); }), "this reads none"));
}
