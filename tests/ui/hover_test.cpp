// What moving the pointer costs, in every view.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// A view of a document. Its scenario has texts that do not fit into a string without an allocation, so that a copy of
/// it is counted.
struct Place {
  std::string name;
  Document document;
  bool pins = false;       ///< compared with itself
  std::size_t points = 0;  ///< at least so many points have something under the pointer
};

Document a_network() {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = "the cat that chases the dogs sleeps";
  return document;
}

Document a_sentence() {
  Document document = sentence();
  document.scenario.mask = "causal() && window(3)";
  return document;
}

std::vector<Place> all_places() {
  std::vector<Place> places;
  const auto add = [&](std::string name, Document document, const std::function<void(View&)>& set) -> Place& {
    set(document.view);
    return places.emplace_back(Place{std::move(name), std::move(document)});
  };
  for (const ViewEntry& view : all_views()) {
    const auto shows = [&](View& v) { v.kind = view.kind; };
    const bool compares = view.kind == ViewKind::compare;
    const bool has_matrices =
        view.kind != ViewKind::network && view.kind != ViewKind::train && view.kind != ViewKind::lesson;
    const auto place = [&](const char* of, Document document) {
      Place& made = add(std::string(view.word) + of, std::move(document), shows);
      made.pins = compares;
      if (has_matrices) made.points = 30;
      return &made;
    };
    place(" of a sentence", a_sentence());
    place(" of many rows", random_document(70, 16, 4));
    Place* const of_network = place(" of a network", a_network());
    if (view.kind == ViewKind::network) of_network->points = 10;
  }
  for (const MaskTabEntry& tab : all_mask_tabs()) {
    add("mask " + std::string(name(tab.tab)), a_sentence(), [&](View& v) {
      v.kind = ViewKind::mask;
      v.mask_lab.tab = tab.tab;
    });
  }
  const auto level = [&](const char* name, Level shown, Facet facet, bool network, std::size_t points) {
    Place& made = add(name, network ? a_network() : a_sentence(), [=](View& v) {
      v.levels.level = shown;
      v.levels.facet = facet;
      v.presenting = shown == Level::pipeline;
    });
    made.points = points;
  };
  level("the sentence", Level::sentence, Facet::step, false, 5);
  level("the sentence of a network", Level::sentence, Facet::step, true, 5);
  level("a step", Level::operation, Facet::step, true, 0);
  level("a journey", Level::operation, Facet::journey, true, 20);
  level("the geometry", Level::operation, Facet::geometry, true, 20);
  level("the next word", Level::operation, Facet::next, true, 0);
  level("why", Level::operation, Facet::why, true, 0);
  level("the pipeline, presented", Level::pipeline, Facet::step, true, 20);
  add("what depends on a cell", a_sentence(), [](View& v) { v.reaches = true; });
  return places;
}

void open(HeadlessWindow& window, const Place& place) {
  window.settle();
  if (place.pins) window.press('a');
  window.settle();
}

/// Points of the window where something is under the pointer: cells, words, cards, heads. At most fifty.
std::vector<ImVec2> points_of(HeadlessWindow& window) {
  std::vector<ImVec2> points, some;
  for (float y = 31; y < 900; y += 53) {
    for (float x = 17; x < 1600; x += 61) {
      const NetworkChoice before = window.document().view.network;
      window.move({x, y});
      window.frame();
      const View& view = window.document().view;
      if (!(view.pointed == Pointed{}) || view.network != before) points.push_back({x, y});
    }
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(points.size(), 50); ++i)
    some.push_back(points[i * points.size() / std::min<std::size_t>(points.size(), 50)]);
  return some;
}

/// Moves the pointer a hundred times, far each time, and stays a frame at each place.
void hover(HeadlessWindow& window, const std::vector<ImVec2>& points) {
  constexpr std::size_t stride = 37;
  for (std::size_t i = 0; i < 100; ++i) {
    window.move(points.empty() ? ImVec2{16.0f * static_cast<float>(i), 450} : points[i * stride % points.size()]);
    window.frame();
  }
  window.frame();
}

}  // namespace

TEST_CASE("a hundred hovers make no picture anew; where the pointer was before, they compute and allocate nothing") {
  for (const Place& place : all_places()) {
    HeadlessWindow window(place.document);
    open(window, place);
    INFO(place.name);
    const Pictures& pictures = window.session.pictures();
    const std::size_t made = pictures.made();
    const std::vector<ImVec2> points = points_of(window);
    CHECK(points.size() >= place.points);
    CHECK(pictures.made() == made);
    hover(window, points);
    const std::size_t followed = pictures.followed(), allocated = allocations_of_this_thread();
    hover(window, points);
    CHECK(allocations_of_this_thread() == allocated);
    CHECK(pictures.followed() == followed);
    CHECK(pictures.made() == made);
  }
}

TEST_CASE("the processor time of a hundred hovers", "[.time]") {
  for (const Place& place : all_places()) {
    HeadlessWindow window(place.document);
    open(window, place);
    const std::vector<ImVec2> points = points_of(window);
    const auto milliseconds = [&] {
      const std::clock_t begun = std::clock();
      hover(window, points);
      return 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    };
    double least = 1e9;
    for (int round = 0; round < 5; ++round) least = std::min(least, milliseconds());
    const std::size_t before = allocations_of_this_thread();
    hover(window, points);
    std::printf("%-32s %8.1f ms %7zu allocations %4zu points\n", place.name.c_str(), least,
                allocations_of_this_thread() - before, points.size());
  }
}
