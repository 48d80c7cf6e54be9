#include "options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace example {
namespace {

constexpr char kAbout[] =
    "Fine-tunes a pretrained network. A convolutional network has been trained to classify five "
    "kinds of garments. This program has a few pictures of five other kinds. It imports the graph, "
    "cuts it at a layer, adds a new head and trains the head. It saves the result as one model, "
    "which it then reads and runs from its files alone.";

constexpr char kExamples[] =
    "Examples:\n"
    "  fine_tune                                    train only the new head\n"
    "  fine_tune --train-all --rate 0.001           also train the imported layers\n"
    "  fine_tune --layer pool2:0 --folder ck        cut elsewhere, keep the checkpoints in ck/\n"
    "  fine_tune --model ck/theirs                  start from an existing checkpoint\n"
    "\n"
    "Exit codes: 0 success, 1 failure, 2 usage error.";

std::string Positive(const std::string& text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0
             ? ""
             : "'" + text + "' is not a number above 0";
}

void Declare(CLI::App& app, Options& o) {
  app.footer(kExamples);
  app.option_defaults()->always_capture_default();
  app.add_option("--data", o.data, "Folder of the four IDX files of Fashion-MNIST (.gz or not)");
  app.add_option("--model", o.model,
                 "Prefix of the pretrained checkpoint (default: train one first)");
  app.add_option("--layer", o.layer, "Tensor at which to cut the imported graph");
  app.add_option("--input", o.input, "Tensor of the imported graph for pictures [n,28,28,1]");
  app.add_flag("--train-all", o.train_all, "Also train the imported layers");
  app.add_option("--pictures", o.pictures, "Number of pictures to train on")->check(Positive);
  app.add_option("--steps", o.steps, "Number of training steps")->check(Positive);
  app.add_option("--rate", o.rate, "Learning rate of Adam")->check(Positive);
  app.add_option("--seed", o.seed, "Random seed of the initial weights");
  app.add_option("--folder", o.folder,
                 "Folder in which to keep the checkpoints (default: a temporary folder)");
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  CLI::App app(kAbout, "fine_tune");
  Declare(app, options);
  try {
    app.parse(argc, argv);
    return options;
  } catch (const CLI::ParseError& e) {
    *exit_code = e.get_exit_code() == 0 ? 0 : 2;
    app.exit(e, std::cout, std::cerr);
    return std::nullopt;
  }
}

}  // namespace example
