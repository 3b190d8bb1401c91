// What is open to be read locks nobody out, as Windows would by itself.
#include "core/base/files/file_reading.h"

#include <chrono>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/files/byte_reader.h"
#include "core/base/files/whole_file.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;

namespace {

std::string all_of(const OpenFile& file) {
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

TEST_CASE("a file that is open can be replaced, and who has it open reads the old one") {
  const samples::TempFolder folder;
  samples::write_text(folder / "a", "old");
  const OpenFile open(folder / "a", ErrorPlace{"a"});
  write_whole_file(folder / "a", std::string("the new one"));
  CHECK(samples::read_bytes(folder / "a") == "the new one");
  CHECK(all_of(open) == "old");
}

TEST_CASE("a file that is open can be written in place and removed") {
  const samples::TempFolder folder;
  samples::write_text(folder / "a", "old");
  const OpenFile open(folder / "a", ErrorPlace{"a"});
  samples::write_text(folder / "a", "new");
  CHECK(all_of(open) == "new");
  std::error_code error;
  CHECK(std::filesystem::remove(folder / "a", error));
}

TEST_CASE("bytes beyond the end of a file are not read") {
  const samples::TempFolder folder;
  samples::write_text(folder / "a", "0123456789");
  const OpenFile open(folder / "a", ErrorPlace{"a"});
  std::string text(6, '?');
  CHECK(open.read(7, std::as_writable_bytes(std::span(text))) == 3);
  CHECK(text == "789???");
  CHECK(open.read(20, std::as_writable_bytes(std::span(text))) == 0);
}

TEST_CASE("a file with a name of any language takes the place of one that is there") {
  const samples::TempFolder folder;
  const std::filesystem::path other = folder.path() / std::filesystem::path(u8"Größe 大小");
  samples::write_text(folder / "new", "new");
  samples::write_text(other, "old");
  CHECK(!replace_file(folder / "new", other));
  CHECK(samples::read_bytes(other) == "new");
  CHECK(replace_file(folder / "not there", other));
}

TEST_CASE("a file's time of change is that of the clock, finer than a second") {
  const samples::TempFolder folder;
  using Clock = std::filesystem::file_time_type::clock;
  const auto near = [](std::filesystem::file_time_type time) {
    return std::chrono::abs(Clock::now() - time) < std::chrono::minutes(1);
  };
  std::error_code error;
  const auto whole = [](auto time) {
    return time.time_since_epoch() % std::chrono::seconds(1) == Clock::duration::zero();
  };
  bool finer = false;
  for (int i = 0; i < 5 && !finer; ++i) {
    samples::write_text(folder / "a", "new");
    const auto time = change_time(folder / "a", error);
    CHECK(near(time));
    finer = !whole(time);
  }
  CHECK(finer);
  change_time(folder / "not there", error);
  CHECK(error);
}
