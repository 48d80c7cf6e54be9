#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <unordered_map>

#include "npy.h"
#include "npz.h"
#include "zip.h"

namespace cli {
namespace {

namespace rm = ramet;
using zip::Get;

// The largest ratio by which deflate can expand its input ("zlib Technical Details").
constexpr uint64_t kMaxRatio = 1032;
constexpr uint64_t kMaxHeader = 1 << 16;
constexpr size_t kPiece = 1 << 16;

// A file that can be read at any offset.
class File {
 public:
  static rm::StatusOr<File> Open(const std::string& path) {
    File file;
    file.path_ = path;
    file.stream_.open(path, std::ios::binary | std::ios::ate);
    if (!file.stream_) return rm::NotFound("'", path, "' cannot be read: ", std::strerror(errno));
    file.size_ = static_cast<uint64_t>(file.stream_.tellg());
    return file;
  }
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }

  rm::Status Read(uint64_t offset, char* out, uint64_t n) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (n > 0) stream_.read(out, static_cast<std::streamsize>(n));
    if (stream_) return rm::OkStatus();
    return rm::DataLoss("'", path_, "' ends before offset ", offset + n);
  }
  rm::StatusOr<std::string> Read(uint64_t offset, uint64_t n) {
    if (offset > size_ || n > size_ - offset) {
      return rm::DataLoss("'", path_, "' ends at ", size_, ", before offset ", offset, " + ", n);
    }
    std::string bytes(n, '\0');
    RAMET_RETURN_IF_ERROR(Read(offset, bytes.data(), n));
    return bytes;
  }

 private:
  std::string path_;
  std::ifstream stream_;
  uint64_t size_ = 0;
};

// The position of the central directory in the file.
struct Directory {
  uint64_t offset = 0, bytes = 0, members = 0;
};

rm::Status Damaged(const File& file, std::string_view what) {
  return rm::DataLoss("'", file.path(), "' is not a valid .npz file: ", what);
}

rm::StatusOr<Directory> FindDirectory(File& file) {
  const uint64_t tail_bytes = std::min<uint64_t>(file.size(), zip::kEndBytes + zip::kMaxComment);
  const uint64_t tail_at = file.size() - tail_bytes;
  RAMET_ASSIGN_OR_RETURN(const std::string tail, file.Read(tail_at, tail_bytes));
  if (tail.size() < zip::kEndBytes) return Damaged(file, "it is too short");
  for (size_t at = tail.size() - zip::kEndBytes;; --at) {
    if (Get<uint32_t>(tail, at) == zip::kEnd &&
        Get<uint16_t>(tail, at + 20) == tail.size() - at - zip::kEndBytes) {
      Directory found{Get<uint32_t>(tail, at + 16), Get<uint32_t>(tail, at + 12),
                      Get<uint16_t>(tail, at + 10)};
      const uint64_t end_at = tail_at + at;
      const bool in64 = found.offset == zip::kIn64 || found.bytes == zip::kIn64 ||
                        found.members == zip::kCountIn64;
      if (!in64 || end_at < zip::kLocatorBytes) return found;
      RAMET_ASSIGN_OR_RETURN(const std::string locator,
                             file.Read(end_at - zip::kLocatorBytes, zip::kLocatorBytes));
      if (Get<uint32_t>(locator, 0) != zip::kLocator64) return found;
      RAMET_ASSIGN_OR_RETURN(const std::string end64,
                             file.Read(Get<uint64_t>(locator, 8), zip::kEnd64Bytes));
      if (Get<uint32_t>(end64, 0) != zip::kEnd64) return Damaged(file, "no zip64 end record");
      return Directory{Get<uint64_t>(end64, 48), Get<uint64_t>(end64, 40),
                       Get<uint64_t>(end64, 32)};
    }
    if (at == 0) return Damaged(file, "no end record");
  }
}

