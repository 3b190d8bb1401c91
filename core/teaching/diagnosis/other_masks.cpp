// Masks that differ from the run's: another window, another sequence's padding, one part inverted or forgotten, added
// to the scores in place of hiding them, or any that the user's numbers show.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/teaching/diagnosis/fitted_number.h"
#include "core/teaching/diagnosis/mask_parts.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight::mistakes {
namespace {

using Attends = std::function<bool(Index b, Index h, Index q, Index k)>;

/// Another mask, and what it is.
struct OtherMask {
  Tensor cells;
  std::string explanation;
  std::string yours{}, here{};  ///< in the mask language, where it has a short form
};

/// Leaves out what equals the run's mask.
Variants with_each(const Suspect& suspect, const std::vector<OtherMask>& masks) {
  Variants variants;
  const Tensor right = suspect.run[Stage::mask].contiguous();
  for (const OtherMask& mask : masks) {
    if (all_agree(mask.cells, right)) continue;
    for (Variant& variant : with_masks(suspect, {mask.cells}, mask.explanation)) {
      variant.yours = mask.yours, variant.here = mask.here;
      variants.push_back(std::move(variant));
    }
  }
  return variants;
}

std::optional<MaskParts> parts_of(const Suspect& suspect) {
  return suspect.run.has(Stage::mask) ? headlight::parts_of(suspect.run[Stage::mask]) : std::nullopt;
}

/// The parts with another band, or with the band's complement.
Tensor with_band(const MaskParts& parts, const Band& band) {
  return mask_of(parts.shape, [&](Index b, Index, Index q, Index k) { return band.holds(q, k) && parts.has(b, k); });
}

std::string size_of(const Band& band) { return band.low ? std::to_string(1 - *band.low) : ""; }

/// "Write mask = (k <= q) & (q - k < 3)."
std::string write_band(const Band& band) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "(" : " & (") + part + ")"; };
  if (band.high) add("k - q <= " + std::to_string(*band.high));
  if (band.low) add("k - q >= " + std::to_string(*band.low));
  return "Write mask = " + text + ".";
}

/// How a band says its width: "window(3)" or "-2 <= k - q <= 5".
std::string name_of(const Band& band) {
  if (band.low && band.high && *band.high == 0) return "causal() && window(" + size_of(band) + ")";
  if (band.low && band.high && *band.high == -*band.low) return "window(" + size_of(band) + ")";
  std::string text = "k - q";
  if (band.low) text = std::to_string(*band.low) + " <= " + text;
  if (band.high) text += " <= " + std::to_string(*band.high);
  return band.is_open() ? "no window" : text;
}

}  // namespace

Variants window_missing(const Suspect& suspect) {
  const std::optional<MaskParts> parts = parts_of(suspect);
  if (!parts || !parts->band || !parts->band->low) return {};
  const Band open = *parts->band->high == 0 ? Band{{}, Index{0}} : Band{};
  return with_each(suspect, {{with_band(*parts, open), "The window is left out: a query sees every key" +
                                                           std::string(open.high ? " up to its own" : "") +
                                                           ", however far away. " + write_band(*parts->band)}});
}

Variants window_off(const Suspect& suspect) {
  const std::optional<MaskParts> parts = parts_of(suspect);
  if (!parts || !parts->band || !parts->band->low || !parts->band->high) return {};
  const Band& band = *parts->band;
  const bool symmetric = *band.low == -*band.high && *band.high > 0;
  std::vector<Band> others;
  const Index most = std::min<Index>(std::max(parts->shape[2], parts->shape[3]), 64);
  for (Index width = 0; width <= most; ++width) {
    if (symmetric) others.push_back({-width, width});
    others.push_back({*band.high - width, band.high});
    if (symmetric) others.push_back({band.low, *band.low + width});
  }
  if (symmetric) others.insert(others.end(), {{band.low, {}}, {{}, band.high}});
  if (*band.high == 0) others.push_back({band.low, -*band.low});
  for (const Index by : {1, -1}) others.push_back({*band.low + by, *band.high + by});
  std::vector<OtherMask> masks;
  for (const Band& other : others) {
    if (other == band) continue;
    masks.push_back({with_band(*parts, other),
                     "The window is another one: yours is " + name_of(other) + ", this run's is " + name_of(band) +
                         ". " + write_band(band),
                     name_of(other), name_of(band)});
  }
  return with_each(suspect, masks);
}

