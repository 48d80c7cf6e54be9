#include "ramet/format/checksummed_io.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "ramet/base/crc32c.h"
#include "ramet/base/mutex.h"

namespace ramet {
namespace {

// Small enough to still be in the cache when its checksum is computed.
constexpr size_t kChunkBytes = 256 << 10;
// A unit of work for one of two threads. Smaller ones would have more checksums to combine.
constexpr size_t kPieceBytes = 512 << 10;
// Below this, waking a thread costs more than it saves (ramet_bench ramet/checkpoint_save/*).
constexpr size_t kParallelBytes = 1 << 20;

// Distributes the pieces of some data to two threads.
class PieceWork {
 public:
  explicit PieceWork(std::string_view data)
      : data_(data), sums_((data.size() + kPieceBytes - 1) / kPieceBytes) {}

  // Processes pieces until none is left: calls fill(offset, bytes) for each, then computes its
  // checksum.
  template <class Fill>
  void Run(Fill fill) {
    for (size_t i; (i = next_.fetch_add(1)) < sums_.size();) {
      const std::string_view piece = Piece(i);
      Status filled = fill(i * kPieceBytes, piece.size());
      if (!filled.ok()) return Stop(std::move(filled));
      sums_[i] = crc32c::Value(piece);
    }
  }
  void Stop(Status why) {
    next_ = sums_.size();
    MutexLock lock(mutex_);
    status_.Update(std::move(why));
  }

  // Called after both threads are done.
  Status Finish(uint32_t* crc) {
    MutexLock lock(mutex_);
    RAMET_RETURN_IF_ERROR(status_);
    for (size_t i = 0; i < sums_.size(); ++i) {
      *crc = crc32c::Concat(*crc, sums_[i], Piece(i).size());
    }
    return OkStatus();
  }

 private:
  std::string_view Piece(size_t i) const { return data_.substr(i * kPieceBytes, kPieceBytes); }

  const std::string_view data_;
  std::vector<uint32_t> sums_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  Status status_ RAMET_GUARDED_BY(mutex_);
};

Status ReadChunks(const RandomAccessFile& file, uint64_t offset, std::span<char> out,
                  uint32_t* crc) {
  for (size_t done = 0; done < out.size();) {
    const size_t n = std::min(kChunkBytes, out.size() - done);
    RAMET_RETURN_IF_ERROR(file.Read(offset + done, out.subspan(done, n)));
    *crc = crc32c::Extend(*crc, out.data() + done, n);
    done += n;
  }
  return OkStatus();
}

Status AppendChunks(std::string_view data, WritableFile* file, uint32_t* crc) {
  for (size_t done = 0; done < data.size(); done += kChunkBytes) {
    const std::string_view chunk = data.substr(done, kChunkBytes);
    *crc = crc32c::Extend(*crc, chunk.data(), chunk.size());
    RAMET_RETURN_IF_ERROR(file->Append(chunk));
  }
  return OkStatus();
}

}  // namespace

Status AppendChecksummed(std::string_view data, WritableFile* file, uint32_t* crc,
                         SideThread* side) {
  if (side == nullptr || data.size() < kParallelBytes) return AppendChunks(data, file, crc);
  PieceWork work(data);
  const auto nothing = [](size_t, size_t) { return OkStatus(); };
  side->Start([&] { work.Run(nothing); });
  if (Status written = file->Append(data); !written.ok()) work.Stop(std::move(written));
  work.Run(nothing);
  side->Finish();
  return work.Finish(crc);
}

Status ReadChecksummed(const RandomAccessFile& file, uint64_t offset, std::span<char> out,
                       uint32_t* crc, SideThread* side) {
  if (side == nullptr || out.size() < kParallelBytes) return ReadChunks(file, offset, out, crc);
  PieceWork work({out.data(), out.size()});
  const auto read = [&](size_t at, size_t n) { return file.Read(offset + at, out.subspan(at, n)); };
  side->Start([&] { work.Run(read); });
  work.Run(read);
  side->Finish();
  return work.Finish(crc);
}

}  // namespace ramet
