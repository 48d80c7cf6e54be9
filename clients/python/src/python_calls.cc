#include <cxxabi.h>

#include <array>
#include <cstdarg>
#include <string>
#include <string_view>

#include "core.h"
#include "gil.h"

// Wrappers of the C API functions that may run Python code. The linker replaces this module's calls
// of each function by the wrapper here (CMakeLists.txt reads the names from this file). Python code
// may release the GIL. A thread that wants it back after the interpreter has ended is unwound by
// pthread_exit; it is parked here before the unwinding reaches a C++ frame. PyErr_SetString is
// wrapped as well, for the texts of nanobind's errors.

namespace ramet::python {
namespace {

template <class Fn>
auto ParkIfUnwound(Fn fn) {
  try {
    return fn();
  } catch (const abi::__forced_unwind&) {
    Park();
  }
}

PyObject* CallWithTuple(PyObject* callable, PyObject* arguments) {
  if (arguments == nullptr) return nullptr;
  PyObject* const result = PyObject_CallObject(callable, arguments);
  Py_DECREF(arguments);
  return result;
}

// Builds arguments like PyObject_CallFunction: a format with a single unit may create a tuple.
PyObject* BuildArguments(const char* format, va_list values) {
  if (format == nullptr || *format == '\0') return PyTuple_New(0);
  PyObject* const built = Py_VaBuildValue(format, values);
  if (built == nullptr || PyTuple_CheckExact(built)) return built;
  PyObject* const tuple = PyTuple_Pack(1, built);
  Py_DECREF(built);
  return tuple;
}

// Returns nanobind's text of an error in the words of Python's own, which do not speak of C++.
std::string InPythonsWords(std::string text) {
  constexpr std::string_view kFound =
      "incompatible function arguments. The following argument types are supported:";
  if (const size_t at = text.find(kFound); at != std::string::npos) {
    text.replace(at, kFound.size(), "these arguments do not fit. It takes:");
  }
  return text;
}

}  // namespace
}  // namespace ramet::python

using ramet::python::BuildArguments;
using ramet::python::CallWithTuple;
using ramet::python::InPythonsWords;
using ramet::python::ParkIfUnwound;

