#include <algorithm>

#include "ramet/ops/array/move.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/slices.h"

namespace ramet {
namespace {

class OneElementIterator final : public DatasetIterator {
 public:
  OneElementIterator(DatasetPtr dataset, std::shared_ptr<const Element> element)
      : DatasetIterator(std::move(dataset)), element_(std::move(element)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    *end = done_;
    if (!done_) *element = *element_;
    done_ = true;
    return OkStatus();
  }

 private:
  const std::shared_ptr<const Element> element_;
  bool done_ = false;
};

class SliceIterator final : public DatasetIterator {
 public:
  SliceIterator(DatasetPtr dataset, std::shared_ptr<const Element> whole, int64_t size)
      : DatasetIterator(std::move(dataset)), whole_(std::move(whole)), size_(size) {}

  Status Skip(NextContext&, int64_t count, int64_t* skipped) override {
    *skipped = std::min(count, size_ - at_);
    at_ += *skipped;
    return OkStatus();
  }

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    *end = at_ >= size_;
    if (*end) return OkStatus();
    element->reserve(whole_->size());
    for (const Tensor& component : *whole_) {
      RAMET_ASSIGN_OR_RETURN(Tensor slice, RowOf(component, at_));
      element->push_back(std::move(slice));
    }
    ++at_;
    return OkStatus();
  }

 private:
  const std::shared_ptr<const Element> whole_;
  const int64_t size_;
  int64_t at_ = 0;
};

StatusOr<std::shared_ptr<const Element>> ComponentsOf(DatasetArgs& args) {
  auto components = std::make_shared<Element>();
  for (int i = 0; i < args.context().num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor owned, args.input(i).Owned());
    components->push_back(std::move(owned));
  }
  return std::shared_ptr<const Element>(std::move(components));
}

StatusOr<std::shared_ptr<Dataset>> MakeTensorDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto element, ComponentsOf(args));
  RAMET_RETURN_IF_ERROR(args.spec().Check(*element));
  return Dataset::Make(
      args.spec(), {},
      [element](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<OneElementIterator>(dataset, element);
      },
      1);
}

StatusOr<std::shared_ptr<Dataset>> MakeTensorSliceDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(auto whole, ComponentsOf(args));
  for (const Tensor& component : *whole) {
    if (component.rank() < 1) {
      return InvalidArgument("All components must be at least 1-dimensional");
    }
    if (component.dim(0) != whole->front().dim(0)) {
      return InvalidArgument("All components must have the same size in the 0th dimension");
    }
  }
  const int64_t size = whole->front().dim(0);
  return Dataset::Make(
      args.spec(), {},
      [whole, size](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<SliceIterator>(dataset, whole, size);
      },
      size);
}

StatusOr<Tensor> IntegerAs(DType type, int64_t value) {
  Tensor t(type, Shape());
  switch (type) {
    case DType::kInt64: *t.mutable_data<int64_t>() = value; break;
    case DType::kInt32: *t.mutable_data<int32_t>() = static_cast<int32_t>(value); break;
    case DType::kInt16: *t.mutable_data<int16_t>() = static_cast<int16_t>(value); break;
    case DType::kInt8: *t.mutable_data<int8_t>() = static_cast<int8_t>(value); break;
    case DType::kUInt64: *t.mutable_data<uint64_t>() = static_cast<uint64_t>(value); break;
    case DType::kUInt32: *t.mutable_data<uint32_t>() = static_cast<uint32_t>(value); break;
    case DType::kUInt16: *t.mutable_data<uint16_t>() = static_cast<uint16_t>(value); break;
    case DType::kUInt8: *t.mutable_data<uint8_t>() = static_cast<uint8_t>(value); break;
    case DType::kFloat: *t.mutable_data<float>() = static_cast<float>(value); break;
    case DType::kDouble: *t.mutable_data<double>() = static_cast<double>(value); break;
    default:
      return InvalidArgument("Unsupported data type: ", DTypeName(type),
                             "; a range has numbers of 8 to 64 bits");
  }
  return t;
}

class RangeIterator final : public DatasetIterator {
 public:
  RangeIterator(DatasetPtr dataset, int64_t start, int64_t step, int64_t size)
      : DatasetIterator(std::move(dataset)), next_(start), step_(step), left_(size) {}

  Status Skip(NextContext&, int64_t count, int64_t* skipped) override {
    *skipped = std::min(count, left_);
    left_ -= *skipped;
    next_ += static_cast<uint64_t>(step_) * static_cast<uint64_t>(*skipped);
    return OkStatus();
  }

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    *end = left_ == 0;
    if (*end) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(Tensor value,
                           IntegerAs(dataset().spec().types[0], static_cast<int64_t>(next_)));
    element->push_back(std::move(value));
    next_ += static_cast<uint64_t>(step_);
    --left_;
    return OkStatus();
  }

 private:
  uint64_t next_;  // wraps around after the last element
  const int64_t step_;
  int64_t left_;
};

// Returns how many numbers a range has, at most INT64_MAX.
int64_t RangeSize(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const uint64_t low = static_cast<uint64_t>(step > 0 ? start : stop);
  const uint64_t high = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t width = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  return static_cast<int64_t>(std::min<uint64_t>((high - low - 1) / width + 1, INT64_MAX));
}

StatusOr<std::shared_ptr<Dataset>> MakeRangeDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(const int64_t start, args.Int(0, "start"));
  RAMET_ASSIGN_OR_RETURN(const int64_t stop, args.Int(1, "stop"));
  RAMET_ASSIGN_OR_RETURN(const int64_t step, args.Int(2, "step"));
  if (step == 0) return InvalidArgument("step must be a non-zero integer.");
  if (args.spec().types.size() != 1) {
    return InvalidArgument("a range has one component, but output_types has ",
                           args.spec().types.size());
  }
  RAMET_RETURN_IF_ERROR(IntegerAs(args.spec().types[0], 0).status());
  const int64_t size = RangeSize(start, stop, step);
  return Dataset::Make(
      args.spec(), {},
      [=](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<RangeIterator>(dataset, start, step, size);
      },
      size);
}

Status SliceShape(ShapeContext& c) {
  Shape first = Shape::OfRank(1);
  for (int i = 0; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(const Shape component, c.WithRankAtLeast(i, 1));
    if (component.unknown_rank()) continue;
    RAMET_ASSIGN_OR_RETURN(first, first.MergeWith(component.Slice(0, 1)));
  }
  return DatasetShape(c);
}

Status RangeShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return DatasetShape(c);
}

RAMET_OP("TensorDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Doc("Makes a dataset with one element, whose components are the inputs.")
    .HostMemory({"components"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeTensorDataset>>();

RAMET_OP("TensorSliceDataset")
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("is_files: bool = false")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .Doc(
        "Makes a dataset of the slices of the inputs along their first dimension. Element i has "
        "the slices i of all inputs. Error: an input is a scalar; their first dimensions differ.")
    .HostMemory({"components"})
    .Shape(SliceShape)
    .CpuKernelClass<DatasetKernel<&MakeTensorSliceDataset>>();

RAMET_OP("RangeDataset")
    .Input("start: int64")
    .Input("stop: int64")
    .Input("step: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .Doc(
        "Makes a dataset of the numbers from start to stop, which is not included, in steps. "
        "Error: step is 0; output_types is not one numeric dtype.")
    .HostMemory({"start", "stop", "step"})
    .Shape(RangeShape)
    .CpuKernelClass<DatasetKernel<&MakeRangeDataset>>();

}  // namespace
}  // namespace ramet
