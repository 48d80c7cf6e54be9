#pragma once

#include "ramet/op/op.h"

namespace ramet {

// The role of an op in TensorFlow 1's control flow, which executors implement themselves: which of
// its outputs are alive, and in which loop frame. Reference ops (RefSwitch, ...) have the same
// roles. Source: "TensorFlow: Large-Scale Machine Learning on Heterogeneous Distributed Systems"
// (2015), section 4.4.
enum class ControlFlow : uint8_t {
  kNone,
  kSwitch,         // forwards its data to one of two outputs; the other is dead
  kMerge,          // forwards the one input that is alive
  kEnter,          // forwards a value into a loop frame
  kExit,           // forwards a value out of a loop frame
  kNextIteration,  // forwards a value to the next iteration
  kControlTrigger  // alive even if its control inputs are dead
};

// Returns the role of a registered op; kNone for any other. Thread-safe.
RAMET_EXPORT ControlFlow ControlFlowOf(const Op& op);

}  // namespace ramet
