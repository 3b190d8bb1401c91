// Every bad file is refused soon, in one sentence that names the fault, and without taking much memory.
#include <chrono>
#include <limits>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

void open_and_load(const std::filesystem::path& path) {
  const auto file = open_arrays(path);
  for (const ArrayEntry& entry : file->entries()) file->load(entry.name);
}

class BadFiles {
 public:
  /// Checks that this file is refused soon, in one sentence that contains `says`, or `or_says`, as versions of libzip
  /// report different errors.
  void refuse(const std::string& name, const std::string& bytes, const std::string& says,
              const std::string& or_says = "") const {
    const std::filesystem::path path = folder_ / name;
    write_text(path, bytes);
    const auto start = std::chrono::steady_clock::now();
    const std::string sentence = sentence_of([&] { open_and_load(path); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    INFO(name << " should say: " << says << "\nsays: " << sentence);
    CHECK(sentence.starts_with(path.string() + ": "));
    CHECK((has(sentence, says) || (!or_says.empty() && has(sentence, or_says))));
    CHECK_FALSE(has(sentence, "\n"));
    CHECK(seconds.count() < 60);  // enough for a busy machine and for sanitizers
  }

 private:
  TempFolder folder_;
};

const std::string png = "\x89PNG\r\n\x1a\n" + std::string(64, '\0');
const std::string good_header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";

std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
}

std::string cut(const std::string& bytes, std::size_t length) { return bytes.substr(0, length); }

std::string tensor_header(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a file of another kind is refused with the name of its kind") {
  const BadFiles files;
  files.refuse("empty.npz", "", "empty (0 bytes); expected an .npz");
  files.refuse("empty.pt", "", "empty (0 bytes)");
  files.refuse("png.npz", png,
               R"(not a ZIP archive (starts with "\x89PNG", a PNG picture); expected an .npz as numpy.savez)");
  files.refuse("png.safetensors", png, "not a safetensors file (starts with \"\\x89PNG\", a PNG picture)");
  files.refuse("png.pt", png, "not a ZIP archive");
  files.refuse("text.npy", "1,2,3\n", R"(not a NumPy array (it starts like a text))");
  files.refuse("page.pt", "<!DOCTYPE html><title>404</title>", "a web page");
  files.refuse("lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer");
  files.refuse("packed.npz", "\x1f\x8b\x08", "a gzip archive");
  files.refuse("plain.txt", "hello", "expected an .npz, .npy, .safetensors or .pt file");
  files.refuse("pickle.pt", "\x80\x04N.", "holds no arrays");
  const std::string legacy = read_bytes(fixture("torch_legacy.pt"));
  files.refuse("legacy_cut.pt", legacy.substr(0, legacy.size() - 3), "ends within its storages");
  files.refuse("legacy_half.pt", legacy.substr(0, legacy.size() / 4), "its pickle ends early");
  files.refuse("tar.pt", std::string(257, '\0') + "ustar" + std::string(250, '\0'), "before 0.1");
  files.refuse("hub.pt", torch_zip("ctorch.hub\nload\n)R"), "torch.hub.load");
  files.refuse("other.npz", zip({{"readme.txt", "hello"}}), "a ZIP archive without any .npy in it");
  files.refuse("nothing.npz", zip({}), "an empty ZIP archive");
  const TempFolder folder;
  CHECK(has(sentence_of([&] { open_arrays(folder / "a.npz"); }), "a.npz: no such file"));
  CHECK(has(sentence_of([&] { open_arrays(folder.path()); }), "a folder"));
}

TEST_CASE("an .npz that is cut short or damaged is refused") {
  const BadFiles files;
  const std::string good = npz(good_header, ones(4));
  const ZipItem x{"x.npy", npy(good_header, ones(4))};
  const auto right = static_cast<std::int64_t>(x.bytes.size());
  files.refuse("other.npz", "PK\x03\x04 and no more", "expected a whole file, as its own library writes it");
  files.refuse("twice.npz", zip({x, x}), R"(holds two arrays named "x")");
  files.refuse("checksum.npz", zip({{"x.npy", x.bytes, 0, -1, -1, 1}}), "is damaged");
  files.refuse("method.npz", zip({{"x.npy", x.bytes, 98}}), "cannot be unpacked");
  files.refuse("claims.npz", zip({{"x.npy", x.bytes, 0, 0x7fffffff, 0x7fffffff}}), "claims 2.1 GB in a file of");
  files.refuse("claims_packed.npz", zip({{"x.npy", x.bytes, 8, 1000, 0x7fffffff}}), "claims 2.1 GB in a file of");
  files.refuse("past_end.npz", zip({{"x.npy", x.bytes, 0, -1, -1, -1, 0x7fffff00}}), "cannot be unpacked");
  files.refuse("bomb.npz", zip({{"x.npy", deflated_zeros(50'000'000), 8, 50'000'000}}), "as a zip bomb does");
  files.refuse("deflate.npz", zip({{"x.npy", std::string(200, '\x37'), 8, 1000}}), "is damaged");
  files.refuse("short.npz", zip({{"x.npy", deflated(cut(x.bytes, x.bytes.size() - 3)), 8, right}}), "is damaged");
  files.refuse("long.npz", zip({{"x.npy", deflated(x.bytes + ones(1000)), 8, right}}), "unpacks to more bytes");
  files.refuse("huge_name.npz", zip({{std::string(60'000, 'n') + ".npy", "?"}}), "ends inside its header");
  for (std::size_t length : {std::size_t{4}, std::size_t{29}, std::size_t{60}, good.size() / 2, good.size() - 80,
                             good.size() - 23, good.size() - 10, good.size() - 1}) {
    files.refuse("cut" + std::to_string(length) + ".npz", cut(good, length), "cut short or damaged");
  }
}

TEST_CASE(
    "an .npz whose 64-bit sizes lie is refused; bytes behind its end that look like another end are not taken for it") {
  const BadFiles files;
  const std::string whole = npz(good_header, ones(4));
  const std::size_t directory = whole.find("PK\x01\x02"), end = whole.rfind("PK\x05\x06");
  std::string lying =
      whole.substr(0, directory + 20) + std::string(8, '\xff') + whole.substr(directory + 28, end - directory - 28);
  const std::string sizes = little_endian(1, 2) + little_endian(16, 2) + little_endian(std::uint64_t{1} << 62, 8) +
                            little_endian(std::uint64_t{1} << 62, 8);
  lying.replace(directory + 30, 2, little_endian(sizes.size(), 2));
  lying += sizes;
  const std::string ending =
      cut(whole.substr(end), 12) + little_endian(lying.size() - directory, 4) + whole.substr(end + 16);
  files.refuse("zip64.npz", lying + ending, "claims 4.6 EB in a file of");
  files.refuse("zip64_nowhere.npz",
               whole.substr(0, directory + 20) + std::string(8, '\xff') + whole.substr(directory + 28),
               "cut short or damaged", "claims 4.3 GB in a file of");
  const std::string fake = "PK\x05\x06" + little_endian(0, 4) + little_endian(9, 2) + little_endian(9, 2) +
                           std::string(8, '\x7f') + little_endian(0, 2);
  const TempFolder folder;
  write_text(folder / "comment.npz", cut(whole, whole.size() - 2) + little_endian(fake.size(), 2) + fake);
  CHECK(open_arrays(folder / "comment.npz")->load("x").count() == 4);
}

TEST_CASE("a .npy with a wrong header is refused") {
  const BadFiles files;
  const std::string data = ones(4);
  files.refuse("magic.npz", zip({{"x.npy", "\x93NUMBY\x01" + std::string(100, '\0')}}),
               R"(array "x": is not in NumPy's format)");
  files.refuse("version.npz", zip({{"x.npy", npy(good_header, data, 9)}}), "version 9");
  files.refuse("tiny.npz", zip({{"x.npy", "\x93NUM"}}), "ends inside its header");
  files.refuse("cut_header.npz", zip({{"x.npy", cut(npy(good_header, data), 40)}}), "says its header has 60 bytes");
  files.refuse("cut.npy", cut(npy(good_header, data), 78), "needs 16 bytes, but 8 bytes follow");
  files.refuse("cut_length.npy", cut(npy(good_header, data), 9), "ends inside its header");
  files.refuse("long_header.npy", npy(std::string(70'000, ' ') + good_header, data, 2),
               "its header has 70.1 kB; expected at most");
  files.refuse("not_a_dict.npz", npz("[1, 2]", data), "its header is damaged at byte 0");
  files.refuse("endless.npz", npz("{'descr': '<f4", data), "ends inside a string");
  files.refuse("unclosed.npz", npz("{'descr': '<f4', ", data), "its header is damaged");
  files.refuse("after.npz", npz(good_header + "{}", data), "goes on after");
  files.refuse("unknown.npz", npz("{'run': 'os.system'}", data), R"(unknown field "run")");
  files.refuse("no_shape.npz", npz("{'descr': '<f4', 'fortran_order': False}", data),
               "lacks descr, fortran_order or shape");
  files.refuse("order.npz", npz("{'fortran_order': 2}", data), "neither True nor False");
  files.refuse("negative.npz", npz(header("'<f4'", "(-4,)"), data), "negative size, -4");
  files.refuse("minus_minus.npz", npz(header("'<f4'", "(-2, -2)"), data), "negative size");
  files.refuse("two_63.npz", npz(header("'<f4'", "(9223372036854775808,)"), data), "beyond 2^63");
  files.refuse("below_63.npz", npz(header("'<f4'", "(9223372036854775807,)"), data), "larger than any memory");
  files.refuse("product.npz", npz(header("'<f4'", "(4294967296, 4294967296, 1)"), data), "larger than any memory");
  files.refuse("wraps_to_4.npz", npz(header("'<f4'", "(4611686018427387905, 4)"), data), "larger than any memory");
  files.refuse("empty_overflow.npz", npz(header("'<f4'", "(0, 4611686018427387904, 8)"), ""), "larger than any memory");
  files.refuse("axes.npz", npz(header("'<f4'", "(" + repeated("1, ", 65) + ")"), ones(1)), "larger than any memory");
  files.refuse("too_many.npz", npz(header("'<f4'", "(1000000000,)"), data), "needs 4.0 GB, but 16 bytes follow");
  files.refuse("too_few.npz", npz(header("'<f4'", "(3,)"), data), "needs 12 bytes, but 16 bytes follow");
  files.refuse("wrong_width.npz", npz(header("'<f8'", "(4,)"), data), "of float64 needs 32 bytes");
  files.refuse("fortran.npz", npz("{'descr': '<f4', 'fortran_order': True, 'shape': (1048576, 1048576), }", data),
               "needs 4.4 TB");
  files.refuse("parentheses.npz", npz(header("'<f4'", std::string(20'000, '(') + std::string(20'000, ')')), data),
               "its header is damaged");
  files.refuse("version_3.npy", npy(header("[('é', '<f4')]", "(4,)"), data, 3), "records of several fields");
  files.refuse("object.npz", npz(header("'|O'", "(2,)"), "\x80\x02cos\nsystem\n."),
               "pickled Python objects, which are never run");
  files.refuse("dtype.npz", npz(header("'banana'", "(4,)"), data), R"(its element type "banana" is none of NumPy's)");
  files.refuse("complex.npz", npz(header("'<c8'", "(2,)"), data), "complex numbers");
  files.refuse("text.npz", npz(header("'<U1'", "(4,)"), data), "its elements are text (<U1)");
  files.refuse("record.npz", npz(header("[('a', '<f4')]", "(4,)"), data), "records of several fields");
  files.refuse("newline.npz", zip({{"a\nb.npy", "?"}}), R"("a\x0ab")");
}

TEST_CASE("a .safetensors with a wrong header is refused") {
  const BadFiles files;
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
  files.refuse("cut_length.safetensors", cut(good, 5), "ends inside its header's length");
  files.refuse("cut_header.safetensors", cut(good, 30), "says its header has");
  files.refuse("cut_data.safetensors", cut(good, good.size() - 1), "end at byte 16, but the file has 15 bytes");
  files.refuse("two_63.safetensors", little_endian(std::uint64_t{1} << 63, 8) + "{}", "says its header has 9.2 EB");
  files.refuse("all_ones.safetensors", std::string(8, '\xff') + "{}", "says its header has 18.4 EB");
  files.refuse("no_json.safetensors", safetensors("hello, hello", data), "not JSON (at byte 9)");
  files.refuse("unclosed.safetensors", safetensors(R"({"x": {"dtype")", data), "not JSON");
  files.refuse("no_utf8.safetensors", safetensors("{\"\xff\": 1}", data), "not JSON");
  files.refuse("list.safetensors", safetensors("[]", data), "has a list where none belongs");
  files.refuse("number.safetensors", safetensors("12", data), "has a number where none belongs");
  files.refuse("deep_objects.safetensors", safetensors(repeated(R"({"a":)", 1'000'000), data), "has an object at");
  files.refuse("deep_lists.safetensors", safetensors(R"({"x": )" + std::string(1'000'000, '['), data),
               "has a list at \"x\"");
  files.refuse("deep_shape.safetensors", one("F32", "[[4]]", "[0, 16]"), "has a list at \"shape\"");
  files.refuse("nothing.safetensors", safetensors("{}", ""), "holds no arrays");
  files.refuse("no_dtype.safetensors", safetensors(R"({"x": {"shape": [4], "data_offsets": [0, 16]}})", data),
               "lacks dtype");
  files.refuse("no_offsets.safetensors", safetensors(R"({"x": {"dtype": "F32", "shape": [4]}})", data), "lacks dtype");
  files.refuse("three.safetensors", one("F32", "[4]", "[0, 8, 16]"), "lacks dtype");
  files.refuse("dtype.safetensors", one("F8_E5M2", "[16]", "[0, 16]"), R"(its dtype "F8_E5M2" is not read)");
  files.refuse("negative.safetensors", one("F32", "[-4]", "[0, 16]"), "negative number, -4");
  files.refuse("minus_one.safetensors", one("F32", "[4]", "[-1, 16]"), "negative number, -1");
  files.refuse("two_63_shape.safetensors", one("F32", "[9223372036854775808]", "[0, 16]"), "beyond 2^63");
  files.refuse("two_64.safetensors", one("F32", "[18446744073709551616]", "[0, 16]"), "which is no size");
  files.refuse("product.safetensors", one("F32", "[4294967296, 4294967296]", "[0, 16]"), "larger than any memory");
  files.refuse("half.safetensors", one("F32", "[1.5]", "[0, 16]"), R"("1.5", which is no size)");
  files.refuse("shape.safetensors", one("F32", "[5]", "[0, 16]"), "needs 20 bytes, but its data_offsets span 16 bytes");
  files.refuse("width.safetensors", one("F64", "[4]", "[0, 16]"), "of float64 needs 32 bytes");
  files.refuse("past_end.safetensors", one("F32", "[8]", "[0, 32]"), "end at byte 32, but the file has 16 bytes");
  files.refuse("backwards.safetensors", one("F32", "[4]", "[16, 0]"), "end before they begin");
  files.refuse("overlap.safetensors", two("[0, 8]", "[4, 12]"), "overlap");
  files.refuse("same.safetensors", two("[0, 8]", "[0, 8]"), "overlap");
  files.refuse("hole.safetensors", two("[0, 4]", "[8, 16]"), "hole");
  files.refuse("rest.safetensors", one("F32", "[2]", "[0, 8]"), "8 bytes at its end belong to no array");
  files.refuse("metadata.safetensors", safetensors(R"({"__metadata__": {"n": [8]}})", ""), R"(has a list at "n")");
  files.refuse("twice.safetensors",
               safetensors(R"({"x": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},)"
                           R"("x": {"dtype": "F32", "shape": [0], "data_offsets": [16, 16]}})",
                           data),
               "two arrays named");
}

TEST_CASE("a .pt whose pickle would call a function is refused with the function's name") {
  const BadFiles files;
  const std::string call = pickled_string("rm -rf /") + "\x85R";
  files.refuse("system.pt", torch_zip("cos\nsystem\n" + call),
               R"(its pickle asks for "os.system", which is never run)");
  files.refuse("posix.pt", torch_zip(pickled_string("posix") + pickled_string("system") + "\x93" + call),
               "posix.system");
  files.refuse("eval.pt", torch_zip(pickled_dict("cbuiltins\neval\n" + call)), "builtins.eval");
  files.refuse("getattr.pt", torch_zip("c__builtin__\ngetattr\n."), "__builtin__.getattr");
  files.refuse("dotted.pt", torch_zip(pickled_string("torch") + pickled_string("storage._load_from_bytes") + "\x93."),
               "torch.storage._load_from_bytes");
  files.refuse("newline.pt", torch_zip(pickled_string("a\nb") + pickled_string("c") + "\x93."), R"("a\x0ab.c")");
  files.refuse("inst.pt", torch_zip("(ios\nsystem\n"), "has an instruction that tensors do not need");
  files.refuse("extension.pt", torch_zip("\x82\x01"), "has an instruction that tensors do not need");
  files.refuse("size_call.pt", torch_zip(pickled_dict("ctorch\nFloatStorage\n)R")), "calls torch.FloatStorage");
}

TEST_CASE("a .pt whose pickle is damaged or grows without end is refused") {
  const BadFiles files;
  const std::string nested = repeated("]", 500'000) + repeated("a", 499'999);
  std::string laughs = std::string("]q") + '\0' + "0";  // each list contains the one before twice
  for (char i = 1; i < 40; ++i) {
    const std::string before = std::string("h") + static_cast<char>(i - 1) + "a";
    laughs += std::string("]q") + i + before + before + "0";
  }
  laughs += "h\x27";
  files.refuse("no_pickle.pt", zip({{"a/data.pkl", ""}}), "its pickle is not a pickle");
  files.refuse("protocol_0.pt", zip({{"a/data.pkl", "I1\n."}}), "is not a pickle of protocol 2 to 5");
  files.refuse("protocol_9.pt", zip({{"a/data.pkl", "\x80\x09N."}}), "is of protocol 9");
  files.refuse("no_stop.pt", zip({{"a/data.pkl", "\x80\x02}"}}), "its pickle ends early");
  files.refuse("cut.pt", torch_zip(cut(pickled_dict(pickled({})), 100)), "its pickle stops half way");
  files.refuse("underflow.pt", torch_zip("a"), "takes more values than it made");
  files.refuse("no_mark.pt", torch_zip("t"), "takes more values than it made");
  files.refuse("below_mark.pt", torch_zip("N(0"), "takes more values than it made");
  files.refuse("memo.pt", torch_zip("h\x07"), "never stored");
  files.refuse("long_string.pt", torch_zip("\x8d" + std::string(8, '\x7f')), "ends early");
  files.refuse("not_utf8.pt", torch_zip(pickled_dict(pickled_string("\xff"))), "not UTF-8");
  files.refuse("odd.pt", torch_zip("}(Nu"), "sets a key without a value");
  files.refuse("append.pt", torch_zip("NNa"), "not a list");
  files.refuse("set.pt", torch_zip("NNNs"), "not a dictionary");
  files.refuse("nested.pt", torch_zip(nested), "nested more than 64 deep");
  files.refuse("itself.pt",
               torch_zip("]q\x01h\x01"
                         "a"),
               "nested more than 64 deep");
  files.refuse("laughs.pt", torch_zip(laughs), "repeats itself");
  files.refuse("tuples.pt", torch_zip(")" + std::string(100'000, '\x85')), "nested more than 64 deep");
  files.refuse("mark_tuples.pt", torch_zip(std::string(100'000, '(') + std::string(100'000, 't')),
               "nested more than 64 deep");
  files.refuse("build.pt", torch_zip("cmymod\nThing\n)\x81}b"), "holds no arrays");
  files.refuse("long_memo.pt", torch_zip("j\xff\xff\xff\xff"), "never stored");
  files.refuse("many.pt", torch_zip(std::string(5'000'000, 'N')), "more than a million values");
  files.refuse("dup.pt", torch_zip("N" + std::string(5'000'000, '2')), "more than a million values");
  files.refuse("marks.pt", torch_zip(std::string(5'000'000, '(')), "more than a million values");
  files.refuse("memos.pt", torch_zip("N" + std::string(5'000'000, '\x94')), "more than a million values");
  files.refuse("large.pt", zip({{"a/data.pkl", deflated_zeros(20'000'000), 8, 20'000'000}}), "at most 16.8 MB");
  files.refuse("nothing.pt", torch_zip("}"), "holds no arrays");
}

TEST_CASE("a .pt whose tensors do not fit their storages is refused") {
  const BadFiles files;
  const auto file = [](const PickledTensor& tensor) { return torch_zip(pickled_dict(pickled(tensor))); };
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::string big_endian = zip(
      {{"a/data.pkl", "\x80\x02" + pickled_dict(pickled({})) + "."}, {"a/byteorder", "big"}, {"a/data/0", ones(4)}});
  files.refuse("big.pt", big_endian, R"(its byte order is "big")");
  files.refuse("missing.pt", file({.key = "7"}), R"(its storage "7" is missing)");
  const std::string shared = "}" + pickled_string("x") + pickled({}) + "s" + pickled_string("y") +
                             pickled({.shape = {2, 4}, .strides = {4, 1}}) + "s";
  files.refuse("shared.pt", torch_zip(shared),
               R"(array "y": its shape [2, 4] with strides [4, 1] reaches past the 4 numbers)");
  files.refuse("short.pt", file({.shape = {5}, .count = 5}), "should hold 5 numbers of float32, but has 16 bytes");
  files.refuse("negative_count.pt", file({.count = -4}), "should hold -4 numbers");
  files.refuse("two_62_count.pt", file({.count = huge}), "should hold");
  files.refuse("width.pt", file({.storage = "DoubleStorage"}), "should hold 4 numbers of float64, but has 16 bytes");
  files.refuse("past_end.pt", file({.offset = 1}), "reaches past the 4 numbers");
  files.refuse("negative_offset.pt", file({.offset = -1}), "reaches past");
  files.refuse("huge_offset.pt", file({.offset = std::numeric_limits<std::int64_t>::max()}), "reaches past");
  files.refuse("negative_shape.pt", file({.shape = {-4}}), "shape [-4] is impossible");
  files.refuse("huge_shape.pt", file({.shape = {huge, 4}, .strides = {0, 0}}), "is impossible");
  files.refuse("negative_stride.pt", file({.strides = {-1}}), "reaches past");
  files.refuse("huge_stride.pt", file({.strides = {huge}}), "reaches past");
  files.refuse("stride_sum.pt", file({.shape = {3, 3}, .strides = {huge, huge}}), "reaches past");
  files.refuse("rank.pt", file({.strides = {1, 1}}), "not as many strides as axes");
  files.refuse("axes.pt",
               file({.shape = std::vector<std::int64_t>(65, 1), .strides = std::vector<std::int64_t>(65, 1)}),
               "65 axes");
  files.refuse("expanded.pt", file({.shape = {1 << 30}, .strides = {0}}), "too often");
  files.refuse("complex.pt", file({.storage = "ComplexFloatStorage"}), "torch.ComplexFloatStorage");
  files.refuse("few.pt", torch_zip(pickled_dict("ctorch._utils\n_rebuild_tensor_v2\n)R")), "too few arguments");
  files.refuse("no_storage.pt", torch_zip(pickled_dict("ctorch._utils\n_rebuild_tensor_v2\n(NNNNtR")),
               "not one of torch.save's");
  files.refuse("twice.pt",
               torch_zip("}" + pickled_string("x") + pickled({}) + "s" + pickled_string("x") + pickled({}) + "s"),
               R"(holds two arrays named "x")");
}
