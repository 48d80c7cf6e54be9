#pragma once

#include <span>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/runtime/feed_set.h"
#include "ramet/runtime/run_order.h"

namespace ramet {

// Moves nodes that compute shapes, sizes and axes from an accelerator to the host, so that the host
// does not wait for the device to know them. These are nodes without side effects whose inputs are
// small constants or are in host memory, and whose outputs are integers or bools. TensorFlow's
// kernels for int32 on GPUs compute in host memory for the same reason. `placement` has a device,
// as a position in `devices`, for each node of the order. The caller holds the graph's lock.
void KeepArgumentsOnHost(const GraphData& graph, const RunOrder& order, const FeedSet& feeds,
                         std::span<Device* const> devices, std::vector<int>* placement);

}  // namespace ramet
