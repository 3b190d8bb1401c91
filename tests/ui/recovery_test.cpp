#include "ui/window/session/recovery.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <imgui_internal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/scenario/documents/scenario_json.h"
#include "tests/catch.h"
#include "tests/ui/monkey.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"
#include "ui/views/registry.h"
#include "ui/window/session/journal.h"

using namespace headlight;
using namespace headlight::test;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("headlight-recovery-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  std::size_t files(const char* extension) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path_)) count += entry.path().extension() == extension ? 1 : 0;
    return count;
  }

 private:
  fs::path path_;
};

long long milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The document of a window at a time.
struct State {
  long long time = 0;
  std::size_t scenario = 0;
  int worth = 0;
};

State state_of(const Document& document) {
  return {milliseconds(), std::hash<std::string>{}(to_json(document.scenario)), is_worth_keeping(document) ? 1 : 0};
}

/// Runs a monkey in a window until the process is killed. Logs the states with their times.
[[noreturn]] void play(const fs::path& folder, const fs::path& log, std::uint64_t seed) {
  setenv("HOME", log.parent_path().c_str(), 1);
  fs::current_path(log.parent_path());
  Monkey monkey(seed);
  std::ofstream out(log);
  while (true) {  // after a window that was closed properly, the next one begins
    HeadlessWindow window(sentence());
    window.session.remember_in(folder);
    for (std::size_t last = 0; !window.session.take_window_requests().close;) {
      monkey.step(window);
      const State now = state_of(window.document());
      if (now.scenario == last) continue;
      last = now.scenario;
      out << now.time << ' ' << now.scenario << ' ' << now.worth << std::endl;
    }
  }
}

bool keeps_something(const fs::path& folder) {
  std::error_code gone;  // the window may replace files during the loop
  for (const auto& entry : fs::recursive_directory_iterator(folder, gone)) {
    if (entry.is_regular_file(gone) && fs::file_size(entry.path(), gone) > 0 && !gone) return true;
  }
  return false;
}

std::vector<State> read_log(const fs::path& log) {
  std::ifstream in(log);
  std::vector<State> states;
  for (State state; in >> state.time >> state.scenario >> state.worth;) states.push_back(state);
  return states;
}

}  // namespace

// HEADLIGHT_KILLS=100 build/dev/bin/headlight_ui_tests "a window that is killed*"   (tests/app/kill.sh)
TEST_CASE("a window that is killed at any moment leaves what it had two seconds before, or later") {
  const char* asked = std::getenv("HEADLIGHT_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 3;
  const long long allowed = asked != nullptr ? 2000 : 20000;  // milliseconds; in the suite the machine may be busy
  const Folder folder;
  const fs::path kept = folder.path() / "open", log = folder.path() / "log";
  int recovered = 0;
  // Sometimes the monkey has undone everything and nothing can be recovered, so this goes on until it was once.
  for (int kill = 0; kill < kills || (recovered == 0 && kill < kills + 30); ++kill) {
    fs::remove(log);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) play(kept, log, static_cast<std::uint64_t>(kill) + 1);
    while (read_log(log).size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // In the suite the machine may be so busy that nothing has been kept yet, which would test nothing.
    for (int tries = 0; asked == nullptr && !keeps_something(kept) && tries < 3000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    Monkey dice(static_cast<std::uint64_t>(kill) + 77);
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + dice.below(2500)));
    ::kill(child, SIGKILL);
    const long long killed = milliseconds();
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));  // the child was killed and did not end by itself
    const std::vector<State> states = read_log(log);
    Journal journal(kept);
    const auto found = journal.find();
    INFO("kill " << kill << ", " << states.size() << " states");
    std::size_t last_kept = 0;  // the newest state that may have been kept
    if (found) {
      ++recovered;
      const Document document = headlight::recovered(found->text, found->file.string()).document;
      const State was = state_of(document);
      bool known = false;
      for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i].scenario != was.scenario) continue;
        known = true;
        last_kept = i;
      }
      // What was done after the last line of the log may have been kept already.
      if (!known) last_kept = states.size() - 1;
      journal.forget(*found);
    } else {
      for (std::size_t i = 0; i < states.size(); ++i) last_kept = states[i].worth == 0 ? i : last_kept;
    }
    if (last_kept + 1 < states.size()) CHECK(killed - states[last_kept + 1].time <= allowed);
    CHECK_FALSE(journal.find());
  }
  CHECK(recovered > 0);
}

