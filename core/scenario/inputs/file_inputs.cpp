// The whole file, its inputs, and the words for their axes.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/length_first.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/inputs/seeded.h"

namespace headlight {
namespace {

const InputNames& input_names(const FileReading& r);

/// [B, n, d]; an array [n, d] is one batch entry.
Tensor input_of(const FileReading& r, const std::string& name, Index width, const Message& weight) {
  Tensor x = r.load(name);
  const bool single = x.rank() == 2;
  if (x.rank() == 3 && why_length_first(r, input_names(r))) {
    const Tensor stored = x;
    x = r.file.made(name + " batch first", [&] { return stored.transpose(0, 1).contiguous(); });
  }
  const Message expected("expected [B, n, {0}], the width of {1}", width, weight);
  if ((x.rank() != 3 && !single) || x.size(-1) != width || x.count() == 0) r.fail(r.shape_of(name), expected);
  if (!single) return x;
  r.assume("batch", Message("{0} {1} is one batch entry", name, to_string(x.shape())));
  return x.view({1, x.size(0), x.size(1)});
}

/// Whether the layer can be cross-attention over another sequence in the file.
bool may_be_cross(const FileReading& r) {
  const std::string& prefix = r.attention.prefix;
  const auto says = [&](std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return prefix.find(word) != std::string::npos; });
  };
  const bool is_only = prefix.empty() || (!r.attention.around.empty() && r.attention.around.back().empty());
  return (is_only && !says({"self", "Self"})) ||
         says({"cross", "Cross", "encoder_attn", "EncDec", "multihead_attn", "src_attn"});
}

/// The first of the names that is a sequence, [n, d] or [B, n, d] of floating numbers; "" if none is.
std::string sequence_named(const FileReading& r, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string found = r.find({name});
    const ArrayEntry* entry = found.empty() ? nullptr : r.file.arrays().find(found);
    if (entry && is_floating(entry->dtype) && (entry->shape.size() == 2 || entry->shape.size() == 3)) return found;
  }
  return {};
}

/// Inputs that have no names: those of a tuple of arguments, or one in a module around the layer.
InputNames unnamed_inputs(const FileReading& r) {
  if (const std::string x = r.find_around({"x", "X", "input", "inputs", "hidden_states", "src"}); !x.empty())
    return {x, x, x};
  const std::vector<std::string> tuple = r.find_tuple();
  const auto is_input = [&](const std::string& name) {
    const ArrayEntry& entry = *r.file.arrays().find(name);
    return is_floating(entry.dtype) && (entry.shape.size() == 2 || entry.shape.size() == 3);
  };
  if (tuple.empty() || !is_input(tuple.front())) return {};
  if (tuple.size() == 1) return {tuple.front(), tuple.front(), tuple.front()};
  if (tuple.size() == 3) return {tuple[0], tuple[1], tuple[2]};
  r.fail(Message("holds {0} arrays without names from {1} on", tuple.size(), in_quotes(tuple.front())),
         "expected one, x, or three, query, key and value, and other arrays under their names");
}

/// Refuses the inputs of nn.Transformer for an attention over memory: its queries are not among them.
void refuse_inputs_of_stack(const FileReading& r, const InputNames& names) {
  const std::string inputs = r.find({"src", "tgt", "memory"});
  if (names.query.empty() && !inputs.empty())
    r.fail(Message("has {0}, but not the queries of {1}, which the layers before it give", in_quotes(inputs),
                   in_quotes(r.attention.layer())),
           "expected --layer cross.0 or another number, or query and key");
}

/// Refuses the input of a layer of nn.Transformer whose attention is given its norm.
void refuse_norm_before(const FileReading& r, const std::string& x) {
  const auto flag = r.torch_sequence().empty() ? std::nullopt : r.own_number({"norm_first"});
  if (!flag || flag->value == 0) return;
  r.fail(Message("{0} is true: the attention is given the norm of {1}, which is computed for a layer by its number",
                 in_quotes(flag->name), in_quotes(x)),
         "expected --layer 0 or another number, and num_heads in the file");
}

