#include "model_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;
using Kind = ModelFile::Kind;

constexpr size_t kMaxSuggestions = 3;

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A pipe or a device next to a checkpoint is not read.
bool IsRegularFile(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Reports whether the last eight bytes are the magic number of a sorted table. A V1 checkpoint file
// and a V2 index are sorted tables.
bool EndsAsTable(std::ifstream& file) {
  char end[8] = {};
  file.clear();
  if (!file.seekg(-8, std::ios::end).read(end, sizeof(end))) return false;
  return std::string_view(end, 8) == "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
}

// Removes a suffix, given as a regular expression, that a checkpoint format appends to the prefix.
std::string WithoutSuffix(const std::string& path, const char* suffix) {
  static const size_t kLongest = 4096;  // std::regex recurses over the text
  if (path.size() > kLongest) return path;
  return std::regex_replace(path, std::regex(suffix), "");
}
std::string BundlePrefix(const std::string& path) {
  return WithoutSuffix(path, "\\.(index|data-[0-9]{5}-of-[0-9]{5})$");
}
std::string WithoutShard(const std::string& path) {
  return WithoutSuffix(path, "-([0-9]{5}|[?]{5})-of-[0-9]{5}$");
}

ModelFile CheckpointAt(const std::string& prefix) {
  const std::string meta = WithoutShard(prefix) + ".meta";
  return {Kind::kCheckpoint, prefix, IsRegularFile(meta) ? meta : "", prefix};
}

// Returns the checkpoint that a .meta file belongs to, or "" if there is none.
std::string CheckpointOfMeta(const std::string& meta) {
  const std::string suffix = ".meta";
  if (!meta.ends_with(suffix)) return "";
  const std::string prefix = meta.substr(0, meta.size() - suffix.size());
  if (rm::CheckpointExists(prefix)) return prefix;
  const fs::path folder = fs::path(prefix).parent_path();
  const std::string first = fs::path(prefix).filename().string() + "-00000-of-";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != first.size() + 5 || !name.starts_with(first)) continue;
    return rm::StrCat(prefix, "-\?\?\?\?\?-of-", name.substr(first.size()));
  }
  return "";
}

ModelFile SavedModelAt(const std::string& folder) {
  const std::string variables = folder + "/variables/variables";
  return {Kind::kSavedModel, folder, folder, rm::CheckpointExists(variables) ? variables : ""};
}

rm::StatusOr<ModelFile> LatestOf(const std::string& folder, const std::string& state_file) {
  RAMET_ASSIGN_OR_RETURN(const auto state, rm::ReadCheckpointState(folder, state_file));
  const std::string& latest = state.model_checkpoint_path;
  if (rm::CheckpointExists(latest)) return CheckpointAt(latest);
  return rm::NotFound("the latest checkpoint of '", (fs::path(folder) / state_file).string(),
                      "', '", latest, "', does not exist");
}

rm::StatusOr<ModelFile> FindMessage(const std::string& path) {
  auto kind = rm::MessageKindOfFile(path);
  if (!kind.ok() && rm::IsDataLoss(kind.status())) {
    return rm::DataLoss(
        "'", path,
        "' is not a model file, or is truncated; expected a checkpoint, GraphDef, MetaGraphDef, "
        "SavedModel, .safetensors or .npz file");
  }
  if (!kind.ok()) return kind.status();
  if (*kind == "GraphDef") return ModelFile{Kind::kGraphDef, path, path, ""};
  if (*kind == "MetaGraphDef") {
    return ModelFile{Kind::kMetaGraph, path, path, CheckpointOfMeta(path)};
  }
  const fs::path folder = fs::path(path).parent_path();
  const std::string name = fs::path(path).filename().string();
  if (*kind == "CheckpointState") return LatestOf(folder.empty() ? "." : folder.string(), name);
  if (name == "saved_model.pb" || name == "saved_model.pbtxt") {
    return SavedModelAt(folder.empty() ? "." : folder.string());
  }
  return rm::InvalidArgument(
      "'", path,
      "' holds a SavedModel, which must be a folder; rename the file to saved_model.pb "
      "and put variables/ and assets/ next to it");
}

