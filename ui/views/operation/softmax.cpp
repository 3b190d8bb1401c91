// The softmax of the followed row, one colour for each word, in five steps from top to bottom: the scores; each score
// minus the largest; e to that power; the sum of the powers; and each power divided by the sum, as the parts of one bar
// of width 1. Between the steps the bars move.
#include <algorithm>
#include <cmath>

#include "core/base/image/theme.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/softmax_layout.h"

namespace headlight {

namespace {

/// In points.
struct SoftmaxLines {
  static constexpr float dash = 7;
};

/// Shares of the stage's time at which the parts of a softmax are complete.
constexpr float largest_at = 0.14f, shifted_at = 0.28f, powers_at = 0.48f, sum_at = 0.7f, shares_at = 0.95f;

}  // namespace

SoftmaxMade softmax_made(const Reveal& reveal, Index query) {
  const float share = reveal.share.value_or(reveal.shown.rows > query ? 1.0f : sum_at);
  return {part_done(share, 0.02f, largest_at), part_done(share, largest_at, shifted_at),
          part_done(share, shifted_at, powers_at), part_done(share, powers_at, sum_at),
          part_done(share, sum_at, shares_at)};
}

float softmax_share(Moment::Kind kind) {
  switch (kind) {
    case Moment::Kind::shifted: return shifted_at;
    case Moment::Kind::exponentials: return powers_at;
    case Moment::Kind::sums: return sum_at;
    default: return 1;
  }
}

}  // namespace headlight

namespace headlight::operation {
namespace {

ImU32 ink_over(ImU32 ground) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(ground);
  const auto byte = [](float x) { return static_cast<std::uint8_t>(std::lround(x * 255)); };
  return to_imgui(ink_on(Rgba{byte(c.x), byte(c.y), byte(c.z)}));
}

struct SoftmaxPicture : TaskPart {
  const SoftmaxLayout at = lay_out_softmax(task);
  const SoftmaxRow& row = at.row;
  const SoftmaxMade made = softmax_made(task.reveal, task.focus.query);

  ImU32 colour(const SoftmaxPart& part) const {
    return part.kind == SoftmaxPart::Kind::word ? look.word(part.key) : look.muted;
  }
  ImU32 ink(const SoftmaxPart& part) const {
    return part.kind == SoftmaxPart::Kind::word && !part.is_out() ? look.word_ink(part.key) : look.muted;
  }
  bool is_lit(const SoftmaxPart& part) const {
    return part.kind == SoftmaxPart::Kind::word && part.key == task.focus.key;
  }
  /// Whether the share is computed at this moment.
  bool is_shared(const SoftmaxPart& part) const {
    if (task.reveal.share) return made.shares >= 1;
    if (part.kind != SoftmaxPart::Kind::word) return task.reveal.shown.rows > task.focus.query;
    return task.reveal.shown.has(task.focus.query, part.key);
  }

  void put_title(float y, int number, const char* key, const char* note, const std::string& symbol = {},
                 ImU32 lane = 0) const {
    const float size = band_title_size(pen), x = task.area.min.x, room = at.left - Space::card * u - x;
    const std::string words = std::to_string(number) + "  " + std::string(say(key)),
                      under(say(key_here(context, note)));
    const float width = pen.measure(Face::bold, size, words).x;
    const bool noted = pen.measure(Face::ui, pen.type.caption, under).x <= room;
    const float line = noted ? pen.type.caption * 0.75f : 0;
    pen.text(TextRole::caption, Face::bold, size, {x, y - line}, Align::left, look.ink, words, room);
    if (noted) pen.caption({x, y - line + size * 1.25f}, Align::left, under);
    if (!symbol.empty() && room - width > Space::apart * u)
      pen.math(pen.type.formula * 0.85f, {at.left - Space::part * u, y - line}, room - width - Space::pad * u, lane,
               false, symbol, pen.type.least, Align::right);
  }

  void dashes(float y) const {
    const float thick = Stroke::arrow(u), dash = SoftmaxLines::dash * u, to = at.right + Space::gap * u;
    for (float x = at.left; x < to; x += 1.8f * dash)
      pen.fill({{x, y - thick / 2}, {std::min(x + dash, to), y + thick / 2}}, look.ink);
  }

  /// The background of the followed word's column.
  void put_stripe() const {
    const Rect whole{{0, at.scores.min.y - at.words}, {0, at.powers.max.y + Space::thin * u}};
    for (std::size_t i = 0; i < at.count(); ++i) {
      if (is_lit(row.parts[i])) pen.fill(at.cell(i, whole), fade(look.line, 0.55f), Corner::control * u);
    }
  }

