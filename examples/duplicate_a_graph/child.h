#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace example {

// The reading end of a pipe, taken apart into lines.
class LinePipe {
 public:
  explicit LinePipe(int fd) : fd_(fd) {}
  LinePipe(LinePipe&& other) noexcept;
  ~LinePipe() { Close(); }

  // -1 when the other side has closed it and all is read.
  int fd() const { return fd_; }
  // The lines that have come; waits when nothing is there (poll fd() first).
  std::vector<std::string> Read();

 private:
  void Close();
  int fd_;
  std::string rest_;
};

// A Child is a program that runs as a process of its own, with pipes from its stdout and stderr. It
// is killed when its parent dies, however that happens, or when the Child is destroyed.
class Child {
 public:
  // Throws std::system_error. To be called before this process has threads.
  static Child Start(const std::vector<std::string>& command_line);
  Child(Child&& other) noexcept;
  ~Child() { Kill(); }

  LinePipe out, err;

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Waits for the end. Returns the exit code, or 128 + the signal that ended it, as shells do.
  int Wait();
  void Kill();

 private:
  Child(pid_t pid, int out_fd, int err_fd) : out(out_fd), err(err_fd), pid_(pid) {}
  pid_t pid_;
};

}  // namespace example