InputNames find_inputs(const FileReading& r) {
  const std::string_view sequence = r.torch_sequence();
  std::string x = sequence == "tgt" ? r.find({"tgt"}) : sequence == "memory" ? "" : r.find({"src"});
  const std::string own = r.resolving.scenario.names.empty() ? "" : given_names(r.resolving.scenario.names).x;
  std::string named = r.find({"x", "X", "input", "inputs", "hidden_states"});
  if (!own.empty()) {
    named = r.find({own.c_str()});
    if (named.empty()) r.fail(Message("holds no {0}, which --names says is x", in_quotes(own)), "expected its name");
  }
  if (named.empty() && x.empty())
    named = sequence_named(r, {"x_q", "inputs_q", "inputs_embeds", "embeddings", "input_tensor", "inp", "hidden"});
  if (!named.empty()) x = named;
  InputNames names{r.find({"query", "queries", "q"}), r.find({"key", "keys", "k"}), r.find({"value", "values", "v"})};
  if (sequence == "memory") {
    refuse_inputs_of_stack(r, names);
    if (names.key.empty()) names.key = r.find({"memory"});
  }
  if (!x.empty() && (x.ends_with("src") || x.ends_with("tgt"))) refuse_norm_before(r, x);
  if (names.key.empty()) names.key = r.find({"inputs_k"});
  if (names.value.empty()) names.value = r.find({"inputs_v"});
  if (names.key.empty() && names.value.empty() && may_be_cross(r))
    names.key = sequence_named(
        r, {"encoder_hidden_states", "key_value_states", "memory", "context", "key_value", "kv", "x_kv", "inputs_kv",
            "encoder_output", "encoder_outputs", "enc_output", "enc_outputs", "encoder_out", "enc_out"});
  if (names.query.empty() && x.empty() && !(names.key.empty() && names.value.empty())) {
    x = sequence_named(r, {"latents"});  // Perceiver's learned queries
    if (x.empty())
      r.fail(Message("has {0} but no query", in_quotes(names.key.empty() ? names.value : names.key)),
             "expected query, key and value, or x");
  }
  if (names.query.empty()) {
    if (names.key.empty() && names.value.empty()) return x.empty() ? unnamed_inputs(r) : InputNames{x, x, x};
    names.query = x;
  }
  if (names.key.empty()) names.key = names.value.empty() ? names.query : names.value;  // as Keras takes them
  if (names.value.empty()) names.value = names.key;
  return names;
}

const InputNames& input_names(const FileReading& r) {
  if (!r.found->inputs) r.found->inputs = find_inputs(r);
  return *r.found->inputs;
}

/// The names of the matrices that each input is multiplied by, for error messages, with their shapes in the file.
Message weight_name(const FileReading& r, const LinearSpec& linear, const Tensor& weight) {
  const std::string& name = r.attention.is_packed() ? r.attention.packed.weight : linear.weight;
  const ArrayEntry* entry = r.file.arrays().find(name);
  return {"{0} {1}", in_quotes(name), to_string(entry ? entry->shape : weight.shape())};
}

void check_same(const FileReading& r, const std::string& name, const char* as_in, Index found, Index expected,
                const std::string& other) {
  if (found == expected) return;
  r.fail(r.shape_of(name), Message(as_in, expected, in_quotes(other)));
}

Sequence draw_missing(const FileReading& r, Dims dims) {
  const Scenario& s = r.resolving.scenario;
  dims.batch = s.batch_size.value_or(1);
  dims.n_q = s.queries.value_or(6);
  dims.n_k = s.keys.value_or(dims.n_q);
  Sequence drawn = drawn_sequence(r.resolving, dims);
  r.assume("inputs", Message("none in the file: random, {0}, from seed {1}", to_string(drawn.query.shape()), s.seed));
  return drawn;
}

TextSequence read_text(const FileReading& r, const Dims& dims, const std::optional<LayerDescription>& layer) {
  const Scenario& s = r.resolving.scenario;
  must_be_unset(s, {"batch_size", "queries", "keys"}, "since the text's tokens are the queries and keys");
  return read_model_text(r, dims, layer);
}

