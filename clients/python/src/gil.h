#pragma once

#include <Python.h>

#include <optional>

namespace ramet::python {

// The only way in which this module takes and releases the GIL. Once the interpreter ends, a thread
// that asks for the GIL is ended by pthread_exit, which unwinds its stack through C++ frames that
// must not be left so. Such a thread is parked here instead: it sleeps until the process is gone.

// Blocks the calling thread for good.
[[noreturn]] void Park();

// Remembers the main thread and registers what is to happen at the interpreter's end; called once,
// with the GIL, when the module is loaded.
void InitializeGil();

// Reports whether the calling thread is the one that Python gives its signals to.
bool IsMainThread();

// Reports whether the interpreter ends or has ended: the GIL is the main thread's for good.
bool InterpreterEnds();

// Has BackgroundGil fail from now on, and waits for those that hold or await the GIL now. Called
// with the GIL, before the interpreter ends.
void EndCallbacks();

// Releases the GIL for the life of this object.
class GilRelease {
 public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the GIL for the life of this object, also where the thread has it already. False if the
// interpreter ends: then nothing of Python may be touched, and what is owned is leaked.
class GilAcquire {
 public:
  GilAcquire();
  ~GilAcquire();
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;
  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
  PyGILState_STATE state_;
};

// GilAcquire for the threads of publishers and followers, which the main thread joins: they must
// not be parked, so they stop calling Python before the interpreter ends.
class BackgroundGil {
 public:
  BackgroundGil();
  ~BackgroundGil();
  BackgroundGil(const BackgroundGil&) = delete;
  BackgroundGil& operator=(const BackgroundGil&) = delete;
  explicit operator bool() const { return gil_ && *gil_; }

 private:
  std::optional<GilAcquire> gil_;
};

}  // namespace ramet::python
