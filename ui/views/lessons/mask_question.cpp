#include <algorithm>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/answers.h"
#include "ui/views/lessons/lesson_canvas.h"

namespace headlight {
namespace {

// In points: the two grids side by side with their titles.
constexpr float grid_margin = 30, between_grids = 40, grids_title = 70, above_grid = 34, below_grids = 80;
constexpr float largest_mask_cell = 52, named_cell = 12, longest_column_word = 70, half_sign = 13;

struct MaskQuestionPicture {
  Index rows = 0, cols = 0;
  float cell = 0;     ///< pixels
  Rect guess, right;  ///< the grids
  std::vector<std::string> row_words, col_words;
  std::vector<bool> wanted;  ///< [n_q, n_k]
  Index entry = 0;           ///< the batch entry whose mask it is
  std::string of_entry;      ///< " · entry 1", if there are several
  float label_pixels = 0;    ///< 0: no room for words
};

constexpr Index most_painted = 24;

struct MaskDrawer {
  const Frame& frame;
  const MaskQuestionPicture& picture;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const LessonProgress& now = frame.view().lesson;
  const Look& look = frame.look;
  const float u = frame.u;

  void draw() {
    title(picture.guess, "lesson.your_mask", look.q);
    title(picture.right, "lesson.right_mask", look.after);
    const std::vector<bool> cells = shown_cells();
    paint(cells);
    grid(picture.guess, cells, look.q, true);
    if (now.revealed) {
      grid(picture.right, picture.wanted, look.after, false);
    } else {
      list.AddRectFilled(picture.right.min, picture.right.max, look.field, Corner::control * u);
      const float pixels = TypeSize::formula * u;
      const ImVec2 middle = picture.right.centre();
      draw_text(list, frame.fonts, Face::bold, pixels, {middle.x - Space::close * u, middle.y - half_sign * u},
                look.muted, "?");
    }
    words();
  }

  /// What was painted, else what the typed expression allows, else nothing.
  std::vector<bool> shown_cells() const {
    const std::size_t count = picture.wanted.size();
    if (now.cells.size() == count) return now.cells;
    std::vector<bool> typed =
        now.typed.empty() ? std::vector<bool>{} : allowed_cells(now.typed, *frame.trace(), picture.entry, 0);
    return typed.size() == count ? typed : std::vector<bool>(count, false);
  }

  void title(const Rect& grid, const char* word, ImU32 colour) {
    frame.write(Face::bold, TypeSize::numbers, {grid.min.x, grid.min.y - above_grid * u}, colour,
                frame.words(word) + picture.of_entry);
  }

  Rect cell(const Rect& grid, Index row, Index col) const {
    const ImVec2 min{grid.min.x + static_cast<float>(col) * picture.cell,
                     grid.min.y + static_cast<float>(row) * picture.cell};
    return {min, {min.x + picture.cell - u, min.y + picture.cell - u}};
  }

  void grid(const Rect& grid, const std::vector<bool>& cells, ImU32 colour, bool judged) {
    for (Index q = 0; q < picture.rows; ++q) {
      for (Index k = 0; k < picture.cols; ++k) {
        const auto i = static_cast<std::size_t>(q * picture.cols + k);
        const Rect place = cell(grid, q, k);
        list.AddRectFilled(place.min, place.max, cells[i] ? colour : look.field, Corner::cell * u);
        const bool wrong = judged && now.revealed && cells[i] != picture.wanted[i];
        if (wrong) compat::add_rect(list, place.min, place.max, look.warning, Corner::cell * u, Stroke::chosen(u));
      }
    }
  }

