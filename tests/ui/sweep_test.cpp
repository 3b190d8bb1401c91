// Checks hundreds of pictures as plain data, over sizes, stages, heads and languages, for faults.
#include <functional>
#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/drawn_faults.h"
#include "tests/ui/headless.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"

using namespace headlight;
using namespace headlight::test;

namespace {

class Sweep {
 public:
  explicit Sweep(ImVec2 size, const char* language, Theme theme) : window_(make(language, theme), size), size_(size) {
    ImGui::GetIO().UserData = &record_;
  }
  ~Sweep() { ImGui::GetIO().UserData = nullptr; }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void show(std::function<void(Scenario&)> scenario, std::function<void(View&)> view, bool compares = false) {
    window_.session.perform(Unpin{});
    window_.session.perform(EditScenario{[&](Scenario& s) {
                                           s = sentence().scenario;
                                           scenario(s);
                                         },
                                         {}});
    if (compares) {
      window_.settle();
      window_.session.perform(Pin{});
      window_.session.perform(EditScenario{[](Scenario& s) { s.scale = 0.2f; }, {}});
    }
    window_.session.perform(EditView{[&](View& v) {
      v.selected.reset();
      v.step.reset();
      v.kind = ViewKind::pipeline;
      v.levels.level = Level::pipeline;
      v.heads = {};
      v.mask_lab = {};
      v.compared.reset();
      v.batch = v.head = 0;
      view(v);
    }});
    window_.settle();
    const Level level = window_.document().view.levels.level;
    if (level != level_) {  // the camera moves from one level to the next
      for (int i = 0; i < 60; ++i) window_.frame();
    }
    level_ = level;
    record_ = {};
    window_.frame();
  }

  /// All faults, one per line.
  std::vector<std::string> faults(bool cells_have_values) {
    return drawn_faults({record_, window_.painter.quads, look(window_.document().view.theme), cells_have_values},
                        &numbers_);
  }
  const Record& record() const { return record_; }

 private:
  static Document make(const char* language, Theme theme) {
    Document document = sentence();
    document.view.language = language;
    document.view.theme = theme;
    return document;
  }

 public:
  int numbers() const { return numbers_; }
  const std::vector<MatrixQuad>& quads() const { return window_.painter.quads; }
  const std::vector<std::string>& words() const { return window_.document().trace->inputs.key_tokens.at(0); }
  void pin_the_same() {
    window_.session.perform(Pin{});
    window_.settle();
    record_ = {};
    window_.painter.quads.clear();
    window_.frame();
  }

 private:
  HeadlessWindow window_;
  ImVec2 size_;
  Level level_ = Level::pipeline;
  Record record_;
  int numbers_ = 0;
};

void plain(Scenario&) {}
void every_stage(Scenario& s) {
  s.rope = Rope::half;
  s.alibi = true;
  s.softcap = 20.0f;
  s.training = true;
  s.dropout = 0.1f;
  s.qk_norm = QkNorm::rms;
}
void grouped(Scenario& s) {
  s.d_model = 32;
  s.heads = 8;
  s.kv_heads = 2;
}
void crosswise(Scenario& s) {
  s.source = Source::random;
  s.mask = "full()";
  s.queries = 5;
  s.keys = 9;
}
void twelve_words(Scenario& s) { s.text = "a very incomprehensibilities of words that go on for twelve of them"; }
void sixteen_words(Scenario& s) {
  s.text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
}
void characters(Scenario& s) {
  s.text = "我喜欢学习注意力";
  s.tokenizer = Tokenizer::characters;
}
void long_one(Scenario& s) {
  s.source = Source::random;
  s.queries = 300;
  s.mask = "causal() && window(64)";
}
void many_heads(Scenario& s) {
  s.d_model = 64;
  s.heads = 64;
  s.kv_heads = 64;
}

void network(Scenario& s, const std::string& model, const char* text) {
  s = Scenario();
  s.source = Source::file;
  s.file = model;
  s.text = text;
}
void sentences(Scenario& s) {
  network(s, places::sentences(), "the cat that chases the dogs sleeps because it is tired .");
}
void numbers(Scenario& s) { network(s, "model:numbers", "two hundred forty one"); }
void english(Scenario& s) { network(s, "model:english", "the bank raised the rates because it feared inflation"); }
void chinese(Scenario& s) { network(s, "model:chinese", "我昨天买的那本书很有意思"); }

using Edit = void (*)(Scenario&);
constexpr std::pair<const char*, Edit> scenarios[] = {{"plain", plain},
                                                      {"every stage", every_stage},
                                                      {"grouped", grouped},
                                                      {"crosswise", crosswise},
                                                      {"twelve words", twelve_words},
                                                      {"sixteen words", sixteen_words},
                                                      {"characters", characters},
                                                      {"long", long_one},
                                                      {"many heads", many_heads}};

}  // namespace

