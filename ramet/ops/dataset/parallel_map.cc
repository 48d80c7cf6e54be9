#include "ramet/ops/dataset/parallel_map.h"

#include <deque>

#include "ramet/base/exception.h"

namespace ramet {
namespace {

// The result of one call, in the order of the input.
struct CallResult {
  Status status;
  Element element;
  bool end = false;   // the input has no more elements
  bool done = false;  // the call has returned
};

// Workers take elements from the input one after another, each with the next place in the queue of
// results. The queue has room for `calls` results beyond those under way.
class ParallelMapIterator final : public DatasetIterator {
 public:
  ParallelMapIterator(DatasetPtr dataset, IteratorPtr input, ElementFunction function, int calls,
                      IteratorScope& scope)
      : DatasetIterator(std::move(dataset)),
        input_(std::move(input)),
        function_(std::move(function)),
        calls_(calls),
        workers_(scope) {}
  ~ParallelMapIterator() override { workers_.Stop(); }

 protected:
  Status Produce(NextContext& c, Element* element, bool* end) override {
    if (!workers_.started()) RAMET_RETURN_IF_ERROR(StartWorkers());
    CancellableWait wait(c.call.cancellation, mutex_, changed_);
    MutexLock lock(mutex_);
    while (queue_.results.empty() || !queue_.results.front()->done) {
      if (queue_.ended && queue_.results.empty()) {
        *end = true;
        return OkStatus();
      }
      queue_.consumer_waits = true;
      const bool go_on = wait.Wait();
      queue_.consumer_waits = false;
      if (!go_on) return c.call.cancellation->status();
    }
    const std::shared_ptr<CallResult> result = std::move(queue_.results.front());
    queue_.results.pop_front();
    if (queue_.waiting_workers > 0 && std::ssize(queue_.results) <= Capacity() / 2)
      room_.NotifyAll();
    *end = result->end;
    *element = std::move(result->element);
    return result->status;
  }

 private:
  struct Queue {
    std::deque<std::shared_ptr<CallResult>> results;
    bool ended = false;  // the input has no more elements
    bool consumer_waits = false;
    int waiting_workers = 0;
  };

  int Capacity() const { return 2 * calls_; }

  Status StartWorkers() {
    for (int i = 0; i < calls_; ++i) {
      const Status started = workers_.Start([this](NextContext& c) { Work(c); });
      if (!started.ok() && i == 0) return started;
      if (!started.ok()) break;
    }
    return OkStatus();
  }

  void Work(NextContext& c) {
    Element args;
    while (std::shared_ptr<CallResult> result = TakeElement(c, &args)) {
      if (result->status.ok() && !result->end) {
        auto called = Guarded([&] { return function_(c, args); });
        if (called.ok()) {
          result->element = *std::move(called);
        } else {
          result->status = called.status();
        }
      }
      MutexLock lock(mutex_);
      result->done = true;
      if (queue_.consumer_waits && !queue_.results.empty() && queue_.results.front()->done)
        changed_.NotifyAll();
    }
  }

  // Takes an element from the input and a place for its result. Returns null if the worker must
  // end.
  std::shared_ptr<CallResult> TakeElement(NextContext& c, Element* args) {
    MutexLock input_lock(input_mutex_);
    {
      CancellableWait wait(&workers_.cancellation(), mutex_, room_);
      MutexLock lock(mutex_);
      while (!queue_.ended && std::ssize(queue_.results) >= Capacity()) {
        ++queue_.waiting_workers;
        const bool go_on = wait.Wait();
        --queue_.waiting_workers;
        if (!go_on) return nullptr;
      }
      if (queue_.ended || workers_.cancellation().due()) return nullptr;
    }
    auto result = std::make_shared<CallResult>();
    result->status = Guarded([&] { return input_->Next(c, args, &result->end); });
    MutexLock lock(mutex_);
    queue_.ended = result->end;
    queue_.results.push_back(result);
    return result;
  }

  const IteratorPtr input_;
  const ElementFunction function_;
  const int calls_;
  Mutex input_mutex_;  // held by the worker that takes an element
  Mutex mutex_;
  CondVar changed_, room_;
  Queue queue_ RAMET_GUARDED_BY(mutex_);
  WorkerThreads workers_;
};

}  // namespace

IteratorFactory ParallelMapFactory(CapturedFunctionPtr function, int calls) {
  const auto factory = ParallelMapFactory(
      [function](NextContext& c, Element& element) { return function->Call(c, element); }, calls);
  return [function, factory](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
    RAMET_RETURN_IF_ERROR(function->Prepare(c));
    return factory(dataset, c);
  };
}

IteratorFactory ParallelMapFactory(ElementFunction function, int calls) {
  return [function, calls](const DatasetPtr& dataset, NextContext& c) -> StatusOr<IteratorPtr> {
    RAMET_ASSIGN_OR_RETURN(IteratorPtr input, dataset->NewInputIterator(c));
    return std::make_unique<ParallelMapIterator>(dataset, std::move(input), function, calls,
                                                 c.scope);
  };
}

}  // namespace ramet
