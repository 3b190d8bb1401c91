#include "app/commands/command_line.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>

#include "app/commands/commands.h"
#include "core/base/arrays/file_watch.h"
#include "core/base/assets/version.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/shipped_models.h"
#include "core/compute/training/settings.h"
#include "core/figures/export/export_options.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/open_source.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

/// A command with its own options, separated by blanks; "=" is behind those that take a value.
struct CommandRow {
  std::string_view word;  ///< empty for the window, whose options choose between its commands
  CommandKind kind;
  Command* run;
  std::string_view options;
};

constexpr std::string_view window_options =
    "--screenshot= --animation= --seconds-per-step= --frames= --scale-factor= --view= --level= --lesson-step= "
    "--compare= --step= --way= --select= --look= --theme= --colormap= --range= --size= --present --bare --random "
    "--watch=";
constexpr CommandRow commands[] = {
    {"", CommandKind::window, window_command, window_options},
    {"", CommandKind::screenshot, screenshot_command, window_options},
    {"", CommandKind::animation, animation_command, window_options},
    {"", CommandKind::frames, frames_command, window_options},
    {"trace", CommandKind::trace, trace_command, "-o= --stages= --loss= --time= --parameters --contributions --random"},
    {"render", CommandKind::render, render_command, "-o= --random"},
    {"explain", CommandKind::explain, explain_command, "--cell= --loss= --json --random"},
    {"predict", CommandKind::predict, predict_command,
     "--top= --temperature= --top-k= --top-p= --write= --why= --lens --ablate= --texts= --json"},
    {"heads", CommandKind::heads, heads_command, "--texts= --ablate= --json --csv"},
    {"patch", CommandKind::patch, patch_command, "--from= --what= --word= --json"},
    {"train", CommandKind::train, train_command, "-o= --gradients= --json"},
    {"compare", CommandKind::compare, compare_command, "--json --table="},
    {"bundle", CommandKind::bundle, bundle_command, "-o= --random"},
    {"page", CommandKind::page, page_command,
     "-o= --view= --level= --lesson-step= --step= --way= --select= --look= --colormap= --range= --theme= --present "
     "--random"},
    {"handout", CommandKind::handout, handout_command, "-o= --paper= --head= --random"},
    {"mask-code", CommandKind::mask_code, mask_code_command, "-o= --as= --random"},
    {"lesson", CommandKind::lesson, lesson_command, "--check --key --worksheet= --language="},
    {"list", CommandKind::list, list_command, "--json"}};

const CommandRow& row_of(CommandKind kind) { return *std::ranges::find(commands, kind, &CommandRow::kind); }

/// Without a help option of its own, and with the same words on every system: on Windows, CLI11 would take a file
/// "/data/x.npz" for an option.
void begin(CLI::App& app) {
  app.set_help_flag();
  app.allow_windows_style_options(false);
}

CLI::Option* add_option(CLI::App& app, const std::string& name, bool takes_value, std::string& value) {
  return takes_value ? app.add_option(name, value) : app.add_flag(name, value);
}

/// Calls each(name, takes_value) for the command's own options.
template <typename Each>
void each_option(CommandKind kind, Each each) {
  for (const std::string_view word : Split(row_of(kind).options, ' '))
    each(std::string(word.substr(0, word.find('='))), word.ends_with('='));
}

/// An empty name of a file, as of a variable that is not set, would open what opens without one.
void refuse_empty_file(const std::string& file, const CLI::Option& option) {
  if (option.count() > 0 && file.empty())
    throw UsageError(option.get_name() + " is empty; expected its path, or no such argument");
}