extern "C" {

#define RAMET_CALL_1(result, name, A)                       \
  result __real_##name(A);                                  \
  result __wrap_##name(A a) {                               \
    return ParkIfUnwound([&] { return __real_##name(a); }); \
  }
#define RAMET_CALL_2(result, name, A, B)                       \
  result __real_##name(A, B);                                  \
  result __wrap_##name(A a, B b) {                             \
    return ParkIfUnwound([&] { return __real_##name(a, b); }); \
  }
#define RAMET_CALL_3(result, name, A, B, C)                       \
  result __real_##name(A, B, C);                                  \
  result __wrap_##name(A a, B b, C c) {                           \
    return ParkIfUnwound([&] { return __real_##name(a, b, c); }); \
  }
#define RAMET_CALL_4(result, name, A, B, C, D)                       \
  result __real_##name(A, B, C, D);                                  \
  result __wrap_##name(A a, B b, C c, D d) {                         \
    return ParkIfUnwound([&] { return __real_##name(a, b, c, d); }); \
  }

using Arguments = PyObject* const*;
using ObjectPointer = PyObject**;

RAMET_CALL_1(PyObject*, PyObject_CallNoArgs, PyObject*)
RAMET_CALL_2(PyObject*, PyObject_CallOneArg, PyObject*, PyObject*)
RAMET_CALL_2(PyObject*, PyObject_CallObject, PyObject*, PyObject*)
RAMET_CALL_4(PyObject*, PyObject_Vectorcall, PyObject*, Arguments, size_t, PyObject*)
RAMET_CALL_4(PyObject*, PyObject_VectorcallMethod, PyObject*, Arguments, size_t, PyObject*)
RAMET_CALL_3(PyObject*, PyVectorcall_Call, PyObject*, PyObject*, PyObject*)
RAMET_CALL_2(PyObject*, PyObject_GetAttr, PyObject*, PyObject*)
RAMET_CALL_2(PyObject*, PyObject_GetAttrString, PyObject*, const char*)
RAMET_CALL_2(int, PyObject_HasAttr, PyObject*, PyObject*)
RAMET_CALL_3(int, PyObject_SetAttr, PyObject*, PyObject*, PyObject*)
RAMET_CALL_3(int, PyObject_SetAttrString, PyObject*, const char*, PyObject*)
RAMET_CALL_2(PyObject*, PyObject_GetItem, PyObject*, PyObject*)
RAMET_CALL_3(int, PyObject_SetItem, PyObject*, PyObject*, PyObject*)
RAMET_CALL_2(int, PyObject_DelItem, PyObject*, PyObject*)
RAMET_CALL_1(PyObject*, PyObject_GetIter, PyObject*)
RAMET_CALL_1(PyObject*, PyIter_Next, PyObject*)
RAMET_CALL_1(int, PyObject_IsTrue, PyObject*)
RAMET_CALL_1(PyObject*, PyObject_Repr, PyObject*)
RAMET_CALL_1(PyObject*, PyObject_Str, PyObject*)
RAMET_CALL_3(int, PyObject_RichCompareBool, PyObject*, PyObject*, int)
RAMET_CALL_2(Py_ssize_t, PyObject_LengthHint, PyObject*, Py_ssize_t)
RAMET_CALL_1(PyObject*, PyNumber_Index, PyObject*)
RAMET_CALL_1(PyObject*, PyNumber_Long, PyObject*)
RAMET_CALL_1(double, PyFloat_AsDouble, PyObject*)
RAMET_CALL_1(Py_complex, PyComplex_AsCComplex, PyObject*)
RAMET_CALL_1(long long, PyLong_AsLongLong, PyObject*)
RAMET_CALL_2(int, PySequence_Contains, PyObject*, PyObject*)
RAMET_CALL_2(PyObject*, PySequence_Fast, PyObject*, const char*)
RAMET_CALL_2(PyObject*, PySequence_GetItem, PyObject*, Py_ssize_t)
RAMET_CALL_1(Py_ssize_t, PySequence_Size, PyObject*)
RAMET_CALL_1(PyObject*, PySequence_Tuple, PyObject*)
RAMET_CALL_1(PyObject*, PyMapping_Items, PyObject*)
RAMET_CALL_2(PyObject*, PyDict_GetItemWithError, PyObject*, PyObject*)
RAMET_CALL_2(int, PyDict_Contains, PyObject*, PyObject*)
RAMET_CALL_3(int, PyDict_SetItem, PyObject*, PyObject*, PyObject*)
RAMET_CALL_2(int, PyDict_DelItem, PyObject*, PyObject*)
RAMET_CALL_3(void, PyErr_NormalizeException, ObjectPointer, ObjectPointer, ObjectPointer)
RAMET_CALL_1(void, PyErr_WriteUnraisable, PyObject*)
RAMET_CALL_1(PyObject*, PyImport_ImportModule, const char*)
RAMET_CALL_1(void, _Py_Dealloc, PyObject*)

// Functions with "#" in their formats have the names that PY_SSIZE_T_CLEAN defines.
PyObject* __wrap__PyObject_CallFunction_SizeT(PyObject* callable, const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyObject* const arguments = BuildArguments(format, values);
  va_end(values);
  return CallWithTuple(callable, arguments);
}

PyObject* __wrap__PyObject_CallMethod_SizeT(PyObject* object, const char* name, const char* format,
                                            ...) {
  PyObject* const method = PyObject_GetAttrString(object, name);
  if (method == nullptr) return nullptr;
  va_list values;
  va_start(values, format);
  PyObject* const arguments = BuildArguments(format, values);
  va_end(values);
  PyObject* const result = CallWithTuple(method, arguments);
  Py_DECREF(method);
  return result;
}

PyObject* __wrap_PyObject_CallFunctionObjArgs(PyObject* callable, ...) {
  constexpr size_t kMaxArguments = 8;
  std::array<PyObject*, kMaxArguments> arguments;
  size_t count = 0;
  va_list values;
  va_start(values, callable);
  for (PyObject* value = va_arg(values, PyObject*); value != nullptr && count < kMaxArguments;
       value = va_arg(values, PyObject*)) {
    arguments[count++] = value;
  }
  va_end(values);
  return PyObject_Vectorcall(callable, arguments.data(), count, nullptr);
}

void __real_PyErr_SetString(PyObject* type, const char* text);
void __wrap_PyErr_SetString(PyObject* type, const char* text) {
  if (type != PyExc_TypeError) return __real_PyErr_SetString(type, text);
  __real_PyErr_SetString(type, InPythonsWords(text).c_str());
}

}  // extern "C"
