#include "app/commands/command_line.h"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>

#include "app/commands/commands.h"
#include "core/architecture/model_folder.h"
#include "core/export/export_options.h"
#include "core/files/file_watch.h"
#include "core/network/shipped_models.h"
#include "core/scenario/lesson.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"
#include "core/tensor/memory.h"
#include "core/text/texts.h"
#include "core/text/unicode.h"

namespace headlight {
namespace {

struct OwnOption {
  std::string name;
  bool takes_value;
  bool repeats = false;  ///< several texts are separated by line breaks
};

const std::vector<OwnOption> window_options{
    {"--screenshot", true}, {"--animation", true},    {"--seconds-per-step", true},
    {"--frames", true},     {"--scale-factor", true}, {"--view", true},
    {"--level", true},      {"--lesson-step", true},  {"--compare", true},
    {"--step", true},       {"--way", true},          {"--select", true},
    {"--look", true},       {"--theme", true},        {"--colormap", true},
    {"--range", true},      {"--size", true},         {"--present", false},
    {"--bare", false},      {"--random", false},      {"--watch", true}};
const std::vector<OwnOption> predict_options{
    {"--top", true}, {"--temperature", true}, {"--top-k", true},  {"--top-p", true}, {"--write", true},
    {"--why", true}, {"--lens", false},       {"--ablate", true}, {"--texts", true}, {"--json", false}};
const std::vector<OwnOption> heads_options{{"--texts", true}, {"--ablate", true}, {"--json", false}, {"--csv", false}};
const std::vector<OwnOption> patch_options{{"--from", true}, {"--what", true}, {"--word", true}, {"--json", false}};
const std::vector<OwnOption> trace_options{
    {"-o", true},       {"--stages", true}, {"--time", true}, {"--parameters", false}, {"--contributions", false},
    {"--random", false}};
const std::vector<OwnOption> explain_options{{"--cell", true}, {"--json", false}, {"--random", false}};
const std::vector<OwnOption> compare_options{{"--json", false}, {"--table", true}};

const std::vector<OwnOption> mask_code_options{{"-o", true}, {"--as", true}, {"--random", false}};
const std::vector<OwnOption> handout_options{{"-o", true}, {"--paper", true}, {"--head", true}, {"--random", false}};

/// The options of render and bundle: what is drawn, how it looks, and where it is written.
std::vector<OwnOption> make_figure_options() {
  std::vector<OwnOption> options{{"-o", true}, {"--random", false}};
  for (const ExportOption& option : all_export_options()) {
    options.push_back({std::string(option.option), !option.operand.empty(), option.repeats});
  }
  return options;
}

const std::vector<OwnOption>& options_of(CommandKind kind) {
  static const std::vector<OwnOption> figure_options = make_figure_options();
  switch (kind) {
    case CommandKind::trace: return trace_options;
    case CommandKind::render: return figure_options;
    case CommandKind::explain: return explain_options;
    case CommandKind::compare: return compare_options;
    case CommandKind::predict: return predict_options;
    case CommandKind::heads: return heads_options;
    case CommandKind::patch: return patch_options;
    case CommandKind::bundle: return figure_options;
    case CommandKind::handout: return handout_options;
    case CommandKind::mask_code: return mask_code_options;
    default: return window_options;
  }
}

std::optional<CommandKind> command_named(const std::string& word) {
  if (word == "trace") return CommandKind::trace;
  if (word == "render") return CommandKind::render;
  if (word == "explain") return CommandKind::explain;
  if (word == "predict") return CommandKind::predict;
  if (word == "heads") return CommandKind::heads;
  if (word == "patch") return CommandKind::patch;
  if (word == "compare") return CommandKind::compare;
  if (word == "bundle") return CommandKind::bundle;
  if (word == "handout") return CommandKind::handout;
  if (word == "mask-code") return CommandKind::mask_code;
  return std::nullopt;
}

/// A CLI11 parser whose values are all texts. They are checked where they are used.
class Parser {
 public:
  explicit Parser(CommandKind kind) {
    app_.set_help_flag();
    app_.add_option("FILE", file_);
    if (kind == CommandKind::compare) app_.add_option("MINE", second_file_);
    for (const OwnOption& option : options_of(kind)) {
      add(option.name, option.takes_value, option.repeats);
      own_.insert(option.name);
    }
    for (const Setting& setting : all_settings()) {
      const bool repeats = setting.option == "--image" || setting.option == "--text";  // each one is a batch entry
      if (!setting.option.empty() && !find(setting.option)) add(setting.option, !setting.operand.empty(), repeats);
    }
    add("--language", true);
  }

