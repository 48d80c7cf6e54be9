#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone_dtypes.h"
#include "ramet/edit/clone_names.h"
#include "ramet/edit/clone_selection.h"
#include "ramet/graph/control_flow_context.h"
#include "ramet/graph/message_names.h"

namespace ramet {

// Copies a graph's records about the copied nodes: variables, collections, branches and loops. Runs
// after CloneNodes::Append and cannot fail.
class CloneRecords {
 public:
  CloneRecords(const CloneSelection& selection, const CloneDtypes& dtypes,
               const CloneOptions& options, CloneNames& names, CloneMapping& mapping);
  void CloneVariables();
  void CloneContexts();
  void CloneCollections();

 private:
  Output Copied(const Output& tensor) const;
  Output CopiedOrSame(const Output& tensor) const;
  void AddRecord(VariableRecord record, const Output& original, VariableId original_id);
  void AddBareVariable(const SelectedVariable& v);
  void AddStoreKeys();
  bool IsWanted(const std::string& key) const;
  std::optional<CollectionItem> Item(const std::string& key, const CollectionItem& item) const;
  std::optional<CollectionItem> Message(const std::string& key, const OpaqueMessage& message) const;
  std::string Renamed(std::string_view name, bool* found) const;
  bool IsClonable(ControlFlowContext& context) const;
  ControlFlowContext* CloneContext(ControlFlowContext& context, ControlFlowContext* outer);
  Output InitialValue(const Output& value, const VariableRecord& copy) const;
  void PlaceCasts();
  void CloneValues(const ControlFlowContext& from, ControlFlowContext* to) const;

  const CloneSelection& selection_;
  const CloneDtypes& dtypes_;
  const CloneOptions& options_;
  CloneNames& names_;
  CloneMapping& mapping_;
  GraphImpl& source_;
  GraphImpl& target_;
  std::unordered_map<NodeId, VariableId> bare_;
};

}  // namespace ramet
