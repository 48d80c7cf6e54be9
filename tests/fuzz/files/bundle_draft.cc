// V2 checkpoints.
#include <algorithm>
#include <map>
#include <set>

#include "base_model.h"
#include "formats.h"
#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/checkpoint_protos.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/proto/trackable_object_graph.pb.h"
#include "ramet/tensor/tensor_proto.h"
#include "spoil.h"
#include "table_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

using Extent = TensorSlice::Extent;

constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";
constexpr int64_t kManySlices = 3000;

uint32_t MaskedCrc(std::string_view bytes) { return crc32c::Mask(crc32c::Value(bytes)); }

// The lengths, their checksum and the bytes of strings (docs/formats/checkpoint-v2.md, "Data").
// `lengths` need not be those of the strings. Gives the checksum of the whole.
std::string StringData(const std::vector<uint64_t>& lengths, std::string_view bytes,
                       uint32_t* masked_crc) {
  std::string data, fixed;
  for (const uint64_t length : lengths) {
    AppendVarint64(&data, length);
    AppendFixed32(&fixed, static_cast<uint32_t>(length));
    if (length > UINT32_MAX) AppendFixed32(&fixed, static_cast<uint32_t>(length >> 32));
  }
  const uint32_t crc_of_lengths = MaskedCrc(fixed);
  AppendFixed32(&data, crc_of_lengths);
  AppendFixed32(&fixed, crc_of_lengths);
  *masked_crc = MaskedCrc(fixed.append(bytes));
  return data.append(bytes);
}

// A BundleDrafter draws one checkpoint: records for its index, and data files.
class BundleDrafter {
 public:
  // `lies_percent` of the tensors do not have the contents that their entries describe.
  BundleDrafter(Random& random, int lies_percent) : random_(random), lies_(lies_percent) {
    data_.resize(static_cast<size_t>(random.Pick({1, 1, 1, 2, 3})));
    header_.set_num_shards(static_cast<int>(data_.size()));
    header_.mutable_version()->set_producer(1);
    if (random.Percent(10)) header_.set_endianness(BundleHeaderProto::BIG);
  }

  void Add(const std::string& name, const Tensor& tensor) {
    BundleEntryProto entry = Store(tensor);
    if (random_.Percent(lies_)) Spoil(&entry);
    records_[name] = WireOf(random_, entry);
  }

  // Adds a tensor as `parts` slices along the first dimension.
  void AddSliced(const std::string& name, const Tensor& tensor, int64_t parts) {
    BundleEntryProto whole;
    whole.set_dtype(static_cast<DataType>(tensor.dtype()));
    ShapeToProto(tensor.shape(), whole.mutable_shape());
    const int64_t rows = tensor.dim(0);
    for (int64_t i = 0; i < parts; ++i) {
      const int64_t begin = rows * i / parts, end = rows * (i + 1) / parts;
      std::vector<Extent> extents(static_cast<size_t>(tensor.rank()));
      extents[0] = {begin, end - begin};
      AddSlice(name, tensor, TensorSlice(extents), &whole);
    }
    for (int64_t n = random_.Percent(lies_) ? random_.In(1, 3) : 0; n > 0; --n) {
      SpoilMessage(random_, &whole);
    }
    records_[name] = WireOf(random_, whole);
  }

  // Adds a tensor in so many slices that comparing all of them with each other takes long.
  void AddManySlices(const std::string& name) {
    const int64_t n = random_.In(100, kManySlices);
    const bool row = random_.Percent(50);
    Tensor part(kFloat, row ? Shape{1, 1} : Shape{1, 2});
    std::fill_n(part.mutable_data<float>(), part.num_elements(), 1.0f);
    BundleEntryProto whole;
    whole.set_dtype(DT_FLOAT);
    ShapeToProto(Shape{n, part.dim(1)}, whole.mutable_shape());
    const BundleEntryProto entry = Store(part);
    for (int64_t i = 0; i < n; ++i) {
      const TensorSlice slice({{random_.Percent(lies_ / 8) ? 0 : i, 1}, {}});
      SliceToProto(slice, whole.add_slices());
      records_[BundleSliceKey(name, slice)] = entry.SerializeAsString();
    }
    records_[name] = whole.SerializeAsString();
  }