rm::StatusOr<ModelFile> FindFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return rm::PermissionDenied("'", path, "' cannot be read: ", std::strerror(errno));
  char start[9] = {};
  file.read(start, sizeof(start));
  if (file.gcount() == 0) return rm::DataLoss("'", path, "' is empty");
  const std::string_view head(start, static_cast<size_t>(file.gcount()));
  if (head.starts_with("PK\3\4") || head.starts_with("PK\5\6")) {
    return ModelFile{Kind::kNpz, path, "", ""};
  }
  if (head.starts_with("\x93NUMPY")) {
    return rm::InvalidArgument("'", path,
                               "' is a single array (.npy), which has no name; expected a .npz "
                               "file (to feed an array, use 'ramet run --feed NAME=FILE.npy')");
  }
  if (EndsAsTable(file)) return CheckpointAt(path);
  if (head.size() == 9 && head[8] == '{') return ModelFile{Kind::kSafetensors, path, "", ""};
  return FindMessage(path);
}

// Returns the quoted paths of the models in `folder` with the most similar names, at most three.
std::vector<std::string> NearNames(const fs::path& folder, const std::string& name) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string found = entry.path().filename().string();
    const fs::path extension = entry.path().extension();
    if (rm::MaybeSavedModelDirectory(entry.path().string())) names.push_back(found);
    if (extension == ".index") names.push_back(BundlePrefix(found));
    if (extension == ".meta" || extension == ".pb" || extension == ".pbtxt" ||
        extension == ".safetensors" || extension == ".npz") {
      names.push_back(found);
    }
  }
  std::ranges::sort(names, {}, [&](const std::string& n) {
    return std::pair(rm::EditDistance(n.substr(0, 256), name.substr(0, 256)), n);
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMaxSuggestions) names.resize(kMaxSuggestions);
  for (std::string& near : names) near = "'" + (folder / near).string() + "'";
  return names;
}

rm::StatusOr<ModelFile> FindInFolder(const std::string& folder) {
  if (rm::MaybeSavedModelDirectory(folder)) return SavedModelAt(folder);
  if (Exists(folder + "/checkpoint")) return LatestOf(folder, "checkpoint");
  const auto near = NearNames(folder, "");
  return rm::NotFound("'", folder,
                      "' is a folder with neither a saved_model.pb nor a 'checkpoint' file",
                      near.empty() ? "" : "; it contains " + rm::StrJoin(near, ", "));
}

rm::Status Nothing(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !Exists(folder.string())) {
    return rm::NotFound("there is no file or checkpoint '", path, "'; the folder '",
                        folder.string(), "' does not exist");
  }
  const auto near = NearNames(folder, fs::path(path).filename().string());
  return rm::NotFound("there is no file '", path, "' and no checkpoint '", path, ".index'",
                      near.empty() ? "" : "; its folder contains " + rm::StrJoin(near, ", "));
}

}  // namespace

std::string KindName(Kind kind) {
  switch (kind) {
    case Kind::kGraphDef: return "a GraphDef";
    case Kind::kMetaGraph: return "a MetaGraphDef";
    case Kind::kSavedModel: return "a SavedModel";
    case Kind::kCheckpoint: return "a checkpoint";
    case Kind::kSafetensors: return "a safetensors file";
    case Kind::kNpz: return "a .npz file";
  }
  return "";
}

rm::StatusOr<ModelFile> FindModelFile(const std::string& path) {
  if (path.empty()) return rm::InvalidArgument("the path is empty");
  if (const std::string prefix = BundlePrefix(path); rm::BundleExists(prefix)) {
    return CheckpointAt(prefix);
  }
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  switch (found.type()) {
    case fs::file_type::directory: return FindInFolder(path);
    case fs::file_type::regular: return FindFile(path);
    case fs::file_type::not_found: break;
    case fs::file_type::none:
      return rm::PermissionDenied("'", path, "' cannot be read: ", error.message());
    default: return rm::InvalidArgument("'", path, "' is neither a file nor a folder");
  }
  if (path.find_first_of("*?[") != std::string::npos) return CheckpointAt(path);
  if (const std::string meta = path + ".meta"; Exists(meta)) {
    return ModelFile{Kind::kMetaGraph, meta, meta, CheckpointOfMeta(meta)};
  }
  return Nothing(path);
}

}  // namespace cli