// Replaces the numbers that are too big for their fields by those in the zip64 extra field. Returns
// false if some are missing.
bool TakeZip64(std::string_view extra, zip::Member* member) {
  uint64_t* const wanted[] = {&member->size, &member->compressed, &member->offset};
  while (extra.size() >= 4) {
    const uint16_t id = Get<uint16_t>(extra, 0), length = Get<uint16_t>(extra, 2);
    if (extra.size() - 4 < length) return false;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + size_t{length});
    if (id != zip::kExtra64) continue;
    for (uint64_t* number : wanted) {
      if (*number != zip::kIn64) continue;
      if (field.size() < 8) return false;
      *number = Get<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    return true;
  }
  return std::ranges::none_of(wanted, [](const uint64_t* n) { return *n == zip::kIn64; });
}

// Rejects members that share bytes of the file, which could expand it further than deflate can.
rm::Status CheckTotal(const File& file, const std::vector<zip::Member>& members) {
  uint64_t left = file.size();
  for (const zip::Member& member : members) {
    if (member.compressed > left || left - member.compressed < zip::kLocalBytes) {
      return Damaged(file, rm::StrCat("the members up to '", member.name,
                                      "' have more bytes than the file, so they overlap"));
    }
    left -= member.compressed + zip::kLocalBytes;
  }
  return rm::OkStatus();
}

rm::StatusOr<std::vector<zip::Member>> ReadDirectory(File& file) {
  RAMET_ASSIGN_OR_RETURN(const Directory directory, FindDirectory(file));
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, file.Read(directory.offset, directory.bytes));
  std::vector<zip::Member> members;
  std::string_view rest = bytes;
  for (uint64_t i = 0; i < directory.members; ++i) {
    const std::string where = rm::StrCat("directory entry ", i);
    if (rest.size() < zip::kCentralBytes || Get<uint32_t>(rest, 0) != zip::kCentral) {
      return Damaged(file, where + " is truncated or invalid");
    }
    const size_t name = Get<uint16_t>(rest, 28), extra = Get<uint16_t>(rest, 30);
    const size_t all = zip::kCentralBytes + name + extra + Get<uint16_t>(rest, 32);
    if (rest.size() < all) return Damaged(file, where + " is truncated");
    zip::Member member{std::string(rest.substr(zip::kCentralBytes, name)),
                       Get<uint16_t>(rest, 8),
                       Get<uint16_t>(rest, 10),
                       Get<uint32_t>(rest, 16),
                       Get<uint32_t>(rest, 20),
                       Get<uint32_t>(rest, 24),
                       Get<uint32_t>(rest, 42)};
    if (!TakeZip64(rest.substr(zip::kCentralBytes + name, extra), &member)) {
      return Damaged(file, where + " has no zip64 sizes");
    }
    members.push_back(std::move(member));
    rest.remove_prefix(all);
  }
  RAMET_RETURN_IF_ERROR(CheckTotal(file, members));
  return members;
}

// Reads the bytes of one member from its start to its end.
class MemberStream {
 public:
  MemberStream(File& file, const zip::Member& member) : file_(file), member_(member) {}
  ~MemberStream() {
    if (inflating_) inflateEnd(&zlib_);
  }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  rm::Status Open() {
    if (member_.flags & zip::kEncryptedFlag) {
      return rm::Unimplemented(Where(), " is encrypted; save it without a password");
    }
    if (member_.method != zip::kStored && member_.method != zip::kDeflated) {
      return rm::Unimplemented(Where(), " has compression method ", member_.method,
                               "; expected 0 (stored) or 8 (deflated)");
    }
    RAMET_ASSIGN_OR_RETURN(const std::string local, file_.Read(member_.offset, zip::kLocalBytes));
    if (Get<uint32_t>(local, 0) != zip::kLocal) return Bad("no local header");
    at_ = member_.offset + zip::kLocalBytes + Get<uint16_t>(local, 26) + Get<uint16_t>(local, 28);
    if (at_ > file_.size() || member_.compressed > file_.size() - at_) {
      return Bad("its data extends past the end of the file");
    }
    left_ = member_.compressed;
    const bool stored = member_.method == zip::kStored;
    if (stored ? member_.size != left_ : member_.size / kMaxRatio > left_) {
      return Bad(rm::StrCat(left_, " bytes cannot expand to ", member_.size));
    }
    inflating_ = !stored && inflateInit2(&zlib_, -MAX_WBITS) == Z_OK;
    return stored || inflating_ ? rm::OkStatus() : rm::ResourceExhausted("cannot initialize zlib");
  }

