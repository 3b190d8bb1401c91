#include <array>
#include <charconv>

#include "core/base/arrays/array_contents.h"
#include "core/base/arrays/torch_tree.h"
#include "core/base/files/byte_reader.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = std::size_t{1} << 16;

/// The fields of the header's dictionary.
struct Fields {
  std::optional<std::string> descr;  ///< "" for a structured type
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

/// Reads the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const ErrorPlace& place) : text_(text), place_(place) {}

  Fields parse() {
    Fields fields;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') return Fields{std::string(), false, Shape()};
        fields.descr = string();
      } else if (key == "fortran_order") {
        fields.fortran_order = boolean();
      } else if (key == "shape") {
        fields.shape = tuple();
      } else {
        fail(Message("its header has an unknown field {0}", in_quotes(key)));
      }
      if (!accept(',') && peek() != '}') fail(Message("its header is damaged at byte {0}", at_));
    }
    if (peek() != '\0') fail("its header goes on after the }");
    return fields;
  }

 private:
  [[noreturn]] void fail(const Message& wrong) const {
    place_.fail(wrong, "{'descr': …, 'fortran_order': …, 'shape': …} as numpy.save writes it");
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(Message("its header is damaged at byte {0}", at_));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(Message("its header is damaged at byte {0}", at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("its header ends inside a string");
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    peek();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("its header's fortran_order is neither True nor False");
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      peek();
      Index size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error == std::errc::result_out_of_range) fail("its shape has a size beyond 2^63");
      if (error != std::errc()) fail(Message("its header is damaged at byte {0}", at_));
      if (size < 0) fail(Message("its shape has a negative size, {0}", size));
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');  // Python 2's long
      shape.push_back(size);
      if (!accept(',') && peek() != ')') fail(Message("its header is damaged at byte {0}", at_));
    }
    return shape;
  }

  std::string_view text_;
  const ErrorPlace& place_;
  std::size_t at_ = 0;
};

Message why_unusable(const std::string& descr, const ErrorPlace& place) {
  if (descr.empty()) return "its elements are records of several fields";
  const std::size_t order = descr.find_first_not_of("<>=|");
  switch (order == std::string::npos ? '\0' : descr[order]) {
    case 'U':
    case 'S':
    case 'a': return {"its elements are text ({0})", descr};
    case 'c': return {"its elements are complex numbers ({0})", descr};
    case 'f': return {"its elements are long doubles ({0})", descr};
    case 'M':
    case 'm': return {"its elements are times ({0})", descr};
    case 'V': return {"its elements are of no type that NumPy knows ({0})", descr};
    case 'O': return "its elements are pickled Python objects, which are never run";
    default: place.fail_damaged(Message("its element type {0} is none of NumPy's", in_quotes(descr)));
  }
}

/// Notes the size of each text, so that texts can be read, if the file's size fits the shape.
void note_text_size(std::string_view kind, std::uint64_t npy_size, NpyHeader& header) {
  if (kind.empty() || (kind[0] != 'U' && kind[0] != 'S')) return;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(kind.data() + 1, kind.data() + kind.size(), length);
  const std::optional<Index> count = checked_count(header.layout.shape);
  if (error != std::errc() || end != kind.data() + kind.size() || length == 0 || length > (1u << 20) || !count) return;
  const std::uint64_t bytes = length * (kind[0] == 'U' ? 4 : 1);
  if (bytes * static_cast<std::uint64_t>(*count) != npy_size - header.layout.offset) return;
  header.text_bytes = bytes;
  header.wide = kind[0] == 'U';
}

