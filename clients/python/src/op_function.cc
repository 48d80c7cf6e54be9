#include "core.h"

#include <structmember.h>

namespace ramet::python {
namespace {

nb::object Take(PyObject* object) { return nb::steal(object); }

// One parameter of an op's wrapper: an input, or an attr that the inputs do not state.
struct Parameter {
  PyObject* name;  // interned
  const ArgSchema* input = nullptr;
  const AttrSchema* attr = nullptr;
};

// How an op is called: the inputs in order, then the attrs without a default, then those with one
// (the rule of TensorFlow's generated wrappers), then name.
struct Signature {
  const Op* op;
  std::vector<Parameter> parameters;
  size_t required = 0;  // parameters without a default
  PyObject* result_class = nullptr;
};

bool IsList(const ArgSchema& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

bool IsInferred(const OpSchema& schema, const std::string& attr) {
  return std::ranges::any_of(schema.inputs, [&](const ArgSchema& arg) {
    return arg.type_attr == attr || arg.number_attr == attr || arg.type_list_attr == attr;
  });
}

PyObject* Interned(const std::string& text) {
  return Checked(PyUnicode_InternFromString(text.c_str()));
}

using Renames = std::unordered_map<std::string, std::string>;

Signature MakeSignature(const Op& op, const Renames& renames) {
  Signature s{&op, {}, 0, nullptr};
  auto name_of = [&](const std::string& own) {
    auto it = renames.find(own);
    return Interned(it == renames.end() ? own : it->second);
  };
  const OpSchema& schema = op.schema();
  for (const ArgSchema& arg : schema.inputs) s.parameters.push_back({name_of(arg.name), &arg});
  for (bool with_default : {false, true}) {
    for (const AttrSchema& attr : schema.attrs) {
      if (attr.has_default != with_default || IsInferred(schema, attr.name)) continue;
      s.parameters.push_back({name_of(attr.name), nullptr, &attr});
    }
    if (!with_default) s.required = s.parameters.size();
  }
  return s;
}

std::string PublicName(DType t) {
  nb::object dtype = Take(WrapDType(t));
  return nb::cast<std::string>(dtype.attr("name"));
}

std::string Repr(PyObject* value) {
  return nb::cast<std::string>(Take(Checked(PyObject_Repr(value))));
}

// Gives back the name scope that was open when it goes.
class OpenScope {
 public:
  OpenScope(PyGraph* graph, const std::string& inside)
      : state_(graph->build_state()), saved_(std::exchange(state_.name_stack, inside)) {}
  ~OpenScope() { state_.name_stack = std::move(saved_); }

 private:
  BuildState& state_;
  std::string saved_;
};

// Whether an object is a plain value that belongs to no graph.
bool IsPlain(PyObject* value) {
  return value == Py_None || PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
         IsText(value) || PyBool_Check(value) || IsArray(value) || IsNumpyScalar(value);
}

// The graph of a tensor or of what stands for one (a Variable); nullptr for other values.
PyGraph* GraphOfValue(PyObject* value) {
  if (const PyTensor* t = AsTensor(value)) return t->graph;
  if (const PyOperation* op = AsOperation(value)) return op->graph;
  if (IsPlain(value) || PyDict_Check(value)) return nullptr;
  if (PyList_Check(value) || PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(value); i < n; ++i) {
      if (PyGraph* g = GraphOfValue(PySequence_Fast_GET_ITEM(value, i))) return g;
    }
    return nullptr;
  }
  nb::object element = Take(Checked(PyObject_CallOneArg(TheHooks().graph_element, value)));
  const PyTensor* t = AsTensor(element.ptr());
  return t ? t->graph : nullptr;
}

// One call of an op's wrapper.
class Call {
 public:
  Call(const Signature& signature, PyObject* const* values, PyObject* name)
      : s_(signature), schema_(signature.op->schema()), values_(values), name_(name) {}

