#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "npy.h"
#include "npz.h"
#include "output_file.h"
#include "zip.h"

namespace cli {
namespace {

namespace rm = ramet;
using zip::Put;

uint32_t Narrow(uint64_t n) { return n >= zip::kIn64 ? zip::kIn64 : static_cast<uint32_t>(n); }

uint32_t CrcOf(std::string_view a, std::string_view b) {
  uLong crc = crc32(0, nullptr, 0);
  for (std::string_view part : {a, b}) {
    for (; !part.empty(); part.remove_prefix(std::min<size_t>(part.size(), 1u << 30))) {
      const auto n = static_cast<uInt>(std::min<size_t>(part.size(), 1u << 30));
      crc = crc32(crc, reinterpret_cast<const Bytef*>(part.data()), n);
    }
  }
  return static_cast<uint32_t>(crc);
}

rm::StatusOr<std::string> Deflate(std::string_view a, std::string_view b) {
  z_stream zlib{};
  if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return rm::ResourceExhausted("cannot initialize zlib");
  }
  std::string out, piece(1 << 16, '\0');
  auto feed = [&](std::string_view part, bool last) {
    do {
      const size_t n = std::min<size_t>(part.size(), 1u << 30);
      zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      zlib.avail_in = static_cast<uInt>(n);
      part.remove_prefix(n);
      do {
        zlib.next_out = reinterpret_cast<Bytef*>(piece.data());
        zlib.avail_out = static_cast<uInt>(piece.size());
        deflate(&zlib, last && part.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.append(piece, 0, piece.size() - zlib.avail_out);
      } while (zlib.avail_out == 0);
    } while (!part.empty());
  };
  feed(a, false);
  feed(b, true);
  deflateEnd(&zlib);
  return out;
}

// Appends the fields that a local header and a directory entry have in common.
void PutCommon(const zip::Member& m, uint16_t extra, std::string* out) {
  Put<uint16_t>(m.flags, out);
  Put<uint16_t>(m.method, out);
  Put<uint32_t>(zip::kEpoch, out);
  Put<uint32_t>(m.crc, out);
  Put<uint32_t>(Narrow(m.compressed), out);
  Put<uint32_t>(Narrow(m.size), out);
  Put<uint16_t>(static_cast<uint16_t>(m.name.size()), out);
  Put<uint16_t>(extra, out);
}

std::string LocalHeader(const zip::Member& m) {
  const bool big = m.size >= zip::kIn64 || m.compressed >= zip::kIn64;
  zip::Member shown = m;
  if (big) shown.size = shown.compressed = zip::kIn64;
  std::string out;
  Put<uint32_t>(zip::kLocal, &out);
  Put<uint16_t>(big ? zip::kVersion64 : zip::kVersion, &out);
  PutCommon(shown, big ? 20 : 0, &out);
  out += m.name;
  if (!big) return out;
  Put<uint16_t>(zip::kExtra64, &out);
  Put<uint16_t>(16, &out);
  Put<uint64_t>(m.size, &out);
  Put<uint64_t>(m.compressed, &out);
  return out;
}

std::string DirectoryEntry(const zip::Member& m) {
  std::string numbers;
  for (const uint64_t n : {m.size, m.compressed, m.offset}) {
    if (n >= zip::kIn64) Put<uint64_t>(n, &numbers);
  }
  std::string extra;
  if (!numbers.empty()) {
    Put<uint16_t>(zip::kExtra64, &extra);
    Put<uint16_t>(static_cast<uint16_t>(numbers.size()), &extra);
    extra += numbers;
  }
  const uint16_t version = extra.empty() ? zip::kVersion : zip::kVersion64;
  std::string out;
  Put<uint32_t>(zip::kCentral, &out);
  Put<uint16_t>(version, &out);
  Put<uint16_t>(version, &out);
  PutCommon(m, static_cast<uint16_t>(extra.size()), &out);
  Put<uint16_t>(0, &out);  // comment
  Put<uint16_t>(0, &out);  // disk
  Put<uint16_t>(0, &out);  // internal attributes
  Put<uint32_t>(0, &out);  // external attributes
  Put<uint32_t>(Narrow(m.offset), &out);
  return out + m.name + extra;
}

std::string EndRecords(uint64_t members, uint64_t bytes, uint64_t offset) {
  std::string out;
  if (members >= zip::kCountIn64 || bytes >= zip::kIn64 || offset >= zip::kIn64) {
    Put<uint32_t>(zip::kEnd64, &out);
    Put<uint64_t>(zip::kEnd64Bytes - 12, &out);
    Put<uint16_t>(zip::kVersion64, &out);
    Put<uint16_t>(zip::kVersion64, &out);
    Put<uint64_t>(0, &out);  // disks
    Put<uint64_t>(members, &out);
    Put<uint64_t>(members, &out);
    Put<uint64_t>(bytes, &out);
    Put<uint64_t>(offset, &out);
    Put<uint32_t>(zip::kLocator64, &out);
    Put<uint32_t>(0, &out);
    Put<uint64_t>(offset + bytes, &out);
    Put<uint32_t>(1, &out);
  }
  const auto count = static_cast<uint16_t>(std::min<uint64_t>(members, zip::kCountIn64));
  Put<uint32_t>(zip::kEnd, &out);
  Put<uint32_t>(0, &out);  // disks
  Put<uint16_t>(count, &out);
  Put<uint16_t>(count, &out);
  Put<uint32_t>(Narrow(bytes), &out);
  Put<uint32_t>(Narrow(offset), &out);
  Put<uint16_t>(0, &out);  // comment
  return out;
}

}  // namespace

class NpzWriter::Impl {
 public:
  Impl(std::string path, bool compress)
      : path_(std::move(path)), compress_(compress), file_(path_) {}

