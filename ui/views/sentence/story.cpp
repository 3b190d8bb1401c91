#include "ui/views/sentence/story.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/tensor/sampler.h"
#include "core/compute/network/shipped_models.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr Index words_shown = 6;

/// "1.0": a head of a network as in a scenario.
std::string head_name(const NetworkLayer& layer, Index head) { return layer.layer + "." + std::to_string(head); }

/// The findings about the heads of `file`, if it is a shipped model.
std::span<const HeadClaim> claims_of(const std::string& file) {
  constexpr std::string_view shipped = "model:";
  if (!file.starts_with(shipped)) return {};
  static const std::vector<ShippedModel> models = shipped_models();
  const auto model = std::ranges::find(models, file.substr(shipped.size()), &ShippedModel::id);
  return model == models.end() ? std::span<const HeadClaim>() : model->claims;
}

/// " 54 → 20 %": the right answers with the head and without it, in one piece, so that no line breaks in it.
std::string measured_share(const HeadClaim& claim) {
  const auto& measured = claim.measured;
  if (!measured.contains("accuracy") || !measured.contains("without")) return {};
  const auto part = [&](const char* field) { return std::to_string(std::lround(100 * measured[field].get<double>())); };
  return " " + part("accuracy") + "\u00A0→\u00A0" + part("without") + "\u00A0%";
}

/// The layer of the network that the trace shows.
const NetworkLayer& layer_of(const Network& network, const Trace& trace) {
  return network.layers()[static_cast<std::size_t>(network.layer_or_first(trace.scenario.layer))];
}

void add_rail(const Trace& trace, const View& view, const NetworkRun& run, SentenceStory& story) {
  const Network& network = *run.network;
  const Index chosen = network.layer_or_first(trace.scenario.layer);
  for (Index at = 0; at < static_cast<Index>(network.layers().size()); ++at) {
    const NetworkLayer& layer = network.layers()[static_cast<std::size_t>(at)];
    const LayerRun& kept = run.layers[static_cast<std::size_t>(at)];
    // Overlays need whole rows; those of the selected layer are in the trace.
    const bool whole = story.picture && at == chosen;
    const Tensor& weights = whole                    ? trace[Stage::weights]
                            : kept.weights.defined() ? kept.weights
                                                     : kept.summary.pictures;
    if (!weights.defined()) continue;
    RailLayer shown;
    shown.name = layer.layer;
    shown.answers = !story.picture && &run.queries_of(at) == &run.queries_of(chosen) &&
                    weights.size(2) == trace.dims().n_q && weights.size(3) == run.keys_of(at).count();
    if (&run.keys_of(at) != &run.keys_of(chosen)) shown.keys = &run.keys_of(at);
    const bool is_cut = run.heads_of(at) != layer.heads;  // what its heads do was measured before
    const auto claim = [&](Index h, bool brief) {
      if (is_cut) return std::string();
      const std::string does = claim_of(network.file(), layer.layer, h, view.language, brief);
      return brief || does.empty() ? does : does + measured_share(*claim_at(network.file(), layer.layer, h));
    };
    for (Index h = 0; h < weights.size(1); ++h) {
      const bool is_chosen = at == chosen && h == view.head;
      shown.heads.push_back(
          {.layer = at,
           .head = h,
           .weights = weights,
           .mask = {},
           .claim = claim(h, false),
           .chosen = is_chosen,
           .silent = run.knock_out.contains({at, h}) || (is_chosen && view.levels.knocked && run.is_small()),
           .brief = claim(h, true)});
    }
    story.rail.push_back(std::move(shown));
  }
}

