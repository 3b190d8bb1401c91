#include "core/figures/export/page.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "core/base/assets/assets.h"
#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/files/places.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/pictures.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/open_source.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_rows.h"
#include "core/teaching/lesson/course.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view place_of_document = "<!-- document -->", plain_title = "<title>Headlight</title>";

bool is_text(const std::string& name) {
  constexpr const char* endings[] = {".json", ".md", ".txt", ".csv", ".tsv", ".jinja"};
  return std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
}

std::string subject_of(const PageFile& file) { return file.from.empty() ? file.name : utf8_from(file.from); }

/// What stands in the file. One that is too large to hand out is not read.
std::string content_of(const PageFile& file) {
  std::error_code error;
  const std::uintmax_t size = file.from.empty() ? file.text.size() : fs::file_size(file.from, error);
  if (!error && size > largest_in_page)
    throw FileError(subject_of(file), Message("{0} MB are too many for a page", size / 1'000'000),
                    Message("expected files of at most {0} MB", largest_in_page / 1'000'000));
  return file.from.empty() ? file.text : whole_text(file.from, largest_in_page, ErrorPlace{subject_of(file)});
}

/// Throws if the page would tell of folders of this machine.
void check_can_be_given_away(const PageFile& file, const std::string& content, const std::string& folder) {
  if (!is_text(file.name)) return;
  for (const std::string& place : {utf8_from(home_folder()), folder}) {
    if (place.size() < 2) continue;  // "/" says nothing
    const std::size_t at = content.find(place + "/");
    if (at == std::string::npos) continue;
    const std::string path = content.substr(at, content.find_first_of("\"'\n\r ,)>", at) - at);
    throw FileError(subject_of(file), Message("holds {0}, a place on this machine", path),
                    "expected a document without such paths: whoever gets the page can read them");
  }
}

/// Collects the files of a page; each is in it once.
class Packer {
 public:
  /// `name` is in the page. Returns it.
  std::string add(const fs::path& from, const std::string& name) {
    std::error_code error;
    if (!fs::is_regular_file(from, error)) throw FileError(utf8_from(from), "is not there", "expected a file");
    if (names_.insert(name).second) files_.push_back({name, from});
    return name;
  }
  void add_if_there(const fs::path& from, const std::string& name) {
    std::error_code error;
    if (fs::is_regular_file(from, error)) add(from, name);
  }
  std::vector<PageFile> take() { return std::move(files_); }

 private:
  std::vector<PageFile> files_;
  std::set<std::string> names_;
};

/// A network's folder, or tensors with the companions beside them; returns what opens them.
std::string add_tensors(Packer& packer, const std::string& file) {
  const bool model = is_model_folder(file);
  const std::vector<fs::path> tensors = model ? find_model(file).tensors : std::vector{path_from(file)};
  const fs::path folder = model ? find_model(file).folder : tensors.front().parent_path();
  const std::string into = model ? "model/" : "";
  for (const fs::path& each : tensors) packer.add(each, into + utf8_from(each.filename()));
  for (const char* name : companion_names()) packer.add_if_there(folder / name, into + name);
  for (const char* name : {"model.json", "train.json", "model.safetensors.index.json"})
    if (model) packer.add_if_there(folder / name, into + name);
  return model ? "model" : utf8_from(tensors.front().filename());
}

/// A file that a lesson names, under the name that it has below the lesson's folder.
void add_named(Packer& packer, const std::string& lesson, const fs::path& folder, const std::string& named) {
  std::error_code error;
  const fs::path whole = fs::absolute(path_from(named), error).lexically_normal();
  const fs::path below = whole.lexically_relative(folder);
  if (below.empty() || *below.begin() == "..")
    throw FileError(lesson, Message("names {0}, which is not below its own folder", named),
                    "expected the lesson's files beside it");
  if (!is_model_folder(named)) return void(packer.add(whole, portable_utf8_from(below)));
  for (const fs::directory_entry& entry : fs::directory_iterator(whole, error))
    if (entry.is_regular_file(error)) packer.add(entry.path(), portable_utf8_from(below / entry.path().filename()));
}

void add_files_of(Packer& packer, const std::string& lesson, const fs::path& folder, Scenario scenario) {
  for_each_file(scenario, [&](std::string& path) {
    if (!is_model_name(path)) add_named(packer, lesson, folder, path);
  });
  for (const std::string& picture : text_lines(scenario.image))
    if (!is_model_name(picture)) add_named(packer, lesson, folder, picture);
}

