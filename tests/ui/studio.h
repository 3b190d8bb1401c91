// Scenes of the levels without a window, and checks for faults in them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/ui/headless.h"
#include "ui/parts/widgets/math_text.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/sentence.h"

namespace headlight::test {

struct ScreenSetting {
  ImVec2 window;
  float scale = 1;
  bool presenting = false;
  const char* language = "en";
};

/// The same scenes as in a window of this size, but without a window: fonts are loaded as the session loads them.
class Studio {
 public:
  Studio(const Document& document, const ScreenSetting& at)
      : window_(document, at.window), at_(at), words_(at.language) {
    view_ = window_.document().view;
    view_.presenting = at.presenting;
    view_.language = at.language;
    u_ = at.scale * (at.presenting ? presentation_scale(at.window, at.scale) : 1);
    fonts_.load(u_, words_.all_text() + document.scenario.text);
  }
  const Trace& trace() const { return *window_.document().trace; }
  View& view() { return view_; }
  SceneContext context() const { return {trace(), view_, look(Theme::dark), fonts_, words_, u_, at_.window}; }
  const Fonts& fonts() const { return fonts_; }
  /// The area between the bars at the top and the bottom.
  Rect place() const {
    return {{0, at_.presenting ? 0 : 46 * u_}, {at_.window.x, at_.window.y - (at_.presenting ? 26 : 62) * u_}};
  }
  Scene operation(Stage stage, const Reveal& reveal = {}) const {
    return make_operation(context(), stage, reveal, place());
  }
  float least() const { return type_sizes(context()).least; }
  bool presenting() const { return at_.presenting; }

 private:
  HeadlessWindow window_;
  ScreenSetting at_;
  Words words_;
  View view_;
  Fonts fonts_;
  float u_ = 1;
};

/// The scene of the network view with what is drawn over it.
inline Scene network_scene_of(const SceneContext& context, const HeadOverview& overview, const NetworkFacts& facts,
                              Rect place) {
  Scene scene = make_network(context, overview, facts, place).scene;
  const Scene overlay = make_network_overlay(context, overview, facts, scene, place);
  scene.items.insert(scene.items.end(), overlay.items.begin(), overlay.items.end());
  scene.targets.insert(scene.targets.end(), overlay.targets.begin(), overlay.targets.end());
  return scene;
}

inline std::vector<const SceneText*> texts_of(const Scene& scene) {
  std::vector<const SceneText*> texts;
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<SceneText>(&item)) texts.push_back(text);
  }
  return texts;
}

inline bool cross(const Rect& a, const Rect& b) {
  constexpr float slack = 2;  // room for ascenders and descenders
  return a.min.x + slack < b.max.x && b.min.x + slack < a.max.x && a.min.y + slack < b.max.y &&
         b.min.y + slack < a.max.y;
}

/// All faults of a scene: text outside, overlapping text, text that is too small, a number that is cut.
inline std::string faults(const Scene& scene, const Studio& studio) {
  const Rect place = studio.place();
  const float least = studio.least();
  std::string found;
  const auto texts = texts_of(scene);
  const auto say = [&](const std::string& what, const SceneText& text) {
    found += what + " “" + text.text + "” at " + std::to_string(static_cast<int>(text.rect.min.x)) + "," +
             std::to_string(static_cast<int>(text.rect.min.y)) + "; ";
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const SceneText& text = *texts[i];
    if (text.pixels < least - 0.5f) say("too small", text);
    if (text.role == TextRole::number && text.text.ends_with("…")) say("cut number", text);
    if (text.degrees != 0) continue;
    const Rect room = place.grown(2);
    if (text.rect.min.x < room.min.x || text.rect.max.x > room.max.x || text.rect.min.y < room.min.y ||
        text.rect.max.y > room.max.y)
      say("outside", text);
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      if (texts[j]->degrees == 0 && cross(text.rect, texts[j]->rect)) say("over “" + texts[j]->text + "”:", text);
    }
  }
  for (const SceneItem& item : scene.items) {
    const auto* math = std::get_if<SceneMath>(&item);
    if (!math) continue;
    // Sub- and superscripts may be smaller, but must be legible from the front rows.
    const float smallest = studio.presenting()
                               ? smallest_in_math(studio.fonts(), {math->pixels, math->least}, math->markup)
                               : math->pixels;
    if (smallest < least - 0.5f) found += "too small formula " + math->markup + "; ";
    const Rect room = place.grown(2);
    if (math->rect.min.x < room.min.x || math->rect.max.x > room.max.x || math->rect.max.y > room.max.y)
      found += "formula outside " + math->markup + "; ";
    for (const SceneText* text : texts) {
      if (text->degrees == 0 && cross(text->rect, math->rect)) say("over formula " + math->markup + ":", *text);
    }
  }
  return found;
}

inline bool has_text(const Scene& scene, std::string_view wanted) {
  return std::ranges::any_of(texts_of(scene),
                             [&](const SceneText* text) { return text->text.find(wanted) != std::string::npos; });
}

}  // namespace headlight::test
