// The tables of docs/reference.md and those of the program have the same rows.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/figures/export/export_options.h"
#include "core/models/architecture/architectures.h"
#include "core/rules/mask/expression.h"
#include "core/rules/mask/patterns.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

using Row = std::vector<std::string>;

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.front() == ' ') text.erase(text.begin());
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const bool is_code = text.size() > 1 && text.front() == '`' && text.find('`', 1) == text.size() - 1;
  return is_code ? text.substr(1, text.size() - 2) : text;
}

/// The rows of the table whose head begins with `head`. Backquotes around cells are removed; "\|" is read as a bar.
std::vector<Row> table(const std::string& head) {
  std::istringstream page(text_of(places::assets() + "/../docs/reference.md"));
  std::vector<Row> rows;
  std::string line;
  while (std::getline(page, line) && !line.starts_with("| " + head + " |")) continue;
  std::getline(page, line);
  while (std::getline(page, line) && line.starts_with("|")) {
    Row row(1);
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '\\' && line[i + 1] == '|') row.back() += line[++i];
      else if (line[i] == '|') row.emplace_back();
      else row.back() += line[i];
    }
    row.pop_back();
    std::ranges::transform(row, row.begin(), trimmed);
    rows.push_back(std::move(row));
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

std::vector<std::string> column(const std::vector<Row>& rows, std::size_t which) {
  std::vector<std::string> cells;
  for (const Row& row : rows) cells.push_back(row.at(which));
  return cells;
}

template <typename Rows, typename Name>
std::vector<std::string> names_of(const Rows& rows, Name name) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(name(row));
  return names;
}

/// What a column of the manual lacks of the program's, has beyond it, or has at another place; "" if they are the same.
std::string difference(const std::vector<std::string>& said, const std::vector<std::string>& known) {
  std::string text;
  const auto add = [&](const std::string& before, const std::string& name, const std::string& after) {
    const std::string line = before + "\"" + name + "\"" + after + "\n";
    if (text.find(line) == std::string::npos) text += line;
  };
  const auto more = [](const std::string& name, const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::ranges::count(a, name) > std::ranges::count(b, name);
  };
  for (const std::string& name : known) {
    if (more(name, known, said)) add("docs/reference.md lacks ", name, "");
  }
  for (const std::string& name : said) {
    if (more(name, said, known)) add("docs/reference.md has ", name, ", which the program does not have");
  }
  if (!text.empty()) return text;
  const auto [here, there] = std::ranges::mismatch(said, known);
  if (here != said.end()) add("docs/reference.md has ", *here, " where the program has \"" + *there + "\"");
  return text;
}
std::string difference(const std::set<std::string>& said, const std::set<std::string>& known) {
  return difference(std::vector(said.begin(), said.end()), std::vector(known.begin(), known.end()));
}

}  // namespace

TEST_CASE("the reference has every stage in the order of computation, in its shape", "[reference]") {
  const std::vector<Row> rows = table("stage | shape");
  REQUIRE(difference(column(rows, 0), names_of(all_stages(), [](Stage stage) { return name(stage); })) == "");
  for (const Row& row : rows) {
    const StageInfo& about = info(*stage_named(row[0]));
    std::string shape;
    for (const Axis axis : {about.lead[0], about.lead[1], about.rows, about.cols}) {
      if (axis != Axis::none) shape += (shape.empty() ? "[" : ", ") + std::string(symbol(axis));
    }
    INFO(row[0]);
    CHECK(row[1] == shape + "]");
    CHECK((row[2].find("only ") != std::string::npos) == (about.presence == Presence::optional || row[0] == "mask"));
  }
}

TEST_CASE("the reference has every setting with its option, key, operand, help and an example that is read",
          "[reference]") {
  const std::vector<Row> rows = table("option | takes | key in a scenario");
  REQUIRE(difference(column(rows, 2), names_of(all_settings(), [](const Setting& s) { return s.key; })) == "");
  for (const Row& row : rows) {
    const Setting& setting = *setting_named(row[2]);
    INFO(setting.key);
    CHECK(row[0] == (setting.option.empty() ? "FILE" : setting.option));
    if (!setting.option.empty()) CHECK(row[1] == (setting.operand.empty() ? "a switch" : setting.operand));
    CHECK(nlohmann::json::parse(row[3]) == nlohmann::json::parse(setting.example));
    CHECK(row[4] == setting.help);
  }
}

TEST_CASE("the reference has every option of figures", "[reference]") {
  const std::vector<Row> rows = table("option | takes | is");
  CHECK(difference(column(rows, 0), names_of(all_export_options(), [](const ExportOption& o) { return o.option; })) ==
        "");
  CHECK(difference(column(rows, 2), names_of(all_export_options(), [](const ExportOption& o) { return o.help; })) ==
        "");
}

