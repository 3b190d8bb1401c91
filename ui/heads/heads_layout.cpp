#include "ui/heads/heads_layout.h"

#include <algorithm>

namespace headlight {

std::vector<Rect> lay_out_heads(Index count, Rect box, float aspect, float gap, float header) {
  const auto card_size = [&](Index cols) {
    const Index rows = (count + cols - 1) / cols;
    const auto part = [&](float whole, Index n) {
      return std::max((whole - gap * static_cast<float>(n - 1)) / static_cast<float>(n), 1.0f);
    };
    return ImVec2{part(box.width(), cols), part(box.height(), rows)};
  };
  Index best = 1;
  float largest = -1;
  for (Index cols = 1; cols <= count; ++cols) {
    const ImVec2 card = card_size(cols);
    const float height = std::min(card.y - header, card.x / aspect);
    if (height > largest) {
      largest = height;
      best = cols;
    }
  }
  const ImVec2 card = card_size(best);
  std::vector<Rect> cards;
  for (Index i = 0; i < count; ++i) {
    const ImVec2 min{box.min.x + static_cast<float>(i % best) * (card.x + gap),
                     box.min.y + static_cast<float>(i / best) * (card.y + gap)};
    cards.push_back({min, {min.x + card.x, min.y + card.y}});
  }
  return cards;
}

}  // namespace headlight
