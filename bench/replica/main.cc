// Measures how long publishing takes, how much it slows down a trainer, and when a version can be
// used in another process. Prints one line per figure: NAME VALUE UNIT. docs/replicas.md has the
// table.
//
//   ramet_replica_bench [FILTER [THREADS]]
//   ramet_replica_bench --follower ADDRESS COUNT   (started by the program itself)
//   ramet_replica_bench --serve ADDRESS SECONDS    (started by the program itself)
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "sharing.h"
#include "wake.h"
#include "workload.h"

extern char** environ;

namespace ramet::replica_bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

double Micros(Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }
int64_t Nanos() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

void Print(const std::string& name, double value, const char* unit) {
  std::printf("%-58s %12.1f %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

double At(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values.empty()
             ? 0
             : values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

// Followers in separate processes. Each one reports on a pipe when a version became usable.
class Followers {
 public:
  Followers(const std::string& address, int processes, int versions) {
    for (int i = 0; i < processes; ++i) Start(address, versions);
    for (FILE* out : outputs_) (void)!std::fgets(line_, sizeof(line_), out);
  }
  ~Followers() {
    for (FILE* out : outputs_) std::fclose(out);
    for (pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }
  // Returns when the slowest follower had the next version, as Nanos does.
  int64_t Next() {
    int64_t latest = 0;
    for (FILE* out : outputs_) {
      if (!std::fgets(line_, sizeof(line_), out)) continue;
      latest = std::max<int64_t>(latest, std::atoll(line_));
    }
    return latest;
  }

 private:
  void Start(const std::string& address, int versions) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string count = StrCat(versions);
    const char* arguments[] = {"follower", "--follower", address.c_str(), count.c_str(), nullptr};
    pid_t pid = 0;
    if (posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, const_cast<char**>(arguments),
                    environ) != 0) {
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    pids_.push_back(pid);
    outputs_.push_back(fdopen(ends[0], "r"));
  }
  std::vector<pid_t> pids_;
  std::vector<FILE*> outputs_;
  char line_[64];
};

int Follow(const std::string& address, int versions) {
  auto follower = Follower::Open(address, {.wait = milliseconds(20000)});
  if (!follower.ok()) return std::fprintf(stderr, "%s\n", follower.status().ToString().c_str()), 1;
  uint64_t last = follower->current().id.version;
  std::puts("ready");
  std::fflush(stdout);
  for (int i = 0; i < versions; ++i) {
    const auto now = follower->Wait(last + 1, milliseconds(60000));
    const int64_t at = Nanos();
    if (!now.ok()) return std::fprintf(stderr, "%s\n", now.status().ToString().c_str()), 1;
    last = now->id.version;
    std::printf("%lld\n", static_cast<long long>(at));
    std::fflush(stdout);
  }
  return 0;
}

std::string NewAddress() {
  static int count = 0;
  return StrCat("shm:replica_bench ", getpid(), " ", ++count);
}

void Step(Workload& w) {
  std::vector<Tensor> none(1);
  if (!w.batches.empty()) w.feeds[0] = w.batches[w.steps++ % w.batches.size()];
  if (Status s = w.step->Run(w.feeds, none); !s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    std::exit(1);
  }
}

// Measures publishing after each of several steps, with this number of followers.
void Latency(Workload& w, int followers) {
  constexpr int kVersions = 30, kWarm = 5;
  const std::string address = NewAddress();
  Publisher publisher = Publisher::Open(address, *w.session, {.variables = w.published}).value();
  publisher.Publish().value();
  Followers others(address, followers, kVersions);
  std::vector<double> publish, usable;
  for (int i = 0; i < kVersions; ++i) {
    Step(w);
    const auto begin = Clock::now();
    const int64_t begin_nanos = Nanos();
    const auto version = publisher.Publish();
    const double took = Micros(Clock::now() - begin);
    if (!version.ok())
      std::fprintf(stderr, "%s\n", version.status().ToString().c_str()), std::exit(1);
    const double at = static_cast<double>(others.Next() - begin_nanos) / 1e3;
    if (i < kWarm) continue;
    publish.push_back(took);
    usable.push_back(at);
  }
  const std::string name =
      StrCat(w.name, ", ", w.variables, " variables, ", followers, " followers: ");
  Print(name + "publish, median", At(publish, 0.5), "us");
  Print(name + "usable by all, median", At(usable, 0.5), "us");
  Print(name + "usable by all, 90th", At(usable, 0.9), "us");
  const PublisherStats stats = publisher.stats();
  Print(name + "copied per version",
        static_cast<double>(stats.bytes_copied) / static_cast<double>(stats.published), "bytes");
}

double StepMicros(Workload& w, int steps, const std::function<void()>& after) {
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) {
    const auto begin = Clock::now();
    Step(w);
    after();
    times.push_back(Micros(Clock::now() - begin));
  }
  return At(times, 0.5);
}

// Waits for the first proof of a follower. Followers spend one percent of their time on proofs, so
// the first one takes longer than all the steps measured.
void AwaitProof(const Follower& follower) {
  while (follower.stats().proven == 0) std::this_thread::sleep_for(milliseconds(1));
}

// Measures steps with and without publishing after each of them, in turns, with one follower.
void Overhead(Workload& w, int steps, int turns = 5) {
  const std::string address = NewAddress();
  double alone = 1e30, published = 1e30;
  for (int turn = 0; turn < turns; ++turn) {
    alone = std::min(alone, StepMicros(w, steps, [] {}));
    Publisher publisher = Publisher::Open(address, *w.session, {.variables = w.published}).value();
    publisher.Publish().value();
    const Follower follower = Follower::Open(address).value();
    AwaitProof(follower);
    const auto publish = [&] { publisher.Publish().value(); };
    StepMicros(w, std::min(steps, 5), publish);
    published = std::min(published, StepMicros(w, steps, publish));
  }
  Print(w.name + ": step", alone, "us");
  Print(w.name + ": step, published", published, "us");
  Print(w.name + ": longer by", (published / alone - 1) * 100, "%");
}

// Measures the 99th percentile of a follower's runs, without and with 100 versions per second.
void ServingTail() {
  Workload w = Perceptron();
  const std::string address = NewAddress();
  Publisher publisher = Publisher::Open(address, *w.session, {.variables = w.published}).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(address).value();
  const Callable run = follower.session().MakeCallable({"x:0"}, {"logits:0"}).value();
  const std::vector<Tensor> feeds = {w.feeds[0]};
  std::vector<Tensor> fetched(1);
  const auto tail = [&](bool publishing) {
    std::vector<double> times;
    const auto end = Clock::now() + std::chrono::seconds(4);
    auto next = Clock::now();
    while (Clock::now() < end) {
      if (publishing && Clock::now() >= next) {
        next += milliseconds(10);
        Step(w);
        publisher.Publish().value();
      }
      const auto begin = Clock::now();
      if (!run.Run(feeds, fetched).ok()) std::exit(1);
      times.push_back(Micros(Clock::now() - begin));
    }
    return At(times, 0.99);
  };
  double quiet = 1e30, busy = 1e30;
  for (int turn = 0; turn < 3; ++turn) {
    quiet = std::min(quiet, tail(false));
    busy = std::min(busy, tail(true));
  }
  Print("mlp: 99th percentile of a follower's runs", quiet, "us");
  Print("mlp: the same at 100 versions per second", busy, "us");
  Print("mlp: ratio", busy / quiet * 100, "%");
}

void BareWake() {
  const Wakes wakes = WakeAnotherProcess(1000);
  Print("a futex alone: wake, median", At(wakes.wake, 0.5), "us");
  Print("a futex alone: the other process runs, median", At(wakes.usable, 0.5), "us");
}

struct Figure {
  std::string name;
  std::function<void()> measure;
};

void All(const std::string& filter) {
  const auto latency = [](Workload w, std::vector<int> followers) {
    for (int n : followers) Latency(w, n);
  };
  const Figure figures[] = {
      {"wake", BareWake},
      {"latency_mlp",
       [&] {
         latency(Perceptron(), {1, 8, 64});
       }},
      {"latency_1mb",
       [&] {
         latency(Descent(1 << 20, 4), {1, 8, 64});
       }},
      {"latency_100mb",
       [&] {
         latency(Descent(100 << 20, 40), {1, 8});
       }},
      {"latency_1gb", [&] { latency(Descent(1 << 30, 400), {1}); }},
      {"overhead_mlp",
       [] {
         Workload w = Perceptron();
         Overhead(w, 400);
       }},
      {"overhead_cnn",
       [] {
         Workload w = ConvNet();
         Overhead(w, 60);
       }},
      {"overhead_1gb",
       [] {
         Workload w = Descent(1 << 30, 400);
         Overhead(w, 8);
       }},
      {"sparse_1gb",
       [] {
         Workload w = SparseTable(1 << 30);
         Overhead(w, 100);
       }},
      {"sparse_training_1gb",
       [] {
         Workload w = SparseTraining(1 << 30);
         Overhead(w, 100);
       }},
      {"tail", ServingTail},
      // This must be last, because it restricts the process to two processors.
      {"sharing", MeasureSharing},
  };
  for (const Figure& figure : figures) {
    if (figure.name.find(filter) != std::string::npos) figure.measure();
  }
}

}  // namespace
}  // namespace ramet::replica_bench

int main(int argc, char** argv) {
  using namespace ramet::replica_bench;
  if (argc == 4 && std::strcmp(argv[1], "--follower") == 0)
    return Follow(argv[2], std::atoi(argv[3]));
  if (argc == 4 && std::strcmp(argv[1], "--serve") == 0)
    return ServeInTurns(argv[2], std::atof(argv[3]));
  if (argc > 2) threads = std::atoi(argv[2]);
  All(argc > 1 ? argv[1] : "");
}
