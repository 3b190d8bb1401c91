#include "core/teaching/diagnosis/mask_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/texts.h"
#include "core/compute/attention/softmax.h"
#include "core/rules/mask/evaluate.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

bool same_numbers(const MatrixView& a, const MatrixView& b) {
  if (a == b) return true;
  for (Index row = 0; row < a.rows; ++row) {
    for (Index col = 0; col < a.cols; ++col) {
      if (a(row, col) != b(row, col)) return false;
    }
  }
  return true;
}

Tensor once_for_all_heads(const Tensor& mask) {
  for (Index b = 0; b < mask.size(0); ++b) {
    for (Index h = 1; h < mask.size(1); ++h) {
      if (!same_numbers(mask.matrix(b, h), mask.matrix(b, 0))) return mask;
    }
  }
  return mask.slice(1, 0, 1);
}

namespace {

/// The keys that any query of a sequence sees, and what any sequence sees.
void read_parts(const Tensor& mask, MaskParts& parts) {
  const Index n_k = parts.shape[3];
  each_matrix(mask, [&](const MatrixView& m, Index b, Index) {
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (m(q, k) == 0) continue;
        parts.pattern[static_cast<std::size_t>(q * n_k + k)] = 1;
        parts.there[static_cast<std::size_t>(b * n_k + k)] = 1;
      }
    }
  });
}

bool is_seen(const MaskParts& parts, Index k) {
  for (Index b = 0; b < parts.shape[0]; ++b) {
    if (parts.has(b, k)) return true;
  }
  return false;
}

bool is_band(const MaskParts& parts, const Band& band) {
  for (Index k = 0; k < parts.shape[3]; ++k) {
    if (!is_seen(parts, k)) continue;
    for (Index q = 0; q < parts.shape[2]; ++q) {
      if (parts.holds(q, k) != band.holds(q, k)) return false;
    }
  }
  return true;
}

std::optional<Band> band_of(const MaskParts& parts) {
  std::optional<Index> low, high;
  for (Index q = 0; q < parts.shape[2]; ++q) {
    for (Index k = 0; k < parts.shape[3]; ++k) {
      if (!parts.holds(q, k)) continue;
      low = std::min(low.value_or(k - q), k - q);
      high = std::max(high.value_or(k - q), k - q);
    }
  }
  for (const Band& band : {Band{}, Band{{}, high}, Band{low, {}}, Band{low, high}}) {
    if (is_band(parts, band)) return band;
  }
  return {};
}

/// Keys that no query sees are there if the band never reaches them; else they are padding, and the band holds there.
void fill_unseen(MaskParts& parts) {
  const Index batch = parts.shape[0], n_q = parts.shape[2], n_k = parts.shape[3];
  for (Index k = 0; k < n_k; ++k) {
    if (is_seen(parts, k)) continue;
    bool reached = false;
    for (Index q = 0; q < n_q; ++q) {
      const bool holds = parts.band->holds(q, k);
      reached = reached || holds;
      parts.pattern[static_cast<std::size_t>(q * n_k + k)] = holds ? 1 : 0;
    }
    for (Index b = 0; b < batch && !reached; ++b) parts.there[static_cast<std::size_t>(b * n_k + k)] = 1;
  }
}

std::string plus(Index offset) {
  return offset == 0 ? "" : offset > 0 ? " + " + std::to_string(offset) : " - " + std::to_string(-offset);
}

/// "k <= q + 2"; with the patterns' names where they have one. "" for an open band.
std::string words_of(const Band& band, Index n_q, Index n_k) {
  const Index corner = n_k - n_q;
  std::string text;
  if (band.low && band.high && *band.low == -*band.high)
    return *band.high == 0 ? "diagonal()" : "window(" + std::to_string(*band.high + 1) + ")";
  if (band.high) {
    text = *band.high == 0        ? "causal()"
           : *band.high == corner ? "causal_bottom_right()"
           : *band.high == -1     ? "k < q"
                                  : "k <= q" + plus(*band.high);
  }
  if (!band.low) return text;
  const std::string low = band.high == Index{0} ? "window(" + std::to_string(1 - *band.low) + ")"
                          : *band.low == 1      ? "k > q"
                                                : "k >= q" + plus(*band.low);
  return text.empty() ? low : text + " && " + low;
}