  void put_words() const {
    const Rect line{{0, at.scores.min.y - at.words}, {0, at.scores.min.y}};
    for (std::size_t i = 0; i < at.count(); ++i) {
      const SoftmaxPart& part = row.parts[i];
      const Rect place = at.cell(i, line);
      if (part.kind == SoftmaxPart::Kind::word) pen.target(place, SceneAction::key_word, part.key);
      std::string text = softmax_word(context, part);
      if (at.word > 0) {
        pen.text(TextRole::word, Face::bold, at.word, {place.centre().x, place.min.y + at.word * 0.75f}, Align::middle,
                 ink(part), std::move(text));
        continue;
      }
      const float size = turned_size(pen, Face::bold, at.column);
      put_turned(pen, Face::bold, size, {place.centre().x, place.max.y - size * 0.6f}, true,
                 turned_width(at.words, size), ink(part), std::move(text));
    }
  }

  void put_number(std::size_t i, float y, const std::vector<std::string>& texts) const {
    if (at.pixels > 0)
      pen.number(at.pixels, {at.x(i), y}, Align::middle, is_lit(row.parts[i]) ? look.ink : look.muted, texts[i]);
  }
  void put_number_under(std::size_t i, const Rect& band, const std::vector<std::string>& texts) const {
    put_number(i, band.max.y - at.pixels * 0.6f, texts);
  }
  /// A key that the mask removed from the row.
  void put_masked(std::size_t i, const Rect& band) const {
    pen.hatch({{at.x(i) - at.bar_width / 2, band.min.y}, {at.x(i) + at.bar_width / 2, band.max.y - at.pixels * 1.35f}});
  }
  bool bar(std::size_t i, float from, double value, float length) const {
    // Less than a third of a pixel is not visible.
    if (!std::isfinite(length) || std::abs(length) < 0.3f) return false;
    pen.bar({at.x(i), from}, {at.x(i), from - length}, at.bar_width, colour(row.parts[i]), static_cast<float>(value));
    return true;
  }
  /// Marks the bar that was drawn last as this word's cell.
  void mark(const SoftmaxPart& part, Stage stage) const {
    Cell cell = matrix_of(trace, view, stage);
    cell.row = task.focus.query;
    cell.col = part.key;
    if (part.kind == SoftmaxPart::Kind::word) pen.mark(cell);
  }
  void target_columns(const Rect& band) const {
    for (std::size_t i = 0; i < at.count(); ++i) {
      if (row.parts[i].kind == SoftmaxPart::Kind::word)
        pen.target(at.cell(i, band), SceneAction::key_word, row.parts[i].key);
    }
    pen.add_content(band);
  }

  void put_scores() const {
    target_columns(at.scores);
    for (std::size_t i = 0; i < at.count(); ++i) {
      const SoftmaxPart& part = row.parts[i];
      const bool others = part.kind == SoftmaxPart::Kind::others;
      if (part.is_out()) put_masked(i, at.scores);
      else if (!others && bar(i, at.zero, part.score, part.score * at.unit)) mark(part, made_from(trace, task.stage));
      put_number_under(i, at.scores, at.score_texts);
      if (is_guessed(context) || row.empty || !std::isfinite(part.score) || others) continue;
      pen.target(at.cell(i, at.scores), SceneAction::score, part.key);
      pen.scene().targets.back().step = 1 / at.unit;
    }
    pen.fill({{at.left, at.zero - u * 0.5f}, {at.right, at.zero + u * 0.5f}}, look.line);
  }

  /// The line moves down to the largest score.
  void put_largest() const {
    if (made.largest <= 0 || row.empty || !std::isfinite(row.largest)) return;
    const float end = at.zero - row.largest * at.unit, start = at.scores.min.y - 0.6f * at.pixels;
    const float y = start + (end - start) * eased(made.largest);
    dashes(y);
    if (made.largest < 1) return;
    pen.label(TextRole::caption, true, pen.type.word, {at.right + Space::card * u, y}, Align::left, look.ink,
              say.fill("softmax.largest", {at.largest_text}));
  }

  /// Every score minus the largest, as a bar down from the line.
  void put_shifted() const {
    if (made.shifted <= 0 || row.empty) return;
    const float line = at.shifted.min.y;
    for (std::size_t i = 0; i < at.count(); ++i) {
      const SoftmaxPart& part = row.parts[i];
      if (part.is_out()) put_masked(i, at.shifted);
      else if (part.kind != SoftmaxPart::Kind::others)
        bar(i, line, part.shifted, part.shifted * at.unit * eased(made.shifted));
      if (made.shifted >= 1) put_number_under(i, at.shifted, at.shifted_texts);
    }
    dashes(line);
    pen.label(TextRole::caption, true, pen.type.word, {at.right + Space::card * u, line}, Align::left, look.ink, "0");
    target_columns(at.shifted);
  }

