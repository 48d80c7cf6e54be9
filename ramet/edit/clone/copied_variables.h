#pragma once

#include "ramet/edit/clone/copied_edges.h"
#include "ramet/edit/clone/names.h"

namespace ramet {

// A VariableCopier copies a graph's records of the copied variables, and makes records for those
// that it knows only by their operations. Runs after NodeCopier::CopyAll and cannot fail. The
// caller holds the locks of both graphs.
class VariableCopier {
 public:
  VariableCopier(const CloneSelection& selection, const CloneDtypes& dtypes,
                 const CopiedEdges& edges, CloneNames& names, CloneMapping& mapping);
  void CopyAll();

 private:
  void CopyRecord(VariableId id);
  void AddBareVariable(const SelectedVariable& v);
  void Add(VariableRecord record, const Output& original, VariableId original_id);
  void AddStoreKeys();
  Output InitialValue(const Output& value, const VariableRecord& copy) const;

  const CloneSelection& selection_;
  const CloneDtypes& dtypes_;
  const CopiedEdges& edges_;
  CloneNames& names_;
  CloneMapping& mapping_;
  const GraphData& source_;
  GraphData& target_;
};

}  // namespace ramet
