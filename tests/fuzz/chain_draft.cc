#include "chain_draft.h"

#include <algorithm>

#include "build.h"
#include "op_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

// An op may read this many of the latest tensors: few, so that the ops are connected.
constexpr size_t kMaxReadable = 12;
constexpr size_t kMaxTensors = 200;
constexpr int64_t kTriesPerOp = 3;

Shape DrawChainShape(Random& random) {
  if (random.Percent(50)) return DrawShape(random);
  return Shape{random.In(1, 2), random.In(1, 4), random.In(1, 4), random.In(1, 3)};
}

// A ChainDrafter drafts one op after another, and builds each at once to see whether the library
// accepts it.
class ChainDrafter {
 public:
  ChainDrafter(Random& random, const std::vector<const Op*>& ops) : random_(random), ops_(ops) {
    base_ = DrawChainShape(random);
    AddFunctions(&chain_.draft);
    BuildNodeByNode(chain_.draft.def(), &graph_).IgnoreError();
  }

  Chain Take(int64_t length) {
    int64_t added = 0;
    for (int64_t i = 0; i < length * kTriesPerOp && added < length; ++i) {
      if (TryOp(StrCat("n", i))) ++added;
    }
    chain_.draft.set_scope("");
    return std::move(chain_);
  }

 private:
  bool TryOp(const std::string& name) {
    GraphDef& def = chain_.draft.def();
    const int before = def.node_size();
    chain_.draft.set_scope(name + "/");
    AddDrawnOp(&chain_.draft, random_, *random_.Pick(ops_), "op", Readable(), base_);
    if (BuildNodesFrom(def, before, &graph_).ok()) {
      KeepOutputs(name + "/op");
      return true;
    }
    graph_.TakeError().IgnoreError();
    def.mutable_node()->DeleteSubrange(before, def.node_size() - before);
    return false;
  }

  std::vector<MadeTensor> Readable() const {
    const size_t count = std::min(chain_.tensors.size(), kMaxReadable);
    return {chain_.tensors.end() - static_cast<std::ptrdiff_t>(count), chain_.tensors.end()};
  }

  void KeepOutputs(const std::string& node) {
    const auto op = graph_.FindOperation(node);
    if (!op.ok()) return;
    for (const Output& output : op->outputs()) {
      if (chain_.tensors.size() == kMaxTensors) return;
      chain_.tensors.push_back({output.name(), output.dtype()});
    }
  }

  Random& random_;
  const std::vector<const Op*>& ops_;
  Shape base_;
  Chain chain_;
  Graph graph_;
};

}  // namespace

Chain DraftChain(Random& random, const std::vector<const Op*>& ops, int64_t length) {
  return ChainDrafter(random, ops).Take(length);
}

}  // namespace ramet::fuzz