  /// The powers as bars that grow from 0.
  void put_powers() const {
    if (made.powers <= 0 || row.empty) return;
    const float base = at.powers.max.y;
    for (std::size_t i = 0; i < at.count(); ++i) {
      const float height = at.power_bar(i).height() * eased(made.powers);
      if (row.parts[i].kind != SoftmaxPart::Kind::others) bar(i, base, row.parts[i].power, height);
      if (made.powers >= 1) put_number(i, base - height - at.pixels * 0.75f, at.power_texts);
    }
    pen.fill({{at.left, base}, {at.right, base + Stroke::hair(u)}}, look.line);
    target_columns(at.powers);
  }

  bool put_piece(Rect rect, std::size_t i) const {
    if (rect.height() < 0.3f || rect.width() < 0.3f) return false;
    pen.fill(rect, colour(row.parts[i]), std::min({Corner::mark * u, rect.height() / 3, rect.width() / 3}));
    return true;
  }

  /// The powers as a stack; each is added when its bar has arrived.
  void put_sum() const {
    if (row.empty || !(at.sum_unit > 0) || made.sum <= 0) return;
    double landed = 0;
    for (std::size_t i = 0; i < at.count(); ++i) {
      const SoftmaxPart& part = row.parts[i];
      const float t = one_by_one(made.sum, i, at.count());
      if (!(part.power > 0) || t <= 0) continue;
      put_piece(mixed(at.power_bar(i), at.piece(i), eased(t)), i);
      if (t < 1) continue;
      landed += part.power;
      if (part.kind == SoftmaxPart::Kind::word) pen.target(at.piece(i), SceneAction::key_word, part.key);
    }
    const float x = at.sum.max.x + Space::apart * u, size = band_title_size(pen),
                y = at.powers.max.y - pen.type.title * 0.55f;
    pen.text(TextRole::caption, Face::bold, size, {x, y - pen.type.title * 1.25f}, Align::left, look.ink,
             "4  " + std::string(say("softmax.sum")));
    const Rect number = pen.text(TextRole::number, Face::bold, pen.type.title, {x, y}, Align::left, look.ink,
                                 "= " + printed(made.sum >= 1 ? row.sum : landed).text);
    pen.add_content({at.sum.min, {number.max.x, at.sum.max.y}});
  }

  void put_shares() const {
    pen.add_content(at.shares);
    if (made.shares <= 0 && !row.empty) return;
    const Rect bar = at.share_bar();
    pen.fill(bar, look.field, Corner::cell * u);
    for (std::size_t i = 0; i < at.count(); ++i) {
      const SoftmaxPart& part = row.parts[i];
      const Rect rect = at.share_part(i, false);
      const bool there = is_shared(part), flies = !there && task.reveal.share && at.sum_unit > 0;
      if (flies) put_piece(mixed(at.piece(i), rect, eased(one_by_one(made.shares, i, at.count()))), i);
      if (!there) continue;
      if (put_piece(rect, i)) mark(part, Stage::weights);
      put_share_text(part, rect);
      if (part.kind == SoftmaxPart::Kind::word) pen.target(rect, SceneAction::key_word, part.key);
      if (!row.compares()) continue;
      const Rect was = at.share_part(i, true);
      pen.fill({{was.min.x, bar.max.y + Space::fine * u}, {was.max.x, at.shares.max.y}}, fade(colour(part), 0.45f));
    }
    if (made.shares < 1) return;
    const float caption = pen.type.caption, y = (bar.max.y + at.shares.max.y) / 2;
    if (row.compares() && y - caption / 2 > bar.centre().y + pen.type.title * 0.6f)
      pen.caption({at.right + Space::card * u, y}, Align::left, say("softmax.before"));
    double total = 0;
    for (const SoftmaxPart& part : row.parts) total += part.share;
    pen.text(TextRole::number, Face::bold, pen.type.title, {at.right + Space::card * u, bar.centre().y}, Align::left,
             look.ink, "= " + (std::abs(total - 1) < 1e-4 ? "1" : printed(total).text));
  }
  /// The number in a share and the word below it, if it is wide enough.
  void put_share_text(const SoftmaxPart& part, Rect rect) const {
    const std::string number = MatrixNumbers(2, true)(static_cast<float>(part.share));
    const float size = at.pixels > 0 ? at.pixels : pen.type.number;
    if (pen.measure(Face::mono, size, number).x + Space::gap * u <= rect.width() && size * 1.15f < rect.height())
      pen.number(size, rect.centre(), Align::middle, ink_over(colour(part)), number);
    const Face face = is_lit(part) ? Face::bold : Face::ui;
    const float type = is_lit(part) ? pen.bold(pen.type.caption) : pen.type.caption;
    const std::string name =
        part.kind == SoftmaxPart::Kind::others ? say.fill("softmax.others", {part.words}) : softmax_word(context, part);
    if (pen.measure(face, type, name).x + Space::tight * u <= rect.width())
      pen.text(TextRole::caption, face, type, {rect.centre().x, at.shares.max.y + pen.type.caption * 0.95f},
               Align::middle, ink(part), name);
  }

