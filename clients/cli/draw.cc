#include <filesystem>
#include <iostream>

#include "command.h"
#include "draw.h"
#include "graph_output.h"
#include "output_file.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

struct DrawOptions {
  std::string input, output, format;
  std::vector<std::string> tags;
  draw::PictureOptions picture;
};

// Calls draw::MakePicture and adds the options that help to its errors.
rm::StatusOr<draw::Picture> PictureOf(const rm::Graph& graph, const draw::PictureOptions& options) {
  auto picture = draw::MakePicture(graph, options);
  const std::string message(picture.status().message());
  switch (picture.status().code()) {
    case rm::Code::kNotFound:
      if (options.all) return picture;
      return rm::NotFound(message, "; use --all to include saving, training and initialization");
    case rm::Code::kInvalidArgument:
      return rm::InvalidArgument(message,
                                 "; use --scope to draw a part, or --depth 1 for less detail");
    default: return picture;
  }
}

// Returns the format of the output: that of --format, or else by the extension of the file.
// \error kInvalidArgument: the extension is that of another format.
rm::StatusOr<std::string> FormatOf(const DrawOptions& options) {
  if (!options.format.empty()) return options.format;
  const std::string extension = std::filesystem::path(options.output).extension().string();
  if (extension.empty() || extension == ".svg") return std::string("svg");
  if (extension == ".dot") return std::string("dot");
  return rm::InvalidArgument("--output '", options.output,
                             "': expected a name that ends in .svg or .dot, or --format");
}

rm::Status Draw(const DrawOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::string format, FormatOf(options));
  rm::Graph graph;
  RAMET_RETURN_IF_ERROR(ImportGraphOf(options.input, options.tags, &graph));
  RAMET_ASSIGN_OR_RETURN(draw::Picture picture, PictureOf(graph, options.picture));
  const bool dot = format == "dot";
  if (!dot) {
    draw::LayOut(&picture);
    draw::PositionLabels(&picture);
  }
  const std::string text =
      dot ? draw::ToDot(picture, options.input) : draw::ToSvg(picture, options.input);
  if (options.output.empty()) {
    std::cout << text;
    return rm::OkStatus();
  }
  RAMET_RETURN_IF_ERROR(WriteWhole(options.output, text));
  std::cout << options.output << ": " << picture.boxes.size() << " boxes of "
            << Count(graph.num_operations(), "op") << "\n";
  return rm::OkStatus();
}

}  // namespace

void AddDraw(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "draw", "Draw a graph: name scopes and the tensors that flow between them");
  auto o = std::make_shared<DrawOptions>();
  command
      ->add_option(
          "MODEL", o->input,
          "A .meta file (or the PREFIX of its checkpoint), a GraphDef, or a SavedModel folder")
      ->required();
  command->add_option("--tags", o->tags, kTagsHelp)->delimiter(',')->type_name("TAGS");
  command->add_option("-o,--output", o->output, "Write to this file (default: stdout)")
      ->type_name("FILE");
  command
      ->add_option("--format", o->format,
                   "Write this format (default: by the extension of FILE, else svg)")
      ->check(CLI::IsMember({"svg", "dot"}))
      ->type_name("FORMAT");
  command->add_option("--scope", o->picture.scope, "Draw only the operations in this name scope")
      ->type_name("SCOPE");
  command
      ->add_option("--depth", o->picture.depth,
                   "Group operations by the first LEVELS components of their names (default: as "
                   "many as fit on a screen)")
      ->check(CLI::Range(1, draw::kMaxDepth))
      ->type_name("LEVELS");
  command->add_flag("--all", o->picture.all, "Include saving, training and initialization");
  command->footer(
      "A box is a name scope or an operation; placeholders are green, variables yellow. Solid "
      "arrows\n"
      "are tensors, dashed arrows control dependencies. An SVG opens in any browser; dot is for "
      "Graphviz.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet draw model-1000.meta -o model.svg\n"
      "  ramet draw model-1000.meta --scope dense --depth 3 -o dense.svg\n"
      "  ramet draw frozen.pb --format dot | dot -Tpdf -o frozen.pdf");
  command->callback([=] { *status = Draw(*o); });
}

}  // namespace cli
