#include "ramet/variable/variable_state.h"

#include <cstring>
#include <thread>

#include "ramet/tensor/kept_forms.h"
#include "ramet/tensor/memory_owners.h"
#include "ramet/variable/row_history.h"

namespace ramet {
namespace {

// Allocates from `own` if possible, otherwise from `other`. So updates continue if the memory for
// published values is full; publishing then copies the values.
StatusOr<Tensor> AllocateLike(const Tensor& like, Allocator* own, Allocator* other) {
  if (own != nullptr) {
    auto tensor = Tensor::Allocate(like.dtype(), like.shape(), own);
    if (!IsResourceExhausted(tensor.status())) return tensor;
  }
  return Tensor::Allocate(like.dtype(), like.shape(), other);
}

// Returns the followed value that is current, or null if a variable's own value is: it follows
// nothing, or was written `own_since` these followed values.
Tensor* FollowedValueOf(const FollowedValues* followed, int followed_as, uint64_t own_since) {
  const auto index = static_cast<size_t>(followed_as);
  if (followed == nullptr || followed_as < 0 || own_since == followed->sequence ||
      index >= followed->values.size()) {
    return nullptr;
  }
  Tensor& value = followed->values[index];
  return value.empty() ? nullptr : &value;
}

}  // namespace

VariableState::VariableState(std::string name) : name_(std::move(name)) {}
VariableState::~VariableState() { KeptForms::Global().Forget(value_); }

const Tensor& VariableState::Current(const FollowedValues* followed) const {
  const Tensor* const value = FollowedValueOf(followed, followed_as_, own_since_);
  return value != nullptr ? *value : value_;
}

Tensor VariableState::Read(const FollowedValues* followed) const {
  MutexLock lock(mutex_);
  return Current(followed);
}

bool VariableState::initialized(const FollowedValues* followed) const {
  MutexLock lock(mutex_);
  return !Current(followed).empty();
}

void VariableState::Set(Tensor value, const FollowedValues* followed) {
  UpdateLock update_lock(*this);
  ForgetSpares();
  Replace(std::move(value), followed);
}

void VariableState::Replace(Tensor value, const FollowedValues* followed) {
  MemoryOwners::Global().GiveToVariable(value, name_);
  {
    MutexLock lock(mutex_);
    std::swap(value_, value);
    if (followed != nullptr) own_since_ = followed->sequence;
  }
  KeptForms::Global().Forget(value);
}

void VariableState::Move(const Tensor& old, Tensor value, const FollowedValues* followed) {
  UpdateLock update_lock(*this);
  if (allocator_ == nullptr) ForgetSpares();
  MemoryOwners::Global().GiveToVariable(value, name_);
  MutexLock lock(mutex_);
  Tensor* const moved = FollowedValueOf(followed, followed_as_, own_since_);
  Tensor& current = moved != nullptr ? *moved : value_;
  if (current.buffer().get() == old.buffer().get()) std::swap(current, value);
}

StatusOr<Tensor> VariableState::Fresh(Allocator* allocator, const Tensor& old, const Tensor* rows) {
  if (rows != nullptr) {
    if (DTypeSize(old.dtype()) == 0) return old.DeepCopy();
    bool was_ready = false;
    Tensor spare = history_ ? history_->TakeSpare(old, &was_ready) : Tensor();
    spare_was_ready_ = was_ready;
    if (!spare.empty()) return spare;
  }
  Allocator* const own = old.host_accessible() ? allocator_.load() : nullptr;
  RAMET_ASSIGN_OR_RETURN(Tensor out, AllocateLike(old, own, allocator));
  if (rows != nullptr && out.bytes() > 0) std::memcpy(out.raw_data(), old.raw_data(), out.bytes());
  return out;
}

// Spares pay only for published variables, whose buffers are taken from them repeatedly.
void VariableState::NoteUpdate(Tensor old, const Tensor* rows) {
  // The caller of an update in place holds mutex_.
  const auto forget_forms = [this]() RAMET_NO_THREAD_SAFETY_ANALYSIS {
    KeptForms::Global().Forget(value_);
  };
  if (old.empty()) forget_forms();
  if (rows == nullptr || allocator_ == nullptr) return ForgetSpares();
  if (!history_) history_ = std::make_unique<RowHistory>();
  history_->Note(std::move(old), *rows);
  spare_is_behind_ = !history_->empty();
}

void VariableState::ForgetSpares() {
  history_.reset();
  spare_is_behind_ = false;
}

// Spins before blocking: PrepareSpare releases the lock after a few rows, sooner than a sleeping
// thread would wake.
void VariableState::WaitToUpdate() {
  constexpr int kTries = 200;
  ++waiting_;
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::yield();
    if (update_mutex_.TryLock()) {
      --waiting_;
      return;
    }
  }
  update_mutex_.Lock();
  --waiting_;
}

bool VariableState::PrepareSpare() {
  MutexLock update_lock(update_mutex_);
  if (!history_) return true;
  Tensor current;
  {
    MutexLock lock(mutex_);
    current = value_;
  }
  const bool done = history_->Prepare(current, waiting_);
  if (done) spare_is_behind_ = false;
  return done;
}

void VariableState::FollowAs(int index) {
  MutexLock lock(mutex_);
  followed_as_ = index;
}

Status VariableState::UninitializedError() const {
  return FailedPrecondition("Attempting to use uninitialized value ", name_,
                            "; restore a checkpoint or run its initializer (Session::"
                            "InitializeMissing, in Python session.initialize_missing(), "
                            "initializes only uninitialized variables)");
}

}  // namespace ramet
