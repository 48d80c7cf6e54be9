#include "gil.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ramet::python {
namespace {

constexpr std::chrono::seconds kCallbackPatience{2};

std::atomic<unsigned long> main_thread = 0;
std::atomic<bool> callbacks_end = false;
std::atomic<int> callbacks = 0;  // the number of BackgroundGils

// The thread that forks becomes the main thread of the child, and its only thread.
void AfterForkInChild() {
  main_thread = PyThread_get_thread_ident();
  callbacks = 0;
}

}  // namespace

void Park() {
  for (;;) pause();
}

bool IsMainThread() { return PyThread_get_thread_ident() == main_thread; }

bool InterpreterEnds() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() || !Py_IsInitialized();
#else
  return _Py_IsFinalizing() || !Py_IsInitialized();
#endif
}

void InitializeGil() {
  PyObject* threading = PyImport_ImportModule("threading");
  PyObject* main = threading ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
  PyObject* ident = main ? PyObject_GetAttrString(main, "ident") : nullptr;
  if (ident && PyLong_Check(ident)) main_thread = PyLong_AsUnsignedLong(ident);
  if (PyErr_Occurred()) PyErr_Clear();
  Py_XDECREF(ident);
  Py_XDECREF(main);
  Py_XDECREF(threading);
  pthread_atfork(nullptr, nullptr, AfterForkInChild);
}

void EndCallbacks() {
  callbacks_end = true;
  const GilRelease release;
  const auto end = std::chrono::steady_clock::now() + kCallbackPatience;
  while (callbacks > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

GilRelease::GilRelease() : state_(PyEval_SaveThread()) {}

GilRelease::~GilRelease() {
  if (InterpreterEnds() && !IsMainThread()) Park();
  try {
    PyEval_RestoreThread(state_);
  } catch (const abi::__forced_unwind&) {
    Park();
  }
}

GilAcquire::GilAcquire() {
  const bool main = PyGILState_GetThisThreadState() != nullptr && IsMainThread();
  if (InterpreterEnds() && !main && !PyGILState_Check()) return;
  try {
    state_ = PyGILState_Ensure();
  } catch (const abi::__forced_unwind&) {
    Park();
  }
  held_ = true;
}

GilAcquire::~GilAcquire() {
  if (!held_) return;
  if (InterpreterEnds() && !PyGILState_Check()) Park();
  PyGILState_Release(state_);
}

BackgroundGil::BackgroundGil() {
  ++callbacks;
  if (!callbacks_end) gil_.emplace();
}

BackgroundGil::~BackgroundGil() {
  gil_.reset();
  --callbacks;
}

}  // namespace ramet::python
