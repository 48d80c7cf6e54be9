#include "ramet/base/exception.h"
#include "ramet/ops/dataset/dataset_args.h"

namespace ramet {
namespace {

struct GeneratorFunctions {
  CapturedFunctionPtr init;
  // Make the functions for a state with these dtypes.
  std::function<CapturedFunctionPtr(std::vector<DType>)> next, finalize;
};

std::vector<DType> TypesOf(const Element& element) {
  std::vector<DType> types;
  for (const Tensor& t : element) types.push_back(t.dtype());
  return types;
}

// Calls init for a state, next with the state until it fails with kOutOfRange, then finalize.
class GeneratorIterator final : public DatasetIterator {
 public:
  GeneratorIterator(DatasetPtr dataset, std::shared_ptr<const GeneratorFunctions> functions,
                    IteratorScope& scope)
      : DatasetIterator(std::move(dataset)), functions_(std::move(functions)), scope_(scope) {}
  ~GeneratorIterator() override {
    if (!begun_ || finalized_) return;
    const Cancellation cancellation(&scope_.closed(), nullptr, 0);
    NextContext c{scope_, {&cancellation, nullptr}};
    LogIfThrown("the end of a generator", [&] { Finalize(c).IgnoreError(); });
  }

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = finalized_;
    if (finalized_) return OkStatus();
    if (!begun_) {
      RAMET_ASSIGN_OR_RETURN(state_, functions_->init->Call(c, {}));
      next_ = functions_->next(TypesOf(state_));
      begun_ = true;
    }
    Element args = state_;
    auto made = next_->Call(c, args);
    if (made.ok()) {
      *element = *std::move(made);
      return OkStatus();
    }
    if (made.status().code() != Code::kOutOfRange) return made.status();
    *end = true;
    return Finalize(c);
  }

 private:
  Status Finalize(NextContext& c) {
    finalized_ = true;
    Element args = state_;
    return functions_->finalize(TypesOf(state_))->Call(c, args).status();
  }

  const std::shared_ptr<const GeneratorFunctions> functions_;
  IteratorScope& scope_;
  CapturedFunctionPtr next_;
  Element state_;
  bool begun_ = false, finalized_ = false;
};

// Returns a function that puts the dtypes of a state before the captured values of `bare`.
std::function<CapturedFunctionPtr(std::vector<DType>)> WithState(CapturedFunctionPtr bare) {
  return [bare](std::vector<DType> state) { return bare->WithArgs(std::move(state)); };
}

StatusOr<std::shared_ptr<Dataset>> MakeGeneratorDataset(DatasetArgs& args) {
  const auto count = [&](std::string_view attr) {
    return static_cast<int>(args.attrs().GetOr<std::vector<DType>>(attr, {}).size());
  };
  const int next_at = count("Tinit_func_args"), finalize_at = next_at + count("Tnext_func_args");
  auto functions = std::make_shared<GeneratorFunctions>();
  RAMET_ASSIGN_OR_RETURN(functions->init,
                         args.FunctionOf("init_func", "Tinit_func_args", {}, {}, 0));
  RAMET_ASSIGN_OR_RETURN(
      auto next, args.FunctionOf("next_func", "Tnext_func_args", {}, args.spec().types, next_at));
  RAMET_ASSIGN_OR_RETURN(
      auto finalize, args.FunctionOf("finalize_func", "Tfinalize_func_args", {}, {}, finalize_at));
  functions->next = WithState(std::move(next));
  functions->finalize = WithState(std::move(finalize));
  return Dataset::Make(
      args.spec(), {},
      [functions](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
        return std::make_unique<GeneratorIterator>(dataset, functions, c.scope);
      });
}

RAMET_OP("GeneratorDataset")
    .Input("init_func_other_args: Tinit_func_args")
    .Input("next_func_other_args: Tnext_func_args")
    .Input("finalize_func_other_args: Tfinalize_func_args")
    .Output("handle: variant")
    .Attr("init_func: func")
    .Attr("next_func: func")
    .Attr("finalize_func: func")
    .Attr("Tinit_func_args: list(type) >= 0")
    .Attr("Tnext_func_args: list(type) >= 0")
    .Attr("Tfinalize_func_args: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc(
        "Makes a dataset of the results of next_func, which gets what init_func returned, until it "
        "fails with kOutOfRange. finalize_func is called at the end, or when the iterator is "
        "destroyed.")
    .HostMemory({"init_func_other_args", "next_func_other_args", "finalize_func_other_args"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeGeneratorDataset>>();

}  // namespace
}  // namespace ramet
