#include "ramet/replica/version_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "ramet/base/strings.h"
#include "ramet/format/checkpoint_reader.h"

namespace ramet {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string Digest(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return std::string(reinterpret_cast<const char*>(canonical.digest), sizeof(canonical.digest));
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

template <class T>
void Append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string DescriptionBytes(std::string_view name, const Tensor& value) {
  std::string bytes;
  Append<uint64_t>(&bytes, name.size());
  bytes += name;
  Append<int32_t>(&bytes, static_cast<int32_t>(value.dtype()));
  Append<int32_t>(&bytes, value.rank());
  for (const int64_t dim : value.shape().dims()) Append<int64_t>(&bytes, dim);
  return bytes;
}

}  // namespace

void VersionHasher::Add(std::string_view name, const Tensor& value) {
  const std::string description = DescriptionBytes(name, value);
  const std::unique_ptr<XXH3_state_t, void (*)(XXH3_state_t*)> state(
      XXH3_createState(), [](XXH3_state_t* s) { XXH3_freeState(s); });
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), description.data(), description.size());
  if (value.bytes() > 0) XXH3_128bits_update(state.get(), value.raw_data(), value.bytes());
  entries_.push_back({std::string(name), Digest(XXH3_128bits_digest(state.get()))});
}

std::vector<VersionHasher::Entry> VersionHasher::Sorted() const {
  std::vector<Entry> sorted = entries_;
  std::ranges::sort(sorted, {}, &Entry::name);
  return sorted;
}

std::vector<TensorHash> VersionHasher::tensors() const {
  std::vector<TensorHash> hashes;
  for (const Entry& entry : Sorted()) hashes.push_back({entry.name, Hex(entry.digest)});
  return hashes;
}

std::string VersionHasher::whole() const {
  std::string digests;
  for (const Entry& entry : Sorted()) digests += entry.digest;
  return Hex(Digest(XXH3_128bits(digests.data(), digests.size())));
}

std::string ContentHash(const ReplicaSignature& signature, std::span<const Tensor> values) {
  VersionHasher hasher;
  for (size_t i = 0; i < signature.size(); ++i) hasher.Add(signature[i].name, values[i]);
  return hasher.whole();
}

std::string SourceHash(const ReplicaSignature& signature, std::span<const Tensor> values,
                       std::span<const Tensor> sources) {
  VersionHasher hasher;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature[i].is_scales()) continue;
    const bool converted = i < sources.size() && !sources[i].empty();
    hasher.Add(signature[i].source_name(), converted ? sources[i] : values[i]);
  }
  return hasher.whole();
}

StatusOr<CheckpointHash> HashCheckpoint(const std::string& prefix,
                                        std::span<const std::string> names) {
  RAMET_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(prefix));
  std::vector<std::string> wanted(names.begin(), names.end());
  if (wanted.empty()) {
    RAMET_ASSIGN_OR_RETURN(const std::vector<CheckpointTensor> all, reader.List());
    for (const CheckpointTensor& tensor : all) {
      if (DTypeSize(tensor.dtype) > 0) wanted.push_back(tensor.name);
    }
  }
  VersionHasher hasher;
  for (const std::string& name : wanted) {
    RAMET_ASSIGN_OR_RETURN(const Tensor value, reader.Read(name));
    if (DTypeSize(value.dtype()) == 0) {
      return Unimplemented(prefix, ": '", name, "' is ", DTypeName(value.dtype()),
                           ", which cannot be hashed");
    }
    hasher.Add(name, value);
  }
  return CheckpointHash{hasher.whole(), hasher.tensors()};
}

std::vector<std::string> SourceNames(const ReplicaSignature& signature) {
  std::vector<std::string> names;
  for (const VariableSpec& spec : signature) {
    if (!spec.is_scales()) names.push_back(spec.source_name());
  }
  return names;
}

}  // namespace ramet
