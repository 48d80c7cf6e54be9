// The uses of checkpoints and of folders of them.
#include <algorithm>
#include <filesystem>

#include "ramet/base/file.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/checkpoint_watcher.h"
#include "ramet/checkpoint/object_based.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/format/bundle_merge.h"
#include "ramet/format/checkpoint_copy.h"
#include "ramet/format/checkpoint_reader.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/files_follower.h"
#include "ramet/replica/files/version_reader.h"
#include "use.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

constexpr size_t kMaxVariables = 20;
constexpr int64_t kMaxVariableElements = 4096;
constexpr int64_t kRunMillis = 1000;

// Draws a slice of the shape, possibly one that extends beyond it.
TensorSlice DrawSlice(Random& random, const Shape& shape) {
  std::vector<TensorSlice::Extent> extents;
  for (const int64_t dim : shape.dims()) {
    TensorSlice::Extent extent;
    if (random.Percent(70)) {
      extent.start = random.Below(dim);
      extent.length = random.In(1, std::max<int64_t>(dim - extent.start, 1));
    }
    if (random.Percent(5)) extent = {random.In(0, dim), HostileInt(random)};
    extents.push_back(extent);
  }
  if (random.Percent(3)) extents.push_back({});
  return TensorSlice(std::move(extents));
}

std::string DrawSpec(Random& random, const Shape& shape) {
  if (random.Percent(40)) return "";
  if (random.Percent(10)) return DrawString(random);
  std::string spec;
  for (const int64_t dim : shape.dims()) spec += StrCat(dim, " ");
  return spec + DrawSlice(random, shape).ToString();
}

// A CheckpointUser reads one checkpoint in every way.
class CheckpointUser {
 public:
  CheckpointUser(FileUse& use, CheckpointReader reader) : use_(use), reader_(std::move(reader)) {}

  void Run() {
    use_.progress.Phase("listing");
    auto tensors = reader_.List();
    if (!use_.Ok(tensors.status())) return;
    tensors_ = *std::move(tensors);
    use_.progress.Built();
    use_.Ok(reader_.DebugString().status());
    use_.progress.Phase("reading");
    for (const CheckpointTensor& tensor : tensors_) ReadOne(tensor);
    use_.progress.Phase("copying");
    if (use_.random.Percent(40)) Copy();
    if (use_.random.Percent(15)) Merge();
    if (use_.random.Percent(40)) Restore();
    if (use_.random.Percent(30)) RestoreByOp();
  }

 private:
  void ReadOne(const CheckpointTensor& tensor) {
    use_.Ok(reader_.Find(tensor.name).status());
    const auto value = reader_.Read(tensor.name);
    if (use_.Ok(value.status())) {
      use_.Check(*value, tensor.dtype, tensor.shape, "tensor");
      use_.progress.Ran();
    }
    for (int i = 0; i < 2; ++i) ReadBox(tensor, DrawSlice(use_.random, tensor.shape));
    const TensorSlice whole = TensorSlice::Whole(tensor.shape.rank());
    if (value.ok()) {
      const auto same = reader_.ReadSlice(tensor.name, whole);
      if (!same.ok() || !same->BitwiseEquals(*value)) use_.Find("slice: not the whole tensor");
    }
    if (reader_.bundle() != nullptr) ReadBundle(tensor, value.ok());
  }

  void ReadBox(const CheckpointTensor& tensor, const TensorSlice& box) {
    const auto part = reader_.ReadSlice(tensor.name, box);
    if (use_.Ok(part.status())) {
      use_.Check(*part, tensor.dtype, box.ShapeIn(tensor.shape).value(), "box");
    }
    if (reader_.bundle() == nullptr) return;
    const auto quick = reader_.bundle()->ReadSliceUnverified(tensor.name, box);
    use_.Ok(quick.status());
    if (part.ok() && (!quick.ok() || !quick->BitwiseEquals(*part))) {
      use_.Find("box: not the one that is not verified: " + quick.status().ToString());
    }
  }

  void ReadBundle(const CheckpointTensor& tensor, bool readable) {
    BundleReader& bundle = *reader_.bundle();
    std::vector<TensorSlice> stored = tensor.slices;
    if (stored.empty()) stored.push_back(TensorSlice::Whole(tensor.shape.rank()));
    stored.resize(std::min<size_t>(stored.size(), 5));
    for (const TensorSlice& slice : stored) {
      size_t bytes = 0;
      const Status status = bundle.ReadPieces(tensor.name, slice, [&](std::string_view piece) {
        bytes += piece.size();
        return OkStatus();
      });
      if (use_.Ok(status) && bytes != TensorBytesOf(tensor, slice)) use_.Find("pieces: length");
    }
    auto mapped = bundle.Map(tensor.name);
    if (!use_.Ok(mapped.status())) return;
    const Status verified = mapped->Verify();
    const bool differ = verified.ok() != readable && tensor.dtype != kBool;
    if (differ) use_.Find("map: verified " + verified.ToString());
  }

