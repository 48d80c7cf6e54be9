#include "core.h"

namespace ramet::python {

Hooks& TheHooks() {
  static Hooks* const hooks = new Hooks;
  return *hooks;
}

void Raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw PythonError();
}

namespace {

// The node that a message is about: "node 'x' ..." or "... {{node x}}".
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

void RaiseStatus(const Status& status, PyObject* graph) {
  if (PyErr_Occurred()) throw PythonError();
  const std::string node = NodeInMessage(status.message());
  nb::object error = nb::steal(Checked(
      PyObject_CallFunction(TheHooks().status_error, "is#s#O", static_cast<int>(status.code()),
                            status.message().data(), Py_ssize_t(status.message().size()),
                            node.data(), Py_ssize_t(node.size()), graph ? graph : Py_None)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw PythonError();
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
