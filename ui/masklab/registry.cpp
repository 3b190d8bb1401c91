#include "ui/masklab/registry.h"

#include <array>

namespace headlight {
namespace {

constexpr std::array tabs{
    MaskTabEntry{MaskTab::patterns, "patterns", "mask_lab.tabs.patterns", draw_patterns_tab},
};

}  // namespace

std::span<const MaskTabEntry> all_mask_tabs() { return tabs; }

}  // namespace headlight
