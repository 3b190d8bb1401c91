#include <algorithm>
#include <cmath>

#include <imgui_internal.h>

#include "core/teaching/explain/explain.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/levels.h"
#include "tests/ui/studio.h"
#include "ui/base/document/action.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/sentence.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// The words of a scene that a straight arrow crosses.
std::string crossed_words(const Scene& scene) {
  std::string found;
  for (const SceneText* text : texts_of(scene)) {
    if (text->role != TextRole::word) continue;
    for (const SceneItem& item : scene.items) {
      const auto* arrow = std::get_if<SceneCurve>(&item);
      if (!arrow || !arrow->arrow) continue;
      bool through = false;
      for (int i = 0; i <= 400 && !through; ++i) {
        const float t = static_cast<float>(i) / 400;
        const ImVec2 p{arrow->points[0].x + t * (arrow->points[3].x - arrow->points[0].x),
                       arrow->points[0].y + t * (arrow->points[3].y - arrow->points[0].y)};
        through = p.x > text->rect.min.x && p.x < text->rect.max.x && p.y > text->rect.min.y && p.y < text->rect.max.y;
      }
      if (through) found += text->text + " at " + std::to_string(static_cast<int>(text->rect.min.x)) + "; ";
    }
  }
  return found;
}

}  // namespace

TEST_CASE("that equal words have equal rows is said where it is so, and a part of a matrix says which") {
  const ScreenSetting at{{1024, 768}, 1, false, "en"};
  Document document = sentence();
  const auto story = [&](std::string_view wanted) {
    return has_text(Studio(document, at).operation(Stage::query), wanted);
  };
  document.scenario.text = "the cat sat on the mat";
  CHECK(story("Equal words begin as equal rows"));
  CHECK_FALSE(story("columns"));  // all 16 columns are shown
  document.scenario.positions = Positions::sinusoidal;
  CHECK_FALSE(story("begin as equal rows"));
  CHECK(story("different rows here"));
  document.scenario.text = "a cat sat on my mat";
  CHECK_FALSE(story("qual words"));
  document.scenario.d_model = 64;
  CHECK(story("columns 0–"));
}

TEST_CASE("the text of a step is true of this run's numbers") {
  const ScreenSetting at{{1280, 720}, 1, false, "en"};
  const auto says = [&](const Document& document, Stage stage, std::string_view wanted, Index query = 2) {
    Studio studio(document, at);
    studio.view().levels.query = query;
    return has_text(studio.operation(stage), wanted);
  };
  Document document = sentence();
  CHECK(says(document, Stage::scaled_scores, "become smaller"));
  CHECK(says(document, Stage::masked_scores, "no attention at all"));
  CHECK(says(document, Stage::masked_scores, "may look at every word", 5));  // the last word of a causal mask
  CHECK_FALSE(says(document, Stage::masked_scores, "gets the score", 5));
  CHECK(says(document, Stage::weights, "add up to 1"));
  Document hidden = sentence();
  hidden.scenario.mask = "q != 2";
  CHECK(says(hidden, Stage::weights, "nothing to share out"));
  hidden.scenario.dead_row = DeadRow::uniform;
  CHECK(says(hidden, Stage::weights, "is a convention"));
  document.scenario.training = true;
  for (const auto& [share, gone] : {std::pair(0.001f, false), std::pair(0.9f, true)}) {
    document.scenario.dropout = share;
    CHECK(says(document, Stage::dropped_weights, gone ? "dropped at random" : "was dropped this time", 5));
  }
  document.scenario.training = false;
  document.scenario.dropout = 0;
  document.scenario.scale = 1.0f;
  CHECK_FALSE(says(document, Stage::scaled_scores, "become smaller"));
  CHECK(says(document, Stage::scaled_scores, "stay as they are"));
  document.scenario.scale = 3.0f;
  CHECK(says(document, Stage::scaled_scores, "larger than 1"));
  document.scenario.fill = -9.0f;
  CHECK_FALSE(says(document, Stage::masked_scores, "none"));
  CHECK(says(document, Stage::masked_scores, "This fill is a number"));
  document.scenario.fill.reset();
  document.scenario.sink_logit = true;
  CHECK(says(document, Stage::weights, "a sink takes the rest"));
  document.scenario.sink_logit = false;
  document.scenario.mask = "q != 2";
  CHECK(says(document, Stage::weights, "nothing to share out"));
  CHECK_FALSE(says(document, Stage::weights, "nothing to share out", 3));
  CHECK(says(document, Stage::weights, "weights are random"));
  CHECK_FALSE(says(document, Stage::mask, "random"));
  const Studio random(document, at);
  CHECK(has_text(make_journey(random.context(), {}, random.place()), "weights are random"));
  CHECK(has_text(make_geometry(random.context(), random.place()), "weights are random"));
  Document trained;
  trained.scenario.source = Source::file;
  trained.scenario.file = places::sentences();
  trained.scenario.text = "the cat sleeps .";
  CHECK_FALSE(says(trained, Stage::weights, "random"));
  document = sentence();
  document.scenario.d_model = 32;
  document.scenario.heads = 8;
  document.scenario.kv_heads = 2;
  CHECK(says(document, Stage::Q_heads, "8"));
  CHECK_FALSE(says(document, Stage::K_heads, "8 heads"));
}

