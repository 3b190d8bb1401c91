// Passes that go on from kept keys and values, beside passes over the whole text.
#include "core/network/key_cache.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/network/decode_step.h"
#include "core/tensor/error.h"
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

/// A pass that went on against one over the same text: the rows that it has.
void check_rows(const NetworkRun& went_on, const NetworkRun& whole) {
  REQUIRE(went_on.logits.defined());
  const Index rows = went_on.logits.size(1), first = whole.logits.size(1) - rows;
  CHECK(went_on.first == first);
  CHECK_THAT(went_on.logits, agrees_with(whole.logits.slice(1, first, rows)));
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    if (!went_on.layers[i].residual.defined()) continue;  // the encoder's
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

/// Every fixture that writes words one after the other, each with an empty cache.
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

TEST_CASE(
    "in every architecture that writes, a pass that goes on from kept keys and values gives what a whole pass gives") {
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

TEST_CASE("frequencies that change with the length of the text are of the whole text") {
  for (const std::string name : {"llama_dynamic", "phi3_long"}) {
    const Fixture fixture(name);
    KeyCache cache;
    RunOptions options;
    options.cache = &cache;
    bool began_anew = false;
    for (Index end = 1; end <= fixture.count(); ++end) {
      const NetworkRun went_on = fixture.network->run(fixture.first(end), options);
      began_anew = began_anew || (end > 1 && went_on.first == 0);
      check_rows(went_on, fixture.network->run(fixture.first(end), {}));
    }
    CHECK(began_anew);
  }
}

TEST_CASE("keys and values of another text, of other silent heads or of a pass that was broken off are not used") {
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

TEST_CASE("lines of several lengths go on from where the shortest has changed") {
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

TEST_CASE(
    "what is kept takes two vectors of float32 a key/value head, a layer and a position, of a window its own alone") {
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
    return bytes / 2;  // of one of the two lines
  };
  CHECK(kept("gpt2", 0) == 2 * 4 * 3 * 4 * 7);     // 3 heads
  CHECK(kept("llama", 0) == 2 * 4 * 2 * 6 * 7);    // 4 heads on 2
  CHECK(kept("falcon", 0) == 2 * 4 * 1 * 6 * 7);   // 4 heads on 1
  CHECK(kept("mistral", 0) == 2 * 4 * 2 * 6 * 3);  // a window of 3
  CHECK(kept("gemma3", 0) == 2 * 4 * 2 * 8 * 3);   // a window in one of its two layers
  CHECK(kept("gemma3", 1) == 2 * 4 * 2 * 8 * 7);
}

TEST_CASE("a changed layer keeps nothing, and its passes are whole") {
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

TEST_CASE("what a step of writing reads and adds is what the cache holds, in every architecture that writes") {
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
      CHECK(held == (spec.latent ? layer.as_mha : layer.numbers));  // of a latent what is made of it is held here
      CHECK((layer.shared == KeysShared::mha) == (layer.numbers == layer.as_mha));
      kinds.insert(layer.shared);
    }
  });
  CHECK(kinds.size() == 4);
}
