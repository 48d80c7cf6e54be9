#include "eager.h"
#include "op_signature.h"

namespace ramet::python {
namespace {

// Restores the previous name scope on destruction.
class OpenScope {
 public:
  OpenScope(PyGraph* graph, const std::string& inside)
      : state_(graph->build_state()), saved_(std::exchange(state_.name_stack, inside)) {}
  ~OpenScope() { state_.name_stack = std::move(saved_); }

 private:
  BuildState& state_;
  std::string saved_;
};

// Reports whether an object is a plain value that belongs to no graph.
bool IsPlain(PyObject* value) {
  return value == Py_None || PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
         IsText(value) || PyBool_Check(value) || IsArray(value) || IsNumpyScalar(value);
}

// Returns the graph of a tensor or of an object that stands for one (a Variable), else nullptr.
PyGraph* GraphOfValue(PyObject* value, int depth = 0) {
  if (const PyTensor* t = AsTensor(value)) return t->graph;
  if (AsEager(value)) return nullptr;
  if (const PyOperation* op = AsOperation(value)) return op->graph;
  if (IsPlain(value) || PyDict_Check(value)) return nullptr;
  if (PyList_Check(value) || PyTuple_CheckExact(value)) {
    if (depth == kMaxValueDepth) RaiseTooDeep();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      if (PyGraph* g = GraphOfValue(PySequence_Fast_GET_ITEM(value, i), depth + 1)) return g;
    }
    return nullptr;
  }
  nb::object element = Take(Checked(PyObject_CallOneArg(TheHooks().graph_element, value)));
  const PyTensor* t = AsTensor(element.ptr());
  return t ? t->graph : nullptr;
}

// A call of an op's wrapper.
class OpCall {
 public:
  OpCall(const Signature& signature, PyObject* const* values, PyObject* name)
      : s_(signature), schema_(signature.op->schema()), values_(values), name_(name) {}

  PyObject* Run() {
    FindGraph();
    return graph_->eager ? RunEagerly() : AddNode();
  }

 private:
  PyObject* AddNode() {
    graph_->UseThread();
    const std::string given = name_ && name_ != Py_None ? ToText(name_) : schema_.name;
    std::string full =
        given.ends_with('/') ? given.substr(0, given.size() - 1) : graph_->UniqueName(given);
    GivenTypes();
    {
      OpenScope scope(graph_, full);
      ConvertInputs();
    }
    ConvertAttrs();
    std::vector<Output> inputs;
    for (const InputTensor& input : inputs_) inputs.push_back(input.node);
    Operation op = CreateOp(graph_, schema_.name, inputs, std::move(attrs_), full + "/");
    nb::list outputs;
    for (const Output& output : op.outputs()) outputs.append(Take(Wrap(output)));
    return outputs.empty() ? Wrap(op) : Results(outputs, *op.attrs());
  }

  PyObject* RunEagerly() {
    CheckEager(schema_);
    GivenTypes();
    ConvertInputs();
    ConvertAttrs();
    if (schema_.name == "Const") return EagerConstant(attrs_);
    std::vector<EagerValue> args;
    for (const InputTensor& input : inputs_) args.push_back(*AsEager(input.eager.ptr()));
    EagerCall call = CompileCall(graph_, schema_.name, std::move(attrs_), args);
    nb::list outputs = call.RunAll(args);
    RememberCall(s_, values_, args, call);
    return outputs.empty() ? Py_NewRef(Py_None) : Results(outputs, *call.attrs());
  }

