#include "ui/views/sentence/sentence.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "core/compute/run/contributions.h"
#include "core/compute/run/trace.h"
#include "ui/base/document/action.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/sentence/sides.h"
#include "ui/views/sentence/sizes.h"
#include "ui/views/sentence/story.h"
#include "ui/views/sentence/word_line.h"

namespace headlight {
using namespace sentence_parts;

namespace {

std::vector<Named> names_of(const SceneContext& context, Index query, const Row& row) {
  const ImU32 head = context.look.head_ink(context.view.head);
  const auto visible = std::ranges::count(row.hidden, false);
  Cell share = matrix_of(context.trace, context.view, Stage::weights);
  share.row = query;
  share.col = row.most;
  return {
      {in_sentence(query_word(context, query)), context.look.ink, true, NamedLink{SceneAction::query_word, query}},
      {in_sentence(key_word(context, row.most)), context.look.ink, true, NamedLink{SceneAction::key_word, row.most}},
      {share_text(row.shares[static_cast<std::size_t>(row.most)]), head, true,
       NamedLink{SceneAction::look_at, 0, share}},
      {std::to_string(visible), context.look.ink, false},
      {std::to_string(context.view.head), head, false}};
}

/// The key of the sentence that describes this row.
const char* sentence_key(const SceneContext& context, const SentenceStory& story, Index query, const Row& row) {
  const bool patches = story.picture.has_value();
  if (row.dead) return patches ? "sentence.none_patches" : "sentence.none";
  const float most = row.shares[static_cast<std::size_t>(row.most)];
  const auto visible = static_cast<float>(std::ranges::count(row.hidden, false));
  const bool self = context.trace.inputs.self_attention() && row.most == query;
  if (row.all_masked && most < 1.4f / visible) return patches ? "sentence.none_even_patches" : "sentence.none_even";
  if (visible <= 1) return self ? "sentence.only_itself" : patches ? "sentence.only_patches" : "sentence.only";
  if (most < 1.4f / visible) return patches ? "sentence.evenly_patches" : "sentence.evenly";
  if (most < 0.5f && patches) return self ? "sentence.several_itself_patches" : "sentence.several_patches";
  if (most < 0.5f) return self ? "sentence.several_itself" : "sentence.several";
  return self ? "sentence.mostly_itself" : "sentence.mostly";
}

/// What the head contributes to the selected word, besides its weights.
struct BroughtProse {
  const char* title = nullptr;
  const char* story = nullptr;  ///< about the largest weight
  std::vector<Named> values;
};

BroughtProse contribution_prose(const SceneContext& context, Index query, const Row& row) {
  const ContributionRow& brought = *row.brought;
  const bool share = !row.lengths;
  const auto weight = std::ranges::max_element(row.weights) - row.weights.begin();
  const auto at = [](const std::vector<float>& all, Index k) { return all[static_cast<std::size_t>(k)]; };
  const ImU32 ink = context.look.ink, head = context.look.head_ink(context.view.head);
  const auto amount = [&](Index k) { return row.number(static_cast<std::size_t>(k)); };
  BroughtProse prose;
  prose.title = !(brought.sum > 0) ? "measure.brings_nothing" : share ? "measure.brings_share" : "measure.brings";
  prose.story = weight == row.most ? "measure.weight_too"
                : share            ? "measure.weight_elsewhere_share"
                                   : "measure.weight_elsewhere";
  prose.values = {{in_sentence(query_word(context, query)), ink, true, NamedLink{SceneAction::query_word, query}},
                  {in_sentence(key_word(context, row.most)), ink, true, NamedLink{SceneAction::key_word, row.most}},
                  {amount(row.most), head},
                  {length_text(brought.sum), head},
                  {std::to_string(context.view.head), head, false},
                  {in_sentence(key_word(context, weight)), ink, true, NamedLink{SceneAction::key_word, weight}},
                  {share_text(at(row.weights, weight)), head},
                  {amount(weight), head}};
  return prose;
}

/// The number of shares of the row that dropout removed, and their total number.
std::pair<Index, Index> taken_by_dropout(const SceneContext& context, Index query, const Row& row) {
  const Cell at = matrix_of(context.trace, context.view, Stage::dropped_weights);
  const MatrixView left = numbers_of(context.trace, context.view, Stage::dropped_weights);
  const CellMasks masks = masks_over(context.trace, Stage::dropped_weights, at.batch, at.head);
  Index taken = 0;
  for (Index k = 0; k < left.cols; ++k)
    taken += !row.hidden[static_cast<std::size_t>(k)] && classify(left, masks, query, k) == CellKind::dropped ? 1 : 0;
  return {taken, std::ranges::count(row.hidden, false)};
}

/// The whole scene: the free area shrinks as parts are added, from the top and from the bottom.
struct SentenceParts : ScenePart {
  using Size = SentenceSizes;
  const SentenceStory& story;
  Rect place;
  const Guessing& guessing = view.levels.guessing;
  const Index query = asking_word(trace, view);
  const Row row = guessing.active ? row_of(context, query) : measured_row(context, query);
  const ImU32 colour = look.head(view.head);
  const Align align = presenting ? Align::middle : Align::left;
  /// Until the user has guessed, nothing shows the weights.
  const bool hidden = guessing.active && !guessing.guess && !row.dead;
  const Index n_q = trace.dims().n_q, n_k = trace.dims().n_k;
  const float button = pen.type.story * 2.5f;                                    ///< height of one
  const float number = context.fonts.crisp(Face::mono, pen.type.number) * 1.6f;  ///< height of a share's
  const float field =
      story.takes_words && !presenting ? ControlHeight::field * u + Space::apart * u : 0;  ///< the text field's row
  Rect middle{}, area{}, body{};
  float depth = 0;  ///< of the bars under the words

