// The made-up tasks.
#include "core/compute/training/task.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {
namespace {

using Letters = std::span<std::int32_t>;
using GivenLetters = std::span<const std::int32_t>;

std::int32_t draw_below(Sampler& sampler, Index count) {
  return static_cast<std::int32_t>(
      std::min(static_cast<Index>(sampler.uniform() * static_cast<float>(count)), count - 1));
}

void draw_letters(Sampler& sampler, Index letters, Letters tokens) {
  for (std::int32_t& token : tokens) token = draw_below(sampler, letters);
}

/// How often each letter is seen; without order, the own letter of `but_own` is left out.
std::array<Index, 64> counts_of(const Seen& seen, bool but_own) {
  std::array<Index, 64> counts{};
  for (std::size_t i = 0; i < seen.tokens.size(); ++i) {
    if (seen.visible[i] != 0 && !(but_own && static_cast<Index>(i) == seen.at))
      ++counts[static_cast<std::size_t>(seen.tokens[i])];
  }
  return counts;
}

/// The answer is the letter at `source`, and letters are drawn independently.
double best_copy(const Seen& seen, Index source) {
  const double guess = 1 / static_cast<double>(seen.letters);
  if (source < 0 || seen.visible[static_cast<std::size_t>(source)] == 0) return guess;
  if (seen.in_order || source == seen.at) return 1;
  const auto counts = counts_of(seen, true);  // one of the others, no one knows which
  return static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(seen.tokens.size() - 1);
}

void answer_reverse(Index, GivenLetters tokens, Letters targets) {
  std::reverse_copy(tokens.begin(), tokens.end(), targets.begin());
}
double best_reverse(const Seen& seen) { return best_copy(seen, static_cast<Index>(seen.tokens.size()) - 1 - seen.at); }

void answer_previous(Index, GivenLetters tokens, Letters targets) {
  targets[0] = not_asked;
  std::copy(tokens.begin(), tokens.end() - 1, targets.begin() + 1);
}
double best_previous(const Seen& seen) { return best_copy(seen, seen.at - 1); }

/// Keys are the first half of the letters, each at most once; values the second half. k v k v … k, the key again.
void draw_recall(Sampler& sampler, Index letters, Letters tokens) {
  const auto half = static_cast<std::int32_t>(letters / 2);
  std::array<std::int32_t, 32> keys{};
  for (std::int32_t i = 0; i < half; ++i) keys[static_cast<std::size_t>(i)] = i;
  const std::size_t pairs = std::min((tokens.size() - 1) / 2, static_cast<std::size_t>(half));
  std::ranges::fill(tokens, keys[0]);
  for (std::size_t i = 0; i < pairs; ++i) {
    std::swap(keys[i], keys[i + static_cast<std::size_t>(draw_below(sampler, half - static_cast<Index>(i)))]);
    tokens[2 * i] = keys[i];
    tokens[2 * i + 1] = half + draw_below(sampler, half);
  }
  const auto asked = static_cast<std::size_t>(draw_below(sampler, static_cast<Index>(pairs)));
  tokens[2 * pairs] = tokens[2 * asked];
}
/// The last letter is asked where it is one of the keys before it.
void answer_recall(Index, GivenLetters tokens, Letters targets) {
  std::ranges::fill(targets, not_asked);
  for (std::size_t i = 0; i + 1 < tokens.size(); i += 2) {
    if (tokens.size() % 2 == 1 && tokens[i] == tokens.back()) targets.back() = tokens[i + 1];
  }
}
double best_recall(const Seen& seen) {
  const std::size_t last = static_cast<std::size_t>(seen.at);
  const double guess = 1 / static_cast<double>(seen.letters / 2);
  if (!seen.in_order) {  // the values are known, but not which belongs to the key
    auto counts = counts_of(seen, true);
    std::fill_n(counts.begin(), seen.letters / 2, 0);
    return static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(last / 2);
  }
  std::array<Index, 64> values{};
  Index unseen = 0, candidates = 0;
  for (std::size_t i = 0; i < last; i += 2) {
    const bool key_seen = seen.visible[i] != 0, value_seen = seen.visible[i + 1] != 0;
    if (key_seen && seen.tokens[i] == seen.tokens[last]) return value_seen ? 1 : guess;
    if (key_seen) continue;  // another key
    ++candidates;
    if (value_seen) ++values[static_cast<std::size_t>(seen.tokens[i + 1])];
    else ++unseen;
  }
  const auto most = static_cast<double>(*std::ranges::max_element(values));
  return (most + static_cast<double>(unseen) * guess) / static_cast<double>(std::max<Index>(candidates, 1));
}

/// A passage of distinct letters, said again and again; its length varies. What comes next is asked once a letter has
/// come twice.
void draw_repeat(Sampler& sampler, Index letters, Letters tokens) {
  const auto n = static_cast<Index>(tokens.size());
  const Index least = std::max<Index>(2, n / 4), most = std::min(std::max(least, n / 2), letters);
  const Index passage = least + draw_below(sampler, most - least + 1);
  std::array<std::int32_t, 64> order{};
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(letters); ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = 0; i < passage; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(i + draw_below(sampler, letters - i))]);
  }
  for (Index i = 0; i < n; ++i) tokens[static_cast<std::size_t>(i)] = order[static_cast<std::size_t>(i % passage)];
}
void answer_repeat(Index, GivenLetters tokens, Letters targets) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    targets[i] = not_asked;
    for (std::size_t before = i; before-- > 0;) {
      if (tokens[before] != tokens[i]) continue;
      targets[i] = tokens[before + 1];
      break;
    }
  }
}
double best_repeat(const Seen& seen) {
  const std::span<const std::int32_t> tokens = seen.tokens;
  const auto at = static_cast<std::size_t>(seen.at);
  std::size_t passage = 1;
  while (passage < at && tokens[at - passage] != tokens[at]) ++passage;
  const std::int32_t next = tokens[at + 1 - passage];
  double distinct = 0;
  const auto counts = counts_of(seen, false);
  for (const Index count : counts) distinct += count > 0 ? 1 : 0;
  if (counts[static_cast<std::size_t>(next)] == 0) return 1 / (static_cast<double>(seen.letters) - distinct);
  if (seen.in_order) return 1;
  return distinct > 1 ? 1 / (distinct - 1) : 1;  // any other letter of the passage
}

