#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "core/compute/run/trace.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/answers.h"
#include "ui/views/lessons/lesson_canvas.h"

namespace headlight {
namespace {

/// The two rows of tracks with the words above them, in points.
struct RowQuestionSizes {
  static constexpr float margin = 40, heading = 22, story = 26, words = 78, word_height = 38;
  static constexpr float lowest_track = 60, highest_track = 190, between_tracks = 90, around_tracks = 290;
  static constexpr float above_answer = 40;  ///< of its heading
  static constexpr float widest_column = 110, widest_bar = 34, numbers_from = 36, words_from = 24;
  static constexpr float knob = 7, knob_line = 2.5f, asked_frame = 2.5f, half_sign = 11;
};

struct RowQuestionKey {
  std::string word;
  Rect card;          ///< the word
  Rect guess, right;  ///< tracks of the bars
  bool masked = false;
  bool asks = false;  ///< the query of the question
};

/// Plain data, for a row of weights.
struct RowQuestionPicture {
  std::vector<RowQuestionKey> keys;
  std::vector<double> shares;  ///< the head's weights
  float word_pixels = 0;
  bool numbers = true;  ///< there is room for numbers under the bars
};

std::string share_words(double share) { return share == 0 ? "0" : formatted("%.2f", share); }

void draw_hatch(ImDrawList& list, const Rect& rect, ImU32 colour, float u) {
  list.PushClipRect(rect.min, rect.max, true);
  for (float x = rect.min.x - rect.height(); x < rect.max.x; x += Space::gap * u)
    list.AddLine({x, rect.max.y}, {x + rect.height(), rect.min.y}, colour, u);
  list.PopClipRect();
}

void draw_centred(const Frame& frame, ImDrawList& list, Face face, float pixels, float x, float y, ImU32 colour,
                  std::string_view text) {
  const float width = text_size(frame.fonts, face, pixels, text).x;
  draw_text(list, frame.fonts, face, pixels, {x - width / 2, y}, colour, text);
}

/// The share, 0…1, for a pointer at this height.
float dragged_share(const RowQuestionKey& key, float y) {
  const float share = (key.guess.max.y - y) / key.guess.height();
  return std::round(std::clamp(share, 0.0f, 1.0f) * 100) / 100;
}

struct RowDrawer {
  const Frame& frame;
  const RowQuestionPicture& picture;
  Rect place;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const LessonProgress& now = frame.view().lesson;
  const Look& look = frame.look;
  const float u = frame.u;

  void draw() {
    heading("lesson.your_guess", look.q, place.min.y + RowQuestionSizes::heading * u, frame.words("lesson.drag_bars"));
    heading("lesson.what_head_does", look.after, picture.keys.front().right.min.y - RowQuestionSizes::above_answer * u,
            "");
    for (std::size_t k = 0; k < picture.keys.size(); ++k) draw_key(k);
  }

  void heading(const char* word, ImU32 colour, float y, std::string_view story) {
    const float x = picture.keys.front().card.min.x;
    frame.write(Face::bold, TypeSize::numbers, {x, y}, colour, frame.words(word));
    if (!story.empty())
      frame.write_elided(Face::ui, TypeSize::body, {x, y + RowQuestionSizes::story * u}, look.muted, story,
                         place.max.x - x - Space::wide * u);
  }

  void draw_key(std::size_t k) {
    const RowQuestionKey& key = picture.keys[k];
    const float middle = key.guess.centre().x;
    const ImU32 ink = key.masked ? look.muted : look.ink;
    if (picture.word_pixels > 0) {
      list.AddRectFilled(key.card.min, key.card.max, look.card, Corner::control * u);
      compat::add_rect(list, key.card.min, key.card.max, key.asks ? look.q : look.line, Corner::control * u,
                       (key.asks ? RowQuestionSizes::asked_frame : 1) * u);
      const Face face = key.asks ? Face::bold : Face::ui;
      const std::string shown =
          elide(frame.fonts, face, picture.word_pixels, key.word, key.card.width() - Space::tight * u);
      draw_centred(frame, list, face, picture.word_pixels, middle, key.card.centre().y - picture.word_pixels * 0.6f,
                   ink, shown);
    }
    if (key.masked) {
      for (const Rect& rect : {key.guess, key.right}) draw_hatch(list, rect, look.line, u);
      return;
    }
    drag(k, key);
    const float share = k < now.row.size() ? now.row[k] : 0;
    bar(key.guess, share, look.q, !now.revealed);
    if (picture.numbers)
      draw_centred(frame, list, Face::mono, TypeSize::body * u, middle, key.guess.max.y + Space::apart * u,
                   share > 0 ? look.ink : look.muted, share_words(static_cast<double>(share)));
    if (!now.revealed) {
      list.AddRectFilled(key.right.min, key.right.max, look.field, Corner::control * u);
      draw_centred(frame, list, Face::bold, TypeSize::numbers * u, middle,
                   key.right.centre().y - RowQuestionSizes::half_sign * u, look.muted, "?");
      return;
    }
    bar(key.right, static_cast<float>(picture.shares[k]), look.after, false);
    if (picture.numbers)
      draw_centred(frame, list, Face::mono, TypeSize::body * u, middle, key.right.max.y + Space::apart * u, look.ink,
                   share_words(picture.shares[k]));
  }

