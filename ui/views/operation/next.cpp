// The picture of the next word: at the left the row and what it is multiplied with, in the middle the words with their
// logits and probabilities, below the sentence with the next word. If the input is a picture, the
// words are labels, and there is no sentence.
#include "ui/views/operation/next.h"

#include <algorithm>

#include "core/base/text/in_sentence.h"
#include "core/compute/network/sampling.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/views/operation/parts.h"
#include "ui/views/operation/sizes.h"
#include "ui/views/sentence/sides.h"

namespace headlight {

using namespace operation;

namespace {

/// The parts of the picture in the order in which they appear: shares of the time at which each begins and is complete.
struct Phase {
  float from = 0, until = 0;
};
constexpr Phase last_row{0, 0.1f}, normed_row{0.1f, 0.22f}, word_row{0.22f, 0.32f}, the_product{0.32f, 0.4f},
    logits{0.4f, 0.56f}, divided{0.56f, 0.62f}, falling{0.62f, 0.7f}, chances{0.7f, 0.8f}, drop{0.82f, 0.95f};

MatrixNumbers numbers_of(const std::vector<NextCandidate>& candidates) {
  std::vector<double> chances;
  for (const NextCandidate& candidate : candidates) chances.push_back(candidate.probability);
  return for_chances(chances);
}

struct NextPicture : ScenePart {
  using Size = NextSizes;
  const NextWords& next;
  const SentenceStory& story;
  Rect area;
  const bool open = view.levels.unfolded && !presenting;
  const NextCandidate& chosen = next.candidates[static_cast<std::size_t>(next.chosen)];
  const MatrixNumbers numbers = numbers_of(next.candidates);
  const std::vector<Named> names{{in_sentence(story.next_after), look.q},
                                 {in_sentence(chosen.word), look.after},
                                 {digits(chosen.probability), look.after}};
  const Network& network = *network_of(trace.inputs)->network;
  const std::span<const NetworkLayer> layers = network.layers();
  const bool of_picture = reads_pictures(trace);
  bool beside = true;  ///< the row fits at the left; else it is shown first, in the place of the words
  float share = view.levels.progress.value_or(1.0f);
  float done(Phase part) const { return share >= 1 ? 1.0f : part_done(share, part.from, part.until); }
  bool row_alone() const { return !beside && (open || share < the_product.until); }
  Rect rows{}, table{}, foot{};  ///< of the row, of the words, of the sentence
  float line = 0;                ///< height of a word's line
  std::size_t shown = 0;         ///< words that fit

  std::string digits(double probability) const { return numbers(static_cast<float>(probability)); }
  const char* here(std::string_view key) const { return say(key_here(context, key)); }
  static std::string logit_text(float logit) { return printed(static_cast<double>(logit)).text; }

  void put_titles() {
    const bool first = story.next_after.empty() && !of_picture,
               told = done(chances) >= 1;  // no numbers are shown before they are computed
    const char* const title = told    ? (first ? "next.title_first" : "next.title")
                              : first ? "next.ask_first"
                                      : "next.ask";
    std::string story_text(here("next.story"));
    if (!row_of_last_layer()) story_text += " " + say.fill("next.layers_between", {layers[index_of_layer()].layer});
    put_title_and_story(pen, area, here(title), story_text, names, Space::pad * u);
  }

  void lay_out() {
    const float sentence = of_picture ? 0 : pen.type.word * 2.6f, dials = dials_fit() ? Size::dials * u : 0;
    foot = {{area.min.x, area.max.y - sentence - dials}, area.max};
    area.max.y = foot.min.y - Space::gap * u;
    rows = {area.min, {area.min.x + area.width() * (beside ? 0.31f : row_alone() ? 1.0f : 0.0f), area.max.y}};
    table = {{beside ? rows.max.x + Size::beside_rows * u : area.min.x, area.min.y}, area.max};
    const float room = table.height() - pen.type.caption * 3.4f;
    const float least = pen.type.word * 1.75f;
    shown = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(room / least, 1.0f)), 1, next.candidates.size());
    line = std::min(room / static_cast<float>(shown), pen.type.word * 3.8f);
  }
  bool dials_fit() const {
    return !presenting && story.writes && area.width() >= Size::dials_from_width * u &&
           area.height() >= Size::dials_from_height * u;
  }

  // The row, and what it is multiplied with.

