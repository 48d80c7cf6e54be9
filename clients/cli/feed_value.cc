#include "feed_value.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "npy.h"

namespace cli {
namespace {

namespace rm = ramet;
using nlohmann::json;

constexpr int kMaxDims = 16;

// Returns the shape given by the first element at each level of nesting. It is the shape of the
// value if the lists are rectangular.
rm::Shape ShapeOf(const json& value) {
  std::vector<int64_t> dims;
  const json* at = &value;
  while (at->is_array() && static_cast<int>(dims.size()) < kMaxDims) {
    dims.push_back(static_cast<int64_t>(at->size()));
    if (at->empty()) break;
    at = &at->front();
  }
  return rm::Shape(dims);
}

// Appends the elements in row-major order. Returns false if the lists do not have that shape.
bool Flatten(const json& value, std::span<const int64_t> dims, std::vector<const json*>* out) {
  if (dims.empty()) {
    out->push_back(&value);
    return !value.is_structured();
  }
  if (!value.is_array() || static_cast<int64_t>(value.size()) != dims[0]) return false;
  for (const json& element : value) {
    if (!Flatten(element, dims.subspan(1), out)) return false;
  }
  return true;
}

template <class T>
rm::Tensor Gather(const std::vector<const json*>& elements, const rm::Shape& shape) {
  rm::Tensor tensor(rm::DTypeOf<T>::value, shape);
  for (size_t i = 0; i < elements.size(); ++i) tensor.mutable_data<T>()[i] = elements[i]->get<T>();
  return tensor;
}

bool All(const std::vector<const json*>& elements, bool (*is)(const json&)) {
  return std::ranges::all_of(elements, [is](const json* e) { return is(*e); });
}

rm::StatusOr<rm::Tensor> TensorOf(const json& value, rm::DType dtype) {
  const rm::Shape shape = ShapeOf(value);
  std::vector<const json*> elements;
  if (!Flatten(value, shape.dims(), &elements)) {
    return rm::InvalidArgument("the nested lists have different lengths or depths");
  }
  if (elements.empty()) return rm::Tensor::Allocate(dtype, shape);
  if (All(elements, [](const json& e) { return e.is_string(); })) {
    return Gather<std::string>(elements, shape);
  }
  if (All(elements, [](const json& e) { return e.is_boolean(); })) {
    return Gather<bool>(elements, shape);
  }
  if (All(elements, [](const json& e) { return e.is_number_integer(); })) {
    const bool large = !All(elements, [](const json& e) {
      return !e.is_number_unsigned() || e.get<uint64_t>() <= uint64_t{INT64_MAX};
    });
    if (!large) return Gather<int64_t>(elements, shape);
    return Gather<uint64_t>(elements, shape);
  }
  if (All(elements, [](const json& e) { return e.is_number(); })) {
    return Gather<double>(elements, shape);
  }
  return rm::InvalidArgument("expected only numbers, only strings or only booleans");
}

// Reports whether casting `cast` back to the dtype of `value` restores every element.
rm::StatusOr<bool> Survives(const rm::Tensor& value, const rm::Tensor& cast) {
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor back, CastTensor(cast, value.dtype()));
  return back.BitwiseEquals(value);
}

rm::StatusOr<rm::Tensor> Fit(const rm::Tensor& value, rm::DType dtype) {
  if (value.dtype() == dtype) return value;
  const bool to_fraction = rm::IsFloating(dtype) || rm::IsComplex(dtype);
  const bool number = rm::IsInteger(value.dtype()) || rm::IsFloating(value.dtype());
  const bool complex = rm::IsComplex(value.dtype()) && rm::IsComplex(dtype);
  if ((number && to_fraction) || complex) return CastTensor(value, dtype);
  if (rm::IsInteger(value.dtype()) && rm::IsInteger(dtype)) {
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor cast, CastTensor(value, dtype));
    RAMET_ASSIGN_OR_RETURN(const bool same, Survives(value, cast));
    if (same) return cast;
    return rm::InvalidArgument("a number does not fit in ", rm::DTypeName(dtype));
  }
  return rm::InvalidArgument("the value is ", rm::DTypeName(value.dtype()), value.shape(),
                             ", but the graph expects ", rm::DTypeName(dtype));
}

rm::StatusOr<rm::Tensor> ReadAny(const std::string& text, rm::DType dtype) {
  std::error_code ignored;
  if (text.ends_with(".npy") || std::filesystem::is_regular_file(text, ignored)) {
    return ReadNpy(text);
  }
  const json value = json::parse(text, nullptr, false);
  if (!value.is_discarded() && !value.is_object()) return TensorOf(value, dtype);
  return rm::InvalidArgument(
      "there is no such file, and it is not a JSON value such as 1.5, [[1,2],[3,4]], true or "
      "\"text\"");
}

}  // namespace

rm::StatusOr<rm::Tensor> CastTensor(const rm::Tensor& value, rm::DType dtype) {
  if (value.dtype() == dtype) return value;
  rm::Graph graph;
  const rm::Output x = rm::Scope(graph).Placeholder("x", value.dtype());
  const rm::Output y = rm::Cast(x, dtype);
  RAMET_ASSIGN_OR_RETURN(rm::Session session, rm::Session::Create(graph));
  return session.Run({{x, value}}, y);
}

rm::StatusOr<rm::Tensor> ReadFeedValue(const std::string& text, rm::DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, ReadAny(text, dtype));
  return Fit(value, dtype);
}

}  // namespace cli
