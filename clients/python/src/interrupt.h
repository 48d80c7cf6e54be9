#pragma once

#include <optional>
#include <type_traits>

#include "core.h"
#include "gil.h"

namespace ramet::python {

// A call of the library without the GIL. A signal whose Python handler raises, such as Ctrl-C, ends
// the call of the main thread; the interpreter's end ends those of other threads.
class Call final : public RunInterrupt {
 public:
  // Releases the GIL.
  Call();
  // Takes it again, if Finish has not.
  ~Call() override;

  // The call that the calling thread is in; null if it is in none.
  static Call* Current();

  // Keeps the exception that is set in the interpreter, for Finish, and ends the call.
  void TakeException();
  bool interrupted() const { return exception_ != nullptr; }
  // Takes the GIL again and throws the exception that was kept, if there is one.
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

// A part of a call that runs Python code: the end of the process does not wait for it.
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

// Returns fn(), which runs without the GIL. An interrupted call raises what interrupted it, and its
// result is dropped.
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

}  // namespace ramet::python
