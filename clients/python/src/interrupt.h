#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "core.h"
#include "gil.h"

namespace ramet::python {

// A call of the library without the GIL. A signal whose Python handler raises an exception, such as
// Ctrl-C, interrupts the main thread's call. The interpreter's end interrupts those of other
// threads.
class Call final : public RunInterrupt {
 public:
  // Releases the GIL.
  Call();
  // Takes the GIL again, unless Finish did.
  ~Call() override;

  // Returns the call that the calling thread is in, or null.
  static Call* Current();

  // Keeps the exception that is set in the interpreter for Finish, and interrupts the call.
  void TakeException();
  bool interrupted() const { return exception_ != nullptr; }
  // Takes the GIL again and throws the stored exception, if there is one.
  void Finish();

 private:
  friend class Calls;
  bool Due() override;
  void TakeGil();

  std::optional<GilRelease> release_;
  PyObject* exception_ = nullptr;  // owned
  Call* next_ = nullptr;           // see Calls
  Call* previous_ = nullptr;
  int forks_ = 0;
};

// A call of the library that keeps the GIL because it calls Python functions. Ctrl-C interrupts the
// main thread's call. Its handler runs after the call, because the call may hold locks that the
// handler's code needs.
class HeldCall final : public RunInterrupt {
 public:
  HeldCall();
  ~HeldCall() override;

  bool interrupted() const { return interrupted_; }
  // Calls Python's handler of the interrupt, and throws what it raises. The call must have ended.
  void RunHandler() const;

 private:
  bool Due() override;

  bool interrupted_ = false;
};

// A part of a call that runs Python code. The end of the process does not wait for it.
class PythonSection {
 public:
  PythonSection();
  ~PythonSection();
  PythonSection(const PythonSection&) = delete;
  PythonSection& operator=(const PythonSection&) = delete;

 private:
  Call* const call_;  // null if there is nothing to do
};

// Called once, when the module is loaded.
void InitializeCalls();

// Returns fn(), a StatusOr, called with the GIL. An interrupted call must leave everything as it
// was. It is repeated unless the handler of the interrupt raises an exception.
template <class Fn>
auto WithGil(Fn&& fn) {
  while (true) {
    HeldCall call;
    auto result = fn();
    if (result.ok() || !call.interrupted()) return result;
    call.RunHandler();
  }
}

// Returns fn(), called without the GIL. An interrupted call raises the exception of the interrupt
// and drops its result.
template <class Fn>
auto WithoutGil(Fn&& fn) {
  using Result = std::invoke_result_t<Fn>;
  Call call;
  if constexpr (std::is_void_v<Result>) {
    fn();
    call.Finish();
  } else {
    std::optional<Result> result(fn());
    if (call.interrupted()) result.reset();
    call.Finish();
    return *std::move(result);
  }
}

// Shares a Python object between threads. The last copy takes the GIL to release the object.
inline std::shared_ptr<nb::object> Share(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* o) {
            if (const GilAcquire gil; gil) delete o;
          }};
}

}  // namespace ramet::python
