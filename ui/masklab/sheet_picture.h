// What the sheets of the mask view besides the first one show, computed once for a trace and a view. Plain data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/explain/conventions.h"
#include "core/mask/statistics.h"
#include "ui/pipeline/heat.h"

namespace headlight {

/// A number as a bar among others.
struct SheetBar {
  std::string label, number;
  float share = 0;      ///< of the longest
  bool present = false; ///< what this run has
};

struct SheetPicture {
  std::vector<std::string> sentences;  ///< what is to be seen, in words; the first one is the title
  std::string error;                   ///< why there is nothing to see
  Tensor values, marks;                ///< the large matrix, [n_q, n_k], and what of it is hatched (0); may be undefined
  Tensor numbers;                      ///< written into its cells; may be undefined
  Tensor second, differing;            ///< side by side: the other mask, and +1/−1 where they differ
  ValueRange range{0, 1};
  std::vector<SheetBar> bars;
  std::vector<std::string> bar_titles; ///< over the first bar of each group; "" goes on
  struct Choice {
    Convention convention;
    std::string effect;                ///< in words
    const char* name;                  ///< from the table of words
    const char* who;
    Tensor weights, mask;              ///< of the batch entry and head that are looked at
  };
  std::vector<Choice> choices;
};

struct SheetKey {
  std::shared_ptr<const Trace> trace;
  Index batch = 0, head = 0, row = -1;
  MaskLab lab;
  std::string language;
};

SheetPicture make_sheet_picture(const Frame& frame);

}  // namespace headlight