  /// A press changes its cell; a drag gives the other cells the same state.
  void paint(const std::vector<bool>& cells) {
    if (now.revealed) return;
    const Rect& grid = picture.guess;
    clickable("paint", grid);
    if (!ImGui::IsItemActive()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto col = static_cast<Index>((mouse.x - grid.min.x) / picture.cell),
               row = static_cast<Index>((mouse.y - grid.min.y) / picture.cell);
    if (mouse.x < grid.min.x || mouse.y < grid.min.y || row >= picture.rows || col >= picture.cols) return;
    const auto i = static_cast<std::size_t>(row * picture.cols + col);
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const ImGuiID ink = ImGui::GetID("ink");
    if (ImGui::IsItemActivated()) storage.SetBool(ink, !cells[i]);
    const bool value = storage.GetBool(ink);
    if (cells[i] == value && now.cells.size() == cells.size()) return;
    std::vector<bool> painted = cells;
    painted[i] = value;
    frame.show([painted](View& v) {
      v.lesson.cells = painted;
      v.lesson.typed.clear();
    });
  }

  void words() {
    const float pixels = picture.label_pixels;
    if (pixels <= 0) return;
    for (Index q = 0; q < picture.rows; ++q) {
      const std::string& word = picture.row_words[static_cast<std::size_t>(q)];
      const float width = text_size(frame.fonts, Face::ui, pixels, word).x;
      draw_text(list, frame.fonts, Face::ui, pixels,
                {picture.guess.min.x - width - Space::pad * u, cell(picture.guess, q, 0).centre().y - pixels * 0.6f},
                look.muted, word);
    }
    for (const Rect* grid : {&picture.guess, &picture.right}) {
      for (Index k = 0; k < picture.cols; ++k) {
        const std::string& word = picture.col_words[static_cast<std::size_t>(k)];
        draw_turned(list, frame.fonts, Face::ui, pixels,
                    {cell(*grid, 0, k).centre().x + Space::thin * u, grid->max.y + Space::pad * u}, -45, look.muted,
                    word, longest_column_word * u);
      }
    }
  }
};

MaskQuestionPicture make_mask_question(const Frame& frame, const Question& question, Rect place) {
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  const float u = frame.u;
  MaskQuestionPicture picture;
  picture.rows = dims.n_q;
  picture.cols = dims.n_k;
  picture.entry = painted_entry(question, trace);
  if (dims.batch > 1) picture.of_entry = " · " + frame.words.fill("mask.entry", {picture.entry});
  picture.wanted = allowed_cells(question.mask, trace, picture.entry, 0);
  picture.label_pixels = TypeSize::body * u;
  float left = 0;
  for (Index q = 0; q < dims.n_q; ++q) {
    picture.row_words.push_back(axis_label(trace, Axis::query, picture.entry, q));
    left = std::max(left, text_size(frame.fonts, Face::ui, picture.label_pixels, picture.row_words.back()).x);
  }
  for (Index k = 0; k < dims.n_k; ++k) picture.col_words.push_back(axis_label(trace, Axis::key, picture.entry, k));
  const float margin = grid_margin * u, gap = between_grids * u, title = grids_title * u, below = below_grids * u;
  const float wide = (place.width() - 2 * margin - left - Space::pad * u - gap) / 2;
  const float cell = std::min({wide / static_cast<float>(dims.n_k),
                               (place.height() - title - below) / static_cast<float>(dims.n_q), largest_mask_cell * u});
  picture.cell = std::max(std::floor(cell), 1.0f);  // also in a window without room
  const ImVec2 size{picture.cell * static_cast<float>(dims.n_k), picture.cell * static_cast<float>(dims.n_q)};
  const float x = place.centre().x - (left + Space::pad * u + 2 * size.x + gap) / 2 + left + Space::pad * u;
  const float y = place.min.y + title + std::max(0.0f, (place.height() - title - below - size.y) / 3);
  picture.guess = {{x, y}, {x + size.x, y + size.y}};
  picture.right = {{x + size.x + gap, y}, {x + 2 * size.x + gap, y + size.y}};
  if (picture.cell < named_cell * u) picture.label_pixels = 0;
  return picture;
}

}  // namespace

bool can_be_painted(const Trace& trace) { return trace.dims().n_q <= most_painted && trace.dims().n_k <= most_painted; }

void draw_mask_question(const Frame& frame, const Question& question, Rect place) {
  const MaskQuestionPicture& picture = frame.picture<MaskQuestionPicture>(
      [&] { return make_mask_question(frame, question, place); }, question.mask, place);
  if (!picture.wanted.empty()) MaskDrawer{frame, picture}.draw();
}

}  // namespace headlight
