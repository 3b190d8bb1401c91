// The reach sheet: after how many layers each query can know of each token, and one query's receptive field.
#pragma once

#include "ui/masklab/reach_diagram.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Maximum number of tokens; takes about a second.
inline constexpr Index reach_at_most = 4096;

/// The expensive part, which does not depend on the query; computed again only when mask or layers change.
struct ReachNumbers {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0;
  int layers = 0;
  bool residual = false;
  Tensor mask, first;  ///< [n, n]; looked_at_mask() and first_reach(), the latter for any number of layers
  Tensor strength;     ///< [n, n]: layers + 1 − the first layer that reaches it, if the last layer still does; else 0
  std::vector<Index> per_row;
  double share = 0;  ///< of reached pairs
};

struct ReachPicture {
  SheetWords words;
  Rect settings{};  ///< place of the sliders
  MatrixCard matrix;
  Rect diagram_card{};
  std::string diagram_title, part;  ///< which tokens are shown, if not all
  ReachDiagram diagram;
  std::vector<std::string> names;        ///< of the shown tokens
  bool turned = false;                   ///< the names are slanted
  std::vector<std::string> layer_names;  ///< from the inputs upwards; "" where there is no room
};

/// The query of the diagram: under the pointer, else selected, else the last.
Index chosen_query(const Frame& frame);
ReachPicture make_reach_picture(const Frame& frame, Rect area, Index query, ReachNumbers& numbers);

/// The same for the chosen query, cached.
const ReachPicture& reach_picture(const Frame& frame, Rect area);

}  // namespace headlight