  bool has_rail() const { return !presenting && !story.rail.empty() && place.width() >= Size::rail_from * u; }
  bool has_prediction() const { return !story.next.empty() && !presenting && place.width() >= Size::next_from * u; }
  /// The largest weight of the row.
  std::string most_share() const {
    return share_text(*std::ranges::max_element(row.weights.empty() ? row.shares : row.weights));
  }
  /// Only weights are shown, because there are too many tokens for other measures.
  bool too_many_to_measure() const {
    return !presenting && !guessing.active && !row.dead && can_contribute(trace) && !can_be_measured(trace);
  }
  /// Beside the measures, where their legend is not needed.
  bool offers_masks() const {
    return !presenting && !guessing.active && !story.picture && trace.has(Stage::scores) && in_one_line() &&
           (row.weights.empty() || view.levels.masks);
  }
  /// The words are queries and keys alike.
  bool in_one_line() const {
    const Inputs& inputs = trace.inputs;
    return inputs.self_attention() || (n_q == n_k && inputs.query_tokens == inputs.key_tokens);
  }
  bool has_measures() const { return !presenting && !guessing.active && !row.dead && can_be_measured(trace); }

  void lay_out() {
    middle = place;
    if (has_rail()) middle.min.x += std::round(Size::rail.of(place.width(), u));
    const bool picture = story.picture.has_value();  // the second picture is next to it
    const float right = picture ? Size::second_picture.of(place.width(), u) : Size::prediction.of(place.width(), u);
    if (has_prediction()) middle.max.x -= std::round(right);
    const float side = Size::side_margin.of(middle.width(), u);
    area = {{middle.min.x + side, middle.min.y + Size::upper_margin.of(middle.height(), u)},
            {middle.max.x - side, middle.max.y - Space::row * u}};
  }

  void tell(TextRole role, std::string_view pattern, std::span<const Named> values, float pixels, ImU32 ink) {
    area.min.y += pen.sentence(role, pattern, values, area, pixels, ink, align);
  }

