// Figures as one HTML file, whose numbers are those of the run.
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/figure.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

nlohmann::json data_of(const std::string& page) {
  const std::string opening = "<script type=\"application/json\" id=\"headlight-data\">";
  const std::size_t from = page.find(opening) + opening.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::vector<std::uint8_t> decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count & 255));
  }
  return bytes;
}

float number_at(const nlohmann::json& data, const std::vector<std::uint8_t>& bytes, std::size_t i) {
  const auto bits = static_cast<std::uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
  return static_cast<float>(static_cast<std::int16_t>(bits)) * data["scale"].get<float>();
}

FigureSpec one_panel(const Tensor& values) {
  FigureSpec spec;
  spec.title = "scores";
  spec.panels = {{values.matrix(), {}, "", {}}};
  spec.kept = {values};
  return spec;
}

}  // namespace

TEST_CASE("a title with a name of the template is shown as it is, and ends no element of the page") {
  const Tensor values = Tensor::of({1, 1}, {0.5f});
  FigureSpec spec = one_panel(values);
  for (const std::string title : {"{{data}}", "{{script}}{{style}}{{title}}", "</script><b>&{{data}}"}) {
    spec.title = title;
    const std::string page = html_figure(spec, "scores", nullptr);
    CHECK(data_of(page)["title"] == title);
    FigureSpec plain = spec;
    plain.title = "plain";
    const auto count = [](const std::string& text, std::string_view part) {
      std::size_t found = 0;
      for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
      return found;
    };
    for (const char* tag : {"</script>", "<script", "</style>", "headlight-data", "<b>"})
      CHECK(count(page, tag) == count(html_figure(plain, "scores", nullptr), tag));
  }
}

TEST_CASE("a page holds every number of its figure within half a step of its scale") {
  Scenario s;
  s.text = "the cat that chases the dogs";
  s.mask = "causal()";
  s.heads = 2;
  s.d_model = 8;
  const auto trace = compute_any(s);
  ExportOptions options;
  options.all_heads = true;
  const nlohmann::json data = data_of(html_figure(figure_for(*trace, options), "weights"));
  CHECK(data["stage"] == "weights");
  CHECK(data["heads"] == 2);
  for (const auto& [word, theme] : {std::pair{"light", Theme::light}, {"dark", Theme::dark}})
    CHECK(data["panels"][1]["hue"][word] == to_hex(colours(theme).heads[1]));
  CHECK(data["rows"] == 6);
  CHECK(data["cols"] == 6);
  CHECK(data["tokens"] == std::vector<std::string>{"the", "cat", "that", "chases", "the", "dogs"});
  CHECK(data["key_tokens"] == data["tokens"]);
  const std::vector<std::uint8_t> bytes = decoded(data["values"]);
  REQUIRE(bytes.size() == 2 * 2 * 36);
  const float step = data["scale"];
  const std::vector<std::uint8_t> kinds = decoded(data["kinds"][0]);
  REQUIRE(kinds.size() == 36);
  for (Index h = 0; h < 2; ++h) {
    for (Index q = 0; q < 6; ++q) {
      for (Index k = 0; k < 6; ++k) {
        const auto cell = static_cast<std::size_t>(6 * q + k);
        CHECK(kinds[cell] == (k > q ? 1 : 0));
        const float error = number_at(data, bytes, static_cast<std::size_t>(36 * h) + cell) -
                            (*trace)[Stage::weights].matrix(0, h)(q, k);
        CHECK(std::fabs(error) <= 0.51f * step);
      }
    }
  }
}

