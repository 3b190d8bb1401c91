// Compares the list of keys under "?" with the effect of every key in every situation.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/base/document/view.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/words.h"
#include "ui/views/registry.h"
#include "ui/window/panels/registry.h"

using namespace headlight;
using namespace headlight::test;
namespace fs = std::filesystem;

namespace {

using compat::Key;
using Held = HeadlessWindow::Modifiers;

struct Chord {
  Held held;
  std::string key;
  std::string text() const {
    return std::string(held.ctrl ? "Ctrl+" : "") + (held.shift ? "Shift+" : "") + (held.alt ? "Alt+" : "") + key;
  }
};

const std::map<std::string, Key>& named_keys() {
  static const std::map<std::string, Key> keys{
      {"Space", Key::space},    {"←", Key::left},     {"→", Key::right}, {"↑", Key::up},
      {"↓", Key::down},         {"Home", Key::home},  {"End", Key::end}, {"PgUp", Key::page_up},
      {"PgDn", Key::page_down}, {"Esc", Key::escape}, {"Tab", Key::tab}, {"Enter", Key::enter},
      {"Del", Key::del},        {"F1", Key::f1},      {"F5", Key::f5},   {"F11", Key::f11},
      {"?", Key::slash},        {"+", Key::plus},     {"−", Key::minus}, {"0", Key::zero}};
  return keys;
}

/// Reads "Alt+← →  V" as Alt+←, Alt+→, V.
std::vector<Chord> chords(const std::string& listed) {
  std::vector<Chord> all;
  Held held;
  std::string word;
  bool group = true;
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = std::min(listed.find(' ', at), listed.size());
    word = listed.substr(at, end - at);
    group = group || word.empty();
    if (!word.empty()) {
      if (group) held = {};
      group = false;
      for (const auto& [name, flag] :
           {std::pair("Ctrl+", &Held::ctrl), std::pair("Shift+", &Held::shift), std::pair("Alt+", &Held::alt)}) {
        if (!word.starts_with(name)) continue;
        held.*flag = true;
        word.erase(0, std::string(name).size());
      }
      all.push_back({held, word});
    }
    at = end + 1;
  }
  return all;
}

/// Everything that a key can change.
struct State {
  Scenario scenario;
  View view;
  std::string error, notice, clipboard;
  const void* pinned = nullptr;
  bool closes = false, focused = false;
  bool operator==(const State&) const = default;
};

/// A window in which keys are pressed, and which returns to its state after each.
class Situation {
 public:
  Situation(const Document& document, std::function<void(HeadlessWindow&)> prepare) : window_(document, {1024, 768}) {
    window_.settle();
    if (prepare) prepare(window_);
    for (int i = 0; i < 60; ++i) window_.frame();  // until the camera stands still
    start_ = now();
  }

  bool changes(const Chord& chord) {
    ImGui::SetClipboardText("");
    if (chord.held.ctrl && chord.key == "V") ImGui::SetClipboardText("1 2\n3 4\n");
    const State before = now();
    const auto named = named_keys().find(chord.key);
    Held held = chord.held;
    held.shift = held.shift || chord.key == "?";
    if (named != named_keys().end()) window_.press(named->second, held);
    else window_.press(static_cast<char>(chord.key.front() - 'A' + 'a'), held);
    State after = now();
    after.closes = window_.session.take_window_requests().close;
    const bool changed = !(after == before);
    if (changed) go_back();
    return changed;
  }
  ViewKind view() const { return start_.view.kind; }

 private:
  State now() const {
    const Document& d = window_.document();
    const char* clipboard = ImGui::GetClipboardText();
    return {d.scenario,     d.view, d.error.english(), d.notice, clipboard != nullptr ? clipboard : "",
            d.pinned.get(), false,  has_focus()};
  }

  /// Whether a control has the keyboard: a ring or a text cursor is shown.
  static bool has_focus() { return !ImGui::GetForegroundDrawList()->VtxBuffer.empty() || ImGui::GetIO().WantTextInput; }

  void go_back() {
    if (has_focus()) window_.press(Key::escape);
    window_.session.perform(DismissMessage{});
    window_.session.perform(DismissMessage{});
    if (!start_.pinned) window_.session.perform(Unpin{});
    if (!(window_.document().scenario == start_.scenario)) {
      window_.session.perform(EditScenario{[this](Scenario& s) { s = start_.scenario; }, {}});
      window_.session.perform(EditScenario{[](Scenario& s) { s.scale = 0.9f; }, {}});
      window_.session.perform(Undo{});  // so that there is something to redo
      window_.settle();
    }
    window_.session.perform(EditView{[this](View& v) { v = start_.view; }});
    for (int i = 0; i < 3; ++i) window_.frame();
    window_.session.perform(EditView{[this](View& v) { v = start_.view; }});
    window_.frame();
  }

  HeadlessWindow window_;
  State start_;
};

Document network() {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = "the dogs that the cat fears";
  document.scenario.layer = "1";
  document.origin.saved = document.scenario;
  document.view.kind = ViewKind::network;
  return document;
}

Document trained_run() {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = "train:reverse;d_model=8;steps=40@20";
  document.origin.saved = document.scenario;
  document.view.kind = ViewKind::train;
  document.view.train.pace = TrainPace::at_once;
  return document;
}

