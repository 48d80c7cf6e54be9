#include "core.h"

#include <cmath>

namespace ramet::python {
namespace {

// The kinds of items in a nested list. A list takes the largest kind of its items.
enum class Kind { kNone, kBool, kInt, kFloat, kComplex, kText };

// Walks a value of numbers, text and nested lists, and collects its shape, items and their kinds.
class Reader {
 public:
  // Returns false if the value contains anything else.
  bool Read(PyObject* value) { return Visit(value, 0); }
  std::vector<int64_t> dims;
  std::vector<PyObject*> items;
  Kind kind = Kind::kNone;
  bool has_bool = false, has_other = false, ragged = false, has_scalar = false;

 private:
  bool Visit(PyObject* value, size_t depth) {
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) return VisitList(value, depth);
    if (depth < dims.size() || (depth > dims.size() && leaf_seen_)) ragged = true;
    if (leaf_seen_ && depth != leaf_depth_) ragged = true;
    leaf_seen_ = true;
    leaf_depth_ = depth;
    return VisitItem(value);
  }

  bool VisitList(PyObject* list, size_t depth) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    if (depth == dims.size()) {
      if (leaf_seen_) ragged = true;
      dims.push_back(n);
    } else if (dims[depth] != n) {
      ragged = true;
    }
    if (depth >= kMaxValueDepth) RaiseTooDeep();
    PyObject** inside = PySequence_Fast_ITEMS(list);
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (!Visit(inside[i], depth + 1)) return false;
    }
    return true;
  }

  bool VisitItem(PyObject* value) {
    Kind found;
    if (PyBool_Check(value)) {
      found = Kind::kBool;
      has_bool = true;
    } else if (PyLong_Check(value)) {
      found = Kind::kInt;
    } else if (PyFloat_CheckExact(value)) {
      found = Kind::kFloat;
    } else if (PyComplex_CheckExact(value)) {
      found = Kind::kComplex;
    } else if (IsText(value)) {
      found = Kind::kText;
    } else if (IsNumpyScalar(value)) {
      has_scalar = true;
      found = Kind::kNone;
    } else {
      return false;
    }
    if (found != Kind::kBool) has_other = true;
    kind = std::max(kind, found);
    items.push_back(value);
    return true;
  }

  bool leaf_seen_ = false;
  size_t leaf_depth_ = 0;
};

[[noreturn]] void RaiseMisfit(DType want, PyObject* item) {
  const std::string text = PyUnicode_Check(item) ? ToText(item) : Repr(item);
  RaiseTypeError("Expected ", PublicName(want), ", but got ", text, " of type '",
                 Py_TYPE(item)->tp_name, "'.");
}

template <class T>
T ToNumber(PyObject* item, DType want) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!PyBool_Check(item)) RaiseMisfit(want, item);
    return item == Py_True;
  } else if constexpr (std::is_integral_v<T>) {
    if (PyBool_Check(item) || !PyLong_Check(item)) RaiseMisfit(want, item);
    // Integers that are too large wrap around, as in arrays of numpy that are converted.
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (overflow == 0) return static_cast<T>(v);
    const unsigned long long big = PyLong_AsUnsignedLongLong(item);
    if (PyErr_Occurred()) throw PythonError();
    return static_cast<T>(big);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    if (PyBool_Check(item) || IsText(item)) RaiseMisfit(want, item);
    const Py_complex c = PyComplex_AsCComplex(item);
    if (PyErr_Occurred()) throw PythonError();
    return T(static_cast<typename T::value_type>(c.real),
             static_cast<typename T::value_type>(c.imag));
  } else {
    if (PyBool_Check(item) || IsText(item) || PyComplex_Check(item)) RaiseMisfit(want, item);
    const double v = PyFloat_AsDouble(item);
    if (v == -1 && PyErr_Occurred()) throw PythonError();
    if constexpr (std::is_same_v<T, double>) {
      return v;
    } else {
      return T(static_cast<float>(v));
    }
  }
}

template <class T>
void Fill(const std::vector<PyObject*>& items, DType dtype, Tensor* t) {
  T* out = static_cast<T*>(t->raw_data());
  for (PyObject* item : items) *out++ = ToNumber<T>(item, dtype);
}

void FillText(const std::vector<PyObject*>& items, Tensor* t) {
  std::string* out = t->mutable_data<std::string>();
  for (PyObject* item : items) {
    if (!IsText(item)) RaiseMisfit(DType::kString, item);
    *out++ = ToText(item);
  }
}

void FillAny(const std::vector<PyObject*>& items, Tensor* t) {
  const DType dtype = t->dtype();
  switch (dtype) {
    case DType::kFloat: return Fill<float>(items, dtype, t);
    case DType::kDouble: return Fill<double>(items, dtype, t);
    case DType::kHalf: return Fill<Half>(items, dtype, t);
    case DType::kBFloat16: return Fill<BFloat16>(items, dtype, t);
    case DType::kInt8:
    case DType::kQInt8: return Fill<int8_t>(items, dtype, t);
    case DType::kInt16:
    case DType::kQInt16: return Fill<int16_t>(items, dtype, t);
    case DType::kInt32:
    case DType::kQInt32: return Fill<int32_t>(items, dtype, t);
    case DType::kInt64: return Fill<int64_t>(items, dtype, t);
    case DType::kUInt8:
    case DType::kQUInt8: return Fill<uint8_t>(items, dtype, t);
    case DType::kUInt16:
    case DType::kQUInt16: return Fill<uint16_t>(items, dtype, t);
    case DType::kUInt32: return Fill<uint32_t>(items, dtype, t);
    case DType::kUInt64: return Fill<uint64_t>(items, dtype, t);
    case DType::kBool: return Fill<bool>(items, dtype, t);
    case DType::kComplex64: return Fill<std::complex<float>>(items, dtype, t);
    case DType::kComplex128: return Fill<std::complex<double>>(items, dtype, t);
    case DType::kString: return FillText(items, t);
    default:
      RaiseTypeError("a value of ", DTypeName(dtype), " cannot be created from Python objects");
  }
}

