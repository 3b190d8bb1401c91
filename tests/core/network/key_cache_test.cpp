// Passes that continue from cached keys and values, compared with passes over the whole text.
#include "core/compute/network/key_cache.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/tensor/error.h"
#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/rules/mask/evaluate.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

TokenBatch beginning_of(TokenBatch batch, Index count) {
  for (std::size_t i = 0; i < batch.entries.size(); ++i) {
    batch.entries[i].resize(static_cast<std::size_t>(count));
    batch.lengths[i] = std::min(batch.lengths[i], count);
  }
  return batch;
}

TokenBatch& spoken(const Network& network, NetworkText& text) {
  return network.spec().stacks.size() == 2 ? text.decoder : text.tokens;
}

bool writes(const Network& network) {
  return !network.spec().takes_tensors && !network.spec().masked && !network.spec().picture;
}

struct Fixture {
  std::shared_ptr<const Network> network;
  NetworkText text;
  explicit Fixture(const std::string& name) : network(open_network(networks::folder + name)) {
    if (writes(*network)) text = networks::text_of(*network, *open_arrays(networks::folder + name + "/expected.npz"));
  }
  NetworkText first(Index count) const {
    NetworkText part = text;
    TokenBatch& tokens = spoken(*network, part);
    tokens = beginning_of(tokens, count);
    return part;
  }
  Index count() const {
    NetworkText own = text;
    return spoken(*network, own).count();
  }
};

/// Compares the rows of a pass that went on from the cache with those of a pass over the same text.
void check_rows(const NetworkRun& went_on, const NetworkRun& whole) {
  REQUIRE(went_on.logits.defined());
  const Index rows = went_on.logits.size(1), first = whole.logits.size(1) - rows;
  CHECK(went_on.first == first);
  CHECK_THAT(went_on.logits, agrees_with(whole.logits.slice(1, first, rows)));
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    if (!went_on.layers[i].residual.defined()) continue;  // a layer of the encoder has none
    if (whole.network->layers()[i].stack + 1 != std::ssize(whole.network->spec().stacks)) continue;
    INFO("layer " << whole.network->layers()[i].layer);
    CHECK_THAT(went_on.layers[i].residual, agrees_with(whole.layers[i].residual.slice(1, first, rows)));
    const Tensor rows_of = whole.layers[i].weights.slice(2, first, rows);
    const Index kept = went_on.layers[i].weights.size(3), all = rows_of.size(3);
    CHECK_THAT(went_on.layers[i].weights, agrees_with(rows_of.slice(3, all - kept, kept)));
    const Tensor passed = rows_of.slice(3, 0, all - kept).contiguous();
    CHECK(std::ranges::all_of(passed.values(), [](float weight) { return weight == 0; }));
  }
}

/// Calls `check` for every fixture that generates text, each with an empty cache.
void for_networks_that_write(auto check) {
  for (const auto& entry : std::filesystem::directory_iterator(networks::folder)) {
    const std::string name = entry.path().filename().string();
    const Fixture fixture(name);
    if (!writes(*fixture.network) || !fixture.network->spec().head.output.there()) continue;
    INFO(name);
    KeyCache cache;
    check(fixture, cache);
  }
}

}  // namespace

TEST_CASE("in every generating architecture, a pass that continues from cached keys and values equals a whole pass") {
  int tried = 0;
  for_networks_that_write([&](const Fixture& fixture, KeyCache& cache) {
    RunOptions options;
    options.cache = &cache;
    for (const Index end : {2, 4, 5, 6, 7}) {
      if (end > fixture.count()) continue;
      INFO(end << " tokens");
      const NetworkRun went_on = fixture.network->run(fixture.first(end), options);
      check_rows(went_on, fixture.network->run(fixture.first(end), {}));
      if (fixture.network->spec().stacks.size() == 2 && end > 2) CHECK(!went_on.layers.front().residual.defined());
    }
    ++tried;
  });
  CHECK(tried > 40);
}

TEST_CASE("RoPE frequencies that depend on the length are those of the whole text") {
  for (const std::string name : {"llama_dynamic", "phi3_long"}) {
    const Fixture fixture(name);
    KeyCache cache;
    RunOptions options;
    options.cache = &cache;
    bool began_anew = false;
    std::vector<Index> ends;
    for (Index end = 1; end <= fixture.count(); ++end) ends.push_back(end);
    for (const Index shorter : {4, 3, 5, 2}) ends.push_back(std::min<Index>(shorter, fixture.count()));
    for (const Index end : ends) {
      INFO(name << ", " << end << " tokens");
      const NetworkRun went_on = fixture.network->run(fixture.first(end), options);
      began_anew = began_anew || (end > 1 && went_on.first == 0);
      check_rows(went_on, fixture.network->run(fixture.first(end), {}));
    }
    CHECK(began_anew);
  }
}