PageDocument lesson_document(const std::string& file) {
  const Course course = read_course(file);
  std::error_code error;
  const fs::path folder = fs::absolute(path_from(file), error).lexically_normal().parent_path();
  Packer packer;
  const std::string name = packer.add(path_from(file), std::string(file_name_of(file)));
  add_files_of(packer, file, folder, course.card.scenario);
  for (const LessonStep& step : course.steps) {
    add_files_of(packer, file, folder, step.pose.scenario);
    for (const Try& each : step.pose.tries) add_files_of(packer, file, folder, each.scenario);
    for (const Claim& claim : step.claims)
      if (claim.scenario) add_files_of(packer, file, folder, *claim.scenario);
  }
  return {name, name, {}, packer.take()};
}

std::string json_of(const PageDocument& document) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const PageFile& file : document.files) {
    const std::string content = content_of(file);
    std::error_code error;
    const std::string folder =
        file.from.empty() ? "" : utf8_from(fs::absolute(file.from, error).lexically_normal().parent_path());
    check_can_be_given_away(file, content, folder);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    files.push_back({{"name", file.name}, {"data", base64({bytes, content.size()})}});
  }
  const std::string json = nlohmann::ordered_json{
      {"name", document.name},
      {"open", document.open},
      {"words", document.words},
      {"files",
       std::move(files)}}.dump();
  return replaced(json, "<", "\\u003c");  // JSON must not end its <script> element
}

void replace_once(std::string& text, std::string_view from, const std::string& to) {
  if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

PageDocument page_of_scenario(const std::string& name, Scenario scenario) {
  Packer packer;
  for (std::string* file : {&scenario.file, &scenario.mask_file}) {
    if (file->empty() || is_model_name(*file)) continue;
    *file = file == &scenario.file ? add_tensors(packer, *file)
                                   : packer.add(path_from(*file), "mask_" + std::string(file_name_of(*file)));
  }
  std::string pictures;
  int number = 0;
  for (const std::string& line : text_lines(scenario.image)) {
    const std::string extension = utf8_from(path_from(line).extension());
    if (!pictures.empty()) pictures += '\n';
    pictures +=
        is_model_name(line) ? line : packer.add(picture_place(line), "image" + std::to_string(++number) + extension);
  }
  scenario.image = pictures;
  PageDocument document{name, "scenario.json", {}, packer.take()};
  document.files.insert(document.files.begin(), PageFile{"scenario.json", {}, to_json(scenario)});
  return document;
}

PageDocument page_document(const std::string& said, const std::vector<std::string>& settings,
                           const Scenario& scenario) {
  const bool comes_along = said.empty() || is_model_name(said) || said.starts_with("lesson:");
  const bool names_files = std::ranges::any_of(settings, [](const std::string& word) {
    std::error_code error;
    return word.starts_with('@') || (word.size() < 4096 && fs::is_regular_file(path_from(word), error));
  });
  const bool lesson =
      !comes_along && is_lesson_file(said) && !is_model_folder(said) && !open_source(said).course.empty();
  if (names_files || (!comes_along && !lesson))
    return page_of_scenario(said.empty() ? "scenario" : std::string(file_name_of(said)), scenario);
  PageDocument document =
      lesson ? lesson_document(said) : PageDocument{said.empty() ? "Headlight" : said, said, {}, {}};
  document.words = settings;
  return document;
}

fs::path page_template() {
  constexpr const char* name = "headlight.html";
  std::error_code error;
  const fs::path built = running_program().parent_path() / ".." / ".." / name;  // of build/release/bin/headlight
  if (std::getenv("HEADLIGHT_ASSETS") == nullptr && fs::is_regular_file(built, error)) return built.lexically_normal();
  try {
    return asset(name);
  } catch (const FileError&) {
    throw FileError(name, "the page that documents are laid into is not beside this program",
                    "expected ./run-web --one-file to have made it, and ./run --install to have brought it along");
  }
}

std::uintmax_t write_page(const fs::path& target, const PageDocument& document) {
  const fs::path from = page_template();
  constexpr std::uint64_t most = 64'000'000;  // of a page that ./run-web made
  std::string page = whole_text(from, most, ErrorPlace{utf8_from(from)});
  if (page.find(place_of_document) == std::string::npos)
    throw FileError(utf8_from(from), "is not the page of this program", "expected what ./run-web --one-file makes");
  const std::string json = json_of(document);
  replace_once(page, place_of_document, "<script type=\"application/json\" id=\"document\">" + json + "</script>");
  replace_once(page, plain_title, "<title>" + for_markup(document.name) + " · Headlight</title>");
  write_whole_file(target, page);
  return page.size();
}

std::string contents_of(const PageDocument& document) {
  return comma_list(document.files, [](const PageFile& file) { return file.name; });
}

}  // namespace headlight
