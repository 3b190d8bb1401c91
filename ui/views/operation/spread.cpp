// Why scores are divided by √d: below the two rows of scores, how far all scores of the head spread with the division
// and without it, on one axis, and what softmax makes of the followed row in both cases.
#include <algorithm>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "core/base/text/number_text.h"
#include "core/rules/stage/entropy.h"
#include "ui/base/look/measure.h"
#include "ui/views/operation/parts.h"

namespace headlight::operation {
namespace {

constexpr Index most_cells = 1 << 20;  ///< the picture is made again with each change, so it reads no more

/// The scores of one stage that the mask allows: all of the head, and the followed row with its shares.
struct Scores {
  std::vector<double> all, shares;
  double deviation = 0, entropy = 0, largest_share = 0;
};

Scores scores_of(const Task& task, Stage stage) {
  const Trace& trace = task.trace();
  const MatrixView numbers = numbers_of(trace, task.context().view, stage);
  const Cell at = matrix_of(trace, task.context().view, stage);
  const bool masked = trace.has(Stage::mask);
  const MatrixView mask = masked ? trace[Stage::mask].matrix(at.batch, at.head) : MatrixView{};
  Scores scores;
  double sum = 0, squares = 0;
  for (Index q = 0; q < numbers.rows; ++q) {
    for (Index k = 0; k < numbers.cols; ++k) {
      const auto score = static_cast<double>(numbers(q, k));
      const bool counts = std::isfinite(score) && (!masked || mask(q, k) != 0);
      if (q == task.focus.query) scores.shares.push_back(counts ? score : -HUGE_VAL);
      if (!counts) continue;
      scores.all.push_back(score);
      sum += score;
      squares += score * score;
    }
  }
  if (scores.all.empty()) return scores;
  const auto count = static_cast<double>(scores.all.size());
  scores.deviation = std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
  const double most = *std::ranges::max_element(scores.shares);
  double powers = 0;
  for (double& share : scores.shares) powers += share = std::isfinite(share) ? std::exp(share - most) : 0;
  RowEntropy entropy;
  for (double& share : scores.shares) {
    share /= powers > 0 ? powers : 1;
    entropy.add(share);
    scores.largest_share = std::max(scores.largest_share, share);
  }
  scores.entropy = entropy.bits();
  return scores;
}

/// In points.
struct SpreadSizes {
  static constexpr float between_halves = 28;
  static constexpr float least_width = 560, least_height = 430;  ///< of the step and this picture
};

struct Spread : TaskPart {
  const Rect room;
  const float line = pen.type.caption * 1.5f, gap = SpreadSizes::between_halves * u;
  const float names = pen.measure(Face::bold, pen.bold(pen.type.caption), scaled_words()).x + Space::part * u;
  const float half = (room.width() - names - gap) / 2;
  double most = 0;  ///< the end of the axis of the scores

  std::string scaled_words() const {
    if (trace.scenario.scale) return say.fill("spread.times", {MatrixNumbers(std::span(&trace.scale, 1))(trace.scale)});
    return say.fill("spread.divided", {trace.dims().d_head});
  }

  void put() {
    const Scores raw = scores_of(task, Stage::scores), scaled = scores_of(task, Stage::scaled_scores);
    if (raw.all.empty()) return;
    for (const Scores* each : {&raw, &scaled}) {
      for (const double score : each->all) most = std::max(most, std::abs(score));
    }
    const float left = room.min.x + names, right = left + half + gap;
    pen.label(TextRole::caption, true, pen.type.caption, {left, room.min.y + line / 2}, Align::left, look.ink,
              std::string(say("spread.scores")), half);
    pen.label(TextRole::caption, true, pen.type.caption, {right, room.min.y + line / 2}, Align::left, look.after,
              say.fill("spread.shares", {in_sentence(query_word(context, task.focus.query))}), half);
    const float deep = (room.height() - 2 * line) / 2, top = room.min.y + line;
    put_row(raw, std::string(say("spread.raw")), {{left, top}, {room.max.x, top + deep}}, look.muted);
    const bool made = task.reveal.whole() || task.reveal.share.value_or(0) >= number_there;
    if (made) put_row(scaled, scaled_words(), {{left, top + deep}, {room.max.x, top + 2 * deep}}, look.ink);
    put_axis({{left, top}, {left + half, top + 2 * deep}});
    pen.add_content(room);
  }

