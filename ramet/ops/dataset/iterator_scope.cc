#include "ramet/ops/dataset/iterator_scope.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/linalg/processors.h"

namespace ramet {
namespace {

// The most threads for one node. Functions that wait, such as those in Python, use more threads
// than there are processors.
constexpr int kMaxParallelCalls = 64;

}  // namespace

CapturedFunction::CapturedFunction(FunctionRef function, std::vector<DType> args,
                                   ResultTypes results, std::vector<Value> captured,
                                   const std::vector<DType>& captured_types)
    : function_(std::move(function)),
      captured_(std::move(captured)),
      captured_types_(captured_types),
      args_(std::move(args)),
      results_(std::move(results)) {
  args_.insert(args_.end(), captured_types.begin(), captured_types.end());
}

std::shared_ptr<const CapturedFunction> CapturedFunction::WithArgs(std::vector<DType> args) const {
  return std::make_shared<CapturedFunction>(function_, std::move(args), results_, captured_,
                                            captured_types_);
}

StatusOr<Element> CapturedFunction::Call(NextContext& context, std::span<Tensor> element) const {
  RAMET_ASSIGN_OR_RETURN(LibraryFunction * compiled, context.scope.Find(*this));
  return compiled->Call(element, captured_, context.call);
}

Status CapturedFunction::Prepare(NextContext& context) const {
  return context.scope.Find(*this).status();
}

StatusOr<bool> CapturedFunction::CallPredicate(NextContext& context, const Element& element) const {
  Element args = element;
  RAMET_ASSIGN_OR_RETURN(Element result, Call(context, args));
  if (result.size() != 1 || result[0].dtype() != kBool || result[0].num_elements() != 1) {
    return InvalidArgument("`predicate` must returns a scalar bool tensor.");
  }
  return result[0].scalar<bool>();
}

StatusOr<DatasetPtr> CapturedFunction::CallForDataset(NextContext& context, Element element) const {
  RAMET_ASSIGN_OR_RETURN(Element result, Call(context, element));
  if (result.size() != 1) {
    return InvalidArgument("Function must return a single scalar of dtype DT_VARIANT.");
  }
  return DatasetOf(result[0]);
}

StatusOr<LibraryFunction*> IteratorScope::Find(const CapturedFunction& function) {
  const auto matches = [&](const std::unique_ptr<Entry>& entry) {
    return entry->function.name == function.function().name && entry->args == function.args() &&
           entry->results == function.results() && entry->function == function.function();
  };
  {
    ReaderLock lock(mutex_);
    const auto found = std::ranges::find_if(entries_, matches);
    if (found != entries_.end()) return (*found)->compiled.get();
  }
  WriterLock lock(mutex_);
  const auto found = std::ranges::find_if(entries_, matches);
  if (found != entries_.end()) return (*found)->compiled.get();
  RAMET_ASSIGN_OR_RETURN(auto compiled, runner_->Instantiate(function.function(), function.args(),
                                                             function.results()));
  entries_.push_back(std::make_unique<Entry>(
      Entry{function.function(), function.args(), function.results(), std::move(compiled)}));
  return entries_.back()->compiled.get();
}

void IteratorScope::NoteSeeds(SeedSource& source) {
  MutexLock lock(seeds_mutex_);
  if (seeds_.size() < replayed_.size()) source.Restore(replayed_[seeds_.size()]);
  if (seeds_.size() < IteratorState::kMaxSeeds) {
    seeds_.push_back(source.state());
  } else {
    too_many_seeds_ = true;
  }
}

void IteratorScope::Replay(std::vector<SeedState> seeds) {
  MutexLock lock(seeds_mutex_);
  replayed_ = std::move(seeds);
}

StatusOr<std::vector<SeedState>> IteratorScope::NotedSeeds() const {
  MutexLock lock(seeds_mutex_);
  if (!too_many_seeds_) return seeds_;
  return FailedPrecondition("ShuffleDataset: more than ", IteratorState::kMaxSeeds,
                            " iterators of shuffled datasets were made, such as in a function of "
                            "flat_map or interleave, so that the state cannot be saved");
}

std::vector<std::string> IteratorScope::StatefulOps() const {
  std::vector<std::string> types;
  ReaderLock lock(mutex_);
  for (const auto& entry : entries_) {
    const std::vector<std::string> some = entry->compiled->StatefulOps();
    types.insert(types.end(), some.begin(), some.end());
  }
  return types;
}

bool IteratorScope::TakeThread() {
  if (++threads_ <= kMaxThreads) return true;
  --threads_;
  return false;
}

Status WorkerThreads::Start(std::function<void(NextContext&)> work) {
  if (!scope_.TakeThread()) {
    return ResourceExhausted("the datasets of one iterator use ", IteratorScope::kMaxThreads,
                             " threads, which is the limit; does a function make parallel datasets "
                             "with itself?");
  }
  const Status started = Guarded([&] {
    threads_.emplace_back([this, work = std::move(work)] {
      NextContext context{scope_, {&cancellation_, nullptr}};
      LogIfThrown("a thread of a dataset", [&] { work(context); });
    });
    return OkStatus();
  });
  if (!started.ok()) scope_.ReturnThread();
  return started;
}

void WorkerThreads::Stop() {
  token_.Cancel();
  for (std::thread& thread : threads_) {
    thread.join();
    scope_.ReturnThread();
  }
  threads_.clear();
}

int ParallelCalls(int64_t wanted) {
  if (wanted < 0) return std::max(1, linalg::UsableProcessors());
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, kMaxParallelCalls));
}

}  // namespace ramet
