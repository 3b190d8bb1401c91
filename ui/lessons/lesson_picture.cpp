#include "ui/lessons/lesson_picture.h"

#include "core/lesson/course.h"
#include "core/network/network_trace.h"
#include "core/tensor/error.h"
#include "ui/frame/colormaps.h"

namespace headlight {

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
  } catch (const InputError&) {  // a lesson of one's own whose files are gone
  }
  return tile;
}

namespace {

struct Library {
  std::vector<Lesson> lessons;
  std::vector<LessonAbout> about;
  std::vector<Message> troubles;
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
    } catch (const std::exception& error) {  // one is damaged
      now.troubles.push_back(message_of(error));
    }
    add(own_courses(&now.troubles));
    try {
      for (Lesson& lesson : shipped_lessons(&now.troubles)) {
        now.about.push_back({Shelf::presets, 0, 0});
        now.lessons.push_back(std::move(lesson));
      }
    } catch (const std::exception& error) {  // the folder is gone
      now.troubles.push_back(message_of(error));
    }
    return now;
  };
  return pictures.get<Library>(read);
}

}  // namespace

const std::vector<Lesson>& shown_lessons(Pictures& pictures) { return library(pictures).lessons; }

const std::vector<LessonAbout>& lessons_about(Pictures& pictures) { return library(pictures).about; }

const std::vector<Message>& lesson_troubles(Pictures& pictures) { return library(pictures).troubles; }

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

}  // namespace headlight