  /// What the word attends to, the user's guess, and notes.
  void put_sentences() {
    if (row.brought) put_brought();
    else put_looks();
    if (story.claim && !presenting && !guessing.active) put_claim(*story.claim);
    if (story.changed) put_changed(*story.changed);
    if (story.random_weights || trace.inputs.random_inputs)
      tell(TextRole::story, say(story.random_weights ? "sentence.random_weights" : "sentence.random_input"), {},
           pen.type.story, look.warning);
    if (!story.squashed.empty() && !presenting)
      tell(TextRole::story,
           say.fill("sentence.squashed", {story.squashed[0], story.squashed[1], story.squashed[2], story.squashed[3]}),
           {}, pen.type.caption * 1.1f, look.muted);
    if (trace.has(Stage::dropped_weights)) {
      const auto [taken, all] = taken_by_dropout(context, query, row);
      const std::vector<Named> counts{{std::to_string(taken), look.ink}, {std::to_string(all), look.ink}};
      tell(TextRole::story, say("sentence.before_dropout"), counts, pen.type.story, look.muted);
    }
    body = {{area.min.x, area.min.y + Space::pad * u},
            {area.max.x, area.max.y - (presenting ? 0 : button + field + Space::wide * u)}};
    if (too_many_to_measure() && body.height() >= Size::measures_from * u) {
      const float line = pen.type.caption * 1.7f;
      body.max.y -= line;
      pen.caption({body.min.x, body.max.y + line * 0.6f}, Align::left,
                  say.fill("measure.too_many", {trace.dims().heads, n_q, n_k, most_measured}), {}, body.width());
    }
    const bool masks = offers_masks();
    if ((has_measures() || masks) && body.height() >= Size::measures_from * u) {
      body.max.y -= pen.type.caption * 2.1f + Space::near * u;
      Rect room{{body.min.x, body.max.y + Space::near * u}, {body.max.x, area.max.y}};
      if (has_measures()) room.min.x += put_measures(pen, room) + Space::card * u;
      if (masks) put_masks(pen, story.mask, room);
      else put_legend(room);
    }
    depth = Size::bars.of(body.height(), u);
  }

  /// What is hollow and what is full, where the measure's bars stand beside the weights.
  void put_legend(const Rect& room) {
    if (row.weights.empty() || story.picture) return;
    const std::string legend =
        row.lengths ? say.fill("measure.legend_full", {length_text(row.brought->most)}) : say("measure.legend");
    if (pen.measure(Face::ui, pen.type.caption, legend).x <= room.width())
      pen.caption({room.min.x, room.min.y + pen.type.caption * 1.05f}, Align::left, legend);
  }

  void put_looks() {
    const char* const ask = story.picture ? "sentence.guess_patch" : "sentence.guess_ask";
    tell(TextRole::prose, say(hidden ? ask : sentence_key(context, story, query, row)), names_of(context, query, row),
         pen.type.title, look.ink);
    if (guessing.active && guessing.guess) put_guessed();
    if (!guessing.active && story.sought && view.levels.at) put_sought(*story.sought, *view.levels.at);
    if (const RowProse prose = guessing.active ? RowProse() : row_prose(context, query); prose.key)
      tell(TextRole::story, say(prose.key), prose.values, pen.type.story, look.muted);
  }

