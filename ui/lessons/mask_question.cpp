#include <algorithm>

#include "ui/imgui_compat.h"
#include "ui/lessons/answers.h"
#include "ui/lessons/lesson_canvas.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"

namespace headlight {
namespace {

constexpr Index most_painted = 24;

class Drawer {
 public:
  Drawer(const Frame& frame, const MaskQuestionPicture& picture)
      : frame_(frame), picture_(picture), list_(*ImGui::GetWindowDrawList()), now_(frame.view().lesson), u_(frame.u) {}

  void draw() {
    title(picture_.guess, "lesson.your_mask", frame_.look.q);
    title(picture_.right, "lesson.right_mask", frame_.look.after);
    const std::vector<bool> cells = shown_cells();
    paint(cells);
    grid(picture_.guess, cells, frame_.look.q, true);
    if (now_.revealed) {
      grid(picture_.right, picture_.wanted, frame_.look.after, false);
    } else {
      list_.AddRectFilled(picture_.right.min, picture_.right.max, frame_.look.field, Corner::control * u_);
      const float pixels = 22 * u_;
      const ImVec2 middle = picture_.right.centre();
      draw_text(list_, frame_.fonts, Face::bold, pixels, {middle.x - 5 * u_, middle.y - 13 * u_}, frame_.look.muted,
                "?");
    }
    words();
  }

 private:
  /// What was painted, else what the typed expression allows, else nothing.
  std::vector<bool> shown_cells() const {
    const std::size_t count = picture_.wanted.size();
    if (now_.cells.size() == count) return now_.cells;
    std::vector<bool> typed =
        now_.typed.empty() ? std::vector<bool>{} : allowed_cells(now_.typed, *frame_.trace(), 0, 0);
    return typed.size() == count ? typed : std::vector<bool>(count, false);
  }

  void title(const Rect& grid, const char* word, ImU32 colour) {
    draw_text(list_, frame_.fonts, Face::bold, TypeSize::numbers * u_, {grid.min.x, grid.min.y - 34 * u_}, colour,
              frame_.words(word));
  }

  Rect cell(const Rect& grid, Index row, Index col) const {
    const ImVec2 min{grid.min.x + static_cast<float>(col) * picture_.cell,
                     grid.min.y + static_cast<float>(row) * picture_.cell};
    return {min, {min.x + picture_.cell - u_, min.y + picture_.cell - u_}};
  }

  void grid(const Rect& grid, const std::vector<bool>& cells, ImU32 colour, bool judged) {
    for (Index q = 0; q < picture_.rows; ++q) {
      for (Index k = 0; k < picture_.cols; ++k) {
        const auto i = static_cast<std::size_t>(q * picture_.cols + k);
        const Rect place = cell(grid, q, k);
        list_.AddRectFilled(place.min, place.max, cells[i] ? colour : frame_.look.field, Corner::cell * u_);
        const bool wrong = judged && now_.revealed && cells[i] != picture_.wanted[i];
        if (wrong) compat::add_rect(list_, place.min, place.max, frame_.look.warning, Corner::cell * u_, 2 * u_);
      }
    }
  }

