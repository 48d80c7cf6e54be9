#include "ramet/saved_model/asset_files.h"

#include <map>

#include "ramet/base/file.h"
#include "ramet/base/free_name.h"
#include "ramet/graph/add_op.h"

namespace ramet {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

StatusOr<std::string> PathOf(const SavedModelAsset& asset) {
  if (!asset.path.empty()) return asset.path;
  const Tensor value = ConstantValue(asset.tensor);
  if (value.dtype() == kString && value.num_elements() == 1 && !value.scalar<std::string>().empty())
    return value.scalar<std::string>();
  return InvalidArgument("Asset filepath tensor '", asset.tensor.name(),
                         "' is invalid: it is not a constant string; pass its path");
}

// Calls `use` for each piece of the file, until it returns an error.
template <class Use>
Status ForEachPiece(const RandomAccessFile& file, Use use) {
  for (uint64_t at = 0; at < file.size(); at += kPieceBytes) {
    RAMET_ASSIGN_OR_RETURN(std::string piece,
                           file.Read(at, std::min(kPieceBytes, file.size() - at)));
    RAMET_RETURN_IF_ERROR(use(at, piece));
  }
  return OkStatus();
}

StatusOr<bool> SameContent(const std::string& a, const std::string& b) {
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile first, RandomAccessFile::Open(a));
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile second, RandomAccessFile::Open(b));
  bool same = first.size() == second.size();
  if (!same) return false;
  RAMET_RETURN_IF_ERROR(ForEachPiece(first, [&](uint64_t at, const std::string& piece) -> Status {
    if (!same) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(std::string other, second.Read(at, piece.size()));
    same = other == piece;
    return OkStatus();
  }));
  return same;
}

Status CopyFile(const std::string& from, const std::string& to) {
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile source, RandomAccessFile::Open(from));
  const std::string temporary = TemporaryPath(to);
  RAMET_ASSIGN_OR_RETURN(WritableFile copy, WritableFile::CreateNew(temporary));
  Status written =
      ForEachPiece(source, [&](uint64_t, const std::string& piece) { return copy.Append(piece); });
  if (written.ok()) written = copy.Sync();
  if (written.ok()) written = copy.Close();
  if (written.ok()) written = RenameFile(temporary, to);
  if (!written.ok()) (void)RemoveFile(temporary);
  return written;
}

// Assigns file names in the assets folder.
class FileNames {
 public:
  // Returns the file name for `path`: the same for files of the same content.
  StatusOr<std::string> For(const std::string& path) {
    std::string base(Basename(path));
    if (base.empty()) return InvalidArgument("asset '", path, "' has no file name");
    auto known = paths_.find(base);
    if (known != paths_.end() && known->second != path) {
      RAMET_ASSIGN_OR_RETURN(bool same, SameContent(known->second, path));
      auto taken = [&](const std::string& name) { return paths_.contains(name); };
      if (!same) base = FreeName(base, taken, &next_numbers_);
    }
    paths_.emplace(base, path);
    return base;
  }

 private:
  std::map<std::string, std::string> paths_;  // by file name
  std::unordered_map<std::string, int> next_numbers_;
};

}  // namespace

StatusOr<std::vector<AssetFile>> NameAssets(const std::vector<SavedModelAsset>& assets) {
  std::vector<AssetFile> named;
  FileNames names;
  for (const SavedModelAsset& asset : assets) {
    RAMET_ASSIGN_OR_RETURN(std::string path, PathOf(asset));
    auto name = names.For(path);
    if (!name.ok()) return name.status().WithContext(StrCat("asset '", path, "'"));
    named.push_back({asset.tensor, std::move(path), *std::move(name)});
  }
  return named;
}

Status CopyAssets(const std::vector<AssetFile>& assets, const std::string& folder) {
  if (!assets.empty()) RAMET_RETURN_IF_ERROR(CreateDirs(folder));
  for (const AssetFile& asset : assets) {
    const std::string to = JoinPath(folder, asset.filename);
    if (FileExists(to)) continue;
    Status copied = CopyFile(asset.path, to);
    if (!copied.ok()) return copied.WithContext(StrCat("asset '", asset.path, "'"));
  }
  return OkStatus();
}

}  // namespace ramet
