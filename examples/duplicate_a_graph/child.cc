#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace example {
namespace {

[[noreturn]] void Throw(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Runs between fork and exec, so it makes only async-signal-safe calls.
[[noreturn]] void Become(char* const* argv, int out, int err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(127);
}

}  // namespace

LinePipe::LinePipe(LinePipe&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}

void LinePipe::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::vector<std::string> LinePipe::Read() {
  char bytes[4096];
  ssize_t n;
  do {
    n = read(fd_, bytes, sizeof(bytes));
  } while (n < 0 && errno == EINTR);
  if (n > 0) rest_.append(bytes, static_cast<size_t>(n));
  std::vector<std::string> lines;
  size_t end;
  while ((end = rest_.find('\n')) != std::string::npos) {
    lines.push_back(rest_.substr(0, end));
    rest_.erase(0, end + 1);
  }
  if (n <= 0) {
    if (!rest_.empty()) lines.push_back(std::exchange(rest_, {}));
    Close();
  }
  return lines;
}

Child Child::Start(const std::vector<std::string>& command_line) {
  std::vector<char*> argv;
  for (const std::string& arg : command_line) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) Throw("pipe");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) Throw("fork");
  if (pid == 0) Become(argv.data(), out[1], err[1], parent);
  close(out[1]);
  close(err[1]);
  return Child(pid, out[0], err[0]);
}

Child::Child(Child&& other) noexcept
    : out(std::move(other.out)), err(std::move(other.err)), pid_(std::exchange(other.pid_, -1)) {}

int Child::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Child::Kill() {
  if (!running()) return;
  kill(pid_, SIGKILL);
  Wait();
}

}  // namespace example
