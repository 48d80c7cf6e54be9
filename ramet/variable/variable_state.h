#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"
#include "ramet/variable/followed_values.h"
#include "ramet/variable/resource.h"

namespace ramet {

class RowHistory;

// A VariableState holds the current buffer of one variable in one session. Thread-safe. Readers
// take a snapshot that does not change. A writer that finds the buffer shared writes to a new one,
// so that a value held elsewhere (by an active run, a published version or a fetched tensor) never
// changes.
//
// A variable that follows a published one has the value in `followed` until it is written. Its own
// value then counts until the followed values change.
class VariableState final : public Resource {
 public:
  explicit VariableState(std::string name);
  ~VariableState() override;
  std::string_view type_name() const override { return "variable"; }
  const std::string& name() const { return name_; }

  // Returns the current value; empty() if uninitialized.
  Tensor Read(const FollowedValues* followed = nullptr) const;
  bool initialized(const FollowedValues* followed = nullptr) const;
  // Replaces the value; `value` is shared, not copied.
  void Set(Tensor value, const FollowedValues* followed = nullptr);
  // Replaces the buffer `old` by `value`, which has the same elements, if `old` is still current. A
  // followed value is replaced for all runs with the same followed values, and only for them.
  void Move(const Tensor& old, Tensor value, const FollowedValues* followed = nullptr);
  // Makes this variable follow value `index` of the followed values; -1 stops following.
  void FollowAs(int index);
  // Makes Modify allocate from `allocator` instead of the kernel's; null restores the kernel's. The
  // allocator must outlive the variable or be unset before it is destroyed.
  void SetAllocator(Allocator* allocator) { allocator_ = allocator; }
  // Calls `update(old, out)` and makes `out` the value. `out` is `old` itself if nothing else holds
  // the buffer; readers then wait. Otherwise it is a new tensor of the same dtype and shape from
  // `allocator`, and readers still get the old value. Updates of one variable exclude each other.
  // After an error the value is unchanged if `out` was new.
  // \error kFailedPrecondition: the variable is uninitialized.
  // \error kResourceExhausted: the memory cannot be allocated.
  // \error any error of `update`.
  template <class Update>
  Status Modify(Allocator* allocator, const FollowedValues* followed, Update&& update) {
    return ModifyBy(allocator, followed, nullptr, update);
  }
  // Updates only the rows `indices` (int32 or int64) of dimension 0. `out` already has the elements
  // of `old`, and `update` writes only these rows. If the buffer is shared, an earlier buffer that
  // has been released is brought up to date by copying the rows that changed, so that the cost
  // depends on those rows only.
  template <class Update>
  Status ModifyRows(Allocator* allocator, const FollowedValues* followed, const Tensor& indices,
                    Update&& update) {
    return ModifyBy(allocator, followed, &indices, update);
  }
  // Reports whether PrepareSpare has work to do. Any thread; does not block.
  bool spare_is_behind() const { return spare_is_behind_; }
  // Reports whether the latest row update found a spare up to date. Any thread; does not block.
  bool spare_was_ready() const { return spare_was_ready_; }
  // Brings spare buffers up to date by copying the rows that have changed, so that the next
  // ModifyRows finds one ready. Called by a thread other than the updating one. An update that
  // arrives meanwhile goes first and copies the remaining rows itself. Returns false if one of the
  // spares is still held elsewhere.
  bool PrepareSpare();
  // Returns "Attempting to use uninitialized value NAME", followed by two ways to fix it.
  Status UninitializedError() const;

 private:
  // Locks the variable for an update, with priority over PrepareSpare.
  class RAMET_SCOPED_LOCKABLE UpdateLock {
   public:
    explicit UpdateLock(VariableState& variable) RAMET_ACQUIRE(variable.update_mutex_)
        : mutex_(variable.update_mutex_) {
      if (!mutex_.TryLock()) variable.WaitToUpdate();
    }
    ~UpdateLock() RAMET_RELEASE() { mutex_.Unlock(); }
    UpdateLock(const UpdateLock&) = delete;
    UpdateLock& operator=(const UpdateLock&) = delete;

   private:
    Mutex& mutex_;
  };

  const Tensor& Current(const FollowedValues* followed) const RAMET_REQUIRES(mutex_);
  // Returns the tensor that an update of a shared buffer writes; with `rows`, a copy of `old`.
  StatusOr<Tensor> Fresh(Allocator* allocator, const Tensor& old, const Tensor* rows)
      RAMET_REQUIRES(update_mutex_);
  // Records that `old` was replaced, or if `old` is empty, that the value was updated in place.
  void NoteUpdate(Tensor old, const Tensor* rows) RAMET_REQUIRES(update_mutex_);
  void ForgetSpares() RAMET_REQUIRES(update_mutex_);
  // Blocks until update_mutex_, which another thread holds, is locked.
  void WaitToUpdate() RAMET_ACQUIRE(update_mutex_);

  template <class Update>
  Status ModifyBy(Allocator* allocator, const FollowedValues* followed, const Tensor* rows,
                  Update& update) {
    UpdateLock lock(*this);
    Tensor old;
    bool is_own;
    {
      MutexLock value_lock(mutex_);
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
  Mutex update_mutex_;  // locked before mutex_
  mutable Mutex mutex_;
  Tensor value_ RAMET_GUARDED_BY(mutex_);
  int followed_as_ RAMET_GUARDED_BY(mutex_) = -1;
  // The sequence of the followed values at the last Set.
  uint64_t own_since_ RAMET_GUARDED_BY(mutex_) = 0;
  std::atomic<Allocator*> allocator_ = nullptr;
  std::atomic<int> waiting_ = 0;  // updates that wait for update_mutex_
  std::atomic<bool> spare_is_behind_ = false;
  std::atomic<bool> spare_was_ready_ = false;
  // Null if nothing is recorded.
  std::unique_ptr<RowHistory> history_ RAMET_GUARDED_BY(update_mutex_);
};

}  // namespace ramet
