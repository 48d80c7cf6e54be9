#include <cxxabi.h>

#include <typeinfo>

#include "core.h"
#include "errors.h"
#include "gil.h"

namespace ramet::python {

Hooks& TheHooks() {
  static Hooks* const hooks = new Hooks;
  return *hooks;
}

void RaiseTooDeep() {
  RaiseValueError("a value is nested more than ", kMaxValueDepth, " levels deep");
}

namespace {

// Decodes a message, which may quote bytes of a user that are not UTF-8.
nb::object Text(std::string_view message) {
  return nb::steal(Checked(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace")));
}

// Returns the node in a message that contains "node 'x' ..." or "... {{node x}}".
std::string NodeInMessage(const std::string& message) {
  for (std::string_view mark : {"node '", "{{node "}) {
    const size_t begin = message.find(mark);
    if (begin == std::string::npos) continue;
    const size_t from = begin + mark.size();
    const size_t end = message.find(mark.back() == '\'' ? '\'' : '}', from);
    if (end != std::string::npos) return message.substr(from, end - from);
  }
  return "";
}

}  // namespace

void Raise(PyObject* type, const std::string& message) {
  PyErr_SetObject(type, Text(message).ptr());
  throw PythonError();
}

void RaiseStatus(const Status& status, PyObject* graph) {
  if (PyErr_Occurred()) throw PythonError();
  const nb::object node = Text(NodeInMessage(status.message()));
  const nb::object message = Text(status.message());
  nb::object error = nb::steal(Checked(
      PyObject_CallFunction(TheHooks().status_error, "iOOO", static_cast<int>(status.code()),
                            message.ptr(), node.ptr(), graph ? graph : Py_None)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw PythonError();
}

namespace {

PyObject* TypeOf(const nb::builtin_exception& e) {
  switch (e.type()) {
    case nb::exception_type::stop_iteration: return PyExc_StopIteration;
    case nb::exception_type::index_error: return PyExc_IndexError;
    case nb::exception_type::key_error: return PyExc_KeyError;
    case nb::exception_type::value_error: return PyExc_ValueError;
    case nb::exception_type::attribute_error: return PyExc_AttributeError;
    case nb::exception_type::runtime_error: return PyExc_RuntimeError;
    default: return PyExc_TypeError;
  }
}

void SetErrorOfStatus(const Status& status) {
  try {
    RaiseStatus(status);
  } catch (const PythonError&) {
  } catch (...) {
    PyErr_NoMemory();
  }
}

}  // namespace

void SetErrorOfException() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    Park();
  } catch (const PythonError&) {
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(TypeOf(e), e.what());
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "an argument has the wrong type");
  } catch (...) {
    SetErrorOfStatus(StatusOfException());
  }
}

Status WithoutSourceLine(const Status& status) {
  const std::string& message = status.message();
  const size_t line = message.find(".cc:"), end = message.find(": ", line);
  const bool found = line != std::string::npos && end != std::string::npos &&
                     message.find_first_not_of("0123456789", line + 4) == end;
  return found ? Status(status.code(), message.substr(end + 2)) : status;
}

void RaiseBuildStatus(const Status& status) {
  switch (status.code()) {
    case Code::kInvalidArgument:
    case Code::kOutOfRange:
    case Code::kNotFound: Raise(PyExc_ValueError, status.message());
    case Code::kFailedPrecondition: Raise(PyExc_RuntimeError, status.message());
    default: RaiseStatus(status);
  }
}

}  // namespace ramet::python
