#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace cli {

// The graph of a model alone, without values: a .meta file (or its checkpoint's prefix), a
// GraphDef, a SavedModel's folder. \error those of FindModelFile and of importing; kNotFound if
// there is no graph.
ramet::Status ImportGraphOf(const std::string& path, const std::vector<std::string>& tags,
                            ramet::Graph* graph);

// What WriteModel has written.
struct WrittenModel {
  std::string file;        // "out.meta"
  std::string checkpoint;  // "out"; "" if there are no values
};

// Checks what -o says before anything is done: "DIR/NAME.meta".
ramet::Status CheckModelOutput(const std::string& file);
// Writes the session's graph with a saver for all its variables to `file`; `with_values` also
// their values beside it, as a checkpoint of that name.
// \error those of Saver::Save and Saver::ExportMetaGraph.
ramet::StatusOr<WrittenModel> WriteModel(ramet::Session& session, const std::string& file,
                                         bool with_values);

}  // namespace cli
