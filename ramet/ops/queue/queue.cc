#include "ramet/ops/queue/queue.h"

#include <algorithm>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

template <class T>
Status Conflict(const Queue& queue, std::string_view what, const T& has, const T& wanted) {
  return InvalidArgument("Shared queue '", queue.spec().name, "' has ", what, " ", has,
                         " but requested ", what, " was ", wanted);
}

std::string TypesText(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (DType type : types) names.emplace_back(DTypeName(type));
  return StrJoin(names, ", ");
}

std::string ShapesText(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(shape.ToString());
  return StrCat("[", StrJoin(texts, ", "), "]");
}

Shape BatchShape(int64_t n, const Shape& shape) { return Shape{n}.Concatenate(shape); }

Status ShapeMismatch(size_t i, const Shape& expected, const Shape& found) {
  return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ", expected, ", got ",
                         found);
}

Status ClosedError(const QueueSpec& queue) {
  return Cancelled(queue.type, " '", queue.name, "' is closed.");
}

Status TooFew(const QueueSpec& queue, int64_t requested, int64_t available) {
  return OutOfRange(queue.type, " '", queue.name,
                    "' is closed and has insufficient elements (requested ", requested,
                    ", current size ", available, ")");
}

}  // namespace

StatusOr<Tuple> RowOf(const Tuple& batch, int64_t i) {
  Tuple row;
  for (const Tensor& rows : batch) {
    RAMET_ASSIGN_OR_RETURN(Tensor one,
                           Tensor::Allocate(rows.dtype(), rows.shape().Slice(1, rows.rank())));
    const int64_t n = one.num_elements();
    if (n > 0) CopyElements(rows, i * n, one, 0, n);
    row.push_back(std::move(one));
  }
  return row;
}

Status Queue::CheckSame(const Queue& wanted) const {
  const QueueSpec &a = spec_, &b = wanted.spec_;
  if (a.type != b.type) {
    return InvalidArgument("Shared queue '", a.name, "' has type '", a.type,
                           "' that does not match type of Node '", b.name, "': ", b.type);
  }
  if (a.capacity != b.capacity) return Conflict(*this, "capacity", a.capacity, b.capacity);
  if (a.dtypes != b.dtypes) {
    return InvalidArgument("Shared queue '", a.name, "' has component types ", TypesText(a.dtypes),
                           " but requested component types were ", TypesText(b.dtypes));
  }
  if (a.shapes != b.shapes) {
    return InvalidArgument("Shared queue '", a.name, "' has component shapes ",
                           ShapesText(a.shapes), " but requested component shapes were ",
                           ShapesText(b.shapes));
  }
  if (a.min_after_dequeue != b.min_after_dequeue) {
    return Conflict(*this, "min_after_dequeue", a.min_after_dequeue, b.min_after_dequeue);
  }
  if (a.seed == b.seed && a.seed2 == b.seed2) return OkStatus();
  return InvalidArgument("Shared queue '", a.name, "' has random seeds (", a.seed, ", ", a.seed2,
                         ") but requested seeds are (", b.seed, ", ", b.seed2, ").");
}

Status Queue::CheckElement(const Tuple& element) const {
  for (size_t i = 0; i < spec_.shapes.size(); ++i) {
    if (!spec_.shapes[i].IsCompatibleWith(element[i].shape())) {
      return ShapeMismatch(i, spec_.shapes[i], element[i].shape());
    }
  }
  return OkStatus();
}

Status Queue::CheckBatch(const Tuple& batch) const {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].rank() == 0) {
      return InvalidArgument("Component ", i,
                             " of a batch has shape [], expected at least one "
                             "dimension, that of the batch");
    }
  }
  const int64_t rows = batch[0].dim(0);
  for (size_t i = 0; i < spec_.shapes.size(); ++i) {
    const Shape expected = BatchShape(rows, spec_.shapes[i]);
    if (!expected.IsCompatibleWith(batch[i].shape())) {
      return ShapeMismatch(i, expected, batch[i].shape());
    }
  }
  for (size_t i = 1; i < batch.size(); ++i) {
    if (batch[i].dim(0) == rows) continue;
    return InvalidArgument(
        "All input tensors must have the same size in the 0th dimension. "
        "Component ",
        i, " has ", batch[i].dim(0), ", and should have ", rows);
  }
  return OkStatus();
}

Status Queue::Enqueue(const Cancellation* cancellation, Tuple element) {
  RAMET_RETURN_IF_ERROR(CheckElement(element));
  for (Tensor& component : element) {
    RAMET_ASSIGN_OR_RETURN(component, component.Owned());
  }
  const auto step = [&](Status& status) {
    if (closed_) return status = ClosedError(spec_), Progress::kDone;
    if (count() >= spec_.capacity) return Progress::kNone;
    Push(std::move(element));
    return Progress::kDone;
  };
  return room_.Perform(cancellation, producers_, "Enqueue", step, [] {});
}

