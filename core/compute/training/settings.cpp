#include "core/compute/training/settings.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/training/shape.h"
#include "core/compute/training/task.h"
#include "core/scenario/settings/setting_text.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {

template <>
inline constexpr std::array<std::string_view, 3> choice_words<TrainedPositions>{"none", "sinusoidal", "learned"};
template <>
inline constexpr std::array<std::string_view, 2> choice_words<TextUnit>{"words", "letters"};

namespace {

using Row = TrainingSetting;
using Settings = TrainingSettings;

[[noreturn]] void refuse_value(const Row& row, std::string_view text, const Message& expected) {
  throw SettingError(row.option(), Message("is \"{0}\"", text), expected);
}

template <auto field>
void set_whole(Settings& settings, const Row& row, std::string_view text) {
  settings.*field = parse_whole(row.option(), text, static_cast<Index>(row.least), static_cast<Index>(row.most));
}
template <auto field>
std::string whole_text_of(const Settings& settings) {
  return std::to_string(settings.*field);
}
template <auto field>
void set_number(Settings& settings, const Row& row, std::string_view text) {
  const float value = parse_number(row.option(), text);
  const SettingRange range{row.least, row.most};
  if (!range.holds(static_cast<double>(value))) refuse_value(row, text, range.expected());
  settings.*field = value;
}
template <auto field>
std::string number_text_of(const Settings& settings) {
  if constexpr (requires { (settings.*field).has_value(); }) {
    return settings.*field ? shortest(*(settings.*field)) : "";
  } else {
    return shortest(settings.*field);
  }
}
template <auto field>
void set_switch(Settings& settings, const Row& row, std::string_view text) {
  settings.*field = parse_switch(row.option(), text);
}
template <auto field>
std::string switch_text_of(const Settings& settings) {
  return settings.*field ? "true" : "false";
}
template <auto field>
void set_choice(Settings& settings, const Row& row, std::string_view text) {
  using Choice = std::remove_reference_t<decltype(settings.*field)>;
  const auto choice = choice_named<Choice>(text);
  if (!choice || std::ranges::find(row.words, text) == row.words.end())
    refuse_value(row, text, Message("expected {0}", alternatives(row.words)));
  settings.*field = *choice;
}
template <auto field>
std::string choice_text_of(const Settings& settings) {
  return std::string(word(settings.*field));
}

void set_kv_heads(Settings& settings, const Row& row, std::string_view text) {
  settings.kv_heads = parse_whole(row.option(), text, 1, static_cast<Index>(row.most));
}
std::string kv_heads_text(const Settings& settings) {
  return settings.kv_heads ? std::to_string(*settings.kv_heads) : "";
}
void set_mask(Settings& settings, const Row&, std::string_view text) { settings.mask = std::string(text); }
std::string mask_text(const Settings& settings) { return settings.mask; }
void set_seed(Settings& settings, const Row& row, std::string_view text) {
  const auto seed = number_of_text<std::uint64_t>(text);
  if (!seed) refuse_value(row, text, "expected a whole number from 0 on");
  settings.seed = *seed;
}
std::string seed_text(const Settings& settings) { return std::to_string(settings.seed); }

constexpr auto& positions_words = choice_words<TrainedPositions>;
constexpr auto& rope_words = choice_words<Rope>;
constexpr auto& unit_words = choice_words<TextUnit>;
constexpr std::array<std::string_view, 3> dead_row_words{"nan", "uniform", "zero"};

template <auto field>
constexpr Row whole(std::string_view key, std::string_view help, double least, double most) {
  return {key, "N", help, least, most, {}, set_whole<field>, whole_text_of<field>};
}
template <auto field>
constexpr Row number(std::string_view key, std::string_view help, double least, double most) {
  return {key, "X", help, least, most, {}, set_number<field>, number_text_of<field>};
}
template <auto field>
constexpr Row toggle(std::string_view key, std::string_view help) {
  return {key, "", help, 0, 1, {}, set_switch<field>, switch_text_of<field>};
}
template <auto field>
constexpr Row choice(std::string_view key, std::string_view operand, std::string_view help,
                     std::span<const std::string_view> words) {
  return {
      key, operand, help, 0, static_cast<double>(words.size() - 1), words, set_choice<field>, choice_text_of<field>};
}

constexpr double any = 3e38;
constexpr Row rows[] = {
    whole<&Settings::layers>("layers", "blocks of attention and, with --mlp, an MLP", 1, 16),
    whole<&Settings::heads>("heads", "heads of each layer", 1, 64),
    {"kv_heads", "G", "key/value heads, which divide the heads", 1, 64, {}, set_kv_heads, kv_heads_text},
    whole<&Settings::d_model>("d_model", "numbers of a token", 2, 1024),
    toggle<&Settings::norm>("norm", "LayerNorms before attention and MLP and at the end; --norm=false: none"),
    toggle<&Settings::mlp>("mlp", "an MLP of 4 · d_model neurons in each layer"),
    choice<&Settings::positions>("positions", "none|sinusoidal|learned", "what is added to the tokens",
                                 positions_words),
    choice<&Settings::rope>("rope", "half|interleaved", "rotates queries and keys by their positions", rope_words),
    number<&Settings::rope_base>("rope_base", "the base of RoPE's frequencies", 1e-3, any),
    toggle<&Settings::alibi>("alibi", "a bias by distance"),
    {"mask", "EXPR", "the mask, true = may attend", 0, 0, {}, set_mask, mask_text},
    choice<&Settings::dead_row>("dead_row", "nan|uniform|zero", "the weights of a query without keys", dead_row_words),
    number<&Settings::scale>("scale", "factor of the scores; without it 1/√d_head", -any, any),
    number<&Settings::softcap>("softcap", "limits the scores: c · tanh(s / c)", 1e-6, any),
    number<&Settings::dropout>("dropout", "share of the attention weights that is dropped", 0, 0.95),
    number<&Settings::rate>("rate", "learning rate of AdamW", 0, any),
    number<&Settings::decay>("decay", "weight decay of AdamW", 0, any),
    whole<&Settings::batch_size>("batch_size", "sequences in a step", 1, 4096),
    whole<&Settings::length>("length", "tokens in a sequence", 2, 512),
    choice<&Settings::unit>("unit", "words|letters", "what a token of a text file is", unit_words),
    {"seed", "S", "draws the weights and the batches", 0, 0, {}, set_seed, seed_text},
    whole<&Settings::steps>("steps", "steps of learning", 0, 1e6),
};

}  // namespace

