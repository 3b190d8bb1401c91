#include "core/scenario/settings_table.h"

#include <charconv>
#include <cmath>

#include "core/scenario/settings.h"
#include "core/scenario/words.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using Text = std::string_view;

[[noreturn]] void fail(Text option, Text text, const std::string& expected) {
  throw SettingError(std::string(option), "\"" + std::string(text) + "\" is not " + expected, "expected " + expected);
}

template <std::optional<Index> Scenario::*member>
void size(Scenario& s, Text option, Text text) {
  s.*member = parse_whole(option, text, 1, Index{1} << 20);
}

template <bool Scenario::*member>
void toggle(Scenario& s, Text option, Text text) {
  s.*member = parse_switch(option, text);
}

/// --no-bias
template <std::optional<bool> Scenario::*member>
void without(Scenario& s, Text option, Text text) {
  s.*member = !parse_switch(option, text);
}

template <float Scenario::*member>
void number(Scenario& s, Text option, Text text) {
  s.*member = parse_number(option, text);
}

template <std::optional<float> Scenario::*member>
void optional_number(Scenario& s, Text option, Text text) {
  s.*member = parse_number(option, text);
}

template <std::uint64_t Scenario::*member>
void seed(Scenario& s, Text option, Text text) {
  s.*member = parse_seed(option, text);
}

template <std::string Scenario::*member>
void text_of(Scenario& s, Text, Text text) {
  s.*member = std::string(text);
}

void mask(Scenario& s, Text option, Text text) {
  if (text.empty()) throw SettingError(std::string(option), "the expression is empty", "expected a condition such as causal()");
  s.mask = std::string(text);
}

template <auto member>
void choice(Scenario& s, Text option, Text text) {
  using Choice = std::remove_reference_t<decltype(s.*member)>;
  const std::optional<Choice> found = choice_named<Choice>(text);
  if (!found) fail(option, text, all_words<Choice>());
  s.*member = *found;
}

/// The switch alone is "rms".
void qk_norm(Scenario& s, Text option, Text text) {
  if (text == "true") {
    s.qk_norm = QkNorm::rms;
  } else {
    choice<&Scenario::qk_norm>(s, option, text);
  }
}

