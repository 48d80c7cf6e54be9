#include "ramet/replica/signature.h"

#include <unordered_map>

#include "ramet/base/json.h"
#include "ramet/base/strings.h"
#include "ramet/replica/conversions.h"
#include "ramet/tensor/tensor.h"

namespace ramet {
namespace {

constexpr size_t kMaxDifferences = 5;

Status Damaged(std::string_view what) {
  return InvalidArgument("the publisher's list of variables is damaged: ", what);
}

StatusOr<DType> DTypeFromJson(const Json& json, const char* field) {
  if (!json.contains(field) || !json[field].is_string()) {
    return Damaged(StrCat("an entry has no ", field));
  }
  return ParseDType(json[field].get<std::string>());
}

StatusOr<VariableSpec> SpecFromJson(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() ||
      !json.contains("shape") || !json["shape"].is_array()) {
    return Damaged("an entry lacks name or shape");
  }
  VariableSpec spec;
  spec.name = json["name"].get<std::string>();
  RAMET_ASSIGN_OR_RETURN(spec.dtype, DTypeFromJson(json, "dtype"));
  std::vector<int64_t> dims;
  for (const Json& dim : json["shape"]) {
    if (!dim.is_number_integer()) {
      return Damaged(StrCat("the shape of '", spec.name, "' is invalid"));
    }
    dims.push_back(dim.get<int64_t>());
  }
  RAMET_ASSIGN_OR_RETURN(spec.shape, Shape::Make(dims));
  RAMET_RETURN_IF_ERROR(TensorBytes(spec.dtype, spec.shape).status());
  if (json.contains("source") && json["source"].is_string()) {
    spec.source = json["source"].get<std::string>();
  }
  if (json.contains("source_dtype")) {
    RAMET_ASSIGN_OR_RETURN(spec.source_dtype, DTypeFromJson(json, "source_dtype"));
    RAMET_RETURN_IF_ERROR(TensorBytes(spec.source_dtype, spec.shape).status());
  }
  if (json.contains("scales") && json["scales"].is_string()) {
    spec.scales = json["scales"].get<std::string>();
  }
  return spec;
}

bool HasItsScales(const VariableSpec& spec, const VariableSpec* scales) {
  if (scales == nullptr || spec.dtype != kInt8 || !IsFloating(spec.source_dtype)) return false;
  return scales->shape == ScalesShape(spec.shape) &&
         scales->dtype == ScalesDType(spec.source_dtype);
}

// Checks that only floating-point values are converted: to a floating-point type, or to int8 with
// scales.
Status CheckConversions(const ReplicaSignature& signature) {
  std::unordered_map<std::string_view, const VariableSpec*> by_name;
  for (const VariableSpec& spec : signature) by_name[spec.name] = &spec;
  for (const VariableSpec& spec : signature) {
    if (!spec.scales.empty()) {
      const auto found = by_name.find(spec.scales);
      if (HasItsScales(spec, found == by_name.end() ? nullptr : found->second)) continue;
      return Damaged(StrCat("the scales of '", spec.name, "' are missing or do not fit"));
    }
    if (spec.decoded_dtype() == spec.dtype) continue;
    if (!IsFloating(spec.dtype) || !IsFloating(spec.source_dtype)) {
      return Damaged(StrCat("the dtypes of '", spec.name, "' do not fit together"));
    }
  }
  return OkStatus();
}

std::string Describe(const VariableSpec& spec) {
  return StrCat(DTypeName(spec.decoded_dtype()), spec.shape);
}

}  // namespace

std::string SignatureToJson(const ReplicaSignature& signature) {
  Json list = Json::array();
  for (const VariableSpec& spec : signature) {
    Json shape = Json::array();
    for (int64_t dim : spec.shape.dims()) shape.push_back(dim);
    Json entry = {{"name", spec.name}, {"dtype", DTypeName(spec.dtype)}, {"shape", shape}};
    if (!spec.source.empty()) entry["source"] = spec.source;
    if (spec.source_dtype != DType::kInvalid) entry["source_dtype"] = DTypeName(spec.source_dtype);
    if (!spec.scales.empty()) entry["scales"] = spec.scales;
    list.push_back(std::move(entry));
  }
  return PrintJson(list);
}

StatusOr<ReplicaSignature> SignatureFromJson(std::string_view text) {
  const StatusOr<Json> json = ParseJson(text);
  if (!json.ok() || !json->is_array()) return Damaged("it is not a list");
  ReplicaSignature signature;
  std::unordered_map<std::string, int> seen;
  for (const Json& entry : *json) {
    RAMET_ASSIGN_OR_RETURN(VariableSpec spec, SpecFromJson(entry));
    if (seen[spec.name]++ > 0) return Damaged(StrCat("'", spec.name, "' is listed twice"));
    signature.push_back(std::move(spec));
  }
  RAMET_RETURN_IF_ERROR(CheckConversions(signature));
  return signature;
}

Status CheckOffers(const ReplicaSignature& offered, const ReplicaSignature& wanted) {
  std::unordered_map<std::string_view, const VariableSpec*> by_name;
  for (const VariableSpec& spec : offered) by_name[spec.name] = &spec;
  std::vector<std::string> differences;
  size_t count = 0;
  auto differ = [&](std::string text) {
    if (++count <= kMaxDifferences) differences.push_back(std::move(text));
  };
  for (const VariableSpec& want : wanted) {
    const auto found = by_name.find(want.name);
    if (found == by_name.end()) {
      differ(StrCat("'", want.name, "' (", Describe(want), ") is not published"));
    } else if (const VariableSpec& have = *found->second;
               have.decoded_dtype() != want.dtype || !want.shape.IsCompatibleWith(have.shape)) {
      differ(StrCat("'", want.name, "' is ", Describe(want), " in the graph and ", Describe(have),
                    " as published"));
    }
  }
  if (count == 0) return OkStatus();
  if (count > kMaxDifferences) {
    differences.push_back(StrCat("and ", count - kMaxDifferences, " more"));
  }
  return FailedPrecondition("the published variables do not fit the graph: ",
                            StrJoin(differences, "; "));
}

}  // namespace ramet
