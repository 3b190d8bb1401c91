// .safetensors: the header's length in eight bytes, a JSON header, then the tensors one after the other.
// https://huggingface.co/docs/safetensors; as strict as its reference implementation.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/message.h"

namespace headlight {
namespace {

using nlohmann::json;

constexpr std::uint64_t longest_header = 100'000'000;  // the limit of the reference implementation

struct Item {
  std::string name;
  std::string dtype;
  Shape shape;
  std::vector<Index> offsets;
};

/// Checks the header while it is parsed, so that no JSON that is deeper or larger than a header is built in memory.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(const ErrorPlace& file) : file_(file), budget_(file) {}

  std::vector<Item> items;
  std::map<std::string, std::string, std::less<>> metadata;

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top) {
      place_ = key_ == "__metadata__" ? Place::metadata : Place::item;
      if (place_ == Place::item) budget_.arrays(1);
      if (place_ == Place::item) items.push_back({key_, {}, {}, {}});
      field_.clear();
    } else {
      unexpected("an object");
    }
    return true;
  }
  bool end_object() override {
    if (place_ == Place::item) {
      const Item& item = items.back();
      if (item.dtype.empty() || item.offsets.size() != 2) {
        file_.array(item.name).fail_damaged("its entry in the header lacks dtype, shape or data_offsets");
      }
    }
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }
  bool start_array(std::size_t) override {
    if (place_ != Place::item || (field_ != "shape" && field_ != "data_offsets")) unexpected("a list");
    numbers().clear();
    place_ = Place::list;
    return true;
  }
  bool end_array() override {
    place_ = Place::item;
    return true;
  }
  bool key(string_t& text) override {
    (place_ == Place::top ? key_ : field_) = text;
    return true;
  }
  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      budget_.strings(2);
      budget_.bytes(field_.size() + text.size() + 2 * sizeof(std::string));
      metadata[field_] = text;
    } else if (place_ == Place::item && field_ == "dtype") {
      items.back().dtype = text;
    } else if (place_ != Place::item || is_known_field()) {
      unexpected("a string");
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::list) return scalar("a number");
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<Index>::max())) {
      file_.array(key_).fail_damaged(Message("its {0} has a number beyond 2^63", field_));
    }
    constexpr std::size_t most_axes = 64;
    if (numbers().size() >= most_axes)
      file_.array(key_).fail_damaged(Message("its {0} has more than {1} numbers", field_, most_axes));
    numbers().push_back(static_cast<Index>(value));
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (place_ != Place::list) return scalar("a number");
    file_.array(key_).fail_damaged(Message("its {0} has a negative number, {1}", field_, value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    if (place_ != Place::list) return scalar("a number");
    file_.array(key_).fail_damaged(Message("its {0} has {1}, which is no size", field_, in_quotes(text)));
  }
  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a bool"); }
  bool binary(binary_t&) override { return scalar("bytes"); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    file_.fail(Message("its header is not JSON (at byte {0})", at + 8),
               "a file as safetensors.torch.save_file writes it");
  }

 private:
  enum class Place { outside, top, item, metadata, list };

  bool is_known_field() const { return field_ == "dtype" || field_ == "shape" || field_ == "data_offsets"; }
  std::vector<Index>& numbers() { return field_ == "shape" ? items.back().shape : items.back().offsets; }
  bool scalar(const char* what) {
    if (place_ != Place::item || is_known_field()) unexpected(what);
    return true;
  }
  [[noreturn]] void unexpected(const char* what) const {
    file_.fail(place_ == Place::outside ? Message("its header has {0} where none belongs", what)
                                        : Message("its header has {0} at {1} where none belongs", what,
                                                  in_quotes(place_ == Place::top ? key_ : field_)),
               R"({"name": {"dtype": …, "shape": […], "data_offsets": [first, end]}, …})");
  }

  const ErrorPlace& file_;
  LoadBudget budget_;
  Place place_ = Place::outside;
  std::string key_;    // at the top level: the name of an array
  std::string field_;  // the field of this array
};

