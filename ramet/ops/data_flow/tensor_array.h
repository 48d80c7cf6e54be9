#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// What a TensorArray is made with.
struct TensorArrayOptions {
  DType dtype = DType::kInvalid;
  std::string name;
  int64_t size = 0;
  Shape element_shape = Shape::Unknown();
  bool identical_element_shapes = false;
  bool dynamic_size = false;
  bool clear_after_read = true;
  // A gradient: what is written to one index again is added up, what was not written is zeros.
  bool is_gradient = false;
};

// A TensorArray holds the tensors that the steps of a loop write and read by number, in one run. An
// element is written once (but for gradients) and, with clear_after_read, read once. Thread-safe.
class TensorArray final : public Resource {
 public:
  // No array has more elements; a number from outside does not allocate without bound.
  static constexpr int64_t kMostElements = int64_t{1} << 24;

  explicit TensorArray(TensorArrayOptions options)
      : options_(std::move(options)), size_(options_.size) {}
  std::string_view type_name() const override { return "tensor array"; }

  DType dtype() const { return options_.dtype; }
  const std::string& name() const { return options_.name; }
  bool is_gradient() const { return options_.is_gradient; }
  Shape element_shape() const;

  // \error kInvalidArgument if the array is closed.
  StatusOr<int64_t> Size() const;
  bool dynamic_size() const;
  // \error kInvalidArgument if `dtype` is not the array's; the words for a reader and a writer.
  Status CheckRead(DType dtype) const;
  Status CheckWrite(DType dtype) const;
  // From now on element_shape() says what both say. \error kInvalidArgument if they differ.
  Status NarrowElementShape(const Shape& shape);

  // Writes values[i] to element indices[i]; as far as an error, if one is met. Gradients are added
  // in memory of `allocator`.
  // \error kInvalidArgument if the array is closed, an index is outside of an array that cannot
  //   grow, an element was written or read before, or a shape does not fit; kResourceExhausted.
  Status Write(Allocator* allocator, std::span<const int64_t> indices,
               std::span<const Tensor> values);
  // The elements `indices`.
  // \error kInvalidArgument if the array is closed, an index is outside, an element was cleared by
  //   an earlier read, or was not written and its shape is not known; kResourceExhausted.
  StatusOr<std::vector<Tensor>> Read(Allocator* allocator, std::span<const int64_t> indices);

  // The gradient array that belongs to `source`, made at the first call: as long as this array,
  // which cannot grow afterwards, and with the shapes of its elements, `prepended` before them.
  // \error kInvalidArgument if the array is closed or a gradient itself.
  StatusOr<std::shared_ptr<TensorArray>> GradientFor(const std::string& source,
                                                     const Shape& prepended);
  // Frees the elements; nothing can be done with the array any more.
  void Close();

 private:
  struct Element {
    Tensor value;
    Shape shape;  // once written
    bool written = false;
    bool read = false;
    bool cleared = false;
  };

  Status CheckOpen() const;
  Status Grow(int64_t size);
  Status WriteOne(Allocator* allocator, int64_t index, const Tensor& value);
  Status CheckShape(int64_t index, const Shape& shape);
  Status Add(Allocator* allocator, const Tensor& value, Element* element) const;
  StatusOr<Tensor> ReadOne(Allocator* allocator, int64_t index);
  StatusOr<Tensor> Zeros(Allocator* allocator, int64_t index, const Element& element) const;
  void TakeShapes(const TensorArray& other, const Shape& prepended);

  TensorArrayOptions options_;
  mutable std::mutex mutex_;
  int64_t size_;
  std::vector<Element> elements_;  // as far as they were written or read
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;
};

}  // namespace ramet