  /// What was changed in this or another layer, and the next word before and after.
  void put_changed(const ChangedLayer& changed) {
    constexpr std::size_t most = 3;
    std::string what;
    for (std::size_t i = 0; i < std::min(changed.settings.size(), most); ++i) {
      const auto& [key, value] = changed.settings[i];
      what += (i > 0 ? ", " : "") + std::string(setting_word(say, key)) + (value.empty() ? "" : " " + value);
    }
    if (changed.settings.size() > most) what += " …";
    const MatrixNumbers numbers = for_chances(std::array{changed.probability_before, changed.probability_after});
    const auto share = [&](double probability) { return numbers(static_cast<float>(probability)); };
    const std::vector<Named> values{{changed.layer, look.ink},
                                    {what, look.ink},
                                    {in_sentence(story.next_after), look.ink},
                                    {in_sentence(changed.before), look.ink},
                                    {share(changed.probability_before), look.ink},
                                    {in_sentence(changed.after), look.ink},
                                    {share(changed.probability_after), look.ink},
                                    {std::to_string(changed.heads), look.ink},
                                    {std::to_string(changed.heads_before), look.ink}};
    const float pixels = pen.type.story;
    tell(TextRole::story, say("sentence.layer_changed"), values, pixels, look.warning);
    const char* next = std::isnan(changed.probability_after) ? "sentence.next_is_nan" : "sentence.next_changed";
    if (!changed.before.empty()) tell(TextRole::story, say(next), values, pixels, look.ink);
    if (changed.heads != changed.heads_before)
      tell(TextRole::story, say("sentence.heads_cut"), values, pen.type.caption * 1.1f, look.muted);
  }

  /// The head that looks at the chosen word most, and what becomes of the prediction without it.
  void put_sought(const Sought& sought, Index at) {
    const MatrixNumbers numbers = for_chances(std::array{sought.probability, sought.without});
    const auto share = [&](double probability) { return numbers(static_cast<float>(probability)); };
    const Cell head{Stage::weights, sought.layer, sought.head, 0, 0};
    const std::vector<Named> values{
        {sought.name, look.head_ink(sought.head), true, NamedLink{SceneAction::head, sought.head, head}},
        {in_sentence(key_word(context, at)), look.ink, true, NamedLink{SceneAction::query_word, at}},
        {share_text(sought.weight), look.head_ink(sought.head)},
        {in_sentence(query_word(context, query)), look.ink},
        {in_sentence(sought.next), look.ink},
        {share(sought.probability), look.ink},
        {share(sought.without), look.ink}};
    tell(TextRole::story, say(sought.next.empty() ? "sentence.sought" : "sentence.sought_effect"), values,
         pen.type.story, look.muted);
  }

  void put_brought() {
    const BroughtProse prose = contribution_prose(context, query, row);
    tell(TextRole::prose, say(prose.title), prose.values, pen.type.title, look.ink);
    tell(TextRole::story, say(prose.story), prose.values, pen.type.story, look.muted);
  }

  /// What the head is needed for on many texts, and where it attends otherwise.
  void put_claim(const HeadClaim& claim) {
    const auto measured = [&](const char* field) { return percent(claim.measured.value(field, 0.0)); };
    const std::vector<Named> values{{in_language(claim.does, view.language), look.ink},
                                    {measured("accuracy"), look.ink},
                                    {measured("without"), look.ink}};
    tell(TextRole::story, say(story.picture ? "sentence.missed_picture" : "sentence.missed"), values, pen.type.story,
         look.muted);
    if (const char* key = rest_key(claim)) {
      const Named share{percent(claim.rests), look.ink};
      tell(TextRole::story, say(key), std::span(&share, 1), pen.type.story, look.muted);
    }
  }

  void put_guessed() {
    const Index guess = std::clamp<Index>(static_cast<Index>(*guessing.guess), 0, n_k - 1);
    const float share = row.shares[static_cast<std::size_t>(guess)];
    const std::vector<Named> guessed{{in_sentence(key_word(context, guess)), look.ink},
                                     {share_text(share), look.head_ink(view.head)}};
    const bool right = share >= row.shares[static_cast<std::size_t>(row.most)];
    tell(TextRole::story, say(right ? "sentence.guess_right" : "sentence.guess_wrong"), guessed, pen.type.story,
         look.muted);
  }

