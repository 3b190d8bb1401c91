// headlight page: the whole program as one file that a browser opens, with a document in it.
#include <algorithm>

#include "app/commands/commands.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/page.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

/// As on the command line: a switch has no value.
std::vector<std::string> settings_of(const CommandLine& line) {
  std::vector<std::string> words;
  for (const auto& [option, text] : line.settings) {
    const auto row = std::ranges::find(all_settings(), option, &Setting::option);
    words.push_back(option);
    if (row == all_settings().end() || !row->operand.empty()) words.push_back(text);
  }
  if (line.has("--random")) words.emplace_back("--random");
  return words;
}

}  // namespace

int page_command(const CommandLine& line) {
  const std::string out = line["-o"];
  if (extension_of(out) != ".html") throw UsageError("page needs -o OUT.html");
  PageDocument document = page_document(line.file, settings_of(line), scenario_of(line));
  for (const auto& [option, text] : line.options) {  // what is shown
    if (option == "-o" || option == "--random") continue;
    document.words.push_back(option);
    if (option != "--present") document.words.push_back(text);
  }
  const std::uintmax_t bytes = write_page(path_from(out), document);
  const std::string files = contents_of(document);
  say(out, formatted("%.1f MB: Headlight", static_cast<double>(bytes) / 1e6) +
               (files.empty() ? ", opening " + (document.open.empty() ? "its first lesson" : document.open)
                              : " with " + files));
  return 0;
}

}  // namespace headlight