  PyObject* Run() {
    FindGraph();
    graph_->UseThread();
    const std::string given = name_ && name_ != Py_None ? ToText(name_) : signature_name();
    std::string full =
        given.ends_with('/') ? given.substr(0, given.size() - 1) : graph_->UniqueName(given);
    GivenTypes();
    {
      OpenScope scope(graph_, full);
      ConvertInputs();
    }
    ConvertAttrs();
    Operation op = CreateOp(graph_, schema_.name, inputs_, std::move(attrs_), full + "/");
    return Results(op);
  }

 private:
  const std::string& signature_name() const { return schema_.name; }

  void FindGraph() {
    PyObject* first = nullptr;
    for (size_t i = 0; i < s_.parameters.size(); ++i) {
      if (s_.parameters[i].input == nullptr || values_[i] == nullptr) continue;
      PyGraph* g = GraphOfValue(values_[i]);
      if (g == nullptr) continue;
      if (graph_ == nullptr) {
        graph_ = g;
        first = values_[i];
      } else if (graph_ != g) {
        RaiseValueError(Repr(values_[i]), " must be from the same graph as ", Repr(first), ".");
      }
    }
    if (graph_ == nullptr) graph_ = DefaultGraph();
  }

  // Types that the caller states decide before the inputs do.
  void GivenTypes() {
    for (size_t i = 0; i < s_.parameters.size(); ++i) {
      const Parameter& p = s_.parameters[i];
      if (p.attr == nullptr || values_[i] == nullptr || values_[i] == Py_None) continue;
      if (p.attr->type == "type") attrs_.Set(p.attr->name, ToDType(values_[i]));
    }
  }

  DType Bound(const std::string& attr) const {
    const Attr* found = attr.empty() ? nullptr : attrs_.Find(attr);
    const DType* type = found ? found->get<DType>() : nullptr;
    return type ? *type : DType::kInvalid;
  }

  DType DefaultOf(const std::string& attr) const {
    const AttrSchema* a = attr.empty() ? nullptr : schema_.FindAttr(attr);
    const DType* type = a && a->has_default ? a->default_value.get<DType>() : nullptr;
    return type ? *type : DType::kInvalid;
  }

  void ConvertInputs() {
    for (size_t i = 0; i < s_.parameters.size(); ++i) {
      if (const ArgSchema* arg = s_.parameters[i].input) {
        parameter_ = i;
        IsList(*arg) ? ConvertList(*arg, values_[i]) : ConvertOne(*arg, values_[i]);
      }
    }
  }

  void ConvertOne(const ArgSchema& arg, PyObject* value) {
    DType want = arg.type != DType::kInvalid ? arg.type : Bound(arg.type_attr);
    DType preferred = want == DType::kInvalid ? DefaultOf(arg.type_attr) : DType::kInvalid;
    Output tensor;
    try {
      tensor = ConvertToTensor(graph_, value, want, arg.name, arg.is_ref, DType::kInvalid);
      if (preferred != DType::kInvalid && !Allows(arg.type_attr, BaseType(tensor.dtype())) &&
          AsTensor(value) == nullptr) {
        tensor = ConvertToTensor(graph_, value, preferred, arg.name, arg.is_ref, DType::kInvalid);
      }
    } catch (const PythonError&) {
      ExplainFailure(arg, value, want);
    }
    inputs_.push_back(tensor);
    const DType type = BaseType(tensor.dtype());
    if (!arg.type_attr.empty()) BindType(arg, type, want == DType::kInvalid);
  }

  bool Allows(const std::string& type_attr, DType type) const {
    const AttrSchema* attr = schema_.FindAttr(type_attr);
    return attr == nullptr || attr->allowed_types.empty() ||
           std::ranges::count(attr->allowed_types, type) > 0;
  }

  void BindType(const ArgSchema& arg, DType type, bool fresh) {
    if (fresh) {
      attrs_.Set(arg.type_attr, type);
      inferred_from_[arg.type_attr] = arg.name;
    }
    const AttrSchema* attr = schema_.FindAttr(arg.type_attr);
    if (attr == nullptr || attr->allowed_types.empty()) return;
    if (std::ranges::count(attr->allowed_types, type) > 0) return;
    std::string allowed;
    for (DType t : attr->allowed_types)
      allowed += StrCat(allowed.empty() ? "" : ", ", PublicName(t));
    RaiseTypeError("Value passed to parameter '", ParameterName(), "' has DataType ",
                   PublicName(type), " not in list of allowed values: ", allowed);
  }

