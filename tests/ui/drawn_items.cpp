#include "tests/ui/drawn_items.h"

#include <unordered_map>

namespace headlight::test {
namespace {

/// Kept from frame to frame, so that a steady frame allocates nothing here either.
struct Item {
  ImRect seen;
  unsigned long frame = 0;
};
std::unordered_map<ImGuiID, Item> items;
unsigned long this_frame = 1;
bool recorded = false;

}  // namespace

void forget_drawn_items() { ++this_frame; }

std::optional<ImRect> drawn_item(ImGuiID id) {
  const auto found = items.find(id);
  if (found == items.end() || found->second.frame != this_frame) return {};
  return found->second.seen;
}

bool records_items() { return recorded; }

}  // namespace headlight::test

#ifdef HEADLIGHT_RECORDS_ITEMS
// ImGui::ItemAdd(const ImRect&, ImGuiID, const ImRect*, ImGuiItemFlags), as GCC and Clang name it for the linker.
extern "C" bool __real__ZN5ImGui7ItemAddERK6ImRectjPS1_i(const ImRect&, ImGuiID, const ImRect*, int);
extern "C" bool __wrap__ZN5ImGui7ItemAddERK6ImRectjPS1_i(const ImRect& box, ImGuiID id, const ImRect* nav, int flags) {
  headlight::test::recorded = true;
  if (id != 0) {
    ImRect seen = box;
    seen.ClipWith(ImGui::GetCurrentWindow()->ClipRect);
    if (seen.GetWidth() > 0 && seen.GetHeight() > 0) headlight::test::items[id] = {seen, headlight::test::this_frame};
  }
  return __real__ZN5ImGui7ItemAddERK6ImRectjPS1_i(box, id, nav, flags);
}
#endif
