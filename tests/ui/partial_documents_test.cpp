// Documents that do not begin at the inputs: heads without projections, heads without values, attention alone.
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/headless.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Tensor counting(const Shape& shape, float step) {
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i) * step);
  return Tensor(shape, std::move(values));
}

/// Random weights whose rows sum to one.
Tensor attention(const Shape& shape) {
  Buffer values(static_cast<std::size_t>(element_count(shape)));
  const auto keys = static_cast<std::size_t>(shape.back());
  for (std::size_t row = 0; row < values.size(); row += keys) {
    float sum = 0;
    for (std::size_t k = 0; k < keys; ++k)
      sum += values[row + k] = std::abs(std::sin(static_cast<float>(row + k))) + 0.1f;
    for (std::size_t k = 0; k < keys; ++k) values[row + k] /= sum;
  }
  return Tensor(shape, std::move(values));
}

const std::map<std::string, std::vector<NamedArray>> documents{
    {"attention", {{"attentions", attention({1, 3, 5, 5})}}},
    {"one matrix", {{"weights", attention({4, 6})}}},
    {"heads",
     {{"q", counting({2, 4, 5, 8}, 0.3f)}, {"k", counting({2, 2, 5, 8}, 0.4f)}, {"v", counting({2, 2, 5, 6}, 0.5f)}}},
    {"no values", {{"Q_heads", counting({1, 2, 5, 8}, 0.3f)}, {"K_heads", counting({1, 2, 7, 8}, 0.4f)}}},
};

}  // namespace

TEST_CASE("a document that begins at the heads or at the weights shows in every view and level") {
  const samples::TempFolder folder;
  for (const auto& [name, arrays] : documents) {
    const auto path = folder / "document.npz";
    write_npz(path, arrays);
    Document document;
    document.scenario.source = Source::file;
    document.scenario.file = path.string();
    if (name == "attention") document.scenario.axes = "B,H,q,k";
    for (const ViewEntry& entry : all_views()) {
      const ViewKind kind = entry.kind;
      for (int tab = 0; tab < (kind == ViewKind::mask ? 5 : 1); ++tab) {
        CAPTURE(name, static_cast<int>(kind), tab);
        document.view = View();
        document.view.kind = kind;
        document.view.mask_lab.tab = static_cast<MaskTab>(tab);
        HeadlessWindow window(document);
        window.settle();
        CHECK(window.document().error.empty());
        window.move({800, 450});
        window.click({800, 450});
        window.settle();
        CHECK(window.document().error.empty());
      }
    }
    for (const ProductOrder way : {ProductOrder::rows, ProductOrder::outer}) {
      CAPTURE(name, static_cast<int>(way));
      document.view = View();
      document.view.way = way;
      document.view.step = 0;
      HeadlessWindow window(document);
      window.settle();
      for (int press = 0; press < 200; ++press) window.press(compat::Key::right);
      CHECK(window.document().view.step);
      CHECK(window.session.faults() == 0);
    }
    for (const Level level : {Level::sentence, Level::operation}) {
      CAPTURE(name, static_cast<int>(level));
      document.view = View();
      document.view.levels.level = level;
      HeadlessWindow window(document);
      window.settle();
      for (int press = 0; press < 30; ++press) window.press(compat::Key::right);
      window.settle();
      CHECK(window.document().error.empty());
    }
  }
}
