#include "core/scenario/inputs/attention_axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

constexpr std::string_view letters_in_order = "LBHMqk";

/// All that tells what an axis is.
struct Evidence {
  Shape sizes;             ///< of the lists, then of the arrays
  std::size_t lists = 0;   ///< how many of them are lists
  std::vector<bool> sums;  ///< whether the numbers along an axis sum to 1
  std::optional<Index> heads, layers, batch;
  Index lines = 0;                        ///< of words, a line for each batch entry; 0: no words
  Index both = 0, queries = 0, keys = 0;  ///< how many words there are for the positions; 0: none
  std::string words;                      ///< the name of the words
  std::optional<Index> layer;             ///< the layer that is asked for

  std::size_t axes() const { return sizes.size(); }
  /// The size of the axis with a letter; 1 if there is none.
  Index size(const std::string& reading, char letter) const {
    const std::size_t at = reading.find(letter);
    return at == std::string::npos ? 1 : sizes[at];
  }
  /// The heads of a batch entry in an axis of both; nothing if they do not divide it.
  std::optional<Index> heads_within(Index size) const {
    if (heads && size % *heads == 0 && size > *heads && (lines < 2 || size == *heads * lines)) return heads;
    if (!heads && lines > 1 && size % lines == 0 && size > lines) return size / lines;
    return {};
  }
};

Shape shape_of_first(const ArrayFile& file, const PrecomputedAttention& found) {
  return file.find(found.weights.front())->shape;
}

std::optional<Index> count_of(const std::optional<FileReading::Number>& number) {
  if (!number || !(number->value >= 1 && number->value <= 1e6) || number->value != std::floor(number->value)) return {};
  return static_cast<Index>(number->value);
}

/// The words' lines and their length: those that are set, else those of the file.
void add_words(const FileReading& r, Evidence& e) {
  const Scenario& s = r.resolving.scenario;
  const auto add = [&](const TokenNames& set, std::initializer_list<const char*> names, Index& length) {
    if (!set.empty()) {
      e.lines = std::max(e.lines, static_cast<Index>(set.size()));
      length = static_cast<Index>(set.front().size());
      return;
    }
    const auto named = words_of(r, names);
    if (!named || named->stored.shape.empty() || named->stored.shape.size() > 2) return;
    e.lines = std::max(e.lines, named->stored.shape.size() == 2 ? named->stored.shape[0] : Index{1});
    length = named->stored.shape.back();
    e.words = named->name;
  };
  add({}, {"tokens", "1"}, e.both);
  add(s.tokens, {"query_tokens"}, e.queries);
  add(s.key_tokens, {"key_tokens"}, e.keys);
  if (!s.tokens.empty()) e.both = 0;
}

/// Arrays [B, n] of the same text.
void add_other_arrays(const FileReading& r, Evidence& e) {
  for (const char* name : {"input_ids", "token_ids", "key_padding_mask"}) {
    const ArrayEntry* entry = r.file.arrays().find(r.find({name}));
    if (!entry || entry->shape.size() != 2 || e.lines > 0) continue;
    e.lines = entry->shape[0];
    e.both = e.both > 0 ? e.both : entry->shape[1];
    e.words = entry->name;
  }
}

Evidence evidence_of(const FileReading& r, const PrecomputedAttention& found) {
  Evidence e;
  const Scenario& s = r.resolving.scenario;
  const Shape shape = shape_of_first(r.file.arrays(), found);
  e.sizes = found.lists;
  e.lists = e.sizes.size();
  e.sizes.insert(e.sizes.end(), shape.begin(), shape.end());
  const std::string& first = found.weights.front();
  const Tensor sums = r.file.made(first + " sums along its axes", [&] {
    const std::vector<bool> of_one = axes_with_sums_of_one(r.load(first));
    Buffer flags;
    for (const bool flag : of_one) flags.push_back(flag ? 1.0F : 0.0F);
    const Shape axes{static_cast<Index>(flags.size())};
    return Tensor(axes, std::move(flags));
  });
  e.sums.assign(e.lists, false);
  for (const float flag : sums.values()) e.sums.push_back(flag != 0);
  e.heads = s.heads ? s.heads : count_of(heads_said(r));
  e.layers = count_of(r.own_number({"num_layers", "n_layers", "num_hidden_layers", "n_layer", "layers"}));
  e.batch = count_of(r.own_number({"batch_size", "batch"}));
  add_words(r, e);
  add_other_arrays(r, e);
  const std::string layer = layer_within(s, found);
  if (!layer.empty()) e.layer = number_of_text<Index>(layer);
  return e;
}