  // Turns the error of a conversion into the one that names the parameter.
  [[noreturn]] void ExplainFailure(const ArgSchema& arg, PyObject* value, DType want) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      if (want == DType::kInvalid) throw PythonError();
      const std::string error = TakeMessage();
      RaiseTypeError("Expected ", PublicName(want), " passed to parameter '", ParameterName(),
                     "' of op '", schema_.name, "', got ", Repr(value), " of type '",
                     Py_TYPE(value)->tp_name, "' instead. Error: ", error);
    }
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw PythonError();
    const std::string error = TakeMessage();
    DType observed;
    try {
      observed =
          ConvertToTensor(graph_, value, DType::kInvalid, "", arg.is_ref, DType::kInvalid).dtype();
    } catch (const PythonError&) {
      if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw;
      PyErr_Clear();
      RaiseValueError("Tried to convert '", ParameterName(),
                      "' to a tensor and failed. Error: ", error);
    }
    const std::string prefix =
        StrCat("Input '", ParameterName(), "' of '", schema_.name, "' Op has type ",
               PublicName(observed), " that does not match");
    if (arg.type != DType::kInvalid) {
      RaiseTypeError(prefix, " expected type of ", PublicName(want), ".");
    }
    auto from = inferred_from_.find(arg.type_attr);
    RaiseTypeError(prefix, " type ", PublicName(want), " of argument '",
                   from == inferred_from_.end() ? arg.type_attr : from->second, "'.");
  }

