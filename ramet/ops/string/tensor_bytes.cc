#include <algorithm>

#include "ramet/ops/math/types.h"
#include "ramet/ops/string/map.h"
#include "ramet/tensor/outside_values.h"
#include "ramet/tensor/tensor_proto.h"

// Conversion of tensors to and from bytes in strings.

namespace ramet {
namespace {

// Reverses the byte order of numbers; a complex number has two parts.
template <class T>
void SwapBytes(char* begin, char* end) {
  constexpr bool kTwo =
      std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
  constexpr size_t kWidth = kTwo ? sizeof(T) / 2 : sizeof(T);
  for (; begin != end; begin += kWidth) std::reverse(begin, begin + kWidth);
}

template <class T>
class DecodeRawKernel final : public Kernel {
 public:
  explicit DecodeRawKernel(bool little_endian) : little_endian_(little_endian) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<DecodeRawKernel>(node.attrs->GetOr("little_endian", true));
  }

  Status Compute(KernelContext& c) override {
    const std::span<const std::string> texts = c.input(0).flat<std::string>();
    const size_t size = texts.empty() ? 0 : texts[0].size();
    RAMET_RETURN_IF_ERROR(Check(texts, size));
    Shape shape = c.input(0).shape();
    shape.Append(static_cast<int64_t>(size / sizeof(T)));
    RAMET_ASSIGN_OR_RETURN(shape, Shape::Make(shape.dims()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, shape));
    char* out = reinterpret_cast<char*>(y->mutable_data<T>());
    for (const std::string& text : texts) out = std::ranges::copy(text, out).out;
    NormalizeBools(y);
    if (!little_endian_) SwapBytes<T>(reinterpret_cast<char*>(y->mutable_data<T>()), out);
    return OkStatus();
  }

 private:
  static Status Check(std::span<const std::string> texts, size_t size) {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].size() == size) continue;
      return InvalidArgument(
          "DecodeRaw requires input strings to all be the same size, but element ", i, " has size ",
          size, " != ", texts[i].size());
    }
    if (size % sizeof(T) == 0) return OkStatus();
    return InvalidArgument("Input to DecodeRaw has length ", size, " that is not a multiple of ",
                           sizeof(T), ", the size of ", DTypeName(DTypeOf<T>::value));
  }
  const bool little_endian_;
};

Status DecodeRawShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  if (!x.unknown_rank()) c.set_output(0, x.Concatenate(Shape{Shape::kUnknownDim}));
  return OkStatus();
}

template <class T>
class DecodePaddedRawKernel final : public Kernel {
 public:
  explicit DecodePaddedRawKernel(bool little_endian) : little_endian_(little_endian) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<DecodePaddedRawKernel>(node.attrs->GetOr("little_endian", true));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(1).rank() != 0) {
      return InvalidArgument("k must be scalar, got shape ", c.input(1).shape());
    }
    const int32_t length = c.input(1).scalar<int32_t>();
    if (length <= 0) {
      return InvalidArgument("fixed_length (", length, ") must be greater than zero.");
    }
    const auto width = static_cast<size_t>(length);
    if (width % sizeof(T) != 0) {
      return InvalidArgument("fixed_length (", length,
                             ") must be a multiple of the size of out_type (", sizeof(T), ")");
    }
    Shape shape = c.input(0).shape();
    shape.Append(static_cast<int64_t>(width / sizeof(T)));
    RAMET_ASSIGN_OR_RETURN(shape, Shape::Make(shape.dims()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, shape));
    char* const begin = reinterpret_cast<char*>(y->mutable_data<T>());
    char* out = begin;
    for (const std::string& text : c.input(0).flat<std::string>()) {
      const size_t taken = std::min(text.size(), width);
      out = std::copy_n(text.data(), taken, out);
      out = std::fill_n(out, width - taken, 0);
    }
    if (!little_endian_) SwapBytes<T>(begin, out);
    return OkStatus();
  }

 private:
  const bool little_endian_;
};