  CommandLine parse(std::vector<std::string> arguments) {
    refuse_wrong_options(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects them in reverse order
    app_.parse(arguments);
    CommandLine line;
    line.file = file_;
    line.second_file = second_file_;
    for (const auto& [name, option] : options_) {
      if (option->count() == 0) continue;
      if (own_.contains(name)) {
        line.options[name] = values_.at(name);
        continue;
      }
      const std::string& text = values_.at(name);
      const auto& settings = all_settings();
      const bool is_setting =
          std::any_of(settings.begin(), settings.end(), [&name = name](const Setting& s) { return s.option == name; });
      if (is_setting) {
        line.settings.emplace_back(name, text);
      } else {
        line.options[name] = text;
      }
    }
    return line;
  }

 private:
  /// Names the option that does not exist. In `--heads -o out.npz` CLI11 would take "-o" for the value.
  void refuse_wrong_options(const std::vector<std::string>& arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const CLI::Option* option = find(arguments[i]);
      if (!option) refuse_unknown(arguments[i].substr(0, arguments[i].find('=')));
      if (!option || option->get_expected_max() == 0) continue;
      if (i + 1 == arguments.size() || find(arguments[i + 1])) throw UsageError(arguments[i] + " needs a value");
      ++i;
    }
  }

  void refuse_unknown(const std::string& name) const {
    if (!name.starts_with("--") || name == "--" || find(name)) return;
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

  void add(const std::string& name, bool takes_value, bool repeats = false) {
    std::string& value = values_[name];
    CLI::Option* option = takes_value ? app_.add_option(name, value) : app_.add_flag(name, value);
    option->multi_option_policy(repeats ? CLI::MultiOptionPolicy::Join : CLI::MultiOptionPolicy::TakeLast);
    options_.emplace_back(name, option);
  }

  CLI::App app_;
  std::string file_, second_file_;
  std::set<std::string> own_;  ///< options of this command that have the name of a setting
  std::map<std::string, std::string> values_;
  std::vector<std::pair<std::string, CLI::Option*>> options_;
};

CommandLine parse_list(const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  CommandLine line;
  bool json = false;
  app.add_option("WHAT", line.list_what);
  app.add_option("MODEL", line.file);
  app.add_flag("--json", json);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  line.kind = CommandKind::list;
  if (json) line.options["--json"] = "true";
  return line;
}

CommandLine parse_lesson(const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  CommandLine line;
  bool check = false, key = false;
  std::string worksheet, language;
  app.add_option("FILE", line.file);
  app.add_flag("--check", check);
  app.add_flag("--key", key);
  const CLI::Option* out = app.add_option("--worksheet", worksheet);
  const CLI::Option* said = app.add_option("--language", language);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  line.kind = CommandKind::lesson;
  if (check) line.options["--check"] = "true";
  if (key) line.options["--key"] = "true";
  if (out->count() > 0) line.options["--worksheet"] = worksheet;
  if (said->count() > 0) line.options["--language"] = language;
  return line;
}

CommandLine parse_command(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (first == "list") return parse_list(rest);
  if (first == "lesson") return parse_lesson(rest);
  if (const auto kind = command_named(first)) {
    CommandLine line = Parser(*kind).parse(rest);
    line.kind = *kind;
    if (line.has("--random") && !line.file.empty()) throw UsageError("--random takes the place of a FILE");
    return line;
  }
  CommandLine line = Parser(CommandKind::window).parse(arguments);
  if (line.has("--random") && !line.file.empty()) throw UsageError("--random takes the place of a FILE");
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

std::string CommandLine::operator[](const std::string& option) const {
  const auto it = options.find(option);
  return it == options.end() ? "" : it->second;
}

int CommandLine::threads() const {
  for (const auto& [option, text] : settings) {
    if (option == "--threads") return static_cast<int>(parse_whole(option, text, 1, 1024));
  }
  return 0;
}

CommandLine parse_command_line(std::vector<std::string> arguments) {
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
  switch (line.kind) {
    case CommandKind::window: return window_command(line);
    case CommandKind::screenshot: return screenshot_command(line);
    case CommandKind::animation: return animation_command(line);
    case CommandKind::frames: return frames_command(line);
    case CommandKind::trace: return trace_command(line);
    case CommandKind::render: return render_command(line);
    case CommandKind::explain: return explain_command(line);
    case CommandKind::predict: return predict_command(line);
    case CommandKind::heads: return heads_command(line);
    case CommandKind::patch: return patch_command(line);
    case CommandKind::compare: return compare_command(line);
    case CommandKind::bundle: return bundle_command(line);
    case CommandKind::handout: return handout_command(line);
    case CommandKind::mask_code: return mask_code_command(line);
    case CommandKind::lesson: return lesson_command(line);
    case CommandKind::list: return list_command(line);
    case CommandKind::help: std::cout << help_text(line.list_what); return 0;
    case CommandKind::version: std::cout << "headlight " HEADLIGHT_VERSION "\n"; return 0;
  }
  return 2;
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
  } catch (const std::exception& error) { return print_error(error.what()); }
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
    else if (sets(line, {"--text", "--image"})) opened.view->select.reset();
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
    if (auto trained = trained_document(line.has("--language") ? line["--language"] : "en")) return *trained;
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

}  // namespace headlight