Status Queue::EnqueueMany(const Cancellation* cancellation, const Tuple& batch) {
  RAMET_RETURN_IF_ERROR(CheckBatch(batch));
  const int64_t rows = batch[0].dim(0);
  if (rows == 0) return OkStatus();
  int64_t next = 0;
  const auto step = [&](Status& status) {
    if (closed_) return status = ClosedError(spec_), Progress::kDone;
    const int64_t before = next;
    for (; next < rows && count() < spec_.capacity; ++next) {
      StatusOr<Tuple> row = RowOf(batch, next);
      if (row.ok()) status = CheckElement(*row);
      if (!row.ok()) status = row.status();
      if (!status.ok()) return Progress::kDone;
      Push(*std::move(row));
    }
    if (next == rows) return Progress::kDone;
    return next > before ? Progress::kSome : Progress::kNone;
  };
  return room_.Perform(cancellation, producers_, "Enqueue", step, [] {});
}

StatusOr<Tuple> Queue::Dequeue(const Cancellation* cancellation) {
  Tuple element;
  const auto step = [&](Status& status) {
    if (closed_ && count() == 0) return status = TooFew(spec_, 1, 0), Progress::kDone;
    if (count() <= (closed_ ? 0 : spec_.min_after_dequeue)) return Progress::kNone;
    element = Pop();
    return Progress::kDone;
  };
  RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, consumers_, "Dequeue", step, [] {}));
  return element;
}

StatusOr<Tuple> Queue::DequeueMany(const Cancellation* cancellation, int64_t n, bool up_to,
                                   Allocator* allocator) {
  if (spec_.shapes.empty()) {
    return InvalidArgument(spec_.type,
                           "'s DequeueMany and DequeueUpTo require the components to have "
                           "specified shapes.");
  }
  std::vector<Tuple> taken;
  if (n > 0) {
    const auto step = [&](Status& status) { return TakeElements(n, up_to, taken, status); };
    RAMET_RETURN_IF_ERROR(
        room_.Perform(cancellation, consumers_, "Dequeue", step, [&] { Restore(taken); }));
  }
  Tuple batch;
  for (size_t i = 0; i < spec_.dtypes.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor stacked, Stack(taken, i, allocator));
    batch.push_back(std::move(stacked));
  }
  return batch;
}

Progress Queue::TakeElements(int64_t n, bool up_to, std::vector<Tuple>& taken, Status& status) {
  const int64_t missing = n - std::ssize(taken);
  if (closed_ && count() < missing) {
    const int64_t available = count();
    Restore(taken);
    if (!up_to || count() == 0) {
      // A producer that came before the queue was closed may still add elements.
      if (up_to && !producers_.empty()) return Progress::kNone;
      status = TooFew(spec_, missing, available);
      return Progress::kDone;
    }
    n = count();
  }
  if (TakesAtOnce() && count() < n) return Progress::kNone;
  const size_t before = taken.size();
  const int64_t kept = closed_ ? 0 : spec_.min_after_dequeue;
  while (std::ssize(taken) < n && count() > kept) taken.push_back(Pop());
  if (std::ssize(taken) == n) return Progress::kDone;
  return taken.size() > before ? Progress::kSome : Progress::kNone;
}

void Queue::Restore(std::vector<Tuple>& taken) {
  for (; !taken.empty(); taken.pop_back()) PutBack(std::move(taken.back()));
}

StatusOr<Tensor> Queue::Stack(const std::vector<Tuple>& elements, size_t i,
                              Allocator* allocator) const {
  RAMET_ASSIGN_OR_RETURN(
      Tensor stacked,
      Tensor::Allocate(spec_.dtypes[i], BatchShape(std::ssize(elements), spec_.shapes[i]),
                       allocator));
  int64_t at = 0;
  for (const Tuple& element : elements) {
    const int64_t n = element[i].num_elements();
    if (n > 0) CopyElements(element[i], 0, stacked, at, n);
    at += n;
  }
  return stacked;
}

Status Queue::Close(const Cancellation* cancellation, bool cancel_pending) {
  const auto step = [&](Status& status) {
    if (closed_) status = Cancelled("Queue '", spec_.name, "' is already closed.");
    closed_ = true;
    return Progress::kDone;
  };
  if (!cancel_pending) return room_.Perform(cancellation, producers_, "Close", step, [] {});
  MutexLock lock(room_.mutex());
  Status status;
  step(status);
  room_.CancelAll(producers_);
  return status;
}

bool Queue::closed() {
  MutexLock lock(room_.mutex());
  return closed_;
}

int64_t Queue::size() {
  MutexLock lock(room_.mutex());
  return count();
}

}  // namespace ramet
