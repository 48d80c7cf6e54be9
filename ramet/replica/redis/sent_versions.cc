#include "ramet/replica/redis/sent_versions.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace ramet::redis {
namespace {

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.bytes() != b.bytes() || !(a.shape() == b.shape())) return false;
  if (a.buffer().get() == b.buffer().get()) return true;
  return a.bytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

uint64_t VersionBytes(const ReplicaSignature& signature) {
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) bytes += *TensorBytes(spec.dtype, spec.shape);
  return bytes;
}

}  // namespace

std::string_view SentBlob::contents() const {
  return {static_cast<const char*>(value.raw_data()), value.bytes()};
}

SentVersions::SentVersions(const RetentionOptions& retention, const ReplicaSignature& signature,
                           uint64_t first_blob)
    : retained_(std::max(retention.retained, 1)),
      max_bytes_(retention.LimitFor(VersionBytes(signature))),
      next_blob_(first_blob) {}

SentVersion SentVersions::Draft(const Outgoing& outgoing) {
  SentVersion draft{outgoing, {}};
  for (size_t i = 0; i < outgoing.values.size(); ++i) {
    Tensor& value = draft.outgoing.values[i];
    if (i < newest_.size() && SameBytes(newest_[i]->value, value)) {
      draft.blobs.push_back(newest_[i]);
      value = newest_[i]->value;
    } else {
      draft.blobs.push_back(std::make_shared<SentBlob>(SentBlob{{next_blob_++, 0, {}}, value}));
    }
  }
  return draft;
}

void SentVersions::Add(SentVersion sent) {
  newest_ = sent.blobs;
  const uint64_t version = sent.outgoing.info.id.version;
  versions_[version] = std::move(sent);
}

const SentVersion* SentVersions::Find(uint64_t version) const {
  const auto found = versions_.find(version);
  return found == versions_.end() ? nullptr : &found->second;
}

std::vector<uint64_t> SentVersions::Kept(const std::map<std::string, uint64_t>& labels,
                                         bool with_next) const {
  std::vector<uint64_t> kept;
  for (const auto& entry : versions_) kept.push_back(entry.first);
  const size_t room = static_cast<size_t>(retained_) - (with_next ? 1 : 0);
  const size_t newest = std::min(room, kept.size());
  const uint64_t oldest = newest == 0 ? UINT64_MAX : kept[kept.size() - newest];
  std::erase_if(kept, [&](uint64_t version) {
    const auto names_it = [version](const auto& label) { return label.second == version; };
    return version < oldest && std::ranges::none_of(labels, names_it);
  });
  return kept;
}

void SentVersions::Retire(const Keys& keys, const ServerState& state, RetiredKeys* retired) {
  std::erase_if(versions_, [&](auto& entry) {
    if (std::ranges::find(state.versions, entry.first) != state.versions.end()) return false;
    std::vector<std::string> unused = {keys.version(state.epoch, entry.first)};
    uint64_t bytes = 0;
    for (const auto& blob : entry.second.blobs) {
      if (blob.use_count() > 1) continue;
      AppendChunkKeys(keys, state.epoch, blob->blob, &unused);
      bytes += StoredBytes(blob->blob);
    }
    retired->Add(std::move(unused), bytes);
    return true;
  });
}

uint64_t SentVersions::BytesOf(const std::vector<uint64_t>& versions) const {
  std::set<const SentBlob*> blobs;
  uint64_t bytes = 0;
  for (uint64_t version : versions) {
    for (const auto& blob : versions_.at(version).blobs) {
      if (blobs.insert(blob.get()).second) bytes += blob->blob.bytes;
    }
  }
  return bytes;
}

void SentVersions::AppendKeys(const Keys& names, uint64_t epoch,
                              std::vector<std::string>* keys) const {
  for (const auto& [version, sent] : versions_) {
    keys->push_back(names.version(epoch, version));
    for (const auto& blob : sent.blobs) AppendChunkKeys(names, epoch, blob->blob, keys);
  }
}

}  // namespace ramet::redis
