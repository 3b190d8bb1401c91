// docs/reference.md and the program have the same commands.
#include <fstream>
#include <set>
#include <sstream>

#include "app/commands/command_line.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

/// The words after "headlight " that name a command, where lines hold `before` and then it.
std::set<std::string> commands_in(std::istream& text, const std::string& before) {
  std::set<std::string> found;
  std::string line;
  while (std::getline(text, line)) {
    const std::string named = before + "headlight ";
    if (!line.starts_with(named) || line.size() == named.size() || line[named.size()] == ' ') continue;
    std::istringstream words(line.substr(before.size()));
    std::string program, word;
    words >> program >> word;
    if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos) found.insert(word);
  }
  return found;
}

}  // namespace

TEST_CASE("the reference has every command of the manual, and no other") {
  std::ifstream page(places::assets() + "/../docs/reference.md");
  std::istringstream manual(help_text());
  const std::set<std::string> said = commands_in(page, "| `"), known = commands_in(manual, "  ");
  CHECK(said.size() > 8);
  CHECK(said == known);
}