/// The expressions of the keys that are there: all shorter, or all beginning later.
std::vector<MaskWords> words_of_padding(const MaskParts& parts) {
  const std::vector<Index> lengths = parts.lengths();
  std::vector<Index> hidden;
  for (const Index length : lengths) hidden.push_back(parts.shape[3] - length);
  const bool same = std::ranges::adjacent_find(lengths, std::not_equal_to{}) == lengths.end();
  std::vector<MaskWords> words;
  if (same) {
    words.push_back({"valid(" + std::to_string(lengths.front()) + ")"});
    words.push_back({"k >= " + std::to_string(hidden.front())});
  }
  words.push_back({"padding()", lengths});
  words.push_back({"!padding()", hidden});
  return words;
}

}  // namespace

bool MaskParts::is_padded() const { return std::ranges::find(there, 0) != there.end(); }

std::vector<Index> MaskParts::lengths() const {
  std::vector<Index> counts;
  for (Index b = 0; b < shape[0]; ++b)
    counts.push_back(std::count(there.begin() + b * shape[3], there.begin() + (b + 1) * shape[3], 1));
  return counts;
}

std::optional<MaskParts> parts_of(const Tensor& mask) {
  MaskParts parts{.shape = mask.shape()};
  parts.pattern.assign(static_cast<std::size_t>(mask.size(2) * mask.size(3)), 0);
  parts.there.assign(static_cast<std::size_t>(mask.size(0) * mask.size(3)), 0);
  const Tensor one = once_for_all_heads(mask);
  read_parts(one, parts);
  const Tensor product =
      mask_of(one.shape(), [&](Index b, Index, Index q, Index k) { return parts.holds(q, k) && parts.has(b, k); });
  if (!all_agree(one, product)) return {};
  parts.band = band_of(parts);
  if (parts.band) fill_unseen(parts);
  return parts;
}

Tensor mask_of(const Shape& shape, const std::function<bool(Index, Index, Index, Index)>& attends) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(element_count(shape)));
  for (Index b = 0; b < shape[0]; ++b) {
    for (Index h = 0; h < shape[1]; ++h) {
      for (Index q = 0; q < shape[2]; ++q) {
        for (Index k = 0; k < shape[3]; ++k) values.push_back(attends(b, h, q, k) ? 1 : 0);
      }
    }
  }
  return Tensor(shape, std::move(values));
}

Tensor evaluated(const MaskWords& words, const Shape& shape) {
  MaskContext context{.batch = shape[0], .heads = shape[1], .n_q = shape[2], .n_k = shape[3]};
  if (!words.lengths.empty()) {
    Buffer lengths;
    for (const Index length : words.lengths) lengths.push_back(static_cast<float>(length));
    context.valid_lens = Tensor({shape[0]}, std::move(lengths));
  }
  return evaluate(MaskExpression::parse(words.expression), context).expand(shape).contiguous();
}

std::optional<MaskWords> mask_in_words(const Tensor& given) {
  const Tensor mask = once_for_all_heads(given).contiguous();
  const Shape& shape = mask.shape();
  std::vector<MaskWords> all;
  if (const std::optional<MaskParts> parts = parts_of(mask)) {
    const std::string band = parts->band ? words_of(*parts->band, shape[2], shape[3]) : "";
    if (!parts->is_padded()) {
      all.push_back({band.empty() ? "full()" : band});
    } else if (parts->band) {
      for (MaskWords& padding : words_of_padding(*parts))
        all.push_back({band.empty() ? padding.expression : band + " && " + padding.expression, padding.lengths});
    }
  }
  all.push_back({"not_self()"});
  for (Index n = 1; n < std::min<Index>(shape[3], 16); ++n) {
    const std::string size = std::to_string(n);
    all.push_back({"prefix(" + size + ") || causal()"});
    all.push_back({"chunked(" + size + ")"});
    all.push_back({"causal() && chunked(" + size + ")"});
    all.push_back({"causal() && (sink(1) || window(" + size + "))"});
  }
  for (const MaskWords& words : all) {
    if (all_agree(mask, evaluated(words, shape))) return words;
  }
  return {};
}

