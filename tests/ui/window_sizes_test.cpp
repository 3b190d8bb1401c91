// Draws every view in windows of every shape. In windows that are too small a view scrolls.
#include <array>
#include <cmath>
#include <map>

#include "core/base/arrays/array_write.h"
#include "core/base/text/utf8_path.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/drawn_faults.h"
#include "tests/ui/headless.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// Writes weights over `tokens` tokens alone, as [L, B, H, n_q, n_k], or [B, H, n_q, n_k] for one layer.
void write_attentions(const std::filesystem::path& path, Index layers, Index heads, Index tokens) {
  Buffer cells;
  for (Index row = 0; row < layers * heads * tokens; ++row) {
    const Index near = row % (tokens + 1);
    const float rest = near < tokens ? 0.5f : 1.0f;
    for (Index key = 0; key < tokens; ++key)
      cells.push_back((key == near ? 0.5f : 0.0f) + rest / static_cast<float>(tokens));
  }
  Shape shape{1, heads, tokens, tokens};
  if (layers > 1) shape.insert(shape.begin(), layers);
  write_npz(path, std::array{NamedArray{"attentions", Tensor(std::move(shape), std::move(cells))}});
}

Document of_file(const std::filesystem::path& path, const char* layer) {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = utf8_from(path);
  document.scenario.layer = layer;
  document.scenario.axes = *layer ? "L,B,H,q,k" : "B,H,q,k";
  return document;
}

bool all_finite(const std::vector<MatrixQuad>& quads, const Record& record) {
  const auto at = [](ImVec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); };
  return std::ranges::all_of(quads, [&](const MatrixQuad& quad) { return at(quad.min) && at(quad.max); }) &&
         std::ranges::all_of(record.texts, [&](const RecordedText& text) { return at(text.min) && at(text.max); });
}

const ImVec2 window_sizes[] = {{320, 200}, {320, 640}, {480, 400},  {640, 400},
                               {800, 600}, {960, 540}, {1280, 200}, {1280, 720}};

/// Counts the faults of this frame. Text cut at the edge of a scrolling view is no fault, and neither is a number
/// shortened to fit a small cell.
void count_faults(HeadlessWindow& window, const std::string& what, std::map<std::string, int>& faults, int& numbers) {
  Record record;
  ImGui::GetIO().UserData = &record;
  window.painter.quads.clear();
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  INFO(what);
  CHECK(all_finite(window.painter.quads, record));
  CHECK(window.document().error.empty());
  CHECK(record.texts.size() > 4);
  for (const std::string& fault :
       drawn_faults({record, window.painter.quads, look(window.document().view.theme), true}, &numbers)) {
    if (fault.find("is cut at an edge") == std::string::npos && fault.find("rounded too far") == std::string::npos)
      ++faults[what + ": " + fault];
  }
}

}  // namespace

TEST_CASE("every view is whole at every width from 320 and height from 200, in two languages, of four documents") {
  const samples::TempFolder folder;
  write_attentions(folder / "alone.npz", 1, 4, 6);
  write_attentions(folder / "deep.npz", 24, 16, 12);
  const std::pair<const char*, Document> documents[] = {{"six words", sentence()},
                                                        {"64 heads", random_document(24, 64, 64)},
                                                        {"24 layers", of_file(folder / "deep.npz", "3")},
                                                        {"attention alone", of_file(folder / "alone.npz", "")}};
  std::map<std::string, int> faults;
  std::size_t pictures = 0;
  int numbers = 0;
  for (const auto& [name, document] : documents) {
    HeadlessWindow window(document, {1280, 720});
    window.session.perform(Pin{});
    if (document.scenario.source != Source::file)
      window.session.perform(EditScenario{[](Scenario& s) { s.scale = 0.2f; }, {}});
    window.settle();
    REQUIRE(window.document().trace != nullptr);
    const auto at_every_size = [&](const std::string& shown, auto before) {
      for (std::size_t i = 0; i < std::size(window_sizes); ++i) {
        const ImVec2 size = window_sizes[i];
        before(i);
        ImGui::GetIO().DisplaySize = size;
        window.frame();
        window.frame();
        count_faults(window,
                     std::string(name) + ", " + shown + " at " + std::to_string(static_cast<int>(size.x)) + " × " +
                         std::to_string(static_cast<int>(size.y)),
                     faults, numbers);
        ++pictures;
      }
    };
    for (const char* language : {"en", "zh"}) {
      for (const ViewEntry& view : all_views()) {
        window.session.perform(
            EditView{[&](View& v) { v.kind = view.kind, v.language = language, v.levels.level = Level::pipeline; }});
        window.settle();
        at_every_size(language + std::string(", ") + view.word, [](std::size_t) {});
      }
      window.session.perform(EditView{[](View& v) { v.kind = ViewKind::pipeline, v.levels.level = Level::sentence; }});
      window.settle();
      at_every_size(language + std::string(", the sentence"), [](std::size_t) {});
      const std::vector<Stage> stages = window.document().trace->stages();  // each size shows another stage
      at_every_size(language + std::string(", an operation"), [&](std::size_t i) {
        const Stage stage = stages[(i * 2 + (language[0] == 'z' ? 1 : 0)) % stages.size()];
        window.session.perform(EditView{
            [&](View& v) { v.kind = ViewKind::pipeline, v.levels.level = Level::operation, v.levels.stage = stage; }});
        window.settle();
      });
    }
  }
  std::string list;
  for (const auto& [fault, times] : faults) list += "\n" + fault;
  INFO(faults.size() << " faults in " << pictures << " pictures" << list);
  CHECK(pictures == 4 * 2 * (all_views().size() + 2) * 8);
  CHECK(numbers > 1000);
  CHECK(faults.empty());
}

TEST_CASE("of several sentences one is chosen on the sentence's own page") {
  Document document = sentence();
  document.scenario.text = "the cat sat\nthe dog ran away";
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.settle();
  const ImVec2 entry = window.find("canvas", {"entry1"});
  REQUIRE(entry.x > 0);
  window.click(entry);
  window.settle();
  CHECK(window.document().view.batch == 1);
  CHECK(window.document().error.empty());
}
