#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/optimizer_rules.h"
#include "ramet/op/op.h"

// Programs that update variables by the rules of optimizers.
namespace ramet::gpu {

// The roles of the inputs of an Apply op.
struct ApplyInputs {
  std::vector<int> variables;  // the variable and its slots
  std::vector<int> scalars;
  std::vector<std::string> scalar_tags;  // "T", or "i64" for a number of steps
  int gradient = -1;
  int indices = -1;                // -1: the op is dense
  std::vector<std::string> names;  // by input

  explicit ApplyInputs(const OpSchema& schema);
};

// Returns the program of a rule for ops with these inputs, which is made once. Its kernel is
// "apply", which updates up to `count` variables, or "apply_rows" if the op is sparse, which
// updates one.
const Program& UpdateProgram(const OptimizerRule& rule, const ApplyInputs& inputs, int count);

// Returns the definitions of these programs. `index` is the tag of the dtype of the indices.
Definitions UpdateDefinitions(DType dtype, std::string index, bool flag);

// A DenseUpdate updates variables as a dense Apply op does, several in one launch.
class DenseUpdate final : public MergingKernel {
 public:
  // Returns the only object for these arguments.
  static const DenseUpdate& For(const OptimizerRule& rule, const ApplyInputs& inputs, DType dtype,
                                bool flag);

  size_t max_merged() const override { return max_merged_; }
  // The tensors read are the old values, the scalars and the gradient; those written are the new
  // values.
  StatusOr<ReadyLaunch> Merge(std::span<const HeldLaunch> launches) const override;

 private:
  DenseUpdate(const OptimizerRule& rule, const ApplyInputs& inputs, DType dtype, bool flag);

  const OptimizerRule& rule_;
  const ApplyInputs inputs_;
  const Definitions definitions_;
  const size_t max_merged_;
};

}  // namespace ramet::gpu
