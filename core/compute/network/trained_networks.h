// The networks of training runs, which have no files: "train:reverse;heads=4@40" is the network after 40 steps.
#pragma once

#include <memory>
#include <string>

#include "core/compute/network/network.h"

namespace headlight {

class Trainer;

/// The kept steps of this run open from memory as long as the Trainer lives. Others are made again by training.
void offer_run(const std::shared_ptr<const Trainer>& trainer);

/// Opens a run's step by its name: from an offered run that has kept it, else by training up to it. The last few are
/// kept. Thread-safe. Throws SettingError for a name that is none, and what a Trainer throws.
std::shared_ptr<const Network> open_run(const std::string& name);

}  // namespace headlight
