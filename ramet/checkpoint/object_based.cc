#include "ramet/checkpoint/object_based.h"

#include <set>

#include "ramet/proto/trackable_object_graph.pb.h"

namespace ramet {
namespace {

constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

}  // namespace

StatusOr<std::map<std::string, std::string>> ObjectGraphKeys(const std::string& prefix) {
  const BundleRequest request = {kObjectGraphKey, DType::kString, ""};
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> found, ReadBundle(prefix, {&request, 1}));
  TrackableObjectGraph objects;
  if (found[0].num_elements() != 1 || !objects.ParseFromString(found[0].data<std::string>()[0])) {
    return DataLoss(prefix, ": the tensor ", kObjectGraphKey, " is not a TrackableObjectGraph");
  }
  std::map<std::string, std::string> keys;
  for (const auto& node : objects.nodes()) {
    for (const auto& attribute : node.attributes()) {
      keys[attribute.full_name()] = attribute.checkpoint_key();
    }
  }
  return keys;
}

Status MapToObjectKeys(const std::map<std::string, std::string>& keys,
                       std::vector<BundleRequest>* requests) {
  std::set<std::string> wanted;
  for (const BundleRequest& request : *requests) wanted.insert(request.name);
  std::vector<std::string> missing, extra;
  for (const std::string& name : wanted) {
    if (keys.count(name) == 0) missing.push_back(name);
  }
  for (const auto& [name, key] : keys) {
    if (wanted.count(name) == 0) extra.push_back(name);
  }
  if (!missing.empty()) {
    return NotFound(
        "\n\nExisting variables not in the checkpoint: ", StrJoin(missing, ", "),
        "\n\nVariables names when this checkpoint was written which don't exist now: ",
        StrJoin(extra, ", "), "\n\n(", wanted.size() - missing.size(),
        " variable name(s) did match)\n\n"
        "Could not find some variables in the checkpoint (see names above). Saver was attempting "
        "to "
        "load an object-based checkpoint (saved using tf.train.Checkpoint or "
        "tf.keras.Model.save_weights) using variable names. If the checkpoint was written with "
        "eager "
        "execution enabled, it's possible that variable names have changed (for example missing a "
        "'_1' suffix). It's also possible that there are new variables which did not exist when "
        "the "
        "checkpoint was written. You can construct a Saver(var_list=...) with only the variables "
        "which previously existed, and if variable names have changed you may need to make this a "
        "dictionary with the old names as keys.");
  }
  for (BundleRequest& request : *requests) request.name = keys.at(request.name);
  return OkStatus();
}

}  // namespace ramet
