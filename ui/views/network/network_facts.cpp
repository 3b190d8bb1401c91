#include <algorithm>

#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/parts/scene/focus.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/sentence/story.h"

namespace headlight {
namespace {

constexpr Index most_predictions = 256;

/// The passes that are repeated to measure how the probability of the most likely word changes.
struct Effects {
  /// A pass without a head, or without a whole layer.
  struct Case {
    HeadPlace at;       ///< head −1: the layer
    bool mean = false;  ///< the mean takes the place of the head's output, else zero
  };
  std::shared_ptr<const NetworkRun> run;
  Index batch = 0, token = -1;
  std::vector<Case> cases;
  Index place = 0;                         ///< of the prediction that is measured
  std::size_t next = 0;                    ///< index of the next of `cases`
  std::shared_ptr<const MeanHeads> means;  ///< over the network's sentences; null until computed
};

double probability_in(const Effects& effects, const Effects::Case& which) {
  const auto& [at, mean] = which;
  const NetworkRun& run = *effects.run;
  RunOptions options;
  options.weights = false;
  options.threads = 1;
  options.knock_out = run.knock_out;
  if (mean) options.means = effects.means;
  options.change = run.change;
  for (Index h = 0; h < run.heads_of(at.layer); ++h) {
    if (at.head < 0 || at.head == h) options.knock_out.emplace(at.layer, h);
  }
  const NetworkRun without = run.network->run(run.text, options);
  return probability_of(without, effects.batch, effects.place, effects.token);
}

/// The tokens that the network continues: the decoder's, if it has one.
const TokenBatch& continued_tokens(const NetworkRun& run) {
  return run.text.decoder.count() > 0 ? run.text.decoder : run.text.tokens;
}

/// The tokens of one batch entry, without padding, as text; of the last entry, if there are fewer.
std::vector<std::string> words_of(const TokenBatch& tokens, Index batch) {
  if (tokens.lengths.empty()) return {};
  const auto entry = static_cast<std::size_t>(std::min<Index>(batch, tokens.size() - 1));
  std::vector<std::string> words;
  for (Index i = 0; i < tokens.lengths[entry]; ++i)
    words.push_back(tokens.entries[entry][static_cast<std::size_t>(i)].text);
  return words;
}

/// What has been computed about a trace, what remains, and the matrix of all layers.
struct FactsInProgress {
  FactsSoFar so_far;
  Effects effects;
  // The requested matrix.
  LayersTogether together = LayersTogether::none;
  Index together_at = -1;
  std::optional<std::uint64_t> joined_version;
  std::optional<std::uint64_t> task_version;
  HeadMeasure measure = HeadMeasure::weight;  ///< the measure of `brought`
};

/// `asked`: the position that is asked about; −1: where the network predicts.
void tell_predictions(const NetworkRun& run, Index batch, Index asked, NetworkFacts& facts, Effects& effects) {
  if (!run.logits.defined()) return;
  batch = std::min(batch, run.logits.size(0) - 1);
  const std::vector<std::string> words = words_of(continued_tokens(run), batch);
  const Index place = asked < 0 ? place_of_prediction(run, batch) : asked, count = std::ssize(words);
  const LikelyToken likely = most_likely(run, batch, place, 1).front();
  facts.likeliest = likely.text;
  facts.probability = likely.probability;
  if (run.logits.size(1) >= count && !run.network->spec().takes_tensors) {
    const Index first = std::clamp<Index>(place, 0, std::max<Index>(0, count - most_predictions));
    for (Index i = first; i < std::min(count, first + most_predictions); ++i) {
      const LikelyToken next = most_likely(run, batch, i, 1).front();
      facts.predictions.push_back({item(words, i), next.text, next.probability, i == place});
    }
  }
  if (!run.is_small()) return;
  effects.batch = batch;
  effects.place = place;
  effects.token = likely.id;
  for (std::size_t l = 0; l < run.layers.size(); ++l) {
    const Index heads = run.heads_of(static_cast<Index>(l));
    facts.without.emplace_back(static_cast<std::size_t>(heads));
    for (Index h = -1; h < heads; ++h) effects.cases.push_back({{static_cast<Index>(l), h}});
  }
  facts.without_layer.resize(run.layers.size());
}

/// Experts, and what generation reads.
void tell_layers(const NetworkRun& run, Index batch, NetworkFacts& facts) {
  const bool mixture = std::ranges::any_of(run.layers, [](const LayerRun& layer) { return layer.experts.defined(); });
  for (const LayerRun& layer : run.layers) {
    if (mixture) facts.experts.push_back(layer.experts);
  }
  if (continued_tokens(run).lengths.empty()) return;
  facts.text = words_of(continued_tokens(run), batch);
  facts.decode = decode_layers(*run.network);
}

FactsInProgress begin(const Frame& frame, Index asked) {
  FactsInProgress state;
  const Trace& trace = *frame.trace();
  NetworkFacts& facts = state.so_far.facts;
  facts.can_measure = can_be_measured(trace) && (trace.overview->network || trace.overview->layers.size() == 1);
  facts.random_weights = trace.inputs.random_parameters;
  if (const auto run = network_of(trace.inputs)) {
    facts.can_knock = true;
    facts.file = run->network->file();
    const auto layers = run->network->layers();
    if (run->change) facts.changed = layers[static_cast<std::size_t>(run->change->layer)].layer;
    bool any = false;
    for (const NetworkLayer& layer : layers) {
      std::vector<std::string>&claims = facts.claims.emplace_back(), &briefs = facts.briefs.emplace_back();
      for (Index h = 0; h < run->heads_of(std::ssize(facts.claims) - 1); ++h) {
        const auto words = [&](bool brief) {
          return claim_of(run->network->file(), layer.layer, h, frame.view().language, brief);
        };
        any |= !claims.emplace_back(words(false)).empty();
        briefs.push_back(words(true));
      }
    }
    if (!any) facts.claims.clear(), facts.briefs.clear();
    tell_layers(*run, frame.view().batch, facts);
    state.effects.run = run;
    tell_predictions(*run, frame.view().batch, asked, facts, state.effects);
  }
  return state;
}

/// Computes the next pass; returns whether there was one left.
bool advance_effects(FactsInProgress& state) {
  Effects& effects = state.effects;
  if (effects.next >= effects.cases.size()) return false;
  const Effects::Case& which = effects.cases[effects.next++];
  NetworkFacts& facts = state.so_far.facts;
  const auto layer = static_cast<std::size_t>(which.at.layer), head = static_cast<std::size_t>(which.at.head);
  std::optional<double>& probability = which.at.head < 0 ? facts.without_layer[layer]
                                       : which.mean      ? facts.with_mean[layer][head]
                                                         : facts.without[layer][head];
  probability = probability_in(effects, which);
  return true;
}

/// Computes the means of heads in the background, while nothing else is computed. The passes with them come last.
void tell_means(const Frame& frame, FactsInProgress& state) {
  Effects& effects = state.effects;
  const LayersTogether shown = frame.view().network.together;
  const bool busy = shown == LayersTogether::patch || shown == LayersTogether::study;
  if (effects.means || effects.cases.empty() || busy || !effects.run->knock_out.empty()) return;
  effects.means = means_shown(frame, effects.run);
  if (!effects.means) return;
  NetworkFacts& facts = state.so_far.facts;
  for (const auto& layer : facts.without) {
    // The means are those of the network's own heads.
    const Index at = std::ssize(facts.with_mean);
    const bool is_cut = effects.run->heads_of(at) != effects.run->network->layer(at).heads;
    for (Index h = 0; h < std::ssize(layer) && !is_cut; ++h)
      effects.cases.push_back({{std::ssize(facts.with_mean), h}, true});
    facts.with_mean.emplace_back(layer.size());
  }
  ++state.so_far.version;
}

/// Flow needs a maximum flow for each pair of words, over all edges.
bool flow_can_be_had(Index words, std::ptrdiff_t layers) { return words <= 128 && words * words * layers <= 200'000; }

/// The matrix of one batch entry of [B, n, m].
Tensor one_entry(const Tensor& means, Index batch) {
  return means.slice(0, std::min(batch, means.size(0) - 1), 1).contiguous().view({means.size(1), means.size(2)});
}

/// The translation key of the reason why there is no such matrix; "" if there is one.
const char* missing_together(const HeadOverview& overview, Index layer, LayersTogether wanted) {
  const OverviewLayer& last = item(overview.layers, layer);
  const Tensor& mean = last.summary.mean;
  if (!mean.defined()) return "network.too_long";
  if (wanted == LayersTogether::mean) return "";
  if (mean.size(1) != mean.size(2)) return "network.not_square";
  const auto layers =
      std::count_if(overview.layers.begin(), overview.layers.begin() + layer + 1,
                    [&](const OverviewLayer& each) { return each.stack == last.stack && each.cross == last.cross; });
  return wanted == LayersTogether::flow && !flow_can_be_had(mean.size(1), layers) ? "network.flow_too_long" : "";
}

/// Computes another line of the lens; returns whether there was one left.
bool advance_lens(const Frame& frame, FactsInProgress& state) {
  const auto run = network_of(frame.trace()->inputs);
  NetworkFacts& facts = state.so_far.facts;
  if (frame.view().network.together != LayersTogether::lens || !run || !run->logits.defined()) return false;
  if (run->network->spec().head.reads != HeadReads::first)
    return false;  // the prediction does not depend on a single token
  const auto layers = run->network->layers();
  const Index batch = std::min(frame.view().batch, run->logits.size(0) - 1), block = std::ssize(facts.lens);
  if (block >= std::ssize(run->network->spec().stacks.back().blocks)) return false;
  if (block == 0) {
    facts.lens_words = words_of(continued_tokens(*run), batch);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].stack == layers.back().stack && !layers[i].cross)
        facts.lens_layers.push_back(static_cast<Index>(i));
    }
  }
  facts.lens.push_back(lens_after(*run, batch, block));
  return true;
}

