#include "ramet/checkpoint/restore.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/object_based.h"
#include "ramet/checkpoint/restore_nodes.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/bundle_restore.h"

namespace ramet {
namespace {

// Returns a message part that lists the checkpoints in the folder of `prefix`.
std::string NearCheckpoints(const std::string& prefix) {
  constexpr size_t kMaxNames = 5;
  const std::string_view parent = Dirname(prefix);
  const std::string dir(parent.empty() ? "." : parent);
  auto names = ListDir(dir);
  if (!names.ok()) return StrCat("; folder '", dir, "' cannot be read");
  std::vector<std::string> found;
  for (const std::string& name : *names) {
    if (name.ends_with(".index")) found.push_back(name.substr(0, name.size() - 6));
  }
  std::ranges::sort(found);
  if (found.empty()) return StrCat("; there is no checkpoint in folder '", dir, "'");
  if (found.size() > kMaxNames) found.erase(found.begin(), found.end() - kMaxNames);
  const std::string text = StrCat("; in folder '", dir, "' there are: ", StrJoin(found, ", "));
  auto latest = LatestCheckpoint(dir);
  return latest.ok() ? StrCat(text, " (latest is ", *latest, ")") : text;
}

Status Explained(const Status& status) {
  const char* cause = IsNotFound(status) ? "a Variable name or other graph key that is missing"
                                         : "a mismatch between the current graph and the graph";
  return Status(
      status.code(),
      StrCat("Restoring from checkpoint failed. This is most likely due to ", cause,
             " from the checkpoint. Please ensure that you have not altered the graph expected "
             "based on the checkpoint. Original error:\n\n",
             status.message()));
}

// Reads the tensors of all reading nodes at once and feeds them. Nodes that read one after another
// could get parts of different saves if the checkpoint is overwritten in between.
Status RestoreTogether(Session& session, const SaverNames& names, const std::string& save_path,
                       const RestoreNodes& nodes, const std::vector<BundleRequest>& requests) {
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, ReadBundle(save_path, requests));
  Feeds feeds;
  size_t next = 0;
  for (const Operation& read : nodes.reads) {
    for (const Output& output : read.outputs()) {
      feeds.push_back({output, std::move(tensors[next++])});
    }
  }
  return session.Run(feeds, names.restore_op_name).status();
}

Status RestoreByName(Session& session, const SaverNames& names, const std::string& save_path,
                     const RestoreNodes& nodes) {
  const bool is_shared_out = nodes.reads.size() > 1 && BundleExists(save_path);
  if (auto requests = nodes.Requests(); is_shared_out && requests) {
    return RestoreTogether(session, names, save_path, nodes, *requests);
  }
  return session.Run({{names.filename_tensor_name, Tensor(save_path)}}, names.restore_op_name)
      .status();
}

Status RestoreObjectBased(Session& session, const SaverNames& names, const std::string& save_path,
                          const RestoreNodes& nodes, const Status& by_name) {
  auto requests = nodes.Requests();
  if (!requests || !BundleExists(save_path)) return by_name;
  const auto keys = ObjectGraphKeys(save_path);
  if (IsNotFound(keys.status())) return by_name;
  RAMET_RETURN_IF_ERROR(keys.status());
  RAMET_RETURN_IF_ERROR(MapToObjectKeys(*keys, &*requests));
  LogWarning(save_path,
             " is an object-based checkpoint: its tensors were found by the variables' names that "
             "it records");
  const Status status = RestoreTogether(session, names, save_path, nodes, *requests);
  return IsNotFound(status) || IsInvalidArgument(status) ? Explained(status) : status;
}

}  // namespace

Status CheckCheckpoint(const std::string& save_path) {
  if (save_path.empty()) {
    return InvalidArgument(
        "Can't load save_path when it is empty; LatestCheckpoint finds no checkpoint if the "
        "folder has no 'checkpoint' file");
  }
  if (CheckpointExists(save_path)) return OkStatus();
  return InvalidArgument("The passed save_path is not a valid checkpoint: ", save_path,
                         " (looked for ", save_path, ".index)", NearCheckpoints(save_path));
}

Status RestoreCheckpoint(Session& session, const Graph& graph, const SaverNames& names,
                         const std::string& save_path) {
  const RestoreNodes nodes = FindRestoreNodes(graph, names.restore_op_name);
  Status status = RestoreByName(session, names, save_path, nodes);
  if (IsNotFound(status)) {
    status = RestoreObjectBased(session, names, save_path, nodes, Explained(status));
  } else if (IsInvalidArgument(status)) {
    status = Explained(status);
  }
  if (status.ok()) session.NoteRestored(nodes.variables);
  return status;
}

}  // namespace ramet
