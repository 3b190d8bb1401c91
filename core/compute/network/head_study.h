// Statistics of each head of a network over many sentences.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/compute/network/network.h"

namespace headlight {

inline constexpr std::size_t most_lines_of_head = 12;

/// Means over lines of each line's mean over its words; unset if no line has such a word.
struct HeadMeans {
  Index layer = 0, head = 0;  ///< of network.layers()
  std::optional<double> patterns[head_pattern_count];
  std::optional<double> entropy;  ///< of a row of weights, in bits
  /// How much the log-probability of the true next word decreases without the head, in nats; unset if the network does
  /// not predict the next word.
  std::optional<double> effect;
  /// The same with the head's output replaced by its mean over all tokens of the lines; unset if not requested.
  std::optional<double> mean_effect;
  /// The lines in which the effect is largest, the largest first; at most most_lines_of_head.
  struct Line {
    std::size_t line = 0;  ///< of `lines`
    double effect = 0;
  };
  std::vector<Line> lines;

  const std::optional<double>& operator[](HeadPattern pattern) const {
    return patterns[static_cast<std::size_t>(pattern)];
  }
};

/// The columns of a table of heads: "previous", "first", "same", "induction", "entropy", "effect",
/// "mean_effect", "self", "next".
struct StudyColumn {
  const char* name;
  std::optional<double> (*value)(const HeadMeans& head);
};
std::span<const StudyColumn> study_columns();

/// The non-empty lines of a text file. Throws FileError if there are none.
std::vector<std::string> sentences_of(const std::string& file);

/// Receives the results so far and the finished share of the work.
using StudyTold = std::function<void(const std::vector<HeadMeans>& so_far, double share)>;

/// What replaces the output of a head that is left out: zero, or its mean over the lines.
enum class Ablation : std::uint8_t { zero, mean };

/// In the order of network.layers(). Lines of similar length run in one batch, and so do the left-out heads of a layer,
/// each from that layer on. Throws SettingError if no line has a token, Cancelled.
std::vector<HeadMeans> head_means(const Network& network, const std::vector<std::string>& lines,
                                  const RunOptions& options = {}, const StudyTold& told = {},
                                  Ablation ablation = Ablation::zero);

/// The mean of each head's output over all tokens of the lines, for RunOptions::means. Throws as head_means().
std::shared_ptr<const MeanHeads> mean_heads(const Network& network, const std::vector<std::string>& lines,
                                            const RunOptions& options = {},
                                            const std::function<void(double share)>& told = {});

}  // namespace headlight