void extend(const Evidence& e, std::string& reading, std::vector<std::string>& all) {
  if (reading.size() == e.axes()) {
    if (reading.find('q') != std::string::npos && reading.find('k') != std::string::npos) all.push_back(reading);
    return;
  }
  const std::size_t axis = reading.size();
  for (const char letter : letters_in_order) {
    if (reading.find(letter) != std::string::npos) continue;
    if (axis < e.lists && letter != 'L' && letter != 'B' && letter != 'H') continue;
    const bool has_both = reading.find('M') != std::string::npos;
    if (letter == 'M' && (reading.find_first_of("BH") != std::string::npos || !e.heads_within(e.sizes[axis]))) continue;
    if (has_both && (letter == 'B' || letter == 'H')) continue;
    reading.push_back(letter);
    extend(e, reading, all);
    reading.pop_back();
  }
}

template <typename Fits>
bool keep_if_any(std::vector<std::string>& readings, Fits fits) {
  if (std::ranges::none_of(readings, fits)) return false;
  std::erase_if(readings, [&](const std::string& reading) { return !fits(reading); });
  return true;
}

/// Keys are along the axis that sums to 1. Where this is the one before the last, as of weights whose softmax went over
/// the queries, these may also be in their usual place. Where none is, they are in their usual place.
bool fits_sums(const Evidence& e, const std::string& reading) {
  const std::size_t q = reading.find('q'), k = reading.find('k'), last = e.axes() - 1;
  const bool usual = k == last && q + 1 == last;
  if (std::ranges::none_of(e.sums, [](bool sum) { return sum; })) return usual;
  return e.sums[last] ? k == last : e.sums[k] || (usual && e.sums[q]);
}

bool fits_words(const Evidence& e, const std::string& reading) {
  const Index q = e.size(reading, 'q'), k = e.size(reading, 'k');
  return (e.both == 0 || k == e.both) && (e.queries == 0 || q == e.queries) && (e.keys == 0 || k == e.keys);
}

/// The most usual readings come first: queries and keys last, and before them what libraries return.
std::size_t oddness(const std::string& reading) {
  constexpr std::string_view usual[]{"qk",   "BHqk",  "Hqk",  "LHqk", "LBHqk", "Bqk",   "Lqk",   "Mqk",   "LBqk",
                                     "LMqk", "BLHqk", "HBqk", "BLqk", "HLqk",  "LHBqk", "BHLqk", "HBLqk", "HLBqk"};
  return static_cast<std::size_t>(std::ranges::find(usual, reading) - std::begin(usual));
}

/// The same for two readings that differ only in axes of length 1.
std::string as_tensor(const Evidence& e, const std::string& reading) {
  std::string key;
  for (const char letter : letters_in_order) {
    const std::size_t at = reading.find(letter);
    const bool counts = at != std::string::npos && e.sizes[at] > 1;
    key += counts ? std::to_string(at) + "," : "-,";
  }
  return key;
}

/// The readings that the evidence leaves, one for each different tensor.
std::vector<std::string> readings_of(const FileReading& r, const PrecomputedAttention& found, const Evidence& e) {
  std::vector<std::string> left;
  std::string begun;
  if (e.axes() <= 5) extend(e, begun, left);
  if (left.empty()) {
    r.fail(e.lists ? Message("holds lists {0} deep of arrays {1}", e.lists,
                             to_string(shape_of_first(r.file.arrays(), found)))
                   : r.shape_of(found.weights.front()),
           "expected two to five axes of layers, batch entries, heads, queries and keys");
  }
  keep_if_any(left, [&](const std::string& reading) { return fits_sums(e, reading); });
  if (e.lines > 1) {
    keep_if_any(left, [&](const std::string& reading) {
      const std::size_t both = reading.find('M');
      return both == std::string::npos ? e.size(reading, 'B') == e.lines
                                       : e.sizes[both] == e.lines * *e.heads_within(e.sizes[both]);
    });
  } else if (e.lines == 1) {
    keep_if_any(left, [&](const std::string& reading) { return e.size(reading, 'B') == 1; });
  }
  if (!keep_if_any(left, [&](const std::string& reading) { return fits_words(e, reading); })) {
    const Index words = e.both ? e.both : e.keys ? e.keys : e.queries;
    r.fail(
        Message("{0} holds {1} words, and {2}", in_quotes(e.words.empty() ? "--tokens" : e.words), words,
                r.shape_of(found.weights.front())),
        "expected a word for each key; of columns that are offsets from the query, --axes with offset=-2, or another "
        "first one, in place of k");
  }
  const auto equals = [&](char letter, const std::optional<Index>& size) {
    if (size) keep_if_any(left, [&](const std::string& reading) { return e.size(reading, letter) == *size; });
  };
  if (e.both > 0) keep_if_any(left, [&](const std::string& reading) { return e.size(reading, 'q') == e.both; });
  if (e.heads) {
    keep_if_any(left, [&](const std::string& reading) {
      return e.size(reading, 'H') == *e.heads || reading.find('M') != std::string::npos;
    });
  }
  equals('L', e.layers);
  equals('B', e.batch);
  if (e.lists > 0) keep_if_any(left, [&](const std::string& reading) { return reading[0] == 'L'; });
  if (e.layer && *e.layer > 0)
    keep_if_any(left, [&](const std::string& reading) { return e.size(reading, 'L') > *e.layer; });
  // What transformers returns: a list of [B, H, n_q, n_k], of one sentence.
  if (e.lists == 1 && e.axes() == 5 && e.sizes[1] == 1) {
    keep_if_any(left, [](const std::string& reading) { return reading[1] == 'B'; });
    keep_if_any(left, [](const std::string& reading) { return reading == "LBHqk"; });
  }
  // One array of one sentence, as each of them is.
  if (e.lists == 0 && e.axes() == 4 && e.sizes[0] == 1 && e.sizes[2] == e.sizes[3])
    keep_if_any(left, [](const std::string& reading) { return reading == "BHqk"; });
  std::ranges::stable_sort(left, {}, oddness);
  std::map<std::string, std::string> tensors;
  std::erase_if(left,
                [&](const std::string& reading) { return !tensors.emplace(as_tensor(e, reading), reading).second; });
  return left;
}

