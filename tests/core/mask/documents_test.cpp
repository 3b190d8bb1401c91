// Packed documents and valid lengths as numbers of the mask language.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/tensor/error.h"
#include "core/rules/mask/evaluate.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const Tensor ids = Tensor::of({1, 6}, {3, 3, 5, 5, 5, 3});

Tensor mask_of(const char* expression, const Tensor& docs = {}, const Tensor& lens = {}) {
  MaskContext context;
  context.batch = 2;
  context.n_q = context.n_k = 6;
  context.doc_ids = docs;
  context.valid_lens = lens;
  return evaluate(MaskExpression::parse(expression), context);
}

std::string failure(const char* expression, const Tensor& docs = {}) {
  try {
    (void)mask_of(expression, docs);
  } catch (const ExpressionError& error) { return error.sentence().english(); }
  return {};
}

}  // namespace

TEST_CASE("doc(q) == doc(k) separates documents, also a document in several parts") {
  const Tensor mask = mask_of("doc(q) == doc(k)", ids);
  for (Index q = 0; q < 6; ++q) {
    for (Index k = 0; k < 6; ++k) CHECK((mask.at({0, 0, q, k}) != 0) == (ids.at({0, q}) == ids.at({0, k})));
  }
}

TEST_CASE("place(k) counts within a document, so place(k) < 1 is each document's first token") {
  const Tensor mask = mask_of("doc(q) == doc(k) && (causal() || place(k) < 1)", ids);
  CHECK(mask.at({0, 0, 1, 0}) == 1);
  CHECK(mask.at({0, 0, 0, 1}) == 0);
  CHECK(mask.at({0, 0, 3, 2}) == 1);
  CHECK(mask.at({0, 0, 2, 3}) == 0);
  const Tensor own = places_in_documents(ids);
  CHECK(own.at({0, 5}) == 2);  // the third of document 3
  CHECK(own.at({0, 4}) == 2);
}

