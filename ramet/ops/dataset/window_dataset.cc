#include <algorithm>
#include <deque>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/list_dataset.h"

namespace ramet {
namespace {

class ListIterator final : public DatasetIterator {
 public:
  ListIterator(DatasetPtr dataset, std::shared_ptr<const std::vector<Element>> elements)
      : DatasetIterator(std::move(dataset)), elements_(std::move(elements)) {}

 protected:
  Status Produce(NextContext&, Element* element, bool* end) override {
    *end = at_ == elements_->size();
    if (!*end) *element = (*elements_)[at_++];
    return OkStatus();
  }

 private:
  const std::shared_ptr<const std::vector<Element>> elements_;
  size_t at_ = 0;
};

struct WindowSizes {
  int64_t size, shift, stride;
  int64_t span;  // the elements that a window covers
  bool drop_remainder;
};

class WindowIterator final : public DatasetIterator {
 public:
  WindowIterator(DatasetPtr dataset, IteratorPtr input, const WindowSizes& sizes)
      : DatasetIterator(std::move(dataset)), input_(std::move(input)), sizes_(sizes) {}

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    while (input_ != nullptr && std::ssize(buffer_) < sizes_.span) {
      RAMET_RETURN_IF_ERROR(TakeElement(c, true));
    }
    *end = buffer_.empty() || (sizes_.drop_remainder && std::ssize(buffer_) < sizes_.span);
    if (*end) return OkStatus();
    RAMET_RETURN_IF_ERROR(SetWindow(element));
    const int64_t buffered = std::ssize(buffer_);
    for (int64_t i = buffered; input_ != nullptr && i < sizes_.shift; ++i) {
      RAMET_RETURN_IF_ERROR(TakeElement(c, false));
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + std::min(sizes_.shift, buffered));
    return OkStatus();
  }

 private:
  Status TakeElement(NextContext& c, bool keep) {
    Element next;
    bool end = false;
    RAMET_RETURN_IF_ERROR(input_->Next(c, &next, &end));
    if (end) input_.reset();
    if (!end && keep) buffer_.push_back(std::move(next));
    return OkStatus();
  }

  // Sets the components of `element` to datasets of the components of the elements in the window.
  Status SetWindow(Element* element) const {
    const ElementSpec& spec = dataset().input()->spec();
    for (size_t k = 0; k < spec.types.size(); ++k) {
      auto rows = std::make_shared<std::vector<Element>>();
      for (int64_t i = 0; i < std::ssize(buffer_); i += sizes_.stride) {
        rows->push_back({buffer_[i][k]});
      }
      RAMET_ASSIGN_OR_RETURN(
          auto made, MakeListOfElements({{spec.types[k]}, {spec.shapes[k]}}, std::move(rows)));
      element->push_back(VariantScalar(std::move(made)));
    }
    return OkStatus();
  }

  IteratorPtr input_;
  const WindowSizes sizes_;
  std::deque<Element> buffer_;
};

StatusOr<std::shared_ptr<Dataset>> MakeWindowDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.InputDataset());
  WindowSizes sizes = {};
  RAMET_ASSIGN_OR_RETURN(sizes.size, args.Int(1, "size"));
  if (sizes.size <= 0) return InvalidArgument("Window size must be greater than zero.");
  RAMET_ASSIGN_OR_RETURN(sizes.shift, args.Int(2, "shift"));
  if (sizes.shift <= 0) return InvalidArgument("Window shift must be greater than zero.");
  RAMET_ASSIGN_OR_RETURN(sizes.stride, args.Int(3, "stride"));
  if (sizes.stride <= 0) return InvalidArgument("Window stride must be greater than zero.");
  RAMET_ASSIGN_OR_RETURN(sizes.drop_remainder, args.Bool(4, "drop_remainder"));
  if (__builtin_mul_overflow(sizes.size - 1, sizes.stride, &sizes.span) ||
      __builtin_add_overflow(sizes.span, 1, &sizes.span)) {
    return InvalidArgument("a window of ", sizes.size, " elements with stride ", sizes.stride,
                           " covers more than 2^63 elements");
  }
  if (input->spec().shapes.size() != input->spec().types.size()) {
    return InvalidArgument("the input dataset does not tell the shapes of its components");
  }
  return Dataset::Make(args.spec(), {std::move(input)}, OverInput<WindowIterator>(sizes));
}

RAMET_OP("WindowDataset")
    .Input("input_dataset: variant")
    .Input("size: int64")
    .Input("shift: int64")
    .Input("stride: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of windows: each component is a dataset of that component of `size` "
        "elements, which are `stride` apart. Windows begin `shift` elements apart. The last "
        "windows "
        "may be smaller, or are dropped if drop_remainder is true. Error: a number is not "
        "positive.")
    .HostMemory({"size", "shift", "stride", "drop_remainder"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakeWindowDataset>>();

}  // namespace

StatusOr<std::shared_ptr<Dataset>> MakeListOfElements(
    ElementSpec spec, std::shared_ptr<const std::vector<Element>> elements) {
  const int64_t cardinality = std::ssize(*elements);
  return Dataset::Make(
      std::move(spec), {},
      [elements](const DatasetPtr& dataset, NextContext&) -> StatusOr<IteratorPtr> {
        return std::make_unique<ListIterator>(dataset, elements);
      },
      cardinality);
}

}  // namespace ramet