  /// The result for a row whose keys are all masked.
  void put_empty() const {
    if (!row.empty || (task.reveal.share && made.shares <= 0)) return;
    const double share = row.parts.front().share;
    const char* key = std::isnan(share) ? "row.dead_nan" : share > 0 ? "row.dead_uniform" : "row.dead_zero";
    pen.sentence(TextRole::story, say(key), {}, {{at.left, at.shifted.min.y}, {at.right, at.powers.max.y}},
                 pen.type.story, look.ink);
  }

  /// The titles of the bands that have begun.
  void put_titles() const {
    put_title(at.scores.centre().y, 1, "softmax.scores", "softmax.scores_note",
              symbol_of(context, made_from(trace, task.stage)), look.ink);
    if (made.largest >= 1) put_title(at.shifted.centre().y, 2, "softmax.minus", "softmax.minus_note");
    if (made.powers > 0) put_title(at.powers.centre().y, 3, "softmax.power", "softmax.power_note");
    if (made.shares > 0)
      put_title(at.share_bar().centre().y, 5, "softmax.divided", "softmax.divided_note", symbol_of(context, task.stage),
                look.after);
  }

  void put_formula_of_share() const {
    const SoftmaxPart* part = row.find(task.focus.key);
    if (at.formula.height() <= 1 || !part || made.shares < 1 || !is_shared(*part)) return;
    if (row.empty) return put_formula(task, at.formula);
    // Enough digits that the printed quotient is the printed share.
    const Printed share = printed(part->share);
    Printed power, sum;
    for (int more = 0; more < 5; ++more) {
      power = printed(part->power, more);
      sum = printed(row.sum, more);
      if (std::abs(power.value / sum.value - share.value) <= share.unit * 1.001) break;
    }
    std::vector<Printed> less;  // the score, the largest
    for (int more = 0; more < 5; ++more) {
      less = printed_alike({static_cast<double>(part->score), static_cast<double>(row.largest)}, more);
      if (std::abs(std::exp(less[0].value - less[1].value) - power.value) <= power.unit * 1.001) break;
    }
    const std::string largest = row.largest < 0 ? "(" + less[1].text + ")" : less[1].text;
    put_formula(task, at.formula,
                "\\frac{exp(" + less[0].text + " − " + largest + ")}{" + sum.text + "} = \\frac{" + power.text + "}{" +
                    sum.text + "} = " + share.text);
  }

  /// The temperature, a button that drops the tried scores, and what can be done here: nothing in a film or a picture.
  void put_foot() const {
    if (at.foot.height() <= 1) return;
    Rect room = at.foot;
    if (row.tried && !view.presenting) {
      const Rect button = pen.button({room.max.x, room.min.y}, say("softmax.drop"), SceneAction::drop_trial);
      room.max.x = button.min.x - Space::section * u;
    }
    const bool inviting = !view.presenting && !view.alone;
    const char* const beside = row.empty ? "" : row.tried ? say("softmax.tried") : inviting ? say("softmax.drag") : "";
    put_temperature(task, room, beside);
  }

  Rect left_over() const {
    if (at.map <= 0) return {};
    return {{task.area.max.x - at.map, task.area.min.y}, {task.area.max.x, at.shifted.min.y - Space::wide * u}};
  }
};

}  // namespace

Rect softmax(const Task& task) {
  const SoftmaxPicture picture{task};
  picture.put_stripe();
  picture.put_words();
  picture.put_titles();
  picture.put_scores();
  picture.put_largest();
  picture.put_shifted();
  picture.put_powers();
  picture.put_sum();
  picture.put_shares();
  picture.put_empty();
  picture.put_formula_of_share();
  picture.put_foot();
  return picture.left_over();
}

}  // namespace headlight::operation
