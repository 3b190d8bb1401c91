// Autosave: writes unsaved work to the journal soon after each change, as text, and offers what a crashed window left.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ui/base/document/document.h"
#include "ui/base/frame/frame.h"
#include "ui/window/session/journal.h"

namespace headlight {

/// JSON of the scenario, its origin, the lesson's progress, the latest undo and redo steps, the view, the text being
/// typed, and the last actions (ui/base/document/action.h).
std::string recovery_text(const Document& document, const std::optional<TypedLine>& typed = {},
                          const std::deque<std::string>& log = {});

struct Recovered {
  Document document;  ///< without its numbers
  std::optional<TypedLine> typed;
};
/// Throws InputError for invalid text; `subject` names it in the message.
Recovered recovered(const std::string& text, const std::string& subject);
/// Whether the document has unsaved work.
bool is_worth_keeping(const Document& document);

enum class RecoveryAnswer : std::uint8_t { none, take, discard };

/// Draws it at the top of the window. `name`: the document's name, "" for random input.
RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when);

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
