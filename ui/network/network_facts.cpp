#include <algorithm>

#include "core/network/network.h"
#include "core/network/network_trace.h"
#include "core/run/contributions.h"
#include "core/scenario/inputs.h"
#include "ui/document/action.h"
#include "ui/network/network_scene.h"
#include "ui/sentence/story.h"

namespace headlight {
namespace {

constexpr Index most_said = 256;

/// The effect on the most likely word of repeating the pass without a head, or without a whole layer.
struct Effects {
  std::shared_ptr<const NetworkRun> run;
  Index batch = 0, token = -1;
  std::size_t next = 0;                    ///< index of the next of `cases`
  std::vector<HeadPlace> cases;            ///< head −1: the layer
  std::shared_ptr<const MeanHeads> means;  ///< over the network's sentences; null until computed
  std::size_t next_mean = 0;
};

double probability_without(const Effects& effects, HeadPlace at,
                           const std::shared_ptr<const MeanHeads>& means = nullptr) {
  const NetworkRun& run = *effects.run;
  RunOptions options;
  options.weights = false;
  options.threads = 1;
  options.knock_out = run.knock_out;
  options.means = means;
  options.change = run.change;
  for (Index h = 0; h < run.network->layers()[static_cast<std::size_t>(at.layer)].heads; ++h) {
    if (at.head < 0 || at.head == h) options.knock_out.emplace(at.layer, h);
  }
  const NetworkRun without = run.network->run(run.text, options);
  return probability_of(without, effects.batch, place_of_prediction(without, effects.batch), effects.token);
}

/// What has been computed about a trace, what remains, and the matrix of all layers.
struct Teller {
  FactsSoFar so_far;
  Effects effects;
  // The requested matrix.
  LayersTogether together = LayersTogether::none;
  Index together_at = -1;
  std::optional<std::uint64_t> joined_version;
  std::optional<std::uint64_t> task_version;
  HeadMeasure measure = HeadMeasure::weight;  ///< the measure of `brought`
};

void tell_predictions(const NetworkRun& run, Index batch, NetworkFacts& facts, Effects& effects) {
  if (!run.logits.defined()) return;
  batch = std::min(batch, run.logits.size(0) - 1);
  const TokenBatch& tokens = run.text.decoder.count() > 0 ? run.text.decoder : run.text.tokens;
  const auto entry = static_cast<std::size_t>(std::min<Index>(batch, tokens.size() - 1));
  const Index place = place_of_prediction(run, batch), words = tokens.lengths[entry];
  const std::vector<LikelyToken> likely = most_likely(run, batch, place, 1);
  facts.likeliest = likely.front().text;
  facts.probability = likely.front().probability;
  if (run.logits.size(1) >= words && !run.network->spec().takes_tensors) {
    for (Index i = std::max<Index>(0, words - most_said); i < words; ++i) {
      const LikelyToken next = most_likely(run, batch, i, 1).front();
      facts.predictions.push_back(
          {tokens.entries[entry][static_cast<std::size_t>(i)].text, next.text, next.probability, i == place});
    }
  }
  if (!run.is_small()) return;
  effects.batch = batch;
  effects.token = likely.front().id;
  for (std::size_t l = 0; l < run.layers.size(); ++l) {
    const Index heads = run.network->layers()[l].heads;
    facts.without.emplace_back(static_cast<std::size_t>(heads));
    effects.cases.push_back({static_cast<Index>(l), -1});
    for (Index h = 0; h < heads; ++h) effects.cases.push_back({static_cast<Index>(l), h});
  }
  facts.without_layer.resize(run.layers.size());
}

/// Experts, and what generation reads.
void tell_layers(const NetworkRun& run, Index batch, NetworkFacts& facts) {
  const bool mixture = std::ranges::any_of(run.layers, [](const LayerRun& layer) { return layer.experts.defined(); });
  for (const LayerRun& layer : run.layers) {
    if (mixture) facts.experts.push_back(layer.experts);
  }
  const TokenBatch& tokens = run.text.decoder.count() > 0 ? run.text.decoder : run.text.tokens;
  if (tokens.lengths.empty()) return;
  const auto entry = static_cast<std::size_t>(std::min<Index>(batch, tokens.size() - 1));
  for (Index i = 0; i < tokens.lengths[entry]; ++i)
    facts.text.push_back(tokens.entries[entry][static_cast<std::size_t>(i)].text);
  facts.decode = decode_layers(*run.network);
}

Teller begin(const Frame& frame) {
  Teller teller;
  const Trace& trace = *frame.trace();
  NetworkFacts& facts = teller.so_far.facts;
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
      for (Index h = 0; h < layer.heads; ++h) {
        const auto words = [&](bool brief) {
          return claim_of(run->network->file(), layer.layer, h, frame.view().language, brief);
        };
        any |= !claims.emplace_back(words(false)).empty();
        briefs.push_back(words(true));
      }
    }
    if (!any) facts.claims.clear(), facts.briefs.clear();
    tell_layers(*run, frame.view().batch, facts);
    teller.effects.run = run;
    tell_predictions(*run, frame.view().batch, facts, teller.effects);
  }
  return teller;
}

