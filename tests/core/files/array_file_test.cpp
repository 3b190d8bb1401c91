// Arrays in each of the four formats are read as they were saved.
#include "core/base/arrays/array_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/arrays/array_write.h"
#include "core/base/files/byte_reader.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;
using headlight::samples::zip;  // rather than libzip's struct zip, which byte_reader.h names

namespace {

/// Whether shapes and bits are equal; all NaNs count as equal.
bool same(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return false;
  const auto x = a.values(), y = b.values();
  return std::equal(x.begin(), x.end(), y.begin(), [](float p, float q) { return p == q || (p != p && q != q); });
}

void check_same_arrays(const std::string& name, const std::string& expected_name) {
  const auto file = open_arrays(fixture(name));
  const auto expected = open_arrays(fixture(expected_name));
  INFO(name);
  CHECK(file->entries().size() == expected->entries().size());
  for (const ArrayEntry& entry : expected->entries()) {
    INFO(entry.name);
    REQUIRE(file->find(entry.name) != nullptr);
    CHECK(file->find(entry.name)->shape == entry.shape);
    CHECK(same(file->load(entry.name), expected->load(entry.name)));
  }
}

}  // namespace

TEST_CASE("every element type of NumPy arrives as the same numbers") {
  const auto file = open_arrays(fixture("array_types.npz"));
  for (const char* name :
       {"f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "big_f4", "big_f8", "big_i4"}) {
    INFO(name);
    CHECK(same(file->load(name), Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5})));
  }
  CHECK(same(file->load("b1"), Tensor::of({2, 3}, {0, 1, 0, 1, 0, 1})));
  CHECK(file->find("b1")->dtype == DType::boolean);
  CHECK(file->find("f2")->dtype == DType::f16);
  CHECK(file->load("empty").shape() == Shape{0, 3});
}

TEST_CASE("a Fortran-ordered array arrives in row-major order") {
  const Tensor t = open_arrays(fixture("array_types.npz"))->load("fortran");
  REQUIRE(t.shape() == Shape{2, 3, 4});
  CHECK(t.is_contiguous());
  CHECK(t.at({1, 2, 3}) == 23);
  CHECK(t.at({1, 0, 2}) == 14);
}

TEST_CASE("text in an .npz is skipped, and refused as text when it is asked for") {
  const auto file = open_arrays(fixture("array_types.npz"));
  REQUIRE(file->skipped().size() == 1);
  CHECK(file->skipped()[0].name == "tokens");
  CHECK(file->find("tokens") == nullptr);
  CHECK(has(sentence_of([&] { file->load("tokens"); }), "array \"tokens\": its elements are text (<U3)"));
  CHECK(has(sentence_of([&] { file->load("nothing"); }), "holds no array named \"nothing\"; expected one of \"f2\""));
}

TEST_CASE("None in an .npz is ignored, and plain values that numpy.savez pickled are read as in a .pt") {
  using namespace std::string_view_literals;
  const TempFolder folder;
  const auto pickled_array =
      [](const std::string& value) {  // the bytes that numpy.savez writes for an array of one object
        constexpr std::string_view before =
            "\x80\x03\x63numpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85\x43\x01\x62\x87R(K\x01)"
            "cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R\x89]"sv;
        return std::string(before) + value + "atb.";
      };
  const std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': ()}";
  const std::string one = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", ones(1));
  write_text(folder / "a.npz", zip({{"x.npy", one},
                                    {"attn_mask.npy", npy(header, pickled_array("N"))},
                                    {"config.npy", npy(header, pickled_array(pickled_dict(pickled_integer(4))))},
                                    {"code.npy", npy(header,
                                                     "\x80\x02"
                                                     "cos\nsystem\n.")}}));
  const auto file = open_arrays(folder / "a.npz");
  CHECK(file->entries().size() == 1);
  CHECK(file->number("config.x") == 4);
  CHECK_FALSE(file->number("attn_mask").has_value());
  REQUIRE(file->skipped().size() == 1);
  CHECK(has(sentence_of([&] { file->load("code"); }), "pickled Python objects, which are never run"));
}

