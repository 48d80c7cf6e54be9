#include <algorithm>
#include <deque>

#include "ramet/base/exception.h"
#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/prefetch.h"

namespace ramet {
namespace {

class PrefetchIterator final : public DatasetIterator {
 public:
  PrefetchIterator(DatasetPtr dataset, IteratorPtr input, int64_t size, IteratorScope& scope)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        grows_(size < 0),
        limit_(grows_ ? 1 : size),
        worker_(scope) {}
  ~PrefetchIterator() override { worker_.Stop(); }

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    if (!worker_.started()) {
      RAMET_RETURN_IF_ERROR(worker_.Start([this](NextContext& context) { ReadAhead(context); }));
    }
    CancellableWait wait(c.call.cancellation, mutex_, filled_);
    MutexLock lock(mutex_);
    if (grows_ && was_full_ && read_.empty()) {
      limit_ = std::min(2 * limit_, kMaxGrown);
      was_full_ = false;
      room_.NotifyAll();
    }
    while (read_.empty()) {
      consumer_waits_ = true;
      const bool go_on = wait.Wait();
      consumer_waits_ = false;
      if (!go_on) return c.call.cancellation->status();
    }
    Read& next = read_.front();
    *end = next.end;
    if (next.end) return OkStatus();  // it stays, for later calls
    *element = std::move(next.element);
    const Status status = next.status;
    read_.pop_front();
    if (producer_waits_ && std::ssize(read_) <= limit_ / 2) room_.NotifyAll();
    return status;
  }

 private:
  static constexpr int64_t kMaxGrown = 64;

  // The outcome of one read of the input.
  struct Read {
    Status status;
    Element element;
    bool end = false;
  };

  void ReadAhead(NextContext& c) {
    for (bool ended = false; !ended;) {
      {
        CancellableWait wait(&worker_.cancellation(), mutex_, room_);
        MutexLock lock(mutex_);
        while (std::ssize(read_) >= limit_) {
          was_full_ = true;
          producer_waits_ = true;
          const bool go_on = wait.Wait();
          producer_waits_ = false;
          if (!go_on) return;
        }
      }
      if (worker_.cancellation().due()) return;
      Read read;
      read.status = Guarded([&] { return input_->Next(c, &read.element, &read.end); });
      ended = read.end;
      MutexLock lock(mutex_);
      read_.push_back(std::move(read));
      if (consumer_waits_) filled_.NotifyAll();
    }
  }

  const IteratorPtr input_;
  const bool grows_;
  Mutex mutex_;
  CondVar filled_, room_;
  std::deque<Read> read_ RAMET_GUARDED_BY(mutex_);
  int64_t limit_ RAMET_GUARDED_BY(mutex_);
  bool was_full_ RAMET_GUARDED_BY(mutex_) = false;
  bool consumer_waits_ RAMET_GUARDED_BY(mutex_) = false;
  bool producer_waits_ RAMET_GUARDED_BY(mutex_) = false;
  WorkerThreads worker_;
};

StatusOr<std::shared_ptr<Dataset>> MakePrefetchDataset(DatasetArgs& args) {
  RAMET_ASSIGN_OR_RETURN(DatasetPtr input, args.SameTypes());
  RAMET_ASSIGN_OR_RETURN(const int64_t size, args.Int(1, "buffer_size"));
  if (size < -1) {
    return InvalidArgument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  const int64_t cardinality = input->cardinality();
  return Dataset::Make(
      args.spec(), {std::move(input)},
      [size](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
        RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c));
        if (size == 0) return input;
        return MakePrefetchIterator(dataset, std::move(input), size, c.scope);
      },
      cardinality);
}

RAMET_OP("PrefetchDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("slack_period: int = 0")
    .Attr("legacy_autotune: bool = true")
    .Attr("buffer_size_min: int = 0")
    .Attr("metadata: string = ''")
    .Doc(
        "Makes a dataset of the same elements, of which iterators read up to buffer_size ahead on "
        "a thread; -1 lets the iterator choose. Error: buffer_size is less than -1.")
    .HostMemory({"buffer_size"})
    .Shape(DatasetShape)
    .CpuKernelClass<DatasetKernel<&MakePrefetchDataset>>();

}  // namespace

IteratorPtr MakePrefetchIterator(DatasetPtr dataset, IteratorPtr input, int64_t size,
                                 IteratorScope& scope) {
  return std::make_unique<PrefetchIterator>(std::move(dataset), std::move(input), size, scope);
}

}  // namespace ramet