/// A CLI11 parser whose values are all texts. They are checked where they are used.
class Parser {
 public:
  explicit Parser(CommandKind kind) {
    begin(app_);
    file_option_ = app_.add_option("FILE", file_);
    if (kind == CommandKind::compare) app_.add_option("MINE", second_file_);
    each_option(kind, [this](const std::string& name, bool takes_value) { add(name, takes_value); });
    if (kind == CommandKind::render || kind == CommandKind::bundle) {
      for (const ExportOption& option : all_export_options())
        add(std::string(option.option), !option.operand.empty(), option.repeats);
    }
    if (kind == CommandKind::train) {  // a run has settings of its own, under the same words
      for (const TrainingSetting& setting : training_settings())
        add_setting(setting.option(), !setting.operand.empty(), false);
      add_setting("--threads", true, false);
    }
    for (const Setting& setting : all_settings()) {
      if (kind == CommandKind::train) break;
      if (setting.option.empty() || find(setting.option)) continue;
      const bool repeats = setting.option == "--image" || setting.option == "--text";  // each one is a batch entry
      add_setting(setting.option, !setting.operand.empty(), repeats);
    }
    add("--language", true);
  }

  CommandLine parse(std::vector<std::string> arguments) {
    arguments = with_empty_values(arguments);
    refuse_wrong_options(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects them in reverse order
    app_.parse(arguments);
    refuse_empty_file(file_, *file_option_);
    CommandLine line;
    line.file = file_;
    line.second_file = second_file_;
    for (const auto& [name, option] : options_) {
      if (option->count() == 0) continue;
      if (settings_.contains(name)) line.settings.emplace_back(name, values_.at(name));
      else line.options[name] = values_.at(name);
    }
    return line;
  }

 private:
  /// `--title=` as two words, the second of them empty: CLI11 would take the word after it for the value.
  std::vector<std::string> with_empty_values(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words;
    bool is_value = false;  // of the option before
    bool options_end = false;
    for (const std::string& word : arguments) {
      const std::string name = word.substr(0, word.find('='));
      options_end = options_end || (word == "--" && !is_value);
      const CLI::Option* option = is_value || options_end ? nullptr : find(name);
      const bool takes_value = option && option->get_expected_max() > 0;
      const bool empty = takes_value && name.size() + 1 == word.size();
      words.push_back(empty ? name : word);
      if (empty) words.emplace_back();
      is_value = takes_value && name == word;
    }
    return words;
  }

  /// Names the option that does not exist. In `--heads -o out.npz` CLI11 would take "-o" for the value.
  void refuse_wrong_options(const std::vector<std::string>& arguments) const {
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
      const CLI::Option* option = find(arguments[i]);
      if (!option) refuse_unknown(arguments[i].substr(0, arguments[i].find('=')));
      if (!option || option->get_expected_max() == 0) continue;
      if (i + 1 == arguments.size() || find(arguments[i + 1])) throw UsageError(arguments[i] + " needs a value");
      ++i;
    }
  }