/// Computes the next head's effect; returns whether there was one left.
bool advance_effects(Teller& teller) {
  Effects& effects = teller.effects;
  if (effects.next >= effects.cases.size()) return false;
  const HeadPlace at = effects.cases[effects.next++];
  const double left = probability_without(effects, at);
  NetworkFacts& facts = teller.so_far.facts;
  const auto layer = static_cast<std::size_t>(at.layer);
  if (at.head < 0) facts.without_layer[layer] = left;
  else facts.without[layer][static_cast<std::size_t>(at.head)] = left;
  return true;
}

/// Computes the means of heads in the background, while nothing else is computed.
void tell_means(const Frame& frame, Teller& teller) {
  Effects& effects = teller.effects;
  const LayersTogether shown = frame.view().network.together;
  const bool busy = shown == LayersTogether::patch || shown == LayersTogether::study;
  if (effects.means || effects.cases.empty() || busy || !effects.run->knock_out.empty()) return;
  effects.means = means_shown(frame, effects.run);
  if (!effects.means) return;
  NetworkFacts& facts = teller.so_far.facts;
  for (const auto& layer : facts.without) facts.with_mean.emplace_back(layer.size());
  ++teller.so_far.version;
}

/// Computes the effect of the next head with its mean; returns whether there was one left.
bool advance_means(Teller& teller) {
  Effects& effects = teller.effects;
  while (effects.next_mean < effects.cases.size() && effects.cases[effects.next_mean].head < 0) ++effects.next_mean;
  if (!effects.means || effects.next_mean >= effects.cases.size()) return false;
  const HeadPlace at = effects.cases[effects.next_mean++];
  teller.so_far.facts.with_mean[static_cast<std::size_t>(at.layer)][static_cast<std::size_t>(at.head)] =
      probability_without(effects, at, effects.means);
  return true;
}

/// Flow needs a maximum flow for each pair of words, over all edges.
bool flow_can_be_had(Index words, std::ptrdiff_t layers) { return words <= 128 && words * words * layers <= 200'000; }

Tensor one_entry(const Tensor& means, Index batch) {
  const MatrixView mean = means.matrix(std::min(batch, means.size(0) - 1));
  Buffer cells;
  for (Index q = 0; q < mean.rows; ++q) {
    for (Index k = 0; k < mean.cols; ++k) cells.push_back(mean(q, k));
  }
  return {{mean.rows, mean.cols}, std::move(cells)};
}

/// The translation key of the reason why there is no such matrix; "" if there is one.
const char* missing_together(const HeadOverview& overview, Index layer, LayersTogether wanted) {
  const OverviewLayer& last = overview.layers[static_cast<std::size_t>(layer)];
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
bool advance_lens(const Frame& frame, Teller& teller) {
  const auto run = network_of(frame.trace()->inputs);
  NetworkFacts& facts = teller.so_far.facts;
  if (frame.view().network.together != LayersTogether::lens || !run || !run->logits.defined()) return false;
  if (run->network->spec().head.reads != HeadReads::first)
    return false;  // the prediction does not depend on a single token
  const auto layers = run->network->layers();
  const Index batch = std::min(frame.view().batch, run->logits.size(0) - 1), block = std::ssize(facts.lens);
  if (block >= std::ssize(run->network->spec().stacks.back().blocks)) return false;
  if (block == 0) {
    const TokenBatch& tokens = run->text.decoder.count() > 0 ? run->text.decoder : run->text.tokens;
    for (const Token& token : tokens.entries[static_cast<std::size_t>(batch)]) facts.lens_words.push_back(token.text);
    facts.lens_words.resize(static_cast<std::size_t>(tokens.lengths[static_cast<std::size_t>(batch)]));
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].stack == layers.back().stack && !layers[i].cross)
        facts.lens_layers.push_back(static_cast<Index>(i));
    }
  }
  facts.lens.push_back(lens_after(*run, batch, block));
  return true;
}

