#include "ramet/ops/dataset/iterator_resource.h"

#include "ramet/base/exception.h"
#include "ramet/op/resource_handle.h"

namespace ramet {

// One iterator, with what its functions keep. The iterator is destroyed before the scope.
struct IteratorResource::State {
  std::unique_ptr<IteratorScope> scope;
  Mutex mutex;
  CondVar idle;
  bool busy RAMET_GUARDED_BY(mutex) = false;
  IteratorPtr iterator;  // for the thread that has set `busy`
};

Status IteratorResource::SetDataset(const DatasetPtr& dataset, KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckCompatible(spec_, dataset->spec()));
  auto made = std::make_shared<State>();
  RAMET_ASSIGN_OR_RETURN(auto runner, FunctionRunner::Of(*c.env().resources));
  made->scope = std::make_unique<IteratorScope>(std::move(runner));
  NextContext context{*made->scope, {c.cancellation(), c.run().followed}};
  RAMET_ASSIGN_OR_RETURN(made->iterator, dataset->NewIterator(context));
  std::shared_ptr<State> old;  // destroyed without the lock
  MutexLock lock(mutex_);
  old = std::exchange(state_, std::move(made));
  return OkStatus();
}

Status IteratorResource::Next(KernelContext& c, Element* element, bool* end) {
  std::shared_ptr<State> state;
  {
    MutexLock lock(mutex_);
    state = state_;
  }
  if (state == nullptr) {
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
        "the initializer operation for this iterator before getting the next element.");
  }
  {
    CancellableWait wait(c.cancellation(), state->mutex, state->idle);
    MutexLock lock(state->mutex);
    while (state->busy) {
      if (!wait.Wait()) return c.cancellation()->status();
    }
    state->busy = true;
  }
  NextContext context{*state->scope, {c.cancellation(), c.run().followed}};
  const Status status = Guarded([&] { return state->iterator->Next(context, element, end); });
  MutexLock lock(state->mutex);
  state->busy = false;
  state->idle.NotifyOne();
  return status;
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