void answer_sort(Index, GivenLetters tokens, Letters targets) {
  std::ranges::copy(tokens, targets.begin());
  std::ranges::sort(targets);
}
/// The distribution of the letter at place `at` of all letters in order, when m are seen and the others are unknown:
/// P(answer ≤ v) is the probability that at least at + 1 letters are ≤ v.
double best_sort(const Seen& seen) {
  const auto counts = counts_of(seen, false);
  const auto n = static_cast<Index>(seen.tokens.size());
  if (!seen.in_order) {  // the own place is unknown: any of the letters
    return static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(n);
  }
  Index known = 0;
  for (const Index count : counts) known += count;
  const Index hidden = n - known;
  double best = 0, before = 0;
  Index below = 0;
  for (Index v = 0; v < seen.letters; ++v) {
    below += counts[static_cast<std::size_t>(v)];
    const double p = static_cast<double>(v + 1) / static_cast<double>(seen.letters);
    double at_least = 0;  // of `hidden` letters, at least needed ones are ≤ v
    for (Index k = std::max<Index>(0, seen.at + 1 - below); k <= hidden; ++k) {
      double ways = 1;
      for (Index i = 0; i < k; ++i) ways *= static_cast<double>(hidden - i) / static_cast<double>(i + 1);
      at_least += ways * std::pow(p, static_cast<double>(k)) * std::pow(1 - p, static_cast<double>(hidden - k));
    }
    best = std::max(best, at_least - before);
    before = at_least;
  }
  return best;
}

/// How often the own letter has come so far, itself included, as a letter: a for once, b for twice.
void answer_count(Index letters, GivenLetters tokens, Letters targets) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto times = std::count(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens[i]);
    targets[i] = static_cast<std::int32_t>(std::min<Index>(times, letters) - 1);
  }
}
/// Hidden letters before the own place are the own one with probability 1 / letters.
double best_count(const Seen& seen) {
  const auto at = static_cast<std::size_t>(seen.at);
  const std::int32_t own = seen.tokens[at];
  const double p = 1 / static_cast<double>(seen.letters);
  Index hidden = 0;
  if (!seen.in_order) {  // as many as there are, or fewer: the own place among them is unknown
    const Index all = std::ranges::count(seen.tokens, own);
    return 1 / static_cast<double>(all);
  }
  for (std::size_t i = 0; i < at; ++i) hidden += seen.visible[i] == 0 ? 1 : 0;
  double best = 0, ways = 1;
  for (Index k = 0; k <= hidden; ++k) {
    best =
        std::max(best, ways * std::pow(p, static_cast<double>(k)) * std::pow(1 - p, static_cast<double>(hidden - k)));
    ways *= static_cast<double>(hidden - k) / static_cast<double>(k + 1);
  }
  return best;
}

constexpr TrainingTask tasks[] = {
    {"reverse", "Say the letters backwards", "attention finds a place", 16, 8, 1, 300, true, "full()", draw_letters,
     answer_reverse, best_reverse},
    {"previous", "Say the letter before", "the sub-diagonal: every query looks one place back", 16, 8, 1, 300, true,
     "causal()", draw_letters, answer_previous, best_previous},
    {"recall", "Keys and values, then a key: say its value", "two heads, one after the other, make a rule", 16, 9, 2,
     600, false, "causal()", draw_recall, answer_recall, best_recall},
    {"repeat", "A passage again and again: what comes next?", "induction: find the last time, say what followed", 26,
     24, 2, 1000, false, "causal()", draw_repeat, answer_repeat, best_repeat},
    {"sort", "Say the letters in order", "comparing is attention, writing down the MLP", 16, 8, 1, 2000, true, "full()",
     draw_letters, answer_sort, best_sort},
    {"count", "How often has this letter come so far?", "attention averages, and an average cannot count", 4, 8, 1,
     1000, true, "causal()", draw_letters, answer_count, best_count},
};

}  // namespace

std::span<const TrainingTask> training_tasks() { return tasks; }

const TrainingTask* training_task(std::string_view id) {
  const auto* const found = std::ranges::find(tasks, id, &TrainingTask::id);
  return found == std::end(tasks) ? nullptr : found;
}

}  // namespace headlight
