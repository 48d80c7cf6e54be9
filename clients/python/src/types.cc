#include "core.h"

namespace ramet::python {
namespace {

// Returns the numbers of the DType objects that were passed to set_hooks.
std::unordered_map<PyObject*, DType>& Numbers() {
  static auto* const numbers = new std::unordered_map<PyObject*, DType>;
  return *numbers;
}

PyObject* WrapText(const std::string& s) {
  return Checked(PyBytes_FromStringAndSize(s.data(), s.size()));
}

template <class T, class Fn>
PyObject* WrapList(const std::vector<T>& values, Fn wrap) {
  nb::list all;
  for (const auto& v : values) all.append(Take(wrap(v)));
  return all.release().ptr();
}

[[noreturn]] void RaiseMismatch(const char* kind, const std::string& attr, PyObject* value) {
  nb::object repr = Take(Checked(PyObject_Repr(value)));
  RaiseTypeError("Expected ", kind, " for argument '", attr, "' not ", nb::cast<std::string>(repr),
                 ".");
}

int64_t ToInt(PyObject* value, const AttrSchema& s) {
  nb::object number = Take(PyNumber_Index(value));
  if (!number.is_valid()) {
    PyErr_Clear();
    if (PyFloat_Check(value) || !PyNumber_Check(value) || IsText(value)) {
      RaiseMismatch("int", s.name, value);
    }
    number = Take(PyNumber_Long(value));
    if (!number.is_valid()) {  // such as an unknown Dimension
      PyErr_Clear();
      RaiseMismatch("int", s.name, value);
    }
  }
  const long long v = PyLong_AsLongLong(number.ptr());
  if (v == -1 && PyErr_Occurred()) throw PythonError();
  return v;
}

float ToFloat(PyObject* value, const AttrSchema& s) {
  const double v = PyFloat_AsDouble(value);
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    RaiseMismatch("float", s.name, value);
  }
  return static_cast<float>(v);
}

bool ToBool(PyObject* value, const AttrSchema& s) {
  if (PyBool_Check(value)) return value == Py_True;
  if (IsNumpyScalar(value) || PyLong_Check(value)) {
    const int truth = PyObject_IsTrue(value);
    Checked(truth);
    return truth == 1;
  }
  RaiseMismatch("bool", s.name, value);
}

Tensor ToTensorValue(PyObject* value, const AttrSchema& s) {
  Tensor t = FromArray(value, DType::kInvalid, false);
  if (t.empty()) t = FromValue(value, DType::kInvalid, DType::kInvalid);
  if (!t.empty()) return t;
  nb::object bytes = Take(Checked(PyObject_CallOneArg(TheHooks().tensor_proto, value)));
  if (!PyBytes_Check(bytes.ptr())) RaiseMismatch("tensor", s.name, value);
  return Value(TensorFromProtoBytes(ToText(bytes.ptr())));
}

FunctionRef ToFunction(PyObject* value, const AttrSchema& s) {
  if (IsText(value)) return FunctionRef{ToText(value), std::make_shared<AttrMap>()};
  nb::object name = nb::getattr(nb::handle(value), "name", nb::none());
  if (!IsText(name.ptr())) RaiseMismatch("func", s.name, value);
  return FunctionRef{ToText(name.ptr()), std::make_shared<AttrMap>()};
}

std::string ToAllowedText(PyObject* value, const AttrSchema& s, std::string_view op) {
  if (!IsText(value)) RaiseMismatch("string", s.name, value);
  std::string text = ToText(value);
  if (!s.allowed_strings.empty() && std::ranges::count(s.allowed_strings, text) == 0) {
    std::string allowed;
    for (const std::string& a : s.allowed_strings) {
      allowed += StrCat(allowed.empty() ? "" : "\", \"", a);
    }
    RaiseValueError("Attr '", s.name, "' of '", op, "' Op passed string '", text, "' not in: \"",
                    allowed, "\".");
  }
  return text;
}

template <class T, class Fn>
std::vector<T> ToList(PyObject* value, const AttrSchema& s, Fn convert) {
  nb::object items = Take(PySequence_Fast(value, ""));
  if (!items.is_valid() || IsText(value)) {
    PyErr_Clear();
    RaiseTypeError("Expected list for attr ", s.name, ", obtained ", Py_TYPE(value)->tp_name,
                   " instead.");
  }
  std::vector<T> all;
  for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(items.ptr()); i < n; ++i) {
    all.push_back(convert(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  }
  return all;
}

// Returns the attr for a value without a known definition.
Attr Guess(PyObject* value, const AttrSchema& s) {
  AttrSchema of = s;
  PyObject* item = value;
  const bool list = PyList_Check(value) || PyTuple_Check(value);
  if (list) {
    if (PySequence_Size(value) == 0) return Attr(std::vector<int64_t>());
    item = PySequence_Fast_GET_ITEM(value, 0);
  }
  if (PyBool_Check(item))
    of.type = "bool";
  else if (PyLong_Check(item))
    of.type = "int";
  else if (PyFloat_Check(item))
    of.type = "float";
  else if (IsText(item))
    of.type = "string";
  else if (Numbers().contains(item))
    of.type = "type";
  else
    RaiseMismatch("an attr value", s.name, value);
  if (list) of.type = StrCat("list(", of.type, ")");
  return ToAttr(value, of, "");
}

// TensorFlow ignores that a dtype is that of a reference, such as a variable's.
DType ToBaseType(PyObject* value) { return BaseType(ToDType(value)); }

}  // namespace

std::string PublicName(DType dtype) {
  nb::object object = Take(WrapDType(dtype));
  return nb::cast<std::string>(object.attr("name"));
}

std::string Repr(PyObject* value) {
  return nb::cast<std::string>(Take(Checked(PyObject_Repr(value))));
}

std::string Str(PyObject* value) {
  return nb::cast<std::string>(Take(Checked(PyObject_Str(value))));
}

PyObject* Interned(const std::string& text) {
  return Checked(PyUnicode_InternFromString(text.c_str()));
}

bool IsText(PyObject* value) { return PyUnicode_Check(value) || PyBytes_Check(value); }

std::string ToText(PyObject* value) {
  if (PyBytes_Check(value)) return {PyBytes_AS_STRING(value), size_t(PyBytes_GET_SIZE(value))};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) throw PythonError();
  return {text, static_cast<size_t>(size)};
}

