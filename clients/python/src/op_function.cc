#include "errors.h"
#include "op_signature.h"

#include <structmember.h>

namespace ramet::python {
namespace {

bool IsInferred(const OpSchema& schema, const std::string& attr) {
  return std::ranges::any_of(schema.inputs, [&](const ArgSchema& arg) {
    return arg.type_attr == attr || arg.number_attr == attr || arg.type_list_attr == attr;
  });
}

// A callable for one op, like TensorFlow's generated wrappers. Its __name__, __doc__ and
// __signature__ are created from the registry on demand.
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
  } catch (...) {
    SetErrorOfException();
    return nullptr;
  }
}

PyObject* CallOp(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return Guarded([&]() -> PyObject* {
    auto* f = reinterpret_cast<OpFunction*>(self);
    std::vector<PyObject*> values(f->signature->parameters.size() + 1, nullptr);
    Bind(f, args, PyVectorcall_NARGS(nargsf), keywords, &values);
    return RunOp(*f->signature, values.data(), values.back());
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

// Binds like a method when it is an attribute of a class.
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
    nb::object module = nb::module_::import_("ramet.gen.docs");
    return module.attr(maker)(nb::handle(self)).release().ptr();
  });
}

PyObject* GetDoc(PyObject* self, void*) { return DocPart(self, "docstring"); }
PyObject* GetSignature(PyObject* self, void*) { return DocPart(self, "signature"); }
PyObject* GetOpType(PyObject* self, void*) {
  const std::string& name = reinterpret_cast<OpFunction*>(self)->signature->op->name();
  return PyUnicode_FromStringAndSize(name.data(), name.size());
}

// Returns [(name, kind, allowed, default)] of the parameters, for documentation.
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

PyObject* Self(PyObject* self, PyObject*) { return Py_NewRef(self); }

// For pickle: the function is made again from the op.
PyObject* Reduce(PyObject* self, PyObject*) {
  return Guarded([&] {
    auto* f = reinterpret_cast<OpFunction*>(self);
    nb::object make = nb::module_::import_("ramet.gen").attr("endpoint");
    nb::list renames;
    const OpSchema& schema = f->signature->op->schema();
    for (const Parameter& p : f->signature->parameters) {
      const std::string& own = p.input ? p.input->name : p.attr->name;
      if (ToText(p.name) != own) renames.append(nb::make_tuple(own, nb::borrow(p.name)));
    }
    return nb::make_tuple(make, nb::make_tuple(schema.name, nb::borrow(f->name), renames,
                                               nb::bool_(f->keyword_only)))
        .release()
        .ptr();
  });
}

PyMethodDef op_function_methods[] = {{"__copy__", Self, METH_NOARGS, nullptr},
                                     {"__deepcopy__", Self, METH_O, nullptr},
                                     {"__reduce__", Reduce, METH_NOARGS, nullptr},
                                     {nullptr, nullptr, 0, nullptr}};

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
                                   {Py_tp_methods, op_function_methods},
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

}  // namespace

Signature MakeSignature(const Op& op, const Renames& renames) {
  Signature s{&op, {}, 0, nullptr, nullptr};
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
}

}  // namespace ramet::python
