#include "ramet/replica/files/version_file.h"

#include "ramet/base/file.h"
#include "ramet/base/json.h"
#include "ramet/base/strings.h"
#include "ramet/replica/version_text.h"

namespace ramet::files {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

// Sets `*number` if there is a member `name`.
// \error kInvalidArgument: it is not a number of type T.
template <class T>
Status Take(const Json& json, const char* name, T* number) {
  const auto found = json.find(name);
  if (found == json.end()) return OkStatus();
  const bool fits = std::is_signed_v<T> ? found->is_number_integer() : found->is_number_unsigned();
  if (!fits) return InvalidArgument("'", name, "' is not a valid number");
  *number = found->get<T>();
  return OkStatus();
}

Status TakeText(const Json& json, const char* name, std::string* text) {
  const auto found = json.find(name);
  if (found == json.end()) return OkStatus();
  if (!found->is_string()) return InvalidArgument("'", name, "' is not a string");
  *text = found->get<std::string>();
  return OkStatus();
}

Status TakeTexts(const Json& json, VersionFile* file) {
  if (const auto metrics = json.find("metrics"); metrics != json.end()) {
    file->info.metrics = MetricsFromText(PrintJson(*metrics));
  }
  RAMET_RETURN_IF_ERROR(TakeText(json, "source_hash", &file->hashes.source));
  RAMET_RETURN_IF_ERROR(TakeText(json, "content_hash", &file->hashes.content));
  if (const auto signature = json.find("signature"); signature != json.end()) {
    const auto list = SignatureFromJson(PrintJson(*signature));
    if (!list.ok()) return list.status();
    file->signature = *list;
  }
  return OkStatus();
}

Status CheckLayout(const Json& json) {
  uint64_t layout = kLayout;
  RAMET_RETURN_IF_ERROR(Take(json, "layout", &layout));
  if (layout == kLayout) return OkStatus();
  return FailedPrecondition("it was written in layout ", layout, ", this program reads layout ",
                            kLayout, "; use the same release of Ramet on both sides");
}

}  // namespace

std::string VersionFilePath(std::string_view prefix) { return StrCat(prefix, ".version"); }

std::string VersionFileToText(const VersionFile& file) {
  const VersionInfo& info = file.info;
  Json json = {{"layout", kLayout},
               {"epoch", info.id.epoch},
               {"version", info.id.version},
               {"step", info.id.step},
               {"time_nanos", info.time_nanos},
               {"index_bytes", file.index_bytes},
               {"index_crc32c", file.index_crc}};
  if (info.rollback_to != 0) json["rollback_to"] = info.rollback_to;
  if (!info.metrics.empty()) json["metrics"] = ParseJson(MetricsToText(info.metrics)).value();
  if (!file.hashes.source.empty()) json["source_hash"] = file.hashes.source;
  if (!file.hashes.content.empty()) json["content_hash"] = file.hashes.content;
  if (!file.signature.empty())
    json["signature"] = ParseJson(SignatureToJson(file.signature)).value();
  return PrintJson(json, 1) + "\n";
}

StatusOr<VersionFile> VersionFileFromText(std::string_view text) {
  RAMET_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) return InvalidArgument("it is not a JSON object");
  RAMET_RETURN_IF_ERROR(CheckLayout(json));
  VersionFile file;
  uint64_t crc = 0;
  RAMET_RETURN_IF_ERROR(Take(json, "epoch", &file.info.id.epoch));
  RAMET_RETURN_IF_ERROR(Take(json, "version", &file.info.id.version));
  RAMET_RETURN_IF_ERROR(Take(json, "step", &file.info.id.step));
  RAMET_RETURN_IF_ERROR(Take(json, "time_nanos", &file.info.time_nanos));
  RAMET_RETURN_IF_ERROR(Take(json, "rollback_to", &file.info.rollback_to));
  RAMET_RETURN_IF_ERROR(Take(json, "index_bytes", &file.index_bytes));
  RAMET_RETURN_IF_ERROR(Take(json, "index_crc32c", &crc));
  RAMET_RETURN_IF_ERROR(TakeTexts(json, &file));
  file.index_crc = static_cast<uint32_t>(crc);
  if (file.info.id.version == 0) return InvalidArgument("it has no version number");
  return file;
}

StatusOr<VersionFile> ReadVersionFile(const std::string& prefix) {
  const std::string path = VersionFilePath(prefix);
  RAMET_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, kMaxBytes));
  auto file = VersionFileFromText(text);
  if (!file.ok()) return file.status().WithContext(path);
  return file;
}

Status WriteVersionFile(const std::string& prefix, const VersionFile& file) {
  return AtomicWriteFile(VersionFilePath(prefix), VersionFileToText(file));
}

}  // namespace ramet::files