namespace {

/// The run's mask with the sequences and heads of other ones: place(b, h) → {b', h'}.
Tensor rearranged(const Tensor& mask, const std::function<std::pair<Index, Index>(Index, Index)>& place) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(mask.count()));
  each_matrix(mask, [&](const MatrixView& m, Index b, Index h) {
    const auto [from_b, from_h] = place(b, h);
    const MatrixView from = mask.matrix(from_b, from_h);
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) values.push_back(from(q, k));
    }
  });
  return Tensor(mask.shape(), std::move(values));
}

}  // namespace

Variants mask_of_other_sequence(const Suspect& suspect) {
  const Tensor& mask = suspect.run[Stage::mask];
  if (!mask.defined() || mask.size(0) < 2) return {};
  const Index batch = mask.size(0), heads = mask.size(1);
  std::vector<OtherMask> masks{
      {rearranged(mask, [&](Index b, Index h) { return std::pair((b * heads + h) % batch, h); }),
       "The sequences' masks are tiled over the heads (0, 1, …, 0, 1, …) where each belongs to all heads of one "
       "sequence, so that most rows use another sequence's. Write mask = mask.repeat_interleave(num_heads, dim=0)."}};
  masks.push_back({rearranged(mask, [&](Index b, Index h) { return std::pair((h * batch + b) / heads, h); }),
                   "The mask of all sequences and heads, [B · H], is read as [H · B], so that most rows use another "
                   "sequence's. Write mask.view(B, H, n_q, n_k)."});
  const std::string write = "Write scores.masked_fill(~mask[:, None, None, :], float(\"-inf\")).";
  for (Index by = 1; by < std::min<Index>(batch, 16); ++by) {
    masks.push_back({rearranged(mask, [&, by](Index b, Index h) { return std::pair((b + by) % batch, h); }),
                     "Each sequence is given another one's mask: sequence b uses the mask of sequence (b + " +
                         std::to_string(by) + ") % " + std::to_string(batch) + ". " + write});
  }
  masks.push_back({rearranged(mask, [&](Index b, Index h) { return std::pair(batch - 1 - b, h); }),
                   "The sequences' masks are in the reverse order. " + write});
  for (Index one = 0; one < std::min<Index>(batch, 8); ++one) {
    masks.push_back({rearranged(mask, [&, one](Index, Index h) { return std::pair(one, h); }),
                     "Every sequence is given the mask of sequence " + std::to_string(one) + ". " + write});
  }
  const Index n_q = mask.size(2);
  const Tensor cells = mask.contiguous();
  if (batch == n_q)
    masks.push_back(
        {mask_of(mask.shape(), [&](Index, Index h, Index q, Index k) { return cells.matrix(q, h)(n_q - 1, k) != 0; }),
         "The padding mask [B, n_k] is broadcast as [n_q, n_k]: query q uses the mask of sequence q. Here B = "
         "n_q, so that no shape shows it. " +
             write});
  if (batch == heads)
    masks.push_back(
        {rearranged(mask, [](Index, Index h) { return std::pair(h, h); }),
         "The masks of the sequences are broadcast over the heads: head h uses the mask of sequence h. Here B = "
         "H, so that no shape shows it. " +
             write});
  // A mask without any padding is rather forgotten than another sequence's.
  if (const std::optional<MaskParts> parts = parts_of(suspect)) {
    const Tensor unpadded = mask_of(parts->shape, [&](Index, Index, Index q, Index k) { return parts->holds(q, k); });
    std::erase_if(masks, [&](const OtherMask& other) { return all_agree(other.cells, unpadded); });
  }
  return with_each(suspect, masks);
}

Variants mask_part_inverted(const Suspect& suspect) {
  const std::optional<MaskParts> parts = parts_of(suspect);
  if (!parts || !parts->is_padded() || !parts->band || parts->band->is_open()) return {};
  const Attends padding = [&](Index b, Index, Index q, Index k) { return parts->holds(q, k) && !parts->has(b, k); };
  const Attends pattern = [&](Index b, Index, Index q, Index k) { return !parts->holds(q, k) && parts->has(b, k); };
  return with_each(suspect, {{mask_of(parts->shape, padding),
                              "The padding is the wrong way round: it hides the words and shows what follows them. "
                              "Write mask = causal & ~padding[:, None, None, :]."},
                             {mask_of(parts->shape, pattern),
                              "The causal part of the mask is the wrong way round: it hides the past and shows the "
                              "future. Write mask = torch.ones(n, n, dtype=torch.bool).tril() & padding."}});
}

