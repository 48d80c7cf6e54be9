#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/parallel_map.h"

namespace ramet {
namespace {

// The number of elements is known only if the function never ends the dataset.
int64_t MappedCardinality(const DatasetArgs& args, const Dataset& input) {
  const bool is_kept = args.attrs().GetOr("preserve_cardinality", false);
  return is_kept ? input.cardinality() : kUnknownCardinality;
}

class MapIterator final : public DatasetIterator {
 public:
  MapIterator(DatasetPtr dataset, IteratorPtr input, CapturedFunctionPtr function)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        function_(std::move(function)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    RAMET_RETURN_IF_ERROR(input_->Next(c, &args_, end));
    if (*end) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(*element, function_->Call(c, args_));
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const CapturedFunctionPtr function_;
  Element args_;
};

StatusOr<std::shared_ptr<Dataset>> MakeMapDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", input->spec().types, args.spec().types));
  const int64_t cardinality = MappedCardinality(args, *input);
  return Dataset::Make(args.spec(), {std::move(input)}, OverInputWith<MapIterator>(f), cardinality);
}

StatusOr<std::shared_ptr<Dataset>> MakeParallelMapDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", input->spec().types, args.spec().types));
  RAMET_ASSIGN_OR_RETURN(const int64_t calls,
                         args.Int(args.after_captured(1), "num_parallel_calls"));
  if (calls < 1 && calls != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  const int64_t cardinality = MappedCardinality(args, *input);
  return Dataset::Make(args.spec(), {std::move(input)}, ParallelMapFactory(f, ParallelCalls(calls)),
                       cardinality);
}

// Passes on the elements for which `test` of the iterator holds.
class FilterIterator final : public DatasetIterator {
 public:
  FilterIterator(DatasetPtr dataset, IteratorPtr input, CapturedFunctionPtr predicate,
                 bool is_prefix)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        predicate_(std::move(predicate)),
        is_prefix_(is_prefix) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    *end = done_;
    while (!*end) {
      RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
      if (*end) break;
      RAMET_ASSIGN_OR_RETURN(const bool passes, predicate_->CallPredicate(c, *element));
      if (passes) return OkStatus();
      *end = is_prefix_;
    }
    done_ = true;
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const CapturedFunctionPtr predicate_;
  const bool is_prefix_;  // ends at the first element that does not pass
  bool done_ = false;
};

template <bool is_prefix>
StatusOr<std::shared_ptr<Dataset>> MakeFilterDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(auto predicate,
                         args.Function("predicate", input->spec().types, {{kBool}}));
  return Dataset::Make(args.spec(), {std::move(input)},
                       OverInputWith<FilterIterator>(predicate, is_prefix));
}

// Carries a state from call to call of f(state, element) -> (state, output).
class ScanIterator final : public DatasetIterator {
 public:
  ScanIterator(DatasetPtr dataset, IteratorPtr input, CapturedFunctionPtr function, Element state)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    Element next;
    RAMET_RETURN_IF_ERROR(input_->Next(c, &next, end));
    if (*end) return OkStatus();
    Element args = state_;
    args.insert(args.end(), next.begin(), next.end());
    RAMET_ASSIGN_OR_RETURN(Element results, function_->Call(c, args));
    const auto outputs = results.begin() + std::ssize(state_);
    element->assign(outputs, results.end());
    state_.assign(results.begin(), outputs);
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const CapturedFunctionPtr function_;
  Element state_;
};

StatusOr<std::shared_ptr<Dataset>> MakeScanDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto arg_types, args.attrs().Get<std::vector<DType>>("Tstate"));
  Element state;
  for (size_t i = 0; i < arg_types.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor owned, args.input(static_cast<int>(i) + 1).Owned());
    state.push_back(std::move(owned));
  }
  const int first_captured = static_cast<int>(arg_types.size()) + 1;
  std::vector<DType> results = arg_types;
  const std::vector<DType>&types = input->spec().types, &outputs = args.spec().types;
  arg_types.insert(arg_types.end(), types.begin(), types.end());
  results.insert(results.end(), outputs.begin(), outputs.end());
  RAMET_ASSIGN_OR_RETURN(
      auto f, args.Function("f", std::move(arg_types), std::move(results), first_captured));
  return Dataset::Make(args.spec(), {std::move(input)}, OverInputWith<ScanIterator>(f, state));
}

RAMET_OP("MapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("preserve_cardinality: bool = false")
    .Attr("force_synchronous: bool = false")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the results of f for each element. f gets the components, then "
        "other_arguments.")
    .HostMemory({"other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeMapDataset>>();

RAMET_OP("ParallelMapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int32")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("sloppy: bool = false")
    .Attr("preserve_cardinality: bool = false")
    .Attr("metadata: string = ''")
    .Doc("Like ParallelMapDatasetV2.")
    .HostMemory({"other_arguments", "num_parallel_calls"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelMapDataset>>();

RAMET_OP("ParallelMapDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("deterministic: string = 'default'")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_unbounded_threadpool: bool = false")
    .Attr("metadata: string = ''")
    .Doc(
        "Like MapDataset, with num_parallel_calls calls of f at a time on threads of the iterator; "
        "-1 means one per processor. The elements keep their order. Error: num_parallel_calls is "
        "0 or less than -1.")
    .HostMemory({"other_arguments", "num_parallel_calls"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeParallelMapDataset>>();

RAMET_OP("FilterDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the elements for which predicate returns true. It gets the components, "
        "then other_arguments.")
    .HostMemory({"other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeFilterDataset<false>>>();

RAMET_OP("TakeWhileDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset of the elements before the first for which predicate returns false.")
    .HostMemory({"other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeFilterDataset<true>>>();

RAMET_OP("ScanDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_default_device: bool = true")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the results of f. It gets the state, the components of an element and "
        "other_arguments, and returns the next state, then the components of a result.")
    .HostMemory({"initial_state", "other_arguments"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeScanDataset>>();

}  // namespace
}  // namespace ramet
