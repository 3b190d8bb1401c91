// Where room is short: a window of 1024 × 768 points, whose pictures must still show what they are for.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "core/compute/run/difference.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/words.h"
#include "ui/views/masklab/mask_picture.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// Draws one more frame and returns its texts.
Record drawn_by(HeadlessWindow& window) {
  Record record;
  window.settle();
  window.painter.quads.clear();
  ImGui::GetIO().UserData = &record;
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  return record;
}

std::string shortened(const Record& record) {
  std::string found;
  for (std::size_t i = 0; i < record.texts.size(); ++i) {
    const std::string& text = record.texts[i].text;
    if (text == "…") found += (i > 0 ? record.texts[i - 1].text : "") + text + "; ";
    else if (text.ends_with("…")) found += text + "; ";
  }
  return found;
}

Document of_network(const char* model, const char* language) {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = model;
  document.scenario.text = language[0] == 'e' ? "the cat that chases the dogs sleeps because it is tired ."
                                              : "那匹追赶狗的马奔跑，因为它很累。";
  document.view.language = language;
  document.view.levels.level = Level::sentence;
  return document;
}

}  // namespace

TEST_CASE("what a head does stands whole in the rail of a small window, and a document's name is whole or absent") {
  for (const auto& [model, language] : {std::pair("model:english", "en"), std::pair("model:chinese", "zh")}) {
    HeadlessWindow window(of_network(model, language), {1024, 768});
    const Record record = drawn_by(window);
    INFO(model);
    INFO(window.document().error);
    CHECK(record.texts.size() > 40);
    CHECK(shortened(record) == "");
  }
}

TEST_CASE("a head's label too long for its card stands there in few words, in the rail and on the network's cards") {
  for (const auto& [model, language, brief] :
       {std::tuple("model:induction", "en", "what"), std::tuple("model:induction", "zh", "上次"),
        std::tuple("model:shapes", "en", "squares"), std::tuple("model:shapes", "zh", "方块")}) {
    Document document = of_network(model, language);
    document.scenario.text = model == std::string("model:induction") ? "fox moon river fox moon river" : "";
    for (const ViewKind kind : {ViewKind::pipeline, ViewKind::network}) {
      document.view.kind = kind;
      HeadlessWindow window(document, {1024, 768});
      Record record = drawn_by(window);
      std::erase_if(record.texts, [](const RecordedText& text) {  // the text of the document may be shortened
        return text.text.starts_with("cls ");
      });
      INFO(model << " " << language << " " << static_cast<int>(kind) << " " << window.document().error);
      CHECK(shortened(record) == "");
      CHECK(std::ranges::any_of(record.texts,
                                [&](const RecordedText& text) { return text.text.find(brief) != std::string::npos; }));
    }
  }
}

TEST_CASE("a sentence that is refused is answered without the name that the command line has for its field") {
  for (const char* language : {"en", "zh"}) {
    Document document = of_network("model:induction", language);
    document.scenario.text = "fox moon fox";
    HeadlessWindow window(document, {1024, 768});
    window.settle();
    window.click(window.find("canvas/words", {"own_words"}));
    window.press(compat::Key::end);
    window.type_and_enter(" unicorn");
    const Record record = drawn_by(window);
    std::string all;
    for (const RecordedText& text : record.texts) all += text.text + "\n";
    CHECK(all.find("unicorn") != std::string::npos);
    CHECK(all.find("--text") == std::string::npos);
  }
}

TEST_CASE("the mask and the compare view say that numbers are random, and of a trained model they do not") {
  for (const char* language : {"en", "zh"}) {
    const Words words(language);
    const auto says = [&](Document document, ViewKind kind, float width) {
      document.view.kind = kind;
      document.view.language = language;
      HeadlessWindow window(document, {width, 768});
      window.settle();
      window.session.perform(Pin{});
      window.settle();
      const Record record = drawn_by(window);
      return std::ranges::any_of(record.texts, [&](const RecordedText& text) {
        return text.text == words("level.random_weights") || text.text == words("level.random_input") ||
               text.text == words("pipeline.random_short");
      });
    };
    for (const ViewKind kind : {ViewKind::mask, ViewKind::compare}) {
      INFO(language << " " << static_cast<int>(kind));
      for (const float width : {640.0f, 1024.0f, 1600.0f}) CHECK(says(random_document(6, 16, 4), kind, width));
      CHECK_FALSE(says(of_network("model:english", language), kind, 1600));
    }
  }
}

