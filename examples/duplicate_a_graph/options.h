#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace example {

// What this program ends with.
enum ExitCode { kOk = 0, kFailed = 1, kUsage = 2, kNaN = 3, kInterrupted = 130 };

// What a process is of the job; "" starts the others.
inline constexpr char kTrainer[] = "trainer";
inline constexpr char kMemoryFollower[] = "shm-follower";
inline constexpr char kFileFollower[] = "file-follower";

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  int64_t steps = 10000;
  float rate = 0.1f;
  int64_t save_every = 100;
  std::string trainer_device = "/cpu:0";
  std::string follower_device = "/device:CPU:0";
  uint32_t seed = 1;
  int threads = 1;
  // "": a fresh one that goes away at the end.
  std::string checkpoint_dir;
  std::string plot;
  // Where the trainer publishes; "": an address of this run.
  std::string address;
  std::string role;

  // One prefix for all checkpoints, as the seed program has it.
  std::string checkpoint() const { return checkpoint_dir + "/graph.checkpoint"; }
};

// Reads the command line. None when the process shall end with `exit_code` now, after --help or a
// mistake, which it has shown.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code);

// The command line that starts this program again with the same options in another role.
std::vector<std::string> CommandLine(const Options& options, const std::string& role);

// The path of this program.
std::string ProgramPath();

// The path as one would type it here: relative when that is shorter.
std::string ShortPath(const std::string& path);

}  // namespace example