std::string spelled(const std::string& reading) {
  std::string text;
  for (const char letter : reading) {
    if (!text.empty()) text += ',';
    text += letter == 'M' ? std::string("B*H") : std::string(1, letter);
  }
  return text;
}

/// The letters of "L,B,H,q,k"; also "B*H" and "offset=-2".
SavedAxes stated_axes(const std::string& text, const std::string& setting) {
  constexpr const char* expected =
      "expected names such as L,B,H,q,k, in the order of the axes; B*H for both in one, offset=-2 for k";
  SavedAxes axes;
  for (const std::string_view part : Split(text, ',')) {
    std::string name(part);
    std::erase(name, ' ');
    const std::string upper = name == "Q" || name == "K" ? lowercase(name) : name;
    char letter = 0;
    if (upper.size() == 1 && std::string_view("LBHqk").find(upper) != std::string_view::npos) letter = upper[0];
    if (name == "l" || name == "b" || name == "h") letter = static_cast<char>(name[0] - 'a' + 'A');
    if (name == "B*H") letter = 'M';
    if (name.starts_with("offset=")) {
      const auto first = number_of_text<Index>(name.substr(7));
      if (first) axes.first_offset = *first, letter = 'o';
    }
    if (letter == 0) throw SettingError(setting, Message("has {0}", in_quotes(name)), expected);
    if (axes.letters.find(letter) != std::string::npos)
      throw SettingError(setting, Message("has {0} twice", in_quotes(name)), expected);
    axes.letters.push_back(letter);
  }
  const auto has = [&](char letter) { return axes.letters.find(letter) != std::string::npos; };
  if (!has('q') || has('k') == has('o') || (has('M') && (has('B') || has('H'))))
    throw SettingError(setting, Message("is {0}", in_quotes(text)), expected);
  return axes;
}

SavedAxes fitted(const FileReading& r, const PrecomputedAttention& found, const Evidence& e, SavedAxes axes) {
  std::string& letters = axes.letters;
  const bool no_layers = letters.find('L') == std::string::npos;
  if (e.lists == 1 && letters.size() + 1 == e.axes() && no_layers) letters.insert(letters.begin(), 'L');
  const bool in_lists = letters.substr(0, e.lists).find_first_of("qkoM") != std::string::npos;
  if (letters.size() != e.axes() || in_lists) {
    r.fail(e.lists ? Message("{0}, in lists of {1}", r.shape_of(found.weights.front()), to_string(found.lists))
                   : r.shape_of(found.weights.front()),
           Message("expected {0} names in --axes, those of lists first", e.axes()));
  }
  if (const std::size_t both = letters.find('M'); both != std::string::npos) {
    const Index size = e.sizes[both];
    const std::optional<Index> heads = e.heads && size % *e.heads == 0 ? e.heads : e.heads_within(size);
    if (!heads)
      r.fail(Message("{0}, whose axis B*H is of {1}", r.shape_of(found.weights.front()), size),
             "expected --heads N, or num_heads in the file, that divides it");
    axes.heads = *heads;
  }
  return axes;
}

