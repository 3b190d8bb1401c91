// Files whose arrays can be read but give no attention are refused soon, in one sentence.
#include <bit>
#include <chrono>
#include <limits>
#include <map>

#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

std::string array(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float v : values) bytes += little_endian(std::bit_cast<std::uint32_t>(v), 4);
  return bytes;
}

/// The error for a file of two heads over x [1, 4, 8] in which `others` replace or join its arrays.
std::string refused(const std::map<std::string, std::string>& others) {
  std::map<std::string, std::string> arrays = others;
  arrays.emplace("x", array("<f4", "(1, 4, 8)", ones(32)));
  arrays.emplace("num_heads", array("<f4", "()", floats({2})));
  for (const char* name : {"W_q", "W_k", "W_v", "W_o"})
    arrays.emplace(std::string(name) + ".weight", array("<f4", "(8, 8)", ones(64)));
  std::vector<ZipItem> items;
  for (const auto& [name, bytes] : arrays) items.push_back({name + ".npy", bytes});
  const TempFolder folder;
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = (folder / "a.npz").string();
  write_text(folder / "a.npz", zip(items));
  const auto start = std::chrono::steady_clock::now();
  std::string sentence = sentence_of([&] { resolve(scenario); });
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
        60);  // enough for a busy machine and for sanitizers
  CHECK_FALSE(has(sentence, "\n"));
  return sentence;
}

}  // namespace

TEST_CASE("an array of a known name that cannot be read is refused, not ignored") {
  CHECK(refused({}) == "no error");
  CHECK(has(refused({{"x", array("<c16", "(2, 8)", std::string(256, '\0'))}}),
            R"(array "x": its elements are complex numbers (<c16))"));
  CHECK(has(refused({{"x", array("<f16", "(2, 8)", std::string(256, '\0'))}}), "long doubles"));
  CHECK(has(refused({{"x", array("<M8[s]", "(2, 8)", std::string(128, '\0'))}}), "times"));
  CHECK(
      has(refused({{"mask", array("<U1", "(4, 4)", std::string(64, 'a'))}}), R"(array "mask": its elements are text)"));
  CHECK(has(refused({{"attn_mask", array("|O", "(4, 4)", "\x80\x04N.")}}), "never run"));
  const std::string no = std::string("n\0\0\0o\0\0\0", 8);
  CHECK(refused({{"batch_first", array("<U2", "()", no)}}) == "no error");  // a text of digits is read as a number
  CHECK(has(refused({{"num_heads", array("<U3", "()", std::string(12, 'a'))}}),
            R"(array "num_heads": its elements are text)"));
  CHECK(has(refused({{"W_k.weight", array("<c8", "(8, 8)", std::string(512, '\0'))}}),
            R"(array "W_k.weight": its elements are complex)"));
  CHECK(has(refused({{"W_k.bias", array("<c8", "(8,)", std::string(64, '\0'))}}),
            R"(array "W_k.bias": its elements are complex)"));
}

TEST_CASE("a number of heads that is not one integer dividing the width is refused") {
  const auto heads = [](float value) { return array("<f4", "()", floats({value})); };
  for (const float wrong : {0.0F, -1.0F, 1.5F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(has(refused({{"num_heads", heads(wrong)}}), "expected a whole number, 1 or more"));
  }
  CHECK(has(refused({{"num_heads", heads(3)}}), R"("num_heads" is 3, which does not divide d_model 8)"));
  CHECK(has(refused({{"num_heads", array("<f4", "(2,)", floats({2, 4}))}}),
            R"("num_heads" has shape [2]; expected one number)"));
  CHECK(has(refused({{"mask_fill", array("<f4", "(2,)", floats({-1, -2}))}}), "expected one number"));
  CHECK(has(refused({{"num_kv_heads", heads(0)}}), "expected a whole number"));
  CHECK(has(refused({{"num_heads", heads(4)}, {"num_kv_heads", heads(3)}}), "does not make 3 key/value heads"));
}

TEST_CASE("inputs and weights of another rank, without elements or of another width are refused with their shape") {
  const auto shaped = [](const std::string& shape, std::size_t count) { return array("<f4", shape, ones(count)); };
  CHECK(has(refused({{"x", shaped("()", 1)}}), R"("x" has shape [])"));
  CHECK(has(refused({{"x", shaped("(1, 1, 4, 8)", 32)}}), R"("x" has shape [1, 1, 4, 8])"));
  CHECK(has(refused({{"x", shaped("(0, 8)", 0)}}), R"("x" has shape [0, 8])"));
  CHECK(has(refused({{"x", shaped("(1, 0, 8)", 0)}}), R"("x" has shape [1, 0, 8])"));
  CHECK(has(refused({{"W_q.weight", shaped("()", 1)}}), R"("W_q.weight" has shape [])"));
  CHECK(has(refused({{"W_q.weight", shaped("(0, 8)", 0)}}), "expected no empty axis"));
  CHECK(has(refused({{"W_q.weight", shaped("(8, 7)", 56)}}), "expected [B, n, 7]"));
  CHECK(has(refused({{"W_q.bias", shaped("(7,)", 7)}}), R"("W_q.bias" has shape [7])"));
  CHECK(has(refused({{"mask", shaped("(3, 5)", 15)}}), R"("mask" has shape [3, 5])"));
  CHECK(has(refused({{"mask", shaped("(0, 4)", 0)}}), R"("mask" has shape [0, 4])"));
  CHECK(has(refused({{"valid_lens", shaped("(3,)", 3)}}), R"("valid_lens" has shape [3])"));
}

TEST_CASE("parameters that are not finite, and masks and lengths of other kinds, are refused") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const auto eight = [](float value) { return array("<f4", "(8,)", floats({1, 2, 3, 4, 5, 6, 7, value})); };
  CHECK(has(refused({{"W_q.bias", eight(nan)}}), R"("W_q.bias" holds NaN or inf (1 of its 8 numbers))"));
  CHECK(has(refused({{"W_o.bias", eight(-infinity)}}), R"("W_o.bias" holds NaN or inf)"));
  const auto four = [](float value) { return array("<f4", "(1, 4)", floats({0, 1, 1, value})); };
  CHECK(has(refused({{"mask", four(7)}}), R"("mask" holds 7; expected 0 and 1)"));
  CHECK(has(refused({{"mask", four(nan)}}), "expected 0 and 1"));
  CHECK(has(refused({{"attn_bias", four(nan)}}), "additive mask holds NaN"));
  CHECK(has(refused({{"mask_fill", array("<f4", "()", floats({nan}))}}), R"("mask_fill" is nan)"));
  for (const float wrong : {-1.0F, 1.5F, nan}) {
    CHECK(has(refused({{"valid_lens", array("<f4", "(1,)", floats({wrong}))}}), "a number that is no length"));
  }
}

TEST_CASE("a scenario that is no JSON is refused in one sentence without its bytes") {
  const auto sentence = [](const std::string& text) { return sentence_of([&] { parse_scenario(text, "a.json"); }); };
  CHECK(sentence("\xff\xfe{") == "a.json: is not JSON: it is not UTF-8 text; expected a scenario as JSON");
  CHECK(has(sentence(R"({"heads": 1e400})"), "a.json: is not JSON: number overflow"));
  CHECK(has(sentence(std::string(100'000, '[')), "a.json: is nested more than 128 deep"));
}
