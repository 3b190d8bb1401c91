// Hundreds of pictures as plain data, over sizes, stages, heads and languages: what nobody could look at each time.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/look/look.h"
#include "ui/look/record.h"

using namespace headlight;
using namespace headlight::test;

namespace {

struct Box {
  float left, top, right, bottom;
  bool empty() const { return right - left < 1 || bottom - top < 1; }
};

/// What is seen of a text, less the room that letters leave above and below.
Box seen(const RecordedText& text) {
  const float air = (text.max.y - text.min.y) * 0.16f;
  return {std::max(text.min.x, text.clip_min.x), std::max(text.min.y + air, text.clip_min.y), std::min(text.max.x, text.clip_max.x),
          std::min(text.max.y - air, text.clip_max.y)};
}

bool cross(const Box& a, const Box& b) {
  return std::min(a.right, b.right) - std::max(a.left, b.left) > 1.5f && std::min(a.bottom, b.bottom) - std::max(a.top, b.top) > 1.5f;
}

/// "−0.25", "1.2e-05", ".47" as a number; nothing for other words.
std::optional<double> number_in(std::string text) {
  for (std::size_t at = text.find("−"); at != std::string::npos; at = text.find("−")) text.replace(at, std::string("−").size(), "-");
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() || *end != 0 || text.find_first_of("0123456789") == std::string::npos ? std::nullopt : std::optional(value);
}

double luminance(ImU32 colour) {
  const auto channel = [](ImU32 c) {
    const double x = static_cast<double>(c & 0xFF) / 255;
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(colour >> IM_COL32_R_SHIFT) + 0.7152 * channel(colour >> IM_COL32_G_SHIFT) + 0.0722 * channel(colour >> IM_COL32_B_SHIFT);
}

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

class Sweep {
 public:
  explicit Sweep(ImVec2 size, const char* language, Theme theme) : window_(make(language, theme), size), size_(size) { ImGui::GetIO().UserData = &record_; }
  ~Sweep() { ImGui::GetIO().UserData = nullptr; }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void show(std::function<void(Scenario&)> scenario, std::function<void(View&)> view) {
    window_.session.perform(EditScenario{[&](Scenario& s) {
      s = sentence().scenario;
      scenario(s);
    }, {}});
    window_.session.perform(EditView{[&](View& v) {
      v.selected.reset();
      v.step.reset();
      v.kind = ViewKind::pipeline;
      v.looking.level = Level::pipeline;
      v.heads = {};
      v.batch = v.head = 0;
      view(v);
    }});
    window_.settle();
    record_ = {};
    window_.frame();
  }

  /// Everything that is wrong, a line each.
  std::vector<std::string> faults() const {
    std::vector<std::string> found;
    crossings(found);
    small_or_faint(found);
    wrong_numbers(found);
    return found;
  }
  const Record& record() const { return record_; }

 private:
  static Document make(const char* language, Theme theme) {
    Document document = sentence();
    document.view.language = language;
    document.view.theme = theme;
    return document;
  }

  static std::string at(const RecordedText& text) {
    return "“" + text.text + "” at " + std::to_string(static_cast<int>(text.min.x)) + ", " + std::to_string(static_cast<int>(text.min.y));
  }

  void crossings(std::vector<std::string>& found) const {
    for (std::size_t i = 0; i < record_.texts.size(); ++i) {
      const RecordedText& a = record_.texts[i];
      const Box box = seen(a);
      if (a.turned || box.empty()) continue;
      for (std::size_t j = i + 1; j < record_.texts.size(); ++j) {
        const RecordedText& b = record_.texts[j];
        if (!b.turned && !seen(b).empty() && cross(box, seen(b))) found.push_back(at(a) + " crosses " + at(b));
      }
      for (const std::vector<ImVec2>& line : record_.lines) {
        const bool through = std::ranges::any_of(line, [&](ImVec2 p) { return p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom; });
        if (through) found.push_back("an arrow goes through " + at(a));
      }
      if (a.text.ends_with("…") && std::ranges::any_of(all_stages(), [&](Stage s) { return a.text.size() > 4 && name(s).starts_with(a.text.substr(0, a.text.size() - 3)); })) {
        found.push_back(at(a) + " is no whole title");
      }
    }
  }

  void small_or_faint(std::vector<std::string>& found) const {
    const Look& colours = look(window_.document().view.theme);
    for (const RecordedText& text : record_.texts) {
      const float least = text.face == Face::mono || text.face == Face::math ? 12 : 13;
      const bool script = text.face == Face::math;  // of formulas: sub- and superscripts are smaller
      if (text.pixels < least && !script) found.push_back(at(text) + " is " + std::to_string(text.pixels) + " px");
      if (text.face == Face::mono) continue;  // stands on the colours of cells, in ink that is chosen for each
      const bool is_ground = text.colour == colours.card || text.colour == colours.panel || text.colour == colours.window;  // words on ink
      const double least_contrast = is_ground ? contrast(text.colour, colours.ink) : std::min(contrast(text.colour, colours.card), contrast(text.colour, colours.window));
      const bool opaque = (text.colour >> IM_COL32_A_SHIFT & 0xFF) == 255;
      if (opaque && least_contrast < 4.5) found.push_back(at(text) + " has a contrast of " + std::to_string(least_contrast));
    }
  }

  /// Every number in a cell is that cell's, within 5 %.
  void wrong_numbers(std::vector<std::string>& found) const {
    for (const RecordedText& text : record_.texts) {
      const std::optional<double> number = text.face == Face::mono ? number_in(text.text) : std::nullopt;
      if (!number) continue;
      const ImVec2 middle{(text.min.x + text.max.x) / 2, (text.min.y + text.max.y) / 2};
      for (const MatrixQuad& quad : window_.painter.quads) {
        if (quad.values.rank() < 2 || middle.x < quad.min.x || middle.x >= quad.max.x || middle.y < quad.min.y || middle.y >= quad.max.y) continue;
        const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
        const auto row = static_cast<Index>((middle.y - quad.min.y) / (quad.max.y - quad.min.y) * static_cast<float>(matrix.rows));
        const auto col = static_cast<Index>((middle.x - quad.min.x) / (quad.max.x - quad.min.x) * static_cast<float>(matrix.cols));
        const double value = static_cast<double>(matrix(row, col));
        ++const_cast<Sweep*>(this)->numbers_;
        if (std::isfinite(value) && std::abs(*number - value) > 0.05 * std::abs(value)) found.push_back(at(text) + " stands for " + std::to_string(value));
      }
    }
  }

 public:
  int numbers() const { return numbers_; }

 private:
  HeadlessWindow window_;
  ImVec2 size_;
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
void sixteen_words(Scenario& s) { s.text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"; }
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

using Edit = void (*)(Scenario&);
constexpr std::pair<const char*, Edit> scenarios[] = {{"plain", plain}, {"every stage", every_stage}, {"grouped", grouped}, {"crosswise", crosswise}, {"twelve words", twelve_words},
                                                      {"sixteen words", sixteen_words}, {"characters", characters}, {"long", long_one}, {"many heads", many_heads}};

}  // namespace

TEST_CASE("no text crosses another or an arrow, none is small or faint, no title is cut, and numbers say what their cells hold") {
  int pictures = 0, numbers = 0;
  std::map<std::string, int> faults;
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1366, 768}, ImVec2{1600, 900}, ImVec2{1920, 1080}, ImVec2{3840, 2160}}) {
    for (const char* language : {"en", "zh"}) {
      Sweep sweep(size, language, language[0] == 'e' ? Theme::light : Theme::dark);
      for (const auto& [what, scenario] : scenarios) {
        const auto look_at = [&](const char* view, std::function<void(View&)> change) {
          sweep.show(scenario, std::move(change));
          ++pictures;
          for (const std::string& fault : sweep.faults()) {
            ++faults[std::to_string(static_cast<int>(size.x)) + " " + language + " " + what + ", " + view + ": " + fault];
          }
        };
        look_at("pipeline", [](View&) {});
        look_at("pipeline, a weight", [](View& v) { v.selected = Cell{Stage::weights, 0, 0, 3, 1}; });
        look_at("pipeline, a score", [](View& v) { v.selected = Cell{Stage::masked_scores, 0, 0, 2, 0}; });
        look_at("pipeline, an output", [](View& v) { v.selected = Cell{Stage::output, 0, 0, 2, 5}; });
        look_at("mask", [](View& v) { v.kind = ViewKind::mask; });
        look_at("heads", [](View& v) { v.kind = ViewKind::heads; });
      }
      numbers += sweep.numbers();
    }
  }
  std::string list;
  for (const auto& [fault, times] : faults) list += "\n" + fault;
  INFO(faults.size() << " faults in " << pictures << " pictures with " << numbers << " numbers in cells" << list);
  CHECK(pictures > 400);
  CHECK(numbers > 10000);
  CHECK(faults.empty());
}
