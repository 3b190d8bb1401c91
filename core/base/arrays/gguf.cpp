// .gguf, versions 2 and 3, as llama.cpp writes it: keys and values that describe the model, then its tensors.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#include <array>
#include <set>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

enum class Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, list, u64, i64, f64, count };
constexpr std::array<DType, 13> dtypes{DType::u8,  DType::i8,  DType::u16,     DType::i16, DType::u32,
                                       DType::i32, DType::f32, DType::boolean, DType::u8,  DType::u8,
                                       DType::u64, DType::i64, DType::f64};

/// Reads the header in order and counts its bytes.
class GgufHeader {
 public:
  GgufHeader(const SharedFile& file, const ErrorPlace& place)
      : place_(place), budget_(place), reader_(file, 0, place), size_(file->size()) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return size_; }
  LoadBudget& budget() { return budget_; }

  template <typename T>
  T value() {
    std::array<std::byte, sizeof(T)> raw;
    take(raw);
    T out = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) out |= static_cast<T>(static_cast<T>(raw[i]) << 8 * i);
    return out;
  }

  double number(Kind kind) {
    const DType dtype = dtypes[static_cast<std::size_t>(kind)];
    std::array<std::byte, 8> raw;
    const auto bytes = std::span(raw).first(byte_size(dtype));
    take(bytes);
    return decode_number(dtype, false, bytes);
  }

  std::string text() {
    const auto length = value<std::uint64_t>();
    need(length);
    budget_.strings(1);
    budget_.bytes(length + sizeof(std::string));
    std::string out(static_cast<std::size_t>(length), '\0');
    take(std::as_writable_bytes(std::span(out)));
    return out;
  }

  Kind kind() {
    const auto word = value<std::uint32_t>();
    if (word >= static_cast<std::uint32_t>(Kind::count))
      place_.fail(Message("its header has a value of unknown type {0}", word));
    return static_cast<Kind>(word);
  }

  void skip(std::uint64_t count) {
    need(count);
    reader_.skip(count);
    at_ += count;
  }

 private:
  void need(std::uint64_t count) const {
    if (count > size_ - at_) place_.fail("ends within its header", "a whole file");
  }
  void take(std::span<std::byte> out) {
    need(out.size());
    reader_.read(out);
    at_ += out.size();
  }

  const ErrorPlace& place_;
  LoadBudget budget_;
  FileReader reader_;
  std::uint64_t size_, at_ = 0;
};

/// Where an entry's bytes are, and how they are stored.
struct StoredTensor {
  const BlockFormat* format = nullptr;  ///< null: numbers as their layout says
  std::uint64_t offset = 0;             ///< in the file
};

void read_list(GgufHeader& header, const std::string& key, ArrayContents& contents, std::vector<StoredTensor>& stored,
               const ErrorPlace& place) {
  const Kind kind = header.kind();
  const auto count = header.value<std::uint64_t>();
  if (kind == Kind::list) place.fail(Message("its {0} is a list of lists", in_quotes(key)));
  if (kind == Kind::text) {
    ArrayWords list;
    for (std::uint64_t i = 0; i < count; ++i) list.words.push_back(header.text());
    list.shape = {static_cast<Index>(count)};
    contents.words[key] = [list = std::make_shared<const ArrayWords>(std::move(list))] { return *list; };
    return;
  }
  const DType dtype = dtypes[static_cast<std::size_t>(kind)];
  if (count > header.size()) place.fail("ends within its header", "a whole file");
  contents.add(key, {dtype, {static_cast<Index>(count)}, {1}, 0, false});
  stored.push_back({nullptr, header.at()});
  header.skip(count * byte_size(dtype));
}

void read_pair(GgufHeader& header, ArrayContents& contents, std::vector<StoredTensor>& stored,
               const ErrorPlace& place) {
  const std::string key = header.text();
  const Kind kind = header.kind();
  if (kind == Kind::text) contents.texts[key] = header.text();
  else if (kind == Kind::list) read_list(header, key, contents, stored, place);
  else contents.numbers[key] = header.number(kind);
}

