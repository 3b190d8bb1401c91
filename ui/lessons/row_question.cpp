#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/run/trace.h"
#include "ui/imgui_compat.h"
#include "ui/lessons/answers.h"
#include "ui/lessons/lesson_canvas.h"
#include "ui/look/measure.h"
#include "ui/matrix/heat.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

std::string share_words(double share) {
  char text[16];
  std::snprintf(text, sizeof text, share == 0 ? "0" : "%.2f", share);
  return text;
}

void draw_hatch(ImDrawList& list, const Rect& rect, ImU32 colour, float u) {
  list.PushClipRect(rect.min, rect.max, true);
  for (float x = rect.min.x - rect.height(); x < rect.max.x; x += 8 * u)
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

class RowDrawer {
 public:
  RowDrawer(const Frame& frame, const RowQuestionPicture& picture, Rect place)
      : frame_(frame),
        picture_(picture),
        place_(place),
        list_(*ImGui::GetWindowDrawList()),
        now_(frame.view().lesson),
        u_(frame.u) {}

  void draw() {
    heading("lesson.your_guess", frame_.look.q, place_.min.y + 22 * u_, frame_.words("lesson.drag_bars"));
    heading("lesson.what_head_does", frame_.look.after, picture_.keys.front().right.min.y - 40 * u_, "");
    for (std::size_t k = 0; k < picture_.keys.size(); ++k) draw_key(k);
  }

 private:
  void heading(const char* word, ImU32 colour, float y, std::string_view story) {
    const float x = picture_.keys.front().card.min.x;
    draw_text(list_, frame_.fonts, Face::bold, TypeSize::numbers * u_, {x, y}, colour, frame_.words(word));
    if (!story.empty())
      draw_elided(list_, frame_.fonts, Face::ui, TypeSize::body * u_, {x, y + 26 * u_}, frame_.look.muted, story,
                  place_.max.x - x - 20 * u_);
  }

  void draw_key(std::size_t k) {
    const RowQuestionKey& key = picture_.keys[k];
    const float middle = key.guess.centre().x;
    const ImU32 ink = key.masked ? frame_.look.muted : frame_.look.ink;
    if (picture_.word_pixels > 0) {
      list_.AddRectFilled(key.card.min, key.card.max, frame_.look.card, Corner::control * u_);
      compat::add_rect(list_, key.card.min, key.card.max, key.asks ? frame_.look.q : frame_.look.line,
                       Corner::control * u_, (key.asks ? 2.5f : 1) * u_);
      const Face face = key.asks ? Face::bold : Face::ui;
      const std::string shown = elide(frame_.fonts, face, picture_.word_pixels, key.word, key.card.width() - 4 * u_);
      draw_centred(frame_, list_, face, picture_.word_pixels, middle, key.card.centre().y - picture_.word_pixels * 0.6f,
                   ink, shown);
    }
    if (key.masked) {
      for (const Rect& rect : {key.guess, key.right}) draw_hatch(list_, rect, frame_.look.line, u_);
      return;
    }
    drag(k, key);
    const float share = k < now_.row.size() ? now_.row[k] : 0;
    bar(key.guess, share, frame_.look.q, !now_.revealed);
    if (picture_.numbers)
      draw_centred(frame_, list_, Face::mono, TypeSize::body * u_, middle, key.guess.max.y + 12 * u_,
                   share > 0 ? frame_.look.ink : frame_.look.muted, share_words(static_cast<double>(share)));
    if (!now_.revealed) {
      list_.AddRectFilled(key.right.min, key.right.max, frame_.look.field, Corner::control * u_);
      draw_centred(frame_, list_, Face::bold, TypeSize::numbers * u_, middle, key.right.centre().y - 11 * u_,
                   frame_.look.muted, "?");
      return;
    }
    bar(key.right, static_cast<float>(picture_.shares[k]), frame_.look.after, false);
    if (picture_.numbers)
      draw_centred(frame_, list_, Face::mono, TypeSize::body * u_, middle, key.right.max.y + 12 * u_, frame_.look.ink,
                   share_words(picture_.shares[k]));
  }

  void drag(std::size_t k, const RowQuestionKey& key) {
    if (now_.revealed) return;
    ImGui::PushID(static_cast<int>(k));
    ImGui::SetCursorScreenPos({key.guess.min.x, key.guess.min.y - 8 * u_});
    ImGui::InvisibleButton("bar", {key.guess.width(), key.guess.height() + 16 * u_});
    const int steps = takes_keyboard(frame_) ? keyboard_steps() : 0;
    const bool held = ImGui::IsItemActive();
    ImGui::PopID();
    if (!held && steps == 0) return;
    const float before = k < now_.row.size() ? now_.row[k] : 0;
    const float share = held ? dragged_share(key, ImGui::GetIO().MousePos.y)
                             : std::clamp(before + 0.01f * static_cast<float>(steps), 0.0f, 1.0f);
    if (k < now_.row.size() && now_.row[k] == share) return;
    frame_.show([k, share, count = picture_.keys.size()](View& v) {
      v.lesson.row.resize(count);
      v.lesson.row[k] = share;
    });
  }

  void bar(const Rect& track, float share, ImU32 colour, bool handle) {
    list_.AddRectFilled(track.min, track.max, frame_.look.field, Corner::control * u_);
    const float top = track.max.y - std::clamp(share, 0.0f, 1.0f) * track.height();
    if (track.max.y - top > 1) list_.AddRectFilled({track.min.x, top}, track.max, colour, Corner::control * u_);
    if (!handle) return;
    list_.AddCircleFilled({track.centre().x, top}, 7 * u_, frame_.look.card, 24);
    list_.AddCircle({track.centre().x, top}, 7 * u_, colour, 24, 2.5f * u_);
  }

  const Frame& frame_;
  const RowQuestionPicture& picture_;
  Rect place_;
  ImDrawList& list_;
  const LessonProgress& now_;
  float u_;
};

RowQuestionPicture make_row_question(const Frame& frame, const Question& question, Rect place) {
  RowQuestionPicture picture;
  const Trace& trace = *frame.trace();
  const Cell row = *row_place(question.measure->of);
  picture.shares = row_of(trace, question.measure->of);
  const bool same_words = trace.inputs.query_tokens == trace.inputs.key_tokens;
  const MatrixView values = trace[row.stage].matrix(row.batch, row.head);
  const CellMasks masks = masks_over(trace, row.stage, row.batch, row.head);
  const float u = frame.u, margin = 40 * u, count = static_cast<float>(picture.shares.size());
  const float pitch = std::min((place.width() - 2 * margin) / count, 110 * u);
  const float left = place.centre().x - pitch * count / 2;
  const float width = std::min(34 * u, pitch * 0.6f);
  const float words = place.min.y + 78 * u, high = 38 * u;
  const float track = std::clamp((place.height() - 290 * u) / 2, 60 * u, 190 * u);
  picture.numbers = pitch >= 36 * u;
  picture.word_pixels = pitch >= 24 * u ? 15 * u : 0;
  for (std::size_t k = 0; k < picture.shares.size(); ++k) {
    RowQuestionKey key;
    const float x = left + pitch * (static_cast<float>(k) + 0.5f);
    key.word = axis_label(trace, info(row.stage).cols, row.batch, static_cast<Index>(k));
    key.card = {{x - pitch / 2 + 2 * u, words}, {x + pitch / 2 - 2 * u, words + high}};
    const float top = words + high + 18 * u;
    key.guess = {{x - width / 2, top}, {x + width / 2, top + track}};
    const float below = top + track + 90 * u;
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
  if (!picture.keys.empty()) RowDrawer(frame, picture, place).draw();
}

}  // namespace headlight