  void Take(const std::string& prefix, FileSet* set) {
    if (random_.Percent(lies_ / 3)) SpoilHeader();
    Records records = {{"", WireOf(random_, header_)}};
    records.insert(records.end(), records_.begin(), records_.end());
    if (random_.Percent(lies_ / 8)) records.erase(records.begin());
    for (size_t s = 0; s < data_.size(); ++s) {
      if (random_.Percent(lies_ / 10)) data_[s].resize(data_[s].size() / 2);
      set->Add(BundleDataPath(prefix, static_cast<int>(s), header_.num_shards()), data_[s]);
    }
    // The index comes last, because a reader waits for it if the data are newer.
    set->Add(prefix + ".index", DraftTable(random_, records, random_.Percent(lies_ / 3)));
  }

 private:
  void AddSlice(const std::string& name, const Tensor& tensor, const TensorSlice& slice,
                BundleEntryProto* whole) {
    SliceToProto(slice, whole->add_slices());
    Tensor part(tensor.dtype(), slice.ShapeIn(tensor.shape()).value());
    CopyOverlap(tensor, TensorSlice::Whole(tensor.rank()).Explicit(tensor.shape()),
                slice.Explicit(tensor.shape()), &part);
    BundleEntryProto entry = Store(part);
    if (random_.Percent(lies_ / 3)) Spoil(&entry);
    TensorSlice key = slice;
    if (random_.Percent(lies_ / 6)) key = TensorSlice::Whole(tensor.rank());
    if (random_.Percent(lies_ / 8)) return;  // there is no record of it
    records_[BundleSliceKey(name, key)] = WireOf(random_, entry);
  }

  BundleEntryProto Store(const Tensor& tensor) {
    BundleEntryProto entry;
    entry.set_dtype(static_cast<DataType>(tensor.dtype()));
    ShapeToProto(tensor.shape(), entry.mutable_shape());
    const auto shard = static_cast<size_t>(random_.Below(static_cast<int64_t>(data_.size())));
    std::string& data = data_[shard];
    entry.set_shard_id(static_cast<int>(shard));
    entry.set_offset(static_cast<int64_t>(data.size()));
    uint32_t crc = 0;
    std::string bytes;
    if (tensor.dtype() == kString) {
      bytes = DrawStringData(tensor, &crc);
    } else {
      bytes.assign(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
      crc = MaskedCrc(bytes);
    }
    entry.set_size(static_cast<int64_t>(bytes.size()));
    entry.set_crc32c(crc);
    data += bytes;
    return entry;
  }

  std::string DrawStringData(const Tensor& tensor, uint32_t* crc) {
    std::vector<uint64_t> lengths;
    std::string bytes;
    for (const std::string& s : tensor.flat<std::string>()) {
      const bool lie = random_.Percent(lies_ / 6);
      const auto right = static_cast<int64_t>(s.size());
      lengths.push_back(static_cast<uint64_t>(lie ? LyingNumber(random_, right) : right));
      bytes += s;
    }
    if (random_.Percent(lies_ / 8)) lengths.resize(static_cast<size_t>(random_.Below(500)), 0);
    return StringData(lengths, bytes, crc);
  }

  // Changes an entry. The checksum then usually matches the bytes that it refers to.
  void Spoil(BundleEntryProto* entry) {
    const std::string& data = data_[static_cast<size_t>(entry->shard_id())];
    switch (random_.Below(7)) {
      case 0: entry->set_offset(LyingNumber(random_, entry->offset())); break;
      case 1: entry->set_size(LyingNumber(random_, entry->size())); break;
      case 2: {
        const int dtype =
            static_cast<int>(random_.Percent(80) ? random_.In(0, 32) : HostileInt(random_));
        entry->set_dtype(static_cast<DataType>(dtype));
        break;
      }
      case 3: {
        auto* shape = entry->mutable_shape();
        if (random_.Percent(50)) shape->clear_dim();
        for (int64_t n = random_.In(1, 3); n > 0; --n) {
          shape->add_dim()->set_size(LyingNumber(random_, 2));
        }
        break;
      }
      case 4: {  // shape and size agree, whatever the file has
        const int64_t n = int64_t{1} << random_.In(0, 59);
        entry->mutable_shape()->clear_dim();
        entry->mutable_shape()->add_dim()->set_size(n);
        entry->set_size(entry->dtype() == DT_STRING ? n + 4 : n * 4);
        break;
      }
      default: SpoilMessage(random_, entry);
    }
    const auto offset = static_cast<uint64_t>(entry->offset());
    const auto size = static_cast<uint64_t>(entry->size());
    const bool there = offset <= data.size() && size <= data.size() - offset;
    if (there && entry->dtype() != DT_STRING && random_.Percent(80)) {
      entry->set_crc32c(MaskedCrc(std::string_view(data).substr(offset, size)));
    }
  }

  void SpoilHeader() {
    const int right = header_.num_shards();
    switch (random_.Below(4)) {
      case 0: header_.set_num_shards(static_cast<int>(LyingNumber(random_, right))); break;
      case 1:
        header_.set_endianness(static_cast<BundleHeaderProto::Endianness>(random_.In(0, 3)));
        break;
      default: SpoilMessage(random_, &header_);
    }
  }

  Random& random_;
  const int lies_;
  std::vector<std::string> data_;
  BundleHeaderProto header_;
  std::map<std::string, std::string> records_;
};

// Draws the object graph that tf.train.Checkpoint writes: the variable of each key.
Tensor DrawObjectGraph(Random& random, const std::set<std::string>& names) {
  TrackableObjectGraph graph;
  auto* root = graph.add_nodes();
  for (const std::string& name : names) {
    auto* child = root->add_children();
    child->set_node_id(graph.nodes_size());
    child->set_local_name(name.substr(0, 4));
    auto* attribute = graph.add_nodes()->add_attributes();
    attribute->set_name("VARIABLE_VALUE");
    attribute->set_full_name(random.Percent(70) ? name : DrawTensorName(random));
    attribute->set_checkpoint_key(random.Percent(70) ? name : DrawTensorName(random));
  }
  for (int64_t n = random.Below(4); n > 0; --n) SpoilMessage(random, &graph);
  return Tensor(WireOf(random, graph));
}

void AddTensors(Random& random, BundleDrafter* bundle) {
  std::set<std::string> names;
  for (int64_t n = random.Pick({0, 1, 2, 3, 5, 8}); n > 0; --n)
    names.insert(DrawTensorName(random));
  for (const std::string& name : names) {
    const DType dtype =
        random.Pick({kFloat, kFloat, kDouble, kInt32, kInt64, kString, kString, kBool, kHalf,
                     kBFloat16, kUInt8, kInt8, kComplex64, DType::kQInt8, DType::kQInt32});
    const Tensor value = DrawValue(random, dtype, DrawShape(random), DrawValuesKind(random));
    const bool sliced = value.rank() > 0 && value.dim(0) > 1 && value.dim(0) < 100 &&
                        value.num_elements() > 0 && random.Percent(30);
    if (random.Percent(2)) {
      bundle->AddManySlices(name);
    } else if (sliced) {
      bundle->AddSliced(name, value, random.In(1, std::min<int64_t>(value.dim(0), 4)));
    } else {
      bundle->Add(name, value);
    }
  }
  if (random.Percent(10)) bundle->Add(kObjectGraphKey, DrawObjectGraph(random, names));
}

}  // namespace

