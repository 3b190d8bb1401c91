// Keeper: what this window would lose goes to its journal soon after each change; what another left behind is offered.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ui/document/document.h"
#include "ui/frame/typing.h"
#include "ui/session/journal.h"
#include "ui/session/recovery.h"

namespace headlight {

class Keeper {
 public:
  /// Begins to keep, and looks for what was left behind. What is found and cannot be read becomes the document's error.
  void begin(const std::filesystem::path& folder, Document& document);
  /// The document is worth another look.
  void touch() { touched_ = true; }
  /// Writes what would be lost, where it was touched and is due: the document, what stands in the field that is typed
  /// into, and what was done last.
  void keep(const Document& document, const std::optional<TypedLine>& typed, const std::deque<std::string>& log);
  /// Seconds until keep() has something to do; infinite where it has not.
  double seconds_to_keeping() const;
  /// The window is closed properly: nothing is to be found of it.
  void close();

  /// What another window left behind, until it is answered; null where there is nothing.
  const Document* offered() const { return offered_ ? &offered_->document : nullptr; }
  /// When it was kept: local time, "2024-05-31 14:02".
  const std::string& offered_when() const { return found_->when; }
  /// Puts the offer in the document's place, without numbers until they are computed; undo brings back what was open.
  /// What was being typed.
  std::optional<TypedLine> take_offer(Document& document);
  /// Forgets the offer, once what it became is kept; the next one, if there is one, follows.
  void drop_offer(Document& document);
  /// Why nothing can be kept; once, then "".
  std::string take_trouble();

 private:
  using Clock = std::chrono::steady_clock;
  void look_for_offer(Document& document);

  std::unique_ptr<Journal> journal_;
  std::optional<Journal::Found> found_;
  std::optional<Recovered> offered_;
  bool touched_ = false;
  Clock::time_point kept_{};
  std::string kept_text_;
  bool told_ = false;  ///< of the trouble
};

}  // namespace headlight
