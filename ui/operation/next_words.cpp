#include <algorithm>
#include <functional>
#include <numeric>

#include "core/scenario/inputs.h"
#include "ui/operation/next.h"

namespace headlight {

NextWords next_words(const Trace& trace, const View& view, const SentenceStory& story, const OtherPass& other,
                     Index place, std::optional<Index> token) {
  constexpr std::ptrdiff_t shown = 8;
  const auto own = network_of(trace.inputs);
  const NetworkRun& run = other.without_head ? *other.run : *own;
  const Index batch = std::min(view.batch, run.logits.size(0) - 1);
  if (place < 0) place = place_of_prediction(run, batch);
  const MatrixView logits = run.logits.matrix(batch);
  const Index row = std::min(place, logits.rows - 1);
  const auto logit = [&](Index id) { return logits(row, id); };
  std::vector<Index> order(static_cast<std::size_t>(logits.cols));
  std::iota(order.begin(), order.end(), Index{0});
  const auto last = order.begin() + std::min(shown, std::ssize(order));
  std::ranges::partial_sort(order, last, [&](Index a, Index b) { return logit(a) > logit(b); });
  const Sampling& sampling = story.sampling;
  const bool cuts = sampling.top_k > 0 && sampling.top_k < logits.cols;
  float least = 0;  // that top-k keeps
  if (cuts) {
    std::vector<float> all;
    for (Index id = 0; id < logits.cols; ++id) all.push_back(logit(id));
    std::ranges::nth_element(all, all.begin() + sampling.top_k - 1, std::ranges::greater());
    least = all[static_cast<std::size_t>(sampling.top_k - 1)];
  }
  NextWords next;
  next.place = place;
  double named = 0;
  for (auto id = order.begin(); id != last; ++id) {
    NextCandidate candidate{run.network->word(*id), *id, logit(*id), logit(*id)};
    if (sampling.temperature > 0) candidate.tempered /= sampling.temperature;
    candidate.probability = story.shares[static_cast<std::size_t>(*id)];
    candidate.in_top_k = !cuts || candidate.logit >= least;
    candidate.in_top_p = candidate.in_top_k && candidate.probability > 0;
    named += candidate.probability;
    if (token == *id) next.chosen = std::ssize(next.candidates);
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
