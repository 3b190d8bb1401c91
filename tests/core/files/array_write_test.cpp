// Written arrays are read back unchanged, and their bytes follow the rules of NumPy's format.
#include "core/base/arrays/array_write.h"

#include <cmath>
#include <limits>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("arrays written to an .npz read back bit by bit") {
  const TempFolder folder;
  Buffer many(100'003);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<float>(i));
  const Tensor large({100'003}, many);
  const Tensor small = Tensor::of({2, 3}, {0, -0.0f, 1e-45f, inf, -inf, 3.4028235e38f});
  write_npz(folder / "a.npz", std::vector<NamedArray>{{"large", large},
                                                      {"small", small},
                                                      {"transposed", small.transpose(0, 1)},
                                                      {"mask", Tensor::of({3}, {0, 1, 7}), true},
                                                      {"rank_0", Tensor::of({}, {5})},
                                                      {"empty", Tensor({0, 4}, {})}});
  const auto file = open_arrays(folder / "a.npz");
  const auto same = [&](const char* name, const Tensor& expected) {
    const Tensor read = file->load(name);
    return read.shape() == expected.shape() &&
           std::equal(read.values().begin(), read.values().end(), expected.values().begin());
  };
  CHECK(same("large", large));
  CHECK(same("small", small));
  CHECK(std::signbit(file->load("small").at({0, 1})));
  CHECK(same("transposed", small.transpose(0, 1).contiguous()));
  CHECK(same("mask", Tensor::of({3}, {0, 1, 1})));
  CHECK(file->find("mask")->dtype == DType::boolean);
  CHECK(file->number("rank_0") == 5);
  CHECK(file->find("empty")->shape == Shape{0, 4});
}

TEST_CASE("an .npz says its array's axes as a text that NumPy reads") {
  const TempFolder folder;
  write_npz(folder / "a.npz", std::vector<NamedArray>{{"weights", Tensor::full({2, 3, 3}, 1), false, "H,q,k"}});
  const auto file = open_arrays(folder / "a.npz");
  REQUIRE(file->words("axes"));
  CHECK(file->words("axes")->words == std::vector<std::string>{"H,q,k"});
  CHECK(file->entries().front().name == "weights");
  CHECK(read_bytes(folder / "a.npz").find("{'descr': '<U5', 'fortran_order': False, 'shape': (), }") !=
        std::string::npos);
  write_json(folder / "a.json", std::vector<NamedArray>{{"weights", Tensor::full({1, 1}, 1), false, "q,k"}});
  CHECK(read_bytes(folder / "a.json").find(R"("axes": "q,k", "values")") != std::string::npos);
}

TEST_CASE("the same arrays give the same .npz, byte by byte") {
  const TempFolder folder;
  const std::vector<NamedArray> arrays = {{"x", Tensor::of({2}, {1, not_a_number})}};
  write_npz(folder / "a.npz", arrays);
  write_npz(folder / "b.npz", arrays);
  CHECK(read_bytes(folder / "a.npz") == read_bytes(folder / "b.npz"));
}

TEST_CASE("a .npy's numbers start at a multiple of 64") {
  const TempFolder folder;
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{1, 2, 3}, Shape{1000000, 0}}) {
    write_npy(folder / "a.npy", Tensor::full(shape, 2));
    const std::string bytes = read_bytes(folder / "a.npy");
    const std::size_t start = bytes.find('\n') + 1;
    CHECK(start % 64 == 0);
    CHECK(bytes.size() == start + 4 * static_cast<std::size_t>(element_count(shape)));
    CHECK(open_arrays(folder / "a.npy")->find("a")->shape == shape);
  }
  write_npy(folder / "one.npy", Tensor::of({3}, {1, 2, 3}));
  CHECK(read_bytes(folder / "one.npy").substr(10, 60) ==
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   ");
}

TEST_CASE("a .csv gives every float32 back exactly, nan and inf as NumPy spells them") {
  const TempFolder folder;
  const Tensor t = Tensor::of({2, 3}, {0.1f, -not_a_number, inf, -inf, 16777216, 1e-45f});
  write_csv(folder / "a.csv", t.matrix());
  CHECK(read_bytes(folder / "a.csv") == "0.1,nan,inf\n-inf,16777216,1e-45\n");
  write_csv(folder / "b.csv", t.transpose(0, 1).matrix());
  CHECK(read_bytes(folder / "b.csv") == "0.1,-inf\nnan,16777216\ninf,1e-45\n");
}

TEST_CASE("a file that cannot be written says why") {
  const TempFolder folder;
  const std::vector<NamedArray> arrays = {{"x", Tensor::of({1}, {1})}};
  CHECK_THROWS_AS(write_npz(folder / "no/a.npz", arrays), FileError);
  CHECK(has(sentence_of([&] { write_npz(folder / "no/a.npz", arrays); }),
            "a.npz: cannot be written: there is no folder"));
  CHECK(has(sentence_of([&] { write_npy(folder.path(), Tensor::of({1}, {1})); }), "cannot be written: it is a folder"));
}