  void refuse_unknown(const std::string& name) const {
    if (!name.starts_with("--") || find(name)) return;
    std::vector<std::string_view> names;
    for (const auto& [known, option] : options_) names.push_back(known);
    const std::string nearest(nearest_name(name, names));
    throw UsageError(name + " is not an option here" + (nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
  }

  const CLI::Option* find(const std::string& name) const {
    for (const auto& [known, option] : options_) {
      if (known == name) return option;
    }
    return nullptr;
  }

  void add_setting(const std::string& name, bool takes_value, bool repeats) {
    add(name, takes_value, repeats);
    settings_.insert(name);
  }

  void add(const std::string& name, bool takes_value, bool repeats = false) {
    std::string& value = values_[name];
    CLI::Option* option = add_option(app_, name, takes_value, value);
    option->multi_option_policy(repeats ? CLI::MultiOptionPolicy::Join : CLI::MultiOptionPolicy::TakeLast);
    options_.emplace_back(name, option);
  }

  CLI::App app_;
  CLI::Option* file_option_ = nullptr;
  std::string file_, second_file_;
  std::set<std::string> settings_;  ///< without those whose name is an option of the command
  std::map<std::string, std::string> values_;
  std::vector<std::pair<std::string, CLI::Option*>> options_;
};

/// The commands without settings: list and lesson.
CommandLine parse_plain(CommandKind kind, const std::vector<std::string>& arguments) {
  CLI::App app;
  begin(app);
  CommandLine line;
  if (kind == CommandKind::list) app.add_option("WHAT", line.list_what);
  const CLI::Option* file = app.add_option(kind == CommandKind::list ? "MODEL" : "FILE", line.file);
  std::map<std::string, std::string> values;
  each_option(kind,
              [&](const std::string& name, bool takes_value) { add_option(app, name, takes_value, values[name]); });
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  refuse_empty_file(line.file, *file);
  for (const auto& [name, text] : values) {
    if (app.count(name) > 0) line.options[name] = text;
  }
  return line;
}

/// A first word that is nearly a command would be taken for a FILE.
void refuse_misspelt_command(const std::vector<std::string>& arguments) {
  std::error_code error;
  if (arguments.empty() || std::filesystem::exists(path_from(arguments.front()), error)) return;
  std::vector<std::string_view> words;
  for (const CommandRow& command : commands) words.push_back(command.word);
  const std::string_view nearest = nearest_name(arguments.front(), words);
  if (!nearest.empty())
    throw UsageError("\"" + arguments.front() + "\" is neither a command nor a file (did you mean " +
                     std::string(nearest) + "?)");
}

CommandLine parse_command(const std::vector<std::string>& arguments) {
  const auto* const row =
      arguments.empty() ? std::end(commands) : std::ranges::find(commands, arguments.front(), &CommandRow::word);
  const bool named = row != std::end(commands) && !row->word.empty();
  if (!named) refuse_misspelt_command(arguments);
  const CommandKind kind = named ? row->kind : CommandKind::window;
  const std::vector<std::string> rest(arguments.begin() + (named ? 1 : 0), arguments.end());
  const bool plain = kind == CommandKind::list || kind == CommandKind::lesson;
  CommandLine line = plain ? parse_plain(kind, rest) : Parser(kind).parse(rest);
  line.kind = kind;
  if (line.has("--random") && !line.file.empty()) throw UsageError("--random takes the place of a FILE");
  if (named) return line;
  if (line.has("--watch")) {
    if (!line.file.empty()) throw UsageError("--watch takes the place of a FILE");
    line.file = newest_of_run(line["--watch"]);
  }
  if (line.has("--screenshot") + line.has("--animation") + line.has("--frames") > 1) {
    throw UsageError("--screenshot, --animation and --frames are commands of their own");
  }
  if (line.has("--seconds-per-step") && !line.has("--animation"))
    throw UsageError("--seconds-per-step is of --animation");
  if (line.has("--animation")) line.kind = CommandKind::animation;
  if (line.has("--screenshot")) line.kind = CommandKind::screenshot;
  if (line.has("--frames")) line.kind = CommandKind::frames;
  return line;
}

}  // namespace

std::string CommandLine::text(const std::string& option, const std::string& usual) const {
  const auto found = options.find(option);
  return found == options.end() ? usual : found->second;
}

int CommandLine::threads() const {
  for (const auto& [option, text] : settings) {
    if (option == "--threads") return static_cast<int>(parse_whole(option, text, 1, 1024));
  }
  return 0;
}

CommandLine parse_command_line(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") {  // "help compare" is "compare --help"
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  for (const auto& [option, kind] :
       {std::pair{"--help", CommandKind::help}, {"-h", CommandKind::help}, {"--version", CommandKind::version}}) {
    if (std::find(arguments.begin(), arguments.end(), option) == arguments.end()) continue;
    CommandLine line;
    line.kind = kind;
    line.list_what = arguments.front();
    return line;
  }
  try {
    return parse_command(arguments);
  } catch (const CLI::ParseError& error) { throw UsageError(error.what()); }
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t character = next_character(text, at);
    const bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    if (control || character == U'\uFFFD') out += "\xEF\xBF\xBD";
    else out += text.substr(from, at - from);
  }
  return out;
}

