// Random input for the headless window, reproducible from a seed.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "tests/ui/headless.h"

namespace headlight::test {

class Monkey {
 public:
  /// `dropped`: paths of files that it drops on the window, in addition to lessons; they must outlive it.
  explicit Monkey(std::uint64_t seed, std::span<const std::string> dropped = {});

  /// One random user action, and a few frames.
  void step(HeadlessWindow& window);
  /// Draws frames until no computation is running; false if that takes too long.
  bool settle(HeadlessWindow& window);
  /// The last steps as text.
  std::string story() const;
  /// A random number below `count`.
  std::size_t below(std::size_t count);
  /// A random document to start with.
  Document document();

 private:
  void act(HeadlessWindow& window);
  ImVec2 place(const HeadlessWindow& window);
  void did(std::string what);

  std::uint64_t state_;
  std::span<const std::string> dropped_;
  std::deque<std::string> story_;
};

}  // namespace headlight::test
