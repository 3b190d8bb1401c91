// The shipped lessons: a click opens one in the pipeline.

#include <algorithm>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/compute/network/network_trace.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/lesson_panel.h"

namespace headlight {
namespace {

/// The group that a lesson belongs to.
enum class Shelf : std::uint8_t { course, bugs, own, presets };
struct LessonAbout {
  Shelf shelf{};
  std::size_t steps = 0, questions = 0;  ///< 0 for presets
};

struct LessonTile {
  MatrixQuad quad;  ///< without corners, colours, theme and scale, which the view sets
  Index rows = 0, cols = 0;
};

LessonTile make_lesson_tile(const Lesson& lesson) {
  Run run;
  run.summary = Summary::whole;
  LessonTile tile;
  try {
    const std::shared_ptr<const Trace> trace = compute_any(lesson.scenario, nullptr, run);
    tile.quad.values = (*trace)[Stage::weights];
    tile.quad.mask = (*trace)[Stage::mask];
    tile.quad.show_leaks = true;
    tile.quad.range = stage_range(*trace, Stage::weights, ColormapKind::sequential);
    const MatrixView matrix = tile.quad.values.matrix();
    tile.rows = matrix.rows;
    tile.cols = matrix.cols;
  } catch (const InputError&) {  // a user's own lesson with missing files
  }
  return tile;
}

struct Library {
  std::vector<Lesson> lessons;
  std::vector<LessonAbout> about;  ///< in the order of the lessons
  std::vector<Message> troubles;   ///< why files could not be read
};

const Library& library(Pictures& pictures) {
  const auto read = [] {
    Library now;
    const auto add = [&](std::vector<Course> courses) {
      for (Course& course : courses) {
        const Shelf shelf = course.own ? Shelf::own : course.bug ? Shelf::bugs : Shelf::course;
        now.about.push_back({shelf, course.steps.size(), course.questions()});
        now.lessons.push_back(std::move(course.card));
      }
    };
    try {
      add(shipped_courses());
    } catch (const std::exception& error) {  // one lesson is damaged
      now.troubles.push_back(message_of(error));
    }
    add(own_courses(&now.troubles));
    try {
      for (Lesson& lesson : shipped_lessons(&now.troubles)) {
        now.about.push_back({Shelf::presets, 0, 0});
        now.lessons.push_back(std::move(lesson));
      }
    } catch (const std::exception& error) {  // the folder does not exist any more
      now.troubles.push_back(message_of(error));
    }
    return now;
  };
  return pictures.get<Library>(read);
}

/// The pictures of the lessons, in their order; one more is made in each frame.
const std::vector<LessonTile>& lesson_tiles(Pictures& pictures) {
  struct Tiles {
    std::vector<LessonTile> tiles;
    std::size_t made = 0;
  };
  const std::vector<Lesson>& lessons = shown_lessons(pictures);
  Tiles& now = pictures.get<Tiles>([&] { return Tiles{std::vector<LessonTile>(lessons.size()), 0}; });
  if (now.made == lessons.size()) return now.tiles;
  now.tiles[now.made] = make_lesson_tile(lessons[now.made]);
  if (++now.made < lessons.size()) pictures.go_on();
  return now.tiles;
}

void open_lesson(const Frame& frame, const Lesson& lesson) {
  frame.show([](View& v) { v.kind = ViewKind::pipeline; });
  frame.actions.push_back(OpenFile{"lesson:" + lesson.id});
}

/// Draws the matrix in the middle of a square.
void draw_weights(const Frame& frame, const LessonTile& tile, ImVec2 at, float side) {
  MatrixQuad quad = tile.quad;
  const float cell = side / static_cast<float>(std::max(tile.rows, tile.cols));
  const ImVec2 size{cell * static_cast<float>(tile.cols), cell * static_cast<float>(tile.rows)};
  quad.min = {at.x + (side - size.x) / 2, at.y + (side - size.y) / 2};
  quad.max = {quad.min.x + size.x, quad.min.y + size.y};
  quad.colormap = &window_colormap(frame.view(), Stage::weights);
  quad.theme = frame.look.theme;
  quad.scale = frame.u;
  quad.cell_gap = cell >= LeastCell::gap * frame.u ? frame.u : 0;
  frame.painter.draw(*ImGui::GetWindowDrawList(), quad);
}

constexpr float side_points = 84, story_points = TypeSize::body, title_points = TypeSize::large;
constexpr float least_card_width = 360, shelf_heading = 34, around_card_words = 34, beside_tile = 46;
constexpr float below_buttons = 40, widest_path = 620;

/// The texts of a card, which determine its height.
struct CardPicture {
  Rect rect;  ///< relative to the list's top left corner
  std::string standing;
  float done = 0;  ///< fraction of the questions
};
struct ListPicture {
  struct Heading {
    float y = 0;
    const char* word = "";
  };
  std::vector<Heading> headings;
  std::vector<CardPicture> cards;
  float height = 0;
};

/// The user's progress in the lesson, or its length.
std::string standing_words(const Frame& frame, const Lesson& lesson, const LessonAbout& about, float& done) {
  if (about.steps == 0) return {};
  const auto& standings = frame.document.standings;
  const auto found = standings ? standings->find(lesson.id) : LessonStandings::const_iterator{};
  if (!standings || found == standings->end()) return frame.words.fill("lesson.steps", {about.steps, about.questions});
  const LessonStanding& now = found->second;
  done = static_cast<float>(now.answered) / static_cast<float>(std::max<std::size_t>(about.questions, 1));
  return frame.words.fill("lesson.standing", {now.step + 1, about.steps, now.answered, about.questions, now.right});
}

ListPicture make_list(const Frame& frame, float wide) {
  const float u = frame.u, gap = Space::card * u;
  const auto& [lessons, about, troubles] = library(frame.pictures);
  const int columns = std::clamp(static_cast<int>(wide / (least_card_width * u)), 1, 4);
  const float width = (wide - gap * static_cast<float>(columns + 1)) / static_cast<float>(columns);
  const float text = width - (side_points + beside_tile) * u;
  const std::string& language = frame.words.language();
  ListPicture list;
  list.cards.resize(lessons.size());
  float y = gap;
  constexpr std::pair<Shelf, const char*> shelves[] = {{Shelf::course, "lesson.course_title"},
                                                       {Shelf::bugs, "lesson.bugs_title"},
                                                       {Shelf::own, "lesson.own_title"},
                                                       {Shelf::presets, "lesson.presets_title"}};
  for (const auto& [shelf, word] : shelves) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      if (about[i].shelf == shelf) members.push_back(i);
    }
    if (members.empty()) continue;
    list.headings.push_back({y, word});
    y += shelf_heading * u;
    for (std::size_t first = 0; first < members.size(); first += static_cast<std::size_t>(columns)) {
      const std::size_t end = std::min(members.size(), first + static_cast<std::size_t>(columns));
      float high = (side_points + 2 * Space::card) * u;
      for (std::size_t m = first; m < end; ++m) {
        const Lesson& lesson = lessons[members[m]];
        CardPicture& card = list.cards[members[m]];
        card.standing = standing_words(frame, lesson, about[members[m]], card.done);
        const float title = draw_paragraph(nullptr, frame.fonts, Face::bold, title_points * u, {}, 0,
                                           in_language(lesson.title, language), text);
        const float story = draw_paragraph(nullptr, frame.fonts, Face::ui, story_points * u, {}, 0,
                                           in_language(lesson.description, language), text);
        const float standing = card.standing.empty() ? 0
                                                     : draw_paragraph(nullptr, frame.fonts, Face::ui, story_points * u,
                                                                      {}, 0, card.standing, text) +
                                                           Space::gap * u;
        high = std::max(high, title + story + standing + around_card_words * u);
      }
      for (std::size_t m = first; m < end; ++m) {
        const float x = gap + static_cast<float>(m - first) * (width + gap);
        list.cards[members[m]].rect = {{x, y}, {x + width, y + high}};
      }
      y += high + gap;
    }
    y += Space::pad * u;
  }
  list.height = y;
  return list;
}