  rm::Status Check() const { return file_.Check(); }

  rm::Status Add(const std::string& name, const rm::Tensor& tensor) {
    if (name.empty() || name.size() > 65000) {
      return rm::InvalidArgument("'", path_, "': the name of an array has ", name.size(),
                                 " bytes; expected 1 to 65000");
    }
    RAMET_ASSIGN_OR_RETURN(const std::string header, NpyHeaderText(rm::StrCat(path_, ":", name),
                                                                   tensor.dtype(), tensor.shape()));
    const std::string_view data(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
    zip::Member member{name + ".npy",
                       zip::kUtf8Flag,
                       zip::kStored,
                       CrcOf(header, data),
                       header.size() + data.size(),
                       header.size() + data.size(),
                       at_};
    std::string deflated;
    if (compress_) {
      RAMET_ASSIGN_OR_RETURN(deflated, Deflate(header, data));
      member.method = zip::kDeflated;
      member.compressed = deflated.size();
    }
    const std::string local = LocalHeader(member);
    if (compress_) {
      file_.stream() << local << deflated;
    } else {
      file_.stream() << local << header << data;
    }
    at_ += local.size() + member.compressed;
    directory_ += DirectoryEntry(member);
    ++members_;
    return Check();
  }

  rm::Status Finish() {
    file_.stream() << directory_ << EndRecords(members_, directory_.size(), at_);
    return file_.Commit();
  }

 private:
  const std::string path_;
  const bool compress_;
  OutputFile file_;
  uint64_t at_ = 0, members_ = 0;
  std::string directory_;
};

rm::StatusOr<NpzWriter> NpzWriter::Create(const std::string& path, bool compress) {
  auto impl = std::make_unique<Impl>(path, compress);
  RAMET_RETURN_IF_ERROR(impl->Check());
  return NpzWriter(std::move(impl));
}

NpzWriter::NpzWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NpzWriter::NpzWriter(NpzWriter&&) noexcept = default;
NpzWriter::~NpzWriter() = default;
rm::Status NpzWriter::Add(const std::string& name, const rm::Tensor& tensor) {
  return impl_->Add(name, tensor);
}
rm::Status NpzWriter::Finish() { return impl_->Finish(); }

}  // namespace cli
