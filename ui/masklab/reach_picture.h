// What the reach sheet shows: after how many layers each query may first know of each token, and one query's receptive
// field.
#pragma once

#include "ui/masklab/reach_diagram.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Tokens up to which reach is computed: about a second.
inline constexpr Index reach_at_most = 4096;

/// The costly part, which does not depend on the query: made again only where the mask or the layers change.
struct ReachNumbers {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0;
  int layers = 0;
  bool residual = false;
  Tensor mask, first;  ///< [n, n]; as looked_at_mask() and, for any number of layers, first_reach()
  Tensor strength;     ///< [n, n]: layers + 1 − the first layer, where the last layer still has it; else 0
  std::vector<Index> per_row;
  double share = 0;  ///< of all pairs
};

struct ReachPicture {
  SheetWords words;
  Rect settings{};  ///< where the sliders stand
  MatrixCard matrix;
  Rect diagram_card{};
  std::string diagram_title, part;  ///< which tokens are shown, where not all are
  ReachDiagram diagram;
  std::vector<std::string> names;        ///< of the tokens that are shown
  bool turned = false;                   ///< the names lean
  std::vector<std::string> layer_names;  ///< from the inputs up; "" where there is no room
};

/// The query whose field is drawn: the one under the pointer, else the selected one, else the last.
Index chosen_query(const Frame& frame);
ReachPicture make_reach_picture(const Frame& frame, Rect area, Index query, ReachNumbers& numbers);

/// The same of the chosen query, kept.
const ReachPicture& reach_picture(const Frame& frame, Rect area);

}  // namespace headlight
