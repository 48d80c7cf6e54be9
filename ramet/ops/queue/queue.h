#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/ops/queue/waiting_room.h"

namespace ramet {

using Tuple = std::vector<Tensor>;

// The declaration of a queue: its op type, its name and its attrs.
struct QueueSpec {
  std::string type, name;
  std::vector<DType> dtypes;  // of the components of an element
  std::vector<Shape> shapes;  // empty if not specified
  int64_t capacity = 0;       // the number of elements, at least 1 to be of use
  int64_t min_after_dequeue = 0;
  int64_t seed = 0, seed2 = 0;
};

// A Queue holds elements, tuples of tensors. Producers wait while it is full, consumers while it is
// empty, and they take turns in the order in which they came. A derived class stores the elements
// and determines their order. Thread-safe.
class Queue : public Resource {
 public:
  static constexpr std::string_view kKind = "queue";

  explicit Queue(QueueSpec spec) : spec_(std::move(spec)) {}
  std::string_view type_name() const override { return kKind; }
  const QueueSpec& spec() const { return spec_; }
  // \error kInvalidArgument: a node declares a queue of this name in a different way.
  Status CheckSame(const Queue& wanted) const;

  // Adds an element, or one for each row of the components. Waits while the queue is full.
  // \error kCancelled: the queue is closed, or the run must stop.
  // \error kInvalidArgument: the shapes do not fit.
  Status Enqueue(const Cancellation* cancellation, Tuple element);
  Status EnqueueMany(const Cancellation* cancellation, const Tuple& batch);
  // Removes an element. Waits while the queue is empty.
  // \error kOutOfRange: the queue is closed and has too few elements.
  // \error kCancelled: the run must stop.
  StatusOr<Tuple> Dequeue(const Cancellation* cancellation);
  // Removes `n` elements and stacks their components. If `up_to` is true, a closed queue returns
  // the elements that are left, at least one. Errors as Dequeue.
  // \error kInvalidArgument: the shapes are not specified.
  StatusOr<Tuple> DequeueMany(const Cancellation* cancellation, int64_t n, bool up_to,
                              Allocator* allocator);
  // Closes the queue when the pending producers have finished; if `cancel_pending`, ends these.
  // \error kCancelled: the queue is closed already.
  Status Close(const Cancellation* cancellation, bool cancel_pending);
  bool closed();
  int64_t size();

 protected:
  // The functions below are called under the lock.
  virtual int64_t count() const = 0;
  virtual void Push(Tuple element) = 0;
  // There is at least one element.
  virtual Tuple Pop() = 0;
  // Undoes Pop.
  virtual void PutBack(Tuple element) = 0;

  // Reports whether DequeueMany waits until there are enough elements, instead of taking each as it
  // comes.
  virtual bool TakesAtOnce() const { return false; }

  // Checks the components of an element, or of a batch.
  virtual Status CheckElement(const Tuple& element) const;
  virtual Status CheckBatch(const Tuple& batch) const;
  // Stacks component `i` of the elements.
  virtual StatusOr<Tensor> Stack(const std::vector<Tuple>& elements, size_t i,
                                 Allocator* allocator) const;

 private:
  // Removes elements until there are `n` in `taken`.
  Progress TakeElements(int64_t n, bool up_to, std::vector<Tuple>& taken, Status& status);
  void Restore(std::vector<Tuple>& taken);

  const QueueSpec spec_;
  WaitingRoom room_;
  WaitingRoom::Line producers_, consumers_;
  bool closed_ = false;
};

// Returns row i of a batch.
// \error as Tensor::Allocate.
StatusOr<Tuple> RowOf(const Tuple& batch, int64_t i);

// Makes the queue of a node of type FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue or
// PriorityQueue, or their V2.
// \error kInvalidArgument: the attrs contradict each other.
StatusOr<std::shared_ptr<Queue>> MakeQueue(const KernelNode& node, const std::string& name);

}  // namespace ramet