TEST_CASE("a card whose matrix has more cells than pixels says so, however narrow it is") {
  for (const char* language : {"en", "zh"}) {
    Document document = random_document(16, 512, 8);
    document.view.kind = ViewKind::pipeline;
    document.view.levels.level = Level::pipeline;
    document.view.language = language;
    const Words words(language);
    for (const ImVec2 size : {ImVec2{1600, 900}, ImVec2{1024, 768}}) {
      HeadlessWindow window(document, size);
      const Record record = drawn_by(window);
      const auto pooled = std::ranges::count_if(window.painter.quads, [](const MatrixQuad& quad) {
        const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
        return matrix.rows > 1 && (quad.max.x - quad.min.x < static_cast<float>(matrix.cols) ||
                                   quad.max.y - quad.min.y < static_cast<float>(matrix.rows));
      });
      const auto said = std::ranges::count_if(record.texts, [&](const RecordedText& text) {
        for (const char* key : {"pipeline.pooled", "pipeline.pooled_extremes"}) {
          const std::string form = words(key), word = form.substr(0, form.find(" {0}"));
          const std::string end = form.substr(form.rfind('}') + 1);
          if (form.starts_with("{") ? text.text.ends_with(end) : text.text.find(word) != std::string::npos) return true;
        }
        return text.text == words("pipeline.pooled_short") || text.text == words("pipeline.extremes_short");
      });
      INFO(language << " " << size.x);
      CHECK(pooled >= 4);
      CHECK(said == pooled);
    }
  }
}

TEST_CASE(
    "how a matrix is pooled is said in whole words on every card, and what two results differ by in whole sentences") {
  for (const char* language : {"en", "zh"}) {
    Document document;
    document.view.language = language;
    document.view.alone = true;  // a presented pipeline's small cards have no notes
    HeadlessWindow lesson(document, {720, 560});
    lesson.session.open("lesson:why-sqrt-d");
    lesson.session.perform(GoToStep{2});
    Record record = drawn_by(lesson);
    INFO(language);
    const std::string extremes = Words(language)("pipeline.extremes_short");
    CHECK(std::ranges::count_if(record.texts, [&](const RecordedText& text) {
            return text.text.find(extremes) != std::string::npos;
          }) >= 5);
    CHECK(shortened(record) == "");
    for (const float width : {640.0f, 1024.0f, 1600.0f}) {
      document = random_document(6, 32, 4);
      document.scenario.batch_size = 2;
      document.view.language = language;
      document.view.kind = ViewKind::compare;
      HeadlessWindow window(document, {width, 768});
      window.settle();
      window.session.perform(Pin{});
      window.session.perform(EditScenario{[](Scenario& s) { s.scale = 0.125f; }, {}});
      record = drawn_by(window);
      std::string said;
      for (const RecordedText& text : record.texts) said += text.text;
      const std::string output = Words(language)("compare.output");
      INFO(width << " " << said);
      CHECK(said.find(output.substr(0, output.find("{0}"))) != std::string::npos);
      std::erase_if(record.texts, [](const RecordedText& text) { return text.text.starts_with("query, key"); });
      CHECK(shortened(record) == "");
    }
  }
}

TEST_CASE("where the rail hides no head above, the first layer's name stands there") {
  for (const float height : {820.0f, 860.0f, 900.0f, 940.0f}) {
    HeadlessWindow window(of_network("model:english", "en"), {1600, height});
    const Record record = drawn_by(window);
    INFO(height);
    CHECK(std::ranges::find(record.texts, "0 more above", &RecordedText::text) == record.texts.end());
    const bool all = std::ranges::none_of(
        record.texts, [](const RecordedText& text) { return text.text.find("more above") != std::string::npos; });
    CHECK(all == (std::ranges::find(record.texts, "Layer 0", &RecordedText::text) != record.texts.end()));
  }
}

TEST_CASE("a pattern's caption is the whole expression that a click inserts, in lines that its tile holds") {
  for (const PatternTile& tile : make_palette()) {
    std::string all;
    for (const std::string& line : tile.lines) {
      CHECK(line.size() <= letters_of_a_tile);
      all += (all.empty() ? "" : " ") + line;
    }
    CHECK(all == tile.expression);
    CHECK(tile.lines.size() <= 3);
  }
  Document document = sentence();
  document.view.kind = ViewKind::mask;
  HeadlessWindow window(document, {1024, 768});
  for (int turn = 0; turn < 12; ++turn) {  // through all of them
    const Record record = drawn_by(window);
    for (std::size_t i = 0; i + 1 < record.texts.size(); ++i) {
      if (record.texts[i].face == Face::mono) CHECK(record.texts[i + 1].text != "…");
    }
    window.move({500, 700});
    window.wheel(-1);
  }
}

TEST_CASE("what other conventions give is as large as a small window allows") {
  Document document = sentence();
  document.scenario.mask = "causal()";
  document.view.kind = ViewKind::mask;
  document.view.mask_lab.tab = MaskTab::conventions;
  HeadlessWindow window(document, {1024, 768});
  drawn_by(window);
  REQUIRE(window.painter.quads.size() >= 3);
  for (const MatrixQuad& quad : window.painter.quads) CHECK((quad.max.y - quad.min.y) / 6 >= 22);
}