/// Whether each of the layer's queries is followed by its own prediction: in a decoder, or if no word attends to later
/// ones. A layer that is changed now is judged by the model's own rule, so that before and after are of the same word.
bool predicts_after_each(const NetworkRun& run, const Trace& trace, Index batch) {
  const Index n_q = trace.dims().n_q;
  if (!run.logits.defined() || run.logits.size(1) != n_q || n_q < 2) return false;
  const Index layer = run.network->layer_or_first(trace.scenario.layer);
  const bool decodes = run.text.decoder.count() > 0;
  const TokenBatch& predicted = decodes ? run.text.decoder : run.text.tokens;
  if (&run.queries_of(layer) != &predicted) return false;
  if (decodes && !trace.inputs.self_attention()) return true;
  if (run.change) return run.network->attention_of(layer).causal;
  return trace.has(Stage::mask) &&
         trace[Stage::mask].matrix(std::min(batch, trace[Stage::mask].size(0) - 1), 0)(0, n_q - 1) == 0;
}

/// The most probable next words. With a change, also the word that was first before it, as the second if need be:
/// what becomes of it is the question.
std::vector<LikelyToken> words_to_show(const NetworkRun& run, const OtherPass& other, Index batch, Index place) {
  std::vector<LikelyToken> words = most_likely(run, batch, place, words_shown);
  if (!other.run || other.beside) return words;
  const LikelyToken former = most_likely(*other.run, batch, place, 1).front();
  auto found = std::ranges::find(words, former.id, &LikelyToken::id);
  if (found == words.begin()) return words;
  if (found == words.end()) {
    found = std::prev(words.end());
    *found = {former.id, former.text, probability_of(run, batch, place, former.id)};
  }
  std::rotate(words.begin() + (words.size() > 1 ? 1 : 0), found, std::next(found));
  return words;
}

void add_prediction(const Trace& trace, const View& view, const NetworkRun& run, Index place, const OtherPass& other,
                    SentenceStory& story) {
  if (!run.logits.defined()) return;
  const Index batch = std::min(view.batch, run.logits.size(0) - 1);
  const bool at_end = place < 0;
  if (at_end) place = place_of_prediction(run, batch);
  story.sampling = view.levels.sampling;
  story.shares = next_shares(run, batch, place, story.sampling);
  const auto share = [](const std::vector<double>& all, Index token) { return all[static_cast<std::size_t>(token)]; };
  for (const LikelyToken& token : words_to_show(run, other, batch, place)) {
    story.next.push_back(
        {token.text, token.id, share(story.shares, token.id), story.sampling.is_plain() ? -1 : token.probability});
  }
  const TokenBatch& tokens = run.text.decoder.count() > 0 ? run.text.decoder : run.text.tokens;
  const auto entry = static_cast<std::size_t>(std::min<Index>(batch, tokens.size() - 1));
  const Inputs& inputs = trace.inputs;
  if (entry < inputs.query_tokens.size() && !inputs.query_tokens[entry].empty()) {
    const auto& words = inputs.query_tokens[entry];
    if (!at_end) story.next_after = words[static_cast<std::size_t>(place)];
    else if (run.network->spec().picture) story.next_after = words.front();
    else if (tokens.count() > 0 && run.text.decoder.count() == 0) story.next_after = words.back();
  }
  const NetworkSpec& spec = run.network->spec();
  story.writes = spec.writes();
  story.next_at = spec.picture ? 0 : at_end ? tokens.lengths[entry] - 1 : place;
  if (!other.run) return;
  const NetworkLayer& chosen = layer_of(*run.network, trace);
  if (other.beside) {
    const LikelyToken likely = most_likely(*other.run, batch, place, 1).front();
    story.unless = {head_name(chosen, view.head), likely.text, likely.probability,
                    likely.id != most_likely(run, batch, place, 1).front().id};
    return;
  }
  if (other.without_head) story.silent = head_name(chosen, view.head);
  else if (!other.unswapped) story.changed_layer = chosen.layer;
  std::vector<double> others = next_shares(*other.run, batch, place, story.sampling);
  for (Guess& guess : story.next) {
    guess.before = share(others, guess.token);
    if (other.without_head) std::swap(guess.before, guess.probability);
  }
  if (other.without_head) story.shares = std::move(others);
}