Variants mask_added(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::mask)) return {};
  const std::string write = " Write scores.masked_fill(~mask, float(\"-inf\")).";
  Variants variants;
  const auto add = [&](auto change, std::string explanation) {
    const Rule rule = [change](const Trace& t, const Usual&) {
      const Tensor& mask = t[Stage::mask];
      return combined(scores_before_mask(t), mask, change);
    };
    variants.push_back({.explanation = std::move(explanation) + write, .rules = {{Stage::masked_scores, rule}}});
  };
  add([](float s, float may) { return s + may; },
      "The mask of 0 and 1 is added to the scores: what may be attended to gains 1, and nothing is hidden.");
  add([](float s, float may) { return s + (1 - may); },
      "The mask of 0 and 1 is added to the scores: what should be hidden gains 1.");
  add([](float s, float may) { return s - (1 - may); },
      "1 is taken from the scores that should be hidden: far too little to hide them.");
  for (const float fill : {-1e9F, -INFINITY, -1e4F, std::numeric_limits<float>::lowest()}) {
    add([fill](float s, float may) { return s * (may != 0 ? 0 : fill); },
        "The scores are multiplied by the additive mask (0 or a large negative number): what may be attended to "
        "becomes 0. Add it.");
  }
  return variants;
}

namespace {

/// The scores of hidden keys alone, in rows that have any.
Tensor only_hidden_seen(const Trace& t, const Usual&) {
  const Tensor scores = scores_before_mask(t).contiguous();
  const Tensor mask = t[Stage::mask].expand(scores.shape()).contiguous();
  Buffer values(scores.values().begin(), scores.values().end());
  const auto n = static_cast<std::size_t>(scores.size(3));
  for (std::size_t first = 0; first < values.size(); first += n) {
    const auto may = mask.values().subspan(first, n);
    if (std::ranges::find(may, 0.0F) == may.end()) continue;
    for (std::size_t k = 0; k < n; ++k) values[first + k] = may[k] != 0 ? -INFINITY : values[first + k];
  }
  return Tensor(scores.shape(), std::move(values));
}

}  // namespace

Variants mask_added_weakly(const Suspect& suspect) {
  const Trace& run = suspect.run;
  if (!run.has(Stage::mask)) return {};
  const auto with = [](float by) {
    const Rule rule = [by](const Trace& t, const Usual&) {
      return combined(scores_before_mask(t), t[Stage::mask],
                      [by](float s, float may) { return may != 0 ? s : s + by; });
    };
    return Variant{.explanation = {}, .rules = {{Stage::masked_scores, rule}}, .rare = true};
  };
  const std::string write = " Write scores.masked_fill(~mask, float(\"-inf\")).";
  const auto words = [&](const std::string& yours) {
    return yours +
           " is added to the scores that should be hidden, too little to hide them, so that masked keys get "
           "weight." +
           write;
  };
  Variants variants;
  for (const float by : {1e4F, 1e9F, std::numeric_limits<float>::max(), INFINITY}) variants.push_back(with(by));
  variants.push_back({.explanation = {}, .rules = {{Stage::masked_scores, only_hidden_seen}}});
  for (Variant& variant : variants) {
    variant.explanation =
        "A large positive number is added to the scores that should be hidden: its minus is missing, so that they hide "
        "all others. Write scores + (1 - mask) * -1e9.";
    variant.rare = false;
  }
  const std::vector<double> usual{1e-4, 1e-9, 1, 2, 5, 9, 10, 100};
  const auto taken = [&](double by) { return with(static_cast<float>(-by)); };
  const auto minus = [&](const std::string& number) { return words("-" + number); };
  if (scores_of(run) > scores_to_search_in) {
    for (const double by : {5.0, 9.0, 10.0}) {
      variants.push_back(taken(by));
      variants.back().explanation = minus(std::to_string(static_cast<int>(by)));
    }
    return variants;
  }
  append(variants,
         fitted(suspect, {.now = 1e5, .low = 1e-5, .high = 100, .usual = usual, .with = taken, .words = minus}));
  return variants;
}