  std::string TakeMessage() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    nb::object held_type = Take(type), held_value = Take(value);
    if (trace) Py_DECREF(trace);
    nb::object text = Take(Checked(PyObject_Str(held_value.ptr())));
    return nb::cast<std::string>(text);
  }

  std::string ParameterName() const {
    return nb::cast<std::string>(nb::handle(s_.parameters[parameter_].name));
  }

  void ConvertList(const ArgSchema& arg, PyObject* value) {
    if (!PyList_Check(value) && !PyTuple_Check(value)) {
      nb::object text = Take(Checked(PyObject_Str(value)));
      RaiseTypeError("Expected list for '", ParameterName(), "' argument to '", schema_.name,
                     "' Op, not ", nb::cast<std::string>(text), ".");
    }
    nb::object items = Take(Checked(PySequence_Tuple(value)));
    const Py_ssize_t n = PyTuple_GET_SIZE(items.ptr());
    DType want = ListType(arg, items.ptr());
    const DType preferred = want == DType::kInvalid && !arg.type_attr.empty()
                                ? DefaultOf(arg.type_attr)
                                : DType::kInvalid;
    const bool fresh = Bound(arg.type_attr) == DType::kInvalid;
    std::vector<DType> types;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PyTuple_GET_ITEM(items.ptr(), i);
      Output tensor;
      try {
        tensor = ConvertToTensor(graph_, item, ItemType(arg, i, want), StrCat(arg.name, "_", i),
                                 arg.is_ref, preferred);
      } catch (const PythonError&) {
        ExplainList(arg, items.ptr(), want, fresh);
      }
      inputs_.push_back(tensor);
      types.push_back(BaseType(tensor.dtype()));
      if (!arg.type_attr.empty() && types.back() != types.front()) {
        ExplainList(arg, items.ptr(), DType::kInvalid, fresh);
      }
    }
    if (!arg.type_list_attr.empty()) {
      attrs_.Set(arg.type_list_attr, types);
      return;
    }
    BindNumber(arg, n);
    if (n > 0 && !arg.type_attr.empty()) BindType(arg, types[0], fresh);
    if (n == 0 && fresh && preferred != DType::kInvalid) attrs_.Set(arg.type_attr, preferred);
  }

  // The dtype that a list's items must have: given, bound, or that of the first tensor in it.
  DType ListType(const ArgSchema& arg, PyObject* items) const {
    if (arg.type != DType::kInvalid) return arg.type;
    if (arg.type_attr.empty()) return DType::kInvalid;
    DType type = Bound(arg.type_attr);
    for (Py_ssize_t i = 0; type == DType::kInvalid && i < PyTuple_GET_SIZE(items); ++i) {
      if (const PyTensor* t = AsTensor(PyTuple_GET_ITEM(items, i))) {
        type = BaseType(t->output().dtype());
      }
    }
    return type;
  }

  DType ItemType(const ArgSchema& arg, Py_ssize_t i, DType want) const {
    if (arg.type_list_attr.empty())
      return want == DType::kInvalid && i > 0 ? BaseType(inputs_.back().dtype()) : want;
    const Attr* given = attrs_.Find(arg.type_list_attr);
    const auto* types = given ? given->get<std::vector<DType>>() : nullptr;
    return types && i < static_cast<Py_ssize_t>(types->size()) ? (*types)[i] : DType::kInvalid;
  }

  void BindNumber(const ArgSchema& arg, Py_ssize_t n) {
    const AttrSchema* attr = schema_.FindAttr(arg.number_attr);
    if (const Attr* bound = attrs_.Find(arg.number_attr)) {
      const int64_t expected = *bound->get<int64_t>();
      if (expected != n) {
        RaiseValueError("List argument '", ParameterName(), "' to '", schema_.name,
                        "' Op with length ", n, " must match length ", expected, " of argument '",
                        inferred_from_[arg.number_attr], "'.");
      }
      return;
    }
    if (attr && attr->has_minimum && n < attr->minimum) {
      RaiseValueError("List argument '", ParameterName(), "' to '", schema_.name,
                      "' Op with length ", n, " shorter than minimum length ", attr->minimum, ".");
    }
    attrs_.Set(arg.number_attr, int64_t{n});
    inferred_from_[arg.number_attr] = ParameterName();
  }

  [[noreturn]] void ExplainList(const ArgSchema& arg, PyObject* items, DType want, bool fresh) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
      throw PythonError();
    }
    PyErr_Clear();
    std::string seen;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i) {
      std::string type = "<NOT CONVERTIBLE TO TENSOR>";
      try {
        type = PublicName(BaseType(ConvertToTensor(graph_, PyTuple_GET_ITEM(items, i),
                                                   DType::kInvalid, "", arg.is_ref, DType::kInvalid)
                                       .dtype()));
      } catch (const PythonError&) {
        PyErr_Clear();
      }
      seen += StrCat(seen.empty() ? "" : ", ", type);
    }
    const std::string prefix = StrCat("Tensors in list passed to '", ParameterName(), "' of '",
                                      schema_.name, "' Op have types [", seen, "]");
    if (!arg.type_list_attr.empty())
      RaiseTypeError(prefix, " that are invalid. Tensors: ", Repr(items));
    if (arg.type != DType::kInvalid) {
      RaiseTypeError(prefix, " that do not match expected type ", PublicName(arg.type), ".");
    }
    if (!fresh) {
      RaiseTypeError(prefix, " that do not match type ",
                     PublicName(want != DType::kInvalid ? want : Bound(arg.type_attr)),
                     " inferred from earlier arguments.");
    }
    RaiseTypeError(prefix, " that don't all match.");
  }

  void ConvertAttrs() {
    for (size_t i = 0; i < s_.parameters.size(); ++i) {
      const AttrSchema* attr = s_.parameters[i].attr;
      if (attr == nullptr) continue;
      if (values_[i] == nullptr || (values_[i] == Py_None && attr->type != "shape")) {
        if (attr->has_default || values_[i] == nullptr) continue;
      }
      if (values_[i] == Py_None && attr->has_default) continue;
      attrs_.Set(attr->name, ToAttr(values_[i], *attr, schema_.name));
    }
  }

  PyObject* Results(const Operation& op) {
    if (schema_.outputs.empty()) return Wrap(op);
    if (schema_.outputs.size() == 1 && !IsList(schema_.outputs[0])) return Wrap(op.output(0));
    std::vector<Output> flat = op.outputs();
    if (flat.empty()) return Wrap(op);
    size_t next = 0;
    nb::list parts;
    auto attrs = op.attrs();
    for (const ArgSchema& arg : schema_.outputs) {
      if (!IsList(arg)) {
        parts.append(Take(Wrap(flat[next++])));
        continue;
      }
      nb::list inner;
      for (int64_t n = ListLength(arg, *attrs); n > 0; --n) inner.append(Take(Wrap(flat[next++])));
      parts.append(inner);
    }
    if (schema_.outputs.size() == 1) return nb::object(parts[0]).release().ptr();
    return Checked(
        PyObject_CallObject(ResultClass(), Take(Checked(PyList_AsTuple(parts.ptr()))).ptr()));
  }

  static int64_t ListLength(const ArgSchema& arg, const AttrMap& attrs) {
    if (!arg.number_attr.empty()) return attrs.GetOr<int64_t>(arg.number_attr, 0);
    const Attr* types = attrs.Find(arg.type_list_attr);
    const auto* list = types ? types->get<std::vector<DType>>() : nullptr;
    return list ? static_cast<int64_t>(list->size()) : 0;
  }

  PyObject* ResultClass() {
    if (s_.result_class == nullptr) {
      nb::list names;
      for (const ArgSchema& arg : schema_.outputs) names.append(arg.name);
      const_cast<Signature&>(s_).result_class = Checked(
          PyObject_CallFunction(TheHooks().named_outputs, "sO", schema_.name.c_str(), names.ptr()));
    }
    return s_.result_class;
  }

  const Signature& s_;
  const OpSchema& schema_;
  PyObject* const* values_;
  PyObject* name_;
  PyGraph* graph_ = nullptr;
  size_t parameter_ = 0;
  std::vector<Output> inputs_;
  AttrMap attrs_;
  std::unordered_map<std::string, std::string> inferred_from_;
};

