// The words in a file, which label the axes.
#include "core/files/error_place.h"
#include "core/scenario/file_source.h"

namespace headlight {
namespace {

using Names = Sequence::Names;

/// Words under the first of these names, a list a batch entry; empty where the file has none.
Names words_named(const FileReading& r, const Dims& dims, std::initializer_list<const char*> names,
                  std::string& found) {
  for (const std::string& prefix : {r.keys.prefix, std::string()}) {
    for (const char* name : names) {
      const std::optional<ArrayWords> stored = r.file.arrays().words(prefix + name);
      if (!stored) continue;
      found = prefix + name;
      r.asked->insert(found);
      const Shape& shape = stored->shape;
      const bool by_entry = shape.size() == 2;
      if (shape.size() > 2 || shape.empty() || (by_entry && shape[0] != dims.batch && shape[0] != 1)) {
        r.fail(in_quotes(found) + " has shape " + to_string(shape),
               "expected [n] or [B, n] = [" + std::to_string(dims.batch) + ", n]");
      }
      const auto width = static_cast<std::size_t>(shape.back());
      Names list;
      for (Index b = 0; b < dims.batch; ++b) {
        const std::size_t row = by_entry && shape[0] > 1 ? static_cast<std::size_t>(b) : 0;
        const auto first = stored->words.begin() + static_cast<std::ptrdiff_t>(row * width);
        list.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
      }
      return list;
    }
  }
  return {};
}

void check_length(const FileReading& r, const Names& names, const std::string& found, Index expected,
                  const char* what) {
  if (names.empty() || static_cast<Index>(names.front().size()) == expected) return;
  r.fail(in_quotes(found) + " holds " + std::to_string(names.front().size()) + " words",
         "expected " + std::to_string(expected) + ", one for each " + what);
}

}  // namespace

TokenWords read_tokens(const FileReading& r, const Dims& dims) {
  std::string both_found, query_found, key_found;
  const Names both = words_named(r, dims, {"tokens"}, both_found);
  Names queries = words_named(r, dims, {"query_tokens"}, query_found),
        keys = words_named(r, dims, {"key_tokens"}, key_found);
  check_length(r, queries, query_found, dims.n_q, "query");
  check_length(r, keys, key_found, dims.n_k, "key");
  if (!both.empty()) {
    const auto count = static_cast<Index>(both.front().size());
    const bool fits_queries = count == dims.n_q, fits_keys = count == dims.n_k;
    if (!fits_queries && !fits_keys) check_length(r, both, both_found, dims.n_k, "key");
    if (fits_queries && queries.empty()) queries = both;
    if (fits_keys && keys.empty()) keys = both;
  }
  return {std::move(queries), std::move(keys)};
}

}  // namespace headlight
