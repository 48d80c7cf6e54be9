#include "core.h"
#include "errors.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// The exception of the last failed call on any thread, with the error message that represents it.
struct LastError {
  std::string message;
  nb::object exception;
};
LastError& TheLastError() {
  static auto* const last = new LastError;
  return *last;
}

// Returns the code that TensorFlow uses for an exception type raised by a function.
Code CodeOf(PyObject* type) {
  auto is = [&](PyObject* base) { return PyErr_GivenExceptionMatches(type, base) != 0; };
  if (is(PyExc_ValueError) || is(PyExc_TypeError)) return Code::kInvalidArgument;
  if (is(PyExc_StopIteration)) return Code::kOutOfRange;
  if (is(PyExc_MemoryError)) return Code::kResourceExhausted;
  if (is(PyExc_NotImplementedError)) return Code::kUnimplemented;
  return Code::kUnknown;
}

// The text of an error contains that of the errors it wraps, so nested runs would double it.
constexpr size_t kMaxErrorBytes = 16 << 10;

std::string Shortened(std::string text) {
  if (text.size() <= kMaxErrorBytes) return text;
  const std::string_view all = text;
  const size_t half = kMaxErrorBytes / 2;
  return StrCat(all.substr(0, half), "\n...\n", all.substr(all.size() - half));
}

// Returns "ValueError: text\n" and the traceback, or less if the exception cannot be printed.
std::string TextOf(nb::handle type, nb::handle value, nb::handle trace) {
  const std::string name = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_name;
  try {
    nb::object format = nb::module_::import_("traceback").attr("format_exception");
    nb::object lines = nb::str("").attr("join")(format(type, value, trace));
    return StrCat(nb::cast<std::string>(type.attr("__name__")), ": ",
                  Shortened(nb::cast<std::string>(nb::str(value))), "\n",
                  Shortened(nb::cast<std::string>(lines)));
  } catch (...) {
    SetErrorOfException();
    PyErr_Clear();
    return name;
  }
}

Status TakeException() {
  // Ctrl-C is handled by the program, not by the graph.
  if (Call* const call = Call::Current();
      call != nullptr && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    call->TakeException();
    return Cancelled("a host function was interrupted");
  }
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  nb::object held_type = Take(type), held = Take(value);
  nb::object held_trace = trace ? Take(trace) : nb::none();
  std::string message = TextOf(held_type, held, held_trace);
  TheLastError() = {message, held};
  return Status(CodeOf(held_type.ptr()), message);
}

Tensor OwnTensor(nb::handle value) {
  Tensor t = FromArray(value.ptr(), DType::kInvalid, false);
  return t.empty() ? FromValue(value.ptr(), DType::kInvalid, DType::kInvalid) : t;
}

// Calls fn(arrays), which returns a list of arrays. The op checks their number and dtypes.
StatusOr<std::vector<Tensor>> CallPython(const std::shared_ptr<nb::object>& fn,
                                         std::span<const Tensor> inputs) {
  const GilAcquire gil;
  if (!gil) return Cancelled("the Python interpreter has ended");
  const PythonSection section;
  try {
    nb::list arrays;
    for (const Tensor& t : inputs) arrays.append(Take(WrapTensor(t)));
    nb::object made = Take(Checked(PyObject_CallOneArg(fn->ptr(), arrays.ptr())));
    std::vector<Tensor> outputs;
    for (nb::handle value : made) {
      outputs.push_back(OwnTensor(value));
      if (outputs.back().empty()) {
        return InvalidArgument("a function returned ", Py_TYPE(value.ptr())->tp_name,
                               ", which is not an array, number, text or list of these");
      }
    }
    return outputs;
  } catch (...) {
    SetErrorOfException();
    return TakeException();
  }
}

}  // namespace

void BindHostFunctions(nb::module_& m) {
  m.def("register_host_function", [](const std::string& token, nb::object fn) {
    Check(
        RegisterHostFunction(token, [held = Share(std::move(fn))](std::span<const Tensor> inputs) {
          return CallPython(held, inputs);
        }));
  });
  m.def("unregister_host_function",
        [](const std::string& token) { return UnregisterHostFunction(token); });
  // Returns the exception for an error message that contains its text, or None.
  m.def("host_function_error", [](const std::string& message) -> nb::object {
    LastError& last = TheLastError();
    if (!last.exception.is_valid() || message.find(last.message) == std::string::npos)
      return nb::none();
    nb::object found = std::move(last.exception);
    last = {};
    return found;
  });
}

}  // namespace ramet::python