// A callable for one op: what TensorFlow's generated wrapper is. Its __name__, __doc__ and
// __signature__ come from the registry when they are asked for.
struct OpFunction {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  Signature* signature;
  bool keyword_only;
  PyObject* name;  // of the function
  PyObject* dict;
};

PyTypeObject* op_function_type = nullptr;
PyObject* name_argument = nullptr;  // "name"

[[noreturn]] void RaiseArgument(const OpFunction* f, const std::string& what) {
  RaiseTypeError(ToText(f->name), "() ", what);
}

int FindParameter(const Signature& s, PyObject* keyword) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (s.parameters[i].name == keyword) return static_cast<int>(i);
  }
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (PyUnicode_Compare(s.parameters[i].name, keyword) == 0) return static_cast<int>(i);
  }
  return PyUnicode_Compare(keyword, name_argument) == 0 ? static_cast<int>(s.parameters.size())
                                                        : -1;
}

void Bind(const OpFunction* f, PyObject* const* args, size_t n, PyObject* keywords,
          std::vector<PyObject*>* values) {
  const Signature& s = *f->signature;
  if (f->keyword_only && n > 0) {
    RaiseArgument(f, StrCat("only takes keyword args, but ", n, " was given by position"));
  }
  if (n > values->size()) {
    RaiseArgument(f, StrCat("takes from ", s.required, " to ", values->size(),
                            " positional arguments but ", n, " were given"));
  }
  std::copy(args, args + n, values->begin());
  for (Py_ssize_t k = 0, m = keywords ? PyTuple_GET_SIZE(keywords) : 0; k < m; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    const int at = FindParameter(s, keyword);
    if (at < 0)
      RaiseArgument(f, StrCat("got an unexpected keyword argument '", ToText(keyword), "'"));
    if ((*values)[at])
      RaiseArgument(f, StrCat("got multiple values for argument '", ToText(keyword), "'"));
    (*values)[at] = args[n + k];
  }
  for (size_t i = 0; i < s.required; ++i) {
    if ((*values)[i] == nullptr) {
      RaiseArgument(f, StrCat("missing a required argument: '", ToText(s.parameters[i].name), "'"));
    }
  }
}

