#include "ramet/base/hash.h"
#include "ramet/ops/string/map.h"

// Ops that hash strings into buckets.

namespace ramet {
namespace {

template <uint64_t (*kHash)(std::string_view)>
class BucketKernel final : public Kernel {
 public:
  explicit BucketKernel(int64_t buckets) : buckets_(static_cast<uint64_t>(buckets)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const auto buckets, node.attrs->Get<int64_t>("num_buckets"));
    return std::unique_ptr<Kernel>(std::make_unique<BucketKernel>(buckets));
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<int64_t>(c, [&](const std::string& text, int64_t* out) {
      *out = static_cast<int64_t>(kHash(text) % buckets_);
      return OkStatus();
    });
  }

 private:
  const uint64_t buckets_;
};

class KeyedKernel final : public Kernel {
 public:
  KeyedKernel(int64_t buckets, std::array<uint64_t, 2> key)
      : buckets_(static_cast<uint64_t>(buckets)), key_(key) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const auto buckets, node.attrs->Get<int64_t>("num_buckets"));
    RAMET_ASSIGN_OR_RETURN(const auto key, node.attrs->Get<std::vector<int64_t>>("key"));
    if (key.size() != 2) return InvalidArgument("Key must have 2 elements");
    return std::unique_ptr<Kernel>(std::make_unique<KeyedKernel>(
        buckets, std::array{static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])}));
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<int64_t>(c, [&](const std::string& text, int64_t* out) {
      *out = static_cast<int64_t>(SipHash(key_, text) % buckets_);
      return OkStatus();
    });
  }

 private:
  const uint64_t buckets_;
  const std::array<uint64_t, 2> key_;
};

RAMET_OP("StringToHashBucket")
    .Input("string_tensor: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .AttrRange("num_buckets", INT64_MIN, INT64_MAX)
    .Doc(
        "Returns a number in [0, num_buckets) for each string, from a hash that may differ between "
        "versions of TensorFlow. The output has the shape of string_tensor.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<BucketKernel<Hash64>>();

RAMET_OP("StringToHashBucketFast")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .AttrRange("num_buckets", INT64_MIN, INT64_MAX)
    .Doc(
        "Returns a number in [0, num_buckets) for each string, from the FarmHash fingerprint. The "
        "output has the shape of the input.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<BucketKernel<Fingerprint64>>();

RAMET_OP("StringToHashBucketStrong")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .AttrRange("num_buckets", INT64_MIN, INT64_MAX)
    .Attr("key: list(int)")
    .AttrRange("key", INT64_MIN, INT64_MAX)
    .Doc(
        "Returns a number in [0, num_buckets) for each string, from SipHash with a key of two "
        "numbers. The output has the shape of the input. Error: the key does not have two "
        "elements.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<KeyedKernel>();

}  // namespace
}  // namespace ramet
