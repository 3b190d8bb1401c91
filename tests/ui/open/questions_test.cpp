// Questions of a file that leaves several readings: the axes of saved attention, names of one's own.
#include "core/base/arrays/array_write.h"
#include "core/base/text/utf8_path.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/headless.h"

using namespace headlight;
using namespace headlight::test;
using samples::TempFolder;

TEST_CASE("saved attention whose axes nothing tells asks what they are, and opens as answered") {
  const TempFolder folder;
  const Tensor rows = Tensor::of({2, 2, 2}, {1, 0, 0.25F, 0.75F, 1, 0, 0.5F, 0.5F});
  write_npz(folder / "a.npz", std::array{NamedArray{"attn", rows}});
  HeadlessWindow window(sentence());
  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::layers);
  CHECK(window.document().error.empty());
  // Heads, layers or batch entries, before or after the queries.
  CHECK(window.document().view.layers.question->axes.size() == 6);
  window.click(window.find("layers/list", {"B,q,k"}));
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().scenario.axes == "B,q,k");
  CHECK(window.document().trace->dims().batch == 2);
  CHECK(window.document().trace->dims().heads == 1);
}

TEST_CASE(
    "arrays of unknown names are listed with their shapes, and open as the projections that they are clicked for") {
  const TempFolder folder;
  std::vector<NamedArray> arrays{{"x", Tensor::of({1, 2, 2}, {1, 2, 3, 4})}, {"num_heads", Tensor::full({}, 1)}};
  for (const char* name : {"ask.weight", "hint.weight", "payload.weight"})
    arrays.push_back({name, Tensor::full({2, 2}, 0.5F)});
  write_npz(folder / "a.npz", arrays);
  HeadlessWindow window(sentence());
  window.session.open(utf8_from(folder / "a.npz"));
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::layers);
  CHECK(window.document().view.layers.question->candidates.back().kind == "[2, 2]");
  for (const char* name : {"ask.weight", "hint.weight", "payload.weight"})
    window.click(window.find("layers/list", {name}));
  CHECK(window.document().view.layers.search == "q=ask.weight,k=hint.weight,v=payload.weight");
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().trace->inputs.W_v.at({0, 1}) == 0.5F);
}
