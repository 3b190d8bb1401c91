// The picture of a run: what it says, the curve with its bounds, the heads at several steps, the probe's answers.
#include <algorithm>
#include <cmath>

#include "core/base/text/number_text.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/pen.h"
#include "ui/views/train/sizes.h"
#include "ui/views/train/train.h"
#include "ui/views/train/train_groups.h"

namespace headlight {
namespace {

std::string percent(double share) { return formatted("%.0f %%", 100 * share); }

/// A round number of steps, so that at most `most` labels stand below the curve.
Index round_stride(Index steps, Index most) {
  for (Index power = 1;; power *= 10) {
    for (const Index step : {power, 2 * power, 5 * power}) {
      if (steps / step <= most) return step;
    }
  }
}

constexpr std::size_t most_columns = 6;  // kept steps side by side

struct TrainBuilder : ScenePart {
  const TrainStory& story;
  TrainScene& made;
  const Learned& run = story.run;
  const LearnedMoment& moment = run.nearest(story.step);
  const ImU32 colour = look.after, other = look.warning;
  const bool guessing = is_guessing(view);
  const float pixels = std::max(TypeSize::note * u, pen.type.least);
  mutable std::vector<Rect> names = {};  ///< in the plot, so far

  /// What it says at this step, and why it cannot say more; returns the y below.
  float put_words(Rect room) const {
    const double right = moment.measured.accuracy;
    const Named values[] = {{std::to_string(moment.step), look.ink},
                            {percent(right), colour},
                            {percent(view.train.guess.value_or(0)), look.ink}};
    const char* key = run.step == 0 ? "train.says_nothing" : view.train.guess ? "train.says_guessed" : "train.says";
    float y = room.min.y;
    if (presenting) {  // the column with the task is not there
      const std::string task = task_title(run.settings, say) + "   ";
      const Rect title = pen.words(Face::bold, pen.type.word, room.min, look.ink, task, room.width());
      pen.words(Face::mono, pen.type.word, {title.max.x, y}, look.muted, probe_text(run), room.max.x - title.max.x);
      y = title.max.y + Space::gap * u;
    }
    y += pen.sentence(TextRole::prose, say(key), values, {{room.min.x, y}, room.max}, pen.type.title, look.ink);
    const std::string reason = !run.error.empty()         ? say.translate(run.error)
                               : run.ceiling && !guessing ? say.translate(run.ceiling->reason)
                                                          : std::string();
    if (!reason.empty())
      y += pen.paragraph(Face::ui, pen.type.word, {room.min.x, y + Space::fine * u},
                         run.error.empty() ? look.muted : look.warning, reason, room.width());
    return y;
  }

  float x_of(Index step) const {
    return made.plot.min.x + made.plot.width() * static_cast<float>(step) / static_cast<float>(made.steps);
  }
  float y_of(double share) const {
    return made.plot.max.y - made.plot.height() * static_cast<float>(std::clamp(share, 0.0, 1.0));
  }

  /// A name in the plot beside y, where no other one stands.
  void put_label(Face face, ImVec2 at, Align align, ImU32 ink, const std::string& text) const {
    const float width = std::min(pen.measure(face, pixels, text).x, made.plot.width() / 2);
    const float left = align == Align::right ? at.x - width : at.x;
    for (const float shift : {-0.85F, 0.85F, -2.1F, 2.1F, -3.4F, 3.4F}) {
      const float y = at.y + shift * pixels, half = 0.62F * pixels;
      const Rect place{{left, y - half}, {left + width, y + half}};
      const bool fits = place.min.y >= made.plot.min.y - Space::apart * u &&
                        place.max.y <= made.plot.max.y + TrainSizes::label_below * u;
      const bool taken = std::ranges::any_of(names, [&](const Rect& taker) {
        return place.min.x < taker.max.x && taker.min.x < place.max.x && place.min.y < taker.max.y &&
               taker.min.y < place.max.y;
      });
      if (!fits || taken) continue;
      names.push_back(place);
      pen.text(TextRole::caption, face, pixels, {at.x, y}, align, ink, text, width + 1);
      return;
    }
  }

  /// A dashed line over the plot with its name at the right end.
  void put_bound(double share, ImU32 ink, const std::string& name) const {
    const float y = y_of(share);
    const ImVec2 left{made.plot.min.x, y}, right{made.plot.max.x, y};
    pen.scene().items.emplace_back(
        SceneCurve{{left, left, right, right}, fade(ink, 0.8f), Stroke::hair(u), false, TrainSizes::dash * u});
    put_label(Face::ui, {made.plot.max.x - Space::near * u, y}, Align::right, ink, name);
  }

