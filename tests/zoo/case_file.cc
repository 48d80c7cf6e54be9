#include "case_file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "npy.h"

namespace ramet::zoo {
namespace {

using Json = nlohmann::json;
using Dims = std::vector<int64_t>;

// Returns a tensor of shape `dims`, where the index in `from` of each element is given by
// `position(dimension, index)` per dimension.
template <class Position>
Tensor Pick(const Tensor& from, const Dims& from_dims, const Dims& dims, Position position) {
  Tensor out(from.dtype(), *Shape::Make(dims));
  const size_t size = DTypeSize(from.dtype());
  const auto* source = static_cast<const char*>(from.raw_data());
  auto* target = static_cast<char*>(out.raw_data());
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) at = at * from_dims[d] + position(d, index[d]);
    std::memcpy(target + i * size, source + at * size, size);
    for (size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
  }
  return out;
}

// Like numpy.tile.
Tensor Tile(const Tensor& tensor, Dims reps) {
  Dims from(tensor.shape().dims().begin(), tensor.shape().dims().end());
  const size_t rank = std::max(from.size(), reps.size());
  from.insert(from.begin(), rank - from.size(), 1);
  reps.insert(reps.begin(), rank - reps.size(), 1);
  Dims dims(rank);
  for (size_t d = 0; d < rank; ++d) dims[d] = from[d] * reps[d];
  return Pick(tensor, from, dims, [&](size_t d, int64_t i) { return i % from[d]; });
}

StatusOr<std::string> DecodeBase64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : std::string_view(text).substr(0, text.find('='))) {
    const size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) return DataLoss("'", text, "' is not base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

StatusOr<Tensor> StringArray(const Json& spec) {
  RAMET_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(spec.at("shape").get<Dims>()));
  const Json& elements = spec.at("base64");
  Tensor tensor(kString, shape);
  if (static_cast<int64_t>(elements.size()) != tensor.num_elements()) {
    return DataLoss(elements.size(), " strings do not match shape ", shape);
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(tensor.mutable_data<std::string>()[i],
                           DecodeBase64(elements[i].get<std::string>()));
  }
  return tensor;
}

// Returns the array of an element of "feeds" or "expected", before "subsample".
StatusOr<Tensor> Array(const std::string& folder, const Json& spec) {
  if (spec.is_string()) return cli::ReadNpy(folder + "/" + spec.get<std::string>());
  RAMET_ASSIGN_OR_RETURN(const DType dtype, ParseDType(spec.at("dtype").get<std::string>()));
  if (dtype == kString) return StringArray(spec);
  const std::string file = spec.at("file");
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, cli::ReadNpy(folder + "/" + file));
  if (DTypeSize(tensor.dtype()) != DTypeSize(dtype)) {
    return DataLoss("'", file, "' has dtype ", DTypeName(tensor.dtype()), ", not the bits of ",
                    DTypeName(dtype));
  }
  tensor = Tensor(dtype, tensor.shape(), tensor.buffer());
  return spec.contains("tile") ? Tile(tensor, spec["tile"].get<Dims>()) : tensor;
}

StatusOr<Expected> ExpectedArray(const std::string& folder, const Json& spec) {
  Expected expected;
  RAMET_ASSIGN_OR_RETURN(expected.value, Array(folder, spec));
  if (!spec.is_object() || !spec.contains("subsample")) return expected;
  expected.strides = spec["subsample"].get<Dims>();
  RAMET_ASSIGN_OR_RETURN(expected.full_shape, Shape::Make(spec.at("shape").get<Dims>()));
  return expected;
}

// Converts the name of a TensorFlow class, such as "InvalidArgumentError", to that of CodeName.
std::string CodeOf(std::string error_class) {
  if (error_class.ends_with("Error")) error_class.resize(error_class.size() - 5);
  std::string code;
  for (unsigned char c : error_class) {
    if (std::isupper(c) && !code.empty()) code += '_';
    code += static_cast<char>(std::toupper(c));
  }
  return code;
}