void add_change(const NetworkRun& run, Index batch, Index place, const OtherPass& other, SentenceStory& story) {
  if (!run.change) return;
  ChangedLayer& changed = story.changed.emplace();
  const NetworkLayer& layer = run.network->layer(run.change->layer);
  for (const Setting& setting : all_settings()) {
    if (!setting.changes_layer(run.change->settings)) continue;
    const bool by_hand = setting.operand == "JSON";  // cells, which no sentence holds
    changed.settings.emplace_back(setting.key, by_hand ? "" : setting.text(run.change->settings).value_or(""));
  }
  changed.layer = layer.layer;
  changed.heads = run.heads_of(run.change->layer);
  changed.heads_before = layer.heads;
  if (!other.run || other.without_head || other.beside || other.unswapped || !run.logits.defined()) return;
  batch = std::min(batch, run.logits.size(0) - 1);
  if (place < 0) place = place_of_prediction(run, batch);
  const LikelyToken before = most_likely(*other.run, batch, place, 1).front(),
                    after = most_likely(run, batch, place, 1).front();
  changed.before = before.text;
  changed.probability_before = before.probability;
  changed.after = after.text;
  changed.probability_after = after.probability;
}

/// Looks for the head that gives most to the key that was asked for. A weight is not yet a reason: the effect is that
/// of a pass without the head.
void add_sought(const Trace& trace, const View& view, const NetworkRun& run, Index place, SentenceStory& story) {
  const std::optional<Index> key = view.levels.at;
  if (!key) return;
  const Index query = asking_word(trace, view);
  Sought best;
  for (const RailLayer& layer : story.rail) {
    if (!layer.answers || layer.keys || *key >= layer.heads.front().weights.size(3)) continue;
    for (const RailHead& head : layer.heads) {
      const Tensor& weights = head.weights;
      const float weight = weights.matrix(std::min(view.batch, weights.size(0) - 1), head.head)(query, *key);
      if (!(weight > best.weight)) continue;
      best.layer = head.layer;
      best.head = head.head;
      best.weight = weight;
    }
  }
  if (!(best.weight > 0)) return;
  best.name = head_name(run.network->layer(best.layer), best.head);
  const bool measured = run.is_small() && run.logits.defined() && !run.knock_out.contains({best.layer, best.head});
  if (measured) {
    const Index batch = std::min(view.batch, run.logits.size(0) - 1);
    if (place < 0) place = place_of_prediction(run, batch);
    const LikelyToken likely = most_likely(run, batch, place, 1).front();
    RunOptions options;
    options.weights = false;
    options.change = run.change;
    options.knock_out = run.knock_out;
    options.knock_out.emplace(best.layer, best.head);
    const NetworkRun without = run.network->run(run.text, options);
    best.next = likely.text;
    best.probability = likely.probability;
    best.without = next_shares(without, batch, place, {})[static_cast<std::size_t>(likely.id)];
  }
  story.sought = std::move(best);
}

/// The network's input with the two swapped words at their original positions; unset if none are swapped.
std::optional<NetworkText> unswapped_text(const Trace& trace, const View& view, const NetworkRun& run) {
  if (!is_swapped(trace, view)) return {};
  NetworkText text = run.text;
  TokenBatch& tokens = text.decoder.count() > 0 ? text.decoder : text.tokens;
  const auto batch = static_cast<std::size_t>(std::clamp<Index>(view.batch, 0, tokens.size() - 1));
  const SwappedWords& swapped = *view.levels.swapped;
  if (std::max(swapped.first, swapped.second) >= tokens.count()) return {};
  std::vector<Token>& line = tokens.entries[batch];
  std::swap(line[static_cast<std::size_t>(swapped.first)], line[static_cast<std::size_t>(swapped.second)]);
  return text;
}

