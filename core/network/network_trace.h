// The one door from a scenario to its trace, whatever it names: text, random numbers, a file, or a layer of a network.
#pragma once

#include "core/network/network.h"
#include "core/run/pipeline.h"

namespace headlight {

/// Whether the scenario's attention is a layer of a network on what the layers before it give: "model:ID", a model's
/// folder, its index of shards, or text through a file that has a known config.json beside it.
bool is_network(const Scenario& scenario);

/// The network that it is a layer of, `last` itself where it is that; null where is_network() is false. Throws
/// FileError for one that cannot be opened.
std::shared_ptr<const Network> find_network(const Scenario& scenario,
                                            const std::shared_ptr<const Network>& last = nullptr);

/// As compute(scenario, last, run) of core/run/pipeline.h, and for networks besides. There network_of(trace->inputs)
/// (core/scenario/model_layer.h) is the whole pass, the very one of `last` where text, model, knocked-out heads and
/// what is changed are the same: a change of mask or scale is of the layer looked at, the pass goes on from there, and
/// it is said among the assumptions. The trace's scenario has the settings that the model says. Without Run::summary,
/// which is for drawing, the pass ends at the layer looked at.
std::shared_ptr<const Trace> compute_any(const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

/// Whether a trace for drawing has all of its summary and its overview, and no first look alone (Run::summary).
bool is_whole(const Trace& trace);
/// The trace with them; itself where it is whole. Throws Cancelled.
std::shared_ptr<const Trace> with_whole_summary(std::shared_ptr<const Trace> trace, const std::stop_token& stop = {});

/// The whole pass alone. Throws where is_network() is false.
std::shared_ptr<const NetworkRun> run_network(const Scenario& scenario,
                                              const std::shared_ptr<const NetworkRun>& last = nullptr,
                                              RunOptions options = {});
/// The same of a network that is open.
std::shared_ptr<const NetworkRun> run_network(const std::shared_ptr<const Network>& network, const Scenario& scenario,
                                              const std::shared_ptr<const NetworkRun>& last, RunOptions options);

/// What the network reads of a scenario, for Network::read: its text, a usual one where none was given, or the files of
/// its pictures. Throws SettingError where it asks for the other of these.
std::string input_of(const Network& network, const Scenario& scenario);

/// What a person should know of a pass: the model and how it was read, its tokenizer, the text where none was given,
/// the heads that are knocked out.
std::vector<Assumption> notes_of(const NetworkRun& pass, const Scenario& scenario);

/// The trace of one layer of a pass, on its true input.
std::shared_ptr<const Trace> compute_layer(const std::shared_ptr<const NetworkRun>& pass, Index layer,
                                           const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

}  // namespace headlight
