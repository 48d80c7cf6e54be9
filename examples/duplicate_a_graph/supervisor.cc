#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>

#include "child.h"
#include "display.h"
#include "gpu.h"
#include "report.h"
#include "roles.h"
#include "summary.h"

namespace example {
namespace {

namespace fs = std::filesystem;
namespace rm = ramet;

// The folder for the checkpoints. If the options name none, it is a temporary folder, which the
// destructor removes.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(Options* options) : path_(options->checkpoint_dir) {
    if (path_.empty()) {
      path_ = fs::temp_directory_path() / "duplicate_a_graph-XXXXXX";
      if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
      fresh_ = true;
    } else {
      fs::create_directories(path_);
    }
    options->checkpoint_dir = path_;
    if (!fresh_) ForgetEarlierRun(options->checkpoint());
  }
  ~CheckpointFolder() {
    std::error_code ignored;
    if (fresh_) fs::remove_all(path_, ignored);
  }
  CheckpointFolder(const CheckpointFolder&) = delete;

  bool fresh() const { return fresh_; }

 private:
  // Removes the checkpoint of an earlier run, so that the follower does not mistake it for the end
  // of this one.
  void ForgetEarlierRun(const std::string& checkpoint) const {
    auto latest = rm::LatestCheckpoint(path_);
    if (latest.ok() && fs::path(*latest).filename() != fs::path(checkpoint).filename()) {
      throw std::runtime_error("'" + path_ + "' contains a checkpoint of another program (" +
                               *latest + "); use an empty folder as --checkpoint-dir");
    }
    rm::RemoveCheckpoint(checkpoint).value();
  }

  std::string path_;
  bool fresh_ = false;
};

// While an Interrupts object lives, Ctrl-C, SIGTERM and SIGHUP end Poll() instead of the process.
// Only one object may exist at a time.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { came_ = 1; };
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Interrupts() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;

  // Waits until one of the descriptors is ready. Returns false after an interrupt.
  static bool Poll(std::vector<pollfd>& fds) {
    sigset_t blocked, open;
    sigemptyset(&blocked);
    for (int signal : kSignals) sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &open);
    if (!came_) ppoll(fds.data(), fds.size(), nullptr, &open);
    sigprocmask(SIG_SETMASK, &open, nullptr);
    return !came_;
  }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  static inline volatile sig_atomic_t came_ = 0;
  std::array<struct sigaction, 3> before_;
};

struct Side {
  std::string name;    // the role
  const char* change;  // the label of Report::change
  Child child;
  std::vector<Report> reports = {};

  int64_t step() const { return reports.empty() ? 0 : reports.back().step; }
};

Side StartSide(const Options& options, const char* name, const char* change) {
  return {name, change, Child::Start(CommandLine(options, name))};
}

class Supervisor {
 public:
  explicit Supervisor(const Options& options)
      : options_(options),
        sides_{StartSide(options, kTrainer, "loss "), StartSide(options, kMemoryFollower, "moved"),
               StartSide(options, kFileFollower, "moved")},
        display_({kTrainer, kMemoryFollower, kFileFollower}, options.steps) {
    if (options.serve) server_.emplace(Child::Start(ServerCommandLine(options)));
  }

  // Runs the sides until they end. The first failure ends all of them.
  std::optional<Failure> Run();
  Outcome outcome() const { return {sides_[0].reports, sides_[1].reports, sides_[2].reports}; }
  std::string Elapsed() const { return display_.Elapsed(); }
  // Lets the server go on until an interrupt. Its end is a failure.
  std::optional<Failure> KeepServing();

 private:
  bool Running() const {
    return std::ranges::any_of(sides_, [](const Side& side) { return side.child.running(); });
  }
  void Listen();
  void HearServer(const pollfd& out, const pollfd& err);
  void Hear(size_t side, const std::string& line);
  void Ended(Side& side);
  void Fail(ExitCode code, const std::string& message) {
    if (!failure_) failure_ = Failure{code, message};
  }

  const Options& options_;
  std::array<Side, 3> sides_;
  std::optional<Child> server_;
  Display display_;
  std::optional<Failure> failure_;
};

std::optional<Failure> Supervisor::Run() {
  while (Running() && !failure_) Listen();
  for (Side& side : sides_) side.child.Kill();
  display_.Finish();
  return failure_;
}

