// What the conventions sheet shows: the weights of this run and of the same run under other libraries' choices. Plain
// data.
#pragma once

#include "core/run/conventions.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Numbers of weights up to which each choice is computed: a tenth of a second or so.
inline constexpr Index conventions_at_most = 1 << 22;

/// The choices of a run and what each does, computed some a frame, so that no frame waits for all.
class ConventionBoard {
 public:
  struct Entry {
    Convention choice;
    ConventionEffect effect;  ///< weights and mask of the batch entry and head that are wanted alone, [1, 1, n_q, n_k]
  };
  /// Asked for the same again, it keeps what it has.
  void want(std::shared_ptr<const Trace> trace, Index batch, Index head);
  /// Lets go of the numbers.
  void drop() { *this = {}; }
  /// Computes choices until a part of a frame has passed, at least one; true where there was one to compute.
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

struct ConventionsPicture {
  struct Card {
    MatrixCard matrix;
    std::string id;
    const char* who = "";  ///< which libraries, from the table of words
    std::optional<Scenario>
        scenario;            ///< that a click takes; none for this run itself and for what no scenario can say
    bool reference = false;  ///< this run
  };
  SheetWords words;
  std::vector<Card> cards;  ///< this run, then what changes something, then the rest
};

/// Of as many choices as are computed. Trouble, such as too many weights, is said in its words.
ConventionsPicture make_conventions_picture(const Frame& frame, Rect area, const ConventionBoard& board);
/// Whether there is anything to compute.
bool has_conventions(const Trace& trace);
/// "12 cells of the mask differ", "weights by up to 0.287, output by up to 11.6", …: what changes, in words that stay
/// whole.
std::vector<std::string> effect_words(const Words& words, const ConventionEffect& effect);

/// The same, kept, some choices further with each frame.
const ConventionsPicture& conventions_picture(const Frame& frame, Rect area);

}  // namespace headlight