  // Reads the next n bytes. The member must have that many left.
  rm::Status Read(char* out, uint64_t n) {
    RAMET_RETURN_IF_ERROR(inflating_ ? Inflate(out, n) : Copy(out, n));
    for (uint64_t done = 0; done < n;) {
      const auto piece = static_cast<uInt>(std::min<uint64_t>(n - done, 1u << 30));
      crc_ = crc32(crc_, reinterpret_cast<const Bytef*>(out + done), piece);
      done += piece;
    }
    return rm::OkStatus();
  }

  // Verifies the CRC-32 after all bytes have been read.
  rm::Status CheckEnd() const {
    if (crc_ == member_.crc) return rm::OkStatus();
    return rm::DataLoss(Where(), " has the CRC-32 ", crc_, "; expected ", member_.crc);
  }
  rm::Status Bad(std::string_view what) const {
    return rm::DataLoss(Where(), " at offset ", member_.offset, ": ", what);
  }

 private:
  std::string Where() const {
    return rm::StrCat("'", file_.path(), "': member '", member_.name, "'");
  }
  rm::Status Copy(char* out, uint64_t n) {
    RAMET_RETURN_IF_ERROR(file_.Read(at_, out, n));
    at_ += n;
    return rm::OkStatus();
  }
  rm::Status Inflate(char* out, uint64_t n) {
    while (n > 0) {
      if (zlib_.avail_in == 0 && left_ > 0) {
        input_.resize(std::min<uint64_t>(left_, kPiece));
        RAMET_RETURN_IF_ERROR(file_.Read(at_, input_.data(), input_.size()));
        at_ += input_.size();
        left_ -= input_.size();
        zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
        zlib_.avail_in = static_cast<uInt>(input_.size());
      }
      const auto room = static_cast<uInt>(std::min<uint64_t>(n, 1u << 30));
      zlib_.next_out = reinterpret_cast<Bytef*>(out);
      zlib_.avail_out = room;
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      const uInt made = room - zlib_.avail_out;
      out += made;
      n -= made;
      if (n > 0 && (result != Z_OK || (made == 0 && left_ == 0 && zlib_.avail_in == 0))) {
        return Bad("its deflated data is damaged or truncated");
      }
    }
    return rm::OkStatus();
  }

  File& file_;
  const zip::Member& member_;
  uint64_t at_ = 0, left_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
  bool inflating_ = false;
  z_stream zlib_{};
  std::string input_;
};

// Opens the stream and reads the .npy header at the start of the member, leaving the stream at the
// array data.
rm::StatusOr<NpyHeader> ReadHeader(const std::string& where, const zip::Member& member,
                                   MemberStream& stream) {
  RAMET_RETURN_IF_ERROR(stream.Open());
  std::string bytes(std::min<uint64_t>(member.size, kNpyStart), '\0');
  RAMET_RETURN_IF_ERROR(stream.Read(bytes.data(), bytes.size()));
  const uint64_t end = NpyHeaderEnd(bytes);
  if (end > member.size || end > kMaxHeader || end < bytes.size()) {
    return stream.Bad("its .npy header is truncated or too long");
  }
  const size_t start = bytes.size();
  bytes.resize(end);
  RAMET_RETURN_IF_ERROR(stream.Read(bytes.data() + start, end - start));
  RAMET_ASSIGN_OR_RETURN(NpyHeader header, ParseNpyHeader(where, bytes));
  if (header.data_bytes == member.size - header.data_at) return header;
  return stream.Bad(rm::StrCat(rm::DTypeName(header.dtype), header.shape, " takes ",
                               header.data_bytes, " bytes, but the member has ",
                               member.size - header.data_at));
}

}  // namespace

