#pragma once

#include <Python.h>

#include <optional>

namespace ramet::python {

// The only functions of this module that take and release the GIL. After the interpreter ends, a
// thread that asks for the GIL is terminated with pthread_exit, which unwinds its stack through C++
// frames that must not be unwound. Such a thread is parked here instead: it sleeps forever.

// Blocks the calling thread forever.
[[noreturn]] void Park();

// Remembers the main thread and registers callbacks for the interpreter's end. Called once, with
// the GIL, when the module is loaded.
void InitializeGil();

// Reports whether the calling thread is the one in which Python handles signals.
bool IsMainThread();

// Reports whether the interpreter is ending or has ended, so that only the main thread has the GIL.
bool InterpreterEnds();

// Makes BackgroundGil fail from now on, and waits for threads that currently hold or await the GIL.
// Called with the GIL, before the interpreter ends.
void EndCallbacks();

// Releases the GIL for the lifetime of this object.
class GilRelease {
 public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the GIL for the lifetime of this object. The thread may already hold it. Evaluates to false
// if the interpreter has ended: Python objects must then not be used, and owned ones are leaked.
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

// GilAcquire for the threads of publishers and followers. The main thread joins these threads, so
// they must not be parked; they stop calling Python before the interpreter ends.
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
