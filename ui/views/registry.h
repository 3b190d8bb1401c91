// The views of the window's middle, in the order of their tabs (registry.cpp): what the window asks of a view. Tabs,
// keys, panels, the export dialog, lessons and the tests that draw every view use this list.
#pragma once

#include <span>

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// The panels beside a view: the controls at the left, the inspector at the right.
struct Sides {
  bool controls = true, inspector = true;
};

struct ViewEntry {
  ViewKind kind;
  const char* word;  ///< translation key of its name
  /// Draws into `place` of the current window. The document has a trace.
  void (*draw)(const Frame& frame, Rect place);
  /// In points: where there is less room, the view is as large all the same, behind scroll bars.
  ImVec2 (*least)(const Frame& frame);
  /// Whether it shows numbers of the stage. While a lesson's question hides the stage, the view is covered.
  bool (*shows)(const View& view, Stage stage);
  /// Which panels are beside it.
  Sides (*sides)(const Document& document);
  /// Sets what the export dialog offers.
  void (*offer)(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
  /// What Esc cancels in it first; returns whether there was something. Null: nothing of its own.
  bool (*escape)(View& view) = nullptr;
  /// Its own keys; returns whether one was pressed, which then means nothing else. Null: none.
  bool (*press)(const Frame& frame) = nullptr;
  bool own_arrows = false;  ///< arrows, Home, End, H and R are its own
  bool zooms = false;       ///< the wheel is its own
  bool scrolls = false;     ///< it may be higher than its place
  bool plays = true;        ///< it shows the moments of the step player
};

std::span<const ViewEntry> all_views();
const ViewEntry& view_entry(ViewKind kind);

/// Whether the view shows something that a lesson's question hides.
bool shows_hidden(const View& view);
/// Opens the export dialog for what the view shows, as a figure if there is one of this kind (heads, arcs, layers,
/// reach, blocks, two masks, a difference), else as a picture of the view; in the pipeline, the stage, batch entry and
/// head. `own`: the user's own stages that are compared.
void open_export_dialog(View& view, const Trace& trace, const std::optional<OwnSource>& own = {});
/// Esc in the window's middle, if nothing that lies over it was cancelled.
void cancel_in_view(View& view);

void draw_levels_view(const Frame& frame, Rect place);

/// The factor for views whose type does not follow their size: 1 up to 1600 × 900.
float room_scale(ImVec2 window, float scale);
/// The frame with larger points in a large window; unchanged in a presentation, which is scaled already.
Frame scaled_to_window(const Frame& frame);

}  // namespace headlight