PyObject* WrapDType(DType dtype) {
  PyObject* all = TheHooks().dtypes;
  const int number = static_cast<int>(dtype);
  if (number >= 0 && number < PyList_GET_SIZE(all)) {
    PyObject* found = PyList_GET_ITEM(all, number);
    if (found != Py_None) return Py_NewRef(found);
  }
  return Checked(PyObject_CallFunction(TheHooks().as_dtype, "i", number));
}

DType ToDType(PyObject* value) {
  if (Numbers().empty()) {
    PyObject* all = TheHooks().dtypes;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); ++i) {
      PyObject* dtype = PyList_GET_ITEM(all, i);
      if (dtype != Py_None) Numbers()[dtype] = static_cast<DType>(i);
    }
  }
  auto found = Numbers().find(value);
  if (found != Numbers().end()) return found->second;
  nb::object dtype = Take(Checked(PyObject_CallOneArg(TheHooks().as_dtype, value)));
  found = Numbers().find(dtype.ptr());
  if (found != Numbers().end()) return found->second;
  return static_cast<DType>(nb::cast<int>(dtype.attr("as_datatype_enum")));
}

PyObject* WrapShape(const Shape& shape) {
  if (shape.unknown_rank()) return Checked(PyObject_CallOneArg(TheHooks().make_shape, Py_None));
  nb::list dims;
  for (int64_t d : shape.dims()) dims.append(d);
  return Checked(PyObject_CallOneArg(TheHooks().make_shape, dims.ptr()));
}

Shape ToShape(PyObject* value) {
  if (value == Py_None) return Shape::Unknown();
  nb::object dims = Take(Checked(PyObject_CallOneArg(TheHooks().shape_as_list, value)));
  if (dims.is_none()) return Shape::Unknown();
  std::vector<int64_t> sizes;
  for (nb::handle d : dims) sizes.push_back(nb::cast<int64_t>(d));
  return Value(Shape::Make(sizes));
}