  void drag(std::size_t k, const RowQuestionKey& key) {
    if (now.revealed) return;
    ImGui::PushID(static_cast<int>(k));
    ImGui::SetCursorScreenPos({key.guess.min.x, key.guess.min.y - Space::gap * u});
    clickable("bar", {key.guess.width(), key.guess.height() + Space::part * u});
    const int steps = takes_keyboard(frame) ? keyboard_steps() : 0;
    const bool held = ImGui::IsItemActive();
    ImGui::PopID();
    if (!held && steps == 0) return;
    const float before = k < now.row.size() ? now.row[k] : 0;
    const float share = held ? dragged_share(key, ImGui::GetIO().MousePos.y)
                             : std::clamp(before + 0.01f * static_cast<float>(steps), 0.0f, 1.0f);
    if (k < now.row.size() && now.row[k] == share) return;
    frame.show([k, share, count = picture.keys.size()](View& v) {
      v.lesson.row.resize(count);
      v.lesson.row[k] = share;
    });
  }

  void bar(const Rect& track, float share, ImU32 colour, bool handle) {
    list.AddRectFilled(track.min, track.max, look.field, Corner::control * u);
    const float top = track.max.y - std::clamp(share, 0.0f, 1.0f) * track.height();
    if (track.max.y - top > 1) list.AddRectFilled({track.min.x, top}, track.max, colour, Corner::control * u);
    if (!handle) return;
    list.AddCircleFilled({track.centre().x, top}, RowQuestionSizes::knob * u, look.card, 24);
    list.AddCircle({track.centre().x, top}, RowQuestionSizes::knob * u, colour, 24, RowQuestionSizes::knob_line * u);
  }
};

RowQuestionPicture make_row_question(const Frame& frame, const Question& question, Rect place) {
  RowQuestionPicture picture;
  const Trace& trace = *frame.trace();
  const Cell row = *row_place(question.measure->of);
  picture.shares = row_of(trace, question.measure->of);
  const bool same_words = trace.inputs.query_tokens == trace.inputs.key_tokens;
  const MatrixView values = trace[row.stage].matrix(row.batch, row.head);
  const CellMasks masks = masks_over(trace, row.stage, row.batch, row.head);
  const float u = frame.u, margin = RowQuestionSizes::margin * u, count = static_cast<float>(picture.shares.size());
  const float pitch = std::min((place.width() - 2 * margin) / count, RowQuestionSizes::widest_column * u);
  const float left = place.centre().x - pitch * count / 2;
  const float width = std::min(RowQuestionSizes::widest_bar * u, pitch * 0.6f);
  const float words = place.min.y + RowQuestionSizes::words * u, high = RowQuestionSizes::word_height * u;
  const float track = std::clamp((place.height() - RowQuestionSizes::around_tracks * u) / 2,
                                 RowQuestionSizes::lowest_track * u, RowQuestionSizes::highest_track * u);
  picture.numbers = pitch >= RowQuestionSizes::numbers_from * u;
  picture.word_pixels = pitch >= RowQuestionSizes::words_from * u ? TypeSize::story * u : 0;
  for (std::size_t k = 0; k < picture.shares.size(); ++k) {
    RowQuestionKey key;
    const float x = left + pitch * (static_cast<float>(k) + 0.5f);
    key.word = axis_label(trace, info(row.stage).cols, row.batch, static_cast<Index>(k));
    key.card = {{x - pitch / 2 + Space::fine * u, words}, {x + pitch / 2 - Space::fine * u, words + high}};
    const float top = words + high + Space::row * u;
    key.guess = {{x - width / 2, top}, {x + width / 2, top + track}};
    const float below = top + track + RowQuestionSizes::between_tracks * u;
    key.right = {{x - width / 2, below}, {x + width / 2, below + track}};
    key.masked = classify(values, masks, row.row, static_cast<Index>(k)) == CellKind::masked;
    key.asks = same_words && static_cast<Index>(k) == row.row;
    picture.keys.push_back(std::move(key));
  }
  return picture;
}

}  // namespace

void draw_row_question(const Frame& frame, const Question& question, Rect place) {
  const RowQuestionPicture& picture = frame.picture<RowQuestionPicture>(
      [&] { return make_row_question(frame, question, place); }, question.measure->of, place);
  if (!picture.keys.empty()) RowDrawer{frame, picture, place}.draw();
}

}  // namespace headlight
