// One row per field of Scenario, used by core/scenario/settings_table, the reader, the writer and the schema.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "core/scenario/settings/settings_table.h"

namespace headlight {

inline constexpr int scenario_format_version = 1;

/// A row: a field, its facts, and its deviations from the usual behaviour.
template <typename T>
struct SettingRow : SettingFacts {
  std::string_view key;
  T Scenario::*member;
  bool negated = false;  ///< the option is --no-…, for a setting that is on by default
  bool has_option = true;
  const char* refused_empty = nullptr;  ///< what errors expect instead of an empty text
  bool affects_layer = false;  ///< whether a value other than the default changes the attention of a network's layer
  bool has_layer_condition = false;  ///< layer_condition is set: GCC's UBSan cannot compare it with null in a constant
  bool (*layer_condition)(const Scenario&) = nullptr;  ///< replaces the condition "is not the default"

  constexpr SettingRow in(SettingRange numbers) const { return with(&SettingRow::range, numbers); }
  constexpr SettingRow when(bool (*condition)(const Scenario&)) const { return with(&SettingRow::applies, condition); }
  constexpr SettingRow as(Control kind) const { return with(&SettingRow::control, kind); }
  constexpr SettingRow slider(double from, double to, Control kind = Control::slider) const {
    return as(kind).with(&SettingRow::slide_from, from).with(&SettingRow::slide_to, to);
  }
  constexpr SettingRow changes_layer() const { return with(&SettingRow::affects_layer, true); }
  constexpr SettingRow changes_layer(bool (*condition)(const Scenario&)) const {
    return changes_layer().with(&SettingRow::has_layer_condition, true).with(&SettingRow::layer_condition, condition);
  }
  constexpr SettingRow without_option() const { return with(&SettingRow::has_option, false); }
  constexpr SettingRow as_negation() const { return with(&SettingRow::negated, true); }
  constexpr SettingRow never_empty(const char* expected) const { return with(&SettingRow::refused_empty, expected); }