template <class Fn>
PyObject* Guarded(Fn fn) {
  try {
    return fn();
  } catch (const PythonError&) {
    return nullptr;
  } catch (nb::python_error& e) {
    e.restore();
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
}

PyObject* CallOp(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return Guarded([&]() -> PyObject* {
    auto* f = reinterpret_cast<OpFunction*>(self);
    std::vector<PyObject*> values(f->signature->parameters.size() + 1, nullptr);
    Bind(f, args, PyVectorcall_NARGS(nargsf), keywords, &values);
    return Call(*f->signature, values.data(), values.back()).Run();
  });
}

PyObject* NewOpFunction(const Op& op, const std::string& name, bool keyword_only,
                        const Renames& renames) {
  auto* f = PyObject_GC_New(OpFunction, op_function_type);
  Checked(reinterpret_cast<PyObject*>(f));
  f->vectorcall = CallOp;
  f->signature = new Signature(MakeSignature(op, renames));
  f->keyword_only = keyword_only;
  f->name = Interned(name);
  f->dict = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(f));
  return reinterpret_cast<PyObject*>(f);
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* f = reinterpret_cast<OpFunction*>(self);
  for (Parameter& p : f->signature->parameters) Py_DECREF(p.name);
  Py_XDECREF(f->signature->result_class);
  delete f->signature;
  Py_XDECREF(f->name);
  Py_XDECREF(f->dict);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  auto* f = reinterpret_cast<OpFunction*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(f->dict);
  Py_VISIT(f->signature->result_class);
  return 0;
}

// As a method it binds like a function.
PyObject* DescrGet(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* ReprOf(PyObject* self) {
  return PyUnicode_FromFormat("<function %U>", reinterpret_cast<OpFunction*>(self)->name);
}

PyObject* GetName(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<OpFunction*>(self)->name);
}

PyObject* DocPart(PyObject* self, const char* maker) {
  return Guarded([&] {
    nb::object module = nb::module_::import_("ramet.ops.op_docs");
    return module.attr(maker)(nb::handle(self)).release().ptr();
  });
}

PyObject* GetDoc(PyObject* self, void*) { return DocPart(self, "docstring"); }
PyObject* GetSignature(PyObject* self, void*) { return DocPart(self, "signature"); }
PyObject* GetOpType(PyObject* self, void*) {
  const std::string& name = reinterpret_cast<OpFunction*>(self)->signature->op->name();
  return PyUnicode_FromStringAndSize(name.data(), name.size());
}

// [(name, kind, allowed, default)] of the parameters, for documentation.
PyObject* GetParameters(PyObject* self, void*) {
  return Guarded([&] {
    nb::list all;
    for (const Parameter& p : reinterpret_cast<OpFunction*>(self)->signature->parameters) {
      if (p.input) {
        const ArgSchema& a = *p.input;
        nb::object type = a.type == DType::kInvalid ? nb::none() : Take(WrapDType(a.type));
        all.append(nb::make_tuple(nb::borrow(p.name), "input", type, a.type_attr, a.number_attr,
                                  a.type_list_attr, a.is_ref));
      } else {
        nb::object value = p.attr->has_default ? Take(WrapAttr(p.attr->default_value)) : nb::none();
        all.append(
            nb::make_tuple(nb::borrow(p.name), "attr", p.attr->type, p.attr->has_default, value));
      }
    }
    return all.release().ptr();
  });
}

