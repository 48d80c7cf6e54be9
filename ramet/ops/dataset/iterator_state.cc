#include "ramet/ops/dataset/iterator_state.h"

#include "ramet/base/coding.h"
#include "ramet/base/strings.h"

namespace ramet {
namespace {

constexpr uint64_t kVersion = 1;

bool TakeSeeds(std::string_view* bytes, SeedState* seeds) {
  return TakeVarint64(bytes, &seeds->seed) && TakeVarint64(bytes, &seeds->seed2) &&
         TakeVarint64(bytes, &seeds->draws) && seeds->draws <= IteratorState::kMaxDraws;
}

}  // namespace

std::string IteratorState::Encode() const {
  std::string bytes;
  for (const uint64_t number : {kVersion, calls, errors, uint64_t{seeds.size()}}) {
    AppendVarint64(&bytes, number);
  }
  for (const SeedState& one : seeds) {
    for (const uint64_t number : {one.seed, one.seed2, one.draws}) AppendVarint64(&bytes, number);
  }
  return bytes;
}

StatusOr<IteratorState> IteratorState::Decode(std::string_view bytes) {
  const Status damaged = InvalidArgument("the state of an iterator is damaged");
  uint64_t version;
  if (!TakeVarint64(&bytes, &version)) return damaged;
  if (version != kVersion) {
    return InvalidArgument("the state of an iterator has version ", version,
                           ", but this library reads version ", kVersion);
  }
  IteratorState state;
  uint64_t count;
  if (!TakeVarint64(&bytes, &state.calls) || !TakeVarint64(&bytes, &state.errors) ||
      !TakeVarint64(&bytes, &count) || count > kMaxSeeds || state.calls > INT64_MAX) {
    return damaged;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (!TakeSeeds(&bytes, &state.seeds.emplace_back())) return damaged;
  }
  if (!bytes.empty()) return damaged;
  return state;
}

}  // namespace ramet