  /// Two lines of words: the queries, and below them the keys.
  void put_two_lines() {
    WordLine queries = lay_out_words(pen, Axis::query, n_q, query, body, 0),
             keys = lay_out_words(pen, Axis::key, n_k, row.most, body, 0);
    queries = lay_out_words(pen, Axis::query, n_q, query, body, queries.height + Space::gap * u);
    const float top = body.min.y + pen.type.caption * 1.6f;
    const float queries_height = static_cast<float>(queries.lines) * (queries.height + Space::gap * u);
    const float keys_top = std::max(top + queries_height + body.height() * 0.18f,
                                    body.max.y - depth - number - Space::apart * u - keys.height -
                                        (static_cast<float>(keys.lines) - 1) * (keys.height + depth + number));
    queries =
        lay_out_words(pen, Axis::query, n_q, query, {{body.min.x, top}, body.max}, queries.height + Space::gap * u);
    keys = lay_out_words(pen, Axis::key, n_k, row.most, {{body.min.x, keys_top}, body.max},
                         keys.height + depth + number + Space::card * u);
    if (!hidden) put_arcs(pen, queries, keys, query, row, colour, body.min.y, true);
    for (const WordPlace& word : queries.places)
      put_word(pen, queries, word, query_word(context, word.index), word.index == query, false, look.q,
               SceneAction::query_word);
    for (const WordPlace& word : keys.places)
      put_word(pen, keys, word, key_word(context, word.index), word.index == row.most && !row.dead && !hidden,
               row.hidden[static_cast<std::size_t>(word.index)], colour, SceneAction::key_word);
    put_shares(pen, keys, row, depth, row.most, colour, hidden);
    pen.caption({body.min.x, body.min.y + pen.type.caption * 0.6f}, Align::left, say("sentence.they_ask"), look.q);
    for (const WordLine* line : {&queries, &keys}) {
      for (const WordPlace& word : line->places) pen.add_content(word.box);
    }
  }

  WordLine words_in(Rect room, float pitch) const { return lay_out_words(pen, Axis::key, n_k, query, room, pitch); }

  /// Rows of words, each with its share; if there is no room for all, those around the selected word.
  WordLine many_rows(WordLine line) {
    depth = std::min(depth, Size::bars_of_many_rows * u);
    float pitch = line.height + depth + number + Size::between_rows * u;
    // A few lines share the height; the rest of it is for their arcs.
    const float over = std::clamp(body.height() / static_cast<float>(line.lines) - pitch, 0.0f, Size::over_row * u);
    pitch += over;
    line = words_in(body, pitch);
    line.over = over + Space::card * u;
    const auto fits = std::max<Index>(static_cast<Index>(body.height() / pitch), 1);
    const Index at = line.find(query) ? line.find(query)->line : 0;
    const Index first =
        std::clamp<Index>(line.lines > fits ? at - fits / 2 : 0, 0, std::max<Index>(line.lines - fits, 0));
    std::erase_if(line.places, [&](const WordPlace& word) { return word.line < first || word.line >= first + fits; });
    for (WordPlace& word : line.places) {
      const float up = static_cast<float>(first) * pitch - Space::card * u - over;
      word.box.min.y -= up;
      word.box.max.y -= up;
    }
    if (line.lines > fits)
      pen.caption({body.max.x, body.max.y}, Align::right,
                  say.fill("sentence.rows", {first + 1, first + fits, line.lines}));
    return line;
  }

  /// The highest arc goes from the first word to the last; arcs, words and shares are centred together.
  WordLine one_row(const WordLine& line) const {
    const float below = Space::apart * u + depth + number;
    const float widest =
        line.places.empty() ? 0 : line.places.back().box.centre().x - line.places.front().box.centre().x;
    const float arcs = std::min({body.height() - below - line.height, body.width() * 0.36f, arc_peak(pen, widest)});
    const float spare = std::max(body.height() - below - line.height - arcs, 0.0f);
    const float y = std::min(body.min.y + spare * 0.5f + arcs, body.max.y - below - line.height);
    return words_in({{body.min.x, y}, {body.max.x, body.max.y}}, 0);
  }