  /// A histogram with its deviation, and the shares with their entropy.
  void put_row(const Scores& scores, const std::string& name, Rect place, ImU32 colour) {
    pen.label(TextRole::caption, true, pen.type.caption, {place.min.x - Space::card * u, place.centre().y},
              Align::right, look.ink, name, names);
    const float foot = place.max.y - Space::tight * u, high = place.height() - line - 2 * Space::tight * u;
    const auto number = [](double value) { return printed(value).text; };
    pen.caption({place.min.x, place.min.y + line / 2}, Align::left,
                say.fill("spread.deviation", {number(scores.deviation)}), {}, half);
    const double bits = std::log2(static_cast<double>(
        std::max<std::ptrdiff_t>(std::ranges::count_if(scores.shares, [](double share) { return share > 0; }), 1)));
    pen.caption({place.min.x + half + gap, place.min.y + line / 2}, Align::left,
                say.fill("spread.entropy",
                         {number(scores.largest_share), formatted("%.2f", scores.entropy), formatted("%.2f", bits)}),
                {}, half);
    put_histogram(scores.all, {{place.min.x, foot - high}, {place.min.x + half, foot}}, colour);
    put_shares_of(scores.shares, {{place.min.x + half + gap, foot - high}, {place.max.x, foot}});
  }

  void put_histogram(const std::vector<double>& scores, Rect place, ImU32 colour) {
    const auto count =
        static_cast<std::size_t>(std::max(place.width() / (Space::tight * u), 8.0f)) | 1U;  // odd: 0 is in the middle
    std::vector<float> bins(count, 0);
    for (const double score : scores) {
      const double share = most > 0 ? (score / most + 1) / 2 : 0.5;
      ++bins[std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1)];
    }
    const float highest = *std::ranges::max_element(bins), wide = place.width() / static_cast<float>(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (bins[i] == 0) continue;
      const float x = place.min.x + static_cast<float>(i) * wide;
      pen.fill({{x, place.max.y - std::max(place.height() * bins[i] / highest, 1.0f)}, {x + wide - u, place.max.y}},
               colour);
    }
    pen.line({place.min.x, place.max.y}, {place.max.x, place.max.y}, look.line, Stroke::hair(u));
  }

  void put_shares_of(const std::vector<double>& shares, Rect place) {
    const float wide = place.width() / static_cast<float>(shares.size());
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const float x = place.min.x + static_cast<float>(k) * wide, air = std::min(Space::fine * u, wide * 0.15f);
      const Rect track{{x + air, place.min.y}, {x + wide - air, place.max.y}};
      pen.fill(track, look.field, Corner::mark * u);
      const float high = track.height() * static_cast<float>(shares[k]);
      if (high > 0)
        pen.fill({{track.min.x, track.max.y - high}, track.max}, look.after, std::min(Corner::mark * u, high / 2));
    }
  }

  /// The one axis of both histograms: its ends, and zero.
  void put_axis(Rect place) {
    const float y = place.max.y + line / 2;
    const std::string end = printed(most).text;
    pen.number(pen.type.number, {place.min.x, y}, Align::left, look.muted, "−" + end);
    pen.number(pen.type.number, {place.centre().x, y}, Align::middle, look.muted, "0");
    pen.number(pen.type.number, {place.max.x, y}, Align::right, look.muted, end);
    pen.line({place.centre().x, place.min.y + line}, {place.centre().x, place.max.y}, look.line, Stroke::hair(u));
  }
};

}  // namespace

std::optional<Rect> spread_room(const Task& task) {
  const Trace& trace = task.trace();
  const float u = task.u();
  if (task.stage != Stage::scaled_scores || std::abs(trace.scale) == 1 || is_guessed(task.context())) return {};
  if (trace[Stage::scores].source() || trace.dims().n_q * trace.dims().n_k > most_cells || trace.dims().n_k < 2)
    return {};
  if (task.area.height() < SpreadSizes::least_height * u || task.area.width() < SpreadSizes::least_width * u) return {};
  return Rect{{task.area.min.x, task.area.max.y - task.area.height() * 0.44f}, task.area.max};
}

void put_spread(const Task& task, Rect room) { Spread{task, room}.put(); }

}  // namespace headlight::operation
