#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace example {

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  // Prefix of the checkpoint that somebody left. "": the program first plays somebody.
  std::string model;
  std::string layer = "features:0";  // where their graph is cut
  std::string input = "images:0";    // where the pictures go in
  bool train_all = false;            // their weights learn, too
  int64_t pictures = 500;            // how many of ours there are to learn from
  int64_t steps = 200;
  double rate = 0.01;
  uint32_t seed = 1;
  // Where the checkpoints stay. "": a fresh folder that goes away at the end.
  std::string folder;
};

// Reads the command line. None when the process shall end with `exit_code` now, after --help or a
// mistake, which it has shown.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code);

}  // namespace example
