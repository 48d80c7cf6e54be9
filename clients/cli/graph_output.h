#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace cli {

// Imports the graph of a model without its values. `path` is a .meta file (or the prefix of its
// checkpoint), a GraphDef or a SavedModel folder.
// \error as for FindModelFile, ChooseTags and importing.
// \error kNotFound: the model has no graph.
ramet::Status ImportGraphOf(const std::string& path, const std::vector<std::string>& tags,
                            ramet::Graph* graph);

// The files that WriteModel has written.
struct WrittenModel {
  std::string file;        // such as "out.meta"
  std::string checkpoint;  // such as "out"; "" if there are no values
};

// Checks that the value of --output is DIR/NAME.meta and that DIR exists.
// \error kInvalidArgument: the name does not end in .meta.
// \error kNotFound: DIR does not exist.
ramet::Status CheckModelOutput(const std::string& file);
// Writes the session's graph with a saver for all its variables to `file`. If `with_values`, also
// writes their values next to it, as a checkpoint of the same name without .meta.
// \error as for Saver::Save and Saver::ExportMetaGraph.
ramet::StatusOr<WrittenModel> WriteModel(ramet::Session& session, const std::string& file,
                                         bool with_values);

}  // namespace cli