  void put_curve(const Learned& of, ImU32 ink, float thickness) const {
    const ImVec2* last = nullptr;
    ImVec2 before, at;
    for (const LearnedMoment& each : of.moments) {
      at = {x_of(each.step), y_of(each.measured.accuracy)};
      if (last && at.x - last->x < TrainSizes::least_step * u && &each != &of.moments.back())
        continue;  // thinner than it can be seen
      if (last) pen.line(*last, at, ink, thickness);
      before = at;
      last = &before;
    }
  }

  /// The run's name at the newest end of its curve.
  void put_name(const Learned& of, ImU32 ink, const std::string& name) const {
    const LearnedMoment& end = of.moments.back();
    const float x = std::min(x_of(end.step), made.plot.max.x - Space::gap * u), y = y_of(end.measured.accuracy);
    const bool left = x - pen.measure(Face::bold, pixels, name).x > made.plot.min.x + Space::gap * u;
    put_label(Face::bold, {left ? x : made.plot.min.x + Space::gap * u, y}, left ? Align::right : Align::left, ink,
              name);
  }

  void put_axes(const Rect& card, const Rect& plate) const {
    for (const double share : {0.0, 0.5, 1.0})
      pen.text(TextRole::number, Face::mono, pixels, {card.min.x - Space::pad * u, y_of(share)}, Align::right,
               look.muted, percent(share));
    const float digits = pen.measure(Face::mono, pixels, std::to_string(made.steps) + "   ").x;
    const Index stride = round_stride(made.steps, std::max<Index>(static_cast<Index>(card.width() / (2 * digits)), 1));
    for (Index step = 0; step <= made.steps; step += stride) {
      if (x_of(step) + digits / 2 > plate.min.x && x_of(step) - digits / 2 < plate.max.x) continue;
      pen.text(TextRole::number, Face::mono, pixels, {x_of(step), card.max.y + 0.95f * pixels}, Align::middle,
               look.muted, std::to_string(step));
    }
  }

  /// The step that is shown: a line with a knob, and its number below.
  /// Where its number stands, below the plot.
  Rect scrubber_plate(const Rect& card) const {
    const float half = pen.measure(Face::bold, pixels, say.fill("train.step", {moment.step})).x / 2 + Space::gap * u;
    const float middle = std::clamp(x_of(moment.step), card.min.x + half, card.max.x - half),
                top = card.max.y + Space::fine * u;
    return {{middle - half, top}, {middle + half, top + 1.75f * pixels}};
  }
  void put_scrubber(const Rect& card, const Rect& plate) const {
    const float x = x_of(moment.step);
    pen.fill({{x - u, card.min.y + Space::tight * u}, {x + u, card.max.y}}, look.ink);
    const ImVec2 knob{x, y_of(moment.measured.accuracy)};
    pen.scene().items.emplace_back(SceneDot{knob, TrainSizes::knob * u, look.card});
    pen.scene().items.emplace_back(SceneDot{knob, TrainSizes::knob_inside * u, colour});
    pen.fill(plate, look.ink, Corner::control * u);
    pen.text(TextRole::caption, Face::bold, pixels, plate.centre(), Align::middle, look.card,
             say.fill("train.step", {moment.step}));
  }

  void put_guess() const {
    if (!view.train.guess && run.step > 0) return;
    const float share = view.train.guess.value_or(0.5f), y = y_of(static_cast<double>(share));
    const std::string words = view.train.guess ? say.fill("train.guessed", {percent(static_cast<double>(share))})
                                               : std::string(say("train.guess_here"));
    pen.fill({{made.plot.min.x, y - u}, {made.plot.max.x, y + u}}, fade(look.accent, 0.5f));
    pen.scene().items.emplace_back(SceneDot{{made.plot.min.x + Space::pad * u, y}, TrainSizes::guess * u, look.accent});
    put_label(Face::bold, {made.plot.min.x + (Space::pad + Space::apart) * u, y}, Align::left, look.ink, words);
  }

