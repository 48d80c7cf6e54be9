#include <string>

#include "ramet/op/op.h"
#include "ramet/ops/logging/tensor_text.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {
namespace {

class AssertKernel final : public Kernel {
 public:
  explicit AssertKernel(const AttrMap& attrs) : summarize_(attrs.GetOr("summarize", int64_t{3})) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<AssertKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& condition = c.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: ", condition.shape());
    }
    if (IsTrue(condition)) return OkStatus();
    std::string message = "assertion failed: ";
    for (int i = 1; i < c.num_inputs(); ++i) {
      message += StrCat(i > 1 ? " " : "", "[", HeadText(c.input(i), summarize_), "]");
    }
    return InvalidArgument(message);
  }

 private:
  const int64_t summarize_;
};

}  // namespace

RAMET_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .Stateful()
    .HostMemory({"condition", "data"})
    .Doc(
        "Stops the run with an error unless the scalar `condition` is true. The message shows the "
        "first `summarize` elements of each tensor in `data` (-1 shows all). Error: the condition "
        "is false (\"assertion failed: [...]\") or not a scalar.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernelClass<AssertKernel>();

}  // namespace ramet
