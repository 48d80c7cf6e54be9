#include "options.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace example {
namespace {

constexpr char kAbout[] =
    "Fine-tunes somebody's network. Somebody taught a convolutional network to tell five kinds of "
    "garments apart and left a checkpoint. We have other garments and few pictures of them: their "
    "graph is imported and cut at a layer, gets a new head, and what is new is trained. The result "
    "is one model, saved, which is then read and run from its files alone.";

constexpr char kExamples[] =
    "Examples:\n"
    "  fine_tune                                    their weights stay as they are\n"
    "  fine_tune --train-all --rate 0.001           their weights learn, too\n"
    "  fine_tune --layer pool2:0 --folder ck        cuts elsewhere, keeps the checkpoints in ck/\n"
    "  fine_tune --model ck/theirs                  begins from a checkpoint that is there\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong options.";

std::string Positive(const std::string& text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0 ? ""
                                                               : "'" + text + "' is not above 0";
}

void Declare(CLI::App& app, Options& o) {
  app.footer(kExamples);
  app.option_defaults()->always_capture_default();
  app.add_option("--data", o.data, "Folder of the four IDX files of Fashion-MNIST (.gz or not)");
  app.add_option("--model", o.model, "Prefix of somebody's checkpoint (default: one is trained)");
  app.add_option("--layer", o.layer, "Tensor at which their graph is cut");
  app.add_option("--input", o.input, "Tensor of their graph that takes pictures [n,28,28,1]");
  app.add_flag("--train-all", o.train_all, "Their weights learn, too");
  app.add_option("--pictures", o.pictures, "Pictures to learn from")->check(Positive);
  app.add_option("--steps", o.steps, "Training steps")->check(Positive);
  app.add_option("--rate", o.rate, "Learning rate of Adam")->check(Positive);
  app.add_option("--seed", o.seed, "Of the first weights");
  app.add_option("--folder", o.folder,
                 "Folder for the checkpoints, which stay there (default: a fresh one, removed)");
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