/// "3,2": a length a batch entry.
void valid_lens(Scenario& s, Text option, Text text) {
  s.valid_lens.clear();
  while (true) {
    const std::size_t comma = text.find(',');
    s.valid_lens.push_back({parse_whole(option, text.substr(0, comma), 0, Index{1} << 20)});
    if (comma == Text::npos) return;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> written(const std::string& text) {
  return text;
}
std::optional<std::string> written(bool on) {
  return on ? "true" : "false";
}
std::optional<std::string> written(std::uint64_t number) {
  return std::to_string(number);
}
std::optional<std::string> written(Index number) {
  return std::to_string(number);
}
std::optional<std::string> written(float number) {
  return shortest(number);
}
template <typename Choice>
  requires std::is_enum_v<Choice>
std::optional<std::string> written(Choice choice) {
  return std::string(word(choice));
}
template <typename Value>
std::optional<std::string> written(const std::optional<Value>& value) {
  return value ? written(*value) : std::nullopt;
}

template <auto member>
std::optional<std::string> text_in(const Scenario& s) {
  return written(s.*member);
}

template <std::optional<bool> Scenario::*member>
std::optional<std::string> lacking(const Scenario& s) {
  return s.*member ? written(!*(s.*member)) : std::nullopt;
}

std::optional<std::string> valid_lens_text(const Scenario& s) {
  std::string text;
  for (const std::vector<Index>& lengths : s.valid_lens) {
    if (lengths.size() != 1) return {};  // a length a query, which only a scenario file says
    text += (text.empty() ? "" : ",") + std::to_string(lengths.front());
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

constexpr Setting settings[] = {
    {"--text", "\"WORDS\"", "attend over these words; a line is a batch entry",
     text_of<&Scenario::text>, text_in<&Scenario::text>},
    {"--tokenizer", "words|characters", "what a token of the text is",
     choice<&Scenario::tokenizer>, text_in<&Scenario::tokenizer>},
    {"--positions", "none|sinusoidal", "what is added to the inputs",
     choice<&Scenario::positions>, text_in<&Scenario::positions>},
    {"--batch-size", "N", "batch entries of random input", size<&Scenario::batch_size>, text_in<&Scenario::batch_size>},
    {"--queries", "N", "queries of random input", size<&Scenario::queries>, text_in<&Scenario::queries>},
    {"--keys", "N", "keys of random input, if not as many as queries", size<&Scenario::keys>, text_in<&Scenario::keys>},
    {"--d-model", "N", "width of all heads together", size<&Scenario::d_model>, text_in<&Scenario::d_model>},
    {"--d-query", "N", "width of the query input", size<&Scenario::d_query>, text_in<&Scenario::d_query>},
    {"--d-key", "N", "width of the key input", size<&Scenario::d_key>, text_in<&Scenario::d_key>},
    {"--d-value", "N", "width of the value input", size<&Scenario::d_value>, text_in<&Scenario::d_value>},
    {"--d-out", "N", "width of the output", size<&Scenario::d_out>, text_in<&Scenario::d_out>},
    {"--heads", "N", "query heads; divides d_model", size<&Scenario::heads>, text_in<&Scenario::heads>},
    {"--kv-heads", "N", "key/value heads; divides heads", size<&Scenario::kv_heads>, text_in<&Scenario::kv_heads>},
    {"--seed", "N", "of everything random but dropout", seed<&Scenario::seed>, text_in<&Scenario::seed>},
    {"--weight-gain", "X", "times the bound 1/√in of the random weights",
     number<&Scenario::weight_gain>, text_in<&Scenario::weight_gain>},
    {"--no-bias", "", "projections without biases", without<&Scenario::bias>, lacking<&Scenario::bias>},
    {"--no-output-projection", "", "output = concat",
     without<&Scenario::output_projection>, lacking<&Scenario::output_projection>},
    {"--packed", "", "draw W_q, W_k and W_v as one matrix", toggle<&Scenario::packed>, text_in<&Scenario::packed>},
    {"--layer", "PREFIX", "which attention of a file that holds several",
     text_of<&Scenario::layer>, text_in<&Scenario::layer>},
    {"--weight-order", "by_name|out_in|in_out", "how the file's weights are stored",
     choice<&Scenario::weight_order>, text_in<&Scenario::weight_order>},
    {"--scale", "X", "scores are multiplied by it; 1/√d_head unless set",
     optional_number<&Scenario::scale>, text_in<&Scenario::scale>},
    {"--softcap", "C", "C · tanh(scores / C)", optional_number<&Scenario::softcap>, text_in<&Scenario::softcap>},
    {"--qk-norm", "", "normalise queries and keys of each head; =l2 for L2", qk_norm, text_in<&Scenario::qk_norm>},
    {"--rope", "half|interleaved", "rotary positions", choice<&Scenario::rope>, text_in<&Scenario::rope>},
    {"--rope-base", "X", "of RoPE's wavelengths, 10000 unless set",
     number<&Scenario::rope_base>, text_in<&Scenario::rope_base>},
    {"--alibi", "", "ALiBi's linear bias", toggle<&Scenario::alibi>, text_in<&Scenario::alibi>},
    {"--t5-bias", "", "T5's relative bias, with seeded values",
     toggle<&Scenario::t5_bias>, text_in<&Scenario::t5_bias>},
    {"--sink-logit", "", "a seeded logit a head that takes its share of the softmax",
     toggle<&Scenario::sink_logit>, text_in<&Scenario::sink_logit>},
    {"--mask", "EXPR", "true = may attend: \"causal() && window(4)\"; see `headlight list masks`",
     mask, text_in<&Scenario::mask>},
    {"--mask-file", "FILE", "file() from .npy, .npz, .csv or a black and white .png; true, 1, white = may attend",
     text_of<&Scenario::mask_file>, text_in<&Scenario::mask_file>},
    {"--mask-polarity", "attend|ignore", "what true, 1 or white means in a file's masks",
     choice<&Scenario::mask_polarity>, text_in<&Scenario::mask_polarity>},
    {"--valid-lens", "N,N,...", "for padding(): how many keys of each batch entry are real",
     valid_lens, valid_lens_text},
    {"--fill", "X|-inf", "what masked scores become", optional_number<&Scenario::fill>, text_in<&Scenario::fill>},
    {"--dead-row", "nan|uniform|zero", "what becomes of a row whose keys are all masked",
     choice<&Scenario::dead_row>, text_in<&Scenario::dead_row>},
    {"--dropout", "P", "probability; acts with --training", number<&Scenario::dropout>, text_in<&Scenario::dropout>},
    {"--training", "", "dropout is active", toggle<&Scenario::training>, text_in<&Scenario::training>},
    {"--dropout-seed", "N", "of the dropped cells", seed<&Scenario::dropout_seed>, text_in<&Scenario::dropout_seed>},
};

template <typename Number>
bool read_all(Text text, Number& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::span<const Setting> all_settings() {
  return settings;
}

void append_option(std::vector<std::string>& words, const std::string& option, bool is_switch, const std::string& text) {
  if (is_switch) {
    words.push_back(text == "true" ? option : option + "=" + text);
  } else {
    words.insert(words.end(), {option, text});
  }
}

std::optional<std::vector<std::string>> settings_between(const Scenario& from, const Scenario& to) {
  Scenario reached = from;
  std::vector<std::string> words;
  for (const Setting& setting : settings) {
    const std::optional<std::string> text = setting.text(to);
    if (text == setting.text(from)) continue;
    if (!text || (text->empty() && !setting.operand.empty())) return {};
    append_option(words, std::string(setting.option), setting.operand.empty(), *text);
    setting.apply(reached, setting.option, *text);
  }
  return reached == to ? std::optional(words) : std::nullopt;
}

Index parse_whole(Text option, Text text, Index least, Index most) {
  Index value = 0;
  const std::string expected =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  if (!read_all(text, value)) {
    throw SettingError(std::string(option), "\"" + std::string(text) + "\" is not a whole number",
                       "expected " + expected);
  }
  if (value < least || value > most) {
    throw SettingError(std::string(option), std::to_string(value) + " is out of range", "expected " + expected);
  }
  return value;
}

std::uint64_t parse_seed(Text option, Text text) {
  std::uint64_t value = 0;
  if (!read_all(text, value)) fail(option, text, "a whole number, 0 to 18446744073709551615");
  return value;
}

float parse_number(Text option, Text text) {
  float value = 0;
  if (!read_all(text, value) || std::isnan(value)) fail(option, text, "a number");
  return value;
}

bool parse_switch(Text option, Text text) {
  if (text != "true" && text != "false") fail(option, text, "true or false");
  return text == "true";
}

}  // namespace headlight