/// Sets the layout of plain matrices: as the setting says; else x's width shows from which side it is multiplied.
void choose_layout(FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  FoundAttention& attention = r.attention;
  std::optional<WeightLayout> layout;
  if (s.weight_order != WeightOrder::by_name)
    layout = s.weight_order == WeightOrder::in_out ? WeightLayout::in_out : WeightLayout::out_in;
  if (!layout && attention.bare) {
    // A square matrix shows nothing; that of the keys or of the values then may.
    const InputNames& names = input_names(r);
    const std::pair<const LinearSpec*, const std::string*> places[] = {
        {&attention.q, &names.query}, {&attention.k, &names.key}, {&attention.v, &names.value}};
    for (const auto& [linear, name] : places) {
      const ArrayEntry *entry = r.file.arrays().find(linear->weight), *x = r.file.arrays().find(*name);
      if (layout || !entry || entry->shape.size() < 2 || entry->shape[0] == entry->shape[1]) continue;
      const Index width = x && !x->shape.empty() ? x->shape.back() : 0;
      if (entry->shape[0] == width) layout = WeightLayout::in_out;
      if (linear == &attention.q) break;
    }
  }
  if (!layout) return;
  const auto set = [&](LinearSpec& linear) {
    if (linear.layout <= WeightLayout::in_out) linear.layout = *layout;
    for (LinearSpec& head : linear.modules) head.layout = *layout;
  };
  for (LinearSpec* linear : {&attention.q, &attention.k, &attention.v, &attention.packed, &attention.o}) set(*linear);
  if (attention.has_packed_kv()) attention.halve_packed_kv(r.file.arrays());
}

/// ChatGLM packs by thirds where queries share key/value heads, otherwise head by head.
void choose_packing(FileReading& r) {
  if (r.attention.packing != Packing::per_group) return;
  const auto shared = r.number({"multi_query_attention", "multi_query_group_num"});
  if (shared && shared->value != 0) r.attention.packing = Packing::thirds;
}

/// The norm that a block applies before its attention, in the module around the layer; "" if there is none.
std::string norm_before(const FileReading& r) {
  return r.find_around({"norm1.weight", "norm_1.weight", "ln1.weight", "ln_1.weight", "layer_norm1.weight",
                        "layernorm_before.weight", "input_layernorm.weight", "attention_norm.weight",
                        "attn_norm.weight", "pre_norm.weight"});
}

/// Repeats learned queries, which are stored once, for each entry of a batch of keys.
void repeat_query(const FileReading& r, const std::string& name, Sequence& read) {
  const Index batch = read.key.size(0);
  const Tensor once = read.query;
  const double bytes = 4.0 * static_cast<double>(batch) * static_cast<double>(once.count());
  if (once.size(0) != 1 || batch < 2 || bytes > memory_budget()) return;
  read.query = r.file.made(name + " for each of " + std::to_string(batch), [&] {
    return once.expand({batch, once.size(1), once.size(2)}).contiguous();
  });
  r.assume("batch", Message("{0}: the same for each of the {1} batch entries", name, batch));
}

/// Reads query, key and value with the widths of the parameters, and the padding of a text.
TextSequence read_sequence(const FileReading& r, const SizedParameters& sized,
                           const std::optional<LayerDescription>& layer) {
  const Scenario& s = r.resolving.scenario;
  const auto& [parameters, dims] = sized;
  if (s.x) {
    sized_by_input(s);
    Sequence typed = typed_sequence(s, dims, weight_name(r, r.attention.q, parameters.W_q));
    r.assume("inputs", Message("given by hand, {0}", to_string(typed.query.shape())));
    return {std::move(typed), {}};
  }
  if (s.text_as_input) return read_text(r, dims, layer);
  const InputNames& names = input_names(r);
  if (names.query.empty()) return {draw_missing(r, dims), {}};
  const char* why = "since the file holds the inputs";
  must_be_unset(s, {"batch_size", "queries", "keys"}, why);
  Sequence read;
  read.query = input_of(r, names.query, dims.d_query, weight_name(r, r.attention.q, parameters.W_q));
  read.key = names.key == names.query && dims.d_key == dims.d_query
                 ? read.query
                 : input_of(r, names.key, dims.d_key, weight_name(r, r.attention.k, parameters.W_k));
  read.value = names.value == names.key && dims.d_value == dims.d_key
                   ? read.key
                   : input_of(r, names.value, dims.d_value, weight_name(r, r.attention.v, parameters.W_v));
  repeat_query(r, names.query, read);
  check_same(r, names.key, "expected batch {0}, as in {1}", read.key.size(0), read.query.size(0), names.query);
  check_same(r, names.value, "expected batch {0}, as in {1}", read.value.size(0), read.query.size(0), names.query);
  check_same(r, names.value, "expected a length of {0}, as in {1}", read.value.size(1), read.key.size(1), names.key);
  if (const char* why_so = why_length_first(r, names)) {
    r.assume("inputs", why_so);
  } else if (is_torch_module(r) && read.query.size(0) > 1 && !r.own_number({"batch_first"})) {
    r.assume("inputs", Message("[B, n, d] = {0}, there being no batch_first",
                               to_string(read.query.shape())));  // batch_first is false by default
  }
  const bool is_layers_input =
      !r.torch_sequence().empty() && (names.query.ends_with("src") || names.query.ends_with("tgt"));
  if (is_layers_input && !r.own_number({"norm_first"}))
    r.assume("inputs", Message("{0} itself, as norm_first is False by default and not in the file", names.query));
  const std::string norm = names.query == names.value && r.torch_sequence().empty() ? norm_before(r) : std::string();
  if (!norm.empty()) r.assume("inputs", Message("{0} as it is: {1} is not applied to it", names.query, norm));
  r.assume("inputs", read.self_attention()
                         ? Message("{0}: query, key and value (self-attention)", names.query)
                         : Message("{0}, {1}, {2}: query, key, value", names.query, names.key, names.value));
  return {std::move(read), {}};
}