TEST_CASE("a whole module in a .pt is read by the names of its state_dict, with its settings") {
  const TempFolder folder;
  const auto item = [](const char* name, const std::string& value) { return pickled_string(name) + value + "s"; };
  const std::string state = "}" + item("_parameters", pickled_dict(pickled({}))) + item("_modules", "}") +
                            item("num_heads", pickled_integer(4)) + item("training", "\x88");
  const std::string module = "ctorch.nn.modules.activation\nMultiheadAttention\n)\x81" + state + "b";
  const std::string linear = "ctorch.nn.modules.linear\nLinear\n)\x81" + state + "b";
  write_text(folder / "a.pt", torch_zip("}" + item("attn", module) + item("out", linear)));
  const auto file = open_arrays(folder / "a.pt");
  CHECK(same(file->load("attn.x"), Tensor::of({4}, {1, 1, 1, 1})));
  CHECK(file->number("attn.num_heads") == 4);
  CHECK_FALSE(file->number("attn.training").has_value());
  CHECK_FALSE(file->number("out.num_heads").has_value());
  CHECK(open_arrays(fixture("torch_whole_module.pt"))->find("weight")->shape == Shape{2, 2});
}

TEST_CASE("an .npz with a zip64 directory opens") {
  CHECK(same(open_arrays(fixture("array_zip64.npz"))->load("x"), Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5})));
}

TEST_CASE("all versions of NumPy's header are read, in any order of its fields") {
  const TempFolder folder;
  for (const char version : {'\x01', '\x02', '\x03'}) {
    write_text(folder / "a.npy", npy(R"({"shape": (2L,), "descr": "<f4", "fortran_order": False})", ones(2), version));
    const auto file = open_arrays(folder / "a.npy");
    CHECK(same(file->load("a"), Tensor::of({2}, {1, 1})));
  }
}

TEST_CASE("float64 is rounded to float32, but a single number keeps its digits") {
  const TempFolder folder;
  double value = 0.1;
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  write_text(folder / "x.npy", npy("{'descr': '=f8', 'fortran_order': False, 'shape': (1, 1)}", bytes));
  const auto file = open_arrays(folder / "x.npy");
  CHECK(file->load("x").at({0, 0}) == 0.1f);
  CHECK(file->number("x") == 0.1);
}

TEST_CASE("a .safetensors holds the same arrays as its .npz, and numbers as metadata") {
  const auto file = open_arrays(fixture("torch_mha.input.safetensors"));
  const auto expected = open_arrays(fixture("torch_mha.input.npz"));
  for (const ArrayEntry& entry : file->entries()) CHECK(same(file->load(entry.name), expected->load(entry.name)));
  CHECK(file->entries().size() == 5);
  CHECK(file->number("num_heads") == 4);
  CHECK(expected->number("num_heads") == 4);
  CHECK_FALSE(file->number("x").has_value());
  CHECK_FALSE(file->number("nothing").has_value());
}

TEST_CASE("float16 and bfloat16 arrive as the numbers they stand for") {
  check_same_arrays("array_halves.safetensors", "array_halves.npz");
  const auto file = open_arrays(fixture("array_halves.safetensors"));
  CHECK(std::isinf(file->load("half").at({1, 1})));
  CHECK(file->find("brain")->dtype == DType::bf16);
  CHECK(file->texts().at("who") == "me");
  CHECK_FALSE(file->number("who").has_value());
}

TEST_CASE("a .pt made by PyTorch holds the same arrays as its .npz") {
  check_same_arrays("torch_mha.input.pt", "torch_mha.input.npz");
}

TEST_CASE("shared, strided, offset and expanded storages of a .pt arrive as PyTorch sees them") {
  check_same_arrays("torch_views.pt", "torch_views.npz");
  check_same_arrays("torch_views_protocol4.pt", "torch_views.npz");
}

TEST_CASE("NumPy's arrays and numbers in a .pt are read without running anything") {
  const auto wanted = open_arrays(fixture("torch_numpy.npz"));
  for (const char* name : {"torch_numpy.pt", "torch_numpy_protocol4.pt"}) {
    CAPTURE(name);
    const auto file = open_arrays(fixture(name));
    for (const ArrayEntry& entry : wanted->entries()) {
      CAPTURE(entry.name);
      REQUIRE(file->find(entry.name));
      CHECK(file->find(entry.name)->dtype == entry.dtype);
      const Tensor got = file->load(entry.name), right = wanted->load(entry.name);
      CHECK(got.shape() == right.shape());
      CHECK(std::ranges::equal(got.contiguous().values(), right.contiguous().values()));
    }
    CHECK(file->number("num_heads") == 2);
    CHECK(file->number("mask_fill") == -1e9);
    CHECK(file->find("tensor"));
    CHECK_FALSE(file->find("names"));
    CHECK(std::ranges::any_of(file->skipped(), [](const SkippedArray& each) { return each.name == "objects"; }));
  }
}

