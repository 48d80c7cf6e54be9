#include <algorithm>
#include <deque>
#include <limits>
#include <random>

#include "ramet/linalg/random.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/queue/queue.h"

namespace ramet {
namespace {

class FifoQueue : public Queue {
 public:
  using Queue::Queue;

 protected:
  int64_t count() const override { return std::ssize(elements_); }
  void Push(Tuple element) override { elements_.push_back(std::move(element)); }
  Tuple Pop() override {
    Tuple first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void PutBack(Tuple element) override { elements_.push_front(std::move(element)); }

 private:
  std::deque<Tuple> elements_;
};

// A FIFO queue whose elements may differ in the dimensions that its shapes leave open. Batches are
// padded with zeros.
class PaddingQueue final : public FifoQueue {
 public:
  using FifoQueue::FifoQueue;

 protected:
  StatusOr<Tensor> Stack(const std::vector<Tuple>& elements, size_t i,
                         Allocator* allocator) const override {
    const Shape& declared = spec().shapes[i];
    std::vector<int64_t> dims = {std::ssize(elements)};
    for (int k = 0; k < declared.rank(); ++k) {
      int64_t largest = std::max<int64_t>(declared.dim(k), 0);
      for (const Tuple& element : elements) largest = std::max(largest, element[i].dim(k));
      dims.push_back(largest);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor stacked,
                           Tensor::Allocate(spec().dtypes[i], Shape(dims), allocator));
    RAMET_RETURN_IF_ERROR(FillZeros(stacked));
    for (size_t row = 0; row < elements.size(); ++row) {
      RAMET_RETURN_IF_ERROR(CopyRow(elements[row][i], static_cast<int64_t>(row), stacked));
    }
    return stacked;
  }

 private:
  static Status CopyRow(const Tensor& from, int64_t row, Tensor& to) {
    const int rank = from.rank();
    if (from.num_elements() == 0) return OkStatus();
    std::vector<int64_t> dims(rank), from_strides(rank), to_strides(rank);
    int64_t from_size = 1, to_size = 1;
    for (int k = rank - 1; k >= 0; --k) {
      dims[k] = from.dim(k);
      from_strides[k] = from_size;
      to_strides[k] = to_size;
      from_size *= from.dim(k);
      to_size *= to.dim(k + 1);
    }
    return MoveStrided(from, 0, from_strides, to, row * to_size, to_strides, dims);
  }
};

// A queue that returns its elements in random order, in TensorFlow's for the same seeds.
class ShuffleQueue final : public Queue {
 public:
  explicit ShuffleQueue(QueueSpec spec) : Queue(std::move(spec)) {
    auto seed = static_cast<uint64_t>(this->spec().seed);
    auto seed2 = static_cast<uint64_t>(this->spec().seed2);
    if (seed == 0 && seed2 == 0) {
      std::random_device source;
      seed = (uint64_t{source()} << 32) | source();
      seed2 = (uint64_t{source()} << 32) | source();
    }
    generator_ = linalg::Philox(seed, seed2);
  }

 protected:
  int64_t count() const override { return std::ssize(elements_); }
  void Push(Tuple element) override { elements_.push_back(std::move(element)); }
  Tuple Pop() override {
    std::swap(elements_[NextWord() % elements_.size()], elements_.back());
    Tuple chosen = std::move(elements_.back());
    elements_.pop_back();
    return chosen;
  }
  void PutBack(Tuple element) override { Push(std::move(element)); }

 private:
  uint32_t NextWord() {
    if (used_ == words_.size()) {
      words_ = generator_();
      used_ = 0;
    }
    return words_[used_++];
  }

  std::vector<Tuple> elements_;
  linalg::Philox generator_;
  linalg::Philox::Words words_ = {};
  size_t used_ = linalg::Philox::Words().size();
};

// A queue that returns the element with the smallest first component. It uses TensorFlow's heap,
// so that elements of the same priority come in TensorFlow's order.
class PriorityQueue final : public Queue {
 public:
  using Queue::Queue;

 protected:
  int64_t count() const override { return std::ssize(heap_); }
  void Push(Tuple element) override {
    heap_.push_back(std::move(element));
    std::ranges::push_heap(heap_, IsLater);
  }
  Tuple Pop() override {
    std::ranges::pop_heap(heap_, IsLater);
    Tuple first = std::move(heap_.back());
    heap_.pop_back();
    return first;
  }
  void PutBack(Tuple element) override { Push(std::move(element)); }