/// The words under the first of these names that the file has, a list for each batch entry; empty if it has none.
Sequence::Names words_named(const FileReading& r, const Dims& dims, std::initializer_list<const char*> names,
                            std::string& found) {
  const std::optional<NamedWords> named = words_of(r, names);
  if (!named) return {};
  found = named->name;
  r.asked->insert(found);
  const Shape& shape = named->stored.shape;
  const bool by_entry = shape.size() == 2;
  if (shape.size() > 2 || shape.empty() || (by_entry && shape[0] != dims.batch && shape[0] != 1)) {
    r.fail(Message("{0} has shape {1}", in_quotes(found), to_string(shape)),
           Message("expected [n] or [B, n] = [{0}, n]", dims.batch));
  }
  const auto width = static_cast<std::size_t>(shape.back());
  Sequence::Names list;
  for (Index b = 0; b < dims.batch; ++b) {
    const std::size_t row = by_entry && shape[0] > 1 ? static_cast<std::size_t>(b) : 0;
    const auto first = named->stored.words.begin() + static_cast<std::ptrdiff_t>(row * width);
    list.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
  }
  return list;
}

void check_length(const FileReading& r, const Sequence::Names& names, const std::string& found, Index expected,
                  const char* what) {
  if (names.empty() || static_cast<Index>(names.front().size()) == expected) return;
  r.fail(Message("{0} holds {1} words", in_quotes(found), names.front().size()),
         Message("expected {0}, one for each {1}", expected, what));
}

/// Whether the attention is of the steps of generate().
bool is_generated(const FileReading& r) {
  return std::ranges::any_of(r.assumptions, [](const Assumption& made) { return made.what == "steps"; });
}

/// Names queries and keys by the file's words, unless they are the tokens of a text.
void name_positions(const FileReading& r, const Dims& dims, Sequence& sequence) {
  if (!sequence.query_tokens.empty()) return;
  // "1" is the second part of a tuple (attention, tokens).
  std::string both_found, query_found, key_found;
  Sequence::Names both = words_named(r, dims, {"tokens", "1"}, both_found),
                  queries = words_named(r, dims, {"query_tokens"}, query_found),
                  keys = words_named(r, dims, {"key_tokens"}, key_found);
  // The last word was chosen by the last step of generate(); no step read it.
  const auto drop_last = [&](Sequence::Names& names, Index length, const std::string& found) {
    if (names.empty() || !is_generated(r) || static_cast<Index>(names.front().size()) != length + 1) return;
    for (auto& entry : names) entry.pop_back();
    r.assume("tokens", Message("the last of {0} has no row: generate() chose it and did not read it", found));
  };
  drop_last(both, dims.n_q, both_found);
  drop_last(queries, dims.n_q, query_found);
  check_length(r, queries, query_found, dims.n_q, "query");
  check_length(r, keys, key_found, dims.n_k, "key");
  if (!both.empty()) {
    const auto count = static_cast<Index>(both.front().size());
    const bool fits_queries = count == dims.n_q, fits_keys = count == dims.n_k;
    if (!fits_queries && !fits_keys) check_length(r, both, both_found, dims.n_k, "key");
    if (fits_queries && queries.empty()) queries = both;
    if (fits_keys && keys.empty()) keys = both;
  }
  sequence.query_tokens = std::move(queries);
  sequence.key_tokens = std::move(keys);
  if (draw_spelled(sequence))
    r.assume("tokens",
             "as a tokenizer spells them; drawn as what they stand for: ␣ a blank, (1/3) a piece of a letter");
}