PyGetSetDef op_function_getset[] = {
    {"__name__", GetName, nullptr, nullptr, nullptr},
    {"__qualname__", GetName, nullptr, nullptr, nullptr},
    {"__doc__", GetDoc, nullptr, nullptr, nullptr},
    {"__signature__", GetSignature, nullptr, nullptr, nullptr},
    {"op_type", GetOpType, nullptr, nullptr, nullptr},
    {"_parameters", GetParameters, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef op_function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OpFunction, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot op_function_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                                   {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                                   {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                   {Py_tp_descr_get, reinterpret_cast<void*>(DescrGet)},
                                   {Py_tp_repr, reinterpret_cast<void*>(ReprOf)},
                                   {Py_tp_getset, op_function_getset},
                                   {Py_tp_members, op_function_members},
                                   {0, nullptr}};

PyType_Spec op_function_spec = {"ramet._core.OpFunction", sizeof(OpFunction), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                    Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                                op_function_slots};

nb::object MakeOpFunction(const std::string& op, const std::string& name, bool keyword_only,
                          nb::dict renames) {
  const Op* found = OpRegistry::Global().Find(op);
  if (found == nullptr) return nb::none();
  Renames own;
  for (auto [from, to] : renames) own[nb::cast<std::string>(from)] = nb::cast<std::string>(to);
  return Take(NewOpFunction(*found, name, keyword_only, own));
}

// ops.Graph.create_op: a node of any op with these tensors.
nb::object CreateNode(PyGraph& graph, const std::string& type, nb::list inputs, nb::dict attrs,
                      const std::string& name) {
  std::vector<Output> tensors;
  for (nb::handle h : inputs) {
    const PyTensor* t = AsTensor(h.ptr());
    if (t == nullptr) RaiseTypeError("input is not a Tensor: ", Repr(h.ptr()));
    tensors.push_back(t->output());
  }
  AttrMap map;
  graph.UseThread();
  const Op* op = OpRegistry::Global().Find(type);
  for (auto [key, value] : attrs) {
    AttrSchema schema;
    schema.name = nb::cast<std::string>(key);
    const AttrSchema* known = op ? op->schema().FindAttr(schema.name) : nullptr;
    map.Set(schema.name, ToAttr(value.ptr(), known ? *known : schema, type));
  }
  return Take(Wrap(CreateOp(&graph, type, tensors, std::move(map), name)));
}

}  // namespace

Operation CreateOp(PyGraph* graph, const std::string& type, const std::vector<Output>& inputs,
                   AttrMap attrs, const std::string& name) {
  graph->UseThread();
  if (!graph->container.empty()) {
    const Op* op = OpRegistry::Global().Find(type);
    if (op && op->schema().FindAttr("container") &&
        attrs.GetOr<std::string>("container", "").empty()) {
      attrs.Set("container", graph->container);
    }
  }
  auto op = TryAddOp(*graph, type, std::vector<Input>(inputs.begin(), inputs.end()),
                     std::move(attrs), name);
  if (!op.ok()) RaiseBuildStatus(op.status());
  graph->NoteNewNodes();
  return *op;
}

Output ConvertToTensor(PyGraph* graph, PyObject* value, DType dtype, const std::string& name,
                       bool as_ref, DType preferred) {
  if (const PyTensor* t = AsTensor(value)) {
    const DType own = t->output().dtype();
    if (dtype == DType::kInvalid || BaseType(own) == BaseType(dtype)) return t->output();
    RaiseValueError("Tensor conversion requested dtype ", PublicName(dtype),
                    " for Tensor with dtype ", PublicName(own), ": ", Repr(value));
  }
  Tensor constant = FromArray(value, BaseType(dtype), false);
  if (constant.empty()) constant = FromValue(value, BaseType(dtype), preferred);
  if (!constant.empty()) {
    const DType type = constant.dtype();
    graph->UseThread();
    const std::string full =
        name.ends_with('/') ? name : graph->UniqueName(name.empty() ? "Const" : name) + "/";
    return CreateOp(graph, "Const", {}, {{"value", std::move(constant)}, {"dtype", type}}, full)
        .output(0);
  }
  auto type_arg = [](DType t) { return t == DType::kInvalid ? nb::none() : Take(WrapDType(t)); };
  nb::object made =
      Take(Checked(PyObject_CallFunction(TheHooks().convert, "OOzOO", value, type_arg(dtype).ptr(),
                                         name.empty() ? nullptr : name.c_str(),
                                         as_ref ? Py_True : Py_False, type_arg(preferred).ptr())));
  const PyTensor* t = AsTensor(made.ptr());
  if (t == nullptr) RaiseTypeError("the conversion of ", Repr(value), " gave no Tensor");
  return t->output();
}

void BindOpFunctions(nb::module_& m) {
  name_argument = Interned("name");
  op_function_type = reinterpret_cast<PyTypeObject*>(Checked(PyType_FromSpec(&op_function_spec)));
  m.attr("OpFunction") = nb::borrow(reinterpret_cast<PyObject*>(op_function_type));
  m.def("op_function", &MakeOpFunction, nb::arg("op"), nb::arg("name"), nb::arg("keyword_only"),
        nb::arg("renames"));
  m.def("registered_ops", [] {
    nb::list names;
    for (const Op* op : OpRegistry::Global().All()) names.append(op->name());
    return names;
  });
  m.def("op_summary", [](const std::string& type) {
    const Op& op = *Value(OpRegistry::Global().Lookup(type));
    nb::dict d;
    d["doc"] = op.schema().doc;
    nb::list outputs, attrs;
    for (const ArgSchema& a : op.schema().outputs) {
      outputs.append(
          nb::make_tuple(a.name, a.type == DType::kInvalid ? nb::none() : Take(WrapDType(a.type)),
                         a.type_attr, a.number_attr, a.type_list_attr, a.is_ref));
    }
    for (const AttrSchema& a : op.schema().attrs) {
      nb::list types;
      for (DType t : a.allowed_types) types.append(Take(WrapDType(t)));
      nb::list texts;
      for (const std::string& s : a.allowed_strings) texts.append(s);
      attrs.append(nb::make_tuple(a.name, a.type, types, texts));
    }
    d["outputs"] = outputs;
    d["attrs"] = attrs;
    d["stateful"] = op.schema().is_stateful;
    return d;
  });
  m.def("create_op", &CreateNode);
  m.def("op_def", [](const std::string& type) {
    const std::string bytes = Value(ExportOpDef(*Value(OpRegistry::Global().Lookup(type))));
    return nb::bytes(bytes.data(), bytes.size());
  });
  m.def(
      "convert_to_tensor",
      [](PyGraph& graph, nb::handle value, nb::handle dtype, const std::string& name, bool as_ref,
         nb::handle preferred) {
        auto type = [](nb::handle h) { return h.is_none() ? DType::kInvalid : ToDType(h.ptr()); };
        return Take(
            Wrap(ConvertToTensor(&graph, value.ptr(), type(dtype), name, as_ref, type(preferred))));
      },
      nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none());
  // A Const of a number, text, array or list of these; None for other values.
  m.def(
      "constant",
      [](PyGraph& graph, nb::handle value, nb::handle dtype,
         const std::string& name) -> nb::object {
        const DType want = dtype.is_none() ? DType::kInvalid : ToDType(dtype.ptr());
        Tensor t = FromArray(value.ptr(), want, false);
        if (t.empty()) t = FromValue(value.ptr(), want, DType::kInvalid);
        if (t.empty()) return nb::none();
        const DType type = t.dtype();
        return Take(
            Wrap(CreateOp(&graph, "Const", {}, {{"value", std::move(t)}, {"dtype", type}}, name)
                     .output(0)));
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def(
      "try_constant",
      [](nb::handle value, nb::handle dtype) -> nb::object {
        const DType want = dtype.is_none() ? DType::kInvalid : ToDType(dtype.ptr());
        Tensor t = FromArray(value.ptr(), want, false);
        if (t.empty()) t = FromValue(value.ptr(), want, DType::kInvalid);
        return t.empty() ? nb::none() : Take(WrapTensor(std::move(t)));
      },
      nb::arg().none(), nb::arg().none());
}

}  // namespace ramet::python
