#include "sharing.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "workload.h"

extern char** environ;

namespace ramet::replica_bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 1.5;
constexpr int kTurns = 5;
constexpr int kMaxFollowers = 8;
// Followers that wait for their turn hold their versions, so there must be memory for many.
constexpr uint64_t kMaxBytes = 1 << 30;

struct Work {
  double items = 0;  // runs or versions
  double processor_seconds = 0;
};

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Work WorkFor(double seconds, const std::function<void()>& item) {
  Work work;
  const double before = ProcessorSeconds();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    item();
    ++work.items;
  }
  work.processor_seconds = ProcessorSeconds() - before;
  return work;
}

void UseTwoProcessors() {
  cpu_set_t allowed, two;
  CPU_ZERO(&two);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++i) {
    if (CPU_ISSET(i, &allowed)) CPU_SET(i, &two);
  }
  sched_setaffinity(0, sizeof(two), &two);
}

class Server {
 public:
  explicit Server(const std::string& address) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    const std::string seconds = std::to_string(kSeconds);
    const char* arguments[] = {"follower", "--serve", address.c_str(), seconds.c_str(), nullptr};
    if (posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, const_cast<char**>(arguments),
                    environ) != 0) {
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
    Result();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(pid_, nullptr, 0);
  }
  void Begin() {
    std::fputs("\n", to_);
    std::fflush(to_);
  }
  Work Result() {
    Work work;
    if (std::fscanf(from_, "%lf %lf", &work.items, &work.processor_seconds) != 2) std::abort();
    return work;
  }

 private:
  pid_t pid_ = 0;
  FILE* to_;
  FILE* from_;
};

// A trainer and the processes that follow it. It trains for a while alone, or together with them.
class Machine {
 public:
  Machine() : trainer_(LargePerceptron()), publisher_(Open()) {
    Train();
    for (int i = 0; i < kMaxFollowers; ++i) servers_.push_back(std::make_unique<Server>(address_));
  }
  Work TrainAlone() {
    return WorkFor(kSeconds, [&] { Train(); });
  }
  Work ServeAlone() {
    servers_[0]->Begin();
    return servers_[0]->Result();
  }
  struct Shared {
    Work training, serving;
  };
  Shared Together(int followers) {
    for (int i = 0; i < followers; ++i) servers_[i]->Begin();
    Shared shared;
    shared.training = TrainAlone();
    for (int i = 0; i < followers; ++i) {
      const Work served = servers_[i]->Result();
      shared.serving.items += served.items;
      shared.serving.processor_seconds += served.processor_seconds;
    }
    return shared;
  }

 private:
  Publisher Open() {
    return Publisher::Open(address_, *trainer_.session,
                           {.variables = trainer_.published, .retention = {.max_bytes = kMaxBytes}})
        .value();
  }
  void Train() {
    std::vector<Tensor> none(1);
    if (!trainer_.step->Run(trainer_.feeds, none).ok()) std::abort();
    publisher_.Publish().value();
  }
  const std::string address_ = StrCat("shm:replica_bench ", getpid(), " sharing");
  Workload trainer_;
  Publisher publisher_;
  std::vector<std::unique_ptr<Server>> servers_;
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Turns {
  std::vector<double> versions, runs, sum, sum_of_time;
};

// The last two columns are 1 if sharing costs nothing. The first one is based on elapsed time, the
// second one on processor time, which is more meaningful if the machine is not idle.
void Print(int followers, const Turns& turns) {
  std::printf("trainer + %d followers on 2 processors: %7.1f versions/s %8.1f runs/s  work %5.2f  ",
              followers, Median(turns.versions), Median(turns.runs), Median(turns.sum));
  std::printf("work per processor second %5.2f\n", Median(turns.sum_of_time));
  std::fflush(stdout);
}

}  // namespace

void MeasureSharing() {
  UseTwoProcessors();
  Machine machine;
  for (const int followers : {0, 1, 3, 8}) {
    Turns turns;
    for (int i = 0; i < kTurns; ++i) {
      const Work training = machine.TrainAlone();
      const Work serving = machine.ServeAlone();
      const auto [trained, served] = machine.Together(followers);
      turns.versions.push_back(trained.items / kSeconds);
      turns.runs.push_back(served.items / kSeconds);
      turns.sum.push_back(trained.items / training.items + served.items / serving.items);
      const double seconds_alone = trained.items / training.items * training.processor_seconds +
                                   served.items / serving.items * serving.processor_seconds;
      turns.sum_of_time.push_back(seconds_alone /
                                  (trained.processor_seconds + served.processor_seconds));
    }
    Print(followers, turns);
  }
}

int ServeInTurns(const std::string& address, double seconds) {
  auto follower = Follower::Open(address, {.wait = std::chrono::seconds(20)});
  if (!follower.ok()) return std::fprintf(stderr, "%s\n", follower.status().ToString().c_str()), 1;
  const Callable run = follower->session().MakeCallable({"x:0"}, {"logits:0"}).value();
  const std::vector<Tensor> feeds = {LargePerceptron().feeds[0]};
  std::vector<Tensor> fetched(1);
  if (!run.Run(feeds, fetched).ok()) return 1;
  Work work;
  do {
    std::printf("%f %f\n", work.items, work.processor_seconds);
    std::fflush(stdout);
    if (std::getchar() == EOF) return 0;
    work = WorkFor(seconds, [&] {
      if (!run.Run(feeds, fetched).ok()) std::abort();
    });
  } while (true);
}

}  // namespace ramet::replica_bench
