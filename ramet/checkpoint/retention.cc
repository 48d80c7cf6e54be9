#include "ramet/checkpoint/retention.h"

#include <algorithm>
#include <cctype>

#include "ramet/base/file.h"
#include "ramet/format/bundle_commit.h"

namespace ramet {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Removes the longest suffix of *text whose characters `accepts`. Returns false if it is empty.
template <class Accepts>
bool TakeBack(std::string_view* text, Accepts accepts) {
  size_t n = text->size();
  while (n > 0 && accepts((*text)[n - 1])) --n;
  const bool any = n < text->size();
  text->remove_suffix(text->size() - n);
  return any;
}

// Removes "-[\d?]+-of-\d+" from the end of `path`.
std::string_view WithoutShard(std::string_view path) {
  std::string_view rest = path;
  if (!TakeBack(&rest, IsDigit) || !rest.ends_with("-of-")) return path;
  rest.remove_suffix(4);
  if (!TakeBack(&rest, [](char c) { return IsDigit(c) || c == '?'; })) return path;
  return rest.ends_with('-') ? rest.substr(0, rest.size() - 1) : path;
}

// Removes "-STEP" from the end of `name`.
std::string_view WithoutStep(std::string_view name) {
  std::string_view rest = name;
  if (!TakeBack(&rest, IsDigit) || !rest.ends_with('-')) return name;
  return rest.substr(0, rest.size() - 1);
}

// Returns the prefix of the checkpoint that the file belongs to, or else the file name.
std::string_view PrefixIn(std::string_view file, std::string_view end) {
  if (file.ends_with(end)) return file.substr(0, file.size() - end.size());
  if (file.ends_with(".index")) return file.substr(0, file.size() - 6);
  return file.substr(0, file.rfind(".data-"));
}

}  // namespace

CheckpointList::CheckpointList(int max_to_keep, double keep_every_n_hours, double now)
    : max_to_keep_(max_to_keep),
      keep_seconds_(keep_every_n_hours * 3600.0),
      next_kept_time_(now + keep_seconds_) {}

void CheckpointList::Record(const std::string& path, double now) {
  if (max_to_keep_ <= 0) return;
  std::erase_if(kept_, [&](const auto& entry) { return entry.first == path; });
  kept_.emplace_back(path, now);
  if (static_cast<int>(kept_.size()) <= max_to_keep_) return;
  to_delete_.push_back(kept_.front());
  kept_.erase(kept_.begin());
}

std::optional<std::string> CheckpointList::NextToDelete() {
  if (to_delete_.empty()) return std::nullopt;
  const auto [path, time] = to_delete_.front();
  to_delete_.erase(to_delete_.begin());
  if (time > next_kept_time_) {
    next_kept_time_ += keep_seconds_;
    return std::nullopt;
  }
  return path;
}

std::string MetaGraphFilename(const std::string& checkpoint, std::string_view suffix) {
  return StrCat(WithoutShard(checkpoint), ".", suffix);
}

std::vector<std::string> MetaGraphsOfBasePath(const std::string& checkpoint,
                                              std::string_view suffix) {
  const std::string own = MetaGraphFilename(checkpoint, suffix);
  const std::string end = StrCat(".", suffix);
  const std::string_view name = Basename(own);
  const std::string_view base = WithoutStep(name.substr(0, name.size() - end.size()));
  const std::string_view dir = Dirname(own);
  std::vector<std::string> found;
  for (const std::string& file : ListDir(dir.empty() ? "." : std::string(dir)).value_or({})) {
    if (!file.ends_with(end)) continue;
    const std::string_view stem = std::string_view(file).substr(0, file.size() - end.size());
    if (stem == base || WithoutStep(stem) == base) found.push_back(JoinPath(dir, file));
  }
  return found;
}

void RemoveLeftovers(const std::string& checkpoint, std::string_view suffix,
                     std::string_view latest_filename) {
  const std::string end = StrCat(".", suffix);
  const std::string_view base = WithoutStep(WithoutShard(Basename(checkpoint)));
  const std::string_view dir = Dirname(checkpoint);
  std::vector<std::string> leftovers;
  for (const std::string& name : ListDir(dir.empty() ? "." : std::string(dir)).value_or({})) {
    const size_t temporary = name.rfind(".tempstate");
    if (temporary == std::string::npos) continue;
    const std::string_view file = std::string_view(name).substr(0, temporary);
    const std::string_view prefix = PrefixIn(file, end);
    if (file == latest_filename || prefix == base || WithoutStep(prefix) == base) {
      leftovers.push_back(JoinPath(dir, name));
    }
  }
  RemoveStaleTemporaries(leftovers);
}

}  // namespace ramet