/// Reads the version and length fields, then the header's text. Returns the text and sets `start` to the offset of the
/// numbers.
std::string read_text(ByteReader& reader, std::uint64_t npy_size, std::uint64_t& start, const ErrorPlace& place) {
  std::array<unsigned char, 12> front{};
  const auto bytes = std::as_writable_bytes(std::span(front));
  if (npy_size < 10) place.fail_damaged("ends inside its header");
  reader.read(bytes.first(8));
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (front[i] != static_cast<unsigned char>(magic[i]))
      place.fail("is not in NumPy's format", "\"\\x93NUMPY\" at its start");
  }
  const unsigned version = front[6];
  if (version < 1 || version > 3) {
    place.fail(Message("is written in version {0} of NumPy's format", version), "version 1, 2 or 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (npy_size < 8 + length_bytes) place.fail_damaged("ends inside its header");
  reader.read(bytes.subspan(8, length_bytes));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::uint64_t{front[8 + i]} << (8 * i);
  start = 8 + length_bytes + length;
  if (start > npy_size) {
    place.fail_damaged(
        Message("says its header has {0}, but it has {1} in all", byte_count(length), byte_count(npy_size)));
  }
  if (length > max_header)
    place.fail(Message("its header has {0}", byte_count(length)), Message("at most {0}", byte_count(max_header)));
  std::string text(static_cast<std::size_t>(length), '\0');
  reader.read(std::as_writable_bytes(std::span(text)));
  return text;
}

/// Reads a header from the start of a .npy of `npy_size` bytes. Throws FileError where it is damaged, where its shape
/// and `npy_size` disagree, or where the elements are pickled Python objects.
NpyHeader read_npy_header(ByteReader& reader, std::uint64_t npy_size, const ErrorPlace& place) {
  NpyHeader header;
  ArrayLayout& layout = header.layout;
  const std::string text = read_text(reader, npy_size, layout.offset, place);
  Fields fields = HeaderParser(text, place).parse();
  if (!fields.descr || !fields.fortran_order || !fields.shape)
    place.fail_damaged("its header lacks descr, fortran_order or shape");
  const std::string descr = *fields.descr;
  const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  const std::optional<DType> dtype =
      dtype_called(std::string_view(descr).substr(has_order ? 1 : 0), &DTypeNames::numpy);
  if (!dtype) {
    header.unusable = why_unusable(descr, place);
    header.objects = descr.ends_with('O');
    layout.shape = std::move(*fields.shape);
    layout.big_endian = !descr.empty() && descr[0] == '>';
    if (!*fields.fortran_order || layout.shape.size() < 2)
      note_text_size(std::string_view(descr).substr(has_order ? 1 : 0), npy_size, header);
    return header;
  }
  layout.dtype = *dtype;
  layout.shape = std::move(*fields.shape);
  layout.big_endian = descr[0] == '>';
  const std::optional<Index> count = checked_count(layout.shape);
  if (!count) place.fail_damaged(Message("its shape {0} is larger than any memory", to_string(layout.shape)));
  const std::uint64_t bytes = static_cast<std::uint64_t>(*count) * byte_size(*dtype);
  if (bytes != npy_size - layout.offset) {
    place.fail_damaged(Message("its shape {0} of {1} needs {2}, but {3} follow its header", to_string(layout.shape),
                               std::string(name(*dtype)), byte_count(bytes), byte_count(npy_size - layout.offset)));
  }
  layout.strides = *fields.fortran_order ? column_major_strides(layout.shape) : row_major_strides(layout.shape);
  return header;
}

}  // namespace

std::vector<std::string> read_words(ByteReader& reader, const NpyHeader& header, const ErrorPlace& place) {
  const auto count = static_cast<std::size_t>(*checked_count(header.layout.shape));
  LoadBudget budget(place);
  budget.strings(count);
  budget.bytes(count * static_cast<std::size_t>(header.text_bytes));
  std::vector<std::byte> bytes(count * static_cast<std::size_t>(header.text_bytes));
  reader.skip(header.layout.offset);
  reader.read(bytes);
  std::vector<std::string> words(count);
  const auto element = static_cast<std::size_t>(header.text_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto raw = std::span(bytes).subspan(i * element, element);
    const std::size_t step = header.wide ? 4 : 1;
    for (std::size_t at = 0; at < element; at += step) {
      char32_t c = 0;
      for (std::size_t b = 0; b < step; ++b) {
        c |= std::to_integer<char32_t>(raw[at + (header.layout.big_endian ? step - 1 - b : b)]) << (8 * b);
      }
      if (c == 0) break;  // NumPy pads texts with zeros
      if (header.wide) {
        append_utf8(words[i], c);
      } else {
        words[i] += static_cast<char>(c);
      }
    }
    if (!is_utf8(words[i])) place.fail_damaged("holds text that is not UTF-8");
  }
  return words;
}

