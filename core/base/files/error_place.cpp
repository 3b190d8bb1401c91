#include "core/base/files/error_place.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"

namespace headlight {
namespace {

struct Signature {
  std::string_view head;
  const char* kind;
};

using namespace std::string_view_literals;
constexpr std::array signatures = {
    Signature{"\x89PNG"sv, "a PNG picture"},
    Signature{"\xff\xd8\xff"sv, "a JPEG picture"},
    Signature{"GIF8"sv, "a GIF picture"},
    Signature{"%PDF"sv, "a PDF document"},
    Signature{"\x89HDF"sv, "an HDF5 file"},
    Signature{"\x1f\x8b"sv, "a gzip archive"},
    Signature{"7z\xbc\xaf"sv, "a 7-Zip archive"},
    Signature{"BZh"sv, "a bzip2 archive"},
    Signature{"\xfd"
              "7zXZ"sv,
              "an xz archive"},
    Signature{"GGUF"sv, "a GGUF model"},
    Signature{"\x7f"
              "ELF"sv,
              "a program"},
    Signature{"MATLAB"sv, "a MATLAB file"},
    Signature{"version https://git-lfs"sv, "a Git LFS pointer; the real file is fetched by git lfs pull"},
    Signature{"<!DOCTYPE"sv, "a web page"},
    Signature{"<html"sv, "a web page"},
    Signature{"PK\x03\x04"sv, "a ZIP archive"},
    Signature{"\x93NUMPY"sv, "a NumPy array"},
    Signature{"\x80\x02"sv, "a pickle"},
    Signature{"\x80\x03"sv, "a pickle"},
    Signature{"\x80\x04"sv, "a pickle"},
    Signature{"\x80\x05"sv, "a pickle"},
};

const Signature* recognise(std::string_view head) {
  const auto it = std::find_if(signatures.begin(), signatures.end(),
                               [&](const Signature& s) { return head.substr(0, s.head.size()) == s.head; });
  return it == signatures.end() ? nullptr : &*it;
}

std::string escape(unsigned char byte) { return formatted("\\x%02x", static_cast<unsigned>(byte)); }

/// The length of the well-formed UTF-8 sequence at the front (RFC 3629), or 0.
std::size_t sequence_length(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD, which also stands for what is not well-formed
  std::size_t length = 0;
  if (text.empty()) return 0;
  return next_character(text, length) != U'\uFFFD' || text.starts_with(replacement) ? length : 0;
}

}  // namespace

void ErrorPlace::fail(const Message& wrong, const Message& expected) const {
  throw FileError(path, part.empty() ? Message(wrong) : Message("{0}: {1}", part, wrong),
                  Message(expected.empty() ? "{0}" : "expected {0}", expected));
}

void ErrorPlace::fail_damaged(const Message& wrong) const { fail(wrong, "a whole file, as its own library writes it"); }

ErrorPlace ErrorPlace::array(std::string_view name) const { return {path, {"array {0}", in_quotes(name)}}; }

Message in_quotes(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= 60) {
      shown += "…";
      break;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = sequence_length(text.substr(i));
    // U+0080 to U+009F are control characters too.
    const bool control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    if (length == 0 || control) {
      shown += escape(byte);
      ++i;
    } else {
      shown += text.substr(i, length);
      i += length;
    }
  }
  return {"\"{0}\"", shown};
}

Message first_in_quotes(const std::vector<std::string>& names, std::size_t most) {
  const std::string list = comma_list(std::span(names).first(std::min(names.size(), most)),
                                      [](const std::string& name) { return in_quotes(name).english(); });
  return names.size() > most ? Message("{0} and {1} more", list, names.size() - most) : Message(list);
}

Message byte_count(std::uint64_t bytes) {
  if (bytes < 10'000) return {bytes == 1 ? "{0} byte" : "{0} bytes", bytes};
  constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double amount = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; amount >= 1000 && unit + 1 < units.size(); ++unit) amount /= 1000;
  return formatted("%.1f %s", amount, units[unit]);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Message first_look(std::string_view head) {
  if (head.empty()) return {};
  if (const Signature* known = recognise(head)) {
    return {"starts with {0}, {1}", in_quotes(known->head), known->kind};
  }
  return is_utf8(head.substr(0, 8)) ? "it starts like a text" : "its first bytes are of no format that is known here";
}

bool is_something_else(std::string_view head) { return recognise(head) != nullptr; }

}  // namespace headlight
