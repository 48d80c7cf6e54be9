#include "ramet/graph_def/partition_def.h"

#include <algorithm>
#include <set>

#include "ramet/graph_def/graph_writer.h"
#include "ramet/wire/attr_proto.h"

namespace ramet {
namespace {

class PartitionWriter {
 public:
  PartitionWriter(const GraphImpl& graph, const Partition& partition)
      : graph_(graph), partition_(partition), writer_(graph, options_) {}

  StatusOr<std::string> Write() {
    for (NodeId id : partition_.nodes) RAMET_RETURN_IF_ERROR(WriteNode(id));
    for (size_t i = 0; i < partition_.fetches.size(); ++i) WriteRetval(i);
    GraphVersions versions = graph_.versions;
    def_.mutable_versions()->set_producer(versions.producer);
    def_.mutable_versions()->set_min_consumer(versions.min_consumer);
    return def_.SerializeAsString();
  }

 private:
  Status WriteNode(NodeId id) {
    RAMET_ASSIGN_OR_RETURN(std::string bytes, writer_.NodeBytes(id));
    NodeDef node;
    if (!node.ParseFromString(bytes)) {
      return Internal("node '", graph_.nodes[id].name, "' does not parse after serialization");
    }
    node.set_device(partition_.device);
    auto inputs = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto fed = std::ranges::find(partition_.feeds, inputs[i]);
      if (fed == partition_.feeds.end()) continue;
      node.set_input(static_cast<int>(i),
                     WriteArg(static_cast<size_t>(fed - partition_.feeds.begin())));
    }
    *def_.add_node() = std::move(node);
    return OkStatus();
  }

  // "x_0_1": output 0 of x, the second of the feeds or fetches.
  std::string Suffix(Endpoint e, size_t position) const {
    return StrCat(graph_.nodes[e.node].name, "_", e.index, "_", position);
  }

  NodeDef* AddEnd(const std::string& name, const char* op, Endpoint e, size_t position) {
    NodeDef* node = def_.add_node();
    node->set_name(name);
    node->set_op(op);
    node->set_device(partition_.device);
    (*node->mutable_attr())["index"].set_i(static_cast<int64_t>(position));
    (*node->mutable_attr())["T"].set_type(
        static_cast<DataType>(static_cast<int>(BaseType(graph_.output(e).dtype))));
    return node;
  }

  std::string WriteArg(size_t position) {
    const Endpoint fed = partition_.feeds[position];
    const std::string name = StrCat("_arg_", Suffix(fed, position));
    if (args_.insert(position).second) AddEnd(name, "_Arg", fed, position);
    return name;
  }

  void WriteRetval(size_t position) {
    const Endpoint e = partition_.fetches[position];
    if (e.index == Endpoint::kControl || !std::ranges::count(partition_.nodes, e.node)) return;
    const std::string name(graph_.nodes[e.node].name);
    AddEnd(StrCat("_retval_", Suffix(e, position)), "_Retval", e, position)
        ->add_input(e.index == 0 ? name : StrCat(name, ":", e.index));
  }

  const GraphImpl& graph_;
  const Partition& partition_;
  const GraphWriterOptions options_;
  GraphWriter writer_;
  GraphDef def_;
  std::set<size_t> args_;
};

}  // namespace

StatusOr<std::string> ExportPartition(const Graph& graph, const Partition& partition) {
  return PartitionWriter(graph.impl(), partition).Write();
}

}  // namespace ramet