TEST_CASE("numbers and strings of a .pt dictionary are found beside its tensors") {
  const auto file = open_arrays(fixture("torch_views.pt"));
  CHECK(file->number("num_heads") == 2);
  CHECK(file->number("mask_fill") == -1e9);
  CHECK(file->number("causal") == 1);
  CHECK(file->number("rank_0") == 7);
  CHECK(file->number("size.1") == 6);
  CHECK(file->texts().at("name") == "small");
  CHECK_FALSE(file->number("nothing").has_value());
  CHECK(file->numbers().count("model._metadata") == 0);
}

TEST_CASE("a .pt opens with values of Python's own library beside its tensors, which are not used") {
  using namespace samples;
  const TempFolder folder;
  const auto opened = [&](const std::string& pickle) {
    write_text(folder / "a.pt", torch_zip(pickle));
    return open_arrays(folder / "a.pt");
  };
  const std::string tensor = pickled_string("x") + pickled({}) + "s";
  const std::string values[] = {"cdatetime\ndatetime\n(C\x02\x07\xe8tR",
                                "c__builtin__\nset\n](K\x01K\x02"
                                "e\x85R",
                                "cbuiltins\ncomplex\n(K\x01K\x02tR",
                                "c__builtin__\nxrange\n(K\x02K\x03K\x01tR",
                                "ccollections\ndeque\n)R(K\x01K\x02"
                                "e",
                                "c_codecs\nencode\n(" + pickled_string("abc") + pickled_string("latin1") + "tR"};
  for (const std::string& value : values) {
    CAPTURE(value);
    const auto file = opened("}" + pickled_string("meta") + value + "s" + tensor);
    CHECK(file->find("x"));
    CHECK(file->entries().size() == 1);
  }
  const auto dict = opened("}" + pickled_string("settings") + "ccollections\ndefaultdict\n(c__builtin__\nlist\ntR" +
                           pickled_string("num_heads") + "K\x04s" + "s" + tensor);
  CHECK(dict->number("settings.num_heads") == 4);
}

TEST_CASE("a value under a key that is no string is skipped, and its file opens") {
  using namespace samples;
  const TempFolder folder;
  for (const std::string& key : {std::string("N"), std::string("\x88"), std::string("K\x01K\x02\x86"),
                                 std::string("G\x3f\xe0\0\0\0\0\0\0", 9)}) {
    write_text(folder / "a.pt", torch_zip("}" + key + "K\x05s" + pickled_string("x") + pickled({}) + "s"));
    CHECK(open_arrays(folder / "a.pt")->find("x"));
  }
}

TEST_CASE("a sparse or quantised tensor in a .pt is listed as skipped, and one of a subclass is read") {
  using namespace samples;
  const TempFolder folder;
  const std::string sparse = "ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n" +
                             pickled_string("torch.sparse_coo") + "\x85R(" + pickled({}) + pickled({}) +
                             pickled_tuple({4, 4}) + "ttR";
  // The arguments of the function are those of pickled(), without the name before them and the call after.
  std::string arguments = pickled({});
  arguments = arguments.substr(arguments.find("2\n") + 2, arguments.size() - arguments.find("2\n") - 3);
  const std::string of_class =
      "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nc__main__\nSub\n" + arguments + "}tR";
  write_text(folder / "a.pt",
             torch_zip("}" + pickled_string("sparse") + sparse + "s" + pickled_string("x") + of_class + "s"));
  const auto file = open_arrays(folder / "a.pt");
  REQUIRE(file->skipped().size() == 1);
  CHECK(file->skipped()[0].name == "sparse");
  CHECK(file->load("x").shape() == Shape{4});
}

TEST_CASE("files that torch.save wrote before PyTorch 1.6 open") {
  const auto file = open_arrays(fixture("torch_legacy.pt"));
  REQUIRE(file->find("x") != nullptr);
  CHECK(same(file->load("x"), open_arrays(fixture("torch_views.npz"))->load("base")));
}

