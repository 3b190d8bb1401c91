// Frame: all that a panel or a view may look at while it draws, and where it puts what the person did.
#pragma once

#include "core/engine/engine.h"
#include "ui/document/action.h"
#include "ui/document/document.h"
#include "ui/look/fonts.h"
#include "ui/look/look.h"
#include "ui/look/words.h"

namespace headlight {

class MatrixPainter;
struct Pictures;

struct Frame {
  const Document& document;
  const Look& look;
  const Fonts& fonts;
  const Words& words;
  MatrixPainter& painter;
  Pictures& pictures;  ///< what was computed to be drawn, kept while it holds
  const Progress& progress;
  Actions& actions;
  float u = 1;  ///< pixels per point

  const View& view() const { return document.view; }
  const Trace* trace() const { return document.trace.get(); }

  void change(Scenario scenario, std::string gesture = {}) const {
    actions.push_back(ChangeScenario{std::move(scenario), std::move(gesture)});
  }
  void change(View view) const { actions.push_back(ChangeView{std::move(view)}); }
};

}  // namespace headlight
