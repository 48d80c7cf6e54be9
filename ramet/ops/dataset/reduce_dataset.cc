#include "ramet/ops/dataset/dataset_args.h"

namespace ramet {
namespace {

// Calls fn(context, iterator) with a new iterator of a dataset.
template <class Fn>
Status WithIterator(const DatasetPtr& dataset, KernelContext& c, Fn&& fn) {
  RAMET_ASSIGN_OR_RETURN(auto runner, FunctionRunner::Of(*c.env().resources));
  IteratorScope scope(std::move(runner));
  NextContext context{scope, {c.cancellation(), c.run().followed}};
  RAMET_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->NewIterator(context));
  return fn(context, *iterator);
}

Status SetComponents(KernelContext& c, const ElementSpec& spec, Element element) {
  RAMET_RETURN_IF_ERROR(spec.Check(element));
  for (size_t i = 0; i < element.size(); ++i) {
    c.SetOutput(static_cast<int>(i), std::move(element[i]));
  }
  return OkStatus();
}

Status Reduce(DatasetArgs& args) {
  KernelContext& c = args.context();
  RAMET_ASSIGN_OR_RETURN(const DatasetPtr dataset, args.InputDataset());
  RAMET_ASSIGN_OR_RETURN(auto types, args.attrs().Get<std::vector<DType>>("Tstate"));
  Element state;
  for (size_t i = 0; i < types.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor owned, args.input(static_cast<int>(i) + 1).Owned());
    state.push_back(std::move(owned));
  }
  const int first_captured = static_cast<int>(types.size()) + 1;
  const std::vector<DType>& elements = dataset->spec().types;
  std::vector<DType> arg_types = types;
  arg_types.insert(arg_types.end(), elements.begin(), elements.end());
  RAMET_ASSIGN_OR_RETURN(auto f, args.Function("f", std::move(arg_types), types, first_captured));
  return WithIterator(dataset, c, [&](NextContext& context, DatasetIterator& iterator) -> Status {
    RAMET_RETURN_IF_ERROR(f->Prepare(context));
    Element next;
    for (bool end = false; true;) {
      RAMET_RETURN_IF_ERROR(iterator.Next(context, &next, &end));
      if (end) return SetComponents(c, args.spec(), std::move(state));
      std::ranges::move(next, std::back_inserter(state));
      RAMET_ASSIGN_OR_RETURN(state, f->Call(context, state));
    }
  });
}

Status SingleElement(DatasetArgs& args) {
  KernelContext& c = args.context();
  RAMET_ASSIGN_OR_RETURN(const DatasetPtr dataset, args.InputDataset());
  return WithIterator(dataset, c, [&](NextContext& context, DatasetIterator& iterator) -> Status {
    Element element, other;
    bool end = false;
    RAMET_RETURN_IF_ERROR(iterator.Next(context, &element, &end));
    if (end) return InvalidArgument("Dataset was empty.");
    RAMET_RETURN_IF_ERROR(iterator.Next(context, &other, &end));
    if (!end) return InvalidArgument("Dataset had more than one element.");
    return SetComponents(c, args.spec(), std::move(element));
  });
}

template <Status (*compute)(DatasetArgs& args)>
class WholeDatasetKernel final : public Kernel {
 public:
  explicit WholeDatasetKernel(DatasetNode node) : node_(std::move(node)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DatasetNode read, DatasetNode::Read(node));
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<WholeDatasetKernel>(std::move(read)));
  }
  Status Compute(KernelContext& c) override {
    DatasetArgs args(c, node_);
    return compute(args);
  }

 private:
  const DatasetNode node_;
};

Status Cardinality(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetOf(c.input(0)));
  c.SetOutput(0, Tensor(dataset->cardinality()));
  return OkStatus();
}

RAMET_OP("ReduceDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("components: output_types")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("metadata: string = ''")
    .Stateful()
    .CallsProgram()
    .Doc(
        "Returns the last state of f, which gets the state, the components of an element and "
        "other_arguments, and returns the next state.")
    .HostMemory({"initial_state", "other_arguments", "components"})
    .Shape(ElementShapes)
    .NotDifferentiable()
    .CpuKernelClass<WholeDatasetKernel<&Reduce>>();

RAMET_OP("DatasetToSingleElement")
    .Input("dataset: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .CallsProgram()
    .Doc("Returns the components of the only element. Error: the dataset has none, or several.")
    .HostMemory({"components"})
    .Shape(ElementShapes)
    .CpuKernelClass<WholeDatasetKernel<&SingleElement>>();

RAMET_OP("DatasetCardinality")
    .Input("input_dataset: variant")
    .Output("cardinality: int64")
    .Attr("cardinality_options: string = ''")
    .Doc("Returns the number of elements, -1 if the dataset has no end, or -2 if it is unknown.")
    .HostMemory({"cardinality"})
    .Shape(ScalarShape)
    .CpuKernel(Cardinality);

}  // namespace
}  // namespace ramet