TEST_CASE("a state dict and a bare tensor saved by torch.save open") {
  const auto state = open_arrays(fixture("torch_state_dict.pth"));
  CHECK(state->find("in_proj_weight")->shape == Shape{24, 8});
  CHECK(state->find("out_proj.bias")->shape == Shape{8});
  const auto tensor = open_arrays(fixture("torch_tensor.pt"));
  REQUIRE(tensor->find("torch_tensor") != nullptr);
  CHECK(same(tensor->load("torch_tensor"), open_arrays(fixture("torch_views.npz"))->load("base")));
}

TEST_CASE("a .pt opens whatever its folder inside the archive is called") {
  const TempFolder folder;
  const std::string pickle = "\x80\x02" + pickled_dict(pickled({.shape = {2, 2}, .strides = {2, 1}})) + ".";
  for (const std::string prefix : {"archive/", "any name/", ""}) {
    write_text(folder / "a.bin",
               zip({{prefix + "data/0", ones(4)}, {prefix + "byteorder", "little"}, {prefix + "data.pkl", pickle}}));
    CHECK(same(open_arrays(folder / "a.bin")->load("x"), Tensor::full({2, 2}, 1)));
  }
}

TEST_CASE("a file is recognised by its content, not by its name") {
  const TempFolder folder;
  write_text(folder / "a.txt", read_bytes(fixture("torch_mha.input.npz")));
  write_text(folder / "b.npz", read_bytes(fixture("array_halves.safetensors")));
  write_text(folder / "c.npz", read_bytes(fixture("torch_views.pt")));
  CHECK(open_arrays(folder / "a.txt")->find("x") != nullptr);
  CHECK(open_arrays(folder / "b.npz")->find("half") != nullptr);
  CHECK(open_arrays(folder / "c.npz")->find("model.out_proj.weight") != nullptr);
}

TEST_CASE("one array of a file far larger than memory can be read") {
  const TempFolder folder;
  const std::uint64_t big = std::uint64_t{1} << 40;  // a hole in the file takes no room on the disk
  const std::string header = R"({"big": {"dtype": "U8", "shape": [1099511627776], "data_offsets": [0, 1099511627776]},)"
                             R"("x": {"dtype": "F32", "shape": [2], "data_offsets": [1099511627776, 1099511627784]}})";
  const std::string front = safetensors(header, "");
  write_text(folder / "a.safetensors", front);
  std::error_code error;
  std::filesystem::resize_file(folder / "a.safetensors", front.size() + big + 8, error);
  if (error) return;  // this file system has no sparse files
  CHECK(same(open_arrays(folder / "a.safetensors")->load("x"), Tensor::of({2}, {0, 0})));
}

TEST_CASE(
    "a file read in stretches by several threads holds the same numbers, and one that shrank meanwhile says what is "
    "missing") {
  const TempFolder folder;
  Buffer many(3'000'017), read(many.size());
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  write_npy(folder / "a.npy", Tensor({3'000'017}, many));
  const std::uint64_t size = std::filesystem::file_size(folder / "a.npy"), header = size - many.size() * sizeof(float);
  const ErrorPlace place{"a.npy", ""};
  const auto open = [&] { return std::make_shared<const OpenFile>(folder / "a.npy", place); };
  FileReader(open(), header, place).read(std::as_writable_bytes(std::span(read)));
  CHECK(read == many);
  FileReader shrinks(open(), header, place);
  std::filesystem::resize_file(folder / "a.npy", size - 4096);
  CHECK(has(sentence_of([&] { shrinks.read(std::as_writable_bytes(std::span(read))); }),
            "a.npy: ends early: 4096 bytes of 12.0 MB are missing"));
}

TEST_CASE("every fixture opens and loads") {
  int opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) {
    if (entry.path().extension() != ".npz") continue;
    const auto file = open_arrays(entry.path());
    for (const ArrayEntry& array : file->entries()) CHECK(file->load(array.name).shape() == array.shape);
    ++opened;
  }
  CHECK(opened >= 28);
}

TEST_CASE("a tuple of attention and tokens, and an output of an unknown class, are read by their content") {
  const auto pair = open_arrays(fixture("torch_pair.pt"));
  REQUIRE(pair->entries().size() == 2);
  CHECK(pair->find("attentions.1"));
  CHECK(pair->words("tokens")->words == std::vector<std::string>{"the", "cat", "sat", "down"});
  const auto output = open_arrays(fixture("torch_output.pt"));
  REQUIRE(output->find("attentions.0"));
  CHECK(output->find("last_hidden_state"));
  CHECK(output->load("attentions.0").shape() == Shape{1, 1, 4, 4});
}
