#include "ramet/ops/dataset/iterator_resource.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/op/resource_handle.h"

namespace ramet {

namespace {

// These do not change the elements, so that the position of an iterator is all of its state.
constexpr std::string_view kHarmless[] = {"Assert", "PrintV2", "Print"};

bool IsHarmless(std::string_view op) {
  return std::ranges::find(kHarmless, op) != std::end(kHarmless) ||
         op.find("Dataset") != std::string_view::npos || op == "DummySeedGenerator";
}

}  // namespace

// One iterator, with what its functions keep. The iterator is destroyed before the scope.
struct IteratorResource::State {
  DatasetPtr dataset;
  std::unique_ptr<IteratorScope> scope;
  Mutex mutex;
  CondVar idle;
  bool busy RAMET_GUARDED_BY(mutex) = false;
  // For the thread that has set `busy`.
  IteratorPtr iterator;
  uint64_t calls = 0, errors = 0;

  // Makes the next element, or an error.
  Status Next(NextContext& context, Element* element, bool* end) {
    const Status status = Guarded([&] { return iterator->Next(context, element, end); });
    const bool interrupted = context.call.cancellation != nullptr && StopDue();
    if (*end || (!status.ok() && interrupted)) return status;
    ++calls;
    if (!status.ok()) ++errors;
    return status;
  }

  // Drops the elements before a position.
  Status Skip(NextContext& context, const IteratorState& position) {
    if (position.errors == 0) {
      int64_t skipped;
      RAMET_RETURN_IF_ERROR(Guarded(
          [&] { return iterator->Skip(context, static_cast<int64_t>(position.calls), &skipped); }));
      calls = position.calls;
      return OkStatus();
    }
    bool end = false;
    while (calls < position.calls && !end) {
      if (StopDue()) return InterruptedStatus();
      Element element;
      Next(context, &element, &end).IgnoreError();
    }
    return OkStatus();
  }
};

StatusOr<std::shared_ptr<IteratorResource::State>> IteratorResource::NewState(
    const DatasetPtr& dataset, KernelContext& c, IteratorState position) {
  auto made = std::make_shared<State>();
  RAMET_ASSIGN_OR_RETURN(auto runner, FunctionRunner::Of(*c.env().resources));
  made->dataset = dataset;
  made->scope = std::make_unique<IteratorScope>(std::move(runner));
  made->scope->Replay(std::move(position.seeds));
  NextContext context{*made->scope, {c.cancellation(), c.run().followed}};
  RAMET_ASSIGN_OR_RETURN(made->iterator, dataset->NewIterator(context));
  if (position.calls > 0) RAMET_RETURN_IF_ERROR(made->Skip(context, position));
  return made;
}

Status IteratorResource::SetDataset(const DatasetPtr& dataset, KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckCompatible(spec_, dataset->spec()));
  IteratorState position;
  {
    MutexLock lock(mutex_);
    if (waiting_) position = *waiting_;
  }
  RAMET_ASSIGN_OR_RETURN(auto made, NewState(dataset, c, std::move(position)));
  std::shared_ptr<State> old;  // destroyed without the lock
  MutexLock lock(mutex_);
  waiting_.reset();
  old = std::exchange(state_, std::move(made));
  return OkStatus();
}

std::shared_ptr<IteratorResource::State> IteratorResource::CurrentState() const {
  MutexLock lock(mutex_);
  return state_;
}

Status IteratorResource::BeginUse(KernelContext& c, State& state) {
  CancellableWait wait(c.cancellation(), state.mutex, state.idle);
  MutexLock lock(state.mutex);
  while (state.busy) {
    if (!wait.Wait()) return c.cancellation()->status();
  }
  state.busy = true;
  return OkStatus();
}

void IteratorResource::EndUse(State& state) {
  MutexLock lock(state.mutex);
  state.busy = false;
  state.idle.NotifyOne();
}

Status IteratorResource::Next(KernelContext& c, Element* element, bool* end) {
  const std::shared_ptr<State> state = CurrentState();
  if (state == nullptr) {
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
        "the initializer operation for this iterator before getting the next element.");
  }
  RAMET_RETURN_IF_ERROR(BeginUse(c, *state));
  NextContext context{*state->scope, {c.cancellation(), c.run().followed}};
  const Status status = state->Next(context, element, end);
  EndUse(*state);
  return status;
}

StatusOr<IteratorState> IteratorResource::Save(KernelContext& c, bool refuses_state) {
  const std::shared_ptr<State> state = CurrentState();
  if (state == nullptr) {
    return FailedPrecondition(
        "Save() failed because the iterator has not been initialized. Ensure that you have run the "
        "initializer operation for this iterator before saving it.");
  }
  RAMET_RETURN_IF_ERROR(BeginUse(c, *state));
  IteratorState saved;
  saved.calls = state->calls;
  saved.errors = state->errors;
  EndUse(*state);
  RAMET_ASSIGN_OR_RETURN(saved.seeds, state->scope->NotedSeeds());
  if (!refuses_state) return saved;
  for (const std::string& op : state->scope->StatefulOps()) {
    if (!IsHarmless(op)) return FailedPrecondition(op, " is stateful.");
  }
  return saved;
}

Status IteratorResource::Restore(KernelContext& c, IteratorState position) {
  const std::shared_ptr<State> state = CurrentState();
  if (state == nullptr) {
    MutexLock lock(mutex_);
    waiting_ = std::move(position);
    return OkStatus();
  }
  // No call of Next may use the dataset's seeds meanwhile.
  RAMET_RETURN_IF_ERROR(BeginUse(c, *state));
  auto made = NewState(state->dataset, c, std::move(position));
  EndUse(*state);
  RAMET_RETURN_IF_ERROR(made.status());
  std::shared_ptr<State> old;  // destroyed without the lock
  MutexLock lock(mutex_);
  old = std::exchange(state_, *std::move(made));
  return OkStatus();
}

std::string IteratorContainer(std::string_view container) {
  return StrCat(container.empty() ? "localhost" : container, " iterators");
}

StatusOr<std::shared_ptr<IteratorResource>> InputIterator(KernelContext& c, int i) {
  if (const VariableState* variable = c.variable(i)) {
    return InvalidArgument("input ", i,
                           " must be the handle of an iterator, but it is the "
                           "variable '",
                           variable->name(), "'");
  }
  auto resource = CarriedResource(c.input(i));
  if (auto iterator = std::dynamic_pointer_cast<IteratorResource>(resource)) return iterator;
  return InvalidArgument("input ", i, " must be the handle of an iterator, but it is ",
                         resource ? resource->type_name() : "not a handle");
}

Status CheckCompatible(const ElementSpec& wanted, const ElementSpec& found) {
  if (wanted.types.size() != found.types.size()) {
    return InvalidArgument("Number of components does not match: expected ", wanted.types.size(),
                           " types but got ", found.types.size(), ".");
  }
  for (size_t i = 0; i < wanted.types.size(); ++i) {
    if (wanted.types[i] == found.types[i]) continue;
    return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                           DTypeName(wanted.types[i]), " but got ", DTypeName(found.types[i]), ".");
  }
  for (size_t i = 0; i < wanted.shapes.size() && i < found.shapes.size(); ++i) {
    if (wanted.shapes[i].IsCompatibleWith(found.shapes[i])) continue;
    return InvalidArgument("Incompatible shapes at component ", i, ": expected ", wanted.shapes[i],
                           " but got ", found.shapes[i], ".");
  }
  return OkStatus();
}

}  // namespace ramet
