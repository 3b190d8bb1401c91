// All characters that the window can show, for loading the fonts.
#pragma once

#include <string>

#include "ui/document/document.h"
#include "ui/frame/pictures.h"
#include "ui/look/words.h"
#include "ui/open/opener.h"

namespace headlight {

class ShownText {
 public:
  /// Collects them again if something new is shown.
  void gather(const Document& document, const Words& words, const Opener& opener, Pictures& pictures);
  /// The program's own texts, with the lessons'.
  const std::string& own() const { return own_; }
  /// Opened or typed text.
  const std::string& given() const { return given_; }

 private:
  bool dialog_changed(const View& view, Pictures& pictures);

  std::string own_, given_;
  // The state at the last collection.
  const Trace* trace_ = nullptr;
  std::string language_, message_, typed_;
  ViewKind view_ = ViewKind::pipeline;
  Dialog dialog_ = Dialog::none;
  std::string folder_;
};

}  // namespace headlight
