#include "ui/base/frame/pictures.h"

#include <string>

#include "tests/allocations.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

struct Sum {
  int value = 0;
};
struct Name {
  std::string text;
};

}  // namespace

TEST_CASE(
    "a picture is made anew only where a part that it is made from differs, and allocates nothing where none does") {
  Pictures pictures;
  int made = 0;
  const std::string part = "a text that is too long to be kept in the string itself";
  const auto get = [&](int other) { return pictures.get<Sum>([&] { return Sum{++made}; }, part, other).value; };
  CHECK(get(1) == 1);
  const std::size_t before = allocations_of_this_thread();
  CHECK(get(1) == 1);
  CHECK(allocations_of_this_thread() == before);
  CHECK(get(2) == 2);
  CHECK(get(1) == 3);
  CHECK(pictures.find<Name>() == nullptr);
  CHECK(pictures.find<Sum>()->value == 3);
}

TEST_CASE(
    "a picture of a trace that is gone is let go of unless it is looked at; one that is made from no trace stays") {
  Pictures pictures;
  auto trace = std::make_shared<const int>(1);
  const std::weak_ptr<const int> old = trace;
  const auto frame = [&](bool looks_at_sum) {
    pictures.begin_frame(trace.get());
    if (looks_at_sum) pictures.get<Sum>([] { return Sum(); }, trace);
    pictures.end_frame();
  };
  pictures.begin_frame(trace.get());
  pictures.get<Sum>([] { return Sum(); }, trace);
  pictures.get<Name>([] { return Name{"always the same"}; });
  pictures.end_frame();
  frame(false);
  CHECK(pictures.find<Sum>() != nullptr);  // it may be shown again
  trace = std::make_shared<const int>(2);
  SECTION("not looked at") {
    frame(false);
    CHECK(pictures.find<Sum>() == nullptr);
  }
  SECTION("looked at") {
    frame(true);
    CHECK(pictures.find<Sum>() != nullptr);
  }
  CHECK(old.expired());
  CHECK(pictures.find<Name>() != nullptr);
}

TEST_CASE("a picture that follows the pointer is kept for the last places, while what it is made from stays") {
  Pictures pictures;
  int made = 0;
  std::string part = "a text that is too long to be kept in the string itself";
  const auto get = [&](int place) {
    return pictures
        .get_at<Sum>(
            place, [&] { return Sum{100 * ++made + place}; }, part)
        .value;
  };
  CHECK(get(1) == 101);
  CHECK(get(2) == 202);
  CHECK(pictures.find_last<Sum, int>()->value == 202);
  const std::size_t before = allocations_of_this_thread();
  CHECK(get(1) == 101);
  CHECK(allocations_of_this_thread() == before);
  CHECK(pictures.find_last<Sum, int>()->value == 101);
  for (int place = 3; place < 1000; ++place) get(place);  // so many are not kept
  CHECK(get(999) == 100 * 999 + 999);
  CHECK(get(1) == 100 * 1000 + 1);
  CHECK(get(999) == 100 * 999 + 999);
  CHECK(pictures.followed() == 1000);
  CHECK(pictures.made() == 0);
  part = "another text that is too long to be kept in the string itself";
  CHECK(get(999) == 100 * 1001 + 999);
  CHECK(pictures.find_last<Name, int>() == nullptr);
}