TEST_CASE(
    "a word's journey and the geometry are whole: no text is cut, crosses another or is too small, whatever the run "
    "has") {
  for (const ScreenSetting& at : level_settings) {
    for (const bool every : {false, true}) {
      const Studio studio(every ? with_every_stage() : sentence(), at);
      INFO(setting_words(at) << every);
      CHECK(faults(make_journey(studio.context(), {}, studio.place()), studio) == "");
      CHECK(faults(make_journey(studio.context(), {{"sleeps", 0, 0.6}, {"waits", 0, 0.3}}, studio.place()), studio) ==
            "");
      const Scene geometry = make_geometry(studio.context(), studio.place());
      CHECK(faults(geometry, studio) == "");
      CHECK(crossed_words(geometry) == "");
    }
  }
}

TEST_CASE("a journey with a rival shows both dot products to the end, and the ratio of their shares") {
  Studio studio(sentence(), {{1600, 900}});
  studio.view().levels.query = 3;
  studio.view().levels.key = 1;
  studio.view().levels.rival = 2;
  const Scene scene = make_journey(studio.context(), {}, studio.place());
  CHECK(faults(scene, studio) == "");
  const MatrixView weights = studio.trace()[Stage::weights].matrix(0, studio.view().head);
  const double ratio = static_cast<double>(weights(3, 1)) / static_cast<double>(weights(3, 2));
  char text[16];
  std::snprintf(text, sizeof text, ratio >= 100 ? "%.0f" : ratio >= 10 ? "%.1f" : "%.2f", ratio);
  CHECK(has_text(scene, text));
  CHECK(has_text(scene, "sum"));
}

TEST_CASE(
    "the geometry says how much of the lengths its plane carries, and with two dimensions that it is all there is") {
  const Studio wide(sentence(), {{1600, 900}});
  CHECK(has_text(make_geometry(wide.context(), wide.place()), " %"));
  Document flat = sentence();
  flat.scenario.d_model = 8;
  flat.scenario.heads = 4;
  const Studio two(flat, {{1600, 900}});
  REQUIRE(two.trace().dims().d_head == 2);
  CHECK_FALSE(has_text(make_geometry(two.context(), two.place()), " %"));
  CHECK(has_text(make_geometry(two.context(), two.place()), "shows everything"));
}

TEST_CASE("the temperature's slider sets the scale of the scores, one step of undo a drag, and snaps to 1/√d_head") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.facet = Facet::geometry;
  const Studio studio(document, {{1600, 900}});
  const Scene scene = make_geometry(studio.context(), studio.place());
  const auto track = std::ranges::find(scene.targets, SceneAction::temperature, &SceneTarget::action);
  REQUIRE(track != scene.targets.end());
  const Trace& trace = studio.trace();
  CHECK(temperature_of(trace) == Approx(1));
  CHECK(temperature_at(trace, 0) <
        1 / std::sqrt(static_cast<double>(trace.dims().d_head)));  // the slider reaches a scale of 1
  CHECK(temperature_at(trace, 1) == Approx(10));

  HeadlessWindow window(document);
  const auto at = [&](float share) {
    return ImVec2{track->rect.min.x + track->rect.width() * share, track->rect.centre().y};
  };
  window.drag(at(0.6f), at(0.95f));
  REQUIRE(window.document().scenario.scale);
  const double expected = 1 / (std::sqrt(static_cast<double>(trace.dims().d_head)) * temperature_at(trace, 0.95f));
  CHECK(static_cast<double>(*window.document().scenario.scale) == Approx(expected).epsilon(0.02));
  CHECK(window.document().undo.size() == 1);
  window.press('z', true);
  CHECK_FALSE(window.document().scenario.scale);
}