std::string settings_of(const MaskWords& words) {
  const std::string text = "--mask \"" + words.expression + "\"";
  if (words.lengths.empty()) return text;
  std::string lengths = comma_list(words.lengths, [](Index length) { return std::to_string(length); });
  std::erase(lengths, ' ');
  return text + " --valid-lens " + lengths;
}

std::string difference_in_words(const Tensor& mine, const Tensor& right) {
  if (const std::optional<MaskWords> words = mask_in_words(mine)) {
    const std::string lengths = comma_list(words->lengths, [](Index length) { return std::to_string(length); });
    return words->expression + (lengths.empty() ? "" : " of lengths " + lengths);
  }
  Index count = 0;
  std::string cells;
  each_matrix(mine, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView r = right.matrix(b, h);
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if ((m(q, k) == 0) == (r(q, k) == 0)) continue;
        if (++count > 3) continue;
        cells += (cells.empty() ? "[" : ", [") + std::to_string(b) + ", " + std::to_string(h) + ", " +
                 std::to_string(q) + ", " + std::to_string(k) + (m(q, k) == 0 ? "] is hidden" : "] is seen");
      }
    }
  });
  return std::to_string(count) + (count == 1 ? " cell differs: " : " cells differ: ") + cells +
         (count > 3 ? ", …" : "");
}

namespace {

using Row = std::span<const float>;

constexpr float least_seen = 1e-20F;  // a smaller weight can be an underflow of the softmax

/// Whether a weight was masked. `expected` is the run's without a mask. All are NaN in a row without any key.
bool is_masked_weight(float weight, float expected) {
  return std::isnan(weight) | ((weight == 0) & (expected > least_seen));
}

bool is_far_below(float score, float expected) { return score < expected - far_below; }

/// The row's largest score where is_masked_score() asks for it: where a number lies far below the run's.
float row_top(Row scores, Row expected) {
  Index far = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) far += (scores[k] > -INFINITY) & is_far_below(scores[k], expected[k]);
  float top = -INFINITY;
  for (std::size_t k = 0; far > 0 && k < scores.size(); ++k) top = scores[k] > top ? scores[k] : top;
  return top;
}

bool is_masked_score(float score, float expected, float top) {
  return (score == -INFINITY) |
         (is_far_below(score, expected) & (is_far_below(score, top) | is_far_below(top, expected)));
}

struct Seen {
  bool any = false, all = true;  ///< whether any cell, and all cells, are masked
  bool torn = false;             ///< a NaN beside numbers, which is no mask
};

/// Writes which cells of a row the stage shows as seen: 1, or 0, or NaN where a weight of 0 can be an underflow.
void see_row(Stage stage, Row mine, Row expected, std::span<float> cells, Seen& seen) {
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  std::size_t masked = 0, nans = 0;
  if (stage == Stage::weights) {
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const bool is = is_masked_weight(mine[k], expected[k]);
      cells[k] = is ? 0 : mine[k] == 0 ? unknown : 1;
      masked += is;
      nans += std::isnan(mine[k]);
    }
  } else {
    const float top = row_top(mine, expected);
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const bool is = is_masked_score(mine[k], expected[k], top);
      cells[k] = is ? 0 : 1;
      masked += is;
      nans += std::isnan(mine[k]);
    }
  }
  seen.any = seen.any || masked > 0;
  seen.all = seen.all && masked == mine.size();
  seen.torn = seen.torn || (nans > 0 && nans < mine.size());
}

/// The cells of one head.
void see(Stage stage, const MatrixView& mine, const MatrixView& expected, Buffer& cells, Seen& seen) {
  const auto width = static_cast<std::size_t>(mine.cols);
  Buffer room, other_room;
  for (Index q = 0; q < mine.rows; ++q) {
    const Row row(mine.whole_row(q, room), width), other(expected.whole_row(q, other_room), width);
    see_row(stage, row, other, std::span(cells).subspan(static_cast<std::size_t>(q) * width, width), seen);
  }
}

