#include "tests/ui/monkey.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/catch.h"
#include "tests/places.h"
#include "ui/base/document/action.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// A temporary home and current folder for the files that the monkey saves. Files to drop are copied into it, because
/// the window may write to them.
class OwnHome {
 public:
  OwnHome()
      : before_(std::filesystem::current_path()),
        folder_(std::filesystem::temp_directory_path() / ("headlight-monkey-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    if (const char* home = std::getenv("HOME")) home_ = home;
    setenv("HOME", folder_.c_str(), 1);
    copy_of(places::fixtures());
    for (const char* name : {"examples", "lessons", "models"}) copy_of(std::filesystem::path(places::assets()) / name);
    dropped_.push_back("no such file.npz");
    std::ranges::sort(dropped_);
  }
  ~OwnHome() {
    home_.empty() ? unsetenv("HOME") : setenv("HOME", home_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnHome(const OwnHome&) = delete;
  OwnHome& operator=(const OwnHome&) = delete;

  const std::vector<std::string>& dropped() const { return dropped_; }

 private:
  void copy_of(const std::filesystem::path& folder) {
    const std::filesystem::path copy = folder_ / "dropped" / folder.filename();
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::copy(folder, copy, std::filesystem::copy_options::recursive);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(copy))
      dropped_.push_back(entry.path().string());
  }

  std::filesystem::path before_, folder_;
  std::string home_;
  std::vector<std::string> dropped_;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Checks undo and redo on a copy, so that the window keeps its state.
void check_undo(const Document& document) {
  Document copy = document;
  if (!copy.undo.empty()) {
    apply(copy, Undo{});
    apply(copy, Redo{});
    CHECK(copy.scenario == document.scenario);
    CHECK(copy.origin.saved == document.origin.saved);
  }
  const Scenario first = copy.undo.empty() ? copy.scenario : copy.undo.front().scenario;
  const std::size_t steps = copy.undo.size();
  while (!copy.undo.empty()) apply(copy, Undo{});
  CHECK(copy.scenario == first);
  for (std::size_t i = 0; i < steps; ++i) apply(copy, Redo{});
  CHECK(copy.scenario == document.scenario);
}

}  // namespace

// HEADLIGHT_MONKEY_STEPS=20000 HEADLIGHT_MONKEY_SEED=7 build/dev/bin/headlight_ui_tests "whatever a monkey*"
TEST_CASE(
    "whatever a monkey does, nothing throws, what is settled agrees with what is asked for, and undo leads back") {
  const OwnHome home;
  const std::uint64_t seed = number_from("HEADLIGHT_MONKEY_SEED", 1);
  const std::uint64_t steps = number_from("HEADLIGHT_MONKEY_STEPS", 1500);
  constexpr std::uint64_t steps_a_window = 300, steps_a_look = 25;
  for (std::uint64_t done = 0; done < steps;) {
    Monkey monkey(seed + done / steps_a_window, home.dropped());
    HeadlessWindow window(monkey.document());
    const Scenario start = window.document().scenario;
    for (std::uint64_t i = 0; i < steps_a_window && done < steps; ++i, ++done) {
      monkey.step(window);
      INFO("HEADLIGHT_MONKEY_SEED=" << seed + (done / steps_a_window) << ", step " << i << "; before it:\n"
                                    << monkey.story());
      REQUIRE(window.session.faults() == 0);
      REQUIRE(ImGui::GetDrawData()->TotalVtxCount < 3'000'000);
      if (i % steps_a_look + 1 != steps_a_look) continue;
      REQUIRE(monkey.settle(window));
      const Document& document = window.document();
      REQUIRE(document.trace);
      REQUIRE(document.computed == document.scenario);
      REQUIRE(window.session.faults() == 0);
      check_undo(document);
      if (document.undo.size() < 200) {
        const Scenario& first = document.undo.empty() ? document.scenario : document.undo.front().scenario;
        REQUIRE(first == start);
      }
    }
  }
}
