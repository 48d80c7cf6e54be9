#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include "core.h"

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <cstring>
#include <utility>

namespace ramet::python {
namespace {

// Arrays whose tensors have been destroyed. A kernel's thread does not have the GIL, so they are
// released the next time that it is held.
class Releases {
 public:
  static Releases& Instance() {
    static Releases* const releases = new Releases;
    return *releases;
  }
  void Add(PyObject* object) {
    MutexLock lock(mutex_);
    objects_.push_back(object);
    any_.store(true, std::memory_order_release);
  }
  void Drain() {
    if (!any_.load(std::memory_order_acquire)) return;
    std::vector<PyObject*> objects;
    {
      MutexLock lock(mutex_);
      objects.swap(objects_);
      any_ = false;
    }
    for (PyObject* object : objects) Py_DECREF(object);
  }

 private:
  Mutex mutex_;
  std::vector<PyObject*> objects_ RAMET_GUARDED_BY(mutex_);
  std::atomic<bool> any_ = false;
};

// The memory of a numpy array, which the caller may change after the run.
class ArrayBuffer final : public Buffer {
 public:
  explicit ArrayBuffer(PyArrayObject* array)
      : Buffer(PyArray_DATA(array), PyArray_NBYTES(array), nullptr, /*borrowed=*/true),
        array_(Py_NewRef(reinterpret_cast<PyObject*>(array))) {}

 private:
  void Dispose() override {
    Releases::Instance().Add(array_);
    delete this;
  }
  PyObject* array_;
};

constexpr int kDTypes = 24;
PyArray_Descr* descriptors[kDTypes] = {};

int TypeNumber(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return NPY_FLOAT32;
    case DType::kDouble: return NPY_FLOAT64;
    case DType::kInt32: return NPY_INT32;
    case DType::kUInt8: return NPY_UINT8;
    case DType::kInt16: return NPY_INT16;
    case DType::kInt8: return NPY_INT8;
    case DType::kString: return NPY_OBJECT;
    case DType::kComplex64: return NPY_COMPLEX64;
    case DType::kComplex128: return NPY_COMPLEX128;
    case DType::kInt64: return NPY_INT64;
    case DType::kBool: return NPY_BOOL;
    case DType::kUInt16: return NPY_UINT16;
    case DType::kUInt32: return NPY_UINT32;
    case DType::kUInt64: return NPY_UINT64;
    case DType::kHalf: return NPY_FLOAT16;
    default: return -1;
  }
}

DType FromTypeNumber(int number) {
  switch (number) {
    case NPY_FLOAT32: return DType::kFloat;
    case NPY_FLOAT64: return DType::kDouble;
    case NPY_BOOL: return DType::kBool;
    case NPY_FLOAT16: return DType::kHalf;
    case NPY_COMPLEX64: return DType::kComplex64;
    case NPY_COMPLEX128: return DType::kComplex128;
    case NPY_STRING:
    case NPY_UNICODE: return DType::kString;
    default: return DType::kInvalid;
  }
}

// Returns the dtype of a numpy integer type. A family differs in size only, and "long long" is one
// more type of 64 bits.
DType IntegerType(char kind, int size) {
  const bool is_signed = kind == 'i';
  switch (size) {
    case 1: return is_signed ? DType::kInt8 : DType::kUInt8;
    case 2: return is_signed ? DType::kInt16 : DType::kUInt16;
    case 4: return is_signed ? DType::kInt32 : DType::kUInt32;
    case 8: return is_signed ? DType::kInt64 : DType::kUInt64;
    default: return DType::kInvalid;
  }
}

// Returns the dtype of types without a fixed numpy number: bfloat16 of another package, and
// quantized types, which are records.
DType AskDType(PyArray_Descr* descr) {
  nb::object dtype =
      nb::steal(PyObject_CallOneArg(TheHooks().as_dtype, reinterpret_cast<PyObject*>(descr)));
  if (!dtype.is_valid()) {
    PyErr_Clear();
    return DType::kInvalid;
  }
  const DType found = ToDType(dtype.ptr());
  const int number = static_cast<int>(found);
  if (number >= kDTypes || TypeNumber(found) >= 0) return DType::kInvalid;
  Py_INCREF(descr);
  Py_XDECREF(std::exchange(descriptors[number], descr));
  return found;
}

DType DTypeOfDescr(PyArray_Descr* descr) {
  const DType simple = FromTypeNumber(descr->type_num);
  if (simple != DType::kInvalid) return simple;
  if (descr->kind == 'i' || descr->kind == 'u') {
    return IntegerType(descr->kind, static_cast<int>(PyDataType_ELSIZE(descr)));
  }
  for (int i = 1; i < kDTypes; ++i) {
    if (descriptors[i] && TypeNumber(static_cast<DType>(i)) < 0 &&
        PyArray_EquivTypes(descriptors[i], descr)) {
      return static_cast<DType>(i);
    }
  }
  return descr->type_num == NPY_OBJECT ? DType::kInvalid : AskDType(descr);
}

PyArray_Descr* Descr(DType dtype) {
  const int number = static_cast<int>(dtype);
  PyArray_Descr* descr = number > 0 && number < kDTypes ? descriptors[number] : nullptr;
  if (descr != nullptr) return descr;
  if (number > 0 && number < kDTypes) {
    nb::object type = nb::steal(WrapDType(dtype));
    nb::object numpy = nb::steal(PyObject_GetAttrString(type.ptr(), "as_numpy_dtype"));
    if (numpy.is_valid() && PyArray_DescrConverter(numpy.ptr(), &descr) == NPY_SUCCEED) {
      return descriptors[number] = descr;
    }
    PyErr_Clear();
  }
  RaiseTypeError("values of ", DTypeName(dtype), " cannot be converted to numpy");
}

void SetText(std::string* out, PyObject* item) {
  if (PyBytes_Check(item)) {
    out->assign(PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item));
  } else if (PyUnicode_Check(item)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item, &size);
    if (text == nullptr) throw PythonError();
    out->assign(text, size);
  } else {
    RaiseTypeError("Unsupported object type ", Py_TYPE(item)->tp_name);
  }
}

