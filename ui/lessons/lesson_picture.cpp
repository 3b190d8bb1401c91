#include "ui/lessons/lesson_picture.h"

#include "core/lesson/course.h"
#include "core/network/network_trace.h"
#include "core/tensor/error.h"
#include "ui/frame/colormaps.h"

namespace headlight {

std::vector<LessonTile> make_lesson_tiles(const std::vector<Lesson>& lessons) {
  Run run;
  run.summary = Summary::whole;
  std::vector<LessonTile> tiles;
  for (const Lesson& lesson : lessons) {
    std::shared_ptr<const Trace> trace;
    try {
      trace = compute_any(lesson.scenario, nullptr, run);
    } catch (const InputError&) {  // a lesson of one's own whose files are gone
      tiles.emplace_back();
      continue;
    }
    LessonTile& tile = tiles.emplace_back();
    tile.quad.values = (*trace)[Stage::weights];
    tile.quad.mask = (*trace)[Stage::mask];
    tile.quad.show_leaks = true;
    tile.quad.range = stage_range(*trace, Stage::weights, ColormapKind::sequential);
    const MatrixView matrix = tile.quad.values.matrix();
    tile.rows = matrix.rows;
    tile.cols = matrix.cols;
  }
  return tiles;
}

namespace {

struct Library {
  std::vector<Lesson> lessons;
  std::vector<LessonAbout> about;
  std::vector<std::string> troubles;
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
      now.troubles.push_back(error.what());
    }
    add(own_courses(&now.troubles));
    try {
      for (Lesson& lesson : shipped_lessons(&now.troubles)) {
        now.about.push_back({Shelf::presets, 0, 0});
        now.lessons.push_back(std::move(lesson));
      }
    } catch (const std::exception& error) {  // the folder is gone
      now.troubles.push_back(error.what());
    }
    return now;
  };
  return pictures.get<Library>(read);
}

}  // namespace

const std::vector<Lesson>& shown_lessons(Pictures& pictures) { return library(pictures).lessons; }

const std::vector<LessonAbout>& lessons_about(Pictures& pictures) { return library(pictures).about; }

const std::vector<std::string>& lesson_troubles(Pictures& pictures) { return library(pictures).troubles; }

const std::vector<LessonTile>& lesson_tiles(Pictures& pictures) {
  struct Tiles {
    std::vector<LessonTile> tiles;
  };
  return pictures.get<Tiles>([&] { return Tiles{make_lesson_tiles(shown_lessons(pictures))}; }).tiles;
}

}  // namespace headlight