namespace {

/// Other masks where the user's is not seen: a part forgotten or moved, sequences padded at the other end.
std::vector<OtherMask> likely_masks(const MaskParts& parts, const Tensor& valid_lens) {
  std::vector<OtherMask> masks;
  const Index n_q = parts.shape[2], n_k = parts.shape[3];
  const auto add = [&](const std::string& what, const Attends& attends) {
    masks.push_back({mask_of(parts.shape, attends), what});
  };
  const Band band = parts.band.value_or(Band{});
  if (parts.is_padded()) {
    add("The padding is forgotten.", [&](Index, Index, Index q, Index k) { return parts.holds(q, k); });
    add("Only the padding is applied.", [&](Index b, Index, Index, Index k) { return parts.has(b, k); });
    if (valid_lens.defined() && valid_lens.rank() == 1) {  // the pattern may hide which keys are padding
      const Tensor lengths = valid_lens.contiguous();
      add("Only the padding is applied.", [&](Index b, Index, Index, Index k) {
        return static_cast<float>(k) < lengths.values()[static_cast<std::size_t>(b)];
      });
    }
    const std::vector<Index> lengths = parts.lengths();
    const auto length = [&](Index b) { return lengths[static_cast<std::size_t>(b)]; };
    for (const Index by : {-1, 1, -2, 2}) {
      const std::string how = std::to_string(std::abs(by)) + (by < 0 ? " shorter." : " longer.");
      add("Each sequence's length is " + how, [&, by](Index b, Index, Index q, Index k) {
        return parts.holds(q, k) && k < std::max<Index>(1, length(b) + by);
      });
      add("Each sequence's length is " + how,
          [&, by](Index b, Index, Index q, Index k) { return parts.holds(q, k) && k < length(b) + by; });
    }
    add("The padding is at the other end.",
        [&](Index b, Index, Index q, Index k) { return parts.holds(q, k) && parts.has(b, n_k - 1 - k); });
    add("The mask allows what either of its parts allows. Write mask = causal & padding.",
        [&](Index b, Index, Index q, Index k) { return parts.holds(q, k) || parts.has(b, k); });
    add("The mask allows what exactly one of its parts allows, as ^ or != gives it. Write mask = causal & padding.",
        [&](Index b, Index, Index q, Index k) { return parts.holds(q, k) != parts.has(b, k); });
    add("Padded queries see no key either.", [&](Index b, Index, Index q, Index k) {
      return parts.holds(q, k) && parts.has(b, k) && (q >= n_k || parts.has(b, q));
    });
    const Index longest = *std::ranges::max_element(lengths);
    add("Every sequence has the length of the longest.",
        [&, longest](Index, Index, Index q, Index k) { return parts.holds(q, k) && k < longest; });
  }
  if (parts.band && !band.is_open()) {
    for (const Index by : std::vector<Index>{2, -2, 3, -3, 1, -1, 4, n_k - n_q, n_q - n_k}) {
      const auto moved = [by](std::optional<Index> end) { return end ? std::optional(*end + by) : end; };
      const Band other{moved(band.low), moved(band.high)};
      masks.push_back(
          {with_band(parts, other), "The mask is moved by " + std::to_string(by) + ": " + name_of(other) + "."});
    }
    masks.push_back({with_band(parts, {}), "The pattern of the mask is forgotten."});
  } else if (n_q == n_k && parts.band) {
    add("The mask is causal too.", [&](Index b, Index, Index q, Index k) { return k <= q && parts.has(b, k); });
  }
  return masks;
}

}  // namespace

Variants mask_wrong(const Suspect& suspect) {
  const Tensor& mask = suspect.run[Stage::mask];
  if (!mask.defined()) return {};
  std::vector<OtherMask> masks, likely;
  if (const std::optional<MaskParts> parts = parts_of(suspect))
    likely = likely_masks(*parts, suspect.run.inputs.valid_lens);
  for (OtherMask& other : likely) other.explanation = "The mask is another one. " + other.explanation;
  if (suspect.seen_mask.defined()) {
    const std::optional<MaskWords> words = mask_in_words(mask);
    const Tensor seen = completed(suspect.seen_mask, mask);
    const std::optional<MaskWords> yours = mask_in_words(seen);
    const auto same = std::ranges::find_if(likely, [&](const OtherMask& m) { return all_agree(m.cells, seen); });
    const bool in_cells = yours || same == likely.end();
    masks.push_back({seen,
                     in_cells ? "The mask is another one: " + difference_in_words(seen, mask) +
                                    (words ? "; this run's is " + words->expression + "." : ".")
                              : same->explanation,
                     yours ? yours->expression : "", words && yours ? words->expression : ""});
  } else {
    masks = likely;
    const Index heads = mask.size(1);
    const std::string of_head = "The mask is another one: each head has the mask of another head.";
    for (Index by = 1; by < std::min<Index>(heads, 16); ++by)
      masks.push_back(
          {rearranged(mask, [&, by](Index b, Index h) { return std::pair(b, (h + by) % heads); }), of_head});
  }
  Variants variants = with_each(suspect, masks);
  for (Variant& variant : variants) variant.rare = true;  // a mistake that has a name says more
  return variants;
}

}  // namespace headlight::mistakes
