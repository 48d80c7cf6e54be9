#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/base/strings.h"

namespace ramet {

// TensorFlow's canonical error codes, with the numbers of tensorflow.error.Code.
enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// Returns the name of a code, such as "INVALID_ARGUMENT".
RAMET_EXPORT std::string_view CodeName(Code code);

// A Status is success, or an error code with a message for people: where it happened, what was
// found, what was expected, what to do. Immutable; copies share the message. Thread-safe. Success
// costs one null pointer.
class [[nodiscard]] RAMET_EXPORT Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;
  // Does nothing if this is OK. Otherwise throws BadStatusAccess with this error.
  void value() const;
  // Returns "INVALID_ARGUMENT: message", or "OK".
  std::string ToString() const;
  // Returns this error with "context: " before the message; OK stays OK.
  Status WithContext(std::string_view context) const;
  // Returns this error with `suffix` after the message; OK stays OK.
  Status WithSuffix(std::string_view suffix) const;
  // Keeps the first error: takes `other` only if this is OK.
  void Update(Status other) {
    if (ok()) *this = std::move(other);
  }
  // Documents that the error is ignored on purpose.
  void IgnoreError() const {}

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

inline Status OkStatus() { return Status(); }

// Thrown by Status::value() and StatusOr::value() on an error. what() is Status::ToString().
class RAMET_EXPORT BadStatusAccess : public std::runtime_error {
 public:
  explicit BadStatusAccess(Status status)
      : std::runtime_error(status.ToString()), status_(std::move(status)) {}
  const Status& status() const { return status_; }

 private:
  Status status_;
};

namespace status_internal {
[[noreturn]] RAMET_EXPORT void ThrowBadAccess(const Status& status);
}

// A StatusOr holds a T, or the error that prevented its creation.
template <class T>
class [[nodiscard]] StatusOr {
 public:
  using value_type = T;
  StatusOr(Status status) : status_(std::move(status)) {  // NOLINT: implicit on purpose
    if (status_.ok()) status_ = Status(Code::kInternal, "StatusOr made from an OK status");
  }
  StatusOr(const T& value) : value_(value) {}        // NOLINT
  StatusOr(T&& value) : value_(std::move(value)) {}  // NOLINT
  template <class U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::decay_t<U>, StatusOr> &&
           !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, T>)
      StatusOr(U&& value)
      : value_(std::forward<U>(value)) {}  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Returns the value. Throws BadStatusAccess if there is none.
  T& value() & {
    if (!value_) status_internal::ThrowBadAccess(status_);
    return *value_;
  }
  const T& value() const& {
    if (!value_) status_internal::ThrowBadAccess(status_);
    return *value_;
  }
  T value() && {
    if (!value_) status_internal::ThrowBadAccess(status_);
    return std::move(*value_);
  }
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }
  // Access the value without a check. Only if ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

#define RAMET_DEFINE_ERROR(Name)                            \
  template <class... Args>                                  \
  Status Name(const Args&... args) {                        \
    return Status(Code::k##Name, ::ramet::StrCat(args...)); \
  }                                                         \
  inline bool Is##Name(const Status& s) { return s.code() == Code::k##Name; }

// Defines, for each code, InvalidArgument("node '", name, "': ...") and IsInvalidArgument(status).
RAMET_DEFINE_ERROR(Cancelled)
RAMET_DEFINE_ERROR(Unknown)
RAMET_DEFINE_ERROR(InvalidArgument)
RAMET_DEFINE_ERROR(DeadlineExceeded)
RAMET_DEFINE_ERROR(NotFound)
RAMET_DEFINE_ERROR(AlreadyExists)
RAMET_DEFINE_ERROR(PermissionDenied)
RAMET_DEFINE_ERROR(ResourceExhausted)
RAMET_DEFINE_ERROR(FailedPrecondition)
RAMET_DEFINE_ERROR(Aborted)
RAMET_DEFINE_ERROR(OutOfRange)
RAMET_DEFINE_ERROR(Unimplemented)
RAMET_DEFINE_ERROR(Internal)
RAMET_DEFINE_ERROR(Unavailable)
RAMET_DEFINE_ERROR(DataLoss)
RAMET_DEFINE_ERROR(Unauthenticated)
#undef RAMET_DEFINE_ERROR

// Returns the error of `expr`, if any, from the enclosing function.
#define RAMET_RETURN_IF_ERROR(expr)                                                        \
  do {                                                                                     \
    if (::ramet::Status ramet_status_ = (expr); !ramet_status_.ok()) return ramet_status_; \
  } while (0)

#define RAMET_CONCAT_INNER(a, b) a##b
#define RAMET_CONCAT(a, b) RAMET_CONCAT_INNER(a, b)
#define RAMET_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                \
  if (!tmp.ok()) return tmp.status();               \
  lhs = *std::move(tmp)

// RAMET_ASSIGN_OR_RETURN(auto x, MakeX()) sets x to the value, or returns the error.
#define RAMET_ASSIGN_OR_RETURN(lhs, expr) \
  RAMET_ASSIGN_OR_RETURN_IMPL(RAMET_CONCAT(ramet_status_or_, __LINE__), lhs, expr)

}  // namespace ramet