  void put_plot(const Rect& card) const {
    made.plot = {{card.min.x, card.min.y + Space::card * u}, {card.max.x, card.max.y - Space::apart * u}};
    made.steps = std::max<Index>(run.settings.steps, story.beside ? story.beside->settings.steps : 1);
    pen.card(card);
    const Rect plate = scrubber_plate(card);
    put_axes(card, plate);
    const auto [name, first] =
        story.beside ? run_names(run.settings, story.beside->settings, say) : std::pair<std::string, std::string>();
    put_bound(run.chance, look.muted, say("train.chance"));
    const auto put_ceiling = [&](const Learned& of, ImU32 ink) {
      if (of.ceiling && of.ceiling->accuracy < 0.995)
        put_bound(of.ceiling->accuracy, ink, say.fill("train.ceiling", {percent(of.ceiling->accuracy)}));
    };
    if (!guessing) put_ceiling(run, colour);
    if (story.beside) put_ceiling(*story.beside, other);
    put_guess();
    if (story.beside) put_curve(*story.beside, other, Stroke::firm(u));
    put_curve(run, colour, 1.3f * Stroke::followed(u));
    if (story.beside) put_name(run, colour, name);
    if (story.beside) put_name(*story.beside, other, first);
    put_scrubber(card, plate);
    const auto does = run.step == 0 && !story.learning ? TrainTarget::guess : TrainTarget::curve;
    pen.target({card.min, {card.max.x, card.max.y + 2 * pixels}}, SceneAction::own, static_cast<Index>(does));
  }

  /// The columns: a moment each, from the first to the newest; the shown one in place of the nearest. Null: no more is
  /// known yet.
  std::vector<const LearnedMoment*> columns(std::size_t count) const {
    std::vector<const LearnedMoment*> all = run.telling(count);
    const auto far = [&](const LearnedMoment* at) { return std::abs(at->step - moment.step); };
    *std::ranges::min_element(all, {}, far) = &moment;
    all.resize(count);
    return all;
  }

  static Index heads_of(const LearnedMoment& at) {
    return at.probe->weights.empty() ? 0 : at.probe->weights[0].size(1);
  }
  Index head_count(const LearnedMoment& at) const {
    return heads_of(at) * static_cast<Index>(at.probe->weights.size());
  }
  /// "head 0", in several layers "layer 1, head 0".
  std::string head_words(Index layer, Index head) const {
    return run.settings.layers < 2 ? say.fill("train.head", {head}) : say.fill("train.layer_head", {layer, head});
  }

  /// One head at one step, as a card that opens it.
  void put_head(const LearnedMoment& at, Index layer, Index head, const Rect& card, bool chosen, bool opens) const {
    const Tensor& weights = at.probe->weights[static_cast<std::size_t>(layer)];
    pen.card(card, chosen ? colour : 0, chosen ? Stroke::chosen(u) : Stroke::hair(u));
    MatrixQuad quad = matrix_quad(context, Stage::weights, weights, {0, 1});
    quad.head = head;
    const float cell = card.width() / static_cast<float>(weights.size(3));
    quad.cell_gap = cell > TrainSizes::gaps_from * u ? u : 0;
    pen.matrix(std::move(quad), card.grown(-Space::close * u));
    if (!opens) return;
    SceneTarget& target =
        pen.control(card, "head" + std::to_string(layer) + "." + std::to_string(head) + "@" + std::to_string(at.step),
                    SceneAction::own, static_cast<Index>(TrainTarget::open));
    target.cell = {Stage::weights, layer, head, at.step, 0};
    target.hint = say.fill("train.open_head", {head_words(layer, head), at.step});
    target.framed = card;
  }

  /// Every head in a row, every column a kept step. Returns whether there is room for it.
  bool put_strip(const Rect& room) const {
    const Index heads = heads_of(moment), rows = head_count(moment);
    if (story.beside || rows == 0) return false;
    float beside = 0;
    for (Index i = 0; i < rows; ++i)
      beside = std::max(beside, pen.measure(Face::bold, pixels, head_words(i / heads, i % heads)).x);
    beside += Space::pad * u;
    const float gap = Space::apart * u, foot = 1.9f * pixels;
    const float high = (room.height() - foot - static_cast<float>(rows - 1) * gap) / static_cast<float>(rows);
    const float side = std::min({high, TrainSizes::largest_in_strip * u, (room.width() - beside - 4 * gap) / 5});
    if (side < TrainSizes::least_in_strip * u) return false;
    const auto fit = static_cast<std::size_t>((room.width() - beside + gap) / (side + gap));
    const auto steps = columns(std::min(fit, most_columns));
    const float pitch = std::min(
        (room.width() - beside - side) / std::max<float>(static_cast<float>(steps.size()) - 1, 1), side + 4 * gap);
    for (std::size_t c = 0; c < steps.size(); ++c) {
      const float left = room.min.x + beside + static_cast<float>(c) * pitch;
      const LearnedMoment* const at = steps[c];
      const bool chosen = at == &moment;
      for (Index i = 0; i < rows; ++i) {
        const float top = room.min.y + static_cast<float>(i) * (side + gap);
        if (c == 0)
          pen.text(TextRole::caption, Face::bold, pixels, {room.min.x + beside - Space::pad * u, top + side / 2},
                   Align::right, look.ink, head_words(i / heads, i % heads));
        const Rect card{{left, top}, {left + side, top + side}};
        if (at) put_head(*at, i / heads, i % heads, card, chosen, true);
        else pen.box(card, look.line, Stroke::hair(u), Corner::card * u);
      }
      if (at)
        pen.text(TextRole::caption, chosen ? Face::bold : Face::ui, pixels,
                 {left + side / 2, room.min.y + static_cast<float>(rows) * (side + gap) + 0.2f * pixels}, Align::middle,
                 chosen ? colour : look.muted, say.fill("train.step", {at->step}));
    }
    return true;
  }