Shape ShapeOfArray(PyArrayObject* array) {
  std::vector<int64_t> dims(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  return Shape(std::span<const int64_t>(dims));
}

Tensor StringsFromArray(PyArrayObject* array) {
  nb::object objects = nb::steal(
      Checked(PyArray_FromAny(reinterpret_cast<PyObject*>(array), PyArray_DescrFromType(NPY_OBJECT),
                              0, 0, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_FORCECAST, nullptr)));
  auto* from = reinterpret_cast<PyArrayObject*>(objects.ptr());
  Tensor t = Value(Tensor::Allocate(DType::kString, ShapeOfArray(from)));
  auto** items = static_cast<PyObject**>(PyArray_DATA(from));
  std::span<std::string> out = t.mutable_flat<std::string>();
  for (size_t i = 0; i < out.size(); ++i) SetText(&out[i], items[i]);
  return t;
}

PyObject* StringsToArray(const Tensor& t) {
  auto bytes = [](const std::string& s) {
    return Checked(PyBytes_FromStringAndSize(s.data(), s.size()));
  };
  if (t.rank() == 0) return bytes(t.scalar<std::string>());
  std::vector<npy_intp> dims(t.shape().dims().begin(), t.shape().dims().end());
  nb::object array = nb::steal(Checked(PyArray_SimpleNew(t.rank(), dims.data(), NPY_OBJECT)));
  auto** items =
      static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
  std::span<const std::string> from = t.flat<std::string>();
  for (size_t i = 0; i < from.size(); ++i) {
    PyObject* old = items[i];
    items[i] = bytes(from[i]);
    Py_XDECREF(old);
  }
  return array.release().ptr();
}

constexpr size_t kCopyBelow = 4096;  // bytes; sharing a smaller block costs more than copying it

void FreeShared(PyObject* capsule) {
  BufferPtr::Adopt(static_cast<Buffer*>(PyCapsule_GetPointer(capsule, nullptr)));
}

// Returns an array that uses the tensor's own buffer, which nothing else refers to.
PyObject* ShareWithArray(const Tensor& t, std::vector<npy_intp>& dims) {
  PyArray_Descr* descr = Descr(t.dtype());
  Py_INCREF(descr);
  nb::object array =
      nb::steal(Checked(PyArray_NewFromDescr(&PyArray_Type, descr, t.rank(), dims.data(), nullptr,
                                             t.raw_data(), NPY_ARRAY_CARRAY, nullptr)));
  t.buffer()->Ref();
  PyObject* owner = Checked(PyCapsule_New(t.buffer().get(), nullptr, FreeShared));
  Checked(PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.ptr()), owner));
  return array.release().ptr();
}