TEST_CASE("cached keys and values of another text, other silent heads or a cancelled pass are not used") {
  for (const std::string name : {"gpt2", "mistral", "t5"}) {
    INFO(name);
    const Fixture fixture(name);
    KeyCache cache;
    RunOptions options;
    options.cache = &cache;
    const auto check = [&](const NetworkText& text, RunOptions alone) {
      alone.cache = nullptr;
      const NetworkRun went_on = fixture.network->run(text, options);
      check_rows(went_on, fixture.network->run(text, alone));
      return went_on.first;
    };
    check(fixture.text, {});
    NetworkText other = fixture.text;
    spoken(*fixture.network, other).entries[1][2].id = 1;
    CHECK(check(other, {}) <= 2);
    other.tokens.entries[0][0].id = 1;
    CHECK(check(other, {}) == 0);
    options.knock_out = {{fixture.network->layers().size() - 1, 0}};
    RunOptions silent;
    silent.knock_out = options.knock_out;
    CHECK(check(other, silent) == 0);
    CHECK(check(other, silent) == fixture.count() - 1);
    std::stop_source stop;
    stop.request_stop();
    RunOptions stopped = options;
    stopped.stop = stop.get_token();
    CHECK_THROWS_AS(fixture.network->run(other, stopped), Cancelled);
    CHECK(check(other, silent) == 0);
  }
}

TEST_CASE("lines of several lengths continue from the first changed token of the shortest") {
  const Fixture fixture("llama");
  KeyCache cache;
  RunOptions options;
  options.cache = &cache;
  NetworkText text = fixture.text;
  text.tokens.lengths[1] = 4;
  check_rows(fixture.network->run(text, options), fixture.network->run(text, {}));
  text.tokens.lengths[1] = 5;
  const NetworkRun went_on = fixture.network->run(text, options);
  CHECK(went_on.first == 4);
  check_rows(went_on, fixture.network->run(text, {}));
}

TEST_CASE("the cache holds two float32 vectors for each key/value head, layer and position within the window") {
  const auto kept = [](const std::string& name, std::size_t layer) {
    const Fixture fixture(name);
    KeyCache cache;
    CHECK(cache.bytes() == 0);
    RunOptions options;
    options.cache = &cache;
    for (const Index end : {4, 7}) fixture.network->run(fixture.first(end), options);
    Index sum = 0;
    for (Index i = 0; i < std::ssize(fixture.network->layers()); ++i) sum += cache.bytes(i);
    CHECK(cache.bytes() == sum);
    const NetworkLayer& at = fixture.network->layers()[layer];
    const Index bytes = cache.bytes(static_cast<Index>(layer));
    CHECK(bytes == 2 * 4 * 2 * at.kv_heads * at.d_head * cache.positions(static_cast<Index>(layer)));
    return bytes / 2;  // for one of the two lines
  };
  CHECK(kept("gpt2", 0) == 2 * 4 * 3 * 4 * 7);     // 3 heads
  CHECK(kept("llama", 0) == 2 * 4 * 2 * 6 * 7);    // 4 query heads share 2 key/value heads
  CHECK(kept("falcon", 0) == 2 * 4 * 1 * 6 * 7);   // 4 query heads share 1 key/value head
  CHECK(kept("mistral", 0) == 2 * 4 * 2 * 6 * 3);  // a window of 3
  CHECK(kept("gemma3", 0) == 2 * 4 * 2 * 8 * 3);   // a window in one of its two layers
  CHECK(kept("gemma3", 1) == 2 * 4 * 2 * 8 * 7);
}

TEST_CASE("the mask of a layer's last queries, after keys of a cache, is the last rows of its mask") {
  for_networks_that_write([](const Fixture& fixture, KeyCache&) {
    for (const BlockSpec& block : fixture.network->spec().stacks.back().blocks) {
      if (!block.attention.causal) continue;  // a pass that may look ahead uses no cache
      const auto whole = layer_mask(block.attention), last = layer_mask(block.attention, true);
      REQUIRE((whole && last));
      MaskContext context;
      context.n_q = context.n_k = 9;
      const Tensor rows = evaluate(*whole, context).slice(2, 6, 3);
      context.n_q = 3;
      CHECK_THAT(evaluate(*last, context), agrees_with(rows));
    }
  });
}

TEST_CASE("a pass with a changed layer caches nothing and runs over the whole text") {
  const Fixture fixture("gpt2");
  KeyCache cache;
  RunOptions options;
  options.cache = &cache;
  Scenario changed;
  changed.mask = "full()";
  options.change = LayerChange{0, changed};
  for (const Index end : {3, 4}) CHECK(fixture.network->run(fixture.first(end), options).first == 0);
  CHECK(cache.bytes() == 0);
}

