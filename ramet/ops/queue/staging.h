#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/ops/queue/queue.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {

// The limits of a staging area; 0 is none.
struct StagingLimits {
  int64_t capacity = 0, memory = 0;

  // Reports whether a tuple of `bytes` may join `count` tuples of `used` bytes.
  bool HaveRoom(int64_t count, int64_t used, int64_t bytes) const {
    return (capacity <= 0 || count < capacity) && (memory <= 0 || used <= memory - bytes);
  }
  // \error kResourceExhausted: `bytes` are more than the memory limit.
  Status CheckSize(int64_t bytes) const {
    if (memory <= 0 || bytes <= memory) return OkStatus();
    return ResourceExhausted("Attempted to insert tensors with combined size of '", bytes,
                             "' bytes into Staging Area with a memory limit of '", memory, "'.");
  }
};

// Returns the memory of a tuple; tensors that are empty count nothing.
inline int64_t TupleBytes(const Tuple& tuple) {
  constexpr int64_t kStringBytes = 24;  // of TensorFlow's string object
  int64_t bytes = 0;
  for (const Tensor& tensor : tuple) {
    if (tensor.empty()) continue;
    bytes += static_cast<int64_t>(tensor.bytes());
    if (tensor.dtype() != kString) continue;
    for (const std::string& s : tensor.flat<std::string>()) {
      bytes += kStringBytes + static_cast<int64_t>(s.size());
    }
  }
  return bytes;
}

// The base of kernels that use a staging area: one of the session, with the shared name of the node
// or the node's own.
template <class Staging>
class StagingKernel : public Kernel {
 public:
  explicit StagingKernel(const KernelNode& node)
      : node_(node.name),
        shared_(SharedNameOf(node, /*by_node_name=*/true)),
        limits_({node.attrs->GetOr<int64_t>("capacity", 0),
                 node.attrs->GetOr<int64_t>("memory_limit", 0)}),
        types_(node.output_types) {}

 protected:
  StatusOr<std::shared_ptr<Staging>> Area(KernelContext& c) const {
    auto area = std::dynamic_pointer_cast<Staging>(c.env().resources->FindOrCreate(
        KindContainer(Staging::kKind, shared_.container), shared_.name,
        [this] { return std::make_shared<Staging>(limits_); }));
    if (area != nullptr) return area;
    return Internal("'", shared_.name, "' is not a ", Staging::kKind);
  }

  // Returns the inputs from `first` on, to keep.
  static StatusOr<Tuple> InputsFrom(const KernelContext& c, int first) {
    Tuple tuple;
    for (int i = first; i < c.num_inputs(); ++i) {
      RAMET_ASSIGN_OR_RETURN(Tensor owned, c.input(i).Owned());
      tuple.push_back(std::move(owned));
    }
    return tuple;
  }

  // Sets the outputs from `first` on.
  // \error kInternal: a dtype is not that of the output.
  Status Output(KernelContext& c, int first, Tuple tuple) const {
    for (size_t i = 0; i < tuple.size(); ++i) {
      const int output = first + static_cast<int>(i);
      if (tuple[i].dtype() != types_[output]) {
        return Internal("Output ", output, " of type ", DTypeName(tuple[i].dtype()),
                        " does not match declared output type ", DTypeName(types_[output]),
                        " for node ", node_);
      }
      c.SetOutput(output, std::move(tuple[i]));
    }
    return OkStatus();
  }

 private:
  const std::string node_;
  const SharedName shared_;
  const StagingLimits limits_;
  const std::vector<DType> types_;
};

}  // namespace ramet
