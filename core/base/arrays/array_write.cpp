#include "core/base/arrays/array_write.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/byte_reader.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

/// The bytes of a .npy, made in parts, so that no second copy of all numbers is held.
class NpyBytes final : public EntryBytes {
 public:
  NpyBytes(const Tensor& values, bool boolean)
      : values_(values.is_contiguous() ? values : values.contiguous()),
        boolean_(boolean),
        header_(npy_header(values.shape(), boolean ? "|b1" : "<f4")) {}

  std::uint64_t size() const override { return header_.size() + static_cast<std::uint64_t>(values_.count()) * width(); }
  void rewind() override { at_ = 0; }

  std::size_t read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size() && at_ < size()) {
      const std::size_t count = at_ < header_.size() ? read_header(out.subspan(done)) : read_numbers(out.subspan(done));
      at_ += count;
      done += count;
    }
    return done;
  }

 private:
  std::size_t width() const { return boolean_ ? 1 : sizeof(float); }

  std::size_t read_header(std::span<std::byte> out) const {
    const std::size_t first = static_cast<std::size_t>(at_);
    const std::size_t count = std::min(out.size(), header_.size() - first);
    std::memcpy(out.data(), header_.data() + first, count);
    return count;
  }

  /// Reads from byte at_ on, which may lie inside a number; float32 in little-endian order.
  std::size_t read_numbers(std::span<std::byte> out) {
    const std::uint64_t byte = at_ - header_.size();
    const auto count =
        static_cast<std::size_t>(std::min({std::uint64_t{out.size()}, size() - at_, std::uint64_t{1} << 20}));
    const std::uint64_t first = byte / width(), end = (byte + count + width() - 1) / width();
    numbers_.resize(static_cast<std::size_t>(end - first));
    values_.read(static_cast<Index>(first), static_cast<Index>(end - first), numbers_.data());
    if (boolean_) {
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(numbers_[i] != 0.0f);
      return count;
    }
    const auto begin = static_cast<std::size_t>(byte % width());
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(out.data(), std::as_bytes(std::span(numbers_)).data() + begin, count);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(numbers_[(begin + i) / 4]);
        out[i] = static_cast<std::byte>(bits >> (8 * ((begin + i) % 4)));
      }
    }
    return count;
  }

  Buffer numbers_;
  Tensor values_;
  bool boolean_;
  std::string header_;
  std::uint64_t at_ = 0;
};

/// A .npy of one text of ASCII, as numpy.array("H,q,k") is stored: '<U5', four bytes a character.
class NpyText final : public EntryBytes {
 public:
  explicit NpyText(std::string_view text) : bytes_(npy_header({}, "<U" + std::to_string(text.size()))) {
    for (const char c : text) bytes_ += {c, '\0', '\0', '\0'};
  }
  std::uint64_t size() const override { return bytes_.size(); }
  void rewind() override { at_ = 0; }
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - at_);
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

void append_number(std::string& text, float value) {
  if (std::isnan(value)) {
    text += "nan";  // whatever its sign bit is
    return;
  }
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

std::string shape_list(const Shape& shape) {
  std::string text = "[";
  for (const Index size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void append_lists(std::string& text, const Shape& shape, std::span<const float> numbers, bool boolean) {
  if (shape.empty()) {
    const float value = numbers.front();
    if (boolean) {
      text += value != 0 ? "true" : "false";
    } else {
      if (!std::isfinite(value)) text += '"';
      append_number(text, value);
      if (!std::isfinite(value)) text += '"';
    }
    return;
  }
  const Shape inner(shape.begin() + 1, shape.end());
  const auto length = static_cast<std::size_t>(element_count(inner));
  text += '[';
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.front()); ++i) {
    if (i > 0) text += inner.empty() ? ", " : ",\n";
    append_lists(text, inner, numbers.subspan(i * length, length), boolean);
  }
  text += ']';
}

}  // namespace

void write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  assert(!arrays.empty());  // libzip writes no file for an empty archive
  write_whole_file(path, [&](const std::filesystem::path& temporary) {
    ZipWriter writer(temporary, path);
    for (const NamedArray& array : arrays)
      writer.add(array.name + ".npy", std::make_unique<NpyBytes>(array.values, array.boolean));
    const auto said = std::ranges::find_if(arrays, [](const NamedArray& array) { return !array.axes.empty(); });
    if (said != arrays.end()) writer.add("axes.npy", std::make_unique<NpyText>(said->axes));
    writer.close();
  });
}

void write_npy(const std::filesystem::path& path, const Tensor& values, bool boolean) {
  if (!boolean && std::endian::native == std::endian::little) {  // the numbers are written from memory, without a copy
    const Tensor packed = values.contiguous();
    const std::string header = npy_header(packed.shape(), "<f4");
    return write_whole_file(path, std::array{std::as_bytes(std::span(header)), std::as_bytes(packed.values())});
  }
  NpyBytes npy(values, boolean);
  std::vector<std::byte> bytes(static_cast<std::size_t>(npy.size()));
  npy.read(bytes);
  write_whole_file(path, bytes);
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::vector<Tensor> packed;
  std::size_t offset = 0;
  for (const NamedArray& array : arrays) {
    packed.push_back(array.values.contiguous());
    const std::size_t end = offset + packed.back().values().size_bytes();
    header[array.name] = {{"dtype", "F32"}, {"shape", array.values.shape()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  std::string start(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) start[i] = static_cast<char>(length >> (8 * i) & 0xff);
  start += text;
  std::vector<std::span<const std::byte>> parts{std::as_bytes(std::span(start))};
  for (const Tensor& tensor : packed) {
    static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");
    parts.push_back(std::as_bytes(tensor.values()));
  }
  write_whole_file(path, parts);
}

std::string csv_text(const MatrixView& matrix) {
  std::string text;
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (col > 0) text += ',';
      append_number(text, matrix(row, col));
    }
    text += '\n';
  }
  return text;
}

void write_csv(const std::filesystem::path& path, const MatrixView& matrix) {
  write_whole_file(path, csv_text(matrix));
}

void write_json(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  std::string text = "{";
  for (const NamedArray& array : arrays) {
    const Tensor values = array.values.contiguous();
    text += (text.size() > 1 ? ",\n\"" : "\n\"") + array.name + "\": {\"dtype\": \"";
    text.append(array.boolean ? "bool" : "float32").append("\", \"shape\": ").append(shape_list(values.shape()));
    if (!array.axes.empty()) text += ", \"axes\": \"" + array.axes + '"';
    text += ", \"values\":\n";
    append_lists(text, values.shape(), values.values(), array.boolean);
    text += '}';
  }
  text += "\n}\n";
  write_whole_file(path, text);
}

const ArrayFormat* array_format(std::string_view ending) {
  const auto found = std::ranges::find(array_formats, ending, &ArrayFormat::ending);
  return found == array_formats.end() ? nullptr : &*found;
}

std::vector<const char*> number_endings(Capacity needed) {
  std::vector<const char*> endings;
  for (const ArrayFormat& format : array_formats) {
    if (format.capacity >= needed) endings.push_back(format.ending);
  }
  return endings;
}

}  // namespace headlight
