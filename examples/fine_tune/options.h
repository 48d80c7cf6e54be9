#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace example {

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  // The prefix of the pretrained checkpoint. If it is empty, the program trains one first.
  std::string model;
  std::string layer = "features:0";  // the tensor at which to cut the imported graph
  std::string input = "images:0";    // the input of the imported graph
  bool train_all = false;            // whether to train the imported layers, too
  int64_t pictures = 500;            // the number of pictures to train on
  int64_t steps = 200;
  double rate = 0.01;
  uint32_t seed = 1;
  // The folder for the checkpoints. If it is empty, the program uses a temporary folder.
  std::string folder;
};

// Parses the command line. Returns nothing after --help or a usage error, which it prints; the
// program must then exit with `exit_code`.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code);

}  // namespace example
