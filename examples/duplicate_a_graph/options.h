#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace example {

// The exit codes of this program.
enum ExitCode { kOk = 0, kFailed = 1, kUsage = 2, kNaN = 3, kInterrupted = 130 };

// The roles of a process. A process without a role starts the others.
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
  // The folder for the checkpoints. If it is empty, the program uses a temporary folder.
  std::string checkpoint_dir;
  std::string plot;
  // The address that the trainer publishes at. If it is empty, the program chooses a unique one.
  std::string address;
  std::string role;
  // If true, `ramet serve` follows the trainer too and shows its page.
  bool serve = false;

  // The prefix of all checkpoints.
  std::string checkpoint() const { return checkpoint_dir + "/graph.checkpoint"; }
};

// Parses the command line. Returns nothing after --help or a usage error, which it prints; the
// program must then exit with `exit_code`.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code);

// Returns the command line that starts this program with the same options in a different role.
std::vector<std::string> CommandLine(const Options& options, const std::string& role);

// Returns the command line of the server, which is in the folder of this program.
// Throws std::runtime_error if it does not exist.
std::vector<std::string> ServerCommandLine(const Options& options);

// The address of the server's page.
inline constexpr char kPage[] = "http://localhost:8501/";

// Returns the path of this program.
std::string ProgramPath();

// Returns the path relative to the current folder if that is shorter.
std::string ShortPath(const std::string& path);

}  // namespace example