std::string TrainingSetting::option() const { return "--" + replaced(std::string(key), "_", "-"); }

std::span<const TrainingSetting> training_settings() { return rows; }

const TrainingSetting* training_setting(std::string_view name) {
  const auto* const row =
      std::ranges::find_if(rows, [&](const Row& each) { return each.key == name || each.option() == name; });
  return row == std::end(rows) ? nullptr : row;
}

void set_training(TrainingSettings& settings, std::string_view key, std::string_view text) {
  const TrainingSetting* const row = training_setting(key);
  if (!row)
    throw SettingError(std::string(key), "is no setting of a training run",
                       Message("expected one of {0}", comma_list(rows, [](const Row& each) { return each.key; })));
  row->set(settings, *row, text);
}

TrainingSettings training_defaults(const std::string& task) {
  TrainingSettings settings;
  settings.task = task;
  if (const TrainingTask* const known = training_task(task)) {
    settings.layers = known->layers;
    settings.length = known->length;
    settings.steps = known->steps;
    settings.mask = known->mask;
    settings.norm = known->norm;
    return settings;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_from(task), error)) {
    std::vector<std::string_view> ids;
    for (const TrainingTask& each : training_tasks()) ids.push_back(each.id);
    throw SettingError("TASK", Message("\"{0}\" is neither a task nor a text file", task),
                       Message("expected {0}, or a file of sentences", alternatives(ids)));
  }
  settings.layers = 2;
  settings.length = 16;
  settings.steps = 1000;
  settings.mask = "causal()";
  return settings;
}

