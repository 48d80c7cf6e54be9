#include "eager.h"
#include "interrupt.h"

#include <cctype>

namespace ramet::python {
namespace {

// Calls with fewer elements keep the GIL: they end sooner than another thread would take it.
constexpr int64_t kMinElementsWithoutGil = 4096;

constexpr size_t kMaxRemembered = 64;  // per op; a program with more kinds of calls starts again

// How a call passed one parameter.
struct RememberedValue {
  // kTensor: an EagerTensor. kTensors: a list of them. kNumber: a Python number for a tensor of
  // `dtypes[0]`. kAttr: a value equal to `attr`, which is null if the parameter was not given.
  enum class Kind { kTensor, kTensors, kNumber, kAttr } kind = Kind::kAttr;
  std::vector<DType> dtypes;
  PyTypeObject* number_type = nullptr;
  nb::object attr;
};

// Reports whether a value can be kept and compared: it does not change, and equal values of the
// same type mean the same.
bool IsComparable(PyObject* value) {
  if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) ||
      PyFloat_CheckExact(value) || PyUnicode_CheckExact(value) || PyBytes_CheckExact(value)) {
    return true;
  }
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(value, i);
      if (PyTuple_Check(item) || PyList_Check(item) || !IsComparable(item)) return false;
    }
    return true;
  }
  return false;
}

// Reports whether the value is one of the DTypes that Python's half registered.
bool IsDTypeObject(PyObject* value) {
  PyObject* all = TheHooks().dtypes;
  PyObject* known = PyList_GET_SIZE(all) > 1 ? PyList_GET_ITEM(all, 1) : nullptr;
  return known != nullptr && Py_TYPE(known) == Py_TYPE(value);
}

// Compares values for which IsComparable holds.
bool Same(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyTuple_CheckExact(a) || PyList_CheckExact(a)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(a);
    if (PySequence_Fast_GET_SIZE(b) != n) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!Same(PySequence_Fast_GET_ITEM(a, i), PySequence_Fast_GET_ITEM(b, i))) return false;
    }
    return true;
  }
  if (!IsComparable(a)) return false;
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

bool IsNumber(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value);
}

// Collects the values of EagerTensors.
class Arguments {
 public:
  void Add(const EagerValue& value) { values_.push_back(value); }
  bool AddTensor(PyObject* value, DType dtype) {
    const EagerValue* eager = AsEager(value);
    if (eager == nullptr || eager->dtype() != dtype) return false;
    values_.push_back(*eager);
    return true;
  }
  bool AddTensors(PyObject* list, const std::vector<DType>& dtypes) {
    if (!PyList_CheckExact(list) && !PyTuple_CheckExact(list)) return false;
    const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(list));
    if (n != dtypes.size()) return false;
    for (size_t i = 0; i < n; ++i) {
      if (!AddTensor(PySequence_Fast_GET_ITEM(list, i), dtypes[i])) return false;
    }
    return true;
  }
  // Numbers that do not fit the dtype are left to the conversion, which explains the error.
  bool AddNumber(PyObject* value, const RememberedValue& like) {
    if (Py_TYPE(value) != like.number_type) return false;
    const DType dtype = like.dtypes[0];
    if (PyLong_CheckExact(value) && !IntegerFits(value, dtype)) return false;
    values_.emplace_back(FromValue(value, dtype, DType::kInvalid));
    return true;
  }
  std::span<const EagerValue> values() const { return values_; }
  void clear() { values_.clear(); }

 private:
  std::vector<EagerValue> values_;
};

bool MustReleaseGil(const EagerCall& call, std::span<const EagerValue> args) {
  if (call.may_block) return true;
  int64_t elements = 0;
  for (const EagerValue& arg : args) {
    if (arg.value.variable == nullptr) elements += arg.value.tensor.num_elements();
  }
  return elements >= kMinElementsWithoutGil;
}