 private:
  template <typename Row, typename Value>
  constexpr SettingRow with(Value Row::*which, Value value) const {
    SettingRow row = *this;
    row.*which = value;
    return row;
  }
};

template <typename T>
constexpr SettingRow<T> setting(std::string_view key, T Scenario::*member, std::string_view operand,
                                std::string_view help, std::string_view example, SettingGroup group) {
  return {{operand, help, example, group}, key, member};
}

inline constexpr SettingRange sizes{1, 1 << 20}, positions_range{0, 1 << 20}, above_zero{.least = 0, .above = true};
inline constexpr SettingRange fills{.minus_infinity = true};

inline constexpr auto settings_rows = std::tuple{
    setting("source", &Scenario::source, "text|random|file",
            "where the inputs come from; left out: a file if one is named, else text", R"("random")",
            SettingGroup::input),
    setting("text", &Scenario::text, "\"WORDS\"", "attend over these words; a line is a batch entry", R"("a b\nc d")",
            SettingGroup::input),
    setting("image", &Scenario::image, "FILE",
            "of a network that reads pictures: this one, PNG or JPEG; a line is a batch entry", R"("cat.png")",
            SettingGroup::input),
    setting("text_as_input", &Scenario::text_as_input, "", "of a file: the text goes through its own token embedding",
            "true", SettingGroup::input)
        .as(Control::toggle)
        .when([](const Scenario& s) { return s.source == Source::file; }),
    setting("tokenizer", &Scenario::tokenizer, "words|characters", "what a token of the text is", R"("characters")",
            SettingGroup::input)
        .as(Control::choice)
        .when([](const Scenario& s) { return s.source == Source::text; }),
    setting("positions", &Scenario::positions, "none|sinusoidal",
            "what is added to the inputs (Vaswani et al. 2017, section 3.5)", R"("sinusoidal")", SettingGroup::input)
        .as(Control::choice)
        .changes_layer(),
    setting("tokens", &Scenario::tokens, "\"A B C\"|@FILE",
            "names of the queries, in self-attention of the keys too; a line is a batch entry",
            R"([["a", "b"], ["c", "d"]])", SettingGroup::more)
        .as(Control::text),
    setting("key_tokens", &Scenario::key_tokens, "\"A B C\"|@FILE", "names of the keys", R"(["a", "b"])",
            SettingGroup::more)
        .as(Control::text),
    setting("merge", &Scenario::merge, "none|words",
            "words: the pieces of a word as one row and column of the weights, rows averaged, columns added",
            R"("words")", SettingGroup::more)
        .as(Control::choice),
    setting("x", &Scenario::x, "JSON", "the input by hand, query, key and value at once: [[1, 2], [3, 4]]",
            R"([[1, 0.5], [0, -1]])", SettingGroup::input),
    setting("file", &Scenario::file, "FILE", "the tensors", R"("net.npz")", SettingGroup::input).without_option(),
    setting("batch_size", &Scenario::batch_size, "N", "batch entries of random input", "2", SettingGroup::shape)
        .in(sizes),
    setting("queries", &Scenario::queries, "N", "queries of random input", "5", SettingGroup::shape).in(sizes),
    setting("keys", &Scenario::keys, "N", "keys of random input, if not as many as queries", "7", SettingGroup::shape)
        .in(sizes),
    setting("d_model", &Scenario::d_model, "N", "width of all heads together", "32", SettingGroup::shape).in(sizes),
    setting("d_query", &Scenario::d_query, "N", "width of the query input", "32", SettingGroup::shape)
        .in(sizes)
        .slider(1, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.source == Source::random && !s.x; }),
    setting("d_key", &Scenario::d_key, "N", "width of the key input", "32", SettingGroup::shape)
        .in(sizes)
        .slider(1, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.source == Source::random && !s.x; }),
    setting("d_value", &Scenario::d_value, "N", "width of the value input", "32", SettingGroup::shape)
        .in(sizes)
        .slider(1, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.source == Source::random && !s.x; }),
    setting("d_out", &Scenario::d_out, "N", "width of the output", "32", SettingGroup::shape)
        .in(sizes)
        .slider(1, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.source != Source::file; }),
    setting("heads", &Scenario::heads, "N",
            "query heads; divides d_model; of a network's layer: its projections cut into so many", "8",
            SettingGroup::shape)
        .in(sizes)
        .changes_layer(),
    setting("kv_heads", &Scenario::kv_heads, "N", "key/value heads; divides heads", "2", SettingGroup::shape).in(sizes),
    setting("seed", &Scenario::seed, "N", "of everything random but dropout", "7", SettingGroup::shape),
    setting("weight_gain", &Scenario::weight_gain, "X", "times the bound 1/√in of the random weights", "3",
            SettingGroup::shape)
        .slider(0, 4)
        .when([](const Scenario& s) { return s.source != Source::file; }),
    setting("bias", &Scenario::bias, "", "projections without biases", "false", SettingGroup::shape).as_negation(),
    setting("output_projection", &Scenario::output_projection, "", "output = concat", "false", SettingGroup::shape)
        .as_negation(),
    setting("packed", &Scenario::packed, "", "draw W_q, W_k and W_v as one matrix", "true", SettingGroup::shape),
    setting("layer", &Scenario::layer, "N|PREFIX", "which attention of a file that holds several",
            R"("encoder.layer.3.attention")", SettingGroup::input),
    setting("axes", &Scenario::axes, "L,B,H,q,k",
            "what the axes of saved attention are, in its own order; also B*H, and offset=-2 in place of k",
            R"("L,B,H,q,k")", SettingGroup::input)
        .when([](const Scenario& s) { return s.source == Source::file; }),
    setting("names", &Scenario::names, "q=A,k=B,v=C,o=D",
            "which arrays of a file are the projections; also qkv=, bq=, x=", R"("q=ask,k=hint,v=payload,o=out")",
            SettingGroup::input)
        .when([](const Scenario& s) { return s.source == Source::file; }),
    setting("weight_order", &Scenario::weight_order, "by_name|out_in|in_out", "how the file's weights are stored",
            R"("in_out")", SettingGroup::input),
    setting("scale", &Scenario::scale, "X", "scores are multiplied by it; 1/√d_head unless set", "0.5",
            SettingGroup::scores)
        .changes_layer(),
    setting("scale_first", &Scenario::scale_first, "",
            "scale queries before the product, not scores after it (nn.MultiheadAttention)", "true",
            SettingGroup::scores)
        .as(Control::toggle)
        .changes_layer(),
    setting("softcap", &Scenario::softcap, "C", "C · tanh(scores / C)", "30", SettingGroup::variants)
        .in(above_zero)
        .slider(0, 50)
        .changes_layer(),
    setting("qk_norm", &Scenario::qk_norm, "",
            "normalise queries and keys of each head: by root mean square; =l2, =layer", R"("rms")",
            SettingGroup::variants)
        .as(Control::choice)
        .changes_layer(),
    setting("rope", &Scenario::rope, "half|interleaved", "rotary positions, and how features pair", R"("half")",
            SettingGroup::variants)
        .as(Control::choice)
        .changes_layer(),
    setting("rope_base", &Scenario::rope_base, "X", "of RoPE's wavelengths, 10000 unless set", "500000",
            SettingGroup::variants)
        .in(above_zero)
        .slider(10, 10000)
        .when([](const Scenario& s) { return s.rope != Rope::none; })
        .changes_layer(),
    setting("rotary_dim", &Scenario::rotary_dim, "N",
            "RoPE turns only the first N numbers of each head; an even number", "2", SettingGroup::variants)
        .in(sizes)
        .slider(0, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.rope != Rope::none; })
        .changes_layer(),
    setting("query_offset", &Scenario::query_offset, "N", "positions of the queries begin at N, for RoPE, ALiBi and T5",
            "3", SettingGroup::variants)
        .in(positions_range)
        .slider(0, 64, Control::whole_slider)
        .when([](const Scenario& s) { return s.rope != Rope::none || s.any_alibi() || s.t5_bias; })
        .changes_layer(),
    setting("alibi", &Scenario::alibi, "", "ALiBi's linear bias", "true", SettingGroup::variants)
        .as(Control::toggle)
        .changes_layer(),
    setting("alibi_symmetric", &Scenario::alibi_symmetric, "",
            "ALiBi by the distance either way, −m·|q − k|, for attention that is not causal", "true",
            SettingGroup::variants)
        .as(Control::toggle)
        .changes_layer(),
    setting("t5_bias", &Scenario::t5_bias, "", "T5's relative bias, with seeded values", "true", SettingGroup::variants)
        .as(Control::toggle)
        .changes_layer(),
    setting("sink_logit", &Scenario::sink_logit, "", "a seeded logit a head that takes its share of the softmax",
            "true", SettingGroup::variants)
        .as(Control::toggle)
        .changes_layer(),
    setting("t5_bidirectional", &Scenario::t5_bidirectional, "",
            "half of T5's buckets are for keys after the query; =false for none", "false", SettingGroup::variants)
        .as(Control::toggle)
        .when([](const Scenario& s) { return s.t5_bias || s.t5_bidirectional.has_value(); }),
    setting("attn_bias", &Scenario::attn_bias, "JSON",
            "added to all scores, [n_q, n_k], in place of the file's: [[0, \"-inf\"], [0, 0]]",
            R"([[0, "-inf"], [0, 0]])", SettingGroup::scores)
        .changes_layer(),
    setting("mask", &Scenario::mask, "EXPR", "true = may attend: \"causal() && window(4)\"; see `headlight list masks`",
            R"json("causal() && window(4)")json", SettingGroup::mask)
        .never_empty("a condition such as causal()")
        .changes_layer(),
    setting("mask_file", &Scenario::mask_file, "FILE",
            "file() from .npy, .npz, .csv or a black and white .png; true, 1, white = may attend", R"("mask.npy")",
            SettingGroup::mask)
        .changes_layer(),
    setting("mask_polarity", &Scenario::mask_polarity, "attend|ignore", "what true, 1 or white means in a file's masks",
            R"("ignore")", SettingGroup::mask),
    setting("valid_lens", &Scenario::valid_lens, "N,N,...", "for padding(): how many keys of each batch entry are real",
            "[[3], [2]]", SettingGroup::mask)
        .changes_layer(),
    setting("doc_ids", &Scenario::doc_ids, "N,N,...", "for doc(q) and doc(k): which document each token belongs to",
            "[[0], [0], [1]]", SettingGroup::mask)
        .changes_layer(),
    setting(
        "grid", &Scenario::grid, "RxC[@N]",
        "for row(q), col(q), neighborhood(r): the keys are patches, R rows of C; the first is key N, else the last one "
        "is the last key",
        R"("14x14")", SettingGroup::mask)
        .as(Control::text)
        .when([](const Scenario& s) { return s.source != Source::text && (s.text.empty() || !s.grid.empty()); }),
    setting("painted", &Scenario::painted, "JSON",
            "cells set over the expression: [{\"query\": 0, \"key\": 1, \"attend\": true}]",
            R"([{"query": 0, "key": 1, "attend": true}])", SettingGroup::mask)
        .changes_layer(),
    setting("fill", &Scenario::fill, "X|-inf", "what masked scores become", "-1e9", SettingGroup::mask)
        .in(fills)
        .changes_layer(),
    setting("mask_mode", &Scenario::mask_mode, "fill|add",
            "the fill in the score's place, or added to it: a NaN stays (nn.MultiheadAttention)", R"("add")",
            SettingGroup::mask)
        .as(Control::choice)
        .when([](const Scenario& s) { return !s.mask.empty() || s.source == Source::file || !s.painted.empty(); })
        .changes_layer(),
    setting("dead_row", &Scenario::dead_row, "nan|uniform|zero", "what becomes of a row whose keys are all masked",
            R"("zero")", SettingGroup::mask)
        .as(Control::choice)
        .when([](const Scenario& s) { return !s.mask.empty() || s.source == Source::file || !s.painted.empty(); })
        .changes_layer(),
    setting("dropout", &Scenario::dropout, "P", "probability; acts with --training", "0.25", SettingGroup::dropout)
        .in({0, 1})
        .slider(0, 0.95)
        .changes_layer([](const Scenario& s) { return s.training && s.dropout > 0; }),
    setting("training", &Scenario::training, "", "dropout is active", "true", SettingGroup::dropout),
    setting("dropout_seed", &Scenario::dropout_seed, "N", "of the dropped cells", "9", SettingGroup::dropout)
        .slider(0, 99, Control::whole_slider)
        .when([](const Scenario& s) { return s.training && s.dropout > 0; }),
    setting("edits", &Scenario::edits, "JSON",
            "numbers set by hand: [{\"stage\": \"W_q\", \"row\": 1, \"col\": 2, \"value\": 0.5}]",
            R"([{"stage": "W_q", "row": 1, "col": 2, "value": 0.5}])", SettingGroup::input)
        .changes_layer(),
    setting("knock_out", &Scenario::knock_out, "L.H,L.H,...", "of a network: the outputs of these heads are zero",
            R"(["3.1"])", SettingGroup::more),
    setting("threads", &Scenario::threads, "N", "as many as the machine has, unless set", "2", SettingGroup::more)
        .in({1, 1024})
        .slider(0, 16, Control::whole_slider),
};

