#include "ramet/format/bundle_files.h"

#include "ramet/base/file.h"

namespace ramet {
namespace {

constexpr std::string_view kData = ".data";
constexpr std::string_view kIndex = ".index";
constexpr std::string_view kTemporary = ".tempstate";

bool ParseNumber(std::string_view digits, int* value) {
  int64_t wide;
  if (digits.size() < 5 || digits.size() > 9 ||
      digits.find_first_not_of("0123456789") != digits.npos || !ParseInt64(digits, &wide)) {
    return false;
  }
  *value = static_cast<int>(wide);
  return true;
}

// Parses "-SSSSS-of-NNNNN".
bool ParseShardSuffix(std::string_view suffix, int* shard, int* num_shards) {
  if (!suffix.starts_with('-')) return false;
  suffix.remove_prefix(1);
  const size_t of = suffix.find("-of-");
  return of != suffix.npos && ParseNumber(suffix.substr(0, of), shard) &&
         ParseNumber(suffix.substr(of + 4), num_shards);
}

}  // namespace

StatusOr<BundleFiles> FindBundleFiles(const std::string& prefix) {
  const std::string folder(Dirname(prefix));
  const std::string_view base = Basename(prefix);
  RAMET_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDir(folder));
  BundleFiles files;
  for (const std::string& name : names) {
    if (!name.starts_with(base)) continue;
    std::string_view rest = std::string_view(name).substr(base.size());
    BundleDataFile data;
    const bool is_data = rest.starts_with(kData);
    if (is_data && ParseShardSuffix(rest.substr(kData.size()), &data.shard, &data.num_shards)) {
      data.path = JoinPath(folder, name);
      files.data.push_back(std::move(data));
    } else if (rest.starts_with(kTemporary) ||
               ((is_data || rest.starts_with(kIndex)) && rest.find(kTemporary) != rest.npos)) {
      files.temporaries.push_back(JoinPath(folder, name));
    }
  }
  return files;
}

}  // namespace ramet
