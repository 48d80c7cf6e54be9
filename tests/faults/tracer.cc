#include "tracer.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <utility>

namespace ramet::faults {
namespace {

constexpr long kBeginMark = 0x5eed0001;
constexpr long kEndMark = 0x5eed0002;
constexpr unsigned kLimitSeconds = 60;
constexpr int kCallStop = SIGTRAP | 0x80;

#if defined(__x86_64__)

bool IsAmong(long call, std::initializer_list<long> calls) {
  return std::ranges::find(calls, call) != calls.end();
}

uint32_t KindsOf(long call) {
  uint32_t kinds = 0;
  if (IsAmong(call, {SYS_openat, SYS_write, SYS_pwrite64, SYS_writev, SYS_fsync, SYS_fdatasync,
                     SYS_ftruncate, SYS_rename, SYS_renameat, SYS_renameat2, SYS_unlink,
                     SYS_unlinkat, SYS_mkdir, SYS_rmdir, SYS_link, SYS_linkat, SYS_fallocate,
                     SYS_copy_file_range, SYS_sendfile})) {
    kinds |= kChanges;
  }
  if (IsAmong(call, {SYS_read, SYS_pread64, SYS_getdents64, SYS_recvmsg, SYS_recvfrom})) {
    kinds |= kReads;
  }
  if (IsAmong(call, {SYS_openat, SYS_socket, SYS_accept4, SYS_memfd_create, SYS_eventfd2,
                     SYS_inotify_init1, SYS_dup, SYS_pipe2, SYS_epoll_create1})) {
    kinds |= kOpens;
  }
  if (IsAmong(call, {SYS_openat, SYS_read, SYS_write, SYS_pread64, SYS_poll, SYS_fsync, SYS_flock,
                     SYS_sendmsg, SYS_recvmsg, SYS_connect, SYS_accept4, SYS_ftruncate})) {
    kinds |= kWaits;
  }
  if (IsAmong(call, {SYS_clone, SYS_clone3})) kinds |= kThreads;
  if (IsAmong(call, {SYS_mmap, SYS_mremap, SYS_brk})) kinds |= kMaps;
  return kinds;
}

// The registers of a thread that is stopped at a system call.
class Registers {
 public:
  explicit Registers(pid_t thread) : thread_(thread) {
    ptrace(PTRACE_GETREGS, thread_, nullptr, &registers_);
  }
  long call() const { return static_cast<long>(registers_.orig_rax); }
  long first() const { return static_cast<long>(registers_.rdi); }
  // Replaces the call by one that does not exist.
  void Skip() {
    registers_.orig_rax = ~0ull;
    Set();
  }
  void Return(int error) {
    registers_.rax = static_cast<unsigned long long>(-static_cast<long long>(error));
    Set();
  }
  // Reduces the third argument, which is the number of bytes.
  void Shorten() {
    if (registers_.rdx > 1) registers_.rdx = 1 + registers_.rdx / 3;
    Set();
  }

 private:
  void Set() { ptrace(PTRACE_SETREGS, thread_, nullptr, &registers_); }
  const pid_t thread_;
  user_regs_struct registers_ = {};
};

bool MayBeShort(long call) {
  return IsAmong(call, {SYS_read, SYS_write, SYS_pread64, SYS_pwrite64});
}

// Traces the threads of one child, which leads a process group.
class Tracer {
 public:
  Tracer(pid_t child, const Fault& fault) : child_(child), fault_(fault) {}

  Outcome Run() {
    StartTimer();
    while (!ended_) {
      int status = 0;
      const pid_t thread = waitpid(-child_, &status, __WALL);
      if (thread > 0) {
        Take(thread, status);
      } else {
        ended_ = true;
        outcome_.end = Outcome::End::kHung;
        kill(child_, SIGKILL);
      }
    }
    alarm(0);
    while (waitpid(-child_, nullptr, __WALL) > 0) continue;
    return outcome_;
  }

 private:
  struct Thread {
    bool within = false;  // in a call
    bool fails = false;   // which will fail
  };

  // A signal ends the wait.
  static void StartTimer() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, nullptr);
    alarm(kLimitSeconds);
  }

  void Take(pid_t thread, int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      threads_.erase(thread);
      if (thread != child_) return;
      ended_ = true;
      const bool exited = WIFEXITED(status);
      outcome_.end = exited ? Outcome::End::kExited : Outcome::End::kKilled;
      outcome_.status = exited ? WEXITSTATUS(status) : WTERMSIG(status);
      return;
    }
    const int signal = WSTOPSIG(status);
    const bool is_new = threads_.try_emplace(thread).second;
    int passed = 0;
    if (signal == kCallStop) {
      AtCall(thread);
    } else if (signal != SIGTRAP && !(is_new && signal == SIGSTOP)) {
      passed = signal;
    }
    ptrace(PTRACE_SYSCALL, thread, nullptr, passed);
  }

  void AtCall(pid_t id) {
    Thread& thread = threads_[id];
    thread.within = !thread.within;
    Registers registers(id);
    if (!thread.within) {
      if (std::exchange(thread.fails, false)) registers.Return(fault_.error);
      return;
    }
    const long call = registers.call();
    if (call == SYS_getppid && registers.first() == kBeginMark) counting_ = true;
    if (call == SYS_getppid && registers.first() == kEndMark) counting_ = false;
    if (!counting_ || call == SYS_getppid || (KindsOf(call) & fault_.calls) == 0) return;
    if (fault_.kind == Fault::Kind::kShort && !MayBeShort(call)) return;
    ++outcome_.calls;
    if (!IsDue()) return;
    outcome_.happened = true;
    outcome_.call = std::to_string(call);
    if (fault_.kind == Fault::Kind::kKill) kill(child_, SIGKILL);
    if (fault_.kind == Fault::Kind::kShort) registers.Shorten();
    if (fault_.kind == Fault::Kind::kError) {
      registers.Skip();
      thread.fails = true;
    }
  }

  bool IsDue() const {
    if (fault_.kind == Fault::Kind::kNone || outcome_.calls < fault_.at) return false;
    if (outcome_.calls == fault_.at) return true;
    return fault_.every_more > 0 && (outcome_.calls - fault_.at) % fault_.every_more == 0;
  }

  const pid_t child_;
  const Fault fault_;
  Outcome outcome_;
  std::map<pid_t, Thread> threads_;
  bool counting_ = false;
  bool ended_ = false;
};

#endif

}  // namespace

void Begin() { syscall(SYS_getppid, kBeginMark); }
void End() { syscall(SYS_getppid, kEndMark); }

int RunAside(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

uint64_t Stride(uint64_t calls, uint64_t wanted) {
  if (std::getenv("RAMET_FAULTS_ALL") != nullptr) return 1;
  return std::max<uint64_t>(calls / std::max<uint64_t>(wanted, 1), 1);
}

#if defined(__x86_64__)

Outcome RunTraced(const std::function<int()>& work, const Fault& fault) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);  // so that the tracer can wait for this process and its threads only
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  Tracer tracer(child, fault);
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  return tracer.Run();
}

bool CanTrace() {
  static const bool can = [] {
    const Outcome outcome = RunTraced(
        [] {
          Begin();
          (void)!write(-1, "", 0);
          return 0;
        },
        Fault{});
    return outcome.calls == 1;
  }();
  return can;
}

#else

Outcome RunTraced(const std::function<int()>&, const Fault&) { return {}; }
bool CanTrace() { return false; }

#endif

}  // namespace ramet::faults