  void put_row(float y, float high, const std::vector<float>& numbers, const std::string& words, ImU32 frame,
               Phase part, const std::optional<Cell>& first = {}) const {
    const float made = done(part);
    if (made <= 0) return;
    const std::string size = "‖·‖ = " + printed(length_of(numbers)).text;
    const float right = rows.max.x - pen.measure(Face::mono, pen.type.number, size).x;
    pen.label(TextRole::caption, true, pen.type.caption, {rows.min.x, y}, Align::left, look.ink, words,
              right - rows.min.x - Space::pad * u);
    pen.number(pen.type.number, {rows.max.x, y}, Align::right, look.muted, size);
    const Rect strip{{rows.min.x, y + pen.type.caption}, {rows.max.x, y + pen.type.caption + high}};
    put_row_strip(pen, numbers, largest_of(numbers), strip, made, first);
    pen.frame(strip.grown(Outset::cell * u), frame, 1.5f);
    pen.add_content(strip);
  }

  void put_step(float y, const char* words, Phase part) const {
    if (done(part) <= 0) return;
    const float x = rows.min.x + Space::card * u;
    pen.line({x, y - Space::apart * u}, {x, y + Space::apart * u}, look.muted, Stroke::arrow(u), true);
    pen.caption({x + Space::row * u, y}, Align::left, say(words));
  }

  std::size_t index_of_layer() const { return static_cast<std::size_t>(network.layer_or_first(trace.scenario.layer)); }
  /// The output's first cell, if this is the last layer, whose output the row is.
  std::optional<Cell> row_of_last_layer() const {
    if (index_of_layer() + 1 != layers.size()) return {};
    return Cell{Stage::output, view.batch, 0, next.place, 0};
  }

  void put_rows() const {
    if (rows.width() < Size::rows_from * u) return;
    if (open) return put_sum_of_logit();
    const float each = rows.height() / 4, high = std::min(each * 0.34f, Size::row * u),
                top = rows.min.y + pen.type.caption;
    const float pitch = std::min(each, high + Size::most_between_rows * u);
    put_row(top, high, next.product.last, say.fill("next.row", {in_sentence(story.next_after)}), look.muted, last_row,
            row_of_last_layer());
    const bool steps = pitch - high >= 3.2f * pen.type.caption;  // the operations between the rows
    if (steps)
      put_step(top + pen.type.caption + high + (pitch - high - pen.type.caption) * 0.42f, "next.norm", normed_row);
    put_row(top + pitch, high, next.product.row, std::string(say("next.normed")), look.q, normed_row);
    if (steps)
      put_step(top + pitch + pen.type.caption + high + (pitch - high - pen.type.caption) * 0.42f, "next.product",
               word_row);
    put_row(top + 2 * pitch, high, next.product.word,
            say.fill(key_here(context, "next.word_row"), {in_sentence(chosen.word)}), look.after, word_row);
    if (done(the_product) < (beside ? 1.0f : 0.4f)) return;  // alone, the rows disappear when the product is complete
    const float y = top + std::max(3 * pitch, 2 * pitch + pen.type.caption + high + pen.type.great * 0.75f);
    const std::string number = "= " + logit_text(chosen.logit);
    const Rect at =
        pen.text(TextRole::number, Face::bold, pen.type.great, {rows.min.x, y}, Align::left, look.ink, number);
    const std::string hint(say("next.open"));
    if (!presenting && at.max.x + Space::part * u + pen.measure(Face::ui, pen.type.caption, hint).x <= rows.max.x)
      pen.caption({at.max.x + Space::part * u, y}, Align::left, hint);
    pen.target({{rows.min.x, y - pen.type.great * 0.6f}, {rows.max.x, y + pen.type.great * 0.6f}}, SceneAction::unfold,
               1);
  }

  /// The product term by term.
  void put_sum_of_logit() const {
    const LogitProduct& product = next.product;
    Sum sum;
    sum.title_left = story.next_after.empty() ? std::string(say("next.normed")) : story.next_after;
    sum.title_right = chosen.word;
    sum.left_colour = look.q;
    sum.right_colour = look.after;
    sum.left_stage = sum.right_stage = sum.stage = Stage::output;
    sum.left = product.row;
    sum.right = product.word;
    if (product.bias != 0) sum.bias = product.bias;
    sum.done = std::ssize(sum.left);
    // The product before it is scaled or capped.
    double total = static_cast<double>(product.bias);
    for (std::size_t i = 0; i < sum.left.size(); ++i)
      total += static_cast<double>(sum.left[i]) * static_cast<double>(sum.right[i]);
    sum.total = product.scale == 1 && !product.softcap ? product.logit : static_cast<float>(total);
    const Reveal whole;
    const Task task{pen, Stage::output, focus_of(trace, view), whole, rows};
    put_sum(task, sum, lay_out_sum(task, sum, rows, true));
    pen.target(rows, SceneAction::unfold, 0);
  }

