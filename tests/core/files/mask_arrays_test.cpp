#include <array>
#include <filesystem>
#include <fstream>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/image/png_image.h"
#include "core/base/tensor/error.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/matchers.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

fs::path written(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::temp_directory_path() / ("headlight_" + name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

fs::path picture(const std::string& name, const std::vector<std::vector<int>>& greys) {
  Image image(static_cast<int>(greys.front().size()), static_cast<int>(greys.size()));
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto grey = static_cast<std::uint8_t>(greys[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]);
      image.set(x, y, {grey, grey, grey, 255});
    }
  }
  const std::vector<std::uint8_t> png = encode_png(image);
  return written(name, std::string(png.begin(), png.end()));
}

Scenario random_with(const fs::path& mask, Index queries, Index keys) {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.queries = queries;
  scenario.keys = keys;
  scenario.batch_size = 2;
  scenario.mask_file = mask.string();
  return scenario;
}

}  // namespace

TEST_CASE("a pixel of a mask that is nearer to white than to black is true") {
  const auto file = open_mask_arrays(picture("mask.png", {{255, 0, 200}, {10, 127, 128}}));
  CHECK_THAT(file->load("mask"), agrees_with(Tensor::of({2, 3}, {1, 0, 1, 0, 0, 1})));
  CHECK(file->find("mask")->dtype == DType::boolean);
}

TEST_CASE("the cells of a table are numbers or words separated by commas, semicolons or blanks") {
  const Tensor expected = Tensor::of({2, 3}, {1, 0, 1, 0, 0, 1});
  for (const char* text : {"1,0,1\n0,0,1\n", "true;False;true\r\n0;0;TRUE", "1 0 1\n\n0 0\t1\n\n",
                           "\xEF\xBB\xBF"
                           "1.0, 0, +1\n 0, 0 ,1e0"}) {
    CAPTURE(text);
    CHECK_THAT(open_mask_arrays(written("mask.csv", text))->load("mask"), agrees_with(expected));
  }
}

TEST_CASE("a faulty mask file is refused with the line") {
  const auto sentence = [](const char* name, const char* bytes) -> std::string {
    try {
      open_mask_arrays(written(name, bytes));
    } catch (const FileError& error) { return error.what(); }
    return "";
  };
  CHECK(sentence("mask.csv", "1,0\n1,maybe\n").find("line 2: \"maybe\" is no number; expected 0, 1") !=
        std::string::npos);
  CHECK(sentence("mask.csv", "1,0\n1\n").find("line 2: holds 1 cells; expected 2") != std::string::npos);
  CHECK(sentence("mask.csv", "\n\n").find("holds no numbers") != std::string::npos);
  CHECK(sentence("mask.png", "\x89PNG but no more").find("PNG") != std::string::npos);
  CHECK(sentence("mask.npy", "nothing of the kind").find("mask.npy") != std::string::npos);
  CHECK_THROWS_AS(open_mask_arrays("no/such/mask.png"), FileError);
}

TEST_CASE("a mask file is file() in expressions, with the polarity that is set") {
  Scenario scenario = random_with(picture("mask.png", {{255, 0, 255}, {0, 0, 255}}), 2, 3);
  CHECK_THAT(resolve(scenario).file_mask, agrees_with(Tensor::of({1, 1, 2, 3}, {1, 0, 1, 0, 0, 1})));
  scenario.mask_polarity = MaskPolarity::ignore;
  CHECK_THAT(resolve(scenario).file_mask, agrees_with(Tensor::of({1, 1, 2, 3}, {0, 1, 0, 1, 1, 0})));
}

TEST_CASE("a mask file is broadcast by its shape, and a wrong shape is named") {
  const fs::path path = fs::temp_directory_path() / "headlight_mask.npz";
  write_npz(path, std::array{NamedArray{"key_padding_mask", Tensor::of({2, 3}, {0, 0, 1, 0, 1, 1}), true}});
  CHECK_THAT(resolve(random_with(path, 4, 3)).file_mask, agrees_with(Tensor::of({2, 1, 1, 3}, {1, 1, 0, 1, 0, 0})));
  write_npz(path, std::array{NamedArray{"anything", Tensor::full({4, 3}, 1), true}});
  CHECK(resolve(random_with(path, 4, 3)).file_mask.shape() == Shape{1, 1, 4, 3});
  try {
    resolve(random_with(path, 5, 3));
    FAIL("a mask of 4 × 3 was accepted for 5 × 3 cells");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()).find("[n_q, n_k] = [5, 3]") != std::string::npos);
  }
}

TEST_CASE("a mask file that did not change gives the same tensor") {
  const Scenario scenario = random_with(picture("mask.png", {{255, 0}, {0, 255}}), 2, 2);
  const Inputs first = resolve(scenario);
  const Inputs again = resolve(scenario, &scenario, &first);
  CHECK(again.mask_file == first.mask_file);
  CHECK(identical(again.file_mask, first.file_mask));
}

TEST_CASE(
    "packed sequences: where documents begin, or an id for each token, let tokens of one document see each other") {
  const fs::path path = fs::temp_directory_path() / "headlight_documents.npz";
  const Tensor x = Tensor::full({1, 5, 4}, 0.5f), w = Tensor::full({4, 4}, 0.25f);
  const auto mask_with = [&](const char* name, const Tensor& documents) {
    write_npz(path, std::array{NamedArray{"x", x}, NamedArray{"q_proj.weight", w}, NamedArray{"k_proj.weight", w},
                               NamedArray{"v_proj.weight", w}, NamedArray{name, documents}});
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = path.string();
    scenario.heads = 1;
    const Inputs inputs = resolve(scenario);
    CHECK_FALSE(inputs.file_mask.defined());  // a rule, whatever the length
    return build_mask(mask_rule(scenario, inputs));
  };
  const Tensor expected =
      Tensor({1, 1, 5, 5}, {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1});
  CHECK_THAT(mask_with("cu_seqlens", Tensor::of({3}, {0, 2, 5})), agrees_with(expected));
  CHECK_THAT(mask_with("document_ids", Tensor::of({5}, {7, 7, 3, 3, 3})), agrees_with(expected));
  CHECK_THAT(mask_with("doc_ids", Tensor::of({1, 5}, {0, 0, 1, 1, 1})), agrees_with(expected));
  CHECK_THROWS_AS(mask_with("cu_seqlens", Tensor::of({3}, {0, 2, 4})), InputError);
  CHECK_THROWS_AS(mask_with("document_ids", Tensor::of({4}, {0, 0, 1, 1})), InputError);
  fs::remove(path);
}