/// The mask that a stage shows; undefined if it shows no masked cell, or nothing else. One matrix is kept for all heads
/// as long as they show the same.
Tensor seen_in(Stage stage, const Tensor& mine, const Tensor& unmasked, bool per_head = false) {
  const Shape& shape = mine.shape();
  Buffer cells, here(static_cast<std::size_t>(shape[2] * shape[3]));
  Seen seen;
  bool alike = true;
  each_matrix(mine, [&](const MatrixView& m, Index b, Index h) {
    if (!alike) return;
    see(stage, m, unmasked.matrix(b, h), here, seen);
    if (h == 0 || per_head) cells.insert(cells.end(), here.begin(), here.end());
    else alike = std::equal(here.begin(), here.end(), cells.end() - std::ssize(here));
  });
  if (!alike) return seen_in(stage, mine, unmasked, true);
  if (!seen.any || seen.all || seen.torn) return {};
  return Tensor({shape[0], per_head ? shape[1] : 1, shape[2], shape[3]}, std::move(cells)).expand(shape);
}

}  // namespace

std::optional<SeenMask> seen_mask(const Trace& run, const OwnStages& own) {
  if (run.dims().n_k < 2 || run.inputs.first_stage() == Stage::weights) return {};
  const Tensor unmasked = mistakes::scores_before_mask(run).contiguous();
  for (const Stage stage : {Stage::masked_scores, Stage::weights, Stage::mask}) {
    const OwnStage* mine = own.find(stage);
    if (!mine || !mine->fits || mine->values.shape() != unmasked.shape()) continue;
    const Tensor values = mine->values.contiguous();
    if (stage == Stage::mask) {
      const bool some = std::ranges::find(values.values(), 0.0F) != values.values().end();
      if (some) return SeenMask{values, stage};
      continue;
    }
    const Tensor cells = seen_in(stage, values, stage == Stage::weights ? softmax(unmasked) : unmasked);
    if (cells.defined()) return SeenMask{cells, stage};
  }
  return {};
}

Tensor completed(const Tensor& cells, const Tensor& otherwise) {
  const auto is_unknown = [](const MatrixView& m) {
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (std::isnan(m(q, k))) return true;
      }
    }
    return false;
  };
  if (!any_matrix(cells, is_unknown)) return cells;
  return combined(cells, otherwise.expand(cells.shape()), [](float a, float b) { return std::isnan(a) ? b : a; });
}

namespace {

struct Fill {
  float low = INFINITY, high = -INFINITY;
  bool is(float fill) const { return low == fill && high == fill; }
  /// Whether it is one number, or one added to scores.
  bool is_one() const { return low == high || high - low < 1e-2F * std::abs(low); }
};

/// The range of the masked numbers.
Fill fill_of(const Tensor& scores, const Tensor& cells) {
  Fill fill;
  each_matrix(scores, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView may = cells.matrix(b, h);
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (may(q, k) != 0) continue;
        fill.low = std::min(fill.low, m(q, k));
        fill.high = std::max(fill.high, m(q, k));
      }
    }
  });
  return fill;
}

}  // namespace

Tensor with_fill_for(const Tensor& masked_scores, const Trace& run, float fill) {
  const Tensor unmasked = mistakes::scores_before_mask(run).contiguous(), mine = masked_scores.contiguous();
  if (mine.shape() != unmasked.shape()) return masked_scores;
  const Tensor cells = seen_in(Stage::masked_scores, mine, unmasked);
  if (!cells.defined()) return masked_scores;
  const Fill own = fill_of(mine, cells);
  if (!own.is_one() || own.is(fill)) return masked_scores;
  return combined(mine, cells, [fill](float score, float may) { return may == 0 ? fill : score; });
}

bool shows(const Tensor& mask, const Tensor& seen) {
  bool same = true;
  each_matrix(mask, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView s = seen.matrix(b, h);
    for (Index q = 0; q < m.rows && same; ++q) {
      if (is_dead_row(m, q)) continue;
      for (Index k = 0; k < m.cols; ++k) same = same && (std::isnan(s(q, k)) || (m(q, k) != 0) == (s(q, k) != 0));
    }
  });
  return same;
}

}  // namespace headlight
