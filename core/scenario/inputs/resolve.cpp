#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

Inputs inputs_of_text(const Resolving& r) {
  const Scenario& s = r.scenario;
  if (s.x) throw SettingError("x", "is given, but the text is the input", "expected the source random or file");
  must_be_unset(s, {"batch_size", "queries", "keys"}, "since the text's tokens are the queries and keys");
  Dims dims = seeded_dims(s);
  if (dims.d_key != dims.d_query || dims.d_value != dims.d_query) {
    throw SettingError("--d-key", "and --d-value differ from d_query, but text is query, key and value at once",
                       "expected equal widths");
  }
  TextSequence text = embedded_text(s, dims);
  dims = sized(dims, text.sequence);
  set_head_size(s, dims);
  return {drawn_parameters(r, dims), std::move(text.sequence), {.valid_lens = text.valid_lens}, dims};
}

Inputs inputs_of_seed(const Resolving& r) {
  Dims dims = seeded_dims(sized_by_input(r.scenario));
  set_head_size(r.scenario, dims);
  return {
      drawn_parameters(r, dims), r.scenario.x ? typed_sequence(r.scenario, dims) : drawn_sequence(r, dims), {}, dims};
}

/// scenario.valid_lens as a tensor [B] or [B, n_q].
Tensor typed_valid_lens(const Scenario& s, const Dims& d) {
  const std::size_t width = s.valid_lens.front().size();
  const bool even = std::all_of(s.valid_lens.begin(), s.valid_lens.end(),
                                [&](const std::vector<Index>& entry) { return entry.size() == width; });
  const bool per_query = static_cast<Index>(width) == d.n_q;
  if (static_cast<Index>(s.valid_lens.size()) != d.batch || !even || (width != 1 && !per_query)) {
    throw SettingError("--valid-lens",
                       even ? Message("has {0} entries of {1} lengths", s.valid_lens.size(), width)
                            : Message("has {0} entries of differing lengths", s.valid_lens.size()),
                       Message("expected {0} (one a batch entry) of 1 or {1} (one a query)", d.batch, d.n_q));
  }
  Buffer lengths;
  for (const std::vector<Index>& entry : s.valid_lens) {
    for (const Index length : entry) lengths.push_back(static_cast<float>(length));
  }
  return width == 1 ? Tensor({d.batch}, std::move(lengths)) : Tensor({d.batch, d.n_q}, std::move(lengths));
}

/// scenario.doc_ids as a tensor [1, n] or [B, n].
Tensor typed_doc_ids(const Scenario& s, const Dims& d) {
  Buffer ids;
  bool flat = true, even = true;
  for (const std::vector<Index>& entry : s.doc_ids) {
    flat = flat && entry.size() == 1;
    even = even && static_cast<Index>(entry.size()) == d.n_k;
    for (const Index id : entry) ids.push_back(static_cast<float>(id));
  }
  const auto lists = static_cast<Index>(s.doc_ids.size()), entries = flat ? 1 : lists;
  const bool fits = flat ? lists == d.n_k : even && (lists == 1 || lists == d.batch);
  if (d.n_q != d.n_k || !fits) {
    const Message has =
        flat ? Message("has {0} numbers", ids.size()) : Message("has {0} numbers in {1} lists", ids.size(), lists);
    if (d.n_q != d.n_k)
      throw SettingError("--doc-ids", {"{0}, and there are {1} queries and {2} keys", has, d.n_q, d.n_k},
                         "expected as many queries as keys, which are the same tokens");
    throw SettingError("--doc-ids", has,
                       {"expected {0}, one a token, or that many for each of {1} batch entries", d.n_k, d.batch});
  }
  return Tensor({entries, d.n_k}, std::move(ids));
}

/// A name for each position; a single list is used for every batch entry.
TokenNames named(const TokenNames& given, const char* setting, Index batch, Index length) {
  if (given.size() != 1 && static_cast<Index>(given.size()) != batch) {
    throw SettingError(setting, Message("has {0} batch entries", given.size()), Message("expected 1 or {0}", batch));
  }
  for (const std::vector<std::string>& entry : given) {
    if (static_cast<Index>(entry.size()) == length) continue;
    throw SettingError(setting, Message("has {0} names", entry.size()), Message("expected {0}", length));
  }
  return given.size() == 1 ? TokenNames(static_cast<std::size_t>(batch), given.front()) : given;
}

/// Replaces the source's names by scenario.tokens and key_tokens.
void name_tokens(const Scenario& s, Inputs& inputs) {
  const Dims& d = inputs.dims;
  const bool same = inputs.query.defined() ? identical(inputs.query, inputs.key) : d.n_q == d.n_k;
  if (s.tokens.empty() && s.key_tokens.empty()) return;
  if (!s.tokens.empty()) inputs.query_tokens = named(s.tokens, "--tokens", d.batch, d.n_q), inputs.query_spelled = {};
  if (!s.key_tokens.empty()) {
    inputs.key_tokens = named(s.key_tokens, "--key-tokens", d.batch, d.n_k), inputs.key_spelled = {};
  } else if (!s.tokens.empty() && same) {
    inputs.key_tokens = inputs.query_tokens, inputs.key_spelled = {};
  } else if (!s.tokens.empty() && inputs.own_keys > 0 && d.n_q == d.n_k - inputs.own_keys) {
    for (std::size_t b = 0; b < inputs.key_tokens.size(); ++b)
      std::ranges::copy(inputs.query_tokens[b], inputs.key_tokens[b].begin());
    inputs.key_spelled = {};
  }
  draw_spelled(inputs);
}

