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

// Where a saver's nodes are in a graph, and how it keeps checkpoints (SaverDef).
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

// How a meta graph is put into a graph (tf.train.import_meta_graph; spec: graph-semantics 12).
struct ImportMetaGraphOptions {
  // The name scope in front of all names, made unique under the current one; "": the current name
  // scope as it is.
  std::string import_scope = {};
  bool clear_devices = false;
  // As in ImportOptions. A meta graph with unbound inputs needs exactly those.
  std::map<std::string, Output> input_map = {};
  std::vector<std::string> return_elements = {};
  bool validate_shapes = true;
};

struct MetaGraphInfo {
  // The scope that the nodes and the names in the collections have got, without the slash.
  std::string prefix = {};
  std::vector<Operation> operations = {};  // as in ImportResults
  std::vector<std::variant<Output, Operation>> return_elements = {};
  // The variables that came with the file, each once.
  std::vector<Variable> variables = {};
  // Its saver, if it describes one; names are those in the graph now. That the nodes exist is not
  // checked.
  std::optional<SaverNames> saver = {};
  std::string tensorflow_version = {};
  std::vector<std::string> tags = {};
  // Serialised SignatureDefs by key. Their tensor names are those in the graph now.
  std::map<std::string, std::string> signature_defs = {};
  // A serialised MetaGraphDef with all that a Graph has no place for: meta info with the op
  // definitions, signatures, assets, object graph, collections of unknown kind, unknown fields.
  // ExportMetaGraph takes it.
  std::string carried = {};
};

// Adds a meta graph (binary or text form) to `graph`: nodes, functions, collections, variables;
// all, or on an error nothing. The collections' names follow the nodes, also where these were made
// unique. A file of TensorFlow before 1.9 does not say which variables are trainable: those in the
// collection "trainable_variables" are. Runs as ImportGraphDef does, with the file's
// stripped_op_list.
//
// \error as ImportGraphDef; kNotFound, naming the collection, if a collection names a node or
// tensor that
//   is not there; kDataLoss if a message in a collection cannot be read; kInvalidArgument "Graph
//   contains unbound inputs: ..." if input_map is not for exactly those.
RAMET_EXPORT StatusOr<MetaGraphInfo> ImportMetaGraphBytes(
    Graph& graph, std::string_view meta_graph, const ImportMetaGraphOptions& options = {});
// The same for a file. \error besides: kNotFound "File X does not exist."; kDataLoss "Cannot parse
// file X".
RAMET_EXPORT StatusOr<MetaGraphInfo> ImportMetaGraphFile(
    Graph& graph, const std::string& path, const ImportMetaGraphOptions& options = {});

// How a graph is written as a meta graph (tf.train.export_meta_graph; spec: graph-semantics 11).
struct ExportMetaGraphOptions {
  // Only nodes whose names begin with it; "S/" is taken off names. Inputs from outside become
  // "$unbound_inputs_n" and are listed in the collection "unbound_inputs" of the file.
  std::string export_scope = {};
  bool clear_devices = false;
  bool strip_default_attrs = false;
  // Leaves out the nodes of every scope that holds save or restore ops, but for those of `saver`,
  // and writes that one alone to the collection "savers".
  bool clear_extraneous_savers = false;
  bool as_text = false;
  std::optional<SaverNames> saver = {};
  // The keys to write; unset: all.
  std::optional<std::vector<std::string>> collections = {};
  std::vector<std::string> tags = {};
  // What an import kept beside the graph (MetaGraphInfo::carried).
  std::string carried = {};
};

// The graph as a serialised MetaGraphDef: nodes with _output_shapes, collections, saver, the
// definitions of all ops used. A collection takes the kind of its first item; one with items of
// other kinds is left out with a warning. Locks the graph for reading. \error as ExportGraphDef;
// kInvalidArgument if `carried` is no MetaGraphDef.
RAMET_EXPORT StatusOr<std::string> ExportMetaGraph(const Graph& graph,
                                                   const ExportMetaGraphOptions& options = {});
// The same into a file, which is replaced in one step. \error besides: those of AtomicWriteFile.
RAMET_EXPORT Status ExportMetaGraphFile(const Graph& graph, const std::string& path,
                                        const ExportMetaGraphOptions& options = {});

}  // namespace ramet