/// Calls `visit(row)` for each row in order.
template <typename Visit>
void for_each_setting(Visit visit) {
  std::apply([&](const auto&... rows) { (visit(rows), ...); }, settings_rows);
}

// A field without a row does not compile: the number of fields is the number of initialisers that Scenario accepts. A
// field with two rows fails the tests.
namespace counting {
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
struct Anything {
  template <typename T>
  requires(!is_optional<T>) operator T() const;
};
template <typename T, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return requires { T{(static_cast<void>(i), Anything{})...}; };
}
template <typename T, std::size_t count = 0>
constexpr std::size_t fields() {
  if constexpr (takes<T>(std::make_index_sequence<count + 1>{})) {
    return fields<T, count + 1>();
  } else {
    return count;
  }
}
}  // namespace counting

static_assert(std::tuple_size_v<decltype(settings_rows)> == counting::fields<Scenario>(),
              "every field of Scenario needs its row in settings_rows");

/// Visits each file path in a scenario; "model:ID" and "train:TASK@STEP" are not paths.
template <typename Visit>
void for_each_file(Scenario& scenario, Visit visit) {
  for (std::string* file : {&scenario.file, &scenario.mask_file}) {
    if (!file->empty() && !file->starts_with("model:") && !file->starts_with("train:")) visit(*file);
  }
}

}  // namespace headlight