  void put_line() {
    WordLine line = words_in(body, 0);
    line = line.lines > 1 ? many_rows(std::move(line)) : one_row(line);
    if (!hidden) put_arcs(pen, line, line, query, row, colour, body.min.y, false);
    for (const WordPlace& word : line.places) {
      const auto k = static_cast<std::size_t>(word.index);
      put_word(pen, line, word, key_word(context, word.index),
               word.index == query || (word.index == row.most && !row.dead && !hidden),
               row.hidden[k] && word.index != query, word.index == query ? look.q : colour, SceneAction::query_word);
      pen.add_content(word.box);
    }
    put_shares(pen, line, row, depth, row.most, colour, hidden);
    if (offers_masks()) put_window_edge(pen, line, row, query, depth);
  }

  /// The text field, in the full width, and below it the buttons.
  void put_buttons() {
    const float y = area.max.y - button;
    float x = area.min.x;
    const auto offer = [&](const std::string& text, bool first, SceneAction action, Stage stage = Stage::weights) {
      if (x + large_button_width(pen, text) > area.max.x) return;
      x = put_button(pen, {x, y}, text, first, action) + Space::apart * u;
      pen.scene().targets.back().cell.stage = stage;
    };
    if (!hidden)
      x = put_button(pen, {x, y}, say.fill("sentence.how", {most_share()}), true, SceneAction::how) + Space::apart * u;
    if (!row.dead && n_k > 2) offer(say(hidden ? "sentence.guess_show" : "sentence.guess"), hidden, SceneAction::guess);
    offer(say("sentence.every_step"), false, SceneAction::back);
    const char* other =
        story.can_knock ? (story.silent.empty() ? "sentence.knock" : "sentence.back_in") : "sentence.other_head";
    if (trace.dims().heads > 1 || story.network)
      offer(say(other), false, story.can_knock ? SceneAction::knock_out : SceneAction::next_word);
    // The steps that are hardest without a teacher.
    if (!hidden && trace.has(Stage::Q_heads) && trace.inputs.self_attention()) {
      offer(say("sentence.why_three"), false, SceneAction::stage, Stage::Q);
      if (story.network) offer(say("sentence.what_heads_add"), false, SceneAction::stage, Stage::output);
    }
    if (story.takes_words) put_field({{area.min.x, y - field}, {area.max.x, y - Space::apart * u}});
  }

  void put_field(const Rect& room) {
    const char* const label = story.picture ? "sentence.own_picture_label" : "sentence.own_words_label";
    const Rect words = pen.text(TextRole::story, Face::bold, pen.type.story, {room.min.x, room.centre().y}, Align::left,
                                look.ink, std::string(say(label)));
    pen.target({{words.max.x + Space::apart * u, room.min.y}, room.max}, SceneAction::own_words);
  }
};

}  // namespace

Index asking_word(const Trace& trace, const View& view) {
  const Focus focus = focus_of(trace, view);
  return std::clamp<Index>(view.pointed.word.value_or(focus.query), 0, trace.dims().n_q - 1);
}

bool may_be_guessed(const Trace& trace, const View& view, Index key) {
  const MatrixView weights = numbers_of(trace, view, Stage::weights);
  const Cell at = matrix_of(trace, view, Stage::weights);
  return key < weights.cols && classify(weights, masks_over(trace, Stage::weights, at.batch, at.head),
                                        asking_word(trace, view), key) != CellKind::masked;
}

Scene make_sentence(const SceneContext& context, const SentenceStory& story, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  SentenceParts parts{pen, story, place};
  parts.lay_out();
  parts.put_sentences();
  if (parts.has_rail()) put_rail(pen, story, {place.min, {parts.middle.min.x, place.max.y}});
  // Below the queries there is room for the keys of the patch, and the picture gets the whole middle.
  Rect below{};
  if (parts.has_prediction()) below = put_prediction(pen, story, {{parts.middle.max.x, place.min.y}, place.max});
  if (story.picture) put_patches(pen, *story.picture, parts.row, parts.query, parts.hidden, parts.body, below);
  else if (!parts.in_one_line()) parts.put_two_lines();
  else parts.put_line();
  if (!context.view.presenting) parts.put_buttons();
  return scene;
}

}  // namespace headlight
