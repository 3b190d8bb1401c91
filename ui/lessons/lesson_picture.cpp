#include "ui/lessons/lesson_picture.h"

#include "core/lesson/course.h"
#include "core/run/pipeline.h"
#include "ui/frame/colormaps.h"

namespace headlight {

std::vector<LessonTile> make_lesson_tiles(const std::vector<Lesson>& lessons) {
  Run run;
  run.summary = true;
  std::vector<LessonTile> tiles;
  for (const Lesson& lesson : lessons) {
    const auto trace = compute(lesson.scenario, nullptr, run);
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

struct Shelf {
  std::vector<Lesson> lessons;
  std::vector<std::string> troubles;
};

const Shelf& shelf(Pictures& pictures) {
  const auto read = [] {
    Shelf read_now;
    try {
      for (Course& course : shipped_courses()) read_now.lessons.push_back(std::move(course.card));
    } catch (const std::exception& error) {  // one is damaged
      read_now.troubles.push_back(error.what());
    }
    try {
      for (Lesson& lesson : shipped_lessons(&read_now.troubles)) read_now.lessons.push_back(std::move(lesson));
    } catch (const std::exception& error) {  // the folder is gone
      read_now.troubles.push_back(error.what());
    }
    return read_now;
  };
  return pictures.get<Shelf>(read);
}

}  // namespace

const std::vector<Lesson>& shown_lessons(Pictures& pictures) { return shelf(pictures).lessons; }

const std::vector<std::string>& lesson_troubles(Pictures& pictures) { return shelf(pictures).troubles; }

const std::vector<LessonTile>& lesson_tiles(Pictures& pictures) {
  struct Tiles {
    std::vector<LessonTile> tiles;
  };
  return pictures.get<Tiles>([&] { return Tiles{make_lesson_tiles(shown_lessons(pictures))}; }).tiles;
}

}  // namespace headlight
