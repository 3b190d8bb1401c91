// Opener: opens files into the document, asks before changes would be lost, and restores the previous document on
// failure.
#pragma once

#include <optional>
#include <string>

#include "core/base/files/recent_files.h"
#include "core/base/tensor/message.h"
#include "ui/base/document/document.h"
#include "ui/base/look/words.h"

namespace headlight {

/// If the open network reads pictures and the file is one, the network reads it. Returns whether it does.
bool show_picture(Document& document, const std::string& path);

/// Whether something would be lost with the document: more than changes of a lesson's or a shipped model's settings,
/// which are made again in a moment.
bool has_own_work(const Document& document);

class Opener {
 public:
  explicit Opener(RecentFiles recent) : recent_(std::move(recent)) {}

  /// Opens a lesson, a scenario or a file of tensors. If there are unsaved changes, it asks first, unless `surely`. It
  /// does not ask for a mask, which joins the document, or for changed settings of a lesson, which undo restores.
  void open(Document& document, const std::string& path, bool surely);
  /// The document was opened at the start of the program.
  void begin(const Document& document);
  /// Applies the layer dialog's answer.
  void answer_layer(Document& document);
  /// If the scenario's file has changed on disk, loads it again, or asks if there are unsaved changes too.
  void follow(Document& document, const Words& words);

  /// The opened document has been computed: its file joins the recent files.
  void arrived();
  /// It could not be computed: restores the previous document and shows `error`, unless only the layer has to be
  /// chosen, which the dialog then asks for.
  void failed(Document& document, const Message& error);

  const RecentFiles& recent() const { return recent_; }

 private:
  RecentFiles recent_;
  std::string opening_;            ///< becomes a recent file once it is computed
  bool pending_ = false;           ///< a file is opened but not computed yet
  std::optional<Lesson> waiting_;  ///< opened, but its layer must be chosen first
};

/// Uses the mask of this file as file(), whatever else it contains.
void open_mask_into(Document& document, const std::string& path);

/// Shows another recorded call of the watched model. View and settings stay, and there is no undo step.
void show_recorded(Document& document, const std::string& step);
/// The view with the layer dialog for the open file, to choose another of its layers.
View with_layer_dialog(const Document& document);
/// Applies the answer to the waiting scenario. `opened`: where it came from, if it is not the current document.
void answer_layer(Document& document, std::optional<Lesson> opened);

}  // namespace headlight