std::string npy_header(const Shape& shape, const std::string& type) {
  std::string tuple;
  for (const Index size : shape) tuple += std::to_string(size) + ", ";
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);
  if (shape.size() == 1) tuple.resize(tuple.size() - 1);
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + tuple + "), }";
  constexpr std::size_t front = 10;
  text.append((64 - (front + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

namespace {

constexpr std::string_view ending = ".npy";

/// Reads an array of Python's objects, whose pickle has `size` bytes: None (which is nothing), numbers, texts, lists of
/// words, arrays, dictionaries of them. Throws FileError.
std::optional<ArrayContents> read_objects(ByteReader& reader, std::uint64_t first, std::uint64_t size,
                                          const std::string& name, const ErrorPlace& place) {
  if (size > max_numpy_pickle)
    place.fail(Message("its pickled objects have {0}", byte_count(size)),
               Message("at most {0}", byte_count(max_numpy_pickle)));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  reader.skip(first);
  reader.read(bytes);
  return read_numpy_objects(pickle::read(bytes, is_torch_global, place), name, place);
}

}  // namespace

ArrayContents open_npy(const SharedFile& file, const ErrorPlace& place) {
  FileReader reader(file, 0, place);
  const std::uint64_t size = file->size();
  NpyHeader header = read_npy_header(reader, size, place);
  if (header.objects) {
    FileReader from_start(file, 0, place);
    const std::uint64_t first = header.layout.offset;
    if (auto contents = read_objects(from_start, first, size - first, {}, place)) return std::move(*contents);
  }
  if (!header.unusable.empty()) place.fail(header.unusable, "numbers");
  ArrayContents contents;
  contents.add(name_of_only_array(file->path()), std::move(header.layout));
  contents.open = [file, place](std::size_t, ZipCheck) { return std::make_unique<FileReader>(file, 0, place); };
  return contents;
}

namespace {

/// The pickled objects of an entry; nothing if they cannot be read or are larger than what is `left` of the file's
/// limit: then the entry is skipped, and refused where it is needed.
std::shared_ptr<const ArrayContents> objects_in(const ZipArchive& archive, std::size_t entry, std::uint64_t first,
                                                const std::string& name, std::uint64_t& left, const ErrorPlace& part) {
  const std::uint64_t size = archive.entries()[entry].size - first;
  if (size > left) return nullptr;
  left -= size;
  try {
    auto found = read_objects(*archive.reader(entry, ZipCheck::none, part), first, size, name, part);
    return found ? std::make_shared<const ArrayContents>(std::move(*found)) : nullptr;
  } catch (const FileError&) { return nullptr; }
}

/// Adds the arrays, numbers and texts of pickled objects.
void append(ArrayContents& contents, const ArrayContents& objects) {
  contents.entries.insert(contents.entries.end(), objects.entries.begin(), objects.entries.end());
  contents.layouts.insert(contents.layouts.end(), objects.layouts.begin(), objects.layouts.end());
  contents.skipped.insert(contents.skipped.end(), objects.skipped.begin(), objects.skipped.end());
  contents.numbers.insert(objects.numbers.begin(), objects.numbers.end());
  contents.texts.insert(objects.texts.begin(), objects.texts.end());
  contents.words.insert(objects.words.begin(), objects.words.end());
}

}  // namespace

ArrayContents open_npz(std::shared_ptr<const ZipArchive> archive, const ErrorPlace& place) {
  ArrayContents contents;
  struct Source {
    std::size_t zip_entry;
    std::shared_ptr<const ArrayContents> objects{};  ///< set: its array `index`
    std::size_t index = 0;
  };
  std::vector<Source> sources;  // of each array
  LoadBudget budget(place);
  std::uint64_t pickles_left = max_numpy_pickle;
  for (std::size_t i = 0; i < archive->entries().size(); ++i) {
    const ZipEntry& entry = archive->entries()[i];
    if (!entry.name.ends_with(ending)) continue;
    const std::string name = entry.name.substr(0, entry.name.size() - ending.size());
    const ErrorPlace part = place.array(name);
    NpyHeader header = read_npy_header(*archive->reader(i, ZipCheck::none, part), entry.size, part);
    budget.arrays(1);
    budget.bytes(name.size() + header.layout.offset);
    if (header.unusable.empty()) {
      contents.add(name, std::move(header.layout));
      sources.push_back({i});
      continue;
    }
    const auto objects =
        header.objects ? objects_in(*archive, i, header.layout.offset, name, pickles_left, part) : nullptr;
    if (objects) {
      append(contents, *objects);
      for (std::size_t index = 0; index < objects->entries.size(); ++index) sources.push_back({i, objects, index});
    } else {
      contents.skipped.push_back({name, header.unusable});
      if (header.text_bytes == 0) continue;
      contents.words[name] = [archive, i, part, header]() {
        return ArrayWords{header.layout.shape, read_words(*archive->reader(i, ZipCheck::none, part), header, part)};
      };
    }
  }
  if (contents.entries.empty() && contents.skipped.empty() && contents.numbers.empty()) {
    place.fail(archive->entries().empty() ? "an empty ZIP archive" : "a ZIP archive without any .npy in it",
               "an .npz as numpy.savez writes it, or a .pt as torch.save does");
  }
  contents.open = [archive, place, sources = std::move(sources)](std::size_t i, ZipCheck check) {
    const auto& [entry, objects, index] = sources[i];
    if (objects) return objects->open(index, check);
    const std::string& file = archive->entries()[entry].name;
    return archive->reader(entry, check, place.array(file.substr(0, file.size() - ending.size())));
  };
  return contents;
}

}  // namespace headlight
