#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace example {

// The read end of a pipe, split into lines.
class LinePipe {
 public:
  explicit LinePipe(int fd) : fd_(fd) {}
  LinePipe(LinePipe&& other) noexcept;
  ~LinePipe() { Close(); }

  // -1 after the other side has closed the pipe and everything has been read.
  int fd() const { return fd_; }
  // Returns the lines that have arrived. Blocks if there is nothing to read; poll fd() first.
  std::vector<std::string> Read();

 private:
  void Close();
  int fd_;
  std::string rest_;
};

// A Child is a program that runs in a separate process, with pipes from its stdout and stderr. It
// is killed when its parent dies for any reason, or when the Child is destroyed.
class Child {
 public:
  // Starts a program. Call it before this process has threads. Throws std::system_error.
  static Child Start(const std::vector<std::string>& command_line);
  Child(Child&& other) noexcept;
  ~Child() { Kill(); }

  LinePipe out, err;

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Waits for the process to exit. Returns its exit code, or 128 + the signal that killed it.
  int Wait();
  void Kill();

 private:
  Child(pid_t pid, int out_fd, int err_fd) : out(out_fd), err(err_fd), pid_(pid) {}
  pid_t pid_;
};

}  // namespace example