  static size_t TensorBytesOf(const CheckpointTensor& tensor, const TensorSlice& slice) {
    return TensorBytes(tensor.dtype, slice.ShapeIn(tensor.shape).value()).value();
  }

  // Checks that a copy can be read and has the same values.
  void Copy() {
    const auto format = use_.random.Pick({CheckpointFormat::kV2, CheckpointFormat::kV1});
    const std::string to = JoinPath(use_.out, "copy");
    if (!use_.Ok(CopyCheckpoint(reader_, to, {.format = format}))) return;
    auto copy = CheckpointReader::Open(to);
    if (!copy.ok()) return use_.Find("copy: " + copy.status().ToString());
    for (const CheckpointTensor& tensor : tensors_) {
      const auto from = reader_.Read(tensor.name);
      const auto same = copy->Read(tensor.name);
      if (from.ok() && (!same.ok() || !same->BitwiseEquals(*from))) {
        use_.Find("copy: not the same values: " + same.status().ToString());
      }
    }
    CopyBack(*copy);
  }

  void CopyBack(CheckpointReader& copy) {
    const auto format = use_.random.Pick({CheckpointFormat::kV2, CheckpointFormat::kV1});
    use_.Ok(CopyCheckpoint(copy, JoinPath(use_.out, "again"), {.format = format}));
  }

  // Merges copies, because merging moves the data files.
  void Merge() {
    if (reader_.bundle() == nullptr) return;
    use_.progress.Phase("merging");
    const std::string merged = JoinPath(use_.out, "merging");
    std::error_code error;  // of pipes and links
    std::filesystem::copy(use_.folder, merged, std::filesystem::copy_options::recursive, error);
    const std::string prefix = JoinPath(merged, Basename(use_.path));
    use_.Ok(MergeBundles(std::vector{prefix}, JoinPath(use_.out, "merged")));
    auto reader = CheckpointReader::Open(JoinPath(use_.out, "merged"));
    if (reader.ok()) use_.Ok(reader->List().status());
  }

  // Restores variables of the dtypes and shapes that the checkpoint claims.
  void Restore() {
    use_.progress.Phase("restoring");
    Graph graph;
    Scope scope(graph);
    SaverOptions options;
    for (const CheckpointTensor& tensor : tensors_) {
      if (tensor.shape.num_elements() > kMaxVariableElements) continue;
      const auto zero = Tensor::Allocate(tensor.dtype, tensor.shape);
      if (!zero.ok() || options.var_map.size() >= kMaxVariables) continue;
      VariableOptions resource;
      resource.use_resource = use_.random.Percent(50);
      options.var_map.emplace_back(tensor.name, scope.NewVariable(*zero, "v", resource));
    }
    options.sharded = use_.random.Percent(30);
    Saver saver(graph, options);
    if (!use_.Ok(graph.TakeError())) return;
    auto session = Session::Create(graph, {.operation_timeout_in_ms = kRunMillis});
    if (!use_.Ok(session.status()) || !use_.Ok(saver.Restore(*session, use_.path))) return;
    for (const auto& [name, variable] : options.var_map) {
      const auto values = session->Run(Output(variable.variables()[0]));
      const auto stored = reader_.Read(name);
      if (!values.ok() || !stored.ok() || !stored->BitwiseEquals(*values)) {
        use_.Find("restore: not the value in the checkpoint: " + values.status().ToString());
      }
    }
  }

  void RestoreByOp() {
    use_.progress.Phase("restoring by RestoreV2");
    std::vector<std::string> names, specs;
    std::vector<DType> dtypes;
    for (const CheckpointTensor& tensor : tensors_) {
      if (names.size() >= kMaxVariables || !Tensor::Allocate(tensor.dtype, Shape{0}).ok()) continue;
      names.push_back(tensor.name);
      specs.push_back(DrawSpec(use_.random, tensor.shape));
      dtypes.push_back(use_.random.Percent(90) ? tensor.dtype : kFloat);
    }
    if (names.empty()) return;
    Graph graph;
    const Operation read =
        AddOp(graph, "RestoreV2", {Tensor(use_.path), Tensor::Vector(names), Tensor::Vector(specs)},
              {{"dtypes", dtypes}});
    if (!use_.Ok(graph.TakeError())) return;
    auto session = Session::Create(graph, {.operation_timeout_in_ms = kRunMillis});
    if (!use_.Ok(session.status())) return;
    std::vector<GraphElement> fetches;
    for (const Output& output : read.outputs()) fetches.push_back(output);
    const auto values = session->Run(fetches);
    if (!use_.Ok(values.status())) return;
    for (size_t i = 0; i < values->size(); ++i) {
      use_.Check((*values)[i], dtypes[i], (*values)[i].shape(), "restored tensor");
    }
  }

