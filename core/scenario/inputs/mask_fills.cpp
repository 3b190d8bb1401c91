// What a masked score is filled with, and what that means for rows without keys.

#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/file_source.h"

namespace headlight {
namespace {

/// Whether the softmax of a row without keys depends on more than one fill in each cell: fills differ within the row,
/// or are too small for the scores to vanish beside them. `sum`: what the masks add.
bool needs_sum(const Tensor& mask, const Tensor& sum, float fill) {
  constexpr float absorbs = -1e8F;
  const Index n = mask.size(3);
  for (Index row = 0; row * n < mask.count(); ++row) {
    const auto begin = static_cast<std::size_t>(row * n), size = static_cast<std::size_t>(n);
    const auto allowed = mask.values().subspan(begin, size), numbers = sum.values().subspan(begin, size);
    if (std::ranges::find(allowed, 1.0F) != allowed.end()) continue;
    if (fill > absorbs || std::ranges::any_of(numbers, [&](float v) { return v != fill; })) return true;
  }
  return false;
}

/// Whether a masked cell has another fill than this one.
bool has_other_fill(const Tensor& mask, const Tensor& sum, float fill) {
  for (std::size_t i = 0; i < mask.values().size(); ++i) {
    if (mask.values()[i] == 0 && sum.values()[i] != fill) return true;
  }
  return false;
}

}  // namespace

void add_fills_of_empty_rows(MaskReading& m) {
  const FileReading& r = m.file;
  const Scenario& s = r.resolving.scenario;
  if (m.added.empty() || s.fill || !s.mask.empty()) return;
  if (!m.masking.fill || r.own_number({"mask_fill", "mask_value"})) return;
  const auto plus = [](float a, float b) { return a + b; };
  Tensor sum = m.added.front();
  for (std::size_t i = 1; i < m.added.size(); ++i) sum = combined(sum, m.added[i], plus);
  for (const Tensor& attend : m.attend)
    sum = combined(sum, attend, [](float a, float allowed) { return allowed == 0 ? -INFINITY : a; });
  if (m.masking.file_mask.shape() != sum.shape()) return;  // a mask that the weights show is in it too
  const bool adds = s.mask_mode == MaskMode::add;
  if (adds ? !has_other_fill(m.masking.file_mask, sum, *m.masking.fill)
           : !needs_sum(m.masking.file_mask, sum, *m.masking.fill))
    return;
  r.assume("bias", adds ? "the masks have several fills: they are added to the scores as they are"
                        : "a row has no key that it may attend to: the masks are added to the scores as they are");
  m.masking.file_mask = {};
  m.masking.fill.reset();
  m.add_bias(sum);
}

void read_fill(MaskReading& m) {
  const FileReading& r = m.file;
  Masking& in = m.masking;
  const auto number = r.own_number({"mask_fill", "mask_value"});
  if (number) {
    const auto fill = static_cast<float>(number->value);
    if (std::isnan(fill) || fill == INFINITY)
      r.fail(Message("{0} is {1}", in_quotes(number->name), shortest(fill)), "expected a finite number or -inf");
    in.fill = fill;
  }
  if (r.resolving.scenario.fill) {
    r.assume("fill", Message("{0} as set", shortest(*r.resolving.scenario.fill)));
  } else if (number) {
    r.assume("fill", Message("{0} ({1})", shortest(*in.fill), number->name));
  } else if (in.fill) {
    r.assume("fill", Message("{0}, the file's own", shortest(*in.fill)));
  } else if (in.has_file_mask() || in.valid_lens.defined()) {
    r.assume("fill", "-inf, there being no mask_fill");
  }
}

void note_replaced(const MaskReading& m) {
  const FileReading& r = m.file;
  const Scenario& s = r.resolving.scenario;
  const Masking& in = m.masking;
  if (s.mask.empty() || !s.mask_file.empty() || (!in.has_file_mask() && !in.valid_lens.defined())) return;
  try {
    const MaskExpression expression = MaskExpression::parse(s.mask);
    if (in.has_file_mask() && !expression.calls("file"))
      r.assume("mask", "--mask replaces the file's; \"… && file()\" keeps it");
    if (in.valid_lens.defined() && !expression.calls("padding"))
      r.assume("mask", "--mask replaces the valid lengths; \"… && padding()\" keeps them");
  } catch (const ExpressionError&) {
    // the error is shown when the mask is computed
  }
}

}  // namespace headlight
