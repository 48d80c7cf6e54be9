#include "feeds.h"

namespace ramet::python {
namespace {

std::string ShapeText(const Shape& shape) {
  if (shape.unknown_rank()) return "<unknown>";
  std::string text;
  for (int64_t d : shape.dims()) text += StrCat(text.empty() ? "" : ", ", d < 0 ? "?" : StrCat(d));
  return StrCat("(", text, shape.rank() == 1 ? ",)" : ")");
}

[[noreturn]] void RaiseUnfitFeed(PyObject* value, const FeedSlot& slot) {
  nb::object type = nb::borrow(NumpyDType(slot.dtype)).attr("type");
  RaiseTypeError("Type of feed value ", Str(value), " with type ",
                 Str(reinterpret_cast<PyObject*>(Py_TYPE(value))),
                 " is not compatible with Tensor type ", Str(type.ptr()),
                 ". Try explicitly setting the type of the feed tensor to a larger type (e.g. "
                 "int64).");
}

// Converts a value with numpy for a tensor of that dtype. Integers in lists wrap around.
Tensor FeedThroughNumpy(PyObject* value, const FeedSlot& slot) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object dtype = nb::borrow(NumpyDType(slot.dtype));
  nb::object array = IsInteger(slot.dtype)
                         ? numpy.attr("asarray")(nb::handle(value)).attr("astype")(dtype)
                         : numpy.attr("asarray")(nb::handle(value), nb::arg("dtype") = dtype);
  if (PyLong_Check(value) && !PyBool_Check(value)) {
    nb::object back = array.attr("item")();
    if (PyObject_RichCompareBool(back.ptr(), value, Py_EQ) != 1) RaiseUnfitFeed(value, slot);
  }
  return FromArray(array.ptr(), slot.dtype, false);
}

}  // namespace

Tensor FeedValue(PyObject* value, const FeedSlot& slot) {
  Tensor t = FromArray(value, slot.dtype, true);
  if (PyLong_CheckExact(value) && !IntegerFits(value, slot.dtype)) RaiseUnfitFeed(value, slot);
  if (t.empty() && (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || IsText(value))) {
    try {
      t = FromValue(value, slot.dtype, DType::kInvalid);
    } catch (const PythonError&) {
      PyErr_Clear();
    }
  }
  if (t.empty() && AsTensor(value)) {
    RaiseTypeError(
        "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
        "scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor "
        "object was ",
        Str(value), " which was passed to the feed with key ", slot.tensor.name(), ".");
  }
  if (t.empty()) t = FeedThroughNumpy(value, slot);
  if (!slot.shape.IsCompatibleWith(t.shape())) {
    RaiseValueError("Cannot feed value of shape ", ShapeText(t.shape()), " for Tensor '",
                    slot.tensor.name(), "', which has shape '", ShapeText(slot.shape), "'");
  }
  return t;
}

const PyTensor* FeedOf(nb::handle h) {
  const PyTensor* t = AsTensor(h.ptr());
  if (t == nullptr) RaiseTypeError("a feed is not a Tensor");
  return t;
}

GraphElement Element(int64_t node, int64_t index, Graph& graph) {
  Operation op(&graph, static_cast<NodeId>(node));
  return index < 0 ? GraphElement(op) : GraphElement(Output(op, static_cast<int>(index)));
}

}  // namespace ramet::python
