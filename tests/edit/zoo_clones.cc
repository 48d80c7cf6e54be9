#include "zoo_clones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace ramet::zoo {
namespace {

namespace fs = std::filesystem;

double Element(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case kHalf: return static_cast<float>(tensor.data<Half>()[i]);
    case kBFloat16: return static_cast<float>(tensor.data<BFloat16>()[i]);
    case kFloat: return tensor.data<float>()[i];
    default: return tensor.data<double>()[i];
  }
}

void SetElement(Tensor& tensor, int64_t i, double value) {
  switch (tensor.dtype()) {
    case kHalf: tensor.mutable_data<Half>()[i] = Half(static_cast<float>(value)); break;
    case kBFloat16: tensor.mutable_data<BFloat16>()[i] = BFloat16(static_cast<float>(value)); break;
    case kFloat: tensor.mutable_data<float>()[i] = static_cast<float>(value); break;
    default: tensor.mutable_data<double>()[i] = value;
  }
}

// Returns the paths of a SavedModel's asset files, which its loader feeds to table initializers.
Feeds AssetPaths(Session& from, const Cloned& clone, const std::string& folder) {
  Feeds feeds;
  for (const Output& path : clone.source().collections().Get<Output>("asset_filepaths")) {
    if (!clone.Transformed(path).valid()) continue;
    const std::string written = from.Run(path).value().scalar<std::string>();
    const fs::path file = fs::path(folder) / "assets" / fs::path(written).filename();
    if (fs::exists(file)) feeds.push_back({clone.Transformed(path), Tensor(file.string())});
  }
  return feeds;
}

}  // namespace

bool CanRun(const Case& c) { return !c.must_be_fetched || fs::exists(c.graph_path); }

StatusOr<Session> Load(const Case& c, Graph& graph) {
  SessionOptions options;
  options.device_count = c.device_count;
  options.allow_soft_placement = true;
  options.deterministic = true;
  if (c.kind == "frozen") {
    RAMET_RETURN_IF_ERROR(ImportGraphDefFile(graph, c.graph_path, {.name = ""}).status());
    return Session::Create(graph, options);
  }
  if (c.kind == "savedmodel") {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, options));
    RAMET_RETURN_IF_ERROR(LoadSavedModel(session, c.graph_path, c.tags).status());
    return session;
  }
  RAMET_ASSIGN_OR_RETURN(
      ImportedMetaGraph imported,
      ImportMetaGraph(graph, c.graph_path,
                      {.import_scope = c.import_scope, .clear_devices = c.clear_devices}));
  RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(graph, options));
  if (c.checkpoint.empty()) return session;
  SaverOptions map;
  for (const auto& [key, name] : c.restore_map) {
    const auto found = std::ranges::find(imported.info.variables, name, &Variable::op_name);
    if (found == imported.info.variables.end()) return NotFound("no variable '", name, "'");
    map.var_map.emplace_back(key, *found);
  }
  if (!map.var_map.empty()) {
    Saver saver(graph, map);
    RAMET_RETURN_IF_ERROR(saver.Restore(session, c.checkpoint));
    return session;
  }
  RAMET_RETURN_IF_ERROR(imported.saver.Restore(session, c.checkpoint));
  return session;
}

bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  if (a.dtype() == kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.num_elements(),
                      b.data<std::string>());
  }
  return std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

GraphElement Steps::At(const GraphElement& element) const {
  const auto* name = std::get_if<std::string>(&element.element());
  if (!on_clone_ || name == nullptr) return element;
  if (name->find(':') != std::string::npos) return clone_.Transformed(*name);
  return clone_.Transformed(clone_.source().FindOperation(*name).value());
}

std::vector<Tensor> Steps::Run(const Step& step) const {
  Feeds feeds;
  for (const Feed& feed : step.feeds) {
    const GraphElement at = At(feed.tensor);
    const auto* tensor = std::get_if<Output>(&at.element());
    if (tensor == nullptr || tensor->valid()) feeds.push_back({at, feed.value});
  }
  std::vector<GraphElement> fetches;
  for (const std::string& name : step.fetches) fetches.push_back(At(name));
  for (const std::string& name : step.targets) fetches.push_back(At(name));
  auto got = session_.Run(feeds, fetches);
  EXPECT_EQ(got.ok(), step.error_code.empty()) << got.status().ToString();
  return got.ok() ? *std::move(got) : std::vector<Tensor>();
}

std::vector<std::vector<Tensor>> Steps::Run(const Case& c) const {
  std::vector<std::vector<Tensor>> results;
  for (const Step& step : c.steps) results.push_back(Run(step));
  return results;
}

std::vector<Tensor> Values(Session& session, const Cloned& clone, bool of_clone) {
  std::vector<Tensor> values;
  for (const ClonedVariable& v : clone.variables()) {
    const Output node = of_clone ? v.copy.ref() : v.original;
    const auto& records = node.graph()->variables();
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].variable != node) continue;
      values.push_back(session.Value(Variable(node.graph(), static_cast<VariableId>(i))).value());
      break;
    }
  }
  return values;
}

void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(SameBits(a[i], b[i])) << what << " " << i;
}

// The clone of an uninitialized variable stays uninitialized; init_op would fail.
void StartFrom(Session& from, Session& to, const Cloned& clone, const Case& c) {
  const Feeds assets = AssetPaths(from, clone, c.graph_path);
  for (const char* key : {"table_initializer", "saved_model_main_op", "legacy_init_op"}) {
    for (const Operation& op : clone.source().collections().Get<Operation>(key)) {
      if (!clone.Transformed(op).valid()) continue;
      const auto run = to.Run(assets, clone.Transformed(op));
      ASSERT_TRUE(run.ok()) << run.status().ToString();
    }
  }
  const auto known = Values(from, clone, false);
  if (std::ranges::none_of(known, &Tensor::empty)) {
    const auto run = to.Run(clone.init_op());
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    return;
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].empty()) continue;
    const Variable& copy = clone.variables()[i].copy;
    ASSERT_TRUE(to.Assign(copy, Converted(known[i], copy.dtype())).ok());
  }
}

Tensor Converted(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype || !IsFloating(tensor.dtype()) || !IsFloating(dtype)) return tensor;
  Tensor converted(dtype, tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) SetElement(converted, i, Element(tensor, i));
  return converted;
}

}  // namespace ramet::zoo
