#include "ramet/backends/gpu/codegen/compile_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ramet/base/crc32c.h"
#include "ramet/base/file.h"
#include "ramet/base/hash.h"
#include "ramet/base/log.h"
#include "ramet/base/wall_clock.h"

namespace ramet::gpu {
namespace {

constexpr std::string_view kMagic = "ramet gpu module 1\n";
constexpr std::string_view kSuffix = ".module";
constexpr size_t kHashDigits = 32;  // of an entry's name
constexpr uint64_t kMaxEntryBytes = uint64_t{64} << 20;
// A process renames a temporary file within this time, unless it was killed.
constexpr int64_t kTemporaryNanos = int64_t{600} * 1000000000;

std::string Hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

std::string EntryName(const DriverDeviceInfo& device, const std::string& source,
                      const std::string& options) {
  const std::string key = StrCat(device.driver, "\n", device.driver_version, "\n", device.vendor,
                                 "\n", device.name, "\n", options, "\n", source);
  return StrCat(Hex(Fingerprint64(key)), Hex(Hash64(key)), kSuffix);
}

// An entry is the magic, the CRC of the module's bytes as 16 hexadecimal digits, a line feed, and
// the bytes.
std::string MakeEntry(std::string_view binary) {
  return StrCat(kMagic, Hex(crc32c::Value(binary)), "\n", binary);
}

StatusOr<std::string> ReadEntry(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(std::string entry, ReadRegularFile(path, kMaxEntryBytes));
  const size_t header = kMagic.size() + 17;
  if (entry.size() < header || !entry.starts_with(kMagic)) {
    return DataLoss(path, ": not a compiled module of Ramet");
  }
  std::string binary = entry.substr(header);
  if (entry.compare(kMagic.size(), 16, Hex(crc32c::Value(binary))) != 0) {
    return DataLoss(path, ": the compiled module is damaged");
  }
  return binary;
}

// A module is code that this process will run, so nobody else may be able to write it.
bool IsPrivateFolder(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return false;
  return S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

Status WriteEntry(const std::string& path, const std::string& entry) {
  const std::string temporary = TemporaryPath(path);
  RAMET_ASSIGN_OR_RETURN(WritableFile file, WritableFile::CreateNew(temporary));
  Status status = file.Append(entry);
  if (status.ok()) status = file.Close();
  if (status.ok()) status = RenameFile(temporary, path);
  if (!status.ok()) RemoveFile(temporary).IgnoreError();
  return status;
}

// An entry, or the temporary file of one.
struct CacheFile {
  int64_t used_ns;
  uint64_t bytes;
  bool is_temporary;
  std::string path;
};

StatusOr<std::vector<CacheFile>> FilesOf(const std::string& folder) {
  std::vector<CacheFile> files;
  if (folder.empty() || !FileExists(folder)) return files;
  RAMET_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDir(folder));
  for (const std::string& name : names) {
    const size_t hash = name.find_first_not_of("0123456789abcdef");
    if (hash != kHashDigits || name.compare(hash, kSuffix.size(), kSuffix) != 0) continue;
    std::string path = JoinPath(folder, name);
    const auto identity = GetFileIdentity(path);
    if (!identity.ok()) continue;  // removed meanwhile
    const bool is_temporary = name.size() > hash + kSuffix.size();
    files.push_back({identity->mtime_ns, identity->size, is_temporary, std::move(path)});
  }
  return files;
}

}  // namespace

CompileCache::CompileCache(std::string folder, uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

std::string CompileCache::DefaultFolder() {
  if (const char* own = std::getenv("RAMET_GPU_CACHE")) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return JoinPath(cache, "ramet/gpu");
  }
  const char* home = std::getenv("HOME");
  return home && *home ? JoinPath(home, ".cache/ramet/gpu") : "";
}

StatusOr<std::unique_ptr<DriverModule>> CompileCache::Compile(DriverDevice& device,
                                                              const std::string& source,
                                                              const std::string& options) {
  const std::string path =
      folder_.empty() ? "" : JoinPath(folder_, EntryName(device.info(), source, options));
  if (auto loaded = path.empty() ? nullptr : Load(device, path, options)) {
    MutexLock lock(mutex_);
    ++counts_.loaded;
    return loaded;
  }
  RAMET_ASSIGN_OR_RETURN(auto module, device.Compile(source, options));
  if (!path.empty()) Store(*module, path);
  MutexLock lock(mutex_);
  ++counts_.compiled;
  return module;
}

std::unique_ptr<DriverModule> CompileCache::Load(DriverDevice& device, const std::string& path,
                                                 const std::string& options) {
  if (!FileExists(path) || !IsPrivateFolder(folder_)) return nullptr;
  Status status;
  if (auto binary = ReadEntry(path); binary.ok()) {
    auto module = device.Load(*binary, options);
    if (module.ok()) {
      utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // RemoveOldEntries removes unused ones first
      return *std::move(module);
    }
    status = module.status();
  } else {
    status = binary.status();
  }
  LogDebug("GPU compile cache: ", path, " is compiled again: ", status.message());
  return nullptr;
}

void CompileCache::Store(const DriverModule& module, const std::string& path) {
  auto binary = module.Binary();
  if (!binary.ok() || binary->size() > kMaxEntryBytes) return;
  Status status = OkStatus();
  if (!IsDirectory(folder_)) {
    status = CreateDirs(folder_);
    if (status.ok()) chmod(folder_.c_str(), 0700);
  }
  if (status.ok() && !IsPrivateFolder(folder_)) {
    status =
        PermissionDenied(folder_, "; others may write to it, so it is not used; run chmod 700");
  }
  if (status.ok()) status = WriteEntry(path, MakeEntry(*binary));
  if (!status.ok()) {
    LogOnce(LogLevel::kWarning, "GPU compile cache",
            "compiled GPU kernels are not kept, so that every process compiles them: ",
            status.message());
    return;
  }
  RemoveOldEntries();
}

void CompileCache::RemoveOldEntries() {
  auto files = FilesOf(folder_);
  if (!files.ok()) return;
  std::erase_if(*files, [](const CacheFile& file) { return file.is_temporary; });
  uint64_t total = 0;
  for (const CacheFile& file : *files) total += file.bytes;
  if (total <= max_bytes_) return;
  std::ranges::sort(*files, {}, &CacheFile::used_ns);
  for (const CacheFile& file : *files) {
    if (total <= max_bytes_ / 4 * 3) return;
    if (RemoveFile(file.path).ok()) total -= file.bytes;
  }
}

StatusOr<CompileCache::FolderUsage> CompileCache::UsageOf(const std::string& folder) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<CacheFile> files, FilesOf(folder));
  FolderUsage usage;
  for (const CacheFile& file : files) {
    if (file.is_temporary) continue;
    ++usage.entries;
    usage.bytes += file.bytes;
  }
  return usage;
}

StatusOr<CompileCache::FolderUsage> CompileCache::Clear(const std::string& folder) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<CacheFile> files, FilesOf(folder));
  const int64_t too_young = WallClockNanos() - kTemporaryNanos;
  FolderUsage removed;
  for (const CacheFile& file : files) {
    if (file.is_temporary && file.used_ns > too_young) continue;
    const Status status = RemoveFile(file.path);
    if (IsNotFound(status)) continue;  // another process removed it
    RAMET_RETURN_IF_ERROR(status);
    if (!file.is_temporary) ++removed.entries;
    removed.bytes += file.bytes;
  }
  return removed;
}

CompileCache::Counts CompileCache::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

}  // namespace ramet::gpu
