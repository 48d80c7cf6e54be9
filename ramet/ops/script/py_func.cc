#include "ramet/op/host_function.h"
#include "ramet/op/op.h"

namespace ramet {
namespace {

Status UnknownOutputs(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::Unknown());
  return OkStatus();
}

// Calls the function that is registered under the token of the node.
class CallHostFunction final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto token, node.attrs->Get<std::string>("token"));
    return std::unique_ptr<Kernel>(new CallHostFunction(std::move(token), node.output_types));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(HostFunction function, FindHostFunction(token_));
    std::vector<Tensor> inputs;
    for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
    RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, function(inputs));
    RAMET_RETURN_IF_ERROR(Check(outputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      c.SetOutput(static_cast<int>(i), std::move(outputs[i]));
    }
    return OkStatus();
  }

 private:
  CallHostFunction(std::string token, std::vector<DType> types)
      : token_(std::move(token)), types_(std::move(types)) {}

  Status Check(const std::vector<Tensor>& outputs) const {
    if (outputs.size() != types_.size()) {
      return InvalidArgument(token_, " returns ", outputs.size(), " values, but expects to see ",
                             types_.size(), " values.");
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].dtype() == types_[i]) continue;
      return InvalidArgument(i, "-th value returned by ", token_, " is ",
                             DTypeName(outputs[i].dtype()), ", but expects ", DTypeName(types_[i]));
    }
    return OkStatus();
  }

  const std::string token_;
  const std::vector<DType> types_;
};

RAMET_OP("PyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .Doc(
        "Calls the function that this process has registered under `token` with the inputs. The "
        "outputs have the shapes of the values that it returns. Error: no such function is "
        "registered (kNotFound); it returns a different number of values or different dtypes than "
        "Tout; the function raises an error, which is passed on.")
    .HostMemory({"input", "output"})
    .CallsProgram()
    .Shape(UnknownOutputs)
    .NotDifferentiable()
    .CpuKernelClass<CallHostFunction>();

RAMET_OP("PyFuncStateless")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Doc("Like PyFunc, for a function whose results depend only on its inputs.")
    .HostMemory({"input", "output"})
    .CallsProgram()
    .Shape(UnknownOutputs)
    .NotDifferentiable()
    .CpuKernelClass<CallHostFunction>();

RAMET_OP("EagerPyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("is_async: bool = false")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .Doc(
        "Like PyFunc, for a function that runs its operations eagerly. Its gradient is defined by "
        "the program. is_async has no effect.")
    .HostMemory({"input", "output"})
    .CallsProgram()
    .Shape(UnknownOutputs)
    .CpuKernelClass<CallHostFunction>();

}  // namespace
}  // namespace ramet
