#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/step_recorder.h"

namespace ramet {

// Returns each device that has nodes of the plan, with these nodes as a GraphDef in wire form.
StatusOr<std::vector<std::pair<std::string, std::string>>> PartitionGraphs(
    const Graph& graph, const Plan& plan, std::span<Device* const> devices);

// Returns the recorded steps with the names of their nodes and devices.
std::vector<NodeStats> DescribeSteps(std::vector<StepRecord> records,
                                     std::span<Device* const> devices);

}  // namespace ramet
