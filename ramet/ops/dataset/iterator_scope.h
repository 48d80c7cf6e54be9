#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/ops/dataset/dataset.h"
#include "ramet/ops/dataset/iterator_state.h"

namespace ramet {

// A CapturedFunction is a function of the library with the values that a node passes to it after
// the components of an element. Immutable.
class CapturedFunction {
 public:
  // `args` are the dtypes of the components that calls pass, `captured` those of the other values.
  CapturedFunction(FunctionRef function, std::vector<DType> args, ResultTypes results,
                   std::vector<Value> captured, const std::vector<DType>& captured_types);

  const FunctionRef& function() const { return function_; }
  const std::vector<DType>& args() const { return args_; }  // all arguments
  const ResultTypes& results() const { return results_; }
  // Returns the same function for calls with arguments of these dtypes before the captured values.
  std::shared_ptr<const CapturedFunction> WithArgs(std::vector<DType> args) const;
  // Calls the function, which is compiled at the first call in the scope. Takes the tensors of
  // `element`.
  // \error as for FunctionRunner::Instantiate and LibraryFunction::Call.
  StatusOr<Element> Call(NextContext& context, std::span<Tensor> element) const;
  // Compiles the function, so that its errors come before the first element.
  Status Prepare(NextContext& context) const;
  // Calls the function, whose only result is a bool.
  // \error kInvalidArgument: the result is not a scalar.
  StatusOr<bool> CallPredicate(NextContext& context, const Element& element) const;
  // Calls the function, whose only result is a dataset.
  StatusOr<DatasetPtr> CallForDataset(NextContext& context, Element element) const;

 private:
  const FunctionRef function_;
  const std::vector<Value> captured_;
  const std::vector<DType> captured_types_;
  std::vector<DType> args_;
  const ResultTypes results_;
};
using CapturedFunctionPtr = std::shared_ptr<const CapturedFunction>;

// An IteratorScope is what all iterators below the iterator of an iterator resource share: the
// functions that they have compiled, whose kernels keep their state, and a budget of threads.
// Thread-safe.
class IteratorScope {
 public:
  // The maximum number of threads that work for one iterator.
  static constexpr int kMaxThreads = 512;

  explicit IteratorScope(std::shared_ptr<FunctionRunner> runner) : runner_(std::move(runner)) {}

  // \error as for FunctionRunner::Instantiate.
  StatusOr<LibraryFunction*> Find(const CapturedFunction& function);
  // Takes one thread from the budget. Returns false if it is used up.
  bool TakeThread();
  void ReturnThread() { --threads_; }
  CancellationToken& closed() { return runner_->closed(); }

  // Notes the seeds of a dataset before an iterator of it draws from them. While there are seeds to
  // replay, gives the dataset the next of them.
  void NoteSeeds(SeedSource& source);
  // Lets NoteSeeds replay seeds. Called before the first iterator is made.
  void Replay(std::vector<SeedState> seeds);
  // Returns the seeds that were noted.
  // \error kFailedPrecondition: there are too many.
  StatusOr<std::vector<SeedState>> NotedSeeds() const;
  // Returns the types of the stateful operations of the compiled functions.
  std::vector<std::string> StatefulOps() const;

 private:
  struct Entry {
    FunctionRef function;
    std::vector<DType> args;
    ResultTypes results;
    std::shared_ptr<LibraryFunction> compiled;
  };
  const std::shared_ptr<FunctionRunner> runner_;
  std::atomic<int> threads_ = 0;
  mutable SharedMutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_ RAMET_GUARDED_BY(mutex_);
  mutable Mutex seeds_mutex_;
  std::vector<SeedState> seeds_ RAMET_GUARDED_BY(seeds_mutex_);
  std::vector<SeedState> replayed_ RAMET_GUARDED_BY(seeds_mutex_);
  bool too_many_seeds_ RAMET_GUARDED_BY(seeds_mutex_) = false;
};

// A WorkerThreads runs functions on threads of an iterator. Owned by the iterator, which ends the
// threads before it destroys what they use. For one thread.
class WorkerThreads {
 public:
  explicit WorkerThreads(IteratorScope& scope)
      : scope_(scope), cancellation_(&scope.closed(), &token_, 0) {}
  ~WorkerThreads() { Stop(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Starts a thread that calls work(context) once. The context is cancelled by Stop and by the end
  // of the session.
  // \error kResourceExhausted: the iterator resource has too many threads.
  // \error kUnavailable: the system cannot start a thread.
  Status Start(std::function<void(NextContext&)> work);
  bool started() const { return !threads_.empty(); }
  // Cancels the contexts of the threads and waits for their end.
  void Stop();
  const Cancellation& cancellation() const { return cancellation_; }

 private:
  IteratorScope& scope_;
  CancellationToken token_;
  const Cancellation cancellation_;
  std::vector<std::thread> threads_;
};

// Returns how many threads serve a node that asks for `wanted` parallel calls, -1 for any number.
int ParallelCalls(int64_t wanted);

}  // namespace ramet