std::string DrawTensorName(Random& random) {
  if (random.Percent(6)) return DrawString(random);
  if (random.Percent(2)) return std::string(static_cast<size_t>(random.Below(20'000)), 'n');
  return random.Pick({"w", "b", "global_step", "layer/w", "layer/w/Adam", "layer/w/Adam_1",
                      "dense/kernel", "a", "x/.ATTRIBUTES/VARIABLE_VALUE", "save_counter"});
}

FileSet DrawBundle(Random& random) {
  FileSet set{"v2", "m", {}};
  BundleDrafter bundle(random, random.Pick({0, 30, 30, 60, 100}));
  AddTensors(random, &bundle);
  bundle.Take("m", &set);
  if (random.Percent(2)) ReplaceByOddFile(random, &set);
  return set;
}

void AddModelBundle(Random& random, const std::string& prefix, int lies_percent, FileSet* set) {
  BundleDrafter bundle(random, lies_percent);
  for (const auto& [name, tensor] : TheBaseModel().values) {
    Tensor value = tensor;
    if (random.Percent(lies_percent / 4)) {
      value = DrawValue(random, tensor.dtype(), DrawRelatedShape(random, tensor.shape()),
                        Values::kMixed);
    }
    if (value.rank() > 0 && value.dim(0) > 1 && random.Percent(30)) {
      bundle.AddSliced(name, value, 2);
    } else {
      bundle.Add(name, value);
    }
  }
  bundle.Take(prefix, set);
}

}  // namespace ramet::fuzz
