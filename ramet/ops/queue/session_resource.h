#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/op/resource_handle.h"
#include "ramet/op/shared_name.h"

namespace ramet {

// Queues, readers, accumulators and mutexes live in a session. The newer ops pass them on by a
// handle that carries them. The older ops pass their name, a string vector [container, name].

// Returns the name under which the ResourceStore of a session keeps resources of a kind ("queue").
// Resources of different kinds may have the same name.
std::string KindContainer(std::string_view kind, std::string_view container);

// Returns the resource of a kind that input i names.
// \error kInvalidArgument: the input is not a handle.
// \error kNotFound: the session has no resource with that name.
StatusOr<std::shared_ptr<Resource>> SessionResource(KernelContext& c, int i, std::string_view kind);

// Like SessionResource, for a resource of type R, whose R::kKind names the kind.
// \error kInvalidArgument: also if the resource is not an R.
template <class R>
StatusOr<std::shared_ptr<R>> SessionResourceAs(KernelContext& c, int i = 0) {
  RAMET_ASSIGN_OR_RETURN(std::shared_ptr<Resource> resource, SessionResource(c, i, R::kKind));
  if (auto found = std::dynamic_pointer_cast<R>(resource)) return found;
  return InvalidArgument("input ", i, " must be the handle of a ", R::kKind, ", but names a ",
                         resource->type_name());
}

// A ResourceKernel makes the session's resource of its node, or finds the one of that name.
// MakeResource(const KernelNode&, name) returns a StatusOr<std::shared_ptr<R>>, and
// R::CheckSame(const R& wanted) returns an error if a node may not share an existing resource.
template <class R, auto MakeResource>
class ResourceKernel final : public Kernel {
 public:
  ResourceKernel(SharedName name, DType form, std::shared_ptr<R> fresh)
      : name_(std::move(name)), form_(form), fresh_(std::move(fresh)), reference_(name_.name) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    SharedName name = SharedNameOf(node);
    RAMET_ASSIGN_OR_RETURN(std::shared_ptr<R> fresh, MakeResource(node, name.name));
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<ResourceKernel>(std::move(name), node.output_types[0], std::move(fresh)));
  }

  Status Compute(KernelContext& c) override {
    MutexLock lock(mutex_);
    if (shared_ == nullptr) RAMET_RETURN_IF_ERROR(LookUp(*c.env().resources));
    if (IsRef(form_)) {
      c.SetRefOutput(0, &reference_);
    } else {
      c.SetOutput(0, MakeHandle(shared_));
    }
    return OkStatus();
  }

 private:
  Status LookUp(ResourceStore& store) RAMET_REQUIRES(mutex_) {
    auto found = std::dynamic_pointer_cast<R>(store.FindOrCreate(
        KindContainer(R::kKind, name_.container), name_.name, [this] { return fresh_; }));
    if (found == nullptr) return Internal("'", name_.name, "' is not a ", R::kKind);
    if (found != fresh_) RAMET_RETURN_IF_ERROR(found->CheckSame(*fresh_));
    reference_.Set(Tensor::Vector<std::string>({name_.container, name_.name}));
    shared_ = std::move(found);
    return OkStatus();
  }

  const SharedName name_;
  const DType form_;
  const std::shared_ptr<R> fresh_;
  Mutex mutex_;
  std::shared_ptr<R> shared_ RAMET_GUARDED_BY(mutex_);
  VariableState reference_;
};

}  // namespace ramet
