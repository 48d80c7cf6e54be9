#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/op/kernel.h"

namespace ramet {

// The properties that a TensorArray is created with.
struct TensorArrayOptions {
  DType dtype = DType::kInvalid;
  std::string name;
  int64_t size = 0;
  Shape element_shape = Shape::Unknown();
  bool identical_element_shapes = false;
  bool dynamic_size = false;
  bool clear_after_read = true;
  // The array is a gradient: repeated writes to an element are summed, and elements that were not
  // written are zeros.
  bool is_gradient = false;
};

// A TensorArray holds the tensors that the steps of a loop write and read by index within one run.
// An element is written once (except in gradients) and, with clear_after_read, read once.
// Thread-safe.
class TensorArray final : public Resource {
 public:
  // The maximum number of elements. It keeps an untrusted size from allocating without bound.
  static constexpr int64_t kMaxElements = int64_t{1} << 24;

  explicit TensorArray(TensorArrayOptions options)
      : options_(std::move(options)), size_(options_.size) {}
  std::string_view type_name() const override { return "tensor array"; }

  DType dtype() const { return options_.dtype; }
  const std::string& name() const { return options_.name; }
  bool is_gradient() const { return options_.is_gradient; }
  Shape element_shape() const;

  // \error kInvalidArgument: the array is closed.
  StatusOr<int64_t> Size() const;
  bool dynamic_size() const;
  // Check that `dtype` is the dtype of the array, for a reader and for a writer.
  // \error kInvalidArgument: it is not.
  Status CheckRead(DType dtype) const;
  Status CheckWrite(DType dtype) const;
  // Merges `shape` into element_shape().
  // \error kInvalidArgument: the shapes are incompatible.
  Status NarrowElementShape(const Shape& shape);

  // Writes values[i] to element indices[i], in order; on an error, the values before it have been
  // written. Gradients are summed in memory from `allocator`.
  // \error kInvalidArgument: the array is closed, an index is out of range in an array that cannot
  //   grow, an element was written or read before, or a shape does not match.
  // \error kResourceExhausted: out of memory, or more than 2^24 elements.
  Status Write(Allocator* allocator, std::span<const int64_t> indices,
               std::span<const Tensor> values);
  // Returns the elements `indices`.
  // \error kInvalidArgument: the array is closed, an index is out of range, an element was cleared
  //   by an earlier read, or it was not written and its shape is unknown.
  // \error kResourceExhausted: out of memory.
  StatusOr<std::vector<Tensor>> Read(Allocator* allocator, std::span<const int64_t> indices);

  // Returns the gradient array for `source`, which the first call creates. It is as long as this
  // array, which cannot grow afterwards. Its elements have the shapes of the elements of this
  // array, prefixed with `prepended`.
  // \error kInvalidArgument: the array is closed or is a gradient itself.
  StatusOr<std::shared_ptr<TensorArray>> GradientFor(const std::string& source,
                                                     const Shape& prepended);
  // Frees the elements. The array cannot be used afterwards.
  void Close();

 private:
  struct Element {
    Tensor value;
    Shape shape;  // once written
    bool written = false;
    bool read = false;
    bool cleared = false;
  };

  Status CheckOpen() const RAMET_REQUIRES(mutex_);
  Status Grow(int64_t size) RAMET_REQUIRES(mutex_);
  Status WriteOne(Allocator* allocator, int64_t index, const Tensor& value) RAMET_REQUIRES(mutex_);
  Status CheckShape(int64_t index, const Shape& shape) RAMET_REQUIRES(mutex_);
  Status Add(Allocator* allocator, const Tensor& value, Element* element) const
      RAMET_REQUIRES(mutex_);
  StatusOr<Tensor> ReadOne(Allocator* allocator, int64_t index) RAMET_REQUIRES(mutex_);
  StatusOr<Tensor> Zeros(Allocator* allocator, int64_t index, const Element& element) const
      RAMET_REQUIRES(mutex_);
  void TakeShapes(const TensorArray& other, const Shape& prepended) RAMET_REQUIRES(other.mutex_);

  TensorArrayOptions options_;
  mutable Mutex mutex_;
  int64_t size_ RAMET_GUARDED_BY(mutex_);
  std::vector<Element> elements_
      RAMET_GUARDED_BY(mutex_);  // up to the highest index written or read
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