  FileUse& use_;
  CheckpointReader reader_;
  std::vector<CheckpointTensor> tensors_;
};

void UseFoundVersion(FileUse& use, const files::FoundVersion& found) {
  const auto meta = ReadRegularFile(files::GraphPathFor(found.path));
  const auto parts = meta.ok() ? files::PartsIn(*meta) : std::vector<files::VariablePart>();
  const auto variables = files::VariablesOf(found, parts);
  if (!use.Ok(variables.status())) return;
  use.progress.Built();
  const auto version = files::ReadVersion(found, *variables);
  if (!use.Ok(version.status())) return;
  use.progress.Ran();
  for (size_t i = 0; i < version->values.size(); ++i) {
    const VariableSpec& spec = variables->signature[i];
    use.Check(version->values[i], spec.dtype, spec.shape, "followed variable");
  }
}

// Checks that the updated state file can be read again.
void UpdateState(FileUse& use, const CheckpointStateInfo& state) {
  if (!use.Ok(UpdateCheckpointState(use.out, state))) return;
  const auto again = ReadCheckpointState(use.out);
  if (!again.ok() ||
      again->all_model_checkpoint_paths.size() < state.all_model_checkpoint_paths.size()) {
    use.Find("state: not what was written: " + again.status().ToString());
  }
}

}  // namespace

void UseCheckpoint(FileUse& use) {
  use.progress.Phase("opening");
  CheckpointExists(use.path);
  GetCheckpointMtimes({use.path});
  auto reader = CheckpointReader::Open(use.path);
  if (use.Ok(reader.status())) CheckpointUser(use, *std::move(reader)).Run();
  use.progress.Phase("reading the object graph");
  if (BundleExists(use.path)) use.Ok(ObjectGraphKeys(use.path).status());
  if (use.random.Percent(40)) UseTensors(use);
}

void UseState(FileUse& use) {
  use.progress.Phase("reading the state");
  const auto state = ReadCheckpointState(use.path);
  if (use.Ok(state.status())) {
    use.progress.Built();
    std::vector<std::string> paths = state->all_model_checkpoint_paths;
    paths.resize(std::min<size_t>(paths.size(), 100));
    GetCheckpointMtimes(paths);
    UpdateState(use, *state);
  }
  const auto latest = LatestCheckpoint(use.path);
  use.Ok(latest.status());
  use.Ok(GetCheckpointState(use.path).status());
  use.progress.Phase("watching");
  use.Ok(CheckpointWatcher(use.path).Poll().status());
  UseVersions(use);
  UseTensors(use);
  if (!latest.ok()) return;
  use.progress.Ran();
  auto reader = CheckpointReader::Open(*latest);
  if (use.Ok(reader.status())) CheckpointUser(use, *std::move(reader)).Run();
}

void UseVersions(FileUse& use) {
  use.progress.Phase("listing versions");
  const auto folder = files::FollowedFolder(use.path);
  if (!use.Ok(folder.status())) return;
  const auto newest = files::NewestPath(*folder);
  use.Ok(newest.status());
  files::LabelFiles(*folder);
  files::StatsOf(*folder);
  use.progress.Phase("reading versions");
  for (const auto& found : files::ListVersions(*folder)) UseFoundVersion(use, found);
  for (const auto& [label, found] : files::ReadLabels(*folder)) UseFoundVersion(use, found);
  if (newest.ok()) {
    const auto found = files::FindVersionAt(*newest);
    if (use.Ok(found.status())) UseFoundVersion(use, *found);
  }
  use.progress.Phase("following");
  const auto now = FollowerTransport::Clock::now();
  const auto follower = files::ConnectFollower(use.path, now);
  if (!use.Ok(follower.status())) return;
  for (const uint64_t version : (*follower)->Versions()) {
    const auto held = (*follower)->Take(version);
    if (use.Ok(held.status())) use.progress.Note(StrCat("took ", version));
  }
}

}  // namespace ramet::fuzz