  /// The heads of one run at one step, in a grid.
  void put_grid(const LearnedMoment& at, const Rect& room, bool opens) const {
    const Index heads = heads_of(at), count = head_count(at);
    if (count == 0) return;
    const float gap = Space::pad * u, foot = 1.6f * pixels;
    Index best = 1;
    float side = 0;
    for (Index columns = 1; columns <= count; ++columns) {
      const Index rows = (count + columns - 1) / columns;
      const float fits = std::min((room.width() + gap) / static_cast<float>(columns) - gap,
                                  room.height() / static_cast<float>(rows) - foot - gap);
      if (fits > side) side = fits, best = columns;
    }
    side = std::min(side, TrainSizes::largest_in_grid * u);
    for (Index i = 0; i < count && side > TrainSizes::least_in_grid * u; ++i) {
      const ImVec2 min{room.min.x + static_cast<float>(i % best) * (side + gap),
                       room.min.y + static_cast<float>(i / best) * (side + foot + gap)};
      put_head(at, i / heads, i % heads, {min, {min.x + side, min.y + side}}, false, opens);
      pen.text(TextRole::caption, Face::ui, pixels, {min.x + side / 2, min.y + side + 0.75f * pixels}, Align::middle,
               look.muted, head_words(i / heads, i % heads), side + gap);
    }
  }

  /// Two runs beside each other, in a high place above each other, each at the shown step.
  void put_two(const Rect& room) const {
    const auto [name, first] = run_names(run.settings, story.beside->settings, say);
    const bool across = room.width() > 1.2f * room.height();
    const float gap = Space::wide * u, title = 1.7f * pixels;
    const ImVec2 size{across ? (room.width() - gap) / 2 : room.width(), across ? room.height() : room.height() / 2};
    const LearnedMoment& before = story.beside->nearest(moment.step);
    for (int i = 0; i < 2; ++i) {
      const auto shift = static_cast<float>(i);
      const ImVec2 min{room.min.x + (across ? shift * (size.x + gap) : 0), room.min.y + (across ? 0 : shift * size.y)};
      pen.text(TextRole::caption, Face::bold, pixels, {min.x, min.y + 0.6f * pixels}, Align::left,
               i == 0 ? colour : other,
               say.fill("train.named_at", {i == 0 ? name : first, i == 0 ? moment.step : before.step}), size.x);
      put_grid(i == 0 ? moment : before, {{min.x, min.y + title}, {min.x + size.x, min.y + size.y - Space::tight * u}},
               i == 0);
    }
  }

  const std::string& letter(const Learned& of, std::int32_t id) const { return of.words[static_cast<std::size_t>(id)]; }

  float letter_size(const Rect& room) const {
    const auto count = static_cast<float>(std::max<std::size_t>(run.probe.tokens.size(), 1));
    return std::clamp(0.5f * room.width() / count, 0.8f * pen.type.word, 1.6f * pen.type.word);
  }

