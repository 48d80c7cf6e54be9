#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/cancellation.h"
#include "ramet/base/export.h"
#include "ramet/op/followed_values.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// How one run works (the fields of tf.RunOptions that have a meaning here).
struct RunOptions {
  // The run ends with kDeadlineExceeded after so many milliseconds; 0 or less: as
  // SessionOptions::operation_timeout_in_ms has it. It ends between two steps, and steps that wait
  // for something end their wait; a step that computes is not cut.
  int64_t timeout_in_ms = 0;
  // Cancelling it ends the run likewise with kCancelled.
  std::shared_ptr<CancellationToken> cancellation = nullptr;
  // Records each step in RunMetadata::steps.
  bool trace = false;
  // Writes what ran to RunMetadata::partition_graphs.
  bool output_partition_graphs = false;
};

// What a step of a run made.
struct OutputStats {
  int index = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
};

// One step of a run. Constants and fed tensors are no steps.
struct NodeStats {
  std::string device;  // full name
  std::string node;
  std::string op;
  std::vector<std::string> inputs;  // names of nodes
  int64_t start_nanos = 0;          // since 1970
  int64_t end_nanos = 0;
  std::vector<OutputStats> outputs;
};

// What a run tells of itself (tf.RunMetadata).
struct RunMetadata {
  std::vector<NodeStats> steps;  // in the order in which they ended
  // Device and GraphDef (in wire form) of the nodes that ran there, fed tensors being `_Arg` nodes.
  std::vector<std::pair<std::string, std::string>> partition_graphs;
  // The published version that the run saw, if its session follows one.
  VersionId version;
  VersionProof version_proof = VersionProof::kNotAsked;
};

}  // namespace ramet
