// Tasks: what a network is to learn. A task draws sequences of tokens and says what each position is to answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/base/tensor/sampler.h"
#include "core/compute/training/settings.h"

namespace headlight {

/// The target of a position that is not asked.
inline constexpr std::int32_t not_asked = -1;

/// What a network sees of one sequence when it answers at a position, for the best possible answer (ceiling.h).
struct Seen {
  std::span<const std::int32_t> tokens;  ///< the whole sequence
  std::span<const char> visible;         ///< of each position, whether it is seen from `at`
  Index at = 0, letters = 0;
  bool in_order = true;  ///< whether positions are known; otherwise only which tokens there are, and the own one
};

/// A made-up task, drawn anew for each batch.
struct TrainingTask {
  std::string_view id;
  const char* title;      ///< "Say the letters backwards"
  const char* teaches;    ///< "attention finds a place"
  Index letters, length;  ///< of its alphabet; of a sequence
  Index layers, steps;    ///< usual
  bool norm;              ///< usual: LayerNorms
  const char* mask;       ///< usual
  /// Draws a sequence.
  void (*draw)(Sampler& sampler, Index letters, std::span<std::int32_t> tokens);
  /// The target of each position: a token, or not_asked. Any sequence of letters has some.
  void (*answer)(Index letters, std::span<const std::int32_t> tokens, std::span<std::int32_t> targets);
  /// The probability that the best possible answer is right.
  double (*best)(const Seen& seen);
};
std::span<const TrainingTask> training_tasks();
/// Null if there is none.
const TrainingTask* training_task(std::string_view id);

/// The data of a run: a made-up task, or a text file.
class TrainingData {
 public:
  /// Reads the text file where the task is one. Throws FileError: no text, one word only, too large.
  explicit TrainingData(const TrainingSettings& settings);

  const TrainingTask* task() const { return task_; }
  /// The tokens, by id.
  const std::vector<std::string>& words() const { return words_; }
  Index vocabulary() const { return static_cast<Index>(words_.size()); }
  Index length() const { return length_; }
  /// One sequence to learn from or, with `fresh`, one that is never learned from. Sizes: length().
  void draw(Sampler& sampler, bool fresh, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const;
  /// The probability of a right answer by guessing without looking: the most frequent answer's share.
  double chance() const { return chance_; }
  /// "f a c e": tokens as a text that the tokenizer splits again.
  std::string text_of(std::span<const std::int32_t> tokens) const;
  /// tokenizer.json
  std::string tokenizer_json() const;

 private:
  void read_text(const TrainingSettings& settings);

  const TrainingTask* task_ = nullptr;
  TextUnit unit_ = TextUnit::words;
  std::vector<std::string> words_;
  std::vector<std::int32_t> learned_, fresh_;  ///< the tokens of a text file: nine tenths, and the rest
  Index length_ = 0;
  double chance_ = 0;
};

}  // namespace headlight
