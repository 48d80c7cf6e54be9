#include "core.h"

namespace ramet::python {
namespace {

// Converts a number, text, array or list of these; returns an empty tensor for other values. Errors
// are those of TensorFlow for the graph, or for eager execution.
Tensor PlainValue(PyGraph* graph, PyObject* value, DType want, DType preferred) {
  Tensor array = FromArray(value, want, false);
  if (!array.empty()) return array;
  if (!graph->eager) return FromValue(value, want, preferred);
  try {
    return FromValue(value, want, preferred);
  } catch (const PythonError&) {
    if (want == DType::kInvalid || !PyErr_ExceptionMatches(PyExc_TypeError)) throw;
    PyErr_Clear();
    RaiseTypeError("Cannot convert ", Str(value), " to EagerTensor of dtype ", DTypeName(want));
  }
}

// Implements ops.Graph.create_op: adds a node of any op with the given tensors.
nb::object CreateNode(PyGraph& graph, const std::string& type, nb::list inputs, nb::dict attrs,
                      const std::string& name) {
  std::vector<Output> tensors;
  for (nb::handle h : inputs) {
    const PyTensor* t = AsTensor(h.ptr());
    if (t == nullptr) RaiseTypeError("input is not a Tensor: ", Repr(h.ptr()));
    tensors.push_back(Inside(&graph, t->output()));
  }
  graph.UseThread();
  return Take(Wrap(CreateOp(&graph, type, tensors, ToAttrs(attrs, type), name)));
}

}  // namespace

AttrMap ToAttrs(const nb::dict& attrs, const std::string& type) {
  AttrMap map;
  const Op* op = OpRegistry::Global().Find(type);
  for (auto [key, value] : attrs) {
    AttrSchema schema;
    schema.name = nb::cast<std::string>(key);
    const AttrSchema* known = op ? op->schema().FindAttr(schema.name) : nullptr;
    map.Set(schema.name, ToAttr(value.ptr(), known ? *known : schema, type));
  }
  return map;
}

Operation CreateOp(PyGraph* graph, const std::string& type, const std::vector<Output>& inputs,
                   AttrMap attrs, const std::string& name) {
  if (graph->eager) {
    Raise(PyExc_RuntimeError,
          StrCat("an operation of type ", type,
                 " cannot be added to a graph while operations run eagerly; open a graph with "
                 "tf.Graph().as_default()"));
  }
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

namespace {

// Adds a Const, or returns an eager tensor.
InputTensor MakeConstant(PyGraph* graph, Tensor value, const std::string& name) {
  if (graph->eager) return InputTensor(Take(Wrap(EagerValue(std::move(value)))));
  const DType type = value.dtype();
  return CreateOp(graph, "Const", {}, {{"value", std::move(value)}, {"dtype", type}}, name)
      .output(0);
}

// Returns a tensor as an input of an op in the graph; an empty one if the object is not a tensor.
InputTensor OfTensor(PyGraph* graph, PyObject* value, const std::string& name) {
  if (const PyTensor* t = AsTensor(value)) return Inside(graph, t->output());
  if (AsEager(value) == nullptr) return {};
  if (graph->eager) return InputTensor(nb::borrow(value));
  return Captured(graph, value, name);
}

// Raises ValueError if a tensor has a different dtype than is wanted.
void CheckDType(PyObject* value, DType dtype) {
  const PyTensor* t = AsTensor(value);
  const DType own = t ? t->output().dtype() : AsEager(value)->dtype();
  if (dtype == DType::kInvalid || BaseType(own) == BaseType(dtype)) return;
  RaiseValueError("Tensor conversion requested dtype ", PublicName(dtype),
                  " for Tensor with dtype ", PublicName(own), ": ", Repr(value));
}

}  // namespace

InputTensor ConvertToTensor(PyGraph* graph, PyObject* value, DType dtype, const std::string& name,
                            bool as_ref, DType preferred, DType object_preferred) {
  if (AsTensor(value) || AsEager(value)) {
    CheckDType(value, dtype);
    return OfTensor(graph, value, name);
  }
  DType want = BaseType(dtype);
  if (want == DType::kInvalid) want = PreferredForArray(value, preferred);
  Tensor constant = PlainValue(graph, value, want, preferred);
  if (!constant.empty()) {
    if (graph->eager) return MakeConstant(graph, std::move(constant), name);
    graph->UseThread();
    const std::string full =
        name.ends_with('/') ? name : graph->UniqueName(name.empty() ? "Const" : name) + "/";
    return MakeConstant(graph, std::move(constant), full);
  }
  if (preferred == DType::kInvalid) preferred = object_preferred;
  auto type_arg = [](DType t) { return t == DType::kInvalid ? nb::none() : Take(WrapDType(t)); };
  nb::object made =
      Take(Checked(PyObject_CallFunction(TheHooks().convert, "OOzOO", value, type_arg(dtype).ptr(),
                                         name.empty() ? nullptr : name.c_str(),
                                         as_ref ? Py_True : Py_False, type_arg(preferred).ptr())));
  if (AsTensor(made.ptr()) == nullptr && AsEager(made.ptr()) == nullptr) {
    RaiseTypeError("the conversion of ", Repr(value), " did not return a Tensor");
  }
  return OfTensor(graph, made.ptr(), name);
}

void BindBuilding(nb::module_& m) {
  m.def("create_op", &CreateNode);
  m.def(
      "convert_to_tensor",
      [](PyGraph& graph, nb::handle value, nb::handle dtype, const std::string& name, bool as_ref,
         nb::handle preferred) {
        auto type = [](nb::handle h) { return h.is_none() ? DType::kInvalid : ToDType(h.ptr()); };
        return ConvertToTensor(&graph, value.ptr(), type(dtype), name, as_ref, type(preferred))
            .object();
      },
      nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none());
  // Adds a Const for a number, text, array or list of these. Returns None for other values.
  m.def(
      "constant",
      [](PyGraph& graph, nb::handle value, nb::handle dtype,
         const std::string& name) -> nb::object {
        const DType want = dtype.is_none() ? DType::kInvalid : ToDType(dtype.ptr());
        Tensor t = PlainValue(&graph, value.ptr(), want, DType::kInvalid);
        if (t.empty()) return nb::none();
        return MakeConstant(&graph, std::move(t), name).object();
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace ramet::python