Inputs begin_at_precomputed(const FileReading& r, const PrecomputedAttention& found,
                            const std::shared_ptr<const TensorFile>& file) {
  PrecomputedSequence precomputed = read_precomputed(r, found);
  const bool attention_alone = precomputed.sequence.weights.defined();
  FileRules rules = attention_alone ? FileRules() : read_settings(r, precomputed.dims, {});
  Masking masking = read_masks(r, precomputed.dims, {.file_mask = precomputed.mask, .attn_bias = rules.attn_bias});
  masking.guessed = precomputed.mask.defined() && identical(masking.file_mask, precomputed.mask);
  name_positions(r, precomputed.dims, precomputed.sequence);
  note_unused(r, attention_alone);
  note_untaken_numbers(r);
  Inputs inputs{{}, std::move(precomputed.sequence), std::move(masking), precomputed.dims, std::move(rules.rules)};
  inputs.file = file;
  return inputs;
}

Inputs begin_at_the_inputs(const FileReading& r, const std::shared_ptr<const TensorFile>& file) {
  SizedParameters sized_parameters = read_parameters(r);
  const std::optional<LayerDescription> layer = describe_layer(r, sized_parameters.dims);
  if (layer) drop_biases(r, *layer, sized_parameters.parameters);
  TextSequence read = read_sequence(r, sized_parameters, layer);
  Dims dims = sized(sized_parameters.dims, read.sequence);
  set_head_size(r.resolving.scenario, dims);
  const FileRules rules = with_layer_arrays(r, layer, dims, read_settings(r, dims, layer));
  Masking masking = read_masks(r, dims, {.valid_lens = read.valid_lens, .attn_bias = rules.attn_bias});
  if (layer) note_model_mask(r, *layer, dims, masking);
  name_positions(r, dims, read.sequence);
  Inputs inputs{std::move(sized_parameters.parameters), std::move(read.sequence), std::move(masking), dims,
                rules.rules};
  inputs.file = file;
  add_own_keys(r, inputs);
  note_unused(r, false);
  note_untaken_numbers(r);
  return inputs;
}

}  // namespace

std::optional<NamedWords> words_of(const FileReading& r, std::initializer_list<const char*> names) {
  for (const std::string& prefix : {r.attention.prefix, std::string()}) {
    for (const char* name : names) {
      if (auto stored = r.file.arrays().words(prefix + name)) return NamedWords{prefix + name, std::move(*stored)};
    }
  }
  return {};
}

bool attends_elsewhere(const FileReading& r) {
  if (r.resolving.scenario.x || r.resolving.scenario.text_as_input) return false;
  const InputNames& names = input_names(r);
  return names.key != names.query;
}

Inputs inputs_of_file(const Resolving& resolving) {
  const Scenario& s = resolving.scenario;
  if (s.file.empty()) throw SettingError("file", "is not named", "expected the path of a tensor file");
  const char* why = "since the file's weights fix it";
  must_be_unset(s, {"d_model", "d_query", "d_key", "d_value", "d_out"}, why);
  if (s.packed)
    throw SettingError("packed", "cannot be set, since the file's weights are as they are",
                       "expected a file without weights");
  const std::shared_ptr<const TensorFile> file =
      TensorFile::open(s.file, resolving.last ? resolving.last->file : nullptr);
  std::vector<Assumption> assumptions;
  Inputs inputs;
  if (const auto precomputed = find_precomputed(*file, s)) {
    inputs = begin_at_precomputed({resolving, *file, {}, assumptions}, *precomputed, file);
  } else {
    FileReading reading{resolving, *file, choose_attention(file->arrays(), file->attentions(s.names), s.layer),
                        assumptions};
    if (!s.axes.empty())
      throw SettingError("--axes", "says what the axes of saved attention are, and the file holds projections",
                         "expected it unset");
    choose_layout(reading);
    choose_packing(reading);
    inputs = begin_at_the_inputs(reading, file);
  }
  inputs.assumptions = std::move(assumptions);
  return inputs;
}

}  // namespace headlight