class NpzReader::Impl {
 public:
  explicit Impl(File file) : file_(std::move(file)) {}

  rm::Status Start() {
    RAMET_ASSIGN_OR_RETURN(zip_, ReadDirectory(file_));
    for (size_t i = 0; i < zip_.size(); ++i) {
      MemberStream stream(file_, zip_[i]);
      const std::string suffix = ".npy";
      if (!zip_[i].name.ends_with(suffix)) return stream.Bad("it is not a .npy array");
      std::string name = zip_[i].name.substr(0, zip_[i].name.size() - suffix.size());
      if (!by_name_.emplace(name, i).second)
        return stream.Bad("the file has two members of this name");
      RAMET_ASSIGN_OR_RETURN(const NpyHeader header, ReadHeader(Where(i), zip_[i], stream));
      members_.push_back({std::move(name), header.dtype, header.shape});
    }
    return rm::OkStatus();
  }

  rm::StatusOr<rm::Tensor> Read(const std::string& name) {
    RAMET_ASSIGN_OR_RETURN(const size_t i, Find(name));
    const zip::Member& member = zip_[i];
    MemberStream stream(file_, member);
    const std::string where = Where(i);
    RAMET_ASSIGN_OR_RETURN(const NpyHeader header, ReadHeader(where, member, stream));
    RAMET_ASSIGN_OR_RETURN(rm::Tensor tensor, rm::Tensor::Allocate(header.dtype, header.shape));
    RAMET_RETURN_IF_ERROR(stream.Read(static_cast<char*>(tensor.raw_data()), tensor.bytes()));
    RAMET_RETURN_IF_ERROR(stream.CheckEnd());
    RAMET_RETURN_IF_ERROR(CheckNpyBools(where, header, tensor));
    return tensor;
  }

  rm::Status Verify(const std::string& name) {
    RAMET_ASSIGN_OR_RETURN(const size_t i, Find(name));
    MemberStream stream(file_, zip_[i]);
    RAMET_ASSIGN_OR_RETURN(NpyHeader header, ReadHeader(Where(i), zip_[i], stream));
    rm::Tensor piece(header.dtype == rm::kBool ? rm::kBool : rm::kUInt8, {int64_t{kPiece}});
    for (uint64_t left = header.data_bytes; left > 0;) {
      const uint64_t n = std::min<uint64_t>(left, kPiece);
      if (n < piece.bytes()) piece = rm::Tensor(piece.dtype(), {static_cast<int64_t>(n)});
      RAMET_RETURN_IF_ERROR(stream.Read(static_cast<char*>(piece.raw_data()), n));
      RAMET_RETURN_IF_ERROR(CheckNpyBools(Where(i), header, piece));
      header.data_at += n;
      left -= n;
    }
    return stream.CheckEnd();
  }

  const std::vector<NpzMember>& members() const { return members_; }

 private:
  rm::StatusOr<size_t> Find(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    return rm::NotFound("'", file_.path(), "' has no array '", name, "'");
  }
  std::string Where(size_t i) const { return file_.path() + ":" + zip_[i].name; }

  File file_;
  std::vector<zip::Member> zip_;
  std::vector<NpzMember> members_;
  std::unordered_map<std::string, size_t> by_name_;
};

rm::StatusOr<NpzReader> NpzReader::Open(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(File file, File::Open(path));
  auto impl = std::make_unique<Impl>(std::move(file));
  RAMET_RETURN_IF_ERROR(impl->Start());
  return NpzReader(std::move(impl));
}

NpzReader::NpzReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NpzReader::NpzReader(NpzReader&&) noexcept = default;
NpzReader::~NpzReader() = default;
const std::vector<NpzMember>& NpzReader::members() const { return impl_->members(); }
rm::Status NpzReader::Verify(const std::string& name) { return impl_->Verify(name); }
rm::StatusOr<rm::Tensor> NpzReader::Read(const std::string& name) { return impl_->Read(name); }

}  // namespace cli
