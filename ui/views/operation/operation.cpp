#include "ui/views/operation/operation.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/text/in_sentence.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/run/score_terms.h"
#include "core/compute/run/trace.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/operation/parts.h"
#include "ui/views/operation/sizes.h"
#include "ui/views/operation/softmax_row.h"
#include "ui/views/pipeline/layout.h"

namespace headlight {

using namespace operation;

OperationKind operation_of(const Trace& trace, Stage stage) {
  if (product_terms(trace, stage) > 0) return OperationKind::product;
  switch (stage) {
    case Stage::Q_heads:
    case Stage::K_heads:
    case Stage::V_heads: return made_from(trace, stage) == stage ? OperationKind::input : OperationKind::split;
    case Stage::concat: return OperationKind::merge;
    case Stage::Q_normed:
    case Stage::K_normed:
    case Stage::Q_scaled: return OperationKind::norm;
    case Stage::Q_rotated:
    case Stage::K_rotated: return OperationKind::rotation;
    case Stage::mask: return OperationKind::mask;
    case Stage::weights: return made_from(trace, stage) == stage ? OperationKind::input : OperationKind::softmax;
    case Stage::dropped_weights: return OperationKind::dropout;
    case Stage::scaled_scores:
    case Stage::capped_scores:
    case Stage::biased_scores:
    case Stage::masked_scores: return OperationKind::row;
    default: return OperationKind::input;
  }
}

Stage made_from(const Trace& trace, Stage stage) {
  const StageSources& sources = info(stage).sources;
  return sources.empty() ? stage : trace.standing_for(sources[0].stage).value_or(stage);
}

namespace {

/// "scores", "projection_q": the translation key of this step's sentences.
std::string sentence_key(const Trace& trace, Stage stage) {
  switch (operation_of(trace, stage)) {
    case OperationKind::norm: return stage == Stage::Q_scaled ? "scaled_queries" : "norm";
    case OperationKind::rotation: return "rotation";
    case OperationKind::split: return "split";
    case OperationKind::input:
      return stage == Stage::weights ? "given_weights" : has_head_axis(stage) ? "given_heads" : "input";
    default: break;
  }
  if (stage == Stage::output && operation_of(trace, stage) != OperationKind::product) return "no_output";
  return std::string(name(stage));
}

/// The translation key of the question when the number is to be guessed.
const char* guess_key(OperationKind kind, Stage stage) {
  if (stage == Stage::weights) return "guess.weight";
  if (stage == Stage::scores) return "guess.score";
  switch (kind) {
    case OperationKind::mask: return "guess.mask";
    case OperationKind::split:
    case OperationKind::merge: return "guess.moved";
    case OperationKind::rotation: return "guess.turned";
    case OperationKind::norm: return stage == Stage::Q_scaled ? "guess.number" : "guess.normed";
    case OperationKind::dropout: return "guess.dropped";
    default: return "guess.number";
  }
}

/// "−1.88 + 0.70 = −1.18": the row before, what is added, the row after; "" if nothing is added.
std::string addition_text(const SceneContext& context, const Cell& cell) {
  if (cell.stage != Stage::output) return {};
  const auto addition = addition_at(context, cell);
  return addition ? printed_sum(addition->before, addition->added) : std::string();
}

std::vector<Named> values_of(const SceneContext& context, Stage stage, const Focus& focus) {
  const Trace& trace = context.trace;
  const Look& look = context.look;
  const bool by_key = info(stage).rows == Axis::key;
  const Cell cell = cell_of(trace, context.view, stage, focus);
  const float value = value_at(trace, cell);
  const MatrixNumbers figures(std::span(&value, 1));
  const Dims& dims = trace.dims();
  const Index weight_head = context.view.head;
  const Stage drawn = shown_as(trace, stage);
  // If every word has its own colour in the picture, its name has it too.
  const bool shares = operation_of(trace, drawn) == OperationKind::softmax;
  const bool coloured = shares || drawn == Stage::head_outputs;
  const ImU32 key = coloured ? look.word_ink(focus.key) : look.k;
  // One decimal more than the cells have; a share is read beside the same share, which has two.
  const int more = !shares && std::abs(value) < 100 ? 1 : 0;
  // {0} the word that asks, {1} the one that is asked, {2} the number, {3} and {4} sizes, {5} the row's own word, {6}
  // the head
  return {
      {in_sentence(query_word(context, focus.query)), look.q, true, NamedLink{SceneAction::query_word, focus.query}},
      {in_sentence(key_word(context, focus.key)), key, true, NamedLink{SceneAction::key_word, focus.key}},
      {MatrixNumbers(figures.decimals() + more, false)(value), coloured ? key : look.head_ink(weight_head), true,
       NamedLink{SceneAction::look_at, 0, cell}},
      {std::to_string(trace[stage].size(-1)), look.ink, false},
      {std::to_string(dims.d_head), look.ink, false},
      {in_sentence(by_key ? key_word(context, focus.key) : query_word(context, focus.query)), look.lane(stage), true,
       NamedLink{by_key ? SceneAction::key_word : SceneAction::query_word, by_key ? focus.key : focus.query}},
      {std::to_string(weight_head), look.head_ink(weight_head), false},
      {std::to_string(has_head_axis(stage) ? trace[stage].size(1) : dims.heads), look.ink, false},
      {random_words(trace.inputs, context.words), look.warning, false},  // {8}
      {addition_text(context, cell), look.ink},                          // {9}
  };
}

/// The translation key of the sentences about the input's rows. They say which rows are added, or whether equal words
/// have equal rows (this function compares them).
std::string input_story(const SceneContext& context, Stage stage, const std::string& key) {
  const Trace& trace = context.trace;
  if (const auto parts = parts_of_row(context, stage, focus_of(trace, context.view).query))
    return key + (parts->earlier.empty() ? "_placed" : parts->place.empty() ? "_later" : "_placed_later");
  const auto& entries = info(stage).rows == Axis::key ? trace.inputs.key_tokens : trace.inputs.query_tokens;
  const auto batch = static_cast<std::size_t>(context.view.batch);
  constexpr std::size_t looked_through = 256;
  if (batch >= entries.size()) return key;
  const std::vector<std::string>& words = entries[batch];
  const MatrixView rows = numbers_of(trace, context.view, stage);
  bool same = false;
  for (std::size_t i = 0; i < std::min({words.size(), static_cast<std::size_t>(rows.rows), looked_through}); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (words[i] != words[j]) continue;
      for (Index c = 0; c < rows.cols; ++c) {
        if (rows(static_cast<Index>(i), c) != rows(static_cast<Index>(j), c)) return key + "_different";
      }
      same = true;
    }
  }
  return same ? key + "_equal" : key;
}

/// The key, with a suffix for rows without keys, for NaN, and where a sink has a share.
std::string weights_key(const SceneContext& context, const Focus& focus, const std::string& key) {
  const Cell at = matrix_of(context.trace, context.view, Stage::weights);
  const MatrixView weights = numbers_of(context.trace, context.view, Stage::weights);
  const CellMasks masks = masks_over(context.trace, Stage::weights, at.batch, at.head);
  double sum = 0;
  for (Index k = 0; k < weights.cols; ++k) sum += static_cast<double>(weights(focus.query, k));
  if (masks.allowed && is_dead_row(*masks.allowed, focus.query)) return key + (sum > 0 ? "_filled" : "_dead");
  if (std::isnan(sum)) return key + "_nan";
  return sum > 0.999 ? key : key + "_sink";
}

/// Whether the word's row has no number of this kind.
bool has_none(const SceneContext& context, Stage stage, Index query, CellKind kind) {
  const Cell at = matrix_of(context.trace, context.view, stage);
  const MatrixView numbers = numbers_of(context.trace, context.view, stage);
  const CellMasks masks = masks_over(context.trace, stage, at.batch, at.head);
  for (Index k = 0; k < numbers.cols; ++k) {
    if (classify(numbers, masks, query, k) == kind) return false;
  }
  return true;
}

/// sentence_key(), with a suffix if this run's numbers need other sentences. `made`: the number is computed and may be
/// told.
std::string prose_key(const SceneContext& context, Stage stage, const Focus& focus, bool made) {
  const Trace& trace = context.trace;
  const std::string key = sentence_key(trace, stage);
  if (key == "scaled_scores" && std::abs(trace.scale) >= 1) return trace.scale == 1 ? key + "_same" : key + "_other";
  if (key == "biased_scores") {
    for (const ScoreTerm* term : terms_of(trace.scenario, trace.inputs)) {
      if (!term->prose.empty()) return key + std::string(term->prose);
    }
  }
  if (key == "masked_scores" && trace.scenario.mask_mode == MaskMode::add) return key + "_added";
  if (key == "masked_scores" && has_none(context, stage, focus.query, CellKind::masked)) return key + "_open";
  if (key == "dropped_weights" && has_none(context, stage, focus.query, CellKind::dropped)) return key + "_none";
  if (key == "masked_scores" && std::isfinite(trace.fill)) return key + "_finite";
  if (key == "output" && is_added_to_row(trace))
    return key + (made && addition_at(context, cell_of(trace, context.view, stage, focus)) ? "_added_up" : "_added");
  if (key == "weights") return weights_key(context, focus, key);
  return key;
}

/// Below the small picture of the pipeline, which is one layer's attention: all layers of the network, each its
/// attention and its MLP, with the current one marked. Returns the height that they take.
float put_layers(Pen& pen, Rect room, bool played) {
  const SceneContext& context = pen.context();
  const auto run = network_of(context.trace.inputs);
  if (!run) return 0;
  const Network& network = *run->network;
  const Index chosen = network.layer_or_first(context.trace.scenario.layer);
  std::vector<Index> stack;
  for (Index l = 0; l < std::ssize(network.layers()); ++l) {
    if (network.layer(l).stack == network.layer(chosen).stack && network.layer(l).cross == network.layer(chosen).cross)
      stack.push_back(l);
  }
  const float u = pen.u(), each = room.width() / static_cast<float>(stack.size());
  if (stack.size() < 2 || each < MapSizes::least_layer * u) return 0;
  const Look& look = pen.look();
  float x = room.min.x;
  for (const Index l : stack) {
    const Rect attention{{x, room.min.y}, {x + each * 0.56f, room.max.y}},
        mlp{{attention.max.x + u, room.min.y + Space::fine * u},
            {x + each - Space::thin * u, room.max.y - Space::fine * u}};
    const auto put_part = [&](const Rect& part, ImU32 colour, bool here) {
      if (played && l > chosen) pen.box(part, fade(colour, 0.35f), 1, Corner::mark * u);
      else pen.fill(part, fade(colour, here ? 1.0f : 0.35f), Corner::mark * u);
    };
    put_part(attention, look.after, l == chosen);
    if (network.block_of(l).mlp) put_part(mlp, look.muted, false);
    if (l == chosen) pen.frame(attention.grown(Space::fine * u), look.ink);
    x += each;
  }
  pen.hint(room, context.words("level.layers_here"));
  return room.height() + MapSizes::pad * u;
}

/// A small picture of the pipeline with the current stage marked; during playback, later stages are empty.
void put_map(Pen& pen, Stage stage, Rect room, bool played) {
  const SceneContext& context = pen.context();
  const float u = pen.u();
  const float width = std::min(room.width(), MapSizes::widest * u), height = width * 0.56f;
  if (room.width() < MapSizes::narrowest * u || room.height() < height + pen.type.caption * 1.6f) return;
  const Rect card{room.min, {room.min.x + width, room.min.y + height}};
  pen.card(card);
  const Rect inside = card.grown(-MapSizes::pad * u);
  const PipelineLayout layout = lay_out_pipeline(context.trace, {.size = {1000, 640}});
  const float x = inside.width() / 1000, y = inside.height() / 640;
  for (const Slot& slot : layout.slots) {
    const Rect at{{inside.min.x + slot.card.min.x * x, inside.min.y + slot.card.min.y * y},
                  {inside.min.x + slot.card.max.x * x, inside.min.y + slot.card.max.y * y}};
    const bool here = slot.stage == shown_as(context.trace, stage);
    if (played && !is_parameter(slot.stage) && slot.stage > stage) {
      pen.box(at, fade(pen.look().lane(slot.stage), 0.35f), 1, Corner::mark * u);
      continue;
    }
    pen.fill(at, fade(pen.look().lane(slot.stage), here ? 1.0f : 0.35f), Corner::mark * u);
    if (here) pen.frame(at.grown(Space::fine * u), pen.look().ink);
  }
  const float layers = put_layers(
      pen,
      {{card.min.x, card.max.y + Space::close * u}, {card.max.x, card.max.y + (Space::close + MapSizes::layers) * u}},
      played);
  pen.caption({card.min.x, card.max.y + layers + pen.type.caption}, Align::left, context.words("level.you_are_here"));
  pen.target(card, SceneAction::back);
}

/// Whether the chosen number is computed at this moment.
bool is_made(const SceneContext& context, OperationKind kind, Stage stage, const Focus& focus, const Reveal& reveal) {
  if (reveal.whole()) return true;
  const Cell cell = cell_of(context.trace, context.view, stage, focus);
  if (!reveal.share) return !reveal.terms && reveal.shown.has(cell.row, cell.col);
  return kind == OperationKind::softmax ? softmax_made(reveal, cell.row).shares >= 1 : *reveal.share >= number_there;
}

/// The head of a step: its title and story, the guess, and the tabs; the area shrinks by it.
struct StepHead : ScenePart {
  Stage stage{};
  OperationKind kind{};
  Focus focus;
  Rect area;
  const Reveal& reveal;
  const bool guessable = !presenting && kind != OperationKind::input, hidden = guessable && is_guessed(context);
  const bool made = !hidden && is_made(context, kind, stage, focus, reveal);
  const bool tried = kind == OperationKind::softmax && trial_of(trace, view, focus.query);
  const std::vector<Named> values = named_values();