void look(HeadlessWindow& window, std::function<void(View&)> change) {
  window.session.perform(EditView{std::move(change)});
}

struct Kind {
  const char* what;
  Document document;
  std::function<void(HeadlessWindow&)> prepare;
};

std::vector<Kind> situations() {
  const auto edited = [](HeadlessWindow& window) {
    for (const float scale : {0.4f, 0.6f})
      window.session.perform(EditScenario{[scale](Scenario& s) { s.scale = scale; }, {}});
    window.session.perform(Undo{});
    window.settle();
    look(window, [](View& v) { v.selected = Cell{Stage::weights, 0, 0, 2, 1}; });
    window.press(Key::plus);
  };
  const auto middle = [](HeadlessWindow& window) { look(window, [](View& v) { v.step = 20; }); };
  return {
      {"the pipeline, edited, zoomed, with a cell", sentence(), edited},
      {"the player in the middle", sentence(), middle},
      {"a presentation", sentence(),
       [](HeadlessWindow& window) { look(window, [](View& v) { v.presenting = true; }); }},
      {"an operation", sentence(),
       [](HeadlessWindow& window) {
         look(window, [](View& v) {
           v.levels.level = Level::operation;
           v.levels.stage = Stage::scores;
         });
       }},
      {"a sentence", sentence(),
       [](HeadlessWindow& window) { look(window, [](View& v) { v.levels.level = Level::sentence; }); }},
      {"heads", sentence(), [](HeadlessWindow& window) { look(window, [](View& v) { v.kind = ViewKind::heads; }); }},
      {"the map", sentence(),
       [](HeadlessWindow& window) {
         look(window, [](View& v) {
           v.kind = ViewKind::map;
           v.map.region = MapRegion{1, 3, 1, 3};
         });
       }},
      {"a brush", sentence(),
       [](HeadlessWindow& window) {
         look(window, [](View& v) { v.kind = ViewKind::mask; });
         window.press('d');
         window.press(Key::right);
         window.press('f');
       }},
      {"a network", network(), {}},
      {"a run", trained_run(), {}},
      {"a lesson", sentence(), [](HeadlessWindow& window) {
         window.session.open("lesson:dropout");
         window.settle();
       }}};
}

}  // namespace

TEST_CASE("every key in the list under ? does something, and every key that does something is in the list") {
  const samples::TempFolder scratch;  // figures that a key saves go here
  struct Here {
    fs::path before = fs::current_path();
    ~Here() { fs::current_path(before); }
  } here;
  fs::current_path(scratch / ".");
  std::set<std::string> listed, idle, unlisted;
  for (const Shortcut& shortcut : all_shortcuts()) {
    for (const Chord& chord : chords(shortcut.keys)) listed.insert(chord.text());
  }
  REQUIRE(listed.contains("Alt+↓"));
  REQUIRE(listed.contains("Ctrl+Shift+Z"));
  idle = listed;
  std::vector<std::string> keys;
  for (char letter = 'A'; letter <= 'Z'; ++letter) keys.emplace_back(1, letter);
  for (const auto& [name, key] : named_keys()) keys.push_back(name);
  std::set<ViewKind> tried;
  for (const Kind& kind : situations()) {
    Situation situation(kind.document, kind.prepare);
    tried.insert(situation.view());
    for (const std::string& key : keys) {
      for (const Held held : {Held{}, Held{false, true, false}, Held{true, false, false}, Held{true, true, false},
                              Held{false, false, true}, Held{true, false, true}}) {
        const Chord chord{held, key};
        // A letter may do the same with Shift, and any other key with every modifier.
        const bool letter = key.size() == 1 && key.front() >= 'A' && key.front() <= 'Z';
        if (!letter && held.ctrl && (held.shift || held.alt)) continue;
        const Chord plain{letter ? Held{held.ctrl, false, held.alt} : Held{}, key};
        const bool known = listed.contains(chord.text()) || listed.contains(plain.text());
        if (known && !idle.contains(chord.text()) && !idle.contains(plain.text())) continue;
        if (!situation.changes(chord)) continue;
        idle.erase(chord.text());
        if (!known) unlisted.insert(chord.text() + " in " + kind.what);
      }
    }
  }
  CAPTURE(idle, unlisted);
  CHECK(idle.empty());
  CHECK(unlisted.empty());
  for (const ViewEntry& entry : all_views()) {
    INFO(entry.word << " has keys of its own; add a situation that shows it");
    CHECK((!entry.press || tried.contains(entry.kind)));
  }
}

TEST_CASE("no line of the list of keys is cut on a small screen, in both languages") {
  for (const char* language : {"en", "zh"}) {
    Document start = sentence();
    start.view.language = language;
    start.view.dialog = Dialog::help;
    HeadlessWindow window(std::move(start), {1024, 768});
    window.settle();
    Record record;
    ImGui::GetIO().UserData = &record;
    window.frame();
    ImGui::GetIO().UserData = nullptr;
    const Words words(language);
    std::string cut;
    for (const Shortcut& shortcut : all_shortcuts()) {
      const bool there = std::ranges::any_of(
          record.texts, [&](const RecordedText& text) { return text.text == words(shortcut.word); });
      if (!there) cut += std::string(shortcut.keys) + "; ";
    }
    CAPTURE(language, cut);
    CHECK(cut.empty());
  }
}