void print_columns(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], terminal_width(row[i]));
  }
  for (const std::vector<std::string>& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - terminal_width(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

void say(const std::string& subject, const std::string& sentence) {
  std::cerr << printable(subject) << ": " << printable(sentence) << '\n';
}

namespace {

int dispatch(const CommandLine& line) {
  if (line.kind == CommandKind::help) std::cout << help_text(line.list_what);
  else if (line.kind == CommandKind::version) std::cout << "headlight " << version_text() << '\n';
  else return row_of(line.kind).run(line);
  return 0;
}

int print_error(const std::string& sentence) {
  std::cerr << "headlight: " << InputError("", sentence).what() << '\n';
  return 2;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
#ifdef SIGXFSZ
  // A file above ulimit -f then fails as on a full disk, and its temporary file is removed.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  try {
    memory_budget();  // it refuses a HEADLIGHT_MEMORY that is no number
    const int status = dispatch(parse_command_line(arguments));
    std::cout.flush();
    if (!std::cout) return print_error("standard output cannot be written");
    return status;
  } catch (const std::bad_alloc&) {
    return print_error("the tensors do not fit in memory; expected smaller sizes");
  } catch (const InputError& error) {
    std::cerr << "headlight: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) { return print_error(message_of(error).english()); }
}

namespace {

bool sets(const CommandLine& line, std::initializer_list<std::string_view> options) {
  return std::any_of(line.settings.begin(), line.settings.end(), [&](const auto& set) {
    return std::find(options.begin(), options.end(), set.first) != options.end();
  });
}

bool asks_for_random(const CommandLine& line) {
  return line.has("--random") || sets(line, {"--batch-size", "--queries", "--keys"});
}

/// --text after a random scenario selects text as its source, and --queries after a text selects random inputs. In a
/// file, the text goes through the file's embedding.
void choose_source(const CommandLine& line, Scenario& scenario) {
  if (sets(line, {"--text"}) && scenario.source == Source::file) scenario.text_as_input = true;
  if (sets(line, {"--text"}) && scenario.source == Source::random) {
    scenario.batch_size = scenario.queries = scenario.keys = std::nullopt;
    scenario.source = Source::text;
  } else if (!sets(line, {"--text"}) && scenario.source == Source::text && asks_for_random(line)) {
    scenario.source = Source::random;
  }
}

/// A model from the assets opens with its first example. Where it is shown or printed whole, it has the layer and the
/// view that show it best; a text or picture of one's own keeps the head alone, another layer nothing of the view.
Lesson model_source(const CommandLine& line) {
  Lesson opened = open_source(line.file);
  for (const ShippedModel& model : shipped_models()) {
    if (line.file != shipped_model_prefix + model.id) continue;
    const bool window = line.kind == CommandKind::window || line.kind == CommandKind::screenshot ||
                        line.kind == CommandKind::animation || line.kind == CommandKind::frames;
    if (!window && line.kind != CommandKind::handout) {
      read_first_example(model, opened.scenario);
      continue;
    }
    opened = opening_of(model);
    if (sets(line, {"--layer"})) opened.view.reset();
    else if (sets(line, {"--text", "--image"})) opened.view = ViewFields();  // its cell is another text's
  }
  return opened;
}

}  // namespace

// Settings alone change the default lesson, whose sizes and weights are not fixed.
bool names_nothing(const CommandLine& line) {
  return line.file.empty() && line.settings.empty() && !line.has("--random");
}

Lesson source_of(const CommandLine& line) {
  if (names_nothing(line)) {
    if (auto trained = trained_document(line.language())) return *trained;
  }
  const bool says_its_inputs = sets(line, {"--text"}) || asks_for_random(line);
  if (!line.file.empty() || !says_its_inputs) {
    return line.file.starts_with(shipped_model_prefix) ? model_source(line) : open_source(line.file);
  }
  Lesson untitled;
  if (asks_for_random(line)) untitled.scenario.source = Source::random;
  return untitled;
}

Scenario scenario_of(const CommandLine& line) {
  Scenario scenario = source_of(line).scenario;
  choose_source(line, scenario);
  for (const auto& [option, text] : line.settings) {
    for (const Setting& setting : all_settings()) {
      if (setting.option == option) setting.apply(scenario, option, text);
    }
  }
  return scenario;
}

Scenario network_scenario(const CommandLine& line) {
  Scenario scenario = scenario_of(line);
  scenario.source = Source::file;
  return scenario;
}

Run run_of(const CommandLine& line) {
  Run run;
  run.threads = line.threads();
  return run;
}

std::shared_ptr<const Trace> trace_of(const CommandLine& line) {
  return compute_any(scenario_of(line), nullptr, run_of(line));
}

}  // namespace headlight
