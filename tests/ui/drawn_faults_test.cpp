// Tests drawn_faults() with a picture without faults and with one fault of each kind.
#include "tests/ui/drawn_faults.h"

#include "tests/catch.h"

using namespace headlight;
using namespace headlight::test;

namespace {

const Look& ink() { return look(Theme::light); }

RecordedText word(const char* text, ImVec2 min, float pixels = 13, Face face = Face::ui) {
  return {text,   min,          {min.x + 8 * static_cast<float>(std::string_view(text).size()), min.y + pixels},
          {0, 0}, {1000, 1000}, face,
          pixels, ink().ink,    false};
}

std::vector<std::string> faults(Record record, std::vector<MatrixQuad> quads = {}) {
  return drawn_faults({record, quads, ink(), true});
}

bool says(const std::vector<std::string>& found, const char* what) {
  return found.size() == 1 && found[0].find(what) != std::string::npos;
}

MatrixQuad quad(float value) {
  MatrixQuad made;
  made.min = {0, 0};
  made.max = {100, 100};
  made.values = Tensor::of({1, 1}, {value});
  return made;
}

}  // namespace

TEST_CASE("drawn_faults finds no fault in a picture without one") {
  Record record;
  record.texts = {word("weights", {10, 10}), word("head 0", {90, 10}), word("0.47", {30, 40}, 12, Face::mono)};
  record.lines = {{{0, 60}, {300, 60}}};
  CHECK(faults(record, {quad(0.4698f)}).empty());
}

TEST_CASE("drawn_faults finds words that overlap, also partly or clipped, but not neighbours") {
  CHECK(says(faults({{word("weights", {10, 10}), word("head 0", {40, 14})}, {}}), "crosses"));
  RecordedText hidden = word("head 0", {40, 14});
  hidden.clip_max = {39, 1000};
  CHECK(faults({{word("weights", {10, 10}), hidden}, {}}).empty());
  CHECK(faults({{word("weights", {10, 10}), word("head 0", {10, 23})}, {}}).empty());
}

TEST_CASE("drawn_faults finds an arrow through a word") {
  CHECK(says(faults({{word("softmax", {10, 10})}, {{{0, 16}, {30, 16}, {90, 16}}}}), "an arrow goes through"));
}

TEST_CASE("drawn_faults finds a shortened title, in one text or in two, and allows shortened names") {
  CHECK(says(faults({{word("scaled_…", {10, 10})}, {}}), "no whole title"));
  Record two{{word("masked_sc", {10, 10}), word("…", {82, 10})}, {}};
  CHECK(says(faults(two), "no whole title"));
  CHECK(faults({{word("incomprehensib", {10, 10}), word("…", {122, 10})}, {}}).empty());
}

TEST_CASE("drawn_faults finds a number that is cut, and text that is cut at an edge") {
  Record cut{{word("0.4", {10, 10}, 12, Face::mono), word("…", {34, 10}, 12, Face::mono)}, {}};
  CHECK(says(faults(cut), "no whole number"));
  RecordedText beyond = word("soft-cap 20", {950, 10});
  CHECK(says(faults({{beyond}, {}}), "cut at an edge"));
}

TEST_CASE("drawn_faults finds a hyphen that stands for a minus sign, but not in a name, a date or code") {
  CHECK(says(faults({{word("× -0.5", {10, 10})}, {}}), "a hyphen for a minus sign"));
  CHECK(says(faults({{word("-3.5", {10, 10}, 12, Face::mono)}, {}}), "a hyphen for a minus sign"));
  for (const char* right : {"−3.5", "GPT-2", "2026-11-27", "top-k", "scaled-dot"})
    CHECK(faults({{word(right, {10, 10})}, {}}).empty());
  CHECK(faults({{word("K.transpose(-2, -1)", {10, 10}, 13, Face::mono)}, {}}).empty());
}

TEST_CASE("drawn_faults finds small and faint text") {
  CHECK(says(faults({{word("Σ", {10, 10}, 11)}, {}}), "px"));
  CHECK(says(faults({{word("0.5", {10, 10}, 11, Face::mono)}, {}}), "px"));
  RecordedText faint = word("head 0", {10, 10});
  faint.colour = IM_COL32(150, 150, 150, 255);
  CHECK(says(faults({{faint}, {}}), "contrast"));
}

TEST_CASE("drawn_faults finds a number that differs from its cell: 0 for −0.436, 1 for 0.71, −1 for −0.748") {
  for (const auto& [text, value] :
       {std::pair("0", -0.436f), std::pair("1", 0.71f), std::pair("−1", -0.748f), std::pair("0.5", 0.53f)}) {
    CAPTURE(text);
    CHECK(says(faults({{word(text, {30, 40}, 12, Face::mono)}, {}}, {quad(value)}), "stands for"));
  }
  CHECK(faults({{word("−.44", {30, 40}, 12, Face::mono)}, {}}, {quad(-0.436f)}).empty());
}
