#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/cancellation.h"
#include "ramet/base/export.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"
#include "ramet/variable/followed_values.h"

namespace ramet {

// Configures one run: the fields of tf.RunOptions that Ramet supports.
struct RunOptions {
  // The time limit in milliseconds; the run then ends with kDeadlineExceeded. 0 or less means
  // SessionOptions::operation_timeout_in_ms. A run stops between two operations or in an operation
  // that waits; an operation that computes is not interrupted.
  int64_t timeout_in_ms = 0;
  // Cancelling this token ends the run in the same way, with kCancelled.
  std::shared_ptr<CancellationToken> cancellation = nullptr;
  // Records each operation in RunMetadata::steps.
  bool trace = false;
  // Writes the graph that ran on each device to RunMetadata::partition_graphs.
  bool output_partition_graphs = false;
  // With `trace`: records the plan that other runs use, in which one step may stand for several
  // operations. Without it, a traced run executes the operations one by one.
  bool trace_fused = false;
};

// One output of an operation in a run.
struct OutputStats {
  int index = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
};

// One operation of a run. Constants and fed tensors are not recorded.
struct NodeStats {
  std::string device;  // full name
  std::string node;    // of a fused step: the last operation
  std::string op;      // of a fused step: the operations in their order, "MatMul+BiasAdd+Relu"
  std::vector<std::string> inputs;  // names of nodes
  int64_t start_nanos = 0;          // nanoseconds since 1970
  int64_t end_nanos = 0;
  std::vector<OutputStats> outputs;
  int64_t input_bytes = 0;         // the sizes of all inputs
  std::vector<std::string> fused;  // the nodes of a fused step, in their order
};

// Information about a run, as far as its RunOptions ask for it (tf.RunMetadata).
struct RunMetadata {
  std::vector<NodeStats> steps;  // in the order in which they ended
  // Devices and the serialized GraphDef of the nodes that ran there. Fed tensors are `_Arg` nodes.
  std::vector<std::pair<std::string, std::string>> partition_graphs;
  // The published version that the run used, if its session follows a publisher.
  VersionId version;
  VersionProof version_proof = VersionProof::kNotAsked;
};

}  // namespace ramet