/// Computes the contribution norms of another layer; returns whether there was one left.
bool advance_brought(const Frame& frame, FactsInProgress& state) {
  NetworkFacts& facts = state.so_far.facts;
  const HeadMeasure measure = frame.view().measure;
  if (state.measure != measure) {
    state.measure = measure;
    facts.brought.clear();
    facts.most_brought = 0;
    ++state.so_far.version;
  }
  const HeadOverview& overview = *frame.trace()->overview;
  const Index layer = std::ssize(facts.brought);
  if (!facts.can_measure || measure == HeadMeasure::weight || layer >= std::ssize(overview.layers)) return false;
  const auto run = network_of(frame.trace()->inputs);
  Tensor lengths;
  if (layer == overview.chosen && frame.trace()->has(Stage::contribution_norms)) {
    lengths = (*frame.trace())[Stage::contribution_norms];
  } else if (run) {
    Scenario scenario = frame.document.scenario;
    scenario.layer = item(overview.layers, layer).layer;
    lengths = contribution_norms(*compute_layer(run, layer, scenario));
  }
  if (!lengths.defined()) return false;
  const Tensor pictures = pictures_of(measure == HeadMeasure::share ? row_shares(lengths) : lengths).contiguous();
  for (const float length : pictures.values()) facts.most_brought = std::max(facts.most_brought, length);
  facts.brought.push_back(pictures);
  return true;
}