TEST_CASE("a page of weights also has contribution_norms, the page of another stage does not") {
  Scenario s;
  s.text = "the cat sat";
  s.heads = 2;
  s.d_model = 8;
  const auto trace = compute_any(s);
  const samples::TempFolder folder;
  const std::string path = utf8_from(folder / "a.html");
  ExportOptions options;
  options.stage = Stage::weights;
  options.all_heads = true;
  write_export(*trace, options, path);
  const nlohmann::json arrives = data_of(whole_text(path, 1'000'000))["arrives"];
  const std::vector<std::uint8_t> bytes = decoded(arrives["values"]);
  REQUIRE(bytes.size() == 2 * 2 * 9);
  const Tensor norms = contribution_norms(*trace);
  for (Index i = 0; i < 18; ++i) {
    const float error =
        number_at(arrives, bytes, static_cast<std::size_t>(i)) - norms.matrix(0, i / 9)(i % 9 / 3, i % 3);
    CHECK(std::fabs(error) <= 0.51f * arrives["scale"].get<float>());
  }
  options.stage = Stage::scores;
  write_export(*trace, options, path);
  CHECK(data_of(whole_text(path, 1'000'000))["arrives"].is_null());
}

TEST_CASE("a page of all layers has contribution_norms, of many cells only those that no mask hides") {
  Scenario s;
  s.source = Source::file;
  s.file = places::sentences();
  s.text = "the dog";
  const auto trace = compute_any(s);
  ExportOptions options;
  options.stage = Stage::weights;
  options.layers = "all";
  ExportOptions norms = options;
  norms.stage = Stage::contribution_norms;
  const FigureSpec weights = figure_for(*trace, options), arrives = figure_for(*trace, norms);
  const samples::TempFolder folder;
  const std::string path = utf8_from(folder / "a.html");
  write_export(*trace, options, path);
  const nlohmann::json data = data_of(whole_text(path, 1'000'000))["arrives"];
  const std::vector<std::uint8_t> bytes = decoded(data["values"]);
  const MatrixView& last = arrives.panels.back().matrix;
  const float there = number_at(data, bytes, bytes.size() / 2 - 1), wanted = last(last.rows - 1, last.cols - 1);
  CHECK(std::fabs(there - wanted) <= 0.51f * data["scale"].get<float>());

  const Tensor values({1000, 600}, Buffer(600'000, 0.25f));
  FigureSpec large = one_panel(values);
  const Tensor allowed = Tensor({1, 600},
                                [] {
                                  Buffer row(600, 0.0f);
                                  row[7] = 1;
                                  return row;
                                }())
                             .expand({1000, 600});
  large.panels.front().masks.allowed = allowed.matrix();
  CHECK(html_numbers(large) == 1000);
  const nlohmann::json kept = data_of(html_figure(large, "weights"));
  CHECK(kept["kept_only"] == true);
  CHECK(decoded(kept["values"]).size() == 2000);
}

TEST_CASE("a page names masked, NaN and infinite cells by kind, and they do not change the scale") {
  const float infinite = std::numeric_limits<float>::infinity();
  const auto data =
      data_of(html_figure(one_panel(Tensor({1, 4}, {0.5f, -infinite, infinite, std::nanf("")})), "scores"));
  CHECK(decoded(data["kinds"][0]) == std::vector<std::uint8_t>{0, 2, 3, 4});
  CHECK(number_at(data, decoded(data["values"]), 0) == Approx(0.5f));
}

TEST_CASE("a token cannot close the script element of a page, and a page loads nothing from elsewhere") {
  FigureSpec spec = one_panel(Tensor({1, 2}, {1.0f, 2.0f}));
  spec.title = "<b>&";
  spec.col_ticks = {"</script><script>", "<!--"};
  const std::string page = html_figure(spec, "scores");
  CHECK(data_of(page)["key_tokens"] == spec.col_ticks);
  CHECK(page.find("<title>&lt;b>&amp;</title>") != std::string::npos);
  CHECK(page.find("http") == std::string::npos);
  CHECK(page.find(" src=") == std::string::npos);
}

TEST_CASE("whole numbers stay whole in a page") {
  const nlohmann::json data = data_of(html_figure(one_panel(Tensor({1, 3}, {-3.0f, 0.0f, 12.0f})), "mask"));
  CHECK(data["whole"] == true);
  CHECK(number_at(data, decoded(data["values"]), 0) == -3.0f);
}

TEST_CASE("a page of too many numbers is refused before it is made") {
  const Tensor large({2001, 2000}, Buffer(2001 * 2000));
  CHECK_THROWS_AS(html_figure(one_panel(large), "scores"), SettingError);
}