TEST_CASE(
    "no text crosses another or an arrow, none is small or faint, no title is cut, and numbers say what their cells "
    "hold") {
  int pictures = 0, numbers_in_cells = 0;
  std::map<std::string, int> faults;
  for (const ImVec2 size :
       {ImVec2{1024, 768}, ImVec2{1366, 768}, ImVec2{1600, 900}, ImVec2{1920, 1080}, ImVec2{3840, 2160}}) {
    for (const char* language : {"en", "zh"}) {
      Sweep sweep(size, language, language[0] == 'e' ? Theme::light : Theme::dark);
      for (const auto& [what, scenario] : scenarios) {
        const auto look_at = [&, &what = what, &scenario = scenario](
                                 const char* view, std::function<void(View&)> change, bool compares = false,
                                 bool cells_have_values = true) {
          sweep.show(scenario, std::move(change), compares);
          ++pictures;
          for (const std::string& fault : sweep.faults(cells_have_values)) {
            ++faults[std::to_string(static_cast<int>(size.x)) + " " + language + " " + what + ", " + view + ": " +
                     fault];
          }
        };
        look_at("pipeline", [](View&) {});
        look_at("pipeline, a weight", [](View& v) { v.selected = Cell{Stage::weights, 0, 0, 3, 1}; });
        look_at("pipeline, a score", [](View& v) { v.selected = Cell{Stage::masked_scores, 0, 0, 2, 0}; });
        look_at("pipeline, an output", [](View& v) { v.selected = Cell{Stage::output, 0, 0, 2, 5}; });
        look_at("mask", [](View& v) { v.kind = ViewKind::mask; });
        look_at("map", [](View& v) { v.kind = ViewKind::map; });
        look_at("heads", [](View& v) { v.kind = ViewKind::heads; });
        // The other views at a small and a large size, of words and of characters.
        const bool further = (size.x == 1024 || size.x == 1920) &&
                             (std::string_view(what) == "twelve words" || std::string_view(what) == "characters");
        if (!further) continue;
        look_at("one head", [](View& v) {
          v.kind = ViewKind::heads;
          v.heads.isolated = 1;
        });
        for (const auto& [sheet, tab] :
             {std::pair("conventions", MaskTab::conventions), std::pair("cost", MaskTab::cost),
              std::pair("reach", MaskTab::reach), std::pair("two masks", MaskTab::side_by_side)}) {
          const bool layers_in_cells = tab == MaskTab::reach;  // and their strength below them
          look_at(
              sheet,
              [tab = tab](View& v) {
                v.kind = ViewKind::mask;
                v.mask_lab.tab = tab;
              },
              false, !layers_in_cells);
        }
        look_at(
            "compare", [](View& v) { v.kind = ViewKind::compare; }, true);
        look_at("sentence", [](View& v) { v.levels.level = Level::sentence; });
        for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::weights, Stage::head_outputs}) {
          look_at((std::string("operation ") + std::string(name(stage))).c_str(),
                  [stage](View& v) {
                    v.levels.level = Level::operation;
                    v.levels.stage = stage;
                  },
                  false, false);
        }
      }
      numbers_in_cells += sweep.numbers();
      // A network as a whole, at the sizes between which its panel changes.
      const auto of_network = [&](const char* what, Edit scenario, std::function<void(View&)> change) {
        sweep.show(scenario, [&](View& v) {
          v.kind = ViewKind::network;
          v.network = {};
          change(v);
        });
        ++pictures;
        CHECK(sweep.record().texts.size() > 30);
        for (const std::string& fault : sweep.faults(false))
          ++faults[std::to_string(static_cast<int>(size.x)) + " " + language + " network, " + what + ": " + fault];
      };
      for (const auto& [what, scenario] : {std::pair("sentences", &sentences), std::pair("numbers", &numbers),
                                           std::pair("english", &english), std::pair("chinese", &chinese)})
        of_network(what, scenario, [](View&) {});
      if (size.x != 1024 && size.x != 1920) continue;
      for (const auto& [what, together] :
           {std::pair("mean", LayersTogether::mean), std::pair("rollout", LayersTogether::rollout),
            std::pair("flow", LayersTogether::flow)}) {
        of_network(what, sentences, [together = together](View& v) { v.network.together = together; });
      }
    }
  }
  std::string list;
  for (const auto& [fault, times] : faults) list += "\n" + fault;
  INFO(faults.size() << " faults in " << pictures << " pictures with " << numbers_in_cells << " numbers in cells"
                     << list);
  CHECK(pictures > 400);
  CHECK(numbers_in_cells > 10000);
  CHECK(faults.empty());
}

