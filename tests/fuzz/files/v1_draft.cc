// V1 checkpoints.
#include <algorithm>
#include <map>

#include "formats.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/checkpoint_protos.h"
#include "ramet/format/v1_format.h"
#include "ramet/format/v1_writer.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/tensor/tensor_proto.h"
#include "spoil.h"
#include "table_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

using Extent = TensorSlice::Extent;

constexpr int64_t kManySlices = 2000;

// A V1Drafter draws one file: the record of its tensors and one for each slice.
class V1Drafter {
 public:
  V1Drafter(Random& random, int lies_percent) : random_(random), lies_(lies_percent) {
    first_.mutable_meta()->mutable_versions()->set_producer(1);
  }

  // Adds the rows [begin, end) of the tensor as up to three slices.
  void Add(const std::string& name, const Tensor& tensor, int64_t begin, int64_t end) {
    SavedSliceMeta* meta = Meta(name, tensor);
    const int64_t parts = std::min<int64_t>(random_.In(1, 3), end - begin);
    for (int64_t i = 0; i < parts; ++i) {
      const int64_t from = begin + (end - begin) * i / parts;
      const int64_t to = begin + (end - begin) * (i + 1) / parts;
      std::vector<Extent> extents(static_cast<size_t>(tensor.rank()));
      if (to - from < tensor.dim(0)) extents[0] = {from, to - from};
      AddSlice(meta, tensor, TensorSlice(extents));
    }
    if (random_.Percent(lies_)) SpoilMessage(random_, meta);
  }

  void AddWhole(const std::string& name, const Tensor& tensor) {
    SavedSliceMeta* meta = Meta(name, tensor);
    AddSlice(meta, tensor, TensorSlice::Whole(tensor.rank()));
    if (random_.Percent(lies_)) SpoilMessage(random_, meta);
  }

  // Adds so many slices that comparing all of them takes long. Most have no record.
  void AddManySlices(const std::string& name) {
    const int64_t n = random_.In(100, kManySlices);
    Tensor tensor(kFloat, Shape{n, 2});
    std::fill_n(tensor.mutable_data<float>(), 2 * n, 1.0f);
    SavedSliceMeta* meta = Meta(name, tensor);
    const bool across = random_.Percent(30);
    for (int64_t i = 0; i < n; ++i) {
      const Extent one{i, 1};
      SliceToProto(across ? TensorSlice({{}, {i % 2, 1}}) : TensorSlice({one, {}}),
                   meta->add_slice());
    }
  }

  std::string Take() {
    for (int64_t n = random_.Percent(lies_ / 2) ? random_.In(1, 2) : 0; n > 0; --n) {
      SpoilMessage(random_, &first_);
    }
    Records records = {{"", WireOf(random_, first_)}};
    records.insert(records.end(), slices_.begin(), slices_.end());
    if (random_.Percent(lies_ / 10)) records.erase(records.begin());
    return DraftTable(random_, records, random_.Percent(lies_ / 4));
  }

 private:
  SavedSliceMeta* Meta(const std::string& name, const Tensor& tensor) {
    SavedSliceMeta* meta = first_.mutable_meta()->add_tensor();
    meta->set_name(name);
    meta->set_type(static_cast<DataType>(tensor.dtype()));
    ShapeToProto(tensor.shape(), meta->mutable_shape());
    return meta;
  }

  void AddSlice(SavedSliceMeta* meta, const Tensor& tensor, const TensorSlice& slice) {
    SliceToProto(slice, meta->add_slice());
    Tensor part(tensor.dtype(), slice.ShapeIn(tensor.shape()).value());
    CopyOverlap(tensor, TensorSlice::Whole(tensor.rank()).Explicit(tensor.shape()),
                slice.Explicit(tensor.shape()), &part);
    auto bytes = EncodeV1Slice(meta->name(), slice, part);
    SavedTensorSlices record;
    if (bytes.ok()) record.ParseFromString(*bytes);
    if (random_.Percent(lies_ / 2)) SpoilData(&record);
    if (random_.Percent(lies_ / 8)) return;  // there is no record of it
    slices_[BundleSliceKey(meta->name(), slice)] = WireOf(random_, record);
  }

  void SpoilData(SavedTensorSlices* record) {
    TensorProto* data = record->mutable_data()->mutable_data();
    switch (random_.Below(5)) {
      case 0:
        data->set_tensor_content(std::string(static_cast<size_t>(random_.Below(64)), 'x'));
        break;
      case 1: data->add_float_val(static_cast<float>(HostileNumber(random_))); break;
      case 2: data->add_string_val(DrawString(random_)); break;
      default: SpoilMessage(random_, record);
    }
  }

  Random& random_;
  const int lies_;
  SavedTensorSlices first_;
  std::map<std::string, std::string> slices_;
};

}  // namespace

FileSet DrawV1(Random& random) {
  const auto shards = static_cast<size_t>(random.Pick({1, 1, 1, 2, 3}));
  const int lies = random.Pick({0, 30, 30, 60, 100});
  const auto n = static_cast<int64_t>(shards);
  FileSet set{"v1", shards == 1 ? "m" : V1ShardPattern("m", n), {}};
  std::vector<V1Drafter> files(shards, V1Drafter(random, lies));
  for (int64_t i = random.Pick({0, 1, 2, 3, 5}); i > 0; --i) {
    const DType dtype = random.Pick({kFloat, kFloat, kDouble, kInt32, kInt64, kString, kBool, kHalf,
                                     kUInt8, kInt8, kComplex64, kComplex128, DType::kQInt32});
    const std::string name = DrawTensorName(random);
    const Tensor value = DrawValue(random, dtype, DrawShape(random), DrawValuesKind(random));
    const bool rows = value.rank() > 0 && value.num_elements() > 0 && random.Percent(60);
    for (size_t s = 0; rows && s < shards; ++s) {
      const auto at = static_cast<int64_t>(s);
      const int64_t begin = value.dim(0) * at / n, end = value.dim(0) * (at + 1) / n;
      if (end > begin) files[s].Add(name, value, begin, end);
    }
    if (!rows) files[static_cast<size_t>(random.Below(n))].AddWhole(name, value);
  }
  if (random.Percent(2)) files[0].AddManySlices("many");
  for (size_t s = 0; s < shards; ++s) {
    set.Add(shards == 1 ? "m" : V1ShardPath("m", static_cast<int64_t>(s), n), files[s].Take());
  }
  if (random.Percent(2)) ReplaceByOddFile(random, &set);
  return set;
}

}  // namespace ramet::fuzz
