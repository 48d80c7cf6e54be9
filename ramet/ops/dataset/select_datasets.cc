#include <algorithm>
#include <set>

#include "ramet/ops/dataset/dataset_args.h"

namespace ramet {
namespace {

// Takes each element from the input whose number the selector gives.
class DirectedInterleaveIterator final : public DatasetIterator {
 public:
  DirectedInterleaveIterator(DatasetPtr dataset, std::vector<IteratorPtr> inputs,
                             bool stop_on_empty)
      : DatasetIterator(std::move(dataset)),
        inputs_(std::move(inputs)),
        open_(std::ssize(inputs_) - 1),
        stop_on_empty_(stop_on_empty) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (open_ > 0) {
      Element choice;
      RAMET_RETURN_IF_ERROR(inputs_[0]->Next(c, &choice, end));
      if (*end) return Close();
      const int64_t count = std::ssize(inputs_) - 1;
      const bool is_number =
          choice.size() == 1 && choice[0].dtype() == kInt64 && choice[0].num_elements() == 1;
      const int64_t selected = is_number ? choice[0].scalar<int64_t>() : -1;
      if (selected < 0 || selected >= count) {
        return InvalidArgument("Selector index out of range: ", selected, " >= ", count);
      }
      IteratorPtr& input = inputs_[selected + 1];
      if (input == nullptr) continue;
      bool input_ended = false;
      RAMET_RETURN_IF_ERROR(input->Next(c, element, &input_ended));
      if (!input_ended) return OkStatus();
      input.reset();
      --open_;
      if (stop_on_empty_) break;
    }
    *end = true;
    return Close();
  }

 private:
  Status Close() {
    open_ = 0;
    return OkStatus();
  }

  std::vector<IteratorPtr> inputs_;  // the selector, then the others; null at their end
  int64_t open_;
  const bool stop_on_empty_;
};

StatusOr<std::shared_ptr<Dataset>> MakeDirectedInterleave(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr selector, args.InputDataset());
  if (selector->spec().types != std::vector<DType>{kInt64}) {
    return InvalidArgument("The selector dataset must have one int64 component.");
  }
  std::vector<DatasetPtr> inputs = {std::move(selector)};
  for (int i = 1; i < args.context().num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes(i));
    inputs.push_back(std::move(input));
  }
  const bool stop_on_empty = args.attrs().GetOr("stop_on_empty_dataset", false);
  return Dataset::Make(
      args.spec(), std::move(inputs),
      [stop_on_empty](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
        std::vector<IteratorPtr> inputs;
        for (size_t i = 0; i < dataset->num_inputs(); ++i) {
          RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c, i));
          inputs.push_back(std::move(input));
        }
        return std::make_unique<DirectedInterleaveIterator>(dataset, std::move(inputs),
                                                            stop_on_empty);
      });
}

// Returns the bytes that tell elements of the same dtype and shape apart.
std::string BytesOf(const Tensor& t) {
  std::string bytes = t.shape().ToString();
  if (t.dtype() != kString) {
    return bytes.append(static_cast<const char*>(t.raw_data()), t.bytes());
  }
  for (const std::string& text : t.flat<std::string>()) bytes += StrCat(text.size(), ":", text);
  return bytes;
}

class UniqueIterator final : public DatasetIterator {
 public:
  UniqueIterator(DatasetPtr dataset, IteratorPtr input)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (true) {
      RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
      if (*end || seen_.insert(BytesOf((*element)[0])).second) return OkStatus();
    }
  }

 private:
  const IteratorPtr input_;
  std::set<std::string> seen_;
};

StatusOr<std::shared_ptr<Dataset>> MakeUniqueDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  const std::vector<DType>& types = input->spec().types;
  if (types.size() != 1 || (types[0] != kInt32 && types[0] != kInt64 && types[0] != kString)) {
    return InvalidArgument(
        "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` "
        "component.");
  }
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<UniqueIterator>());
}

class CountedIterator final : public DatasetIterator {
 public:
  CountedIterator(DatasetPtr dataset, IteratorPtr input, int64_t expected)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)), expected_(expected) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    RAMET_RETURN_IF_ERROR(input_->Next(c, element, end));
    if (!*end) ++found_;
    const bool has_more = !*end && expected_ >= 0 && found_ > expected_;
    const bool has_fewer = *end && expected_ != kUnknownCardinality && found_ != expected_;
    if (!has_more && !has_fewer) return OkStatus();
    const std::string expected = expected_ == kInfiniteCardinality
                                     ? std::string("an infinite number of")
                                     : std::to_string(expected_);
    return FailedPrecondition("Input dataset was expected to contain ", expected,
                              expected_ == 1 ? " element" : " elements", " but contained ",
                              has_more ? "at least " : "only ", found_,
                              found_ == 1 ? " element." : " elements.");
  }

 private:
  const IteratorPtr input_;
  const int64_t expected_;
  int64_t found_ = 0;
};

StatusOr<std::shared_ptr<Dataset>> MakeAssertCardinality(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t expected, args.Int(1, "cardinality"));
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<CountedIterator>(expected),
                       expected);
}

RAMET_OP("DirectedInterleaveDataset")
    .Input("selector_input_dataset: variant")
    .Input("data_input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("stop_on_empty_dataset: bool = false")
    .Doc(
        "Makes a dataset that takes each element from the dataset whose number the selector gives. "
        "It skips numbers of datasets that have ended, or ends there if stop_on_empty_dataset is "
        "true. Error: a number is out of range.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeDirectedInterleave>>();

RAMET_OP("UniqueDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc("Makes a dataset without repeated elements. Error: elements have several components.")
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeUniqueDataset>>();

RAMET_OP("AssertCardinalityDataset")
    .Input("input_dataset: variant")
    .Input("cardinality: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Doc(
        "Makes a dataset of the same elements. Error: their number is not `cardinality` "
        "(kFailedPrecondition).")
    .HostMemory({"cardinality"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeAssertCardinality>>();

}  // namespace
}  // namespace ramet
