#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/op/followed_values.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

class RowHistory;

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
//
// A variable that follows a published one has the value that `followed` holds for it, until it is
// written: then its own value counts, for as long as the same values are followed.
class VariableState final : public Resource {
 public:
  explicit VariableState(std::string name);
  ~VariableState() override;
  std::string_view type_name() const override { return "variable"; }
  const std::string& name() const { return name_; }

  // The current value; empty() when uninitialised.
  Tensor Read(const FollowedValues* followed = nullptr) const;
  bool initialized(const FollowedValues* followed = nullptr) const;
  // Replaces the value; `value` is shared, not copied.
  void Set(Tensor value, const FollowedValues* followed = nullptr);
  // Puts `value` (the same elements elsewhere) in the place of `old`, if that is the value still.
  void Move(const Tensor& old, Tensor value);
  // From now on it has value `index` of what is followed; -1: of none.
  void FollowAs(int index);
  // Where Modify makes fresh values from now on, in the place of the kernel's allocator; null:
  // there again. It outlives the variable or is taken back before its end.
  void SetAllocator(Allocator* allocator) { allocator_ = allocator; }
  // Calls `update(old, out)`: `out` is `old` itself when nobody else holds the buffer (readers wait
  // meanwhile), and a fresh tensor of the same dtype and shape from `allocator` otherwise (readers
  // still get the old one). Afterwards `out` is the value. Updates of one variable exclude each
  // other. \error kFailedPrecondition if uninitialised; kResourceExhausted if memory is not to be
  // had; what
  //   `update` returns, and then the value is unchanged if `out` was fresh.
  template <class Update>
  Status Modify(Allocator* allocator, const FollowedValues* followed, Update&& update) {
    return ModifyBy(allocator, followed, nullptr, update);
  }
  // The same for an update of some rows (`indices`, int32 or int64, of dimension 0): `out` has the
  // elements of `old` already when `update` is called, which writes nothing but these rows. Where
  // the buffer is shared, one that has been let go of meanwhile is brought up to date by the rows
  // that changed since, so that the cost is that of the rows.
  template <class Update>
  Status ModifyRows(Allocator* allocator, const FollowedValues* followed, const Tensor& indices,
                    Update&& update) {
    return ModifyBy(allocator, followed, &indices, update);
  }
  // Whether PrepareSpare has something to do. Any thread, without waiting.
  bool spare_is_behind() const { return spare_is_behind_; }
  // Whether the latest update of rows found its buffer ready. Likewise.
  bool spare_was_ready() const { return spare_was_ready_; }
  // Brings former buffers up to date by the rows that have changed, so that the next ModifyRows
  // finds one ready; for another thread than the one that updates. An update that comes meanwhile
  // goes first, and copies the rest itself. False if somebody still holds one of these buffers.
  bool PrepareSpare();
  // "Attempting to use uninitialized value NAME", with the two ways out.
  Status UninitializedError() const;

 private:
  // The right to change the value, before those who only prepare for it.
  class UpdateLock {
   public:
    explicit UpdateLock(VariableState& variable) : mutex_(variable.update_mutex_) {
      if (!mutex_.try_lock()) variable.WaitToUpdate();
    }
    ~UpdateLock() { mutex_.unlock(); }
    UpdateLock(const UpdateLock&) = delete;
    UpdateLock& operator=(const UpdateLock&) = delete;

   private:
    std::mutex& mutex_;
  };

  const Tensor& Current(const FollowedValues* followed) const;
  // Where an update of a shared buffer writes; with `rows`, a copy of `old`.
  StatusOr<Tensor> Fresh(Allocator* allocator, const Tensor& old, const Tensor* rows);
  // `old` has been replaced, or (empty) updated in place.
  void NoteUpdate(Tensor old, const Tensor* rows);
  void ForgetSpares();
  // Locks update_mutex_, which another thread holds.
  void WaitToUpdate();

  template <class Update>
  Status ModifyBy(Allocator* allocator, const FollowedValues* followed, const Tensor* rows,
                  Update& update) {
    UpdateLock lock(*this);
    Tensor old;
    bool is_own;
    {
      std::lock_guard value_lock(mutex_);
      const Tensor& current = Current(followed);
      if (current.empty()) return UninitializedError();
      is_own = &current == &value_;
      if (is_own && value_.unique()) {
        NoteUpdate(Tensor(), rows);
        return update(static_cast<const Tensor&>(value_), value_);
      }
      old = current;
    }
    if (!is_own) ForgetSpares();
    RAMET_ASSIGN_OR_RETURN(Tensor out, Fresh(allocator, old, rows));
    RAMET_RETURN_IF_ERROR(update(static_cast<const Tensor&>(old), out));
    Replace(out, followed);
    NoteUpdate(std::move(old), is_own ? rows : nullptr);
    return OkStatus();
  }
  void Replace(Tensor value, const FollowedValues* followed);

  const std::string name_;
  std::mutex update_mutex_;
  mutable std::mutex mutex_;
  Tensor value_;
  int followed_as_ = -1;
  uint64_t own_since_ = 0;  // the sequence of the values that were followed at the last Set
  std::atomic<Allocator*> allocator_ = nullptr;
  std::atomic<int> waiting_ = 0;  // updates, for update_mutex_
  std::atomic<bool> spare_is_behind_ = false;
  std::atomic<bool> spare_was_ready_ = false;
  std::unique_ptr<RowHistory> history_;  // under update_mutex_; null: nothing is known
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
