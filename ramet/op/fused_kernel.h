#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// A FusedKernel computes several nodes at once. Its inputs are those of the nodes that none of them
// computes. Its outputs are those of the parts that are kept, in order, and that of the last one.
class FusedKernel {
 public:
  virtual ~FusedKernel() = default;
  // Computes the outputs. Their bits are those of the separate kernels. Returns false, with no side
  // effects, if the caller has to run the nodes one by one instead, also for an error.
  virtual bool Compute(KernelContext& context) = 0;
};

// An input of a FusedPart: an input of the fused kernel, or the result of an earlier part.
struct FusedOperand {
  bool is_part = false;
  int16_t index = 0;
};

class FusableKernel;

struct FusedPart {
  const FusableKernel* kernel = nullptr;
  std::vector<FusedOperand> operands;
  bool is_kept = false;  // its value is an output of the fused kernel
};

// A FusableKernel is a kernel whose device can compute it together with others. It takes tensors in
// the device's memory and has one output there. Element i of the output depends on one element of
// each input, unless the kernel ends trees.
class FusableKernel {
 public:
  static constexpr int kMaxInputs = 8;
  static constexpr int kMaxParts = 16;
  static constexpr int kMaxKept = 4;

  virtual ~FusableKernel() = default;
  // Reports whether the kernel can be the last part only. Such a kernel may also have inputs in
  // host memory, which are not parts and come last.
  virtual bool ends_trees() const { return false; }
  // Reports whether the kernel returns its input, which costs no work. It is a part between others
  // only, and its value is not kept.
  virtual bool returns_input() const { return false; }
  // Returns a kernel that computes the last of `parts`, at most kMaxParts of one device, and those
  // that are kept, at most kMaxKept, from at most kMaxInputs inputs. Later parts use the result of
  // each part but the last one. Returns null if the device cannot fuse these.
  virtual std::unique_ptr<FusedKernel> Fuse(std::span<const FusedPart> parts,
                                            int num_inputs) const = 0;
};

}  // namespace ramet
