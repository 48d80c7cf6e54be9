// fuzz_peers: runs peers that speak the protocol but lie, for a given time.
//
//   fuzz_peers [--seed N] [--seconds N] [--way NAME] [--case N]
//
// Each case is a liar and its victim in separate processes with limits of time and memory. A victim
// that dies, hangs, throws or starves an honest peer is a finding. Its case is printed and can be
// repeated with --case (and --way).

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "liars.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/testing/redis_server.h"
#include "ramet/replica/shm/channel.h"

namespace ramet::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLimit = std::chrono::seconds(60);
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FUZZ_PEERS_SHADOWED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(FUZZ_PEERS_SHADOWED)
constexpr uint64_t kMemory = 0;  // sanitizers reserve far more addresses than memory
#else
constexpr uint64_t kMemory = uint64_t{4} << 30;
#endif

// Starts a process that exits with the result of `work`, and dies with this one.
pid_t Start(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (kMemory > 0) {
    const rlimit memory{kMemory, kMemory};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Messages that the library logs because of a liar are not findings.
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (std::getenv("FUZZ_PEERS_VERBOSE") == nullptr) dup2(nothing, STDERR_FILENO);
  _exit(work());
}

// Returns the status of a process as from waitpid; -1 if it takes too long.
int WaitFor(pid_t child) {
  const auto deadline = Clock::now() + kLimit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status;
}

void Kill(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Returns the victim's status.
int RunPair(const std::function<int()>& victim, const std::function<void()>& liar) {
  const pid_t liar_id = Start([&] {
    liar();
    return 0;
  });
  const pid_t victim_id = Start(victim);
  const int status = WaitFor(victim_id);
  if (status == -1) Kill(victim_id);
  Kill(liar_id);
  return status;
}

int ListenAt(const std::string& name) {
  const std::string address = StrCat("ramet/", geteuid(), "/", name);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un un = {};
  un.sun_family = AF_UNIX;
  address.copy(un.sun_path + 1, sizeof(un.sun_path) - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
  if (bind(fd, reinterpret_cast<sockaddr*>(&un), size) != 0 || listen(fd, 4) != 0) std::abort();
  return fd;
}

int ShmFollowerCase(uint64_t seed) {
  const std::string name = StrCat("liar ", getpid(), " ", seed);
  const FileDescriptor listening(ListenAt(name));
  return RunPair([&] { return FollowShm(name, Random(seed + 1)); },
                 [&] { LieAsShmPublisher(listening.get(), Random(seed)); });
}

int ShmPublisherCase(uint64_t seed) {
  const std::string name = StrCat("liar ", getpid(), " ", seed);
  return RunPair([&] { return PublishShm(name); }, [&] { LieAsShmFollowers(name, Random(seed)); });
}

int RedisCase(uint64_t seed, bool follows) {
  int port = 0;
  const FileDescriptor listening(redis::BindToLoopback(&port));
  if (listen(listening.get(), 16) != 0) std::abort();
  return RunPair(
      [&] { return follows ? FollowRedis(port, "m", Random(seed + 1)) : PublishRedis(port, "m"); },
      [&] { LieAsRedisServer(listening.get(), "m", Random(seed)); });
}

int FolderCase(uint64_t seed) {
  const ScratchDir scratch;
  const std::string folder = scratch / "m";
  if (WaitFor(Start([&] {
        MakeFolder(folder);
        return 0;
      })) != 0) {
    std::abort();
  }
  return RunPair([&] { return FollowFolder(folder, Random(seed + 1)); },
                 [&] { LieAsFolder(folder, Random(seed)); });
}

struct Way {
  const char* name;
  std::function<int(uint64_t)> run;
};

std::vector<Way> Ways() {
  return {{"shm-follower", ShmFollowerCase},
          {"folder", FolderCase},
          {"redis-follower", [](uint64_t seed) { return RedisCase(seed, true); }},
          {"shm-follower", ShmFollowerCase},
          {"shm-publisher", ShmPublisherCase},
          {"redis-publisher", [](uint64_t seed) { return RedisCase(seed, false); }}};
}

std::string Finding(int status) {
  if (status == -1) return "hangs";
  if (WIFSIGNALED(status)) return StrCat("ended by signal ", WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case kFine: return "";
    case kStarved: return "starves an honest peer";
    case kThrew: return "lets an exception out";
    default: return StrCat("exits with ", WEXITSTATUS(status));
  }
}

struct Options {
  uint64_t seed = 1;
  int64_t seconds = 20;
  std::string way;
  int64_t only = -1;
};

int Main(const Options& options) {
  const std::vector<Way> ways = Ways();
  const auto end = Clock::now() + std::chrono::seconds(options.seconds);
  uint64_t cases = 0, findings = 0;
  for (uint64_t i = options.only >= 0 ? static_cast<uint64_t>(options.only) : 0;; ++i) {
    const Way& way = ways[i % ways.size()];
    if (options.way.empty() || options.way == way.name) {
      const std::string finding = Finding(way.run(options.seed * 1'000'003 + i));
      ++cases;
      if (!finding.empty()) {
        ++findings;
        std::printf("FINDING --seed %llu --case %llu (%s): the victim %s\n",
                    static_cast<unsigned long long>(options.seed),
                    static_cast<unsigned long long>(i), way.name, finding.c_str());
      }
    }
    if (options.only >= 0 || Clock::now() > end) break;
  }
  std::printf("%llu cases, %llu findings\n", static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(findings));
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ramet::peers

int main(int argc, char** argv) {
  ramet::peers::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--seed") options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seconds") options.seconds = std::atoll(argv[i + 1]);
    if (name == "--way") options.way = argv[i + 1];
    if (name == "--case") options.only = std::atoll(argv[i + 1]);
  }
  return ramet::peers::Main(options);
}