TEST_CASE("whichever view was open is the one that is brought back") {
  for (const ViewEntry& view : all_views()) {
    Document document = sentence();
    document.view.kind = view.kind;
    CHECK(recovered(recovery_text(document), "kept.json").document.view.kind == view.kind);
  }
  for (const char* place : {"map:scaled_scores:2:5,0:3", "mask:reach"}) {
    Document document = sentence();
    document.view = with_view_fields(std::move(document.view), parse_view("--view", place));
    CHECK(view_address(recovered(recovery_text(document), "kept.json").document.view) == place);
  }
}

TEST_CASE(
    "what a window left behind is offered to the next, brought back with its undo, and kept by nobody afterwards") {
  const Folder folder;
  const bool takes = GENERATE(true, false);
  Document edited = sentence();
  edited.origin.saved = edited.scenario;
  apply(edited, EditScenario{[](Scenario& s) { s.text = "what would be lost"; }, {}});
  edited.view.kind = ViewKind::heads;
  {
    Journal journal(folder.path());
    journal.keep(recovery_text(edited));
    journal.wait();
  }  // no close(), as after a crash
  {
    HeadlessWindow window(sentence());
    window.session.remember_in(folder.path());
    REQUIRE(window.session.offers_recovery());
    window.frame();
    window.press('o', true);  // a dialog is not covered: the offer waits until it is closed
    window.settle();
    REQUIRE(window.document().view.dialog == Dialog::open);
    CHECK_FALSE(ImGui::FindWindowByName("recovery")->WasActive);
    window.press(compat::Key::escape);
    window.settle();
    const ImVec2 button = window.find("recovery", {takes ? "take" : "discard"});
    REQUIRE(button.x > 0);
    window.click(button);
    CHECK_FALSE(window.session.offers_recovery());
    CHECK((window.document().scenario.text == "what would be lost") == takes);
    if (takes) {
      CHECK(window.document().computed == window.document().scenario);
      CHECK(window.document().view.kind == ViewKind::heads);
      window.press('z', true);
      window.settle();
      CHECK(window.document().scenario == sentence().scenario);
    }
    window.session.ask_to_close();
    window.press(compat::Key::escape);
  }
  Journal after(folder.path());
  CHECK(after.find().has_value() == false);
}

TEST_CASE("windows that are open do not find each other, and one that is closed leaves nothing") {
  const Folder folder;
  Journal one(folder.path()), other(folder.path());
  one.keep("{}");
  other.keep("{}");
  one.wait();
  other.wait();
  CHECK(folder.files(".json") == 2);
  CHECK_FALSE(one.find());
  CHECK_FALSE(other.find());
  one.close();
  CHECK(folder.files(".json") == 1);
}

TEST_CASE("the next start removes the lock files of windows that ended without anything to recover") {
  const Folder folder;
  std::ofstream(folder.path() / "1-1.lock");
  std::ofstream(folder.path() / "2-2.lock");
  std::ofstream(folder.path() / "2-2.json") << "{}";
  const Journal open(folder.path()), next(folder.path());
  CHECK(folder.files(".lock") == 3);  // of the two that are open, and beside what can be recovered
}

TEST_CASE("a journal that cannot be read is set aside, with a message") {
  const Folder folder;
  std::ofstream(folder.path() / "1-1.json") << "{\"scenario\": 3";
  HeadlessWindow window(sentence());
  window.session.remember_in(folder.path());
  CHECK_FALSE(window.session.offers_recovery());
  CHECK(window.document().error.english().find("cannot be brought back") != std::string::npos);
  CHECK(folder.files(".broken") == 1);
}
