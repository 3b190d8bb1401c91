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

const std::vector<Lesson>& shown_lessons(Pictures& pictures) {
  struct Shelf {
    std::vector<Lesson> lessons;
  };
  return pictures.get<Shelf>([] {
    Shelf shelf;
    for (Course& course : shipped_courses()) shelf.lessons.push_back(std::move(course.card));
    for (Lesson& lesson : shipped_lessons()) shelf.lessons.push_back(std::move(lesson));
    return shelf;
  }).lessons;
}

const std::vector<LessonTile>& lesson_tiles(Pictures& pictures) {
  struct Tiles {
    std::vector<LessonTile> tiles;
  };
  return pictures.get<Tiles>([&] { return Tiles{make_lesson_tiles(shown_lessons(pictures))}; }).tiles;
}

}  // namespace headlight
