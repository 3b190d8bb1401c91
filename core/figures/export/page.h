// A document handed out as one file: the page of ./run-web --one-file, which is the whole program, with the document in
// it. The page opens at it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/scenario/documents/lesson.h"

namespace headlight {

/// A file inside a page.
struct PageFile {
  std::string name;            ///< in the page, with forward slashes
  std::filesystem::path from;  ///< where it is read; empty: `text` is its content
  std::string text = {};
};

struct PageDocument {
  std::string name;                ///< in the page's title: "lesson.md", "model:english"
  std::string open;                ///< what the page opens: one of `files`, or "lesson:ID" or "model:ID"
  std::vector<std::string> words;  ///< settings and view, as on the command line
  std::vector<PageFile> files;
};

/// The largest file that goes into a page, in bytes.
inline constexpr std::uintmax_t largest_in_page = 20'000'000;

/// The document that `said` names ("lesson.md", "lesson:ID", "model:ID", a folder, "net.npz", "net.json"; "" for none)
/// with `settings` as on the command line, which make `scenario` of it; with all files that it needs, under names
/// without folders of this machine. Throws FileError if a lesson's file is not below the lesson's folder.
PageDocument page_document(const std::string& said, const std::vector<std::string>& settings, const Scenario& scenario);

/// The same of a scenario that no document and settings name.
PageDocument page_of_scenario(const std::string& name, Scenario scenario);

/// The page without a document, among the program's own files or beside its build. Throws FileError that says how to
/// make it.
std::filesystem::path page_template();

/// Writes the page, whole or not at all. Returns its size in bytes. Throws FileError, also if a file is too large for a
/// page, or if a text in it holds a path of this machine, which whoever gets the page could read.
std::uintmax_t write_page(const std::filesystem::path& target, const PageDocument& document);

/// "lesson.md, net.npz"; "" if no file is in it.
std::string contents_of(const PageDocument& document);

}  // namespace headlight