TEST_CASE("every changed stage is seen beside its number in the compare view, and its name is free") {
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1280, 720}, ImVec2{1366, 768}}) {
    Document document = sentence();
    document.view.kind = ViewKind::compare;
    HeadlessWindow window(document, size);
    window.session.perform(Pin{});
    window.session.perform(EditScenario{[](Scenario& s) { s.text = "the dog sat on my rug"; }, {}});
    const Record record = drawn_by(window);
    INFO(size.x << " by " << size.y);
    REQUIRE(window.painter.quads.size() > 16);
    for (const MatrixQuad& quad : window.painter.quads) {
      CHECK(quad.max.y - quad.min.y >= 11);
      for (const RecordedText& text : record.texts) {
        if (text.face != Face::bold) continue;
        const bool apart = text.max.x < quad.min.x || text.min.x > quad.max.x || text.max.y < quad.min.y + 3 ||
                           text.min.y > quad.max.y - 3;
        INFO(text.text << " at " << text.min.x << ", " << text.min.y);
        CHECK(apart);
      }
    }
  }
}

TEST_CASE("the map says what the ends of its colours are") {
  Document document = sentence();
  document.view.kind = ViewKind::map;
  document.view.range = {RangeMode::fixed, {0.25f, 0.75f}};
  HeadlessWindow window(document, {1024, 768});
  const Record record = drawn_by(window);
  const auto says = [&](double value) {
    return std::ranges::any_of(record.texts, [&](const RecordedText& text) {
      return text.face == Face::mono && text.text.starts_with("0.") && std::stod(text.text) == value;
    });
  };
  CHECK(says(0.25));
  CHECK(says(0.75));
}

TEST_CASE("the bar at the top is whole in the smallest of windows: nothing over another, nothing outside") {
  for (const char* language : {"en", "zh"}) {
    for (const float width : {640.0f, 720.0f, 800.0f, 900.0f, 1024.0f, 1280.0f}) {
      Document document = sentence();
      document.view.language = language;
      HeadlessWindow window(document, {width, 600});
      const Record record = drawn_by(window);
      INFO(language << " " << width);
      std::vector<const RecordedText*> bar;
      for (const RecordedText& text : record.texts) {
        if (text.max.y <= 46) bar.push_back(&text);
      }
      CHECK(bar.size() >= 12);
      for (const RecordedText* text : bar) {
        INFO(text->text << " at " << text->min.x);
        CHECK(text->min.x >= 38);  // to the right of the logo
        CHECK(text->max.x <= width);
        for (const RecordedText* other : bar)
          CHECK((text == other || text->max.x <= other->min.x || other->max.x <= text->min.x));
      }
    }
  }
}

TEST_CASE("the tools that paint a mask, and what is said of it, are whole in a small window") {
  for (const char* language : {"en", "zh"}) {
    for (const float width : {800.0f, 1024.0f}) {
      Document document = sentence();
      document.view.language = language;
      document.view.kind = ViewKind::mask;
      document.view.mask_painting.tool = PaintTool::row;
      document.scenario.text = "the cat sat on my mat\nthe dog ate";
      document.scenario.mask = "causal() && q % 3 != 1";
      HeadlessWindow window(document, {width, 768});
      const Record record = drawn_by(window);
      INFO(language << " " << width);
      int chips = 0;
      const Words words(language);
      for (const char* key : {"mask_paint.look", "mask_paint.rectangle", "mask_paint.give_back", "mask_paint.all_heads",
                              "mask_paint.all_entries"}) {
        for (const RecordedText& text : record.texts) {
          if (text.text != words(key)) continue;
          ++chips;
          INFO(text.text << " to " << text.max.x << " of " << text.clip_max.x);
          CHECK(text.max.x <= text.clip_max.x + 1);
          CHECK(text.max.x < width - 14);
        }
      }
      CHECK(chips == 5);
      const std::string dead = words.fill("mask.dead", {"2"});
      if (width > 1000)
        CHECK(std::ranges::any_of(record.texts,
                                  [&](const RecordedText& text) { return text.text.find(dead) != std::string::npos; }));
    }
  }
}

