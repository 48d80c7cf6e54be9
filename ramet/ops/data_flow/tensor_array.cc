#include "ramet/ops/data_flow/tensor_array.h"

#include <new>

#include "ramet/linalg/elementwise.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

bool IsNumber(DType t) { return IsFloating(t) || IsInteger(t) || IsComplex(t); }

}  // namespace

Shape TensorArray::element_shape() const {
  MutexLock lock(mutex_);
  return options_.element_shape;
}

bool TensorArray::dynamic_size() const {
  MutexLock lock(mutex_);
  return options_.dynamic_size;
}

Status TensorArray::CheckOpen() const {
  if (!closed_) return OkStatus();
  return InvalidArgument("TensorArray ", name(), " has already been closed.");
}

StatusOr<int64_t> TensorArray::Size() const {
  MutexLock lock(mutex_);
  RAMET_RETURN_IF_ERROR(CheckOpen());
  return size_;
}

Status TensorArray::CheckRead(DType dtype) const {
  if (dtype == options_.dtype) return OkStatus();
  return InvalidArgument("TensorArray dtype is ", DTypeName(options_.dtype),
                         " but Op requested dtype ", DTypeName(dtype), ".");
}

Status TensorArray::CheckWrite(DType dtype) const {
  if (dtype == options_.dtype) return OkStatus();
  return InvalidArgument("TensorArray dtype is ", DTypeName(options_.dtype),
                         " but Op is trying to write dtype ", DTypeName(dtype), ".");
}

Status TensorArray::NarrowElementShape(const Shape& shape) {
  MutexLock lock(mutex_);
  auto merged = options_.element_shape.MergeWith(shape);
  if (!merged.ok()) {
    return InvalidArgument("PartialTensorShape: Incompatible shapes during merge: ",
                           options_.element_shape, " vs. ", shape);
  }
  options_.element_shape = *std::move(merged);
  return OkStatus();
}

Status TensorArray::Grow(int64_t size) {
  if (size <= std::ssize(elements_)) return OkStatus();
  if (size > kMaxElements) {
    return ResourceExhausted("TensorArray ", name(), ": ", size, " elements exceed the limit of ",
                             kMaxElements);
  }
  try {
    elements_.resize(static_cast<size_t>(size));
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("TensorArray ", name(), ": out of memory for ", size, " elements");
  }
  return OkStatus();
}

Status TensorArray::Write(Allocator* allocator, std::span<const int64_t> indices,
                          std::span<const Tensor> values) {
  MutexLock lock(mutex_);
  for (size_t i = 0; i < indices.size(); ++i) {
    RAMET_RETURN_IF_ERROR(WriteOne(allocator, indices[i], values[i]));
  }
  return OkStatus();
}

Status TensorArray::CheckShape(int64_t index, const Shape& shape) {
  Shape& expected = options_.element_shape;
  if (!expected.IsCompatibleWith(shape)) {
    return InvalidArgument("TensorArray ", name(), ": Could not write to TensorArray index ", index,
                           " because the value shape is ", shape,
                           " which is incompatible with the TensorArray's inferred element shape: ",
                           expected, " (consider setting infer_shape=False).");
  }
  if (options_.identical_element_shapes && !expected.IsFullyDefined()) expected = shape;
  return OkStatus();
}

Status TensorArray::WriteOne(Allocator* allocator, int64_t index, const Tensor& value) {
  RAMET_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (index >= size_ && !options_.dynamic_size)) {
    return InvalidArgument("TensorArray ", name(), ": Tried to write to index ", index,
                           " but array is not resizeable and size is: ", size_);
  }
  RAMET_RETURN_IF_ERROR(Grow(index + 1));
  size_ = std::max(size_, index + 1);
  RAMET_RETURN_IF_ERROR(CheckShape(index, value.shape()));
  Element& element = elements_[index];
  const auto refuse = [&](std::string_view reason) {
    return InvalidArgument("TensorArray ", name(), ": Could not write to TensorArray index ", index,
                           " because it has already been ", reason);
  };
  if (element.read) return refuse("read.");
  if (element.written && !options_.is_gradient) return refuse("written to.");
  if (element.written && element.shape != value.shape()) {
    return InvalidArgument("TensorArray ", name(), ": Could not aggregate to TensorArray index ",
                           index, " because the existing shape is ", element.shape,
                           " but the new input shape is ", value.shape(), ".");
  }
  if (!element.value.empty()) return Add(allocator, value, &element);
  element.value = value;
  element.shape = value.shape();
  element.written = true;
  return OkStatus();
}