/// Reads the tensor's name, shape and offset. place_tensors() checks the bytes later, when the start of the data is
/// known.
void read_tensor(GgufHeader& header, ArrayContents& contents, std::vector<StoredTensor>& stored,
                 const ErrorPlace& place) {
  header.budget().arrays(1);
  const std::string name = header.text();
  const ErrorPlace part = place.array(name);
  const auto axes = header.value<std::uint32_t>();
  if (axes > 4) part.fail(Message("has {0} axes", axes), "at most 4");
  Shape shape;
  for (std::uint32_t i = 0; i < axes; ++i) {
    const auto size = header.value<std::uint64_t>();
    if (size > std::uint64_t{1} << 40) part.fail(Message("has an axis of {0}", size));
    shape.insert(shape.begin(), static_cast<Index>(size));
  }
  const auto type = header.value<std::uint32_t>();
  const auto offset = header.value<std::uint64_t>();
  const BlockFormat* format = block_format(type);
  if (!format || !checked_count(shape)) {
    contents.skipped.push_back({name, format
                                          ? "its shape is too large"
                                          : "is of ggml's type " + std::to_string(type) + ", which is not read here"});
    return;
  }
  if (!shape.empty() && shape.back() % static_cast<Index>(format->numbers) != 0)
    part.fail(Message("has rows of {0} numbers in blocks of {1}", shape.back(), format->numbers));
  ArrayLayout layout{format->plain, shape, row_major_strides(shape), 0, false};
  contents.add(name, std::move(layout));
  stored.push_back({format, offset});
}

void place_tensors(const GgufHeader& header, std::uint64_t alignment, const ArrayContents& contents,
                   std::vector<StoredTensor>& stored, const ErrorPlace& place) {
  const std::uint64_t begin = (header.at() + alignment - 1) / alignment * alignment;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i].format) continue;
    const auto count = static_cast<std::uint64_t>(*checked_count(contents.entries[i].shape));
    const std::uint64_t bytes = count / stored[i].format->numbers * stored[i].format->bytes;
    const std::uint64_t size = header.size();
    if (begin > size || stored[i].offset > size - begin || bytes > size - begin - stored[i].offset)
      place.array(contents.entries[i].name).fail("lies beyond the end of the file", "a whole file");
    stored[i].offset += begin;
  }
}

std::string formats_of(const std::vector<StoredTensor>& stored) {
  std::set<std::string_view> names;
  for (const StoredTensor& tensor : stored) {
    if (tensor.format) names.insert(tensor.format->name);
  }
  return comma_list(names);
}

}  // namespace

ArrayContents open_gguf(const SharedFile& file, const ErrorPlace& place) {
  GgufHeader header(file, place);
  header.skip(4);
  const auto version = header.value<std::uint32_t>();
  if (version < 2 || version > 3)
    place.fail(Message("is GGUF of version {0}", version), "version 2 or 3, little-endian");
  const auto tensors = header.value<std::uint64_t>(), pairs = header.value<std::uint64_t>();
  ArrayContents contents;
  std::vector<StoredTensor> stored;
  for (std::uint64_t i = 0; i < pairs; ++i) read_pair(header, contents, stored, place);
  for (std::uint64_t i = 0; i < tensors; ++i) read_tensor(header, contents, stored, place);
  const auto found = contents.numbers.find("general.alignment");
  const double alignment = found == contents.numbers.end() ? 32 : found->second;
  if (!(alignment >= 1 && alignment <= 1 << 20)) place.fail("its general.alignment is no number of bytes");
  place_tensors(header, static_cast<std::uint64_t>(alignment), contents, stored, place);
  contents.texts["gguf.formats"] = formats_of(stored);
  contents.open = [file, place, stored = std::move(stored)](std::size_t i, ZipCheck) -> std::unique_ptr<ByteReader> {
    auto bytes = std::make_unique<FileReader>(file, stored[i].offset, place);
    if (!stored[i].format || !stored[i].format->decode) return bytes;
    return block_reader(std::move(bytes), *stored[i].format);
  };
  return contents;
}

}  // namespace headlight