  // The words.

  /// A column's left and right end, as shares of the table's width.
  Rect column(float from, float until, const Rect& row) const {
    return {{table.min.x + table.width() * from + Space::apart * u, row.min.y},
            {table.min.x + table.width() * until - Space::apart * u, row.max.y}};
  }
  /// Labels of a picture have no columns for the temperature and the cuts while these change nothing.
  const bool sampled =
      !of_picture || story.sampling.temperature != 1 || story.sampling.top_k > 0 || story.sampling.top_p < 1;
  static constexpr float word_end = 0.24f;
  const float logit_end = sampled ? 0.5f : 0.6f, tempered_end = sampled ? 0.64f : logit_end,
              kept_end = sampled ? 0.77f : logit_end;

  void put_heads() const {
    const Rect head{table.min, {table.max.x, table.min.y + pen.type.caption * 1.5f}};
    const auto put = [&](float from, float until, const std::string& words) {
      const Rect at = column(from, until, head);
      pen.label(TextRole::caption, true, pen.type.caption, {at.min.x, head.centre().y}, Align::left, look.muted, words,
                at.width() + Space::pad * u);
    };
    const Sampling& sampling = story.sampling;
    if (done(logits) > 0) put(word_end, logit_end, std::string(say("next.logit")));
    // In words where there is room, else as signs.
    const auto longest = [&](float from, float until, std::initializer_list<std::string> texts) {
      const float room = column(from, until, head).width() + Space::pad * u;
      for (const std::string& text : texts) {
        if (pen.measure(Face::bold, pen.bold(pen.type.caption), text).x <= room) return text;
      }
      return *std::prev(texts.end());
    };
    const std::string temperature = MatrixNumbers(2, true)(sampling.temperature);
    if (sampled && done(divided) > 0)
      put(logit_end, tempered_end,
          longest(logit_end, tempered_end, {say.fill("next.divided", {temperature}), "÷ " + temperature}));
    std::string kept;
    if (sampling.top_k > 0) kept = "top-" + std::to_string(sampling.top_k);
    if (sampling.top_p < 1) kept += (kept.empty() ? "top-p " : ", p ") + MatrixNumbers(2, true)(sampling.top_p);
    if (kept.empty())
      kept = longest(tempered_end, kept_end, {std::string(say("next.kept")), "top-k, top-p", "top-k/p"});
    if (sampled && done(falling) > 0) put(tempered_end, kept_end, kept);
    if (done(chances) > 0) put(kept_end, 1, std::string(say("next.probability")));
  }

  /// A dot if the word is kept, else what excludes it.
  void put_kept(const NextCandidate& candidate, Rect room) const {
    const float x = room.min.x, middle = room.centre().y;
    const bool falls = !candidate.in_top_k || !candidate.in_top_p;
    const char* const why = !candidate.in_top_k ? "next.out_k" : "next.out_p";
    if (falls) pen.caption({x, middle}, Align::left, say(why), {}, room.width() + Space::gap * u);
    else
      pen.fill({{x + Space::tight * u, middle - Space::close * u}, {x + Space::card * u, middle + Space::close * u}},
               look.after, Space::close * u);
  }