TEST_CASE("every value that counts in a journey has a strip of whole pixels, equal weights equally wide ones") {
  for (const float scale : {1.0f, 1.375f}) {
    Document document = sentence();
    document.scenario.text = "a b c d e f g h i j k l m n o p q r s t u v";
    document.scenario.scale = 1e-6f;
    Studio studio(document, {{1024 * scale, 768 * scale}, scale});
    int strips = 0;
    float width = 0;
    for (const SceneItem& item : make_journey(studio.context(), {}, studio.place()).items) {
      const auto* matrix = std::get_if<SceneMatrix>(&item);
      if (!matrix || matrix->seen.width() > 4) continue;
      CHECK(matrix->seen.min.x == std::round(matrix->seen.min.x));
      CHECK(matrix->seen.width() >= 1);
      CHECK(matrix->seen.width() == (strips == 0 ? std::round(matrix->seen.width()) : width));
      width = matrix->seen.width();
      ++strips;
    }
    CHECK(strips >= 10);
  }
}

TEST_CASE(
    "what is to be guessed is on no canvas until a word is clicked that may be looked at, and then it is said how near "
    "one was") {
  Studio studio(sentence(), {{1600, 900}});
  studio.view().levels.query = 3;
  studio.view().levels.key.reset();
  const auto shares = [&](const Scene& scene) {
    return std::ranges::count_if(texts_of(scene), [](const SceneText* text) {
      return text->role == TextRole::number && text->text.find("0.") != std::string::npos;
    });
  };
  CHECK(shares(make_sentence(studio.context(), {}, studio.place())) > 0);
  studio.view().levels.guessing.active = true;
  const Scene asked = make_sentence(studio.context(), {}, studio.place());
  CHECK(shares(asked) == 0);
  CHECK(has_text(asked, "Which word"));
  CHECK(std::ranges::none_of(asked.items,
                             [](const SceneItem& item) { return std::holds_alternative<SceneCurve>(item); }));
  studio.view().levels.guessing.guess = 0.0f;
  const Scene told = make_sentence(studio.context(), {}, studio.place());
  CHECK(shares(told) > 0);
  CHECK((has_text(told, "Right:") || has_text(told, "You said")));
}

TEST_CASE("a row of weights is described by its largest shares and the sum of the others") {
  Document document = sentence();
  document.scenario.mask.clear();
  const Studio studio(document, {{1600, 900}});
  const RowProse prose = row_prose(studio.context(), 3);
  REQUIRE(prose.key);
  const MatrixView weights = studio.trace()[Stage::weights].matrix(0, 0);
  const Index n = weights.cols;
  CHECK(std::string_view(prose.key) == "level.row_3");
  CHECK(prose.values[6].text == std::to_string(n - 3));
  std::vector<float> row;
  for (Index k = 0; k < n; ++k) row.push_back(weights(3, k));
  std::ranges::sort(row, std::greater());
  double rest = 0;
  for (std::size_t i = 3; i < row.size(); ++i) rest += static_cast<double>(row[i]);
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", rest);
  CHECK(prose.values[7].text == text);
}

TEST_CASE("among the largest shares, a token that occurs twice is named with its position, any other without") {
  Document document = sentence();
  document.scenario.mask.clear();
  document.scenario.text = "the cat the";
  const Studio studio(document, {{1600, 900}});
  const RowProse prose = row_prose(studio.context(), 2);
  REQUIRE(prose.values.size() >= 6);
  std::vector<std::string> named{prose.values[0].text, prose.values[2].text, prose.values[4].text};
  std::ranges::sort(named);
  CHECK(named == std::vector<std::string>{"cat", "the (0)", "the (2)"});
}

TEST_CASE("a number to be guessed is not on the canvas before the guess, and beside it afterwards") {
  for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::weights, Stage::head_outputs, Stage::output}) {
    Studio studio(sentence(), {{1600, 900}});
    studio.view().levels.query = 3;
    studio.view().levels.key = 1;
    studio.view().levels.unfolded = true;
    const Scene plain = studio.operation(stage);
    studio.view().levels.guessing.active = true;
    const Scene asked = studio.operation(stage);
    INFO(name(stage));
    const float value = value_at(
        studio.trace(), cell_of(studio.trace(), studio.view(), stage, focus_of(studio.trace(), studio.view())));
    char text[24];
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(std::abs(value)));
    if (operation_of(studio.trace(), stage) == OperationKind::product) {  // a term may by chance have the same digits
      const float great = type_sizes(studio.context()).great;
      for (const SceneText* total : texts_of(plain)) {
        if (total->role == TextRole::number && total->pixels > great * 0.9f) CHECK_FALSE(has_text(asked, total->text));
      }
    } else {
      CHECK_FALSE(has_text(asked, text));
    }
    CHECK(std::ranges::none_of(asked.items, [](const SceneItem& item) {
      return std::holds_alternative<SceneMath>(item) && std::get<SceneMath>(item).markup.find('=') != std::string::npos;
    }));
    CHECK(std::ranges::any_of(asked.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::own_words; }));
    CHECK(faults(asked, studio) == "");
    studio.view().levels.guessing.guess = -7.5f;
    const Scene told = studio.operation(stage);
    CHECK(has_text(told, "You said "));
    CHECK(has_text(told, "−7.5"));
    CHECK(faults(told, studio) == "");
  }
}