  std::vector<Named> named_values() const {
    std::vector<Named> all = values_of(context, stage, focus);
    if (!tried) return all;
    const SoftmaxRow row = softmax_row(trace, view, focus, 2);
    if (const SoftmaxPart* part = row.find(focus.key))
      all[2].text = MatrixNumbers(3, true)(static_cast<float>(part->share));
    return all;
  }
  const Align align = presenting ? Align::middle : Align::left;

  void tell(TextRole role, std::string_view pattern, std::span<const Named> named, float pixels, ImU32 colour) {
    area.min.y += pen.sentence(role, pattern, named, area, pixels, colour, align);
  }

  void put_buttons() {
    const float taken = presenting ? 0 : put_facets(pen, area);
    if (taken <= 0) return;
    const float guess =
        guessable && area.width() >= GuessSizes::guess_from * u
            ? pen.measure(Face::ui, pen.type.caption, say("sentence.guess")).x + GuessSizes::beside_guess * u
            : 0;
    if (guess > 0) put_guess(pen, area, area.max.x - taken + Space::apart * u);
    area.max.x -= taken + guess;
  }

  void put_words() {
    const std::string key = "prose." + (tried ? "weights_tried" : prose_key(context, stage, focus, made));
    const std::string title(say(key_here(context, key + ".title")));
    const bool tells = title.find("{2}") != std::string::npos;  // the chosen number
    tell(TextRole::prose, hidden || (!made && tells) ? say(guess_key(kind, stage)) : std::string_view(title), values,
         pen.type.title, look.ink);
    const std::string story = key == "prose.input" ? input_story(context, stage, key + ".story") : key + ".story";
    const bool noted = stage >= Stage::scores && stage != Stage::mask && !random_words(trace.inputs, say).empty();
    tell(TextRole::story, say(key_here(context, story)) + std::string(noted ? " {8}" : ""), values, pen.type.story,
         look.muted);
    if (shown_as(trace, stage) != Stage::weights || presenting || !made || tried) return;
    if (const RowProse prose = row_prose(context, focus.query); prose.key)
      tell(TextRole::story, say(prose.key), prose.values, pen.type.story, look.muted);
  }