// Returns the name that TensorFlow's wrapper of an op has: "variable_v2" for VariableV2.
std::string SnakeCase(const std::string& type) {
  std::string name;
  for (size_t i = 0; i < type.size(); ++i) {
    const auto is = [&](size_t k, int (*kind)(int)) {
      return k < type.size() && kind(static_cast<unsigned char>(type[k])) != 0;
    };
    const bool begins =
        i > 0 && is(i, std::isupper) && (!is(i - 1, std::isupper) || is(i + 1, std::islower));
    if (begins) name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(type[i])));
  }
  return name;
}

// Turns the error of a step into that of an eager operation.
[[noreturn]] void RaiseOpError(const Status& status, const Operation& op) {
  if (PyErr_Occurred()) throw PythonError();
  std::string message = status.message();
  message.resize(std::min(message.find("\n\t [[{{node "), message.size()));
  RaiseStatus(Status(status.code(), StrCat(message, " [Op:", op.type(), "] name: ")));
}

}  // namespace

// The calls of one op that were remembered, with the device and the state of the context that they
// belong to.
struct RememberedCalls {
  struct Entry {
    std::vector<RememberedValue> values;
    std::string device;
    EagerCall call;
  };
  int64_t generation = 0;
  std::vector<Entry> entries;
};

EagerArguments::EagerArguments(const Signature& signature, PyObject* const* values)
    : values_(values) {
  auto* const variable_class = reinterpret_cast<PyTypeObject*>(TheHooks().eager_variable_class);
  if (variable_class == nullptr) return;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const ArgSchema* input = signature.parameters[i].input;
    if (input == nullptr || input->type == DType::kResource) continue;
    if (Py_TYPE(values[i]) != variable_class) continue;
    if (read_.empty()) read_.assign(values, values + signature.parameters.size() + 1);
    held_.push_back(Take(Checked(PyObject_CallMethod(values[i], "value", nullptr))));
    read_[i] = held_.back().ptr();
  }
}

void CheckEager(const OpSchema& schema) {
  for (const std::vector<ArgSchema>* side : {&schema.inputs, &schema.outputs}) {
    for (const ArgSchema& arg : *side) {
      if (!arg.is_ref) continue;
      Raise(PyExc_RuntimeError,
            StrCat(SnakeCase(schema.name), " op does not support eager execution. Arg '", arg.name,
                   "' is a ref."));
    }
  }
}

void RaiseWrongType(const std::string& op, size_t input, DType wanted, DType found) {
  RaiseStatus(InvalidArgument(
      "cannot compute ", op, " as input #", input, "(zero-based) was expected to be a ",
      DTypeName(wanted), " tensor but is a ", DTypeName(found), " tensor [Op:", op, "] name: "));
}

void RaiseNotAllowed(const AttrSchema& attr, DType type) {
  std::string allowed;
  for (DType t : attr.allowed_types) allowed += StrCat(allowed.empty() ? "" : ", ", DTypeName(t));
  RaiseStatus(InvalidArgument("Value for attr '", attr.name, "' of ", DTypeName(type),
                              " is not in the list of allowed values: ", allowed));
}

PyObject* EagerConstant(const AttrMap& attrs) {
  return Wrap(EagerValue(Value(attrs.Get<Tensor>("value"))));
}

EagerCall CompileCall(PyGraph* graph, const std::string& op, AttrMap attrs,
                      std::span<const EagerValue> args) {
  EagerOpSpec spec{op, std::move(attrs), {}, graph->eager_device};
  for (const EagerValue& arg : args) spec.input_types.push_back(arg.dtype());
  auto function = TheEagerContext().FunctionFor(spec);
  if (!function.ok()) RaiseBuildStatus(function.status());
  const Op& known = OperationOf(**function).op();
  return {*std::move(function), known.calls_program() || known.schema().is_stateful};
}

