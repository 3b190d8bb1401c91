#include "core/compute/run/score_terms.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/rules/position/relative_bias.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

Index distance_at(const Trace& trace, const Cell& c) { return c.col - c.row - trace.query_offset; }
std::string indices(Index row, Index col) { return "_{" + std::to_string(row) + "," + std::to_string(col) + "}"; }
/// What is subtracted from k − q.
std::string minus_offset(const Trace& trace) {
  return trace.query_offset == 0 ? "" : " - " + std::to_string(trace.query_offset);
}
double value_in(const Tensor& term, const Trace& trace, const Cell& c) {
  const Dims& d = trace.dims();
  return static_cast<double>(term.expand({d.batch, d.heads, d.n_q, d.n_k}).at({c.batch, c.head, c.row, c.col}));
}

// ---- ALiBi (Press et al. 2022): m_h · (k − q)
bool has_alibi(const Scenario& s, const Inputs&) { return s.any_alibi(); }
AddedTerm alibi_values(const Trace& trace) {
  const Dims& d = trace.dims();
  return {alibi_by_distance(d.heads, d.n_q, d.n_k, trace.query_offset, trace.scenario.alibi_symmetric), true};
}
std::vector<TermOfCell> alibi_of_cell(const Trace& trace, const Cell& c) {
  const bool symmetric = trace.scenario.alibi_symmetric;
  const Index distance = distance_at(trace, c), steps = symmetric ? -std::abs(distance) : distance;
  const double slope = alibi_slopes(trace.dims().heads)[static_cast<std::size_t>(c.head)];
  return {{"alibi", slope * static_cast<double>(steps),
           "m_{" + std::to_string(c.head) + "} " + (symmetric ? "(−|k − q|)" : "(k − q)"), std::pair(slope, steps),
           "slope", slope}};
}
TermOfScript alibi_script(const Trace& trace, bool torch) {
  const Index heads = trace.dims().heads;
  const auto lower = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  TermOfScript term;
  term.before = {"# ALiBi: the further away the key, the lower its score, in each head at a slope of its own."};
  if (lower == heads) {
    term.before.emplace_back("slopes = [2 ** (-8 * (h + 1) / H) for h in range(H)]");
  } else {
    const std::string power = std::to_string(lower), twice = std::to_string(2 * lower);
    term.before.push_back("# H is no power of two: the slopes of " + power + " heads, then every other slope of " +
                          twice + ".");
    term.before.push_back("slopes = [2 ** (-8 * (h + 1) / " + power + ") for h in range(" + power + ")]");
    term.before.push_back("slopes += [2 ** (-8 * (2 * h + 1) / " + twice + ") for h in range(H - " + power + ")]");
  }
  const std::string library = torch ? "torch" : "np";
  term.before.push_back("distance = " + library + ".arange(n_k) - " + library + ".arange(n_q)[:, None]" +
                        minus_offset(trace) + "  # k - q");
  const std::string slopes = torch ? "torch.tensor(slopes)" : "np.array(slopes, dtype=np.float32)";
  term.value = slopes + "[:, None, None] * " + (trace.scenario.alibi_symmetric ? "-abs(distance)" : "distance");
  return term;
}

