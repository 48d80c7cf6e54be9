#pragma once

#include "ramet/op/op.h"

namespace ramet {

// The part that an op plays in TensorFlow 1's control flow, which executors carry out themselves:
// which of its outputs are alive, and in which frame. The reference forms (RefSwitch, ...) play the
// same parts. Source: "TensorFlow: Large-Scale Machine Learning on Heterogeneous Distributed
// Systems" (2015), section 4.4.
enum class ControlFlow : uint8_t {
  kNone,
  kSwitch,         // passes its data on to one of two outputs; the other is dead
  kMerge,          // passes on the one input that is alive
  kEnter,          // passes a value into the frame of a loop
  kExit,           // passes a value out of it
  kNextIteration,  // passes a value on to the next iteration
  kControlTrigger  // alive even where its control inputs are dead
};

// By the identity of a registered op. Thread-safe.
RAMET_EXPORT ControlFlow ControlFlowOf(const Op& op);

}  // namespace ramet