Status TensorArray::Add(Allocator* allocator, const Tensor& value, Element* element) const {
  const DType dtype = options_.dtype;
  if (!IsNumber(dtype)) {
    return InvalidArgument("tensor_array::AddToTensor type not supported: ", DTypeName(dtype));
  }
  const int64_t n = value.num_elements();
  if (element->value.unique()) {
    linalg::AddTo(LinalgType(dtype), value.raw_data(), element->value.raw_data(), n);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor sum, Tensor::Allocate(dtype, value.shape(), allocator));
  linalg::Binary(linalg::BinaryOp::kAdd, LinalgType(dtype), element->value.raw_data(),
                 value.raw_data(), sum.raw_data(), n);
  element->value = std::move(sum);
  return OkStatus();
}

StatusOr<std::vector<Tensor>> TensorArray::Read(Allocator* allocator,
                                                std::span<const int64_t> indices) {
  MutexLock lock(mutex_);
  std::vector<Tensor> values;
  values.reserve(indices.size());
  RAMET_RETURN_IF_ERROR(CheckOpen());
  for (int64_t index : indices) {
    RAMET_ASSIGN_OR_RETURN(values.emplace_back(), ReadOne(allocator, index));
  }
  return values;
}

StatusOr<Tensor> TensorArray::ReadOne(Allocator* allocator, int64_t index) {
  if (index < 0 || index >= size_) {
    return InvalidArgument("Tried to read from index ", index, " but array size is: ", size_);
  }
  RAMET_RETURN_IF_ERROR(Grow(index + 1));
  Element& element = elements_[index];
  if (element.cleared) {
    return InvalidArgument("TensorArray ", name(), ": Could not read index ", index,
                           " twice because it was cleared after a previous read (perhaps try "
                           "setting clear_after_read = false?).");
  }
  if (element.value.empty()) {
    RAMET_ASSIGN_OR_RETURN(element.value, Zeros(allocator, index, element));
    element.shape = element.value.shape();
    element.written = true;
  }
  element.read = true;
  if (!options_.clear_after_read) return element.value;
  element.cleared = true;
  return std::move(element.value);
}

StatusOr<Tensor> TensorArray::Zeros(Allocator* allocator, int64_t index,
                                    const Element& element) const {
  const Shape& shape = element.written ? element.shape : options_.element_shape;
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "TensorArray ", name(), ": Could not read from TensorArray index ", index,
        ".  Furthermore, the element shape is not fully defined: ", shape,
        ".  It is possible you are working with a resizeable TensorArray and stop_gradients is not "
        "allowing the gradients to be written.  If you set the full element_shape property on the "
        "forward TensorArray, the proper all-zeros tensor will be returned instead of incurring "
        "this error.");
  }
  if (!IsNumber(options_.dtype) && options_.dtype != DType::kBool) {
    return InvalidArgument("tensor_array::TensorSetZero type not supported: ",
                           DTypeName(options_.dtype));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(options_.dtype, shape, allocator));
  RAMET_RETURN_IF_ERROR(FillZeros(zeros));
  return zeros;
}

StatusOr<std::shared_ptr<TensorArray>> TensorArray::GradientFor(const std::string& source,
                                                                const Shape& prepended) {
  if (is_gradient()) {
    return InvalidArgument("Wrong input container. _tensor_array_grads", name());
  }
  MutexLock lock(mutex_);
  RAMET_RETURN_IF_ERROR(CheckOpen());
  std::shared_ptr<TensorArray>& gradient = gradients_[source];
  if (gradient) return gradient;
  options_.dynamic_size = false;
  TensorArrayOptions options = options_;
  options.name = StrCat(name(), "@", source);
  options.size = size_;
  options.element_shape = prepended.Concatenate(options_.element_shape);
  options.clear_after_read = true;
  options.is_gradient = true;
  gradient = std::make_shared<TensorArray>(std::move(options));
  gradient->TakeShapes(*this, prepended);
  return gradient;
}

void TensorArray::TakeShapes(const TensorArray& other, const Shape& prepended) {
  MutexLock lock(mutex_);
  elements_.resize(other.elements_.size());
  for (size_t i = 0; i < elements_.size(); ++i) {
    elements_[i].written = other.elements_[i].written;
    elements_[i].shape = prepended.Concatenate(other.elements_[i].shape);
  }
}

void TensorArray::Close() {
  MutexLock lock(mutex_);
  elements_.clear();
  closed_ = true;
}

}  // namespace ramet
