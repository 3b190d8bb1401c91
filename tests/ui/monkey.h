// A monkey at the headless window: from a seed, it does what hands could do, and can do it again.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "tests/ui/headless.h"

namespace headlight::test {

class Monkey {
 public:
  /// `dropped`: the paths of what it drops on the window beside lessons; they outlive it.
  explicit Monkey(std::uint64_t seed, std::span<const std::string> dropped = {});

  /// One thing that a person could do, and a frame or a few of it.
  void step(HeadlessWindow& window);
  /// Frames until nothing is computed any more; false where that takes more than it ever should.
  bool settle(HeadlessWindow& window);
  /// The last steps, in words.
  std::string story() const;
  /// Below `count`.
  std::size_t below(std::size_t count);
  /// One to begin with.
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