TEST_CASE("the reference names the ending of every file that render writes", "[reference]") {
  const std::string page = text_of(places::assets() + "/../docs/reference.md");
  const std::string figures = page.substr(page.find("## Figures"));
  const std::string list = figures.substr(0, figures.find("| option |"));
  for (const std::string ending : export_endings()) {
    INFO(ending);
    CHECK(list.find("`" + ending + "`") != std::string::npos);
  }
}

TEST_CASE("the reference has every pattern of masks, and the functions that it names are functions", "[reference]") {
  const std::vector<Row> rows = table("pattern");
  CHECK(difference(column(rows, 0), names_of(all_patterns(), [](const Pattern& p) { return signature(p); })) == "");
  CHECK(difference(column(rows, 1), names_of(all_patterns(), [](const Pattern& p) { return p.predicate; })) == "");
  CHECK(difference(column(rows, 2), names_of(all_patterns(), [](const Pattern& p) { return p.known_from; })) == "");
  for (const char* condition :
       {"abs(q) == 1", "floor(q / 2) == 1", "min(q, k) == 1", "max(q, k) == 1", "bit(k, 1) == 1", "k in {0, 4}",
        "h < 2 ? causal() : full()", "causal() && (window(4) || sink(1))", "!(q + k - b * n_q / n_k % 2 >= 1)"}) {
    CHECK_NOTHROW(MaskExpression::parse(condition));
  }
}

TEST_CASE("the reference says of every pattern whether it counts from the same corner as causal_bottom_right()",
          "[reference]") {
  const std::string page = text_of(places::assets() + "/../docs/reference.md");
  const std::string text = page.substr(page.find("**Fewer queries than keys.**"));
  const std::string paragraph = text.substr(0, text.find("\n\n"));
  const std::size_t start = paragraph.find("with q + (n_k − n_q) for q:"),
                    end = paragraph.find(", and the positions of");
  REQUIRE(start < end);
  REQUIRE(end != std::string::npos);
  const std::string moving = paragraph.substr(start, end - start), resting = paragraph.substr(end);
  const auto names = [](const std::string& part, const Pattern& pattern) {
    const bool has_its_name = std::ranges::count(all_patterns(), pattern.name, &Pattern::name) == 1;
    return part.find("`" + signature(pattern) + "`") != std::string::npos ||
           (has_its_name && part.find("`" + std::string(pattern.name) + "`") != std::string::npos);
  };
  for (const Pattern& pattern : all_patterns()) {
    INFO(signature(pattern) << (pattern.moves ? " counts from that corner" : " stays or looks at keys alone"));
    CHECK(names(moving, pattern) == pattern.moves);
    if (pattern.name != "causal_bottom_right") CHECK(names(resting, pattern) == !pattern.moves);
  }
}

TEST_CASE("the reference has every mistake that compare knows, and each has its title in the window", "[reference]") {
  std::vector<std::string> ids = column(table("id"), 0),
                           known = names_of(all_mistakes(), [](const Mistake&m) { return m.id; });
  CHECK(difference(std::set(ids.begin(), ids.end()), std::set(known.begin(), known.end())) == "");
  CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
  const nlohmann::json words = nlohmann::json::parse(text_of(places::assets() + "/translations/en.json"));
  std::set<std::string> titled{"rounded_bf16", "rounded_f16", "harmless"}, with_title;
  titled.insert(known.begin(), known.end());
  for (const auto& [id, word] : words.at("mistakes").items()) {
    if (word.contains("title")) with_title.insert(id);
  }
  for (const std::string& id : titled) {
    INFO("en.json lacks \"mistakes." << id << ".title\"");
    CHECK(with_title.contains(id));
  }
  for (const std::string& id : with_title) {
    INFO("en.json has \"mistakes." << id << "\", which compare does not know");
    CHECK(titled.contains(id));
  }
}

TEST_CASE("the reference has every architecture", "[reference]") {
  const std::vector<Row> rows = table("model_type");
  CHECK(difference(column(rows, 0), names_of(architectures(), [](const Architecture& a) { return a.model_type; })) ==
        "");
  CHECK(difference(column(rows, 1), names_of(architectures(), [](const Architecture& a) { return a.title; })) == "");
}

TEST_CASE("the reference has every quantity that an explanation may name", "[reference]") {
  const nlohmann::json words = nlohmann::json::parse(text_of(places::assets() + "/translations/en.json"));
  std::set<std::string> known;
  for (const auto& [key, word] : words.at("inspector").at("quantity").items()) known.insert(key);
  const std::vector<std::string> said = column(table("quantity"), 0);
  CHECK(difference(std::set<std::string>(said.begin(), said.end()), known) == "");
}