// ---- T5 (Raffel et al. 2020): table[h, bucket(k − q)]
bool has_t5(const Scenario& s, const Inputs&) { return s.t5_bias; }
AddedTerm t5_values(const Trace& trace) {
  const bool both = trace.scenario.t5_bidirectional.value_or(true);
  return {t5_by_distance(trace.t5_table, both, trace.dims().n_q, trace.dims().n_k, trace.query_offset), true};
}
std::vector<TermOfCell> t5_of_cell(const Trace& trace, const Cell& c) {
  const Index bucket = t5_bucket(distance_at(trace, c), trace.scenario.t5_bidirectional.value_or(true));
  return {{"t5_bias",
           static_cast<double>(trace.t5_table.at({c.head, bucket})),
           "T_{" + std::to_string(c.head) + "," + std::to_string(bucket) + "}",
           {},
           "bucket",
           static_cast<double>(bucket)}};
}
TermOfScript t5_script(const Trace& trace, bool torch) {
  TermOfScript term;
  term.before = {
      "", "", "def bucket(distance):",
      "    \"\"\"T5: the nearest distances have a bucket each, further ones share, more and more, up to 128.\"\"\""};
  const auto add = [&](std::initializer_list<const char*> lines) {
    term.before.insert(term.before.end(), lines.begin(), lines.end());
  };
  if (trace.scenario.t5_bidirectional.value_or(true))
    add({"    first, apart = (16, distance) if distance > 0 else (0, -distance)  # a half for each direction",
         "    if apart < 8:", "        return first + apart",
         "    return first + min(8 + int(np.log2(apart / 8) / np.log2(128 / 8) * 8), 15)"});
  else
    add({"    apart = max(0, -distance)  # keys after the query share bucket 0", "    if apart < 16:",
         "        return apart", "    return min(16 + int(np.log2(apart / 16) / np.log2(128 / 16) * 16), 31)"});
  add({"", ""});
  term.before.push_back("buckets = [[bucket(k - q" + minus_offset(trace) +
                        ") for k in range(n_k)] for q in range(n_q)]");
  term.value = std::string("inputs[\"t5_table\"][:, ") + (torch ? "torch.tensor(buckets)]" : "np.array(buckets)]");
  return term;
}

// ---- DeBERTa (He et al. 2021): the content of one with the place of the other, both ways
bool has_places(const Scenario& s, const Inputs& in) { return in.rules.to_place.defined() && !s.attn_bias; }
AddedTerm tensor_values(const Trace& trace) { return {trace.inputs.attn_bias, false}; }
std::vector<TermOfCell> places_of_cell(const Trace& trace, const Cell& c) {
  const Rules& rules = trace.inputs.rules;
  const std::string place = indices(c.row, c.col);
  return {{"c2p", value_in(rules.to_place, trace, c), "c2p" + place},
          {"p2c", value_in(rules.from_place, trace, c), "p2c" + place}};
}
TermOfScript tensor_script(const Trace&, bool) { return {{}, "inputs[\"bias\"]"}; }

// ---- a tensor: of a file (attn_bias, relative positions), or as the user gives it
bool has_tensor(const Scenario& s, const Inputs& in) { return in.attn_bias.defined() && !has_places(s, in); }
std::vector<TermOfCell> tensor_of_cell(const Trace& trace, const Cell& c) {
  return {{"bias", value_in(trace.inputs.attn_bias, trace, c), "bias" + indices(c.row, c.col)}};
}

constexpr ScoreTerm terms[] = {
    {"ALiBi", "", has_alibi, alibi_values, alibi_of_cell, alibi_script},
    {"T5", "", has_t5, t5_values, t5_of_cell, t5_script},
    {"places", "_given", has_places, tensor_values, places_of_cell, tensor_script},
    {"tensor", "_given", has_tensor, tensor_values, tensor_of_cell, tensor_script},
};

}  // namespace

std::vector<const ScoreTerm*> terms_of(const Scenario& scenario, const Inputs& inputs) {
  std::vector<const ScoreTerm*> found;
  for (const ScoreTerm& term : terms) {
    if (term.there(scenario, inputs)) found.push_back(&term);
  }
  return found;
}

AddedTerms added_terms(const Trace& trace, const Trace* last) {
  AddedTerms made;
  for (const ScoreTerm* term : terms_of(trace.scenario, trace.inputs)) {
    AddedTerm added = term->values(trace);
    added.name = term->name;
    const auto before = [&] { return std::ranges::find(last->added.terms, added.name, &AddedTerm::name); };
    if (last && added.by_distance && before() != last->added.terms.end())
      added.values = keep_if_equal(added.values, before()->values);
    made.terms.push_back(std::move(added));
  }
  return made;
}

}  // namespace headlight