std::string read_header(const SharedFile& file, const ErrorPlace& place) {
  const std::uint64_t file_size = file->size();
  if (file_size < 8) place.fail("ends inside its header's length", "a file as safetensors.torch.save_file writes it");
  FileReader reader(file, 0, place);
  std::array<std::byte, 8> raw{};
  reader.read(raw);
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) length |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
  if (length > file_size - 8) {
    place.fail(Message("says its header has {0}, but {1} follow", byte_count(length), byte_count(file_size - 8)),
               "a whole file as safetensors.torch.save_file writes it");
  }
  if (length > longest_header)
    place.fail(Message("its header has {0}", byte_count(length)), Message("at most {0}", byte_count(longest_header)));
  std::string header(static_cast<std::size_t>(length), '\0');
  reader.read(std::as_writable_bytes(std::span(header)));
  return header;
}

/// Checks the format's rule: the arrays have no gaps between them and fill the file.
void check_offsets(const std::vector<Item>& items, std::uint64_t data_size, const ErrorPlace& place) {
  std::vector<const Item*> order;
  for (const Item& item : items) order.push_back(&item);
  std::sort(order.begin(), order.end(), [](const Item* a, const Item* b) { return a->offsets < b->offsets; });
  Index end = 0;
  for (const Item* item : order) {
    const ErrorPlace part = place.array(item->name);
    if (item->offsets[1] < item->offsets[0]) part.fail_damaged("its data_offsets end before they begin");
    if (static_cast<std::uint64_t>(item->offsets[1]) > data_size) {
      part.fail_damaged(
          Message("its data_offsets end at byte {0}, but the file has {1} bytes of data", item->offsets[1], data_size));
    }
    if (item->offsets[0] < end) part.fail_damaged("its data_offsets overlap those of another array");
    if (item->offsets[0] > end) part.fail_damaged("its data_offsets leave a hole before it");
    end = item->offsets[1];
  }
  if (static_cast<std::uint64_t>(end) != data_size) {
    place.fail_damaged(
        Message("{0} at its end belong to no array", byte_count(data_size - static_cast<std::uint64_t>(end))));
  }
}

void check_size(const Item& item, DType dtype, const ErrorPlace& place) {
  const std::optional<Index> count = checked_count(item.shape);
  if (!count) place.fail_damaged(Message("its shape {0} is larger than any memory", to_string(item.shape)));
  const std::uint64_t bytes = static_cast<std::uint64_t>(*count) * byte_size(dtype);
  const auto have = static_cast<std::uint64_t>(item.offsets[1] - item.offsets[0]);
  if (bytes != have) {
    place.fail_damaged(Message("its shape {0} of {1} needs {2}, but its data_offsets span {3}", to_string(item.shape),
                               std::string(name(dtype)), byte_count(bytes), byte_count(have)));
  }
}

}  // namespace

ArrayContents open_safetensors(const SharedFile& file, const ErrorPlace& place) {
  const std::string text = read_header(file, place);
  HeaderReader header(place);
  json::sax_parse(text, &header);
  const std::uint64_t data_start = 8 + text.size();
  check_offsets(header.items, file->size() - data_start, place);

  ArrayContents contents;
  contents.texts = std::move(header.metadata);
  for (Item& item : header.items) {
    const std::optional<DType> dtype = dtype_called(item.dtype, &DTypeNames::safetensors);
    if (!dtype) {
      contents.skipped.push_back({item.name, Message("its dtype {0} is not read", in_quotes(item.dtype))});
      if (item.dtype != "F8_E4M3") continue;
      // The raw bytes: Checkpoint applies the scales that belong to them.
      item.name = std::string(fp8_bits) + item.name;
      item.dtype = "U8";
    }
    const DType stored = dtype.value_or(DType::u8);
    check_size(item, stored, place.array(item.name));
    ArrayLayout layout{stored, std::move(item.shape), {}, static_cast<std::uint64_t>(item.offsets[0]), false};
    layout.strides = row_major_strides(layout.shape);
    contents.add(std::move(item.name), std::move(layout));
  }
  contents.open = [file, place, data_start](std::size_t, ZipCheck) {
    return std::make_unique<FileReader>(file, data_start, place);
  };
  return contents;
}

}  // namespace headlight
