#include "ui/base/document/export_choice.h"

#include <algorithm>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/figures/export/export_options.h"

namespace headlight {
namespace {

constexpr const char* bundles[] = {".zip", ""};
constexpr const char* pages[] = {".html"};
constexpr const char* films[] = {".png", ".gif"};

}  // namespace

std::span<const char* const> endings(ExportKind kind) {
  static const std::vector<const char*> figures = figure_endings(), numbers = number_endings(),
                                        stages = number_endings(Capacity::arrays);
  switch (kind) {
    case ExportKind::figure: return figures;
    case ExportKind::numbers: return numbers;
    case ExportKind::stages: return stages;
    case ExportKind::bundle: return bundles;
    case ExportKind::page: return pages;
    case ExportKind::animation: return films;
    case ExportKind::window: break;
  }
  return std::span(figures).first(figures.size() - 1);  // not as HTML
}

const char* ending(const ExportChoice& choice) {
  return endings(choice.kind)[static_cast<std::size_t>(choice.format[static_cast<std::size_t>(choice.kind)])];
}

ExportChoice with_path(ExportChoice choice, const std::string& path) {
  choice.path = path.empty() ? std::nullopt : std::optional(path);
  if (path.empty()) return choice;
  const auto all = endings(choice.kind);
  const auto known = std::find(all.begin(), all.end(), extension_of(path));
  if (known != all.end()) {
    choice.format[static_cast<std::size_t>(choice.kind)] = static_cast<int>(known - all.begin());
  } else {
    *choice.path += ending(choice);
  }
  return choice;
}

ExportChoice with_format(ExportChoice choice, int format) {
  const std::string before = ending(choice);
  choice.format[static_cast<std::size_t>(choice.kind)] = format;
  if (choice.path) {
    if (choice.path->ends_with(before)) choice.path->resize(choice.path->size() - before.size());
    *choice.path += ending(choice);
  }
  return choice;
}

bool shows_stage(ExportKind kind) { return kind <= ExportKind::numbers || kind == ExportKind::bundle; }
bool shows_figure(ExportKind kind) { return kind == ExportKind::figure || kind == ExportKind::bundle; }

}  // namespace headlight
