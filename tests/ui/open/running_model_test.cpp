// A running model (headlight.watch in Python) in the window.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/arrays/array_write.h"
#include "core/base/arrays/file_watch.h"
#include "core/base/text/utf8_path.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/headless.h"

using namespace headlight;
using namespace headlight::test;
using samples::TempFolder;

namespace {

/// Writes a call as python/headlight/_watch.py does: two layers of one head.
std::string record(const std::filesystem::path& run, int step, float share) {
  const Tensor weights = Tensor::of({1, 1, 2, 2}, {1, 0, share, 1 - share});
  const NamedArray layers[] = {{"attentions.0", weights}, {"attentions.1", weights}};
  const std::filesystem::path file = run / ("step-00000000" + std::to_string(step) + ".npz");
  write_npz(file, layers);
  std::filesystem::copy_file(file, run / "latest.npz", std::filesystem::copy_options::overwrite_existing);
  return utf8_from(file);
}

/// A run in the state folder of this user, which is `folder` from here on.
std::filesystem::path run_in(const TempFolder& folder) {
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const std::filesystem::path run = folder.path() / "headlight" / "watch" / "gpt";
  std::filesystem::create_directories(run);
  return run;
}

Document showing(const std::string& file) {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = file;
  document.origin.saved = document.scenario;
  return document;
}

void later(HeadlessWindow& window) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  window.frame();
}

float weight(const HeadlessWindow& window) { return (*window.document().trace)[Stage::weights].at({0, 0, 1, 0}); }

}  // namespace

TEST_CASE("a file of a running model is known by its path alone") {
  CHECK(watched_name("/home/a/.local/state/headlight/watch/gpt/latest.npz") == "gpt");
  CHECK(watched_name("/home/a/.local/state/headlight/watch/gpt/step-000000012.npz") == "gpt");
  CHECK(watched_name("/home/a/headlight/watch/gpt/other.npz").empty());
  CHECK(watched_name("/home/a/watch/gpt/latest.npz").empty());
  CHECK(watched_name("latest.npz").empty());
  CHECK(same_run("/h/headlight/watch/a/step-1.npz", "/h/headlight/watch/a/latest.npz"));
  CHECK_FALSE(same_run("/h/headlight/watch/a/step-1.npz", "/h/headlight/watch/b/step-1.npz"));
}

TEST_CASE("a window on a running model says that it looks, and goes on to the next call") {
  const TempFolder folder;
  const std::filesystem::path run = run_in(folder);
  HeadlessWindow window(showing(record(run, 1, 0.25f)));
  CHECK(weight(window) == 0.25f);
  for (int i = 0; i < 400 && !std::filesystem::exists(run / "looking"); ++i) later(window);
  CHECK(std::filesystem::exists(run / "looking"));
  const std::string second = record(run, 2, 0.75f);
  for (int i = 0; i < 400 && window.document().scenario.file != second; ++i) later(window);
  window.settle();
  CHECK(weight(window) == 0.75f);
  CHECK(window.document().undo.empty());
  CHECK(window.document().scenario == window.document().origin.saved);
}

TEST_CASE("nothing is written into a run that is not in the user's own state folder, nor through a link") {
  const TempFolder folder, home;
  const std::filesystem::path run = run_in(folder), victim = folder / "victim";
  samples::write_text(victim, "precious");
  std::filesystem::create_symlink(victim, run / "looking");
  touch(looking_file(utf8_from(run / "latest.npz")));
  CHECK(samples::read_bytes(victim) == "precious");
  std::filesystem::remove(run / "looking");
  ::setenv("XDG_STATE_HOME", home.path().c_str(), 1);
  touch(looking_file(utf8_from(run / "latest.npz")));
  CHECK_FALSE(std::filesystem::exists(run / "looking"));
}

TEST_CASE("an earlier call of a running model stays while newer ones come") {
  const TempFolder folder;
  const std::filesystem::path run = run_in(folder);
  const std::string first = record(run, 1, 0.25f);
  HeadlessWindow window(showing(record(run, 2, 0.5f)));
  window.session.perform(OpenFile{first});
  window.settle();
  CHECK(weight(window) == 0.25f);
  record(run, 3, 0.75f);
  for (int i = 0; i < 100; ++i) later(window);
  CHECK(weight(window) == 0.25f);
}

TEST_CASE("gradients of a call are those of its layer, and none before its backward pass") {
  const TempFolder folder;
  const std::filesystem::path run = run_in(folder);
  const std::string step = record(run, 1, 0.25f);
  CHECK_FALSE(recorded_gradients(step, 1).defined());
  const NamedArray gradients[] = {{"gradients.1", Tensor::of({1, 1, 2, 2}, {1, 2, 3, 4})}};
  write_npz(run / "step-000000001.gradients.npz", gradients);
  CHECK(recorded_gradients(step, 1).at({0, 0, 1, 0}) == 3);
  CHECK_FALSE(recorded_gradients(step, 0).defined());
}

TEST_CASE("the gradients of a head are drawn where one of its weights is selected") {
  const TempFolder folder;
  const std::filesystem::path run = run_in(folder);
  Document document = showing(record(run, 1, 0.25f));
  document.view.kind = ViewKind::pipeline;
  document.view.levels.level = Level::pipeline;
  document.view.selected = Cell{Stage::weights, 0, 0, 1, 0};
  HeadlessWindow window(document);
  const auto drawn = [&] {
    window.painter.quads.clear();
    window.frame();
    return std::ranges::any_of(window.painter.quads, [](const MatrixQuad& quad) {
      return quad.values.at({0, 0, 1, 0}) == -3 && quad.range.lo == -3 && quad.range.hi == 3;
    });
  };
  window.settle();
  CHECK_FALSE(drawn());
  const NamedArray gradients[] = {{"gradients.0", Tensor::of({1, 1, 2, 2}, {1, 2, -3, 0})}};
  write_npz(run / "step-000000001.gradients.npz", gradients);
  CHECK(drawn());
}

TEST_CASE("a boolean attn_mask that nothing explains is asked about, and what is open stays until the answer") {
  const TempFolder folder;
  const Tensor w = Tensor::full({4, 4}, 0.5f);
  const NamedArray arrays[] = {{"q_proj.weight", w},
                               {"k_proj.weight", w},
                               {"v_proj.weight", w},
                               {"o_proj.weight", w},
                               {"x", Tensor::of({1, 2, 4}, {1, 2, 3, 4, 4, 3, 2, 1})},
                               {"num_heads", Tensor::full({}, 2)},
                               {"attn_mask", Tensor::of({2, 2}, {1, 0, 1, 1}), true}};
  write_npz(folder / "a.npz", arrays);
  HeadlessWindow window(sentence());
  for (const auto& [word, seen] : {std::pair{"attend", false}, {"ignore", true}}) {
    window.session.open(utf8_from(folder / "a.npz"));
    window.settle();
    REQUIRE(window.document().view.dialog == Dialog::layers);
    CHECK(window.session.idle());
    CHECK(window.document().error.empty());
    window.press(compat::Key::escape);
    CHECK(window.document().scenario.source == Source::text);
    window.session.open(utf8_from(folder / "a.npz"));
    window.settle();
    const ImVec2 answer = window.find("polarity", {word});
    REQUIRE(answer.x > 0);
    window.click(answer);
    window.settle();
    CHECK(window.document().view.dialog == Dialog::none);
    CHECK((window.document().trace->inputs.file_mask.at({0, 0, 0, 1}) != 0) == seen);
    window.session.perform(Undo{});
    window.settle();
    CHECK(window.document().scenario.source == Source::text);
  }
}
