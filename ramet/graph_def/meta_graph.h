#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A saver's nodes in a graph, and how it keeps checkpoints (SaverDef).
struct SaverNames {
  enum class Format { kLegacy = 0, kV1 = 1, kV2 = 2 };
  std::string filename_tensor_name = {};  // "save/Const:0"
  std::string save_tensor_name = {};      // "save/control_dependency:0"
  std::string restore_op_name = {};       // "save/restore_all"
  int max_to_keep = 0;
  bool sharded = false;
  float keep_checkpoint_every_n_hours = 0;
  Format version = Format::kLegacy;
  bool operator==(const SaverNames&) const = default;
};

// Options for importing a meta graph (tf.train.import_meta_graph).
struct ImportMetaGraphOptions {
  // The name scope that prefixes all names, made unique under the current one. "" means the current
  // name scope itself.
  std::string import_scope = {};
  bool clear_devices = false;
  // See ImportOptions. A meta graph with unbound inputs needs exactly those.
  std::map<std::string, Output> input_map = {};
  std::vector<std::string> return_elements = {};
  bool validate_shapes = true;
};

struct MetaGraphInfo {
  // The name scope of the imported nodes and of the names in collections, without the slash.
  std::string prefix = {};
  std::vector<Operation> operations = {};  // as in ImportResults
  std::vector<std::variant<Output, Operation>> return_elements = {};
  // The variables of the file, without duplicates.
  std::vector<Variable> variables = {};
  // The file's saver, if it describes one, with names as in the graph. The existence of its nodes
  // is not checked.
  std::optional<SaverNames> saver = {};
  std::string tensorflow_version = {};
  std::vector<std::string> tags = {};
  // Serialized SignatureDefs by key, with tensor names as in the graph.
  std::map<std::string, std::string> signature_defs = {};
  // A serialized MetaGraphDef with everything that a Graph cannot hold: meta info with the op
  // definitions, signatures, assets, object graph, collections of unknown kinds, unknown fields.
  // Pass it to ExportMetaGraph to write it back.
  std::string carried = {};
};

// Adds a meta graph (binary or text form) to `graph`: nodes, functions, collections and variables,
// or, on an error, nothing. Names in collections are changed with the nodes', also where those were
// made unique. Files from TensorFlow before 1.9 do not say which variables are trainable; the
// members of the collection "trainable_variables" are. Otherwise works like ImportGraphDef with the
// file's stripped_op_list.
//
// Also returns the errors of ImportGraphDef.
// \error kNotFound: a collection names a missing node or tensor. Names the collection.
// \error kDataLoss: a message in a collection cannot be parsed.
// \error kInvalidArgument: "Graph contains unbound inputs: ..." if input_map does not have exactly
//   those.
RAMET_EXPORT StatusOr<MetaGraphInfo> ImportMetaGraphBytes(
    Graph& graph, std::string_view meta_graph, const ImportMetaGraphOptions& options = {});
// Imports a file.
// \error kNotFound: "File X does not exist."
// \error kDataLoss: "Cannot parse file X".
RAMET_EXPORT StatusOr<MetaGraphInfo> ImportMetaGraphFile(
    Graph& graph, const std::string& path, const ImportMetaGraphOptions& options = {});

// Options for writing a graph as a meta graph (tf.train.export_meta_graph).
struct ExportMetaGraphOptions {
  // Exports only nodes whose names begin with it; "S/" is stripped from names. Inputs from outside
  // the scope become "$unbound_inputs_n" and are listed in the file's collection "unbound_inputs".
  std::string export_scope = {};
  bool clear_devices = false;
  bool strip_default_attrs = false;
  // Omits the nodes of every scope that holds save or restore ops, except those of `saver`, and
  // writes only `saver` to the collection "savers".
  bool clear_extraneous_savers = false;
  bool as_text = false;
  std::optional<SaverNames> saver = {};
  // The keys to write; all if unset.
  std::optional<std::vector<std::string>> collections = {};
  std::vector<std::string> tags = {};
  // Data that an import kept alongside the graph (MetaGraphInfo::carried).
  std::string carried = {};
};

// Returns the graph as a serialized MetaGraphDef: nodes with _output_shapes, collections, saver,
// and the definitions of all ops used. A collection has the kind of its first item; a collection of
// mixed kinds is omitted with a warning. Locks the graph for reading. Also returns the errors of
// ExportGraphDef.
// \error kInvalidArgument: `carried` is not a MetaGraphDef.
RAMET_EXPORT StatusOr<std::string> ExportMetaGraph(const Graph& graph,
                                                   const ExportMetaGraphOptions& options = {});
// Writes the result of ExportMetaGraph to a file, which is replaced atomically. Also returns the
// errors of AtomicWriteFile.
RAMET_EXPORT Status ExportMetaGraphFile(const Graph& graph, const std::string& path,
                                        const ExportMetaGraphOptions& options = {});

}  // namespace ramet