TEST_CASE("the bytes that a generation step reads and adds are those of the cache, in every generating architecture") {
  std::set<KeysShared> kinds;
  for_networks_that_write([&](const Fixture& fixture, KeyCache& cache) {
    RunOptions options;
    options.cache = &cache;
    const Index n = fixture.count(), batch = fixture.text.tokens.size();
    fixture.network->run(fixture.text, options);
    for (const DecodeLayer& layer : decode_layers(*fixture.network)) {
      const Index at = fixture.network->layer_named(layer.layer), rows = cache.positions(at);
      const AttentionSpec& spec =
          fixture.network->spec()
              .stacks.back()
              .blocks[static_cast<std::size_t>(fixture.network->layers()[static_cast<std::size_t>(at)].block)]
              .attention;
      CHECK(rows == (spec.chunk > 0 ? n : n - layer.first(n - 1)));
      if (spec.chunk > 0) CHECK(layer.first(n - 1) == (n - 1) / spec.chunk * spec.chunk);
      const Index held = cache.bytes(at) / (rows * batch * static_cast<Index>(sizeof(float)));
      CHECK(held == (spec.latent ? layer.as_mha
                                 : layer.numbers));  // of a latent, this cache holds the keys and values made from it
      CHECK((layer.shared == KeysShared::mha) == (layer.numbers == layer.as_mha));
      kinds.insert(layer.shared);
    }
  });
  CHECK(kinds.size() == 4);
}

namespace {

/// The options with which the window runs a network.
RunOptions for_drawing() {
  RunOptions options;
  options.summaries = options.parts = true;
  options.most_weights = 100'000;
  return options;
}

void check_same(const char* what, const Tensor& grown, const Tensor& whole) {
  INFO(what);
  REQUIRE(grown.defined() == whole.defined());
  if (whole.defined()) CHECK_THAT(grown, agrees_with(whole));
}

void check_equal(const NetworkRun& grown, const NetworkRun& whole) {
  CHECK(grown.first == 0);
  check_same("logits", grown.logits, whole.logits);
  check_same("final", grown.final, whole.final);
  check_same("encoded", grown.encoded, whole.encoded);
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    INFO("layer " << whole.network->layers()[i].layer);
    const LayerRun &a = grown.layers[i], &b = whole.layers[i];
    check_same("residual", a.residual, b.residual);
    check_same("weights", a.weights, b.weights);
    check_same("added", a.added, b.added);
    check_same("heads", a.heads, b.heads);
    check_same("values", a.values, b.values);
    check_same("experts", a.experts, b.experts);
    check_same("mlp", a.mlp, b.mlp);
    check_same("pictures", a.summary.pictures, b.summary.pictures);
    check_same("mean", a.summary.mean, b.summary.mean);
    check_same("entering", a.summary.entering, b.summary.entering);
    check_same("sizes added", a.summary.added, b.summary.added);
    REQUIRE(a.summary.patterns.size() == b.summary.patterns.size());
    for (std::size_t head = 0; head < b.summary.patterns.size(); ++head) {
      const HeadPatterns &x = a.summary.patterns[head], &y = b.summary.patterns[head];
      CHECK(x.queries == y.queries);
      CHECK(std::abs(x.bits - y.bits) < 1e-4);
      for (std::size_t k = 0; k < head_pattern_count; ++k) CHECK(std::abs(x.share[k] - y.share[k]) < 1e-4);
    }
  }
}

/// A pass whose layer inputs are all 7 in the stack that generates, so that rows copied from it can be seen.
NetworkRun marked(NetworkRun run) {
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    if (run.network->layers()[i].stack + 1 == std::ssize(run.network->spec().stacks))
      run.layers[i].residual = Tensor::full(run.layers[i].residual.shape(), 7);
  }
  return run;
}

/// The number of leading rows of the last layer's input that were copied from a marked pass.
Index rows_marked(const NetworkRun& run) {
  const Tensor& residual = run.layers.back().residual;
  Index rows = 0;
  while (rows < residual.size(1) && residual.at({0, rows, 0}) == 7 && residual.at({0, rows, 1}) == 7) ++rows;
  return rows;
}

}  // namespace