template <class T>
bool Fits(PyObject* item) {
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(item, &overflow);
  if (overflow == 0) return std::in_range<T>(v);
  if (!std::is_same_v<T, uint64_t>) return false;
  PyLong_AsUnsignedLongLong(item);
  const bool fits = PyErr_Occurred() == nullptr;
  PyErr_Clear();
  return fits;
}

// Returns the first of int32, int64 and uint64 that has all of the integers.
DType IntegerType(const Reader& r, PyObject* value) {
  if (std::ranges::all_of(r.items, Fits<int32_t>)) return DType::kInt32;
  if (std::ranges::all_of(r.items, Fits<int64_t>)) return DType::kInt64;
  if (std::ranges::all_of(r.items, Fits<uint64_t>)) return DType::kUInt64;
  RaiseTypeError("Failed to convert elements of ", Repr(value),
                 " to Tensor. Consider casting elements to a supported type. See "
                 "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.");
}

DType DefaultType(const Reader& r, PyObject* value) {
  switch (r.kind) {
    case Kind::kNone: return DType::kFloat;
    case Kind::kBool: return DType::kBool;
    case Kind::kInt: return IntegerType(r, value);
    case Kind::kFloat: return DType::kFloat;
    case Kind::kComplex: return DType::kComplex128;
    case Kind::kText: return DType::kString;
  }
  return DType::kFloat;
}

bool Prefers(const Reader& r, DType preferred) {
  switch (r.kind) {
    case Kind::kNone: return true;
    case Kind::kBool: return preferred == DType::kBool;
    case Kind::kInt: return preferred != DType::kBool && preferred != DType::kString;
    case Kind::kFloat: return IsFloating(preferred) || IsComplex(preferred);
    case Kind::kComplex: return IsComplex(preferred);
    case Kind::kText: return preferred == DType::kString;
  }
  return false;
}

void CheckMixed(const Reader& r, DType dtype) {
  if (!r.has_bool || !r.has_other) return;
  for (PyObject* item : r.items) {
    const bool fits = (dtype == DType::kBool) == bool(PyBool_Check(item));
    if (!fits) RaiseMisfit(dtype, item);
  }
}

// Reports whether a list of numbers of dtype `own` may become a tensor of dtype `preferred`.
bool PrefersList(DType own, DType preferred) {
  if (own == DType::kBool || preferred == DType::kBool) return own == preferred;
  if (IsInteger(own)) return IsInteger(preferred) || IsFloating(preferred) || IsComplex(preferred);
  if (IsFloating(own)) return IsFloating(preferred) || IsComplex(preferred);
  return IsComplex(own) && IsComplex(preferred);
}

// Returns an int64 tensor as int32 if all of its numbers fit.
Tensor Narrowed(Tensor wide) {
  const std::span<const int64_t> numbers = wide.flat<int64_t>();
  if (!std::ranges::all_of(numbers, [](int64_t v) { return std::in_range<int32_t>(v); })) {
    return wide;
  }
  Tensor narrow = Value(Tensor::Allocate(DType::kInt32, wide.shape()));
  std::ranges::transform(numbers, narrow.mutable_data<int32_t>(),
                         [](int64_t v) { return static_cast<int32_t>(v); });
  return narrow;
}

// Converts lists that contain numpy scalars to an array first. Without a dtype, float64 and int64
// numbers become float and int32, like Python numbers.
Tensor ThroughNumpy(PyObject* value, DType want, DType preferred) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("array")(nb::handle(value));
  const DType own = ArrayDType(array.ptr());
  if (want == DType::kInvalid && PrefersList(own, preferred)) want = preferred;
  if (want != DType::kInvalid) return FromArray(array.ptr(), want, false);
  Tensor t = FromArray(array.ptr(), own == DType::kDouble ? DType::kFloat : own, false);
  return own == DType::kInt64 ? Narrowed(std::move(t)) : t;
}

}  // namespace

bool IntegerFits(PyObject* value, DType dtype) {
  switch (dtype) {
    case DType::kInt8: return Fits<int8_t>(value);
    case DType::kInt16: return Fits<int16_t>(value);
    case DType::kInt32: return Fits<int32_t>(value);
    case DType::kInt64: return Fits<int64_t>(value);
    case DType::kUInt8: return Fits<uint8_t>(value);
    case DType::kUInt16: return Fits<uint16_t>(value);
    case DType::kUInt32: return Fits<uint32_t>(value);
    case DType::kUInt64: return Fits<uint64_t>(value);
    default: return true;
  }
}

Tensor FromValue(PyObject* value, DType want, DType preferred) {
  Reader r;
  if (!r.Read(value)) return Tensor();
  if (r.ragged) {
    RaiseValueError("Can't convert non-rectangular Python sequence to Tensor.");
  }
  if (r.has_scalar) return ThroughNumpy(value, want, preferred);
  DType dtype = want;
  if (dtype == DType::kInvalid) {
    dtype =
        preferred != DType::kInvalid && Prefers(r, preferred) ? preferred : DefaultType(r, value);
  }
  CheckMixed(r, dtype);
  Shape shape = Value(Shape::Make(r.dims));
  Tensor t = Value(Tensor::Allocate(dtype, shape));
  FillAny(r.items, &t);
  return t;
}

}  // namespace ramet::python