/// The axes that --axes or the file itself states.
std::optional<SavedAxes> stated(const FileReading& r, const PrecomputedAttention& found, const Evidence& e) {
  const Scenario& s = r.resolving.scenario;
  std::string text = s.axes, setting = "--axes";
  if (text.empty()) {
    setting = "axes";
    if (const auto own = r.file.arrays().texts().find("axes"); own != r.file.arrays().texts().end()) text = own->second;
    else if (const auto words = r.file.arrays().words("axes"))
      for (const std::string& word : words->words) text += (text.empty() ? "" : ",") + word;
    if (!text.empty()) r.asked->insert("axes"), r.words_read->insert("axes");
  }
  if (text.empty()) return {};
  SavedAxes axes = fitted(r, found, e, stated_axes(text, setting));
  r.assume("axes", Message("{0}, as {1} says", text, setting == "axes" ? "the file" : "--axes"));
  return axes;
}

FileReading reading_of(const TensorFile& file, const Resolving& resolving, std::vector<Assumption>& assumptions) {
  return {resolving, file, {}, assumptions};
}

}  // namespace

std::vector<bool> axes_with_sums_of_one(const Tensor& tensor) {
  constexpr Index most_lines = 4000;
  const Tensor stored = tensor.contiguous();
  const std::span<const float> values = stored.values();
  std::vector<bool> of_one(static_cast<std::size_t>(stored.rank()), false);
  if (values.empty() || std::ranges::any_of(values, [](float v) { return v < -1e-3F || v > 1.01F; })) return of_one;
  Index stride = 1;
  for (Index axis = stored.rank() - 1; axis >= 0; --axis) {
    const Index width = stored.size(axis), lines = stored.count() / width,
                step = std::max<Index>(1, lines / most_lines);
    bool any = false, all = true;
    for (Index line = 0; line < lines && all; line += step) {
      const Index first = line / stride * stride * width + line % stride;
      double sum = 0;
      for (Index i = 0; i < width; ++i)
        sum += static_cast<double>(values[static_cast<std::size_t>(first + i * stride)]);
      if (sum == 0 || std::isnan(sum)) continue;
      any = true;
      all = std::abs(sum - 1) <= 0.02;
    }
    of_one[static_cast<std::size_t>(axis)] = any && all;
    stride *= width;
  }
  return of_one;
}

SavedAxes axes_of(const FileReading& r, const PrecomputedAttention& found) {
  if (found.steps) {
    const std::size_t rank = shape_of_first(r.file.arrays(), found).size();
    const std::string usual = std::string("BHqk").substr(4 - rank);
    const std::string& set = r.resolving.scenario.axes;
    if (!set.empty() && set != spelled(usual))
      throw SettingError("--axes", Message("is {0}, where the arrays are the steps of generate()", in_quotes(set)),
                         Message("expected {0}", spelled(usual)));
    SavedAxes axes;
    axes.letters = usual;
    axes.layers = found.lists.size() > 1 ? found.lists[1] : 1;
    return axes;
  }
  const Evidence e = evidence_of(r, found);
  SavedAxes axes;
  if (const auto said = stated(r, found, e)) {
    axes = *said;
  } else {
    const std::vector<std::string> readings = readings_of(r, found, e);
    axes.letters = readings.front();
    if (readings.size() > 1) {
      for (const std::string& reading : readings) axes.choices.push_back(spelled(reading));
      return axes;
    }
    if (const std::size_t both = axes.letters.find('M'); both != std::string::npos)
      axes.heads = *e.heads_within(e.sizes[both]);
  }
  axes.layers = e.size(axes.letters, 'L');
  return axes;
}

std::vector<std::string> open_axes(const Scenario& scenario) {
  if (scenario.source != Source::file || !scenario.axes.empty()) return {};
  try {
    const TensorFile file(scenario.file);
    const auto found = find_precomputed(file, scenario);
    if (!found || found->weights.empty()) return {};
    std::vector<Assumption> assumptions;
    const Resolving resolving{scenario};
    std::vector<std::string> choices = axes_of(reading_of(file, resolving, assumptions), *found).choices;
    choices.resize(std::min(choices.size(), most_axes_offered));
    return choices;
  } catch (const InputError&) {
    return {};  // resolve() gives the error message
  }
}

std::string axes_in_words(const PrecomputedAttention& found, const SavedAxes& axes) {
  std::string text;
  for (const char letter : axes.letters.substr(found.steps ? 0 : found.lists.size())) {
    text += text.empty() ? "[" : ", ";
    text += letter == 'q'   ? "n_q"
            : letter == 'k' ? "n_k"
            : letter == 'M' ? "B·H"
            : letter == 'o' ? "offset"
                            : std::string(1, letter);
  }
  return text + "]";
}

}  // namespace headlight