  void put_candidate(std::size_t i, float low, float high) const {
    const NextCandidate& candidate = next.candidates[i];
    // The words appear one after another, the most probable first.
    const float come = std::clamp(done(logits) * static_cast<float>(shown) - static_cast<float>(i), 0.0f, 1.0f);
    if (come <= 0) return;
    const bool is_chosen = static_cast<Index>(i) == next.chosen && done(chances) >= 1,
               out = done(falling) > 0 && !(candidate.probability > 0);
    const float y = table.min.y + pen.type.caption * 1.7f + static_cast<float>(i) * line;
    // A word that is cut off is indented.
    const Rect row{{table.min.x + (out ? Space::card * u * done(falling) : 0), y + Space::fine * u},
                   {table.max.x, y + line - Space::fine * u}};
    const float middle = row.centre().y, size = line >= pen.type.word * 2.4f ? pen.type.word * 1.3f : pen.type.word;
    if (!out) pen.fill(row, look.card, Corner::control * u);
    pen.box(row, is_chosen ? look.after : look.line, is_chosen ? Stroke::chosen(u) : 1, Corner::control * u);
    pen.target(row, SceneAction::explained, candidate.token);
    const Rect word = column(0, word_end, row);
    const Face face = is_chosen ? Face::bold : Face::ui;
    pen.label(TextRole::word, is_chosen, size, {word.min.x + (out ? Space::pad * u : 0), middle}, Align::left,
              out ? look.muted : look.ink,
              elide(context.fonts, face, size, candidate.word, word.width() - Space::pad * u));
    const float number = pen.measure(Face::mono, pen.type.number, "−00.00").x;
    const Rect logit = column(word_end, logit_end, row);
    const float from = logit.min.x, until = logit.max.x - number - Space::gap * u;
    const auto at = [&](float value) { return from + (until - from) * (value - low) / std::max(high - low, 1e-6f); };
    if (until - from > Size::least_bar * u)
      pen.bar({at(0), middle}, {at(candidate.logit * come), middle}, std::min(line * 0.4f, Space::row * u),
              fade(sign_colour(pen, candidate.logit), out ? 0.5f : 1.0f), candidate.logit);
    const auto put_number = [&](float right, std::string text, bool lit) {
      pen.number(pen.type.number, {right, middle}, Align::right, lit ? look.ink : look.muted, std::move(text));
    };
    if (come >= 1) put_number(logit.max.x, logit_text(candidate.logit), !out);
    if (sampled && done(divided) > 0)
      put_number(column(logit_end, tempered_end, row).max.x,
                 story.sampling.temperature > 0 ? logit_text(candidate.tempered) : "–", !out);
    if (sampled && done(falling) > 0) put_kept(candidate, column(tempered_end, kept_end, row));
    if (done(chances) <= 0) return;
    const Rect last = column(kept_end, 1, row), track = pen.track(last.min.x, last.max.x - number, middle);
    if (track.width() > Size::least_bar * u) pen.fill(track, look.field, Corner::cell * u);
    // A bar that is not empty can be seen.
    const float width =
        out ? 0 : std::max(static_cast<float>(candidate.probability) * track.width(), u) * done(chances);
    if (width > 0 && track.width() > Size::least_bar * u) pen.meter(track, width, look.after);
    if (done(chances) >= 1) put_number(last.max.x, out ? "0" : digits(candidate.probability), !out);
  }

  void put_table() const {
    put_heads();
    float low = 0, high = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      low = std::min(low, next.candidates[i].logit);
      high = std::max(high, next.candidates[i].logit);
    }
    double others = next.others_probability;
    for (std::size_t i = 0; i < next.candidates.size(); ++i) {
      if (i < shown) put_candidate(i, low, high);
      else others += next.candidates[i].probability;
    }
    const Index count = next.others + std::ssize(next.candidates) - static_cast<Index>(shown);
    const float y = table.min.y + pen.type.caption * 2.6f + static_cast<float>(shown) * line;
    const std::string more = say.fill("level.more_together", {count, digits(others)});
    if (count > 0 && done(chances) >= 1) pen.caption({table.min.x + Space::apart * u, y}, Align::left, more);
    pen.add_content(table);
  }

  // The sentence and the next word.

  /// Where the word starts to move into the sentence.
  ImVec2 word_in_table() const {
    const float y = table.min.y + pen.type.caption * 1.7f + (static_cast<float>(next.chosen) + 0.5f) * line;
    return {table.min.x + Space::apart * u + pen.measure(Face::bold, pen.bold(pen.type.word), chosen.word).x / 2, y};
  }

  void put_sentence() const {
    const float high = pen.type.word * 2.1f, y = foot.min.y + high / 2, size = pen.type.word;
    const std::string draw(say("next.draw"));
    const float button = pen.measure(Face::bold, pen.type.caption, draw).x + Size::draw * u;
    const bool writes = story.writes && !presenting;
    const float fresh = pen.measure(Face::bold, pen.bold(size), chosen.word).x + Space::section * u;
    const float room = foot.width() - (writes ? button + Size::between_dials * u : 0) - fresh - Space::part * u;
    std::size_t first = next.sentence.size();
    float used = 0, x = foot.min.x;
    const auto width = [&](const std::string& word) { return pen.measure(Face::ui, size, word).x + Size::word * u; };
    while (first > 0 && used + width(next.sentence[first - 1]) + Space::gap * u <= room)
      used += width(next.sentence[--first]) + Space::gap * u;
    for (std::size_t i = first; i < next.sentence.size(); ++i) {
      const Rect chip{{x, y - high / 2}, {x + width(next.sentence[i]), y + high / 2}};
      pen.card(chip, 0, 1, Corner::control);
      pen.text(TextRole::word, Face::ui, size, chip.centre(), Align::middle, look.ink, next.sentence[i]);
      x = chip.max.x + Space::gap * u;
    }
    const Rect chip{{x, y - high / 2}, {x + fresh, y + high / 2}};
    pen.box(chip, done(drop) >= 1 ? look.after : look.line, Stroke::chosen(u), Corner::control * u);
    if (const float way = done(drop); way > 0) {
      const ImVec2 at = mixed(word_in_table(), chip.centre(), eased(way));
      if (way < 1)
        pen.card(around(at, chip.width() / 2, chip.height() / 2), look.after, Stroke::chosen(u), Corner::control);
      pen.label(TextRole::word, true, size, at, Align::middle, look.after, chosen.word);
    }
    if (story.writes) pen.target(chip, SceneAction::write_word, chosen.token);
    if (!writes) return;
    const Rect at{{foot.max.x - button, y - high / 2}, {foot.max.x, y + high / 2}};
    pen.fill(at, look.ink, Corner::card * u);
    pen.text(TextRole::caption, Face::bold, pen.type.caption, at.centre(), Align::middle, look.card, draw);
    pen.target(at, SceneAction::draw_word);
  }

  void put_dials() const {
    if (foot.height() < pen.type.word * 2.6f + Size::least_dial_height * u) return;
    const float top = foot.min.y + pen.type.word * 2.6f,
                each = std::min((foot.width() - 2 * Size::between_dials * u) / 3, Size::longest_dial * u);
    for (int i = 0; i < sentence_parts::dial_count; ++i) {
      const float x = foot.min.x + static_cast<float>(i) * (each + Size::between_dials * u);
      sentence_parts::put_dial(pen, story, static_cast<sentence_parts::Dial>(i),
                               {{x, top}, {x + each, foot.max.y - Space::tight * u}});
    }
  }
};

}  // namespace