// Integers and bools are copied: the program may change the array while a run reads it.
bool CanBorrow(PyArrayObject* array, DType dtype) {
  return MayStayShared(dtype) && static_cast<size_t>(PyArray_NBYTES(array)) >= kCopyBelow &&
         PyArray_ISCARRAY_RO(array) && DTypeSize(dtype) == size_t(PyArray_ITEMSIZE(array)) &&
         reinterpret_cast<uintptr_t>(PyArray_DATA(array)) % 16 == 0;
}

}  // namespace

bool IsArray(PyObject* value) { return PyArray_Check(value); }
bool IsNumpyScalar(PyObject* value) { return PyArray_IsScalar(value, Generic); }

DType ArrayDType(PyObject* array) {
  return DTypeOfDescr(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array)));
}

PyObject* NumpyDType(DType dtype) { return reinterpret_cast<PyObject*>(Descr(dtype)); }

Tensor FromArray(PyObject* value, DType dtype, bool borrow) {
  nb::object held;
  if (IsNumpyScalar(value)) {
    held = nb::steal(Checked(PyArray_FromScalar(value, nullptr)));
    value = held.ptr();
  }
  if (!IsArray(value)) return Tensor();
  auto* array = reinterpret_cast<PyArrayObject*>(value);
  const DType own = DTypeOfDescr(PyArray_DESCR(array));
  if (dtype == DType::kInvalid) {
    dtype = own != DType::kInvalid                         ? own
            : PyArray_DESCR(array)->type_num == NPY_OBJECT ? DType::kString
                                                           : DType::kInvalid;
  }
  if (dtype == DType::kInvalid) {
    RaiseTypeError("Unsupported numpy dtype ",
                   nb::str(nb::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array)))).c_str());
  }
  if (dtype == DType::kString) return StringsFromArray(array);
  if (own == dtype && borrow && CanBorrow(array, dtype)) {
    return Tensor(dtype, ShapeOfArray(array), BufferPtr::Adopt(new ArrayBuffer(array)));
  }
  PyArray_Descr* descr = Descr(dtype);
  Tensor t = Value(Tensor::Allocate(dtype, ShapeOfArray(array)));
  if (own == dtype && PyArray_ISCARRAY_RO(array)) {
    std::memcpy(t.raw_data(), PyArray_DATA(array), t.bytes());
    NormalizeBools(&t);
    return t;
  }
  Py_INCREF(descr);
  nb::object target = nb::steal(
      Checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(array), PyArray_DIMS(array),
                                   nullptr, t.raw_data(), NPY_ARRAY_CARRAY, nullptr)));
  Checked(PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(target.ptr()), array));
  NormalizeBools(&t);
  return t;
}

DType PreferredForArray(PyObject* value, DType preferred) {
  const auto is_number = [](DType t) {
    return IsInteger(t) || IsFloating(t) || IsComplex(t) || t == DType::kBool;
  };
  if (!is_number(preferred)) return DType::kInvalid;
  nb::object held;
  if (IsNumpyScalar(value)) {
    held = nb::steal(Checked(PyArray_FromScalar(value, nullptr)));
    value = held.ptr();
  }
  if (!IsArray(value)) return DType::kInvalid;
  const DType own = ArrayDType(value);
  if (!is_number(own) || (IsComplex(own) && !IsComplex(preferred))) return DType::kInvalid;
  return preferred;
}

PyObject* WrapTensor(Tensor t) {
  Releases::Instance().Drain();
  if (t.empty()) Py_RETURN_NONE;
  if (t.dtype() == DType::kString) return StringsToArray(t);
  if (t.rank() == 0) return Checked(PyArray_Scalar(t.raw_data(), Descr(t.dtype()), nullptr));
  std::vector<npy_intp> dims(t.shape().dims().begin(), t.shape().dims().end());
  if (t.bytes() >= kCopyBelow && t.unique()) return ShareWithArray(t, dims);
  PyArray_Descr* descr = Descr(t.dtype());
  Py_INCREF(descr);
  PyObject* array = Checked(PyArray_NewFromDescr(&PyArray_Type, descr, t.rank(), dims.data(),
                                                 nullptr, nullptr, 0, nullptr));
  if (t.bytes() > 0) {
    std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)), t.raw_data(), t.bytes());
  }
  return array;
}

void ImportNumpy() {
  if (_import_array() < 0) throw nb::python_error();
  for (int i = 1; i < kDTypes; ++i) {
    const int number = TypeNumber(static_cast<DType>(i));
    if (number >= 0) descriptors[i] = PyArray_DescrFromType(number);
  }
}

}  // namespace ramet::python