TEST_CASE("copied, rotated, normalised, masked and dropped numbers can be guessed, and are not shown before") {
  Document document = with_every_stage("the cat that chases the dogs sleeps");
  document.scenario.qk_norm = QkNorm::rms;
  for (const Stage stage : {Stage::Q_heads, Stage::Q_normed, Stage::Q_rotated, Stage::mask, Stage::masked_scores,
                            Stage::dropped_weights, Stage::concat}) {
    Studio studio(document, {{1600, 900}});
    INFO(name(stage));
    REQUIRE(studio.trace().has(stage));
    studio.view().levels.query = 5;
    studio.view().levels.key = 2;
    const Scene plain = studio.operation(stage);
    CHECK(std::ranges::any_of(plain.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::guess; }));
    studio.view().levels.guessing.active = true;
    const Scene asked = studio.operation(stage);
    CHECK(has_text(asked, "?"));
    CHECK(std::ranges::any_of(asked.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::own_words; }));
    CHECK(std::ranges::none_of(asked.items, [](const SceneItem& item) {
      return std::holds_alternative<SceneMath>(item) && std::get<SceneMath>(item).markup.find('=') != std::string::npos;
    }));
    CHECK(texts_of(asked).size() < texts_of(plain).size() + 3);
    CHECK(faults(asked, studio) == "");
    studio.view().levels.guessing.guess = -7.5f;
    const Scene told = studio.operation(stage);
    CHECK(has_text(told, "You said "));
    CHECK(faults(told, studio) == "");
  }
}

TEST_CASE("every linked word and number of a sentence highlights something in its scene") {
  const auto check = [](const Scene& scene, int least) {
    int links = 0;
    for (const SceneTarget& target : scene.targets) {
      if (!target.link) {
        CHECK(lit_by(scene, target).empty());
        continue;
      }
      ++links;
      CHECK_FALSE(lit_by(scene, target).empty());
      CHECK(target_at(scene, target.rect.centre()) == &target);  // no other target covers it
    }
    CHECK(links >= least);
  };
  for (const char* language : {"en", "zh"}) {
    const Studio studio(with_every_stage("the cat that chases the dogs"), {{1600, 900}, 1, false, language});
    for (const Stage stage :
         {Stage::scores, Stage::scaled_scores, Stage::biased_scores, Stage::mask, Stage::masked_scores, Stage::weights,
          Stage::dropped_weights, Stage::head_outputs, Stage::output, Stage::Q, Stage::K}) {
      INFO(language << " " << name(stage));
      check(studio.operation(stage), stage == Stage::scaled_scores ? 0 : 1);
    }
    INFO(language);
    check(make_sentence(studio.context(), {}, studio.place()), 5);
    check(make_journey(studio.context(), {}, studio.place()), 3);
    check(make_geometry(studio.context(), studio.place()), 2);
  }
}

TEST_CASE("a click on a word in the text selects it") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.stage = Stage::weights;
  document.view.levels.query = 5;
  document.view.levels.key = 1;
  const Rect place = [&] {
    HeadlessWindow window(document);
    window.settle();
    const ImGuiWindow* canvas = ImGui::FindWindowByName("canvas");
    return canvas ? Rect{canvas->Pos, {canvas->Pos.x + canvas->Size.x, canvas->Pos.y + canvas->Size.y}} : Rect{};
  }();
  REQUIRE(place.width() > 0);
  const Scene scene = [&] {
    const Studio studio(document, {{1600, 900}});
    return make_operation(studio.context(), Stage::weights, {}, place);
  }();
  const auto link = std::ranges::find_if(scene.targets, [](const SceneTarget& target) {
    return target.link && target.action == SceneAction::key_word && target.index != 1;
  });
  REQUIRE(link != scene.targets.end());
  HeadlessWindow window(document);
  window.settle();
  window.click(link->rect.centre());
  CHECK(window.document().view.levels.key == link->index);
}

TEST_CASE(
    "journey and geometry of 4,096 tokens are made of what fits the window, and name the words that are followed") {
  Document document = random_document(4096, 16, 2);
  document.scenario.mask = "causal()";
  Studio studio(document, {{1600, 900}});
  studio.view().levels.query = 3000;
  studio.view().levels.key = 1234;
  for (const bool geometry : {false, true}) {
    INFO(geometry);
    const Scene scene =
        geometry ? make_geometry(studio.context(), studio.place()) : make_journey(studio.context(), {}, studio.place());
    CHECK(scene.items.size() < 3000);
    CHECK(scene.targets.size() < 1500);
    CHECK(has_text(scene, "1234"));
    CHECK(faults(scene, studio) == "");
  }
}