TEST_CASE("documents, lengths, painted cells and file masks hold where the last window has one key") {
  for (const Index n : {1, 2, 127, 128, 129, 2047, 2048, 2049, 2050}) {
    MaskContext context;
    context.n_q = context.n_k = n;
    Buffer of_token(static_cast<std::size_t>(n)), of_key(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      of_token[static_cast<std::size_t>(i)] = i >= n / 2 ? 1.0F : 0.0F;
      of_key[static_cast<std::size_t>(i)] = i % 3 == 0 || i + 1 == n ? 1.0F : 0.0F;
    }
    context.doc_ids = Tensor({1, n}, std::move(of_token));
    context.file_mask = context.painted = Tensor({1, n}, std::move(of_key));
    context.valid_lens = Tensor::full({1}, static_cast<float>(n - 1));
    const auto doc = [&](Index i) { return i >= n / 2 ? 1 : 0; };
    const auto place = [&](Index i) { return doc(i) == 0 ? i : i - n / 2; };
    const auto marked = [&](Index k) { return k % 3 == 0 || k + 1 == n; };
    const std::pair<const char*, std::function<bool(Index, Index)>> rules[] = {
        {"doc(q) == doc(k)", [&](Index q, Index k) { return doc(q) == doc(k); }},
        {"place(k) < 2 || place(q) == place(k)",
         [&](Index q, Index k) { return place(k) < 2 || place(q) == place(k); }},
        {"file()", [&](Index, Index k) { return marked(k); }},
        {"!painted() || q == k", [&](Index q, Index k) { return !marked(k) || q == k; }},
        {"padding() && causal()", [&](Index q, Index k) { return k < n - 1 && k <= q; }},
    };
    for (const auto& [expression, rule] : rules) {
      const MaskExpression parsed = MaskExpression::parse(expression);
      MaskReader reader(parsed, context);
      Index wrong = 0;
      for (const Index q : {Index{0}, n / 2, n - 1}) {
        for (Index first = 0; first < n; first += 2048) {  // the windows of evaluate()
          Buffer row(static_cast<std::size_t>(std::min<Index>(2048, n - first)));
          reader.read(0, 0, q, first, std::ssize(row), row.data());
          for (Index k = first; k < first + std::ssize(row); ++k)
            wrong += (row[static_cast<std::size_t>(k - first)] != 0) != rule(q, k);
        }
      }
      INFO(expression << " of " << n);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("documents may differ between batch entries") {
  const Tensor by_entry = Tensor::of({2, 6}, {0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1});
  const Tensor mask = mask_of("doc(q) == doc(k)", by_entry);
  CHECK(mask.size(0) == 2);
  CHECK(mask.at({0, 0, 1, 0}) == 1);
  CHECK(mask.at({1, 0, 1, 0}) == 0);
}

TEST_CASE("valid_len is a number of its own, without padding()") {
  const Tensor lens = Tensor::of({2}, {2, 5});
  const Tensor mask = mask_of("k < valid_len || q >= valid_len", {}, lens);
  CHECK(mask.at({0, 0, 0, 2}) == 0);
  CHECK(mask.at({1, 0, 0, 2}) == 1);
  CHECK(mask.at({0, 0, 3, 5}) == 1);
}

TEST_CASE("missing documents and lengths are named in the error, and doc() takes q or k") {
  CHECK(failure("doc(q) == doc(k)").find("--doc-ids") != std::string::npos);
  CHECK(failure("k < valid_len").find("valid_len has no valid lengths") != std::string::npos);
  CHECK(failure("doc(3) == doc(k)", ids).find("expected doc(q) or doc(k)") != std::string::npos);
  const Tensor short_ids = Tensor::of({1, 3}, {0, 0, 1});
  CHECK(failure("doc(q) == doc(k)", short_ids).find("[1, n] or [B, n]") != std::string::npos);
}

TEST_CASE("--doc-ids gives each token its document, for all batch entries or for each") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.batch_size = 2;
  scenario.queries = 4;
  scenario.doc_ids = {{0}, {0}, {1}, {1}};
  CHECK(resolve(scenario).doc_ids.shape() == Shape{1, 4});
  scenario.doc_ids = {{0, 0, 1, 1}, {0, 1, 1, 1}};
  CHECK(resolve(scenario).doc_ids.shape() == Shape{2, 4});
  scenario.doc_ids = {{0}, {0}, {1}};
  CHECK_THROWS_AS(resolve(scenario), SettingError);
  scenario.doc_ids = {{0}, {0}, {1}, {1}};
  scenario.keys = 7;
  CHECK_THROWS_AS(resolve(scenario), SettingError);
}

TEST_CASE("documents whose ids differ by one stay apart beyond 2^24") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "headlight_large_ids.safetensors";
  {
    const std::string header = R"({"x":{"dtype":"F32","shape":[1,3,1],"data_offsets":[0,12]},)"
                               R"("q_proj.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[12,16]},)"
                               R"("k_proj.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[16,20]},)"
                               R"("v_proj.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[20,24]},)"
                               R"("document_ids":{"dtype":"I64","shape":[3],"data_offsets":[24,48]}})";
    std::ofstream out(path, std::ios::binary);
    const auto write = [&](const auto& value) { out.write(reinterpret_cast<const char*>(&value), sizeof value); };
    write(static_cast<std::uint64_t>(header.size()));
    out << header;
    for (int i = 0; i < 6; ++i) write(0.5F);
    for (const std::int64_t id : {16777216, 16777217, 16777217}) write(id);
  }
  Scenario of_file;
  of_file.source = Source::file;
  of_file.file = path.string();
  of_file.heads = 1;
  const Inputs read = resolve(of_file);
  CHECK(read.doc_ids.at({0, 0}) != read.doc_ids.at({0, 1}));
  CHECK(read.doc_ids.at({0, 1}) == read.doc_ids.at({0, 2}));
  CHECK(std::ranges::any_of(read.assumptions, [](const Assumption& assumption) {
    return assumption.taken_for.english().find("16777216") != std::string::npos;
  }));
  std::filesystem::remove(path);
}