  /// A press turns its cell over, and a drag gives the others what that one became.
  void paint(const std::vector<bool>& cells) {
    if (now_.revealed) return;
    const Rect& grid = picture_.guess;
    ImGui::SetCursorScreenPos(grid.min);
    ImGui::InvisibleButton("paint", {grid.width(), grid.height()});
    if (!ImGui::IsItemActive()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto col = static_cast<Index>((mouse.x - grid.min.x) / picture_.cell),
               row = static_cast<Index>((mouse.y - grid.min.y) / picture_.cell);
    if (mouse.x < grid.min.x || mouse.y < grid.min.y || row >= picture_.rows || col >= picture_.cols) return;
    const auto i = static_cast<std::size_t>(row * picture_.cols + col);
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const ImGuiID ink = ImGui::GetID("ink");
    if (ImGui::IsItemActivated()) storage.SetBool(ink, !cells[i]);
    const bool value = storage.GetBool(ink);
    if (cells[i] == value && now_.cells.size() == cells.size()) return;
    std::vector<bool> painted = cells;
    painted[i] = value;
    frame_.show([painted](View& v) {
      v.lesson.cells = painted;
      v.lesson.typed.clear();
    });
  }

  void words() {
    const float pixels = picture_.label_pixels;
    if (pixels <= 0) return;
    for (Index q = 0; q < picture_.rows; ++q) {
      const std::string& word = picture_.row_words[static_cast<std::size_t>(q)];
      const float width = text_size(frame_.fonts, Face::ui, pixels, word).x;
      draw_text(list_, frame_.fonts, Face::ui, pixels,
                {picture_.guess.min.x - width - 10 * u_, cell(picture_.guess, q, 0).centre().y - pixels * 0.6f},
                frame_.look.muted, word);
    }
    for (const Rect* grid : {&picture_.guess, &picture_.right}) {
      for (Index k = 0; k < picture_.cols; ++k) {
        const std::string& word = picture_.col_words[static_cast<std::size_t>(k)];
        draw_turned(list_, frame_.fonts, Face::ui, pixels,
                    {cell(*grid, 0, k).centre().x + 3 * u_, grid->max.y + 10 * u_}, -45, frame_.look.muted, word,
                    70 * u_);
      }
    }
  }

  const Frame& frame_;
  const MaskQuestionPicture& picture_;
  ImDrawList& list_;
  const LessonProgress& now_;
  float u_;
};

}  // namespace

bool can_be_painted(const Trace& trace) { return trace.dims().n_q <= most_painted && trace.dims().n_k <= most_painted; }

namespace {

MaskQuestionPicture make_mask_question(const Frame& frame, const Question& question, Rect place) {
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  const float u = frame.u;
  MaskQuestionPicture picture;
  picture.rows = dims.n_q;
  picture.cols = dims.n_k;
  picture.wanted = allowed_cells(question.mask, trace, 0, 0);
  picture.label_pixels = 13 * u;
  float left = 0;
  for (Index q = 0; q < dims.n_q; ++q) {
    picture.row_words.push_back(axis_label(trace, Axis::query, 0, q));
    left = std::max(left, text_size(frame.fonts, Face::ui, picture.label_pixels, picture.row_words.back()).x);
  }
  for (Index k = 0; k < dims.n_k; ++k) picture.col_words.push_back(axis_label(trace, Axis::key, 0, k));
  const float margin = 30 * u, gap = 40 * u, title = 70 * u, below = 80 * u;
  const float wide = (place.width() - 2 * margin - left - 10 * u - gap) / 2;
  const float cell = std::min(
      {wide / static_cast<float>(dims.n_k), (place.height() - title - below) / static_cast<float>(dims.n_q), 52 * u});
  picture.cell = std::floor(cell);
  const ImVec2 size{picture.cell * static_cast<float>(dims.n_k), picture.cell * static_cast<float>(dims.n_q)};
  const float x = place.centre().x - (left + 10 * u + 2 * size.x + gap) / 2 + left + 10 * u;
  const float y = place.min.y + title + std::max(0.0f, (place.height() - title - below - size.y) / 3);
  picture.guess = {{x, y}, {x + size.x, y + size.y}};
  picture.right = {{x + size.x + gap, y}, {x + 2 * size.x + gap, y + size.y}};
  if (picture.cell < 12 * u) picture.label_pixels = 0;
  return picture;
}

}  // namespace

void draw_mask_question(const Frame& frame, const Question& question, Rect place) {
  const MaskQuestionPicture& picture = frame.picture<MaskQuestionPicture>(
      [&] { return make_mask_question(frame, question, place); }, question.mask, place);
  if (!picture.wanted.empty()) Drawer(frame, picture).draw();
}

}  // namespace headlight