/// Computes the contribution norms of another layer; returns whether there was one left.
bool advance_brought(const Frame& frame, Teller& teller) {
  NetworkFacts& facts = teller.so_far.facts;
  const HeadMeasure measure = frame.view().measure;
  if (teller.measure != measure) {
    teller.measure = measure;
    facts.brought.clear();
    facts.most_brought = 0;
    ++teller.so_far.version;
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
    scenario.layer = overview.layers[static_cast<std::size_t>(layer)].layer;
    lengths = contribution_norms(*compute_layer(run, layer, scenario));
  }
  if (!lengths.defined()) return false;
  const Tensor pictures = pictures_of(measure == HeadMeasure::share ? row_shares(lengths) : lengths);
  for (const float length : pictures.contiguous().values()) facts.most_brought = std::max(facts.most_brought, length);
  facts.brought.push_back(pictures);
  return true;
}

/// The requested matrix: a mean is available at once, rollout and flow come from the frame's joiner.
void tell_together(const Frame& frame, const HeadOverview& overview, Teller& teller) {
  const LayersTogether wanted = frame.view().network.together;
  const Index layer = looked_at_head(overview, frame.view()).layer;
  NetworkFacts& facts = teller.so_far.facts;
  if (teller.together != wanted || teller.together_at != layer) {
    teller.together = wanted;
    teller.together_at = layer;
    teller.joined_version.reset();
    facts.together = Tensor();
    facts.rows_together = 0;
    const bool matrix =
        wanted == LayersTogether::mean || wanted == LayersTogether::rollout || wanted == LayersTogether::flow;
    facts.together_missing = matrix ? missing_together(overview, layer, wanted) : "";
    if (wanted == LayersTogether::mean && facts.together_missing.empty()) {
      facts.together = one_entry(overview.layers[static_cast<std::size_t>(layer)].summary.mean, frame.view().batch);
      facts.rows_together = facts.together.size(0);
    }
    ++teller.so_far.version;
  }
  if ((wanted != LayersTogether::rollout && wanted != LayersTogether::flow) || !facts.together_missing.empty()) return;
  frame.joiner.want({frame.trace()->overview, layer, frame.view().batch,
                     wanted == LayersTogether::flow ? Joining::flow : Joining::rollout});
  JoinedRows joined = frame.joiner.now();
  if (teller.joined_version == joined.version) return;
  if (joined.out_of_memory) facts.together_missing = "network.together_too_large";
  teller.joined_version = joined.version;
  facts.together = std::move(joined.matrix);
  facts.rows_together = joined.rows;
  ++teller.so_far.version;
}

/// The state of the frame's task: the effect of another sentence's states, or heads over many sentences.
void tell_task(const Frame& frame, Teller& teller) {
  const LayersTogether wanted = frame.view().network.together;
  const auto run = network_of(frame.trace()->inputs);
  if (!run || (wanted != LayersTogether::patch && wanted != LayersTogether::study)) return;
  NetworkFacts& facts = teller.so_far.facts;
  if (wanted == LayersTogether::patch) facts.patch = patch_shown(frame, run);
  else facts.study = study_shown(frame, run);
  const LongTask::Now now = frame.task.now();
  const bool ended = wanted == LayersTogether::patch ? facts.patch.whole || frame.view().network.patch_from.empty()
                                                     : facts.study.whole;
  facts.task = ended ? TaskShown()
                     : TaskShown{now.running, now.stopped, now.share, now.seconds_left,
                                 frame.words.in_window(frame.words.translate(now.error))};
  if (teller.task_version == now.version) return;
  teller.task_version = now.version;
  ++teller.so_far.version;
}

}  // namespace

const FactsSoFar& network_facts(const Frame& frame, const HeadOverview& overview) {
  Teller& teller = frame.pictures.get<Teller>([&] { return begin(frame); }, frame.document.trace, frame.view().batch,
                                              frame.view().language);
  tell_together(frame, overview, teller);
  tell_task(frame, teller);
  tell_means(frame, teller);
  if (advance_lens(frame, teller) || advance_brought(frame, teller) || advance_effects(teller) ||
      advance_means(teller)) {
    ++teller.so_far.version;
    frame.pictures.go_on();
  }
  return teller.so_far;
}

}  // namespace headlight