void Supervisor::Listen() {
  std::vector<pollfd> fds;
  for (const Side& side : sides_) {
    fds.push_back({side.child.out.fd(), POLLIN, 0});
    fds.push_back({side.child.err.fd(), POLLIN, 0});
  }
  fds.push_back({server_ ? server_->out.fd() : -1, POLLIN, 0});
  fds.push_back({server_ ? server_->err.fd() : -1, POLLIN, 0});
  if (!Interrupts::Poll(fds)) return Fail(kInterrupted, "interrupted");
  HearServer(fds[fds.size() - 2], fds.back());
  for (size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_[i];
    if (fds[2 * i + 1].revents) {
      for (const std::string& line : side.child.err.Read()) display_.Print(side.name + ": " + line);
    }
    if (fds[2 * i].revents) {
      for (const std::string& line : side.child.out.Read()) Hear(i, line);
    }
    if (side.child.running() && side.child.out.fd() < 0 && side.child.err.fd() < 0) Ended(side);
  }
}

void Supervisor::HearServer(const pollfd& out, const pollfd& err) {
  if (!server_) return;
  for (auto [pipe, ready] : {std::pair(&server_->out, &out), std::pair(&server_->err, &err)}) {
    if (!ready->revents) continue;
    for (const std::string& line : pipe->Read()) display_.Print("server: " + line);
  }
  if (!server_->running() || server_->out.fd() >= 0 || server_->err.fd() >= 0) return;
  Fail(kFailed, rm::StrCat("the server ended with exit code ", server_->Wait()));
}

std::optional<Failure> Supervisor::KeepServing() {
  if (!server_) return std::nullopt;
  std::cout << "The last version stays at " << kPage << " until you press Ctrl-C." << std::endl;
  while (!failure_) Listen();
  return failure_->code == kInterrupted ? std::nullopt : failure_;
}

void Supervisor::Hear(size_t index, const std::string& line) {
  Side& side = sides_[index];
  auto message = ParseMessage(line);
  if (auto* failure = std::get_if<Failure>(&message)) {
    return Fail(failure->code, side.name + ": " + failure->message);
  }
  const Report& report = side.reports.emplace_back(std::get<Report>(message));
  const std::string change = report.change < 0 ? "-" : Fixed(report.change);
  display_.Update(
      index, report.step,
      rm::StrCat("accuracy ", Fixed(report.accuracy()), "  ", side.change, " ", change));
}

void Supervisor::Ended(Side& side) {
  const int code = side.child.Wait();
  const std::string after = rm::StrCat(" after step ", side.step());
  if (code > 128) {
    Fail(kFailed, rm::StrCat("the ", side.name, " was killed by signal ", code - 128, " (",
                             strsignal(code - 128), ")", after));
  } else if (code != 0 || side.step() != options_.steps) {
    Fail(kFailed, rm::StrCat("the ", side.name, " ended with exit code ", code, after));
  }
}

// Checks the folder of the plot before the work begins.
void CheckPlotFolder(const std::string& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder))
    throw std::runtime_error("--plot: the folder " + folder.string() + " does not exist");
}

int Complain(const Failure& failure) {
  std::cerr << "duplicate_a_graph: " << failure.message << std::endl;
  return failure.code;
}

}  // namespace

int Supervise(const Options& given) {
  Options options = given;
  CheckPlotFolder(options.plot);
  Interrupts interrupts;
  CheckpointFolder folder(&options);
  if (options.address.empty()) options.address = rm::StrCat("shm:duplicate_a_graph-", getpid());
  std::cout << "trainer on " << options.trainer_device << ", followers on "
            << options.follower_device << "; versions at " << options.address << ", checkpoints in "
            << options.checkpoint_dir << std::endl;
  if (options.serve) std::cout << "page: " << kPage << std::endl;
  Supervisor run(options);
  if (auto failure = run.Run()) return Complain(*failure);
  const Outcome outcome = run.outcome();
  const bool may_round = IsGpu(options.trainer_device) != IsGpu(options.follower_device);
  if (auto failure = Compare(outcome, may_round)) return Complain(*failure);
  if (auto failure = WritePlot(options.plot, outcome)) return Complain(*failure);
  PrintSummary(options, outcome, folder.fresh(), run.Elapsed());
  if (auto failure = run.KeepServing()) return Complain(*failure);
  return kOk;
}

}  // namespace example
