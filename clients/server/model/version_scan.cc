#include "model/version_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model_file.h"

namespace server {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

constexpr int kMaxFiles = 10000;  // of one version that LookAtFiles looks at

// Returns the number that `text` is, in decimal digits only.
std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number && text.front() != '-' ? std::optional(number) : std::nullopt;
}

// Returns 100 for "/models/model-100", 7 for "/models/7" and 1 for other paths.
int64_t NumberOf(const std::string& path) {
  const fs::path trimmed =
      fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path();
  std::string name = trimmed.filename().string();
  if (name.ends_with(".meta")) name.resize(name.size() - std::string_view(".meta").size());
  return ParseNumber(name.substr(name.rfind('-') + 1)).value_or(1);
}

rm::StatusOr<std::vector<FoundVersion>> FindFolders(const std::string& base) {
  std::error_code error;
  fs::directory_iterator entries(base, error);
  if (error) return rm::NotFound("'", base, "' cannot be read: ", error.message());
  std::map<int64_t, std::string, std::greater<>> folders;
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    const auto number = ParseNumber(name);
    std::error_code ignored;
    if (!number || !fs::is_directory(entries->path(), ignored)) continue;
    const auto [at, is_new] = folders.emplace(*number, entries->path().string());
    if (is_new) continue;
    rm::LogOnce(rm::LogLevel::kWarning, "version twice: " + base + "/" + name, "'", base,
                "' has two folders for version ", *number, ": '",
                fs::path(at->second).filename().string(), "' and '", name,
                "'; one of them is used");
  }
  if (error) return rm::Unavailable("'", base, "' cannot be read: ", error.message());
  std::vector<FoundVersion> found;
  for (auto& [number, path] : folders) found.push_back({number, std::move(path)});
  return found;
}

rm::StatusOr<std::vector<FoundVersion>> FindInFolder(const std::string& folder) {
  if (rm::MaybeSavedModelDirectory(folder)) {
    return std::vector<FoundVersion>{{NumberOf(folder), folder}};
  }
  RAMET_ASSIGN_OR_RETURN(std::vector<FoundVersion> found, FindFolders(folder));
  if (!found.empty()) return found;
  std::error_code ignored;
  if (!fs::exists(folder + "/checkpoint", ignored)) {
    return rm::NotFound("No versions of servable found under base path '", folder,
                        "'; expected folders with numbers as names, such as '", folder, "/1'");
  }
  RAMET_ASSIGN_OR_RETURN(const cli::ModelFile latest, cli::FindModelFile(folder));
  return std::vector<FoundVersion>{{NumberOf(latest.checkpoint), latest.checkpoint}};
}

// Adds a file to a state (FNV-1a).
void AddFile(const std::string& path, FilesState* state, double* newest) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return;
  const auto add = [state](uint64_t value) {
    state->digest = (state->digest ^ value) * 0x100000001b3;
  };
  add(std::hash<std::string>()(path));
  add(static_cast<uint64_t>(info.st_size));
  add(static_cast<uint64_t>(info.st_mtim.tv_sec));
  add(static_cast<uint64_t>(info.st_mtim.tv_nsec));
  const double time =
      static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) * 1e-9;
  *newest = std::max(*newest, time);
}

// Adds the files of a checkpoint, which begin with its prefix.
void AddCheckpoint(const std::string& path, FilesState* state, double* newest) {
  fs::path prefix(path);
  if (prefix.extension() == ".meta") prefix.replace_extension();
  const std::string begin = prefix.filename().string() + ".";
  std::set<std::string> files;  // the folder has no order
  std::error_code error;
  fs::directory_iterator entries(prefix.parent_path(), error);
  for (int count = 0; !error && entries != fs::directory_iterator() && count < kMaxFiles; ++count) {
    const std::string name = entries->path().filename().string();
    if (name.starts_with(begin)) files.insert(entries->path().string());
    entries.increment(error);
  }
  for (const std::string& file : files) AddFile(file, state, newest);
}

}  // namespace

rm::StatusOr<std::vector<FoundVersion>> FindVersions(const std::string& source) {
  std::error_code error;
  const fs::file_status there = fs::status(source, error);
  if (there.type() == fs::file_type::directory) return FindInFolder(source);
  if (error && there.type() != fs::file_type::not_found) {
    return rm::Unavailable("'", source, "' cannot be read: ", error.message());
  }
  RAMET_RETURN_IF_ERROR(cli::FindModelFile(source).status());
  return std::vector<FoundVersion>{{NumberOf(source), source}};
}

std::vector<FoundVersion> ChooseVersions(const std::vector<FoundVersion>& found,
                                         const VersionPolicy& policy) {
  std::vector<FoundVersion> chosen = found;
  if (policy.kind == VersionPolicy::Kind::kLatest) {
    const size_t wanted = static_cast<size_t>(std::max(policy.num_versions, 1));
    if (chosen.size() > wanted) chosen.resize(wanted);
  } else if (policy.kind == VersionPolicy::Kind::kSpecific) {
    std::erase_if(chosen, [&policy](const FoundVersion& version) {
      return std::ranges::find(policy.versions, version.number) == policy.versions.end();
    });
  }
  return chosen;
}

FilesState LookAtFiles(const std::string& path) {
  FilesState state;
  double newest = 0;
  AddFile(path, &state, &newest);
  std::error_code error;
  if (!fs::is_directory(path, error)) AddCheckpoint(path, &state, &newest);
  fs::recursive_directory_iterator entries(path, fs::directory_options::skip_permission_denied,
                                           error);
  int count = 0;
  for (; !error && entries != fs::recursive_directory_iterator() && count < kMaxFiles; ++count) {
    AddFile(entries->path().string(), &state, &newest);
    entries.increment(error);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const double time = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  state.age_seconds = std::max(time - newest, 0.0);
  return state;
}

}  // namespace server
