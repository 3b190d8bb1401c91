// The conventions sheet: the weights of this run, and of the same run with other libraries' conventions.
#pragma once

#include "core/run/conventions.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Above this number of weights the conventions are not computed; below, each takes about 0.1 s.
inline constexpr Index conventions_at_most = 1 << 22;

/// The conventions of a run and their effects, computed a few per frame.
class ConventionBoard {
 public:
  struct Entry {
    Convention choice;
    ConventionEffect effect;  ///< weights and mask of the wanted batch entry and head only, [1, 1, n_q, n_k]
  };
  /// Starts over, unless the same is wanted already.
  void want(std::shared_ptr<const Trace> trace, Index batch, Index head);
  /// Frees the numbers.
  void drop() { *this = {}; }
  /// Computes at least one convention, and more until part of a frame's time has passed; false if all are done.
  bool advance();
  bool busy() const { return done_.size() < choices_.size(); }
  const std::vector<Entry>& done() const { return done_; }
  std::size_t count() const { return choices_.size(); }

 private:
  std::shared_ptr<const Trace> trace_;
  Index batch_ = 0, head_ = 0;
  std::vector<Convention> choices_;
  std::vector<Entry> done_;
};

/// What changes, as phrases that are not broken: "12 cells of the mask differ", "weights by up to 0.287, output by up
/// to 11.6", …
std::vector<std::string> effect_words(const Words& words, const ConventionEffect& effect);

}  // namespace headlight