Scene make_next(const SceneContext& context, const NextWords& next, const SentenceStory& story, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  NextPicture picture{pen, next, story, scene_area(context, place)};
  picture.beside = picture.area.width() >= NextSizes::both_from * context.u;
  picture.put_titles();
  picture.lay_out();
  picture.put_rows();
  if (!picture.row_alone()) picture.put_table();
  if (!picture.of_picture) picture.put_sentence();
  picture.put_dials();
  return scene;
}

NextWords next_words(const Trace& trace, const View& view, const SentenceStory& story, const OtherPass& other,
                     Index place, std::optional<Index> token) {
  constexpr Index shown = 8;
  const auto own = network_of(trace.inputs);
  const NetworkRun& run = other.without_head ? *other.run : *own;
  const Index batch = std::min(view.batch, run.logits.size(0) - 1);
  if (place < 0) place = place_of_prediction(run, batch);
  const MatrixView logits = run.logits.matrix(batch);
  const Index row = std::min(place, logits.rows - 1);
  const auto logit = [&](Index id) { return logits(row, id); };
  const Sampling& sampling = story.sampling;
  const bool cuts = sampling.top_k > 0 && sampling.top_k < logits.cols;
  // The smallest logit that top-k keeps.
  const float least = cuts ? logit(largest_of_row(logits, row, sampling.top_k).back()) : 0;
  NextWords next;
  next.place = place;
  double named = 0;
  for (const Index id : largest_of_row(logits, row, shown)) {
    NextCandidate candidate{run.network->word(id), id, logit(id), logit(id)};
    if (sampling.temperature > 0) candidate.tempered /= sampling.temperature;
    candidate.probability = story.shares[static_cast<std::size_t>(id)];
    candidate.in_top_k = !cuts || candidate.logit >= least;
    candidate.in_top_p = candidate.in_top_k && candidate.probability > 0;
    named += candidate.probability;
    if (token == id) next.chosen = std::ssize(next.candidates);
    next.candidates.push_back(std::move(candidate));
  }
  next.others = logits.cols - std::ssize(next.candidates);
  next.others_probability = std::max(1 - named, 0.0);
  const auto entry = static_cast<std::size_t>(view.batch);
  if (const auto& tokens = trace.inputs.query_tokens; entry < tokens.size() && run.text.decoder.count() == 0) {
    for (Index i = 0; i <= place && i < std::ssize(tokens[entry]); ++i)
      next.sentence.push_back(tokens[entry][static_cast<std::size_t>(i)]);
  }
  next.product = logit_product(run, batch, place, next.candidates[static_cast<std::size_t>(next.chosen)].token);
  return next;
}

}  // namespace headlight
