#include "ramet/replica/shm/reader_quota.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace ramet::shm {
namespace {

constexpr size_t kMinConnections = 8;
// The fraction 1/kReservedShare of the descriptor limit is never given to followers.
constexpr uint64_t kReservedShare = 8;

// The number of publishers in this process.
std::atomic<int> num_quotas = 0;

uint64_t DescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  return limit.rlim_cur;
}

// Counts the connections of each user and each process.
class Shares {
 public:
  explicit Shares(std::span<const Connected> connections) {
    for (const Connected& one : connections) {
      ++users_[one.peer.uid];
      ++processes_[{one.peer.uid, one.peer.pid}];
    }
  }
  size_t OfUser(const Connected& one) const { return At(users_, one.peer.uid); }
  size_t OfProcess(const Connected& one) const {
    return At(processes_, {one.peer.uid, one.peer.pid});
  }

 private:
  template <class Key>
  static size_t At(const std::map<Key, size_t>& counts, const Key& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
  }
  std::map<uint32_t, size_t> users_;
  std::map<std::pair<uint32_t, int32_t>, size_t> processes_;
};

// Returns the oldest connection of the process with the most connections, among those for which
// `counts` returns true.
template <class Counts>
std::optional<size_t> OldestOfHeaviest(std::span<const Connected> all, const Shares& shares,
                                       Counts counts) {
  std::optional<size_t> best;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!counts(all[i])) continue;
    const auto rank = [&](size_t k) {
      return std::pair(shares.OfProcess(all[k]), -all[k].since.time_since_epoch());
    };
    if (!best || rank(i) > rank(*best)) best = i;
  }
  return best;
}

}  // namespace

ReaderQuota::ReaderQuota(const ReaderLimits& limits) : limits_(limits) { Count(1); }

void ReaderQuota::Count(int lists) { num_quotas += lists; }

bool ReaderQuota::IsFull(size_t connections) const {
  if (limits_.connections > 0) return connections >= limits_.connections;
  const uint64_t all =
      std::min<uint64_t>(DescriptorLimit() / kDescriptorsPerConnection, uint64_t{kMaxConnections});
  const auto lists = static_cast<uint64_t>(std::max(num_quotas.load(), 1));
  return connections >= std::max<uint64_t>(all / lists, kMinConnections);
}

bool ReaderQuota::MayConnect(const Connected& newcomer,
                             std::span<const Connected> connections) const {
  std::vector<Connected> unread;
  std::ranges::copy_if(connections, std::back_inserter(unread), std::not_fn(&Connected::has_read));
  const Shares shares(unread);
  if (shares.OfProcess(newcomer) >= limits_.unread_of_process) return false;
  return newcomer.peer.uid == geteuid() || shares.OfUser(newcomer) < limits_.unread_of_user;
}

std::optional<size_t> ReaderQuota::VictimFor(const Connected& newcomer,
                                             std::span<const Connected> connections) const {
  const Shares shares(connections);
  const auto is_silent = [&](const Connected& one) {
    return !one.has_read && newcomer.since - one.since > kReadSoon;
  };
  if (const auto silent = OldestOfHeaviest(connections, shares, is_silent)) return silent;
  // More than the newcomer would have. Otherwise two equals would keep dropping each other.
  const auto has_more = [&](const Connected& one) {
    return one.peer.uid == newcomer.peer.uid
               ? shares.OfProcess(one) > shares.OfProcess(newcomer) + 1
               : shares.OfUser(one) > shares.OfUser(newcomer) + 1;
  };
  return OldestOfHeaviest(connections, shares, has_more);
}

// The lowest free descriptor shows roughly how many are in use.
bool ReaderQuota::IsShortOfDescriptors(int any) {
  const FileDescriptor lowest(fcntl(any, F_DUPFD_CLOEXEC, 0));
  const uint64_t limit = DescriptorLimit();
  if (lowest.get() < 0) return errno == EMFILE;
  return static_cast<uint64_t>(lowest.get()) >= limit - limit / kReservedShare;
}

}  // namespace ramet::shm