/// A card with the title, the description and the weights; returns whether it was clicked.
bool lesson_card(const Frame& frame, const Lesson& lesson, const LessonTile& tile, const CardPicture& card,
                 ImVec2 from) {
  const float u = frame.u;
  const ImVec2 at{from.x + card.rect.min.x, from.y + card.rect.min.y}, size{card.rect.width(), card.rect.height()};
  ImGui::SetCursorScreenPos(at);
  const bool clicked = pressable(frame, lesson.id.c_str(), size);
  const bool open = frame.document.origin.lesson.id == lesson.id;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const bool hovered = ImGui::IsItemHovered();
  draw_card(frame, list, {at, end}, open || hovered ? frame.look.accent : frame.look.line, open ? Space::fine * u : 1);
  const float side = side_points * u, x = at.x + Space::card * u, text = size.x - side - beside_tile * u;
  if (tile.rows > 0) draw_weights(frame, tile, {end.x - side - Space::part * u, at.y + (size.y - side) / 2}, side);
  const std::string& language = frame.words.language();
  float y = at.y + Space::apart * u;
  y += draw_paragraph(&list, frame.fonts, Face::bold, title_points * u, {x, y}, frame.look.ink,
                      in_language(lesson.title, language), text) +
       Space::close * u;
  y += draw_paragraph(&list, frame.fonts, Face::ui, story_points * u, {x, y}, frame.look.muted,
                      in_language(lesson.description, language), text) +
       Space::gap * u;
  if (!card.standing.empty())
    draw_paragraph(&list, frame.fonts, Face::ui, story_points * u, {x, y},
                   card.done > 0 ? frame.look.v : frame.look.muted, card.standing, text);
  if (card.done > 0)
    list.AddRectFilled(
        {at.x + Space::gap * u, end.y - Space::close * u},
        {at.x + Space::gap * u + (size.x - Space::part * u) * std::min(card.done, 1.0f), end.y - Space::fine * u},
        frame.look.v, Corner::mark * u);
  return clicked;
}

