#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/dataset/iterator_scope.h"

namespace ramet {

// The node of a dataset op, read once.
struct DatasetNode {
  static StatusOr<DatasetNode> Read(const KernelNode& node);

  std::string name;
  AttrMap attrs;
  ElementSpec spec;  // attrs output_types (or Toutput_types) and output_shapes; empty without them
  int num_captured = 0;  // the number of `other_arguments`
};

// A DatasetArgs reads the inputs and attrs of a dataset op for the function that makes its dataset.
class DatasetArgs {
 public:
  DatasetArgs(KernelContext& context, const DatasetNode& node) : context_(context), node_(node) {}

  KernelContext& context() const { return context_; }
  const DatasetNode& node() const { return node_; }
  const AttrMap& attrs() const { return node_.attrs; }
  const ElementSpec& spec() const { return node_.spec; }
  // Returns the position of the first input after `other_arguments`, which begin at `first`.
  int after_captured(int first) const { return first + node_.num_captured; }
  const Tensor& input(int i) const { return context_.input(i); }

  // \error kInvalidArgument: the input does not hold a dataset.
  StatusOr<DatasetPtr> InputDataset(int i = 0) const;
  // Like InputDataset, for an op that passes the components of elements on.
  // \error kInvalidArgument: the dtypes are not those of attr output_types.
  StatusOr<DatasetPtr> SameTypes(int i = 0) const;
  // Return the value of a scalar input.
  // \error kInvalidArgument: "NAME must be a scalar".
  StatusOr<int64_t> Int(int i, std::string_view name) const;
  StatusOr<bool> Bool(int i, std::string_view name) const;
  StatusOr<std::string> String(int i, std::string_view name) const;
  // Returns function `attr` with the other arguments at input `first`, with `args` before them.
  StatusOr<CapturedFunctionPtr> Function(std::string_view attr, std::vector<DType> args,
                                         ResultTypes results, int first = 1) const;
  // Like Function, with the other arguments in inputs [first, first + count) of the dtypes that
  // attr `types` lists.
  StatusOr<CapturedFunctionPtr> FunctionOf(std::string_view attr, std::string_view types,
                                           std::vector<DType> args, ResultTypes results,
                                           int first) const;

 private:
  KernelContext& context_;
  const DatasetNode& node_;
};

// Returns a factory of iterators I(dataset, iterator of input 0, args...).
template <class I, class... Args>
IteratorFactory OverInput(Args... args) {
  return [args...](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
    RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c));
    return std::make_unique<I>(dataset, std::move(input), args...);
  };
}

// Like OverInput, with `function` as the first of the arguments. Prepares it for each iterator.
template <class I, class... Args>
IteratorFactory OverInputWith(CapturedFunctionPtr function, Args... args) {
  const IteratorFactory factory = OverInput<I>(function, args...);
  return [function, factory](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
    RAMET_RETURN_IF_ERROR(function->Prepare(c));
    return factory(dataset, c);
  };
}

using DatasetMaker = StatusOr<std::shared_ptr<Dataset>> (*)(DatasetArgs& args);

// The kernel of an op whose output is the dataset that `make` returns.
template <DatasetMaker make>
class DatasetKernel final : public Kernel {
 public:
  explicit DatasetKernel(DatasetNode node) : node_(std::move(node)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DatasetNode read, DatasetNode::Read(node));
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<DatasetKernel>(std::move(read)));
  }
  Status Compute(KernelContext& c) override {
    DatasetArgs args(c, node_);
    RAMET_ASSIGN_OR_RETURN(std::shared_ptr<Dataset> made, make(args));
    c.SetOutput(0, VariantScalar(std::move(made)));
    return OkStatus();
  }

 private:
  const DatasetNode node_;
};

// The shape function of a dataset op: a scalar. Attrs output_types and output_shapes must have as
// many elements.
Status DatasetShape(ShapeContext& c);
// Sets the outputs to the shapes of attr output_shapes.
Status ElementShapes(ShapeContext& c);

}  // namespace ramet