  /// A row of letters; returns its height.
  float put_letters(const Rect& room, float y, const char* key, const std::vector<std::int32_t>& ids,
                    const std::vector<std::int32_t>* judged_by, ImU32 ink) const {
    const float size = letter_size(room), pad = Space::tight * u;
    pen.text(TextRole::caption, Face::ui, pixels, {room.min.x, y + pixels * 0.6f}, Align::left, ink, say(key),
             room.width());
    y += 1.35f * pixels;
    const std::size_t count = ids.size();
    float widest = 0;
    for (const std::string& word : run.words) widest = std::max(widest, pen.measure(Face::mono, size, word).x);
    const float side = std::min(widest + 3 * pad, room.width() / static_cast<float>(std::max<std::size_t>(count, 1)));
    const float height = 1.7f * size;
    for (std::size_t i = 0; i < count; ++i) {
      const Rect box{{room.min.x + static_cast<float>(i) * side, y},
                     {room.min.x + static_cast<float>(i + 1) * side - Space::fine * u, y + height}};
      const bool asked = !judged_by || (*judged_by)[i] != not_asked;
      if (ids[i] == not_asked || !asked) {
        pen.text(TextRole::word, Face::mono, size, box.centre(), Align::middle, look.muted, "·");
        continue;
      }
      const bool right = judged_by && (*judged_by)[i] == ids[i];
      if (judged_by && right) pen.fill(box, fade(look.v, 0.22f), Corner::cell * u);
      if (judged_by && !right) pen.box(box, look.warning, Stroke::hair(u), Corner::cell * u);
      pen.text(TextRole::word, Face::mono, size, box.centre(), Align::middle,
               judged_by && !right ? look.warning : look.ink, letter(run, ids[i]), box.width());
    }
    return 1.35f * pixels + height + Space::gap * u;
  }

  void put_answers(const Rect& card) const {
    pen.card(card);
    const Rect room = card.grown(-Space::card * u);
    float y = room.min.y;
    pen.text(TextRole::caption, Face::bold, pixels, {room.min.x, y + 0.6f * pixels}, Align::left, look.ink,
             say("train.probe"), room.width());
    y += 2 * pixels;
    const float row = 1.35f * pixels + 1.7f * letter_size(room) + Space::tight * u;
    const auto add = [&](const char* key, const std::vector<std::int32_t>& ids,
                         const std::vector<std::int32_t>* judged_by, ImU32 ink) {
      if (y + row > card.max.y) return;
      y += put_letters(room, y, key, ids, judged_by, ink);
    };
    // Where not all fit, the text that it reads is left out: it stands beside the task.
    if (y + (story.beside ? 4 : 3) * row <= card.max.y) add("train.reads", run.probe.tokens, nullptr, look.muted);
    add("train.should_say", run.probe.targets, nullptr, look.muted);
    add("train.does_say", moment.probe->answers, &run.probe.targets, story.beside ? colour : look.muted);
    if (story.beside && story.beside->probe.targets.size() == run.probe.targets.size())
      add("train.other_says", story.beside->nearest(moment.step).probe->answers, &story.beside->probe.targets, other);
  }

  void put(Rect room) const {
    const float apart = Space::wide * u;
    float y = put_words(room) + Space::row * u;
    const float axis = pen.measure(Face::mono, pixels, "100 %").x + Space::card * u;
    const float rest = room.max.y - y, curve = TrainSizes::curve.of(rest, u);
    put_plot({{room.min.x + axis, y}, {room.max.x, y + curve}});
    y += curve + 2.6f * pixels + apart;
    const Rect title = pen.text(TextRole::caption, Face::bold, pen.type.word, {room.min.x, y}, Align::left, look.ink,
                                say("train.heads_title"), room.width());
    pen.text(TextRole::caption, Face::ui, pixels, {title.max.x + Space::apart * u, y}, Align::left, look.muted,
             say(presenting ? "train.heads_clicker" : "train.heads_hint"), room.max.x - title.max.x - Space::apart * u);
    y += 1.1f * pen.type.word;
    const float answers = TrainSizes::answers.of(room.width(), u);
    const Rect heads{{room.min.x, y}, {room.max.x - answers - apart, room.max.y}};
    put_answers({{room.max.x - answers, y}, room.max});
    if (story.beside) put_two(heads);
    else if (!put_strip(heads)) put_grid(moment, heads, true);
  }
};

}  // namespace

TrainScene make_train(const SceneContext& context, const TrainStory& story, Rect place) {
  TrainScene made;
  Pen pen(context, made.scene);
  if (story.run.moments.empty()) {
    pen.paragraph(Face::ui, pen.type.word, {place.min.x, place.min.y + TrainSizes::error_below * context.u},
                  context.look.warning, context.words.translate(story.run.error), place.width());
    return made;
  }
  TrainBuilder{pen, story, made}.put(place);
  return made;
}

}  // namespace headlight