/// Buttons below the list, for other actions on lessons.
void draw_list_buttons(const Frame& frame, ImVec2 at, float wide) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  if (chip(frame, "save_step", frame.words("lesson.save_step"), frame.view().saving_step.has_value())) {
    frame.show([](View& v) { v.saving_step ? v.saving_step.reset() : void(v.saving_step = suggested_lesson_path()); });
  }
  ImGui::SameLine(0, Space::gap * u);
  if (chip(frame, "save_answers", frame.words("lesson.save_answers"), frame.view().saving_answers.has_value()))
    toggle_saving_answers(frame);
  ImGui::SameLine(0, Space::gap * u);
  if (chip(frame, "reset_all", frame.words("lesson.reset_all"), false)) frame.actions.push_back(ResetLessons{true});
  if (frame.view().saving_answers) {
    draw_saving_answers(frame, {at.x, at.y + below_buttons * u}, std::min(wide, widest_path * u));
    at.y = ImGui::GetCursorScreenPos().y;
  }
  if (!frame.view().saving_step) return;
  if (const auto path = draw_path_field(frame, {at.x, at.y + below_buttons * u}, std::min(wide, widest_path * u),
                                        "lesson.step_path", "##step_path", &View::saving_step, "save"))
    frame.actions.push_back(SaveStep{*path});
}

}  // namespace

void draw_lesson_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  const std::vector<Lesson>& lessons = shown_lessons(frame.pictures);
  const ListPicture& list =
      frame.pictures.get<ListPicture>([&] { return make_list(frame, place.width()); }, place.width(),
                                      frame.words.language(), frame.document.standings, u);
  const std::vector<LessonTile>& tiles = lesson_tiles(frame.pictures);
  const ImVec2 from{place.min.x, place.min.y - ImGui::GetScrollY()};
  for (const ListPicture::Heading& heading : list.headings) {
    frame.write(Face::bold, TypeSize::numbers, {from.x + Space::card * u, from.y + heading.y}, frame.look.ink,
                frame.words(heading.word));
  }
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (lesson_card(frame, lessons[i], tiles[i], list.cards[i], from)) open_lesson(frame, lessons[i]);
  }
  float y = from.y + list.height;
  for (const Message& trouble : library(frame.pictures).troubles) {
    y += draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::body * u,
                        {from.x + Space::card * u, y}, frame.look.warning, frame.words.translate(trouble),
                        place.width() - 2 * Space::card * u) +
         Space::tight * u;
  }
  draw_list_buttons(frame, {from.x + Space::card * u, y + Space::gap * u}, place.width() - 2 * Space::card * u);
  // Reserves the room that the chips unfold into, which would otherwise be out of sight.
  ImGui::Dummy({1, (frame.view().saving_step || frame.view().saving_answers ? 20 : 120) * u});
}

const std::vector<Lesson>& shown_lessons(Pictures& pictures) { return library(pictures).lessons; }

}  // namespace headlight