  Status CheckElement(const Tuple& element) const override {
    RAMET_RETURN_IF_ERROR(Queue::CheckElement(element));
    if (element[0].rank() == 0) return OkStatus();
    return InvalidArgument("Expected the priority element to be a scalar, but received shape: ",
                           element[0].shape());
  }
  Status CheckBatch(const Tuple& batch) const override {
    RAMET_RETURN_IF_ERROR(Queue::CheckBatch(batch));
    if (batch[0].rank() == 1) return OkStatus();
    return InvalidArgument("Expected the priority element to be a vector, but received shape: ",
                           batch[0].shape());
  }
  // Elements that are taken one after the other would not be in order.
  bool TakesAtOnce() const override { return true; }

 private:
  static bool IsLater(const Tuple& a, const Tuple& b) {
    return a[0].scalar<int64_t>() > b[0].scalar<int64_t>();
  }

  std::vector<Tuple> heap_;
};

constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();

StatusOr<QueueSpec> SpecOf(const KernelNode& node, const std::string& name) {
  const AttrMap& attrs = *node.attrs;
  QueueSpec spec;
  spec.type = node.op.ends_with("V2") ? node.op.substr(0, node.op.size() - 2) : node.op;
  spec.name = name;
  spec.dtypes = attrs.GetOr<std::vector<DType>>("component_types", {});
  spec.shapes = attrs.GetOr<std::vector<Shape>>("shapes", {});
  spec.capacity = attrs.GetOr<int64_t>("capacity", -1);
  if (spec.capacity < 0) spec.capacity = kUnbounded;
  spec.min_after_dequeue = attrs.GetOr<int64_t>("min_after_dequeue", 0);
  spec.seed = attrs.GetOr<int64_t>("seed", 0);
  spec.seed2 = attrs.GetOr<int64_t>("seed2", 0);
  if (spec.type == "PriorityQueue") {
    spec.dtypes.insert(spec.dtypes.begin(), kInt64);
    if (!spec.shapes.empty() || spec.dtypes.size() == 1) {
      spec.shapes.insert(spec.shapes.begin(), Shape());
    }
  }
  return spec;
}

Status CheckSpec(const QueueSpec& spec) {
  if (!spec.shapes.empty() && spec.shapes.size() != spec.dtypes.size()) {
    return InvalidArgument("Different number of component types.  Types: ", spec.dtypes.size(),
                           ", Shapes: ", spec.shapes.size());
  }
  const bool pads = spec.type == "PaddingFIFOQueue";
  if (pads && spec.shapes.empty()) {
    return InvalidArgument("Shapes must be provided for all components, but received 0 shapes and ",
                           spec.dtypes.size(), " types.");
  }
  for (const Shape& shape : spec.shapes) {
    if (!shape.unknown_rank() && (pads || shape.IsFullyDefined())) continue;
    return InvalidArgument(spec.type, " '", spec.name, "' has a component of shape ", shape,
                           "; expected a ", pads ? "known rank" : "fully defined shape");
  }
  if (spec.min_after_dequeue < 0) {
    return InvalidArgument("min_after_dequeue ", spec.min_after_dequeue, " must be >= 0");
  }
  if (spec.type == "RandomShuffleQueue" && spec.min_after_dequeue >= spec.capacity) {
    return InvalidArgument("min_after_dequeue ", spec.min_after_dequeue, " must be < capacity ",
                           spec.capacity);
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<Queue>> MakeQueue(const KernelNode& node, const std::string& name) {
  RAMET_ASSIGN_OR_RETURN(QueueSpec spec, SpecOf(node, name));
  RAMET_RETURN_IF_ERROR(CheckSpec(spec));
  std::shared_ptr<Queue> queue;
  if (spec.type == "FIFOQueue") {
    queue = std::make_shared<FifoQueue>(std::move(spec));
  } else if (spec.type == "PaddingFIFOQueue") {
    queue = std::make_shared<PaddingQueue>(std::move(spec));
  } else if (spec.type == "RandomShuffleQueue") {
    queue = std::make_shared<ShuffleQueue>(std::move(spec));
  } else {
    queue = std::make_shared<PriorityQueue>(std::move(spec));
  }
  return queue;
}

}  // namespace ramet
