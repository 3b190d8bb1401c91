// From a scenario to its trace, for every source: text, random numbers, a file, or a layer of a network.
#pragma once

#include "core/compute/network/network.h"
#include "core/compute/run/pipeline.h"

namespace headlight {

/// Whether the scenario's attention is a layer of a network with the earlier layers' output as its input: "model:ID",
/// a model's folder, its index of shards, or text through a file with a known config.json beside it.
bool is_network(const Scenario& scenario);

/// The network of that layer; returns `last` if it is the same; null if is_network() is false. Throws FileError if it
/// cannot be opened.
std::shared_ptr<const Network> find_network(const Scenario& scenario,
                                            const std::shared_ptr<const Network>& last = nullptr);

/// As compute(scenario, last, run) of core/compute/run/pipeline.h, and also for networks. For these,
/// network_of(trace->inputs) (core/scenario/inputs/inputs.h) is the whole pass: the same object as in `last` if text,
/// model, knocked-out heads and changes are the same. A change of mask or scale applies to the chosen layer, later
/// layers follow from it, and an assumption says so. The trace's scenario has the model's settings. Without
/// Run::summary, which only drawing needs, the pass ends at the chosen layer.
std::shared_ptr<const Trace> compute_any(const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

/// Whether a trace for drawing has its whole summary and overview, not only the first part (Run::summary).
bool is_whole(const Trace& trace);
/// The trace with both; the same trace if it has them. Throws Cancelled.
std::shared_ptr<const Trace> with_whole_summary(std::shared_ptr<const Trace> trace, const std::stop_token& stop = {});

/// Only the pass. Throws if is_network() is false.
std::shared_ptr<const NetworkRun> run_network(const Scenario& scenario,
                                              const std::shared_ptr<const NetworkRun>& last = nullptr,
                                              RunOptions options = {});
/// The same for an open network.
std::shared_ptr<const NetworkRun> run_network(const std::shared_ptr<const Network>& network, const Scenario& scenario,
                                              const std::shared_ptr<const NetworkRun>& last, RunOptions options);

/// The scenario's input for Network::read: its text, else a default text, or the files of its pictures. Throws
/// SettingError if the network takes the other kind.
std::string input_of(const Network& network, const Scenario& scenario);

/// Notes for the user on a pass: the model and how it was read, its tokenizer, the text if none was given, the
/// knocked-out heads.
std::vector<Assumption> notes_of(const NetworkRun& pass, const Scenario& scenario);

/// The trace of one layer of a pass, on its true input.
std::shared_ptr<const Trace> compute_layer(const std::shared_ptr<const NetworkRun>& pass, Index layer,
                                           const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

}  // namespace headlight
