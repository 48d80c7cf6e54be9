#include "supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <sstream>

namespace ramet::fuzz {
namespace {

#ifdef RAMET_SANITIZE
constexpr double kMaxCaseCpuSeconds = 120;  // twice what the largest gradients take
#else
constexpr double kMaxCaseCpuSeconds = 10;
#endif
constexpr double kMaxCaseWallSeconds = 240;  // the machine may be busy
constexpr int64_t kMaxResidentBytes = int64_t{3} << 30;
constexpr uint64_t kCasesPerChild = 5000;

int64_t Nanos(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return int64_t{1'000'000'000} * t.tv_sec + t.tv_nsec;
}

int64_t CpuNanos(pid_t pid) {
  clockid_t clock;
  return clock_getcpuclockid(pid, &clock) == 0 ? Nanos(clock) : 0;
}

int64_t ResidentBytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the lines of a crash's output that name the error, and the first frames of its stack.
std::string Excerpt(const std::string& output) {
  std::istringstream lines(output);
  std::string excerpt;
  int frames = 0;
  for (std::string line; std::getline(lines, line) && frames < 12;) {
    const bool says = line.find("ERROR: ") != std::string::npos ||
                      line.find("runtime error: ") != std::string::npos ||
                      line.find("terminate called") != std::string::npos ||
                      line.find("what():") != std::string::npos;
    const bool frame = line.find("    #") == 0;
    if (frame) ++frames;
    if (says || frame) excerpt += "    " + line.substr(0, 240) + "\n";
  }
  return excerpt;
}

// Returns the part of an excerpt that identifies a finding: the error and Ramet's first frame.
std::string Signature(const std::string& excerpt) {
  std::istringstream lines(excerpt);
  std::string signature;
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find("runtime error: "); at != std::string::npos) {
      return line.substr(0, at);
    }
    if (line.find("    #") != std::string::npos) {
      if (const size_t at = line.find("/ramet/"); at != std::string::npos) {
        return signature + line.substr(at);
      }
    } else if (signature.empty()) {
      const size_t at = line.find("Sanitizer: ");
      const size_t from = at == std::string::npos ? 0 : at + 11;
      signature = line.substr(from, line.find(' ', from) - from) + " ";
    }
  }
  return signature;
}

// Returns a finding's text without numbers and node names, which differ from case to case.
std::string Outline(const std::string& what) {
  std::string outline;
  for (const char c : what.substr(0, what.find("NodeDef"))) {
    if (!std::isdigit(static_cast<unsigned char>(c)) && c != ',' && c != '?') outline += c;
  }
  return outline;
}

class Supervisor {
 public:
  Supervisor(const FuzzOptions& options, const CaseFunction& run, std::string what)
      : options_(options), run_(run), what_(std::move(what)) {
    void* memory = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (memory) SharedState{};
    std::string folder = std::filesystem::temp_directory_path() / "ramet_fuzz_XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) throw std::bad_alloc();
    scratch_ = folder;
  }
  ~Supervisor() {
    std::error_code ignored;
    std::filesystem::remove_all(scratch_, ignored);
    munmap(shared_, sizeof(SharedState));
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  void Run(uint64_t cases, double seconds) {
    begin_ = Nanos(CLOCK_MONOTONIC);
    const auto over = [&] {
      return seconds > 0 && Seconds() > seconds ? true : shared_->next_case >= cases;
    };
    while (!over()) RunChild(cases, seconds);
  }

  double Seconds() const { return static_cast<double>(Nanos(CLOCK_MONOTONIC) - begin_) * 1e-9; }
  const SharedState& shared() const { return *shared_; }
  // Counts of the findings, by signature.
  const std::map<std::string, int>& findings() const { return findings_; }

 private:
  std::string OutputPath() const { return scratch_ + "/.output"; }

  void RunChild(uint64_t cases, double seconds) {
    std::fflush(stdout);
    shared_->in_case = false;
    const pid_t child = fork();
    if (child < 0) throw std::bad_alloc();
    if (child == 0) Child(cases);
    const auto [status, why] = Watch(child, seconds);
    if (!why.empty() || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      Record(!why.empty() ? why : Death(status), ReadAll(OutputPath()));
    }
  }

  static std::string Death(int status) {
    if (WIFSIGNALED(status)) {
      return std::string("crash: ") + strsignal(WTERMSIG(status));
    }
    return "crash: exit status " + std::to_string(WEXITSTATUS(status));
  }

  [[noreturn]] void Child(uint64_t cases) {
    LimitChild();
    const int output = open(OutputPath().c_str(), O_CREAT | O_RDWR | O_APPEND | O_TRUNC, 0600);
    dup2(output, 1);
    dup2(output, 2);
    if (chdir(scratch_.c_str()) != 0) _exit(3);
    Progress progress(shared_, false, options_.strict);
    for (uint64_t done = 0; done < kCasesPerChild && !shared_->stop; ++done) {
      const uint64_t index = shared_->next_case;
      if (index >= cases) break;
      if (ftruncate(output, 0) != 0) _exit(3);
      BeginCase();
      RunCase(index, progress);
      EndCase();
      if (shared_->finding_size > 0) _exit(4);  // the parent records it
    }
    _exit(0);
  }

  void BeginCase() {
    shared_->case_cpu_nanos = Nanos(CLOCK_PROCESS_CPUTIME_ID);
    shared_->case_wall_nanos = Nanos(CLOCK_MONOTONIC);
    shared_->text_size = 0;
    shared_->phase[0] = shared_->subject[0] = '\0';
    ++shared_->next_case;
    shared_->in_case = true;
  }
  void EndCase() {
    shared_->in_case = false;
    ++shared_->finished;
  }

  void RunCase(uint64_t index, Progress& progress) {
    try {
      run_(index, progress);
    } catch (const std::exception& e) {
      progress.Finding(std::string("exception: ") + e.what());
    }
  }

  static void LimitChild() {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const rlimit file_size{64 << 20, 64 << 20};
    setrlimit(RLIMIT_FSIZE, &file_size);
    signal(SIGXFSZ, SIG_IGN);
#ifndef RAMET_SANITIZE
    const rlimit memory{size_t{4} << 30, size_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
  }

  // Waits for the child. Returns its status, and why it had to be killed, if it was.
  std::pair<int, std::string> Watch(pid_t child, double seconds) {
    std::string why;
    for (int status = 0;;) {
      if (waitpid(child, &status, WNOHANG) == child) return {status, why};
      if (seconds > 0 && Seconds() > seconds) shared_->stop = true;
      if (why.empty()) why = Excess(child);
      if (!why.empty()) {
        kill(child, SIGABRT);  // a sanitizer then prints the stack
        for (int i = 0; i < 100; ++i) {
          usleep(50'000);
          if (waitpid(child, &status, WNOHANG) == child) return {status, why};
        }
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return {status, why};
      }
      usleep(20'000);
    }
  }

  std::string Excess(pid_t child) const {
    if (!shared_->in_case) return "";
    const double wall =
        static_cast<double>(Nanos(CLOCK_MONOTONIC) - shared_->case_wall_nanos) * 1e-9;
    const double cpu = static_cast<double>(CpuNanos(child) - shared_->case_cpu_nanos) * 1e-9;
    if (cpu > kMaxCaseCpuSeconds)
      return "hang: over " + std::to_string(cpu) + " s of processor time";
    if (wall > kMaxCaseWallSeconds) return "hang: over " + std::to_string(wall) + " s";
    if (ResidentBytes(child) > kMaxResidentBytes) return "memory: over 3 GB";
    return "";
  }

  void Record(std::string what, const std::string& output) {
    if (shared_->finding_size > 0) what = std::string(shared_->finding, shared_->finding_size);
    shared_->finding_size = 0;
    if (shared_->in_case) ++shared_->finished;
    const std::string excerpt = Excerpt(output);
    const std::string subject = shared_->subject, phase = shared_->phase;
    std::string signature = Signature(excerpt);
    if (signature.empty()) {
      const bool caught = what.find("crash") != 0 && what.find("hang") != 0;
      signature = caught ? Outline(what) : subject + " " + phase + " " + Outline(what);
    }
    const uint64_t index = shared_->next_case - 1;
    if (++findings_[signature] > 1) return;
    std::cout << "FINDING " << findings_.size() << ": " << what << "\n  " << what_ << " " << index
              << ", seed " << options_.seed << ", " << subject << ", while " << phase << "\n"
              << excerpt;
    if (!options_.findings.empty()) Keep(index);
    std::cout << std::flush;
  }

  void Keep(uint64_t index) {
    std::error_code ignored;
    std::filesystem::create_directories(options_.findings, ignored);
    const std::string path = options_.findings + "/" + shared_->subject + "-" +
                             std::to_string(options_.seed) + "-" + std::to_string(index) + ".pbtxt";
    std::ofstream(path, std::ios::binary).write(shared_->text, shared_->text_size);
    std::cout << "  graph in " << path << "\n";
  }

  const FuzzOptions& options_;
  const CaseFunction& run_;
  const std::string what_;
  SharedState* shared_;
  std::string scratch_;
  int64_t begin_ = 0;
  std::map<std::string, int> findings_;
};

std::string Share(uint64_t part, uint64_t whole) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f%%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

void Summarize(const FuzzOptions& options, const Supervisor& supervisor) {
  const SharedState& s = supervisor.shared();
  uint32_t ran = 0;
  std::string never;
  for (uint32_t i = 0; i < s.num_ops; ++i) {
    if (s.ops[i].ran > 0) {
      ++ran;
    } else {
      never += std::string(" ") + s.ops[i].name;
    }
  }
  std::printf(
      "seed %llu: %llu cases in %.0f s: %s built, %s ran, %llu differentiated, %llu cloned, "
      "%llu exported; %u of %u subjects ran\n",
      static_cast<unsigned long long>(options.seed),
      static_cast<unsigned long long>(s.finished.load()), supervisor.Seconds(),
      Share(s.built, s.finished).c_str(), Share(s.ran, s.finished).c_str(),
      static_cast<unsigned long long>(s.differentiated.load()),
      static_cast<unsigned long long>(s.cloned.load()),
      static_cast<unsigned long long>(s.exported.load()), ran, s.num_ops.load());
  if (options.list_unrun && !never.empty()) std::printf("never ran:%s\n", never.c_str());
}

int Conclude(const std::map<std::string, int>& findings) {
  for (const auto& [signature, count] : findings) {
    std::printf("found %d times: %s\n", count, signature.c_str());
  }
  return findings.empty() ? 0 : 1;
}

// Runs one case in this process, for use in a debugger.
int RunHere(const FuzzOptions& options, uint64_t index, const CaseFunction& run) {
  auto shared = std::make_unique<SharedState>();
  Progress progress(shared.get(), true, options.strict);
  run(index, progress);
  return shared->finding_size > 0 ? 1 : 0;
}

}  // namespace

int Supervise(const FuzzOptions& options, const std::vector<std::string>& corpus,
              const CaseFunction& corpus_case, const CaseFunction& drawn_case) {
  if (!options.replay.empty()) return RunHere(options, 0, corpus_case);
  if (options.single_case) return RunHere(options, *options.single_case, drawn_case);
  Supervisor past(options, corpus_case, "corpus file");
  past.Run(corpus.size(), 0);
  std::printf("corpus: %zu files, %zu findings\n", corpus.size(), past.findings().size());
  Supervisor drawn(options, drawn_case, "case");
  drawn.Run(options.seconds > 0 ? UINT64_MAX : options.cases, options.seconds);
  Summarize(options, drawn);
  return std::max(Conclude(past.findings()), Conclude(drawn.findings()));
}

bool FuzzOptions::LeavesOut(const std::string& op) const {
  if (!only.empty()) return std::ranges::find(only, op) == only.end();
  return std::ranges::find(skip, op) != skip.end();
}

FuzzOptions ParseFuzzOptions(int argc, char** argv) {
  FuzzOptions options;
  const auto usage = [&](int status) {
    std::fprintf(status == 0 ? stdout : stderr,
                 "usage: %s [--seed N] [--seconds N | --cases N | --case K] [--only OP]... "
                 "[--skip OP]...\n"
                 "          [--corpus FOLDER] [--replay FILE] [--findings FOLDER] [--list-unrun] "
                 "[--strict]\n",
                 argv[0]);
    std::exit(status);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--help") usage(0);
    if (flag == "--list-unrun" || flag == "--strict") {
      (flag == "--strict" ? options.strict : options.list_unrun) = true;
      continue;
    }
    if (i + 1 == argc) usage(2);
    const std::string value = argv[++i];
    if (flag == "--seed")
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (flag == "--seconds")
      options.seconds = std::strtod(value.c_str(), nullptr);
    else if (flag == "--cases")
      options.cases = std::strtoull(value.c_str(), nullptr, 10);
    else if (flag == "--case")
      options.single_case = std::strtoull(value.c_str(), nullptr, 10);
    else if (flag == "--only")
      options.only.push_back(value);
    else if (flag == "--skip")
      options.skip.push_back(value);
    else if (flag == "--corpus")
      options.corpus = value;
    else if (flag == "--replay")
      options.replay = value;
    else if (flag == "--findings")
      options.findings = std::filesystem::absolute(value);
    else
      usage(2);
  }
  return options;
}

}  // namespace ramet::fuzz
