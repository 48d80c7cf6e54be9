#include "ramet/format/mapped_tensor.h"

#include <utility>

#include "ramet/base/crc32c.h"
#include "ramet/base/mapped_file.h"
#include "ramet/format/bundle_data.h"

namespace ramet {

class MappedTensor::Impl {
 public:
  Impl(std::string prefix, std::string name, BundleEntry entry, MappedRange range)
      : prefix_(std::move(prefix)),
        name_(std::move(name)),
        entry_(std::move(entry)),
        range_(std::move(range)) {}
  const BundleEntry& entry() const { return entry_; }
  const MappedRange& range() const { return range_; }

  Status Verify() const {
    const uint32_t crc = crc32c::Value(range_.bytes());
    RAMET_RETURN_IF_ERROR(range_.CheckIntact());
    if (crc == crc32c::Unmask(entry_.masked_crc)) return OkStatus();
    return ChecksumMismatch(prefix_, name_, entry_, crc);
  }

 private:
  std::string prefix_;
  std::string name_;
  BundleEntry entry_;
  MappedRange range_;
};

MappedTensor::MappedTensor(const std::string& prefix, std::string name, const BundleEntry& entry,
                           MappedRange range)
    : impl_(std::make_unique<Impl>(prefix, std::move(name), entry, std::move(range))) {}
MappedTensor::MappedTensor(MappedTensor&&) noexcept = default;
MappedTensor& MappedTensor::operator=(MappedTensor&&) noexcept = default;
MappedTensor::~MappedTensor() = default;
DType MappedTensor::dtype() const { return impl_->entry().dtype; }
const Shape& MappedTensor::shape() const { return impl_->entry().shape; }
std::string_view MappedTensor::bytes() const { return impl_->range().bytes(); }
Status MappedTensor::CheckIntact() const { return impl_->range().CheckIntact(); }
Status MappedTensor::Verify() const { return impl_->Verify(); }

}  // namespace ramet