/// Notes which place is a short line's last word: logits[:, -1] is of its padding.
void note_padding(Inputs& inputs) {
  const Tensor& lengths = inputs.valid_lens;
  const Dims& d = inputs.dims;
  if (!lengths.defined() || lengths.rank() != 1 || d.n_q != d.n_k || d.batch < 2) return;
  std::string lines, places;
  for (Index b = 0; b < d.batch; ++b) {
    const auto real = static_cast<Index>(lengths.at({b}));
    if (real <= 0 || real >= d.n_q) continue;
    lines += (lines.empty() ? "" : ", ") + std::to_string(b);
    places += (places.empty() ? "" : ", ") + std::to_string(real - 1);
  }
  if (!lines.empty())
    inputs.assumptions.push_back(
        {"padding",
         Message("after word {1} of sequence {0}, counted from 0, there is padding; so output[:, -1] is padding there",
                 lines, places)});
}

/// Notes what in a mask with causal_bottom_right() still counts from the top left.
void note_corners(const Scenario& s, Inputs& inputs) {
  if (inputs.dims.n_q == inputs.dims.n_k || s.mask.find("causal_bottom_right") == std::string::npos) return;
  try {
    const MaskExpression expression = MaskExpression::parse(s.mask);
    if (!expression.calls("causal_bottom_right")) return;
    std::string at_top;
    for (const char* name : {"causal", "random", "file", "painted"}) {
      if (expression.calls(name)) at_top += (at_top.empty() ? "" : ", ") + std::string(name) + "()";
    }
    if (reads_query(expression)) at_top += (at_top.empty() ? "" : ", ") + std::string("q");
    if (!at_top.empty())
      inputs.assumptions.push_back(
          {"mask", Message("{0} counts queries from the top left, the rest from the bottom right corner", at_top)});
  } catch (const ExpressionError&) {  // shown when the mask is computed
  }
}

/// Whether a query of the first batch entry and head may attend to a key after it.
bool sees_ahead(const Scenario& s, const Inputs& inputs) {
  const MaskRule rule = mask_rule(s, inputs);
  const auto readable = readable_mask(rule);
  if (!readable) return true;
  MaskReader reader(readable->expression, readable->context);
  constexpr Index most = 64;
  const Dims& d = inputs.dims;
  const bool last = rule.expression.calls("causal_bottom_right");
  const Index from = s.query_offset.value_or(last && d.n_q < d.n_k ? d.n_k - d.n_q : 0);
  Buffer row(static_cast<std::size_t>(d.n_k));
  for (Index q = 0; q < std::min(most, d.n_q); ++q) {
    reader.read(0, 0, q, 0, d.n_k, row.data());
    for (Index k = std::max<Index>(0, q + from + 1); k < d.n_k; ++k) {
      if (row[static_cast<std::size_t>(k)] != 0) return true;
    }
  }
  return false;
}

/// Notes that ALiBi without a causal mask gives most to what is furthest ahead.
void note_alibi_ahead(const Scenario& s, Inputs& inputs) {
  const Scenario settled = with_rules(s, inputs.rules);
  const Dims& d = inputs.dims;
  if (!settled.alibi || settled.alibi_symmetric || inputs.weights.defined() || d.n_k < 2) return;
  try {
    if (has_mask(settled, inputs) && !sees_ahead(settled, inputs)) return;
  } catch (const InputError&) { return; }  // shown when the mask is computed
  inputs.assumptions.push_back(
      {"alibi",
       "m·(k − q) without a causal mask: the further ahead a key is, the more it gets; --alibi-symmetric is "
       "−m·|q − k|, --mask \"causal()\" hides what is ahead"});
}

/// Uses the last run's tensors in place of equal ones.
void keep_inputs(const Inputs& last, Inputs& inputs) {
  const bool key_is_query = identical(inputs.key, inputs.query);
  const bool value_is_key = identical(inputs.value, inputs.key);
  inputs.query = keep_if_equal(inputs.query, last.query);
  inputs.key = key_is_query ? inputs.query : keep_if_equal(inputs.key, last.key);
  inputs.value = value_is_key ? inputs.key : keep_if_equal(inputs.value, last.value);
  inputs.valid_lens = keep_if_equal(inputs.valid_lens, last.valid_lens);
  inputs.doc_ids = keep_if_equal(inputs.doc_ids, last.doc_ids);
  inputs.attn_bias = keep_if_equal(inputs.attn_bias, last.attn_bias);
}

Inputs inputs_of_source(const Resolving& r) {
  switch (r.scenario.source) {
    case Source::text: return inputs_of_text(r);
    case Source::random: return inputs_of_seed(r);
    case Source::file: return inputs_of_file(r);
  }
  return {};
}