Status DecodePaddedRawShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_ASSIGN_OR_RETURN(const DType dtype, c.attr<DType>("out_type"));
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  int64_t width = Shape::kUnknownDim;
  if (const Tensor* length = c.constant(1)) {
    width = length->scalar<int32_t>();
    if (width < 0) {
      return InvalidArgument(
          "Dimension size, given by scalar input 1, must be non-negative but is ", width);
    }
    if (width % size != 0) {
      return InvalidArgument("Dimension size must be evenly divisible by ", size, " but is ",
                             width);
    }
    width /= size;
  }
  const Shape& x = c.input(0);
  if (!x.unknown_rank()) c.set_output(0, x.Concatenate(Shape{width}));
  return OkStatus();
}

template <class T>
Status Serialize(KernelContext& c) {
  TensorProto proto;
  const Tensor& x = c.input(0);
  if constexpr (std::is_same_v<T, std::string>) {
    RAMET_RETURN_IF_ERROR(TensorToProto(x, &proto));
  } else {
    proto.set_dtype(static_cast<DataType>(x.dtype()));
    ShapeToProto(x.shape(), proto.mutable_tensor_shape());
    if (x.num_elements() > 0) proto.set_tensor_content(x.raw_data(), x.num_elements() * sizeof(T));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kString, Shape()));
  std::string& out = *y->mutable_data<std::string>();
  if (proto.SerializeToString(&out)) return OkStatus();
  return InvalidArgument("the tensor of ", x.shape(),
                         " is too large for a TensorProto (limit 2 GiB)");
}

class ParseTensorKernel final : public Kernel {
 public:
  explicit ParseTensorKernel(DType type) : type_(type) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<ParseTensorKernel>(node.output_types[0]);
  }
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() != 0) {
      return InvalidArgument("Expected `serialized` to be a scalar, got shape: ", x.shape());
    }
    TensorProto proto;
    if (!proto.ParseFromString(x.scalar<std::string>())) {
      return InvalidArgument("Could not parse `serialized` as TensorProto");
    }
    StatusOr<Tensor> tensor = TensorFromProto(proto);
    if (!tensor.ok()) {
      return InvalidArgument("Cannot parse tensor from proto: ", tensor.status().message());
    }
    if (tensor->dtype() != type_) {
      return InvalidArgument("Type mismatch between parsed tensor (", DTypeName(tensor->dtype()),
                             ") and dtype (", DTypeName(type_), ")");
    }
    c.SetOutput(0, *std::move(tensor));
    return OkStatus();
  }

 private:
  const DType type_;
};

RAMET_OP("DecodePaddedRaw")
    .Input("input_bytes: string")
    .Input("fixed_length: int32")
    .Output("output: out_type")
    .Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}")
    .Attr("little_endian: bool = true")
    .Doc(
        "Returns the first fixed_length bytes of each string as numbers; shorter strings are "
        "padded with zeros. The output has a dimension more than the input. Error: fixed_length is "
        "not a positive multiple of the size of a number.")
    .HostMemory({"fixed_length"})
    .Shape(DecodePaddedRawShape)
    .NotDifferentiable()
    .CpuKernelClasses<DecodePaddedRawKernel, RAMET_FLOATS, int32_t, uint16_t, uint8_t, int16_t,
                      int8_t, int64_t>("out_type");

RAMET_OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, "
        "complex128, bool, bfloat16}")
    .Attr("little_endian: bool = true")
    .Doc(
        "Returns the bytes of strings of equal length as numbers. The output has the shape of "
        "`bytes` followed by one more dimension. Error: the lengths differ or are not a multiple "
        "of the size of a number.")
    .Shape(DecodeRawShape)
    .NotDifferentiable()
    .CpuKernelClasses<DecodeRawKernel, RAMET_FLOATS, int32_t, uint16_t, uint8_t, int16_t, int8_t,
                      int64_t, RAMET_COMPLEX, bool>("out_type");

RAMET_OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .Doc(
        "Returns the tensor as the bytes of a TensorProto, a scalar. Error: the tensor is too "
        "large for a TensorProto (2 GiB).")
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernels<RAMET_NUMBERS, bool, std::string>([]<class T>(KernelContext& c) {
      return Serialize<T>(c);
    });

RAMET_OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .Doc(
        "Returns the tensor in a scalar that holds the bytes of a TensorProto. Error: `serialized` "
        "is not a scalar or is malformed; the tensor has a different dtype than out_type.")
    .Shape(UnknownShape)
    .NotDifferentiable()
    .CpuKernelClass<ParseTensorKernel>();

}  // namespace
}  // namespace ramet