StatusOr<Step> ReadStep(const std::string& folder, const Json& json) {
  Step step;
  step.comment = json.value("comment", "");
  step.rtol = json.value("rtol", 0.0);
  step.atol = json.value("atol", 0.0);
  step.fetches = json.at("fetches");
  step.targets = json.value("targets", std::vector<std::string>());
  for (const auto& [name, spec] : json.at("feeds").items()) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, Array(folder, spec));
    step.feeds.push_back({name, std::move(value)});
  }
  if (json.contains("error")) {
    step.error_code = CodeOf(json["error"].at("code"));
    step.error_message = json["error"].value("message_contains", "");
    return step;
  }
  for (const Json& spec : json.at("expected")) {
    RAMET_ASSIGN_OR_RETURN(step.expected.emplace_back(), ExpectedArray(folder, spec));
  }
  if (step.expected.size() != step.fetches.size()) {
    return DataLoss(step.fetches.size(), " fetches, ", step.expected.size(), " expected arrays");
  }
  return step;
}

std::string PathOf(const std::string& folder, const Json& files, const char* key) {
  return files.contains(key) ? folder + "/" + files[key].get<std::string>() : "";
}

StatusOr<Case> ReadCase(const std::string& folder, const Json& json) {
  Case result;
  result.name = json.at("name");
  result.kind = json.at("kind");
  const Json files = json.value("files", Json::object());
  for (const char* key : {"meta", "pb", "saved_model"}) {
    if (files.contains(key)) result.graph_path = PathOf(folder, files, key);
  }
  result.tags = json.value("tags", result.tags);
  result.checkpoint = PathOf(folder, files, "checkpoint");
  result.import_scope = json.value("import_scope", "");
  result.clear_devices = json.value("clear_devices", false);
  result.strip_output_shapes = json.value("strip_output_shapes", false);
  result.must_be_fetched = json.contains("fetch");
  const Json session = json.value("session", Json::object());
  result.device_count = session.value("device_count", result.device_count);
  result.restore_map = json.value("restore_map", result.restore_map);
  result.init_ops = json.value("init_ops", result.init_ops);
  for (const Json& item : json.at("steps")) {
    auto step = ReadStep(folder, item);
    if (!step.ok()) {
      return step.status().WithContext(StrCat("step ", result.steps.size()));
    }
    result.steps.push_back(*std::move(step));
  }
  return result;
}

}  // namespace

Tensor Subsample(const Tensor& tensor, const std::vector<int64_t>& strides) {
  const Dims from(tensor.shape().dims().begin(), tensor.shape().dims().end());
  Dims steps = strides;
  steps.resize(from.size(), 1);
  Dims dims(from.size());
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = (from[d] + steps[d] - 1) / steps[d];
  return Pick(tensor, from, dims, [&](size_t d, int64_t i) { return i * steps[d]; });
}

StatusOr<Case> LoadCase(const std::string& folder) {
  const std::string path = folder + "/case.json";
  std::ifstream file(path);
  if (!file) return NotFound("'", path, "' cannot be read");
  try {
    auto result = ReadCase(folder, Json::parse(file));
    if (!result.ok()) return result.status().WithContext(path);
    return result;
  } catch (const Json::exception& error) {
    return DataLoss("'", path, "': ", error.what());
  }
}

std::vector<std::string> CaseFolders() {
  std::vector<std::string> folders;
  const char* zoo = std::getenv("RAMET_ZOO");
  std::error_code error;
  if (zoo == nullptr) return folders;
  for (const auto& entry : std::filesystem::directory_iterator(zoo, error)) {
    if (std::filesystem::exists(entry.path() / "case.json"))
      folders.push_back(entry.path().string());
  }
  std::ranges::sort(folders);
  return folders;
}

std::string NameOf(const std::string& folder) {
  std::string name = std::filesystem::path(folder).filename().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace ramet::zoo
