#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A Resource is session state that kernels reach by name: a variable, later tables, queues, stacks.
class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string_view type_name() const = 0;
};

// A VariableState holds the current buffer of one variable of one session. Thread-safe: readers
// take a snapshot that stays as it is; a writer that finds the buffer shared writes to a fresh one,
// so that what somebody holds (a run in flight, a published version, a fetched value) never changes
// under him.
class VariableState final : public Resource {
 public:
  explicit VariableState(std::string name) : name_(std::move(name)) {}
  std::string_view type_name() const override { return "variable"; }
  const std::string& name() const { return name_; }

  // The current value; empty() when uninitialised.
  Tensor Read() const;
  bool initialized() const;
  // Replaces the value; `value` is shared, not copied.
  void Set(Tensor value);
  // Calls `update(old, out)`: `out` is `old` itself when nobody else holds the buffer (readers wait
  // meanwhile), and a fresh tensor of the same dtype and shape from `allocator` otherwise (readers
  // still get the old one). Afterwards `out` is the value. Updates of one variable exclude each
  // other. \error kFailedPrecondition if uninitialised; kResourceExhausted if memory is not to be
  // had; what
  //   `update` returns, and then the value is unchanged if `out` was fresh.
  template <class Update>
  Status Modify(Allocator* allocator, Update&& update) {
    std::lock_guard lock(update_mutex_);
    Tensor old;
    {
      std::lock_guard value_lock(mutex_);
      if (value_.empty()) return UninitializedError();
      if (value_.unique()) return update(static_cast<const Tensor&>(value_), value_);
      old = value_;
    }
    RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(old.dtype(), old.shape(), allocator));
    RAMET_RETURN_IF_ERROR(update(static_cast<const Tensor&>(old), out));
    Set(std::move(out));
    return OkStatus();
  }
  // "Attempting to use uninitialized value NAME", with the two ways out.
  Status UninitializedError() const;

 private:
  const std::string name_;
  std::mutex update_mutex_;
  mutable std::mutex mutex_;
  Tensor value_;
};

// Where a ResourceStore keeps the resource variables of a container: apart from its reference
// variables, so that a VarHandleOp and a VariableV2 of one name are two variables.
std::string ResourceContainer(std::string_view container);

// A ResourceStore owns the resources of one session, by (container, name). Thread-safe.
class ResourceStore {
 public:
  // The resource of that name, made by `make` if there is none yet.
  std::shared_ptr<Resource> FindOrCreate(std::string_view container, std::string_view name,
                                         const std::function<std::shared_ptr<Resource>()>& make);
  // nullptr if there is none.
  std::shared_ptr<Resource> Find(std::string_view container, std::string_view name) const;
  std::shared_ptr<VariableState> FindOrCreateVariable(std::string_view container,
                                                      std::string_view name);
  // Every variable, sorted by container and name.
  std::vector<std::shared_ptr<VariableState>> Variables() const;

 private:
  using Key = std::pair<std::string, std::string>;
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<Resource>> resources_;
};

}  // namespace ramet