/// Width and height before and after, if a picture was resized out of proportion.
std::vector<std::string> squashed_sides(const NetworkRun& run, Index batch) {
  const InputImage& picture =
      *run.text.pictures[std::min(static_cast<std::size_t>(batch), run.text.pictures.size() - 1)];
  const PictureSteps& steps = run.network->spec().picture->steps;
  if (steps.width <= 0 || steps.height <= 0) return {};
  const double before = static_cast<double>(picture.width) / picture.height,
               after = static_cast<double>(steps.width) / steps.height;
  if (std::abs(before / after - 1) < 0.02) return {};
  std::vector<std::string> sides;
  for (const int side : {picture.width, picture.height, steps.width, steps.height})
    sides.push_back(std::to_string(side));
  return sides;
}

}  // namespace

const HeadClaim* claim_at(const std::string& file, const std::string& layer, Index head) {
  for (const HeadClaim& claim : claims_of(file)) {
    if (claim.head == head && claim.layer == layer) return &claim;
  }
  return nullptr;
}

std::string claim_of(const std::string& file, const std::string& layer, Index head, const std::string& language,
                     bool brief) {
  const HeadClaim* claim = claim_at(file, layer, head);
  if (!claim || (brief && claim->brief.empty())) return {};
  return in_language(brief ? claim->brief : claim->does, language);
}

