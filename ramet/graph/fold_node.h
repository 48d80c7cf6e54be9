#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ramet/graph/graph_data.h"
#include "ramet/op/kernel.h"

namespace ramet {

// Reports whether a node may be computed before a run if the values of all its inputs are known:
// its op is foldable (OpBuilder::Foldable), and its outputs have a fixed size per element. False
// for a node without inputs.
bool MayBeFolded(const GraphNodes& graph, const NodeRecord& node);

// Returns the number of elements of a shape, with dimensions of zero counted as one, because a
// kernel may loop over the other dimensions of an empty tensor. -1 if it is not fully defined.
int64_t LoopsOver(const Shape& shape);

// A FoldingAllocator rejects blocks of more than `max_bytes`, so that a kernel with a large output
// fails before it allocates memory. Thread-safe.
class FoldingAllocator final : public Allocator {
 public:
  explicit FoldingAllocator(size_t max_bytes) : max_bytes_(max_bytes) {}
  std::string_view name() const override { return "constant folding"; }
  StatusOr<BufferPtr> Allocate(size_t bytes) override;

 private:
  const size_t max_bytes_;
};

// Runs the CPU kernel of a node that may be folded. Returns one tensor per output, or an empty
// vector if the kernel fails: the error then appears when the node runs.
std::vector<Tensor> ComputeFolded(Kernel& kernel, std::span<const Tensor> inputs, int num_outputs,
                                  FoldingAllocator* allocator);

}  // namespace ramet
