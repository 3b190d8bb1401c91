#include "core/teaching/diagnosis/mask_parts.h"

#include <algorithm>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/texts.h"
#include "core/rules/mask/evaluate.h"
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

}  // namespace headlight