const char* rest_key(const HeadClaim& claim) {
  if (claim.rests_on == "first") return "network.rests_first";
  if (claim.rests_on == "previous") return "network.rests_previous";
  return claim.rests_on == "itself" ? "network.rests_itself" : nullptr;
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string claims_text(const std::string& file) {
  std::string text;
  for (const HeadClaim& claim : claims_of(file)) {
    for (const auto* each : {&claim.does, &claim.brief})
      for (const auto& [language, words] : *each) text += words;
  }
  return text;
}

bool is_swapped(const Trace& trace, const View& view) {
  return view.levels.swapped && view.levels.swapped->text == trace.scenario.text;
}

OtherPass other_pass(const Trace& trace, const View& view) {
  const auto run = network_of(trace.inputs);
  const bool knocked = view.levels.knocked;
  if (!run || !run->is_small()) return {};
  RunOptions options;
  options.weights = run->change.has_value();
  options.parts = true;
  options.knock_out = run->knock_out;
  if (const auto text = unswapped_text(trace, view, *run)) {
    options.change = run->change;
    return {std::make_shared<const NetworkRun>(run->network->run(*text, options)), false, false, true};
  }
  const bool beside = !knocked && !run->change;
  const std::pair head{run->network->layer_or_first(trace.scenario.layer), view.head};
  if (beside && run->knock_out.contains(head)) return {};
  if (knocked || beside) {
    options.knock_out.insert(head);
    options.change = run->change;
  }
  return {std::make_shared<const NetworkRun>(run->network->run(run->text, options)), knocked, beside};
}

Index prediction_place(const Trace& trace, const View& view, Index word) {
  const auto run = network_of(trace.inputs);
  if (!run || !run->logits.defined() || !run->is_small()) return -1;
  const Index batch = std::min(view.batch, run->logits.size(0) - 1);
  return predicts_after_each(*run, trace, batch) ? word : -1;
}

SentenceStory story_of(const Trace& trace, const View& view, Index place, const OtherPass& other) {
  SentenceStory story;
  if (const auto run = network_of(trace.inputs)) {
    story.network = story.takes_words = true;
    if (run->change) story.mask = run->change->settings.mask;
    story.can_knock = run->is_small();
    story.picture = patch_picture(*run, view.batch);
    if (story.picture) story.squashed = squashed_sides(*run, view.batch);
    add_rail(trace, view, *run, story);
    const Network& network = *run->network;
    const Index layer = network.layer_or_first(trace.scenario.layer);
    if (run->heads_of(layer) == network.layer(layer).heads)
      story.claim = claim_at(network.file(), layer_of(network, trace).layer, view.head);
    add_prediction(trace, view, *run, place, other, story);
    add_change(*run, view.batch, place, other, story);
    add_sought(trace, view, *run, place, story);
    return story;
  }
  story.random_weights = trace.inputs.random_parameters;
  story.mask = trace.scenario.mask;
  story.takes_words = trace.scenario.source == Source::text;
  RailLayer layer;
  const Index heads = trace[Stage::weights].rank() >= 4 ? trace[Stage::weights].size(1) : 1;
  for (Index h = 0; h < heads && heads > 1; ++h)
    layer.heads.push_back({0, h, trace[Stage::weights], trace[Stage::mask], {}, h == view.head, false});
  layer.answers = true;
  if (!layer.heads.empty()) story.rail.push_back(std::move(layer));
  return story;
}

const OtherPass& other_pass(const Frame& frame) {
  const View& v = frame.view();
  return frame.pictures.get<OtherPass>([&] { return other_pass(*frame.trace(), v); }, frame.document.trace, v.head,
                                       v.batch, v.levels.knocked, v.levels.swapped);
}

const SentenceStory& sentence_story(const Frame& frame, Index place) {
  const View& v = frame.view();
  const OtherPass& other = other_pass(frame);
  return frame.pictures.get_at<SentenceStory>(
      std::pair(place, asking_word(*frame.trace(), v)), [&] { return story_of(*frame.trace(), v, place, other); },
      frame.document.trace, v.head, v.batch, v.language, v.levels.knocked, v.levels.swapped, v.levels.sampling,
      v.levels.at);
}

void choose_head(const Frame& frame, Index layer, Index head) {
  const Trace& trace = *frame.trace();
  frame.show([head](View& v) { v.head = head; });
  const auto run = network_of(trace.inputs);
  if (!run || layer == run->network->layer_or_first(trace.scenario.layer)) return;
  frame.edit("layer",
             [name = run->network->layers()[static_cast<std::size_t>(layer)].layer](Scenario& s) { s.layer = name; });
}

namespace {

/// Whether a word was just written by the first click of a double click: the other word that is then under the pointer
/// was not meant.
bool is_second_click(const Frame& frame) {
  struct LastClick {
    double at = -1e9;
  };
  LastClick& last = frame.pictures.get<LastClick>([] { return LastClick{}; });
  const double now = ImGui::GetTime();
  const bool second = now - last.at < static_cast<double>(ImGui::GetIO().MouseDoubleClickTime);
  last.at = now;
  return second;
}

}  // namespace

void write_word(const Frame& frame, const SentenceStory& story, std::optional<Index> token) {
  const auto run = network_of(frame.trace()->inputs);
  if (!run || !story.writes) return;
  const View& view = frame.view();
  const Index batch = std::min(view.batch, run->logits.size(0) - 1);
  if (token && is_second_click(frame)) return;
  if (!token) {
    if (!story.shares.empty() && std::isnan(story.shares.front())) {
      frame.actions.push_back(ShowError{frame.words("sentence.draws_none")});
      return;
    }
    const auto number = philox(static_cast<std::uint64_t>(view.levels.draws),
                               static_cast<std::uint64_t>(frame.document.scenario.seed))[0];
    token = drawn(story.shares, static_cast<double>(philox_uniform(number)));
    frame.show([](View& v) { ++v.levels.draws; });
  }
  const std::optional<std::string> text =
      written_on(*run->network, frame.document.scenario.text, batch, story.next_at, *token);
  if (!text) {  // the end token, or another one that is not a word
    frame.actions.push_back(ShowError{frame.words.fill("sentence.ends", {run->network->word(*token)})});
    return;
  }
  frame.edit({}, [text](Scenario& s) { s.text = *text; });
  frame.show([next = story.next_at + 1](View& v) {
    v.levels.query = next;
    v.levels.key.reset();
    v.pointed.word.reset();
    v.selected.reset();
  });
}

void knock_out(const Frame& frame) {
  if (!network_of(frame.trace()->inputs)) return;
  frame.show([](View& v) { v.levels.knocked = !v.levels.knocked; });
}

}  // namespace headlight
