// Softmaxes in chunks of keys, and formulas in the place of the softmax.

#include <cmath>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/softmax.h"
#include "core/teaching/diagnosis/instead_of_softmax.h"
#include "core/teaching/diagnosis/mistakes.h"

namespace headlight::mistakes {
namespace {

/// Exponentials in chunks of keys, each less its own highest score, divided by their sum over the chunk or the row.
OfScores in_chunks(std::size_t size, bool each_divided) {
  return rows([=](std::span<float> row) {
    float whole = 0;
    for (std::size_t first = 0; first < row.size(); first += size) {
      const std::span<float> chunk = row.subspan(first, std::min(size, row.size() - first));
      const float top = highest(chunk);
      float sum = 0;
      for (float& v : chunk) v = top == -INFINITY ? 0 : std::exp(v - top), sum += v;
      whole += sum;
      for (float& v : chunk) v = each_divided && sum > 0 ? v / sum : v;
    }
    for (float& v : row) v = each_divided ? v : v / whole;
  });
}

/// What a softmax gives that goes on from chunk to chunk with the highest score so far, where the sum or the outputs so
/// far are not multiplied by e^(old − new) when it changes (Milakov and Gimelshein 2018, algorithm 3).
OfScores online_in_chunks(std::size_t size, bool sums_rescaled, bool outputs_rescaled) {
  return rows([=](std::span<float> row) {
    const float last = highest(row);
    float so_far = -INFINITY, sum = 0;
    for (std::size_t first = 0; first < row.size(); first += size) {
      const std::span<float> chunk = row.subspan(first, std::min(size, row.size() - first));
      so_far = std::max(so_far, highest(chunk));
      for (float& v : chunk) {
        const float score = v;
        const auto power_from = [&](float top) { return score == -INFINITY ? 0.0F : std::exp(score - top); };
        sum += power_from(sums_rescaled ? last : so_far);
        v = power_from(outputs_rescaled ? last : so_far);
      }
    }
    for (float& v : row) v /= sum;
  });
}

OfScores averaged_chunks(std::size_t size) {
  const OfScores each = in_chunks(size, true);
  return [=](const Tensor& scores) {
    const auto count = static_cast<float>((static_cast<std::size_t>(scores.size(3)) + size - 1) / size);
    return each_number(each(scores), [count](float weight) { return weight / count; });
  };
}

float power(float score) { return std::isfinite(score) ? std::exp(score) : 0; }

void min_to_max(std::span<float> row) {
  float low = INFINITY, high = -INFINITY;
  for (const float v : row) {
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  for (float& v : row) v = std::isfinite(v) ? (v - low) / (high - low) : 0;
}

void by_length_of_powers(std::span<float> row) {
  float squares = 0;
  for (float& v : row) v = power(v), squares += v * v;
  for (float& v : row) v /= std::sqrt(squares);
}

void highest_after_power(std::span<float> row) {
  const float top = highest(row);
  float sum = 0;
  for (const float v : row) sum += std::exp(v);
  for (float& v : row) v = (std::exp(v) - top) / (sum - top * static_cast<float>(row.size()));
}

OfScores with_epsilon(float epsilon, bool less_highest) {
  return rows([=](std::span<float> row) {
    const float top = less_highest ? highest(row) : 0;
    float sum = epsilon;
    for (float& v : row) v = power(v - top), sum += v;
    for (float& v : row) v /= sum;
  });
}

/// The softmax over the keys of all heads at once.
Tensor over_heads_and_keys(const Tensor& scores) {
  const Tensor by_query = scores.transpose(1, 2).contiguous();  // [B, n_q, H, n_k]
  const Shape& s = by_query.shape();
  return softmax(by_query.view({s[0], 1, s[1], s[2] * s[3]})).view(s).transpose(1, 2).contiguous();
}

}  // namespace

Variants softmax_in_chunks(const Suspect& suspect) {
  const Index n_k = suspect.run.dims().n_k;
  Variants variants;
  constexpr Index most = 64;  // of longer rows, only powers of two up to here
  const auto next = [n_k](Index size) { return n_k > most ? 2 * size : size + 1; };
  for (Index size = 2; size < n_k && size <= most; size = next(size)) {
    const std::string keys = "chunks of " + std::to_string(size) + " keys";
    const auto chunk = static_cast<std::size_t>(size);
    variants.push_back(instead("The softmax runs over " + keys + " by themselves, and what they gather is added.",
                               in_chunks(chunk, true)));
    variants.push_back(instead(
        "In a softmax over " + keys + ", each chunk's own highest score is subtracted, and nothing is rescaled.",
        in_chunks(chunk, false)));
    const std::string online = "In an online softmax over " + keys + ", ";
    variants.push_back(instead(online + "the outputs so far are not rescaled when the highest score changes.",
                               online_in_chunks(chunk, true, false)));
    variants.push_back(instead(online + "the sum so far is not rescaled when the highest score changes.",
                               online_in_chunks(chunk, false, true)));
    variants.push_back(
        instead(online + "neither the sum nor the outputs so far are rescaled when the highest score changes.",
                online_in_chunks(chunk, false, false)));
    variants.push_back(instead("The softmax runs over " + keys + " by themselves, and what they gather is averaged.",
                               averaged_chunks(chunk)));
  }
  for (Variant& variant : variants) variant.rare = true;
  return variants;
}

Variants softmax_formulas(const Suspect& suspect) {
  Variants variants;
  const auto add = [&](const std::string& what, const OfScores& made) {
    variants.push_back(instead(what, made));
    variants.back().rare = true;
  };
  add("The row's highest score is subtracted after the exponentials are taken, not before.", rows(highest_after_power));
  add("The exponentials are divided by their length, as F.normalize does, not by their sum.",
      rows(by_length_of_powers));
  add("Each row of the scores is stretched from 0 to 1; no softmax is taken.", rows(min_to_max));
  add("The weights are the squares of a ReLU of the scores.",
      [](const Tensor& scores) { return each_number(scores, [](float v) { return v > 0 ? v * v : 0; }); });
  add("The weights are the squares of a ReLU of the scores, divided by their row's sum.",
      divided_by_sum([](float v) { return v > 0 ? v * v : 0; }));
  add("The weights are a ReLU of the scores, divided by its row's sum.",
      divided_by_sum([](float v) { return std::max(v, 0.0F); }));
  if (suspect.run.dims().heads > 1)
    add("The softmax runs over heads and keys at once: a query's weights in all heads sum to one.",
        over_heads_and_keys);
  for (const auto& [epsilon, typed] :
       {std::pair(1.0F, "1"), std::pair(0.1F, "0.1"), std::pair(1e-2F, "1e-2"), std::pair(1e-3F, "1e-3")}) {
    for (const bool less_highest : {false, true}) {
      add(std::string(typed) + " is added to the sum that a row's exponentials" +
              (less_highest ? ", less the highest," : "") + " are divided by, so that rows sum to less than one.",
          with_epsilon(epsilon, less_highest));
      variants.back().rare = epsilon != 1;
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
