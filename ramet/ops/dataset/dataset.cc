#include "ramet/ops/dataset/dataset.h"

#include <algorithm>

#include "ramet/base/stack_room.h"

namespace ramet {
namespace {

Status TooDeep() {
  return ResourceExhausted(
      "datasets are nested so deeply that the stack of this thread has no room "
      "for more; does a function of a dataset make datasets with itself?");
}

}  // namespace

Status ElementSpec::Check(const Element& element) const {
  if (element.size() != types.size()) {
    return InvalidArgument("an element has ", element.size(), " components, but ", types.size(),
                           " are expected");
  }
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != types[i]) {
      return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                             DTypeName(types[i]), " but got ", DTypeName(element[i].dtype()), ".");
    }
    if (i < shapes.size() && !shapes[i].IsCompatibleWith(element[i].shape())) {
      return InvalidArgument("Incompatible shapes at component ", i, ": expected ", shapes[i],
                             " but got ", element[i].shape(), ".");
    }
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<Dataset>> Dataset::Make(ElementSpec spec, std::vector<DatasetPtr> inputs,
                                                 IteratorFactory factory, int64_t cardinality) {
  int depth = 0;
  for (const DatasetPtr& input : inputs) depth = std::max(depth, input->depth_ + 1);
  if (depth > kMaxDepth) {
    return ResourceExhausted("a chain of more than ", kMaxDepth, " datasets; the limit is ",
                             kMaxDepth);
  }
  return std::shared_ptr<Dataset>(
      new Dataset(std::move(spec), std::move(inputs), std::move(factory), cardinality, depth));
}

StatusOr<IteratorPtr> Dataset::NewIterator(NextContext& context) const {
  if (!StackHasRoom()) return TooDeep();
  return factory_(shared_from_this(), context);
}

Status DatasetIterator::Next(NextContext& context, Element* element, bool* end) {
  if (!StackHasRoom()) return TooDeep();
  const Cancellation* const cancellation = context.call.cancellation;
  if (cancellation != nullptr && cancellation->due()) return cancellation->status();
  *end = false;
  element->clear();
  RAMET_RETURN_IF_ERROR(Produce(context, element, end));
  if (*end) return OkStatus();
  const std::vector<DType>& types = dataset_->spec().types;
  const bool fits = std::ranges::equal(*element, types, {}, &Tensor::dtype);
  return fits ? OkStatus() : dataset_->spec().Check(*element);
}

Status DatasetIterator::Skip(NextContext& context, int64_t count, int64_t* skipped) {
  Element dropped;
  bool end = false;
  for (*skipped = 0; *skipped < count; ++*skipped) {
    RAMET_RETURN_IF_ERROR(Next(context, &dropped, &end));
    if (end) break;
  }
  return OkStatus();
}

StatusOr<DatasetPtr> DatasetOf(const Tensor& variant) {
  if (variant.dtype() != DType::kVariant || variant.rank() != 0) {
    return InvalidArgument("Dataset tensor must be a scalar of dtype DT_VARIANT.");
  }
  if (const auto* dataset = variant.scalar<Variant>().get<Dataset>()) {
    return dataset->shared_from_this();
  }
  return InvalidArgument("Tensor must be a Dataset object, but it is ",
                         variant.scalar<Variant>().ToString());
}

}  // namespace ramet