TEST_CASE("in every generating architecture, a pass that grows token by token has all results of a whole pass") {
  for_networks_that_write([](const Fixture& fixture, KeyCache&) {
    NetworkRun last = grown_pass(*fixture.network, fixture.first(1), for_drawing(), nullptr);
    Index grown = 0;
    for (Index end = 2; end <= fixture.count(); ++end) {
      INFO(end << " tokens");
      const NetworkRun beside = marked(last);
      grown += rows_marked(grown_pass(*fixture.network, fixture.first(end), for_drawing(), &beside)) == end - 1 ? 1 : 0;
      last = grown_pass(*fixture.network, fixture.first(end), for_drawing(), &last);
      check_equal(last, fixture.network->run(fixture.first(end), for_drawing()));
    }
    const auto& blocks = fixture.network->spec().stacks.back().blocks;
    const bool own_mask =
        std::ranges::any_of(blocks, [](const auto& block) { return block.attention.mask.has_value(); });
    // A pass whose frequencies depend on the length starts again, and so does one whose mask may look ahead.
    CHECK((own_mask || grown >= fixture.count() / 2));
  });
}

TEST_CASE("a pass runs over the whole text if earlier rows may differ or are not all cached") {
  const Fixture fixture("llama");
  const NetworkRun last = marked(grown_pass(*fixture.network, fixture.first(5), for_drawing(), nullptr));
  const auto rows_taken = [&](NetworkText text, const RunOptions& options, const NetworkRun& from) {
    const NetworkRun run = grown_pass(*fixture.network, text, options, &from);
    if (rows_marked(run) == 0) check_equal(run, fixture.network->run(text, options));
    return rows_marked(run);
  };
  CHECK(rows_taken(fixture.first(6), for_drawing(), last) == 5);
  NetworkText other = fixture.first(6);
  other.tokens.entries[1][2].id = 1;
  CHECK(rows_taken(other, for_drawing(), last) == 2);
  other.tokens.entries[0][0].id = 1;
  CHECK(rows_taken(other, for_drawing(), last) == 0);
  RunOptions silent = for_drawing();
  silent.knock_out = {{0, 1}};
  CHECK(rows_taken(fixture.first(6), silent, last) == 0);
  const NetworkRun of_silent = grown_pass(*fixture.network, fixture.first(5), silent, nullptr);
  CHECK(rows_taken(fixture.first(6), silent, marked(of_silent)) == 5);
  check_equal(grown_pass(*fixture.network, fixture.first(6), silent, &of_silent),
              fixture.network->run(fixture.first(6), silent));
  RunOptions changed = for_drawing();
  changed.change = LayerChange{0, Scenario{}};
  changed.change->settings.mask = "full()";
  CHECK(rows_taken(fixture.first(6), changed, last) == 0);
  const NetworkRun of_change = marked(grown_pass(*fixture.network, fixture.first(5), changed, nullptr));
  CHECK(rows_taken(fixture.first(6), for_drawing(), of_change) == 0);
  RunOptions few = for_drawing();
  few.most_weights = 10;
  const NetworkRun without = marked(grown_pass(*fixture.network, fixture.first(5), few, nullptr));
  CHECK(rows_taken(fixture.first(6), for_drawing(), without) == 0);
  CHECK(rows_taken(fixture.first(6), few, last) == 0);
}

TEST_CASE("two passes that continue from the same one do not overwrite each other's keys and values") {
  const Fixture fixture("llama");
  const NetworkRun last = grown_pass(*fixture.network, fixture.first(4), for_drawing(), nullptr);
  NetworkText other = fixture.first(5);
  other.tokens.entries[0][4].id = other.tokens.entries[1][4].id = 1;
  const NetworkRun one = grown_pass(*fixture.network, fixture.first(5), for_drawing(), &last);
  grown_pass(*fixture.network, other, for_drawing(), &last);
  const NetworkRun next = grown_pass(*fixture.network, fixture.first(6), for_drawing(), &one);
  check_equal(next, fixture.network->run(fixture.first(6), for_drawing()));
}

TEST_CASE("a text that grows continues from the last trace, except after a change of a layer") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "model:english";
  scenario.text_as_input = true;
  scenario.text = "the cat";
  const auto pass_of = [](const Trace& trace) { return network_of(trace.inputs); };
  const Run run{.summary = Summary::whole, .stop = {}, .progress = {}};
  auto last = compute_any(scenario, nullptr, run);
  for (const char* text : {"the cat sat", "the cat sat on", "the cat sat on the", "the cat sat in", "the"}) {
    INFO(text);
    scenario.text = text;
    const auto grown = compute_any(scenario, last.get(), run), whole = compute_any(scenario, nullptr, run);
    CHECK(pass_of(*grown)->kept->positions(0) == pass_of(*grown)->text.tokens.count());
    check_equal(*pass_of(*grown), *pass_of(*whole));
    for (const Stage stage : {Stage::query, Stage::weights, Stage::output})
      CHECK_THAT((*grown)[stage], agrees_with((*whole)[stage]));
    last = grown;
  }
  scenario.mask = "full()";
  CHECK(pass_of(*compute_any(scenario, last.get(), run))->kept->bytes() == 0);
}
