#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/base/mutex.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// Says how a kernel stores a value in its own form, such as its dimensions and their order.
using FormLayout = std::array<int64_t, 3>;

// A KeptForm is a value in a form that a kernel reads faster, such as packed weights. It belongs to
// one version of the value, which is the contents of one buffer: while it exists, it holds the
// buffer. A writer then finds the buffer shared and writes to a new one, so that a form is never
// out of date. Thread-safe.
class RAMET_EXPORT KeptForm {
 public:
  KeptForm(const Buffer* buffer, const FormLayout& layout) : buffer_(buffer), layout_(layout) {}
  ~KeptForm();
  KeptForm(const KeptForm&) = delete;
  KeptForm& operator=(const KeptForm&) = delete;

  bool IsOf(const Tensor& value, const FormLayout& layout) const {
    return buffer_ == value.buffer().get() && layout_ == layout;
  }
  // Returns the form of `value`. `make`, a function that returns a StatusOr<Tensor>, computes it
  // when the same version is used for the second time, so that a version that is used once costs
  // nothing. Returns an empty tensor before, and if the memory for forms is used up.
  template <class Make>
  Tensor Use(const Tensor& value, int64_t bytes, Make&& make) {
    MutexLock lock(mutex_);
    if (!form_.empty() || ++uses_ < kUsesToKeep || !TakeBytes(bytes)) return form_;
    StatusOr<Tensor> form = make();
    if (!form.ok()) {
      ReturnBytes(bytes);
      return form_;
    }
    bytes_ = bytes;
    value_ = value;
    form_ = *std::move(form);
    return form_;
  }
  // Forgets the form and the uses, because the value has been replaced.
  void Drop() RAMET_EXCLUDES(mutex_);

 private:
  static constexpr int kUsesToKeep = 2;
  static bool TakeBytes(int64_t bytes);
  static void ReturnBytes(int64_t bytes);

  const Buffer* const buffer_;
  const FormLayout layout_;
  Mutex mutex_;
  int64_t uses_ RAMET_GUARDED_BY(mutex_) = 0;
  int64_t bytes_ RAMET_GUARDED_BY(mutex_) = 0;
  Tensor value_ RAMET_GUARDED_BY(mutex_);  // what form_ was made of
  Tensor form_ RAMET_GUARDED_BY(mutex_);
};

// KeptForms finds the forms of the process's values, so that sessions share them. Thread-safe.
class RAMET_EXPORT KeptForms {
 public:
  // All forms together take at most this much memory.
  static constexpr int64_t kMaxBytes = int64_t{1} << 30;

  static KeptForms& Global();
  // Returns the object for the form of `value`, which must not be empty.
  std::shared_ptr<KeptForm> Get(const Tensor& value, const FormLayout& layout);
  // Drops the forms of `value`, if there are any. Called before a variable is updated in place, and
  // when its value has been replaced.
  void Forget(const Tensor& value);
  // Returns the bytes of all forms.
  int64_t bytes() const;

 private:
  friend class KeptForm;
  KeptForms();
  void Remove(const Buffer* buffer, const KeptForm* form);
  struct Impl;
  Impl* const impl_;  // never destroyed
};

// A FormUser is the place of a kernel that uses the form of an operand. It remembers the last one,
// so that finding it is a comparison. Thread-safe.
class FormUser {
 public:
  // Returns the form of `value`, as KeptForm::Use.
  template <class Make>
  Tensor Use(const Tensor& value, const FormLayout& layout, int64_t bytes, Make&& make) {
    return Find(value, layout)->Use(value, bytes, std::forward<Make>(make));
  }

 private:
  std::shared_ptr<KeptForm> Find(const Tensor& value, const FormLayout& layout) {
    MutexLock lock(mutex_);
    if (!form_ || !form_->IsOf(value, layout)) form_ = KeptForms::Global().Get(value, layout);
    return form_;
  }

  Mutex mutex_;
  std::shared_ptr<KeptForm> form_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
