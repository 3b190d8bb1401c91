// Opener: what is opened into the document, asking first where changes would be lost, and going back where it does not
// open.
#pragma once

#include <optional>
#include <string>

#include "core/files/recent_files.h"
#include "ui/document/document.h"
#include "ui/look/words.h"

namespace headlight {

/// A picture's file becomes what an open network of pictures reads; whether it does.
bool show_picture(Document& document, const std::string& path);

class Opener {
 public:
  explicit Opener(RecentFiles recent) : recent_(std::move(recent)) {}

  /// As open_into(). Where the document has changes that are not saved, the dialog asks first, unless `surely`; not for
  /// a mask, which joins the document, nor for the settings of a lesson, which undo brings back.
  void open(Document& document, const std::string& path, bool surely);
  /// The document as it is was opened from the start.
  void begin(const Document& document);
  /// The layer dialog's answer.
  void answer_layer(Document& document);
  /// The scenario's own file is another one on disk: it is taken over, or the dialog asks where both have changed.
  void follow(Document& document, const Words& words);

  /// The numbers of what is open are there: the file joins the recent ones.
  void arrived();
  /// They came to nothing: what was open before is open again, all of it, with `error`, unless only the layer has to be
  /// chosen, which the dialog then asks for.
  void failed(Document& document, const std::string& error);

  const RecentFiles& recent() const { return recent_; }

 private:
  RecentFiles recent_;
  std::string opening_;            ///< joins the recent files once its numbers are there
  bool pending_ = false;           ///< something was opened whose numbers are not there yet
  std::optional<Lesson> waiting_;  ///< opened, but its layer is to be chosen first
};

}  // namespace headlight