TEST_CASE("the list of keys is whole in a small window: no key and no word is cut at an edge") {
  for (const char* language : {"en", "zh"}) {
    for (const ImVec2 size : {ImVec2{640, 480}, ImVec2{800, 600}, ImVec2{1024, 768}}) {
      Document document = sentence();
      document.view.language = language;
      document.view.dialog = Dialog::help;
      HeadlessWindow window(document, size);
      const Record record = drawn_by(window);
      int found = 0;
      for (const RecordedText& text : record.texts) {
        if (text.face != Face::mono || text.pixels < 13.5f) continue;
        ++found;
        INFO(language << " " << size.x << ": " << text.text);
        CHECK(text.max.x <= text.clip_max.x);
        CHECK(text.max.x <= size.x);
      }
      const Words words(language);
      for (const char* key : {"help.play", "help.zoom", "help.go_to", "help.paint"}) {
        INFO(language << " " << size.x << ": " << key);
        const auto said = std::ranges::find(record.texts, words(key), &RecordedText::text);
        REQUIRE(said != record.texts.end());
        CHECK(said->max.x <= std::min(said->clip_max.x, size.x));
      }
      CHECK(found >= 30);
    }
  }
}

TEST_CASE("in a telephone's window the views are one box, and nothing in the bar lies over another or outside") {
  for (const auto& [model, language] : {std::pair("model:english", "en"), std::pair("model:chinese", "zh")}) {
    for (const float width : {390.0f, 480.0f, 560.0f, 640.0f}) {
      Document document = of_network(model, language);
      document.page = "http://localhost/";
      HeadlessWindow window(document, {width, 844});
      const Record record = drawn_by(window);
      std::vector<RecordedText> bar;
      std::ranges::copy_if(record.texts, std::back_inserter(bar),
                           [](const RecordedText& text) { return text.max.y < 46; });
      std::ranges::sort(bar, {}, [](const RecordedText& text) { return text.min.x; });
      CHECK(bar.size() > 4);
      for (std::size_t i = 0; i < bar.size(); ++i) {
        INFO(language << " " << width << " " << bar[i].text);
        CHECK(bar[i].min.x >= 0);
        CHECK(bar[i].max.x <= width);
        if (i > 0) CHECK(bar[i].min.x >= bar[i - 1].max.x);
      }
    }
  }
  HeadlessWindow window(of_network("model:english", "en"), {390, 844});
  window.settle();
  const ImVec2 box = window.find("top_bar/views", {"##views"});
  REQUIRE(box.x > 0);
  window.click(box);
  window.settle();
  window.click({box.x, box.y + 60});
  window.settle();
  CHECK(window.document().view.kind != ViewKind::pipeline);
}

TEST_CASE("in a telephone's window held upright a lesson stands below its picture, which is there") {
  for (const char* language : {"en", "zh"}) {
    Document document;
    document.view.language = language;
    HeadlessWindow window(document, {390, 844});
    window.session.open("lesson:weighted-average");
    window.settle();
    const Record record = drawn_by(window);
    const auto next = std::ranges::find_if(record.texts, [&](const RecordedText& text) {
      return text.text.find(language[0] == 'e' ? "Next" : "下一步") != std::string::npos;
    });
    REQUIRE(next != record.texts.end());
    CHECK(next->min.y > 400);
    CHECK(next->max.y < 844);
    CHECK(next->max.x < 390);
    REQUIRE_FALSE(window.painter.quads.empty());
    for (const MatrixQuad& quad : window.painter.quads) CHECK(quad.max.y < next->min.y);
  }
}

TEST_CASE("a third is coloured as a third: weights of few keys span 0 to 1") {
  for (const ViewKind kind : {ViewKind::pipeline, ViewKind::heads, ViewKind::compare}) {
    Document document = sentence();
    document.view.kind = kind;
    HeadlessWindow window(document);
    window.session.perform(Pin{});
    window.settle();
    int found = 0;
    for (const MatrixQuad& quad : window.painter.quads) {
      if (!identical(quad.values, (*window.document().trace)[Stage::weights])) continue;
      ++found;
      CHECK(quad.range == ValueRange{0, 1});
    }
    CHECK(found > 0);
  }
}

TEST_CASE("what float32 rounds differently is left blank in a difference, what differs is not") {
  for (const auto& [scale, reach] : {std::pair(0.5000001f, 0.5f), std::pair(0.6f, 0.0f)}) {
    Document document = sentence();
    document.scenario.scale = 0.5f;
    document.view.kind = ViewKind::compare;
    HeadlessWindow window(document);
    window.session.perform(Pin{});
    window.session.perform(EditScenario{[scale = scale](Scenario& s) { s.scale = scale; }, {}});
    window.settle();
    const StageDifference* weights = window.document().difference->find(Stage::weights);
    REQUIRE(weights->kind == StageDifference::Kind::differs);
    float range = 0;
    for (const MatrixQuad& quad : window.painter.quads) {
      if (identical(quad.values, weights->values)) range = quad.range.hi;
    }
    INFO(weights->largest);
    CHECK(range >= weights->largest);
    CHECK((range > 1e5f * weights->largest) == (reach > 0));
  }
}