void EagerCall::Run(std::span<const EagerValue> args, std::span<EagerValue> results) const {
  EagerContext& context = TheEagerContext();
  const auto run = [&] { return context.Execute(function, args, results); };
  const Status status = MustReleaseGil(*this, args) ? WithoutGil(run) : run();
  if (!status.ok()) RaiseOpError(status, OperationOf(*function));
}

nb::list EagerCall::RunAll(std::span<const EagerValue> args) const {
  std::vector<EagerValue> results(NumResultsOf(*function));
  Run(args, results);
  nb::list wrapped;
  for (EagerValue& result : results) wrapped.append(Take(Wrap(std::move(result))));
  return wrapped;
}

void RememberCall(const Signature& signature, PyObject* const* values,
                  std::span<const EagerValue> args, const EagerCall& call) {
  const OpSchema& schema = signature.op->schema();
  if (schema.outputs.size() != 1 || IsList(schema.outputs[0])) return;
  RememberedCalls::Entry entry{{}, DefaultGraph()->eager_device, call};
  size_t next = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    RememberedValue& kept = entry.values.emplace_back();
    PyObject* value = values[i];
    if (signature.parameters[i].input == nullptr) {
      if (value && !IsComparable(value) && !IsDTypeObject(value)) return;
      kept.attr = PyList_CheckExact(value ? value : Py_None)
                      ? Take(Checked(PyList_GetSlice(value, 0, PyList_GET_SIZE(value))))
                      : nb::borrow(value);
      continue;
    }
    using Kind = RememberedValue::Kind;
    const bool list = IsList(*signature.parameters[i].input);
    const size_t n = list ? static_cast<size_t>(PySequence_Size(value)) : 1;
    const bool number = !list && IsNumber(value);
    if (!list && !number && AsEager(value) == nullptr) return;
    kept.kind = list ? Kind::kTensors : number ? Kind::kNumber : Kind::kTensor;
    kept.number_type = number ? Py_TYPE(value) : nullptr;
    for (size_t k = 0; k < n; ++k) kept.dtypes.push_back(args[next++].dtype());
  }
  auto& known = const_cast<Signature&>(signature).remembered;
  if (known == nullptr) known = std::make_shared<RememberedCalls>();
  const int64_t generation = TheEagerContext().generation();
  if (known->generation != generation || known->entries.size() >= kMaxRemembered) {
    known->entries.clear();
    known->generation = generation;
  }
  known->entries.push_back(std::move(entry));
}

namespace {

// Collects the arguments if they are of the kinds of the entry.
bool Fits(const RememberedCalls::Entry& entry, PyObject* const* values, Arguments* arguments) {
  using Kind = RememberedValue::Kind;
  arguments->clear();
  for (size_t i = 0; i < entry.values.size(); ++i) {
    const RememberedValue& like = entry.values[i];
    bool fits = false;
    switch (like.kind) {
      case Kind::kTensor: fits = arguments->AddTensor(values[i], like.dtypes[0]); break;
      case Kind::kTensors: fits = arguments->AddTensors(values[i], like.dtypes); break;
      case Kind::kNumber: fits = arguments->AddNumber(values[i], like); break;
      case Kind::kAttr: fits = Same(like.attr.ptr(), values[i]); break;
    }
    if (!fits) return false;
  }
  return true;
}

}  // namespace

PyObject* RunRemembered(const Signature& signature, PyObject* const* values) {
  RememberedCalls* known = signature.remembered.get();
  if (known == nullptr) return nullptr;
  PyGraph* graph = DefaultGraph();
  if (!graph->eager || known->generation != TheEagerContext().generation()) return nullptr;
  Arguments arguments;
  for (const RememberedCalls::Entry& entry : known->entries) {
    if (entry.device != graph->eager_device || !Fits(entry, values, &arguments)) continue;
    const EagerCall call = entry.call;  // the call may change the entries
    EagerValue result;
    call.Run(arguments.values(), {&result, 1});
    return Wrap(std::move(result));
  }
  return nullptr;
}

}  // namespace ramet::python