  /// The field for a guess; afterwards the guess and the number.
  void put_guessing() {
    if (const Guessing& guessing = view.levels.guessing; guessable && guessing.guess) {
      const float guess = *guessing.guess;
      const int decimals = MatrixNumbers(std::span(&guess, 1)).decimals() + 1;
      const std::vector<Named> numbers{{MatrixNumbers(decimals, false)(guess), look.ink}, values[2]};
      tell(TextRole::story, say("guess.said"), numbers, pen.type.story, look.ink);
    }
    if (!hidden) return;
    const float y = area.min.y + Space::tight * u, height = GuessSizes::answer_height * u;
    pen.target({{area.min.x, y}, {area.min.x + std::min(GuessSizes::answer_width * u, area.width()), y + height}},
               SceneAction::own_words);
    area.min.y += height + Space::gap * u;
  }
};

/// The step itself; returns the space left for the small map.
Rect put_step(OperationKind kind, const Task& whole) {
  Task task = whole;
  if (const std::optional<Rect> roles = roles_room(whole)) {
    task.area.max.y = roles->min.y - Space::pad * task.u();
    put_roles(whole, *roles);
  }
  if (kind == OperationKind::product && task.stage == Stage::output) {
    const Index row = cell_of(task.trace(), task.context().view, task.stage, task.focus).row;
    if (const std::optional<BlockParts> parts = parts_of_block(task.context(), row)) {
      residual(task, *parts);
      return {};
    }
  }
  switch (kind) {
    case OperationKind::product: return task.stage == Stage::head_outputs ? mixture(task) : product(task);
    case OperationKind::row:
    case OperationKind::dropout: return rows(task);
    case OperationKind::softmax: return softmax(task);
    default: break;
  }
  Task narrower = task;
  Rect left_over;
  const float u = task.u();
  if (!task.context().view.presenting && task.area.width() >= MapSizes::from * u) {
    left_over = {{task.area.max.x - MapSizes::column * u, task.area.min.y}, task.area.max};
    narrower.area.max.x -= MapSizes::room * u;
  }
  switch (kind) {
    case OperationKind::split:
    case OperationKind::merge: split_or_merge(narrower); break;
    case OperationKind::norm: norm(narrower); break;
    case OperationKind::rotation: rotation(narrower); break;
    case OperationKind::mask: mask_grid(narrower); break;
    default: input(narrower); break;
  }
  return left_over;
}

}  // namespace

Scene make_operation(const SceneContext& context, Stage stage, const Reveal& reveal, Rect place) {
  if (is_input(stage) && context.trace.inputs.self_attention() && context.trace.has(Stage::query))
    stage = Stage::query;  // X is shown for the query's word, as the later stages are
  Scene scene;
  Pen pen(context, scene);
  const Rect whole = scene_area(context, place);
  const OperationKind kind = operation_of(context.trace, stage);
  StepHead head{pen, stage, kind, focus_of(context.trace, context.view), whole, reveal};
  head.put_buttons();
  head.put_words();
  head.put_guessing();
  const float gap = (context.view.presenting ? Space::near : Space::card) * context.u;
  Reveal nothing;  // the step before its result is computed, drawn while the number is to be guessed
  nothing.share = 0.0f;
  const Rect area{{whole.min.x, head.area.min.y + gap}, whole.max};
  const Rect left_over = put_step(kind, {pen, stage, head.focus, head.hidden ? nothing : reveal, area});
  if (!context.view.presenting) put_map(pen, stage, left_over, context.view.step.has_value());
  return scene;
}

}  // namespace headlight
