// Every character that the window can put on screen, which is what its fonts are loaded for.
#pragma once

#include <string>

#include "ui/document/document.h"
#include "ui/frame/pictures.h"
#include "ui/look/words.h"
#include "ui/open/opener.h"

namespace headlight {

class ShownText {
 public:
  /// Gathers it anew where something is shown that was not.
  void gather(const Document& document, const Words& words, const Opener& opener, Pictures& pictures);
  /// The program's own: its words, and the lessons'.
  const std::string& own() const { return own_; }
  /// What was opened or typed.
  const std::string& given() const { return given_; }

 private:
  bool dialog_changed(const View& view, Pictures& pictures);

  std::string own_, given_;
  // What they were gathered for.
  const Trace* trace_ = nullptr;
  std::string language_, message_, typed_;
  ViewKind view_ = ViewKind::pipeline;
  Dialog dialog_ = Dialog::none;
  std::string folder_;
};

}  // namespace headlight
