#include "ramet/tensor/kept_forms.h"

#include <unordered_map>

namespace ramet {

struct KeptForms::Impl {
  struct Entry {
    KeptForm* form;  // removes itself before it is destroyed
    std::weak_ptr<KeptForm> owner;
  };
  Mutex mutex;
  std::unordered_multimap<const Buffer*, Entry> entries RAMET_GUARDED_BY(mutex);
  std::atomic<int64_t> count = 0;  // of entries
  std::atomic<int64_t> bytes = 0;
};

KeptForm::~KeptForm() {
  KeptForms::Global().Remove(buffer_, this);
  Drop();
}

void KeptForm::Drop() {
  Tensor value, form;  // destroyed without the lock
  MutexLock lock(mutex_);
  uses_ = 0;
  if (form_.empty()) return;
  ReturnBytes(std::exchange(bytes_, 0));
  std::swap(value, value_);
  std::swap(form, form_);
}

bool KeptForm::TakeBytes(int64_t bytes) {
  std::atomic<int64_t>& taken = KeptForms::Global().impl_->bytes;
  if (taken.fetch_add(bytes) + bytes <= KeptForms::kMaxBytes) return true;
  taken -= bytes;
  return false;
}

void KeptForm::ReturnBytes(int64_t bytes) { KeptForms::Global().impl_->bytes -= bytes; }

KeptForms::KeptForms() : impl_(new Impl) {}

KeptForms& KeptForms::Global() {
  static auto* const forms = new KeptForms;
  return *forms;
}

std::shared_ptr<KeptForm> KeptForms::Get(const Tensor& value, const FormLayout& layout) {
  const Buffer* const buffer = value.buffer().get();
  // A form that the loop finds must not be destroyed under the lock.
  std::shared_ptr<KeptForm> found;
  MutexLock lock(impl_->mutex);
  const auto [begin, end] = impl_->entries.equal_range(buffer);
  for (auto it = begin; it != end; ++it) {
    if (!it->second.form->IsOf(value, layout)) continue;
    found = it->second.owner.lock();
    if (found) return found;
  }
  auto made = std::make_shared<KeptForm>(buffer, layout);
  impl_->entries.emplace(buffer, Impl::Entry{made.get(), made});
  ++impl_->count;
  return made;
}

void KeptForms::Forget(const Tensor& value) {
  if (impl_->count == 0 || value.empty()) return;
  MutexLock lock(impl_->mutex);
  const auto [begin, end] = impl_->entries.equal_range(value.buffer().get());
  for (auto it = begin; it != end; ++it) it->second.form->Drop();
}

int64_t KeptForms::bytes() const { return impl_->bytes; }

void KeptForms::Remove(const Buffer* buffer, const KeptForm* form) {
  MutexLock lock(impl_->mutex);
  const auto [begin, end] = impl_->entries.equal_range(buffer);
  for (auto it = begin; it != end; ++it) {
    if (it->second.form != form) continue;
    impl_->entries.erase(it);
    --impl_->count;
    return;
  }
}

}  // namespace ramet