/// The requested matrix: a mean is available at once, rollout and flow come from the frame's joiner.
void tell_together(const Frame& frame, const HeadOverview& overview, FactsInProgress& state) {
  const LayersTogether wanted = frame.view().network.together;
  const bool joins = wanted != LayersTogether::none;
  const Index layer = joins ? looked_at_head(overview, frame.view()).layer : 0;
  NetworkFacts& facts = state.so_far.facts;
  if (state.together != wanted || state.together_at != layer) {
    state.together = wanted;
    state.together_at = layer;
    state.joined_version.reset();
    facts.together = Tensor();
    facts.rows_together = 0;
    const bool matrix =
        wanted == LayersTogether::mean || wanted == LayersTogether::rollout || wanted == LayersTogether::flow;
    facts.together_missing = matrix ? missing_together(overview, layer, wanted) : "";
    if (wanted == LayersTogether::mean && facts.together_missing.empty()) {
      facts.together = one_entry(item(overview.layers, layer).summary.mean, frame.view().batch);
      facts.rows_together = facts.together.size(0);
    }
    ++state.so_far.version;
  }
  if ((wanted != LayersTogether::rollout && wanted != LayersTogether::flow) || !facts.together_missing.empty()) return;
  frame.joiner.want({frame.trace()->overview, layer, frame.view().batch,
                     wanted == LayersTogether::flow ? Joining::flow : Joining::rollout});
  JoinedRows joined = frame.joiner.now();
  if (state.joined_version == joined.version) return;
  if (joined.out_of_memory) facts.together_missing = "network.together_too_large";
  state.joined_version = joined.version;
  facts.together = std::move(joined.matrix);
  facts.rows_together = joined.rows;
  ++state.so_far.version;
}

/// The state of the frame's task: the effect of another sentence's states, or heads over many sentences.
void tell_task(const Frame& frame, FactsInProgress& state) {
  const LayersTogether wanted = frame.view().network.together;
  const auto run = network_of(frame.trace()->inputs);
  if (!run || (wanted != LayersTogether::patch && wanted != LayersTogether::study)) return;
  NetworkFacts& facts = state.so_far.facts;
  if (wanted == LayersTogether::patch) facts.patch = patch_shown(frame, run);
  else facts.study = study_shown(frame, run);
  const LongTask::Now now = frame.task.now();
  const bool ended = wanted == LayersTogether::patch ? facts.patch.whole || frame.view().network.patch_from.empty()
                                                     : facts.study.whole;
  facts.task = ended ? TaskShown()
                     : TaskShown{now.running, now.stopped, now.share, now.seconds_left,
                                 frame.words.in_window(frame.words.translate(now.error))};
  if (state.task_version == now.version) return;
  state.task_version = now.version;
  ++state.so_far.version;
}

}  // namespace

const FactsSoFar& network_facts(const Frame& frame, const HeadOverview& overview) {
  const View& view = frame.view();
  const Index asked = prediction_place(*frame.trace(), view, focus_of(*frame.trace(), view).query);
  FactsInProgress& state = frame.pictures.get<FactsInProgress>([&] { return begin(frame, asked); },
                                                               frame.document.trace, view.batch, view.language, asked);
  tell_together(frame, overview, state);
  tell_task(frame, state);
  tell_means(frame, state);
  if (advance_lens(frame, state) || advance_brought(frame, state) || advance_effects(state)) {
    ++state.so_far.version;
    frame.pictures.go_on();
  }
  return state.so_far;
}

}  // namespace headlight
