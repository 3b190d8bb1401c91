// Frame: all that a panel or a view may look at while it draws, and where it puts what the person did.
#pragma once

#include <string>
#include <string_view>

#include "core/engine/engine.h"
#include "core/engine/layers_joiner.h"
#include "core/engine/long_task.h"
#include "core/engine/tile_store.h"
#include "core/text/texts.h"
#include "ui/document/action.h"
#include "ui/document/document.h"
#include "ui/frame/keyboard_focus.h"
#include "ui/frame/pictures.h"
#include "ui/frame/typing.h"
#include "ui/look/fonts.h"
#include "ui/look/look.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

class MatrixPainter;
class RecentFiles;

/// What the document is called: the lesson's title, the file's name, or the sentence. "" for random input.
std::string_view document_name(const Document& document, const Words& words);

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

  const Timeline& timeline;
  const RecentFiles& recent;
  Typing& typing;
  KeyboardFocus& focus;
  TileStore& tiles;      ///< of the matrix on the map
  LayersJoiner& joiner;  ///< rollout and flow
  LongTask& task;        ///< what takes so long that it is stopped by hand

  const View& view() const { return document.view; }
  /// The cell under the pointer, else the pinned one; none where the step player has not computed it yet.
  std::optional<Cell> looked_at() const;
  /// How much of the stage is computed at the moment of the step player.
  Shown shown(Stage stage) const;
  bool shows(const Cell& cell) const { return shown(cell.stage).has(cell.row, cell.col); }
  /// How many whole rows that is.
  Index rows_shown(Stage stage) const;
  const Trace* trace() const { return document.trace.get(); }

  /// What the view shows of the trace, kept while both and the parts that it is made from besides stay the same.
  template <typename T, typename Make, typename... Parts>
  T& picture(Make&& make, const Parts&... also) const {
    const View& v = view();
    return pictures.get<T>(std::forward<Make>(make), document.trace, v.batch, v.head, v.theme, v.colormap, v.range,
                           v.norm, v.language, v.presenting, u, also...);
  }

  /// What is to be done to the scenario, to the view, once everything is drawn, in the order of asking: after whatever
  /// else was asked for in this frame, so that nothing is overwritten by a neighbour's older copy. It runs when the
  /// panel has returned and keeps values, not references. `gesture` as in EditScenario.
  void edit(std::string gesture, std::function<void(Scenario&)> change) const {
    actions.push_back(EditScenario{std::move(change), std::move(gesture)});
  }
  void show(std::function<void(View&)> change) const { actions.push_back(EditView{std::move(change)}); }
};

/// The step player goes to a moment of the timeline.
void go_to_moment(const Frame& frame, int moment);

}  // namespace headlight