Inputs resolve_unedited(const Resolving& r) {
  Inputs inputs = inputs_of_source(r);
  if (r.scenario.positions != Positions::none && !inputs.query.defined()) {
    throw SettingError("--positions", "are added to the inputs, of which the file knows none", "expected none");
  }
  add_positions(r.scenario, inputs);
  return inputs;
}

/// The offset of the cell in the numbers of a [B, n, d], [out, in] or [out] tensor; nothing if it is outside.
std::optional<std::size_t> offset_of(const CellEdit& edit, const Tensor& tensor) {
  const Index rank = tensor.rank();
  const Index batches = rank == 3 ? tensor.size(0) : 1;
  const Index rows = rank >= 2 ? tensor.size(-2) : 1;
  const Index cols = tensor.size(-1);
  if (edit.batch < 0 || edit.batch >= batches || edit.row < 0 || edit.row >= rows || edit.col < 0 || edit.col >= cols) {
    return {};
  }
  return static_cast<std::size_t>((edit.batch * rows + edit.row) * cols + edit.col);
}

/// `base` with the edits of all stages that share this tensor; adds the number of edits outside it to `outside`.
Tensor edited(const Tensor& base, const std::vector<CellEdit>& edits, const Inputs& inputs, Index& outside) {
  const Tensor packed = base.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  for (const CellEdit& edit : edits) {
    if (!identical(inputs.matrix(edit.stage), base)) continue;
    const std::optional<std::size_t> offset = offset_of(edit, base);
    offset ? void(values[*offset] = edit.value) : void(++outside);
  }
  return Tensor(base.shape(), std::move(values));
}

/// In self-attention query, key and value are one tensor, so an edit of one changes all three.
void apply_edits(const std::vector<CellEdit>& edits, const Inputs* last, Inputs& inputs) {
  const Inputs base = *inputs.unedited;
  Index outside = 0;
  for (const Stage stage : all_matrices()) {
    Tensor* target = is_input(stage) || is_parameter(stage) ? inputs.known(stage) : nullptr;
    if (!target || !target->defined()) continue;
    const auto is_shared = [&](const CellEdit& edit) { return identical(base.matrix(edit.stage), base.matrix(stage)); };
    if (std::none_of(edits.begin(), edits.end(), is_shared)) continue;
    if (stage == Stage::key && identical(base.key, base.query)) {
      inputs.key = inputs.query;
    } else if (stage == Stage::value && identical(base.value, base.key)) {
      inputs.value = inputs.key;
    } else {
      const Tensor made = edited(base.matrix(stage), edits, base, outside);
      *target = last ? keep_if_equal(made, last->matrix(stage)) : made;
    }
  }
  for (const CellEdit& edit : edits) outside += base.matrix(edit.stage).defined() ? 0 : 1;
  if (outside > 0) {
    inputs.assumptions.push_back({"edits", Message("{0} outside the tensors as they are now, left out", outside)});
  }
}

}  // namespace

Inputs resolve(const Scenario& scenario, const Scenario* last_scenario, const Inputs* last, std::stop_token stop) {
  check_settings(scenario);
  const Inputs* last_unedited = last && last->unedited ? last->unedited.get() : last;
  Inputs inputs = resolve_unedited({scenario, last_scenario, last_unedited, stop});
  add_settings({scenario, last_scenario, last, std::move(stop)}, inputs);
  if (const auto doubt = doubtful(scenario.mask)) inputs.assumptions.push_back({"mask", *doubt});
  note_corners(scenario, inputs);
  note_alibi_ahead(scenario, inputs);
  return inputs;
}

void add_settings(const Resolving& r, Inputs& inputs) {
  const Inputs* last_unedited = r.last && r.last->unedited ? r.last->unedited.get() : r.last;
  if (!r.scenario.valid_lens.empty()) inputs.valid_lens = typed_valid_lens(r.scenario, inputs.dims);
  if (!r.scenario.doc_ids.empty()) {
    if (inputs.doc_ids.defined()) inputs.assumptions.push_back({"mask", "--doc-ids in place of the file's documents"});
    inputs.doc_ids = typed_doc_ids(r.scenario, inputs.dims);
  }
  if (!r.scenario.grid.empty()) {
    if (inputs.grid.there()) inputs.assumptions.push_back({"mask", "--grid in place of the model's"});
    inputs.grid = picture_grid(r.scenario.grid, inputs.dims.n_k);
  }
  if (!r.scenario.mask_file.empty()) add_mask_file({r.scenario, r.last_scenario, last_unedited}, inputs);
  if (r.scenario.attn_bias) inputs.attn_bias = typed_bias(r.scenario, inputs.dims);
  name_tokens(r.scenario, inputs);
  note_padding(inputs);
  if (last_unedited) keep_inputs(*last_unedited, inputs);
  if (r.scenario.edits.empty()) return;
  inputs.unedited = std::make_shared<const Inputs>(inputs);
  apply_edits(r.scenario.edits, r.last, inputs);
}

}  // namespace headlight