  void FindGraph() {
    if (PyGraph::num_capturing > 0) {
      graph_ = DefaultGraph();
      if (graph_->captures) return;
      graph_ = nullptr;
    }
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

  // Binds the types that the caller gives; they take precedence over those of the inputs.
  void GivenTypes() {
    for (size_t i = 0; i < s_.parameters.size(); ++i) {
      const Parameter& p = s_.parameters[i];
      if (p.attr == nullptr || values_[i] == nullptr || values_[i] == Py_None) continue;
      if (p.attr->type == "type") attrs_.Set(p.attr->name, BaseType(ToDType(values_[i])));
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

  // Raises TensorFlow's error if an eager tensor has a different dtype than is wanted.
  void CheckEagerType(PyObject* value, DType want) const {
    const EagerValue* given = graph_->eager ? AsEager(value) : nullptr;
    if (given == nullptr || want == DType::kInvalid || given->dtype() == BaseType(want)) return;
    RaiseWrongType(schema_.name, inputs_.size(), want, given->dtype());
  }

  void ConvertOne(const ArgSchema& arg, PyObject* value) {
    DType want = arg.type != DType::kInvalid ? arg.type : Bound(arg.type_attr);
    CheckEagerType(value, want);
    DType preferred = want == DType::kInvalid ? DefaultOf(arg.type_attr) : DType::kInvalid;
    InputTensor tensor;
    try {
      tensor =
          ConvertToTensor(graph_, value, want, arg.name, arg.is_ref, DType::kInvalid, preferred);
      if (preferred != DType::kInvalid && !Allows(arg.type_attr, BaseType(tensor.dtype())) &&
          AsTensor(value) == nullptr && AsEager(value) == nullptr) {
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
    if (graph_->eager) RaiseNotAllowed(*attr, type);
    std::string allowed;
    for (DType t : attr->allowed_types)
      allowed += StrCat(allowed.empty() ? "" : ", ", PublicName(t));
    RaiseTypeError("Value passed to parameter '", ParameterName(), "' has DataType ",
                   PublicName(type), " not in list of allowed values: ", allowed);
  }

  // Replaces the error of a conversion by one that names the parameter.
  [[noreturn]] void ExplainFailure(const ArgSchema& arg, PyObject* value, DType want) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      if (want == DType::kInvalid || graph_->eager) throw PythonError();
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
      InputTensor tensor;
      CheckEagerType(item, ItemType(arg, i, want));
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

  // Returns the dtype of a list's items: given, bound, or that of the first tensor in it.
  DType ListType(const ArgSchema& arg, PyObject* items) const {
    if (arg.type != DType::kInvalid) return arg.type;
    if (arg.type_attr.empty()) return DType::kInvalid;
    DType type = Bound(arg.type_attr);
    for (Py_ssize_t i = 0; type == DType::kInvalid && i < PyTuple_GET_SIZE(items); ++i) {
      PyObject* item = PyTuple_GET_ITEM(items, i);
      if (const PyTensor* t = AsTensor(item)) type = BaseType(t->output().dtype());
      if (const EagerValue* e = AsEager(item)) type = e->dtype();
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

  // Returns the outputs as TensorFlow's wrappers do: a Tensor, a list or a named tuple.
  PyObject* Results(const nb::list& flat, const AttrMap& attrs) {
    if (schema_.outputs.size() == 1 && !IsList(schema_.outputs[0])) {
      return nb::object(flat[0]).release().ptr();
    }
    size_t next = 0;
    nb::list parts;
    for (const ArgSchema& arg : schema_.outputs) {
      if (!IsList(arg)) {
        parts.append(flat[next++]);
        continue;
      }
      nb::list inner;
      for (int64_t n = ListLength(arg, attrs); n > 0; --n) inner.append(flat[next++]);
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
  std::vector<InputTensor> inputs_;
  AttrMap attrs_;
  std::unordered_map<std::string, std::string> inferred_from_;
};

}  // namespace

PyObject* RunOp(const Signature& signature, PyObject* const* values, PyObject* name) {
  if (PyGraph::num_eager == 0) return OpCall(signature, values, name).Run();
  const EagerArguments arguments(signature, values);
  if (PyObject* result = RunRemembered(signature, arguments.get())) return result;
  return OpCall(signature, arguments.get(), name).Run();
}

}  // namespace ramet::python
