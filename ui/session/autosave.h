// Autosave: writes unsaved work to the journal soon after each change, and offers what a crashed window left.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/session/journal.h"
#include "ui/session/recovery.h"

namespace headlight {

class Autosave {
 public:
  /// Opens the journal and looks for documents to recover. If one cannot be read, that becomes the document's error.
  void begin(const std::filesystem::path& folder, Document& document);
  /// Marks the document as changed.
  void touch() { touched_ = true; }
  /// Writes the document, the text being typed and the last actions, if they changed and writing is due.
  void keep(const Document& document, const std::optional<TypedLine>& typed, const std::deque<std::string>& log);
  /// Seconds until keep() has to run; infinite if it need not.
  double seconds_to_keeping() const;
  /// The window closes normally: removes its file.
  void close();

  /// The document to recover; null if there is none.
  const Document* offered() const { return offered_ ? &offered_->document : nullptr; }
  /// The time at which it was written: local time, "2024-05-31 14:02".
  const std::string& offered_when() const { return found_->when; }
  /// Replaces the document by the offered one, as an undo step; its numbers are computed afterwards. Returns the text
  /// that was being typed.
  std::optional<TypedLine> take_offer(Document& document);
  /// Forgets the offer once the recovered document is written; the next offer, if any, follows.
  void drop_offer(Document& document);
  /// Why the journal cannot be written; once, then "".
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
  bool told_ = false;  ///< the trouble has been reported
};

}  // namespace headlight