PyObject* WrapAttr(const Attr& attr) {
  struct Visitor {
    PyObject* operator()(std::monostate) { return Py_NewRef(Py_None); }
    PyObject* operator()(const std::string& v) { return WrapText(v); }
    PyObject* operator()(int64_t v) { return Checked(PyLong_FromLongLong(v)); }
    PyObject* operator()(float v) { return Checked(PyFloat_FromDouble(v)); }
    PyObject* operator()(bool v) { return PyBool_FromLong(v); }
    PyObject* operator()(DType v) { return WrapDType(v); }
    PyObject* operator()(const Shape& v) { return ShapeProto(v); }
    PyObject* operator()(const std::shared_ptr<const Tensor>& v) { return TensorMessage(*v); }
    PyObject* operator()(const std::shared_ptr<const FunctionRef>& v) { return Function(*v); }
    PyObject* operator()(const std::vector<std::string>& v) { return WrapList(v, WrapText); }
    PyObject* operator()(const std::vector<int64_t>& v) { return WrapList(v, *this); }
    PyObject* operator()(const std::vector<float>& v) { return WrapList(v, *this); }
    PyObject* operator()(const std::vector<bool>& v) {
      return WrapList(v, [](bool b) { return PyBool_FromLong(b); });
    }
    PyObject* operator()(const std::vector<DType>& v) { return WrapList(v, WrapDType); }
    PyObject* operator()(const std::vector<Shape>& v) { return WrapList(v, ShapeProto); }
    PyObject* operator()(const std::vector<Tensor>& v) { return WrapList(v, TensorMessage); }
    PyObject* operator()(const std::vector<FunctionRef>& v) { return WrapList(v, Function); }
    PyObject* operator()(const OpaqueAttr& v) { return WrapText(v.bytes); }

    static PyObject* ShapeProto(const Shape& shape) {
      nb::object made = Take(WrapShape(shape));
      return made.attr("as_proto")().release().ptr();
    }
    static PyObject* Function(const FunctionRef& f) {
      nb::object core = nb::module_::import_("ramet.core.framework.attr_value_pb2");
      return core.attr("NameAttrList")(nb::arg("name") = f.name).release().ptr();
    }
    static PyObject* TensorMessage(const Tensor& t) {
      nb::object core = nb::module_::import_("ramet.core.framework.tensor_pb2");
      const std::string bytes = Value(TensorToProtoBytes(t));
      return core.attr("TensorProto")
          .attr("FromString")(nb::bytes(bytes.data(), bytes.size()))
          .release()
          .ptr();
    }
  };
  return std::visit(Visitor(), attr.value());
}

Attr ToAttr(PyObject* value, const AttrSchema& s, std::string_view op) {
  std::string_view type = s.type;
  if (type.empty()) return Guess(value, s);
  if (type == "int") return ToInt(value, s);
  if (type == "bool") return ToBool(value, s);
  if (type == "type") return ToBaseType(value);
  if (type == "string") return ToAllowedText(value, s, op);
  if (type == "float") return ToFloat(value, s);
  if (type == "shape") return ToShape(value);
  if (type == "tensor") return ToTensorValue(value, s);
  if (type == "func") return ToFunction(value, s);
  if (type == "list(int)") {
    return ToList<int64_t>(value, s, [&](PyObject* v) { return ToInt(v, s); });
  }
  if (type == "list(float)") {
    return ToList<float>(value, s, [&](PyObject* v) { return ToFloat(v, s); });
  }
  if (type == "list(bool)") {
    return ToList<bool>(value, s, [&](PyObject* v) { return ToBool(v, s); });
  }
  if (type == "list(type)") return ToList<DType>(value, s, ToBaseType);
  if (type == "list(shape)") return ToList<Shape>(value, s, ToShape);
  if (type == "list(string)") {
    return ToList<std::string>(value, s, [&](PyObject* v) { return ToAllowedText(v, s, op); });
  }
  if (type == "list(tensor)") {
    return ToList<Tensor>(value, s, [&](PyObject* v) { return ToTensorValue(v, s); });
  }
  if (type == "list(func)") {
    return ToList<FunctionRef>(value, s, [&](PyObject* v) { return ToFunction(v, s); });
  }
  RaiseTypeError("attr '", s.name, "' has the unknown type ", s.type);
}

}  // namespace ramet::python
