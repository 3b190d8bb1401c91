// Files that the program writes by itself, on every system.
#include "core/base/files/own_files.h"

#include "core/base/files/descriptor.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using namespace headlight::samples;

namespace fs = std::filesystem;

TEST_CASE("an own file is replaced whole in folders that are made for it, and read only up to a size") {
  const TempFolder folder;
  const fs::path file = folder / "watch" / "run" / "a";
  CHECK_FALSE(read_own_file(file, 100));
  CHECK(write_own_file(file, "a first, rather long text").empty());
  CHECK(write_own_file(file, "text").empty());
  CHECK(read_own_file(file, 100) == "text");
  CHECK_FALSE(read_own_file(file, 3));
  CHECK(touch_own_file(folder / "welcomed"));
  CHECK(read_own_file(folder / "welcomed", 100) == "");
}

TEST_CASE("a lock is held by one, and a killed writer's file goes with the next write") {
  const TempFolder folder;
  {
    const Descriptor lock(lock_own_file(folder / "1.lock"));
    REQUIRE(lock.open());
    CHECK_FALSE(Descriptor(lock_own_file(folder / "1.lock")).open());
  }
  CHECK(Descriptor(lock_own_file(folder / "1.lock")).open());
  write_text(folder / ".headlight-77.whole", "half of");
  CHECK(write_own_file(folder / "a", "whole").empty());
  CHECK_FALSE(fs::exists(folder / ".headlight-77.whole"));
}
