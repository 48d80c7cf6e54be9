#pragma once

// Graphs in text form for the tests of this folder.

#include <google/protobuf/text_format.h>

#include <string>
#include <vector>

#include "ramet/graph/graph.h"
#include "ramet/proto/op_def.pb.h"

namespace ramet::testing {

// Returns a node of a GraphDef in text form. `type_attr`, if not empty, is an attr with the value
// DT_FLOAT. `more` is the text of further fields.
inline std::string Node(const std::string& name, const std::string& op,
                        const std::vector<std::string>& inputs, const std::string& type_attr = "",
                        const std::string& more = "") {
  std::string text = StrCat("node { name: '", name, "' op: '", op, "' ");
  for (const std::string& input : inputs) text += StrCat("input: '", input, "' ");
  if (!type_attr.empty()) {
    text += StrCat("attr { key: '", type_attr, "' value { type: DT_FLOAT } } ");
  }
  return text + more + " }\n";
}

// Returns a float placeholder of shape [2,3].
inline std::string Placeholder(const std::string& name, const std::string& more = "") {
  return Node(name, "Placeholder", {}, "dtype",
              "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } } " + more);
}

inline std::vector<std::string> Names(const std::vector<Operation>& ops) {
  std::vector<std::string> names;
  for (const Operation& op : ops) names.push_back(op.name());
  return names;
}

// Returns a serialized OpList with Enter, Merge and NextIteration.
inline std::string LoopOps() {
  OpList ops;
  google::protobuf::TextFormat::ParseFromString(
      R"pb(
        op {
          name: "Enter"
          input_arg { name: "data" type_attr: "T" }
          output_arg { name: "output" type_attr: "T" }
          attr { name: "T" type: "type" }
          attr {
            name: "frame_name"
            type: "string"
            default_value { s: "frame" }
          }
        }
        op {
          name: "Merge"
          input_arg { name: "inputs" type_attr: "T" number_attr: "N" }
          output_arg { name: "output" type_attr: "T" }
          output_arg { name: "index" type: DT_INT32 }
          attr { name: "T" type: "type" }
          attr { name: "N" type: "int" }
        }
        op {
          name: "NextIteration"
          input_arg { name: "data" type_attr: "T" }
          output_arg { name: "output" type_attr: "T" }
          attr { name: "T" type: "type" }
        })pb",
      &ops);
  return ops.SerializeAsString();
}

}  // namespace ramet::testing