TEST_CASE("on the pipeline's cards every word of a short sentence stands whole, and none is cut") {
  struct Shown {
    const char* text;
    Edit change;
  };
  const Shown texts[] = {{"the cat that chases the dogs sleeps because it is tired", plain},
                         {"the cat that chases the dogs sleeps because it is tired", every_stage},
                         {"the cat sat on the mat", plain},
                         {"because sentences continue everything becomes complicated", grouped}};
  for (const ImVec2 size :
       {ImVec2{1024, 768}, ImVec2{1280, 720}, ImVec2{1366, 768}, ImVec2{1600, 900}, ImVec2{3840, 2160}}) {
    for (const char* language : {"en", "zh"}) {
      Sweep sweep(size, language, Theme::light);
      for (const auto& [text, change] : texts) {
        sweep.show(
            [text = text, change = change](Scenario& s) {
              s.text = text;
              change(s);
            },
            [](View& v) {
              v.selected = Cell{Stage::weights, 0, 0, 3, 1};
            });
        INFO(size.x << " " << language << " " << text);
        const std::vector<RecordedText>& texts_drawn = sweep.record().texts;
        std::set<std::string> missing(sweep.words().begin(), sweep.words().end());
        for (std::size_t i = 0; i < texts_drawn.size(); ++i) {
          const RecordedText& drawn = texts_drawn[i];
          missing.erase(drawn.text);
          const bool cut =
              i + 1 < texts_drawn.size() && texts_drawn[i + 1].text == "…" && texts_drawn[i + 1].turned == drawn.turned;
          const bool of_a_word = std::ranges::any_of(sweep.words(), [&](const std::string& word) {
            return word != drawn.text && word.starts_with(drawn.text);
          });
          CAPTURE(drawn.text, drawn.min.x, drawn.min.y);
          CHECK_FALSE((cut && of_a_word));
        }
        CHECK(missing.empty());
      }
    }
  }
}

TEST_CASE(
    "matrices beside one another take the height that there is, in small windows and in large ones, and so does a "
    "sentence") {
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1920, 1080}, ImVec2{3840, 2160}}) {
    Sweep sweep(size, "en", Theme::light);
    // How much of the window's height lies between the highest and the lowest matrix, left of the inspector.
    const auto height = [&] {
      float top = size.y, bottom = 0;
      for (const MatrixQuad& quad : sweep.quads()) {
        if (quad.min.x < 200 || quad.max.x > size.x - 240) continue;
        top = std::min(top, quad.min.y);
        bottom = std::max(bottom, quad.max.y);
      }
      return (bottom - top) / size.y;
    };
    INFO(size.x);
    const auto text = [](Scenario& s) { s.text = "the cat that chases the dogs sleeps because it is tired"; };
    sweep.show(text, [](View& v) {
      v.kind = ViewKind::mask;
      v.mask_lab.tab = MaskTab::side_by_side;
    });
    CHECK(height() > (size.x < 1200 ? 0.42f : 0.28f));
    sweep.show(text, [](View& v) { v.kind = ViewKind::mask; });
    CHECK(height() > 0.6f);
    sweep.show(text, [](View& v) { v.kind = ViewKind::compare; });
    sweep.pin_the_same();
    CHECK(height() > (size.x < 1200 ? 0.4f : 0.3f));
    sweep.show(text, [](View& v) { v.levels.level = Level::sentence; });
    float left = size.x, right = 0, largest = 0;
    for (const RecordedText& drawn : sweep.record().texts) {
      if (std::ranges::find(sweep.words(), drawn.text) == sweep.words().end() || drawn.min.y < 0.25f * size.y) continue;
      left = std::min(left, drawn.min.x);
      right = std::max(right, drawn.max.x);
      largest = std::max(largest, drawn.pixels);
    }
    CHECK((right - left) / size.x > 0.55f);
    CHECK(largest >= 20 * std::max(1.0f, std::min(size.x / 1920, size.y / 1080)));
  }
}
