// Every bad file ends in one sentence that names the trouble, soon, and without eating the memory.
#include <chrono>
#include <limits>

#include "core/files/array_file.h"
#include "core/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

struct BadFile {
  std::string name;
  std::string bytes;
  std::string says;
};

void open_and_load(const std::filesystem::path& path) {
  const auto file = open_arrays(path);
  for (const ArrayEntry& entry : file->entries()) file->load(entry.name);
}

void check(const std::vector<BadFile>& files) {
  const TempFolder folder;
  for (const BadFile& file : files) {
    const std::filesystem::path path = folder / file.name;
    write_text(path, file.bytes);
    const auto start = std::chrono::steady_clock::now();
    const std::string sentence = sentence_of([&] { open_and_load(path); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    INFO(file.name << " should say: " << file.says << "\nsays: " << sentence);
    CHECK(sentence.starts_with(path.string() + ": "));
    CHECK(has(sentence, file.says));
    CHECK(sentence.find('\n') == std::string::npos);
    CHECK(seconds.count() < 2);
  }
}

const std::string png = "\x89PNG\r\n\x1a\n" + std::string(64, '\0');
const std::string good_header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";

std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
}

std::string cut(const std::string& bytes, std::size_t length) {
  return bytes.substr(0, length);
}

std::string tensor_header(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a file that is something else is called what it is") {
  check({
      {"empty.npz", "", "empty (0 bytes); expected an .npz"},
      {"empty.pt", "", "empty (0 bytes)"},
      {"png.npz", png, R"(not a ZIP archive (starts with "\x89PNG", a PNG picture); expected an .npz as numpy.savez)"},
      {"png.safetensors", png, "not a safetensors file (starts with \"\\x89PNG\", a PNG picture)"},
      {"png.pt", png, "not a ZIP archive"},
      {"text.npy", "1,2,3\n", R"(not a NumPy array (starts with "1,2,3\x0a"))"},
      {"page.pt", "<!DOCTYPE html><title>404</title>", "a web page"},
      {"lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"},
      {"packed.npz", "\x1f\x8b\x08", "a gzip archive"},
      {"plain.txt", "hello", "expected an .npz, .npy, .safetensors or .pt file"},
      {"pickle.pt", "\x80\x04N.", "a pickle"},
      {"legacy.pt", read_bytes(fixture("torch_legacy.pt")), "before 1.6"},
      {"tar.pt", std::string(257, '\0') + "ustar" + std::string(250, '\0'), "before 1.6"},
      {"module.pt", read_bytes(fixture("torch_whole_module.pt")), "torch.nn.modules.linear.Linear"},
      {"other.npz", zip({{"readme.txt", "hello"}}), "a ZIP archive without any .npy in it"},
      {"nothing.npz", zip({}), "an empty ZIP archive"},
  });
  const TempFolder folder;
  CHECK(has(sentence_of([&] { open_arrays(folder / "a.npz"); }), "a.npz: no such file"));
  CHECK(has(sentence_of([&] { open_arrays(folder.path()); }), "a folder"));
}

TEST_CASE("an .npz that is cut short or damaged is refused") {
  const std::string good = npz(good_header, ones(4));
  const ZipItem x{"x.npy", npy(good_header, ones(4))};
  const std::string zeros = npy(header("'|u1'", "(268435456,)"), "");
  const std::size_t lied = 1000;
  std::vector<BadFile> files = {
      {"twice.npz", zip({x, x}), R"(holds two arrays named "x")"},
      {"checksum.npz", zip({{"x.npy", x.bytes, 0, -1, -1, 1}}), "is damaged"},
      {"method.npz", zip({{"x.npy", x.bytes, 98}}), "cannot be unpacked"},
      {"claims.npz", zip({{"x.npy", x.bytes, 0, 0x7fffffff, 0x7fffffff}}), "claims 2.1 GB in a file of"},
      {"claims_packed.npz", zip({{"x.npy", x.bytes, 8, 1000, 0x7fffffff}}), "claims 2.1 GB in a file of"},
      {"past_end.npz", zip({{"x.npy", x.bytes, 0, -1, -1, -1, 0x7fffff00}}), "cannot be unpacked"},
      {"bomb.npz", zip({{"x.npy", deflated_zeros(50'000'000), 8, 50'000'000}}), "as a zip bomb does"},
      {"deflate.npz", zip({{"x.npy", std::string(200, '\x37'), 8, 1000}}), "is damaged"},
      {"short.npz", zip({{"x.npy", deflated_zeros(lied - 500), 8, lied}}), ""},
      {"huge_name.npz", zip({{std::string(60'000, 'n') + ".npy", "?"}}), "ends inside its header"},
  };
  for (std::size_t length : {std::size_t{4}, std::size_t{29}, std::size_t{60}, good.size() / 2, good.size() - 80,
                             good.size() - 23, good.size() - 10, good.size() - 1}) {
    files.push_back({"cut" + std::to_string(length) + ".npz", cut(good, length), "cut short or damaged"});
  }
  check(files);
}

TEST_CASE("a .npy whose header lies is refused") {
  const std::string data = ones(4);
  check({
      {"magic.npz", zip({{"x.npy", "\x93NUMBY\x01" + std::string(100, '\0')}}),
       R"(array "x": is not in NumPy's format)"},
      {"version.npz", zip({{"x.npy", npy(good_header, data, 9)}}), "version 9"},
      {"tiny.npz", zip({{"x.npy", "\x93NUM"}}), "ends inside its header"},
      {"cut_header.npz", zip({{"x.npy", cut(npy(good_header, data), 40)}}), "says its header has 60 bytes"},
      {"cut.npy", cut(npy(good_header, data), 78), "needs 16 bytes, but 8 bytes follow"},
      {"cut_length.npy", cut(npy(good_header, data), 9), "ends inside its header"},
      {"long_header.npy", npy(std::string(70'000, ' ') + good_header, data, 2),
       "its header has 70.1 kB; expected at most"},
      {"not_a_dict.npz", npz("[1, 2]", data), "its header is damaged at byte 0"},
      {"endless.npz", npz("{'descr': '<f4", data), "ends inside a string"},
      {"unclosed.npz", npz("{'descr': '<f4', ", data), "its header is damaged"},
      {"after.npz", npz(good_header + "{}", data), "goes on after"},
      {"unknown.npz", npz("{'run': 'os.system'}", data), R"(unknown field "run")"},
      {"no_shape.npz", npz("{'descr': '<f4', 'fortran_order': False}", data), "lacks descr, fortran_order or shape"},
      {"order.npz", npz("{'fortran_order': 2}", data), "neither True nor False"},
      {"negative.npz", npz(header("'<f4'", "(-4,)"), data), "negative size, -4"},
      {"minus_minus.npz", npz(header("'<f4'", "(-2, -2)"), data), "negative size"},
      {"two_63.npz", npz(header("'<f4'", "(9223372036854775808,)"), data), "beyond 2^63"},
      {"below_63.npz", npz(header("'<f4'", "(9223372036854775807,)"), data), "larger than any memory"},
      {"product.npz", npz(header("'<f4'", "(4294967296, 4294967296, 1)"), data), "larger than any memory"},
      {"wraps_to_4.npz", npz(header("'<f4'", "(4611686018427387905, 4)"), data), "larger than any memory"},
      {"empty_overflow.npz", npz(header("'<f4'", "(0, 4611686018427387904, 8)"), ""), "larger than any memory"},
      {"axes.npz", npz(header("'<f4'", "(" + repeated("1, ", 65) + ")"), ones(1)), "larger than any memory"},
      {"too_many.npz", npz(header("'<f4'", "(1000000000,)"), data), "needs 4.0 GB, but 16 bytes follow"},
      {"too_few.npz", npz(header("'<f4'", "(3,)"), data), "needs 12 bytes, but 16 bytes follow"},
      {"wrong_width.npz", npz(header("'<f8'", "(4,)"), data), "of float64 needs 32 bytes"},
      {"object.npz", npz(header("'|O'", "(2,)"), "\x80\x02cos\nsystem\n."),
       "pickled Python objects, which are never run"},
      {"dtype.npz", npz(header("'banana'", "(4,)"), data), R"(its element type "banana" is none of NumPy's)"},
      {"complex.npz", npz(header("'<c8'", "(2,)"), data), "complex numbers"},
      {"text.npz", npz(header("'<U1'", "(4,)"), data), "its elements are text (<U1)"},
      {"record.npz", npz(header("[('a', '<f4')]", "(4,)"), data), "records of several fields"},
      {"newline.npz", zip({{"a\nb.npy", "?"}}), R"("a\x0ab")"},
  });
}

TEST_CASE("a .safetensors whose header lies is refused") {
  const std::string data = ones(4);
  const std::string good = safetensors(tensor_header("F32", "[4]", "[0, 16]"), data);
  const auto two = [&](const std::string& first, const std::string& second) {
    const std::string h = R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": )" + first +
                          R"(}, "b": {"dtype": "F32", "shape": [2], "data_offsets": )" + second + "}}";
    return safetensors(h, data);
  };
  const auto one = [&](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return safetensors(tensor_header(dtype, shape, offsets), data);
  };
  check({
      {"cut_length.safetensors", cut(good, 5), "ends inside its header's length"},
      {"cut_header.safetensors", cut(good, 30), "says its header has"},
      {"cut_data.safetensors", cut(good, good.size() - 1), "end at byte 16, but the file has 15 bytes"},
      {"two_63.safetensors", little_endian(std::uint64_t{1} << 63, 8) + "{}", "says its header has 9.2 EB"},
      {"all_ones.safetensors", std::string(8, '\xff') + "{}", "says its header has 18.4 EB"},
      {"no_json.safetensors", safetensors("hello, hello", data), "not JSON (at byte 9)"},
      {"unclosed.safetensors", safetensors(R"({"x": {"dtype")", data), "not JSON"},
      {"no_utf8.safetensors", safetensors("{\"\xff\": 1}", data), "not JSON"},
      {"list.safetensors", safetensors("[]", data), "has a list where none belongs"},
      {"number.safetensors", safetensors("12", data), "has a number where none belongs"},
      {"deep_objects.safetensors", safetensors(repeated(R"({"a":)", 1'000'000), data), "has an object at"},
      {"deep_lists.safetensors", safetensors(R"({"x": )" + std::string(1'000'000, '['), data), "has a list at \"x\""},
      {"deep_shape.safetensors", one("F32", "[[4]]", "[0, 16]"), "has a list at \"shape\""},
      {"nothing.safetensors", safetensors("{}", ""), "holds no arrays"},
      {"no_dtype.safetensors", safetensors(R"({"x": {"shape": [4], "data_offsets": [0, 16]}})", data), "lacks dtype"},
      {"no_offsets.safetensors", safetensors(R"({"x": {"dtype": "F32", "shape": [4]}})", data), "lacks dtype"},
      {"three.safetensors", one("F32", "[4]", "[0, 8, 16]"), "lacks dtype"},
      {"dtype.safetensors", one("F8_E4M3", "[16]", "[0, 16]"), R"(its dtype "F8_E4M3" is not read)"},
      {"negative.safetensors", one("F32", "[-4]", "[0, 16]"), "negative number, -4"},
      {"minus_one.safetensors", one("F32", "[4]", "[-1, 16]"), "negative number, -1"},
      {"two_63_shape.safetensors", one("F32", "[9223372036854775808]", "[0, 16]"), "beyond 2^63"},
      {"two_64.safetensors", one("F32", "[18446744073709551616]", "[0, 16]"), "which is no size"},
      {"product.safetensors", one("F32", "[4294967296, 4294967296]", "[0, 16]"), "larger than any memory"},
      {"half.safetensors", one("F32", "[1.5]", "[0, 16]"), R"("1.5", which is no size)"},
      {"shape.safetensors", one("F32", "[5]", "[0, 16]"), "needs 20 bytes, but its data_offsets span 16 bytes"},
      {"width.safetensors", one("F64", "[4]", "[0, 16]"), "of float64 needs 32 bytes"},
      {"past_end.safetensors", one("F32", "[8]", "[0, 32]"), "end at byte 32, but the file has 16 bytes"},
      {"backwards.safetensors", one("F32", "[4]", "[16, 0]"), "end before they begin"},
      {"overlap.safetensors", two("[0, 8]", "[4, 12]"), "overlap"},
      {"same.safetensors", two("[0, 8]", "[0, 8]"), "overlap"},
      {"hole.safetensors", two("[0, 4]", "[8, 16]"), "hole"},
      {"rest.safetensors", one("F32", "[2]", "[0, 8]"), "8 bytes at its end belong to no array"},
      {"metadata.safetensors", safetensors(R"({"__metadata__": {"n": [8]}})", ""), R"(has a list at "n")"},
      {"twice.safetensors",
       safetensors(R"({"x": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},)"
                   R"("x": {"dtype": "F32", "shape": [0], "data_offsets": [16, 16]}})",
                   data),
       "two arrays named"},
  });
}

TEST_CASE("a .pt whose pickle would run something is refused by its name") {
  const std::string call = pickled_string("rm -rf /") + "\x85R";
  check({
      {"system.pt", torch_zip("cos\nsystem\n" + call), R"(its pickle asks for "os.system", which is never run)"},
      {"posix.pt", torch_zip(pickled_string("posix") + pickled_string("system") + "\x93" + call), "posix.system"},
      {"eval.pt", torch_zip(pickled_dict("cbuiltins\neval\n" + call)), "builtins.eval"},
      {"getattr.pt", torch_zip("c__builtin__\ngetattr\n."), "__builtin__.getattr"},
      {"dotted.pt", torch_zip(pickled_string("torch") + pickled_string("storage._load_from_bytes") + "\x93."),
       "torch.storage._load_from_bytes"},
      {"newline.pt", torch_zip(pickled_string("a\nb") + pickled_string("c") + "\x93."), R"("a\x0ab.c")"},
      {"inst.pt", torch_zip("(ios\nsystem\n"), "has an instruction that tensors do not need"},
      {"extension.pt", torch_zip("\x82\x01"), "has an instruction that tensors do not need"},
      {"size_call.pt", torch_zip(pickled_dict("ctorch\nFloatStorage\n)R")), "calls torch.FloatStorage"},
  });
}

TEST_CASE("a .pt whose pickle is damaged or grows without end is refused") {
  const std::string nested = repeated("]", 500'000) + repeated("a", 499'999);
  std::string laughs = "]q" + std::string(1, '\0');  // each list holds the one before twice
  for (char i = 1; i < 40; ++i)
    laughs += std::string("]q") + i + "h" + static_cast<char>(i - 1) + "ah" + static_cast<char>(i - 1) + "a";
  check({
      {"no_pickle.pt", zip({{"a/data.pkl", ""}}), "its pickle is not a pickle"},
      {"protocol_0.pt", zip({{"a/data.pkl", "I1\n."}}), "is not a pickle of protocol 2 to 5"},
      {"protocol_9.pt", zip({{"a/data.pkl", "\x80\x09N."}}), "is of protocol 9"},
      {"no_stop.pt", zip({{"a/data.pkl", "\x80\x02}"}}), "its pickle ends early"},
      {"cut.pt", torch_zip(cut(pickled_dict(pickled({})), 100)), ""},
      {"underflow.pt", torch_zip("a"), "takes more values than it made"},
      {"no_mark.pt", torch_zip("t"), "takes more values than it made"},
      {"below_mark.pt", torch_zip("N(0"), "takes more values than it made"},
      {"memo.pt", torch_zip("h\x07"), "never stored"},
      {"long_string.pt", torch_zip("\x8d" + std::string(8, '\x7f')), "ends early"},
      {"not_utf8.pt", torch_zip(pickled_dict(pickled_string("\xff"))), "not UTF-8"},
      {"odd.pt", torch_zip("}(Nu"), "sets a key without a value"},
      {"key.pt", torch_zip("}NNs"), "keys are neither strings nor integers"},
      {"append.pt", torch_zip("NNa"), "not a list"},
      {"set.pt", torch_zip("NNNs"), "not a dictionary"},
      {"nested.pt", torch_zip(nested), "nested more than 64 deep"},
      {"itself.pt",
       torch_zip("]q\x01h\x01"
                 "a"),
       "nested more than 64 deep"},
      {"laughs.pt", torch_zip(laughs), "repeats itself"},
      {"many.pt", torch_zip(std::string(5'000'000, 'N')), "more than a million values"},
      {"dup.pt", torch_zip("N" + std::string(5'000'000, '2')), "more than a million values"},
      {"marks.pt", torch_zip(std::string(5'000'000, '(')), "more than a million values"},
      {"memos.pt", torch_zip("N" + std::string(5'000'000, '\x94')), "more than a million values"},
      {"large.pt", zip({{"a/data.pkl", deflated_zeros(20'000'000), 8, 20'000'000}}), "at most 16.8 MB"},
      {"nothing.pt", torch_zip("}"), "holds no arrays"},
  });
}

TEST_CASE("a .pt whose tensors do not fit their storages is refused") {
  const auto file = [](const PickledTensor& tensor) { return torch_zip(pickled_dict(pickled(tensor))); };
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::string big_endian = zip(
      {{"a/data.pkl", "\x80\x02" + pickled_dict(pickled({})) + "."}, {"a/byteorder", "big"}, {"a/data/0", ones(4)}});
  check({
      {"big.pt", big_endian, R"(its byte order is "big")"},
      {"missing.pt", file({.key = "7"}), R"(its storage "7" is missing)"},
      {"short.pt", file({.shape = {5}, .count = 5}), "should hold 5 numbers of float32, but has 16 bytes"},
      {"negative_count.pt", file({.count = -4}), "should hold -4 numbers"},
      {"two_62_count.pt", file({.count = huge}), "should hold"},
      {"width.pt", file({.storage = "DoubleStorage"}), "should hold 4 numbers of float64, but has 16 bytes"},
      {"past_end.pt", file({.offset = 1}), "reaches past the 4 numbers"},
      {"negative_offset.pt", file({.offset = -1}), "reaches past"},
      {"huge_offset.pt", file({.offset = std::numeric_limits<std::int64_t>::max()}), "reaches past"},
      {"negative_shape.pt", file({.shape = {-4}}), "shape [-4] is impossible"},
      {"huge_shape.pt", file({.shape = {huge, 4}, .strides = {0, 0}}), "is impossible"},
      {"negative_stride.pt", file({.strides = {-1}}), "reaches past"},
      {"huge_stride.pt", file({.strides = {huge}}), "reaches past"},
      {"stride_sum.pt", file({.shape = {3, 3}, .strides = {huge, huge}}), "reaches past"},
      {"rank.pt", file({.strides = {1, 1}}), "not as many strides as axes"},
      {"axes.pt", file({.shape = std::vector<std::int64_t>(65, 1), .strides = std::vector<std::int64_t>(65, 1)}),
       "65 axes"},
      {"expanded.pt", file({.shape = {1 << 30}, .strides = {0}}), "too often"},
      {"complex.pt", file({.storage = "ComplexFloatStorage"}), "torch.ComplexFloatStorage"},
      {"few.pt", torch_zip(pickled_dict("ctorch._utils\n_rebuild_tensor_v2\n)R")), "too few arguments"},
      {"no_storage.pt", torch_zip(pickled_dict("ctorch._utils\n_rebuild_tensor_v2\n(NNNNtR")),
       "not one of torch.save's"},
      {"twice.pt", torch_zip("}" + pickled_string("x") + pickled({}) + "s" + pickled_string("x") + pickled({}) + "s"),
       R"(holds two arrays named "x")"},
  });
}
