#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ramet/runtime/node_devices.h"
#include "ramet/runtime/run_order.h"

namespace ramet {

// A PlanBuilder appends steps to a plan: it lays out the slots of values, knows which slot holds
// each output of a node, and adds copies between the memories of devices. The caller holds the
// graph's lock during its use.
class PlanBuilder {
 public:
  // The arguments must outlive this object.
  PlanBuilder(const GraphData& graph, const RunOrder& order, const NodeDevices& devices,
              PlanData* plan)
      : graph_(graph), order_(order), devices_(devices), plan_(*plan) {}

  // Returns the first of `count` new slots.
  int32_t NewSlots(int32_t count = 1);
  // Adds a slot for each output of a node, except that readers of a fed output get its feed.
  IndexRange AddOutputs(NodeId id);
  void SetSlot(Endpoint e, int32_t slot) { slot_of_[e] = slot; }
  int32_t SlotOf(Endpoint e) const { return slot_of_.at(e); }
  // Returns a slot with the value of `e` in the memory of a device (0: in host memory). Adds steps
  // that copy it there if it is elsewhere.
  int32_t SlotInMemory(Endpoint e, int memory);

  // Sets the inputs of a node's step to its data inputs, with copies to the memory of the step's
  // device, and notes which outputs stay in host memory.
  // \error kInvalidArgument: an attr that determines the types of the inputs is missing.
  Status SetInputs(NodeId id, Step* step);
  // Sets the inputs of a step.
  void SetInputs(Step* step, const std::vector<StepInput>& inputs);
  // Makes the step dead if a control input of the node is dead.
  void SetControlInputs(NodeId id, Step* step);
  void AddStep(const Step& step);

 private:
  StatusOr<std::vector<StepInput>> InputsOf(NodeId id, int device) const;
  int32_t SlotFor(Endpoint e, const StepInput& input, const Step& step);
  // Reports whether the value of `e` is a constant that no branch or loop makes dead.
  bool IsAliveConstant(Endpoint e) const;
  // Returns a slot with the value of a constant in host memory.
  int32_t ConstantSlot(Endpoint e);
  int32_t AddCopy(Endpoint e, int32_t from, StepWork work, int device, int memory);
  void NoteHostOutputs(const Step& step);

  const GraphData& graph_;
  const RunOrder& order_;
  const NodeDevices& devices_;
  PlanData& plan_;
  std::unordered_map<Endpoint, int32_t, EndpointHash> slot_of_;
  std::map<std::tuple<NodeId, int32_t, int>, int32_t> copies_;  // by output and memory
  std::unordered_map<NodeId, int32_t> step_of_;                 // in plans with control flow
};

}  // namespace ramet
