#include "ramet/op/resource_store.h"

#include <cstring>
#include <thread>

#include "ramet/op/row_history.h"

namespace ramet {
namespace {

// Updates go on when there is no room where values can be published: publishing copies those later.
StatusOr<Tensor> AllocateLike(const Tensor& like, Allocator* own, Allocator* other) {
  if (own != nullptr) {
    auto tensor = Tensor::Allocate(like.dtype(), like.shape(), own);
    if (!IsResourceExhausted(tensor.status())) return tensor;
  }
  return Tensor::Allocate(like.dtype(), like.shape(), other);
}

}  // namespace

VariableState::VariableState(std::string name) : name_(std::move(name)) {}
VariableState::~VariableState() = default;

const Tensor& VariableState::Current(const FollowedValues* followed) const {
  const size_t index = static_cast<size_t>(followed_as_);
  if (followed == nullptr || followed_as_ < 0 || own_since_ == followed->sequence ||
      index >= followed->values.size()) {
    return value_;
  }
  const Tensor& value = followed->values[index];
  return value.empty() ? value_ : value;
}

Tensor VariableState::Read(const FollowedValues* followed) const {
  std::lock_guard lock(mutex_);
  return Current(followed);
}

bool VariableState::initialized(const FollowedValues* followed) const {
  std::lock_guard lock(mutex_);
  return !Current(followed).empty();
}

void VariableState::Set(Tensor value, const FollowedValues* followed) {
  UpdateLock update_lock(*this);
  ForgetSpares();
  Replace(std::move(value), followed);
}

void VariableState::Replace(Tensor value, const FollowedValues* followed) {
  std::lock_guard lock(mutex_);
  std::swap(value_, value);
  if (followed != nullptr) own_since_ = followed->sequence;
}

void VariableState::Move(const Tensor& old, Tensor value) {
  UpdateLock update_lock(*this);
  if (allocator_ == nullptr) ForgetSpares();
  std::lock_guard lock(mutex_);
  if (value_.buffer().get() == old.buffer().get()) std::swap(value_, value);
}

StatusOr<Tensor> VariableState::Fresh(Allocator* allocator, const Tensor& old, const Tensor* rows) {
  if (rows != nullptr) {
    if (DTypeSize(old.dtype()) == 0) return old.DeepCopy();
    bool was_ready = false;
    Tensor spare = history_ ? history_->TakeSpare(old, &was_ready) : Tensor();
    spare_was_ready_ = was_ready;
    if (!spare.empty()) return spare;
  }
  RAMET_ASSIGN_OR_RETURN(Tensor out, AllocateLike(old, allocator_, allocator));
  if (rows != nullptr && out.bytes() > 0) std::memcpy(out.raw_data(), old.raw_data(), out.bytes());
  return out;
}

// Only published variables have their buffers taken from them again and again.
void VariableState::NoteUpdate(Tensor old, const Tensor* rows) {
  if (rows == nullptr || allocator_ == nullptr) return ForgetSpares();
  if (!history_) history_ = std::make_unique<RowHistory>();
  history_->Note(std::move(old), *rows);
  spare_is_behind_ = !history_->empty();
}

void VariableState::ForgetSpares() {
  history_.reset();
  spare_is_behind_ = false;
}

// Who prepares gives way within the time that some rows take, sooner than a sleeping thread wakes.
void VariableState::WaitToUpdate() {
  constexpr int kTries = 200;
  ++waiting_;
  bool locked = false;
  for (int i = 0; i < kTries && !locked; ++i) {
    std::this_thread::yield();
    locked = update_mutex_.try_lock();
  }
  if (!locked) update_mutex_.lock();
  --waiting_;
}

bool VariableState::PrepareSpare() {
  std::lock_guard update_lock(update_mutex_);
  if (!history_) return true;
  Tensor current;
  {
    std::lock_guard lock(mutex_);
    current = value_;
  }
  const bool done = history_->Prepare(current, waiting_);
  if (done) spare_is_behind_ = false;
  return done;
}

void VariableState::FollowAs(int index) {
  std::lock_guard lock(mutex_);
  followed_as_ = index;
}

Status VariableState::UninitializedError() const {
  return FailedPrecondition("Attempting to use uninitialized value ", name_,
                            "; restore a checkpoint or run its initializer (Session::"
                            "InitializeMissing, in Python session.initialize_missing(), "
                            "initialises only what is missing)");
}

std::string ResourceContainer(std::string_view container) {
  return std::string("resource variables/").append(container);
}

std::shared_ptr<Resource> ResourceStore::FindOrCreate(
    std::string_view container, std::string_view name,
    const std::function<std::shared_ptr<Resource>()>& make) {
  std::lock_guard lock(mutex_);
  auto& slot = resources_[Key(container, name)];
  if (!slot) slot = make();
  return slot;
}

std::shared_ptr<Resource> ResourceStore::Find(std::string_view container,
                                              std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto it = resources_.find(Key(container, name));
  return it == resources_.end() ? nullptr : it->second;
}

std::shared_ptr<VariableState> ResourceStore::FindOrCreateVariable(std::string_view container,
                                                                   std::string_view name) {
  auto made = FindOrCreate(container, name,
                           [&] { return std::make_shared<VariableState>(std::string(name)); });
  return std::dynamic_pointer_cast<VariableState>(made);
}

std::vector<std::shared_ptr<VariableState>> ResourceStore::Variables() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<VariableState>> variables;
  for (const auto& [key, resource] : resources_) {
    if (auto v = std::dynamic_pointer_cast<VariableState>(resource)) variables.push_back(v);
  }
  return variables;
}

}  // namespace ramet