namespace {

std::string divisors_of(Index number) {
  std::vector<Index> found;
  for (Index i = 1; i <= number; ++i) {
    if (number % i == 0) found.push_back(i);
  }
  return comma_list(found, [](Index i) { return std::to_string(i); });
}

}  // namespace

void check_training(const TrainingSettings& s) {
  if (s.d_model % s.heads != 0)
    throw SettingError("--heads", Message("{0} does not divide d_model {1}", s.heads, s.d_model),
                       Message("expected one of {0}", divisors_of(s.d_model)));
  if (const Index kv = s.kv_heads.value_or(s.heads); s.heads % kv != 0)
    throw SettingError("--kv-heads", Message("{0} does not divide heads {1}", kv, s.heads),
                       Message("expected one of {0}", divisors_of(s.heads)));
  if (s.rope != Rope::none && s.d_model / s.heads % 2 != 0)
    throw SettingError("--rope", Message("turns pairs of features, but d_head is {0}", s.d_model / s.heads),
                       "expected an even d_head");
  const NetworkShape shape = shape_of(s, 1, s.length);
  const std::vector<float> cells = mask_cells(shape, s.length);
  if (cells.empty()) return;
  if (std::ranges::all_of(cells, [](float may) { return may == 0; }))
    throw SettingError("--mask", Message("{0} allows no key to any query", s.mask),
                       "expected a mask that lets something through");
  for (std::size_t first = 0; s.dead_row == DeadRow::nan && first < cells.size();
       first += static_cast<std::size_t>(s.length)) {
    const auto row = std::span(cells).subspan(first, static_cast<std::size_t>(s.length));
    if (std::ranges::all_of(row, [](float may) { return may == 0; }))
      throw SettingError("--dead-row",
                         Message("is nan, and the mask allows no key to query {0}: the loss would be no number",
                                 static_cast<Index>(first) / s.length % s.length),
                         "expected zero or uniform");
  }
}

std::string run_name(const TrainingSettings& settings, Index step) {
  std::string name = std::string(run_prefix) + settings.task;
  const TrainingSettings usual = training_defaults(settings.task);
  for (const TrainingSetting& row : training_settings()) {
    const std::string text = row.text(settings);
    if (text != row.text(usual) && row.key != "steps") name += ";" + std::string(row.key) + "=" + text;
  }
  return name + "@" + std::to_string(step);
}

NamedRun named_run(const std::string& name) {
  std::string_view rest(name);
  if (rest.starts_with(run_prefix)) rest.remove_prefix(run_prefix.size());
  std::optional<Index> step;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    step = number_of_text<Index>(rest.substr(at + 1));
    if (!step || *step < 0)
      throw SettingError(name, Message("its step is \"{0}\"", rest.substr(at + 1)),
                         "expected train:TASK;KEY=VALUE@STEP");
    rest = rest.substr(0, at);
  }
  NamedRun run;
  bool first = true;
  for (const std::string_view part : Split(rest, ';')) {
    const std::size_t equals = part.find('=');
    if (first) run.settings = training_defaults(std::string(part));
    else if (equals == std::string_view::npos)
      throw SettingError(name, Message("\"{0}\" has no value", part), "expected train:TASK;KEY=VALUE@STEP");
    else set_training(run.settings, part.substr(0, equals), part.substr(equals + 1));
    first = false;
  }
  if (first) throw SettingError(name, "names no task", "expected train:TASK;KEY=VALUE@STEP");
  run.step = step.value_or(run.settings.steps);
  run.settings.steps = std::max(run.settings.steps, run.step);
  return run;
}

}  // namespace headlight
