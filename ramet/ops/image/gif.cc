#include "ramet/ops/image/gif.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>

namespace ramet {
namespace {

constexpr int kGifColors = 3;

int ReadGifBytes(GifFileType* gif, GifByteType* out, int size) {
  auto* rest = static_cast<std::string_view*>(gif->UserData);
  const auto count = std::min(static_cast<size_t>(std::max(size, 0)), rest->size());
  std::memcpy(out, rest->data(), count);
  rest->remove_prefix(count);
  return static_cast<int>(count);
}

// Reads the records of a file one by one, so that no frame is allocated before it is plausible.
class GifReader {
 public:
  explicit GifReader(std::string_view data) : size_(data.size()), rest_(data) {
    gif_ = DGifOpen(&rest_, ReadGifBytes, &open_error_);
  }
  ~GifReader() {
    int error = 0;
    if (gif_ != nullptr) DGifCloseFile(gif_, &error);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;

  StatusOr<GifImage> Read(bool first_only) {
    if (gif_ == nullptr) {
      return Failed(StrCat("failed to open gif file: ", GifErrorString(open_error_)));
    }
    GifImage image;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    while (DGifGetRecordType(gif_, &type) == GIF_OK && type != TERMINATE_RECORD_TYPE) {
      if (type == EXTENSION_RECORD_TYPE && !ReadExtension()) break;
      if (type != IMAGE_DESC_RECORD_TYPE) continue;
      GifFrame frame;
      RAMET_ASSIGN_OR_RETURN(const bool whole, ReadFrame(&frame));
      if (!whole) break;
      image.height = std::max(image.height, frame.height);
      image.width = std::max(image.width, frame.width);
      if (!first_only || image.frames.empty()) image.frames.push_back(std::move(frame));
      transparent_ = NO_TRANSPARENT_COLOR;
    }
    if (image.frames.empty()) return Failed("gif file does not contain any image");
    return image;
  }

 private:
  Status Failed(std::string_view what) const {
    return InvalidArgument("Invalid GIF data (size ", size_, "), ", what);
  }

  // Reads an extension, and from it the index of the transparent color of the next frame.
  bool ReadExtension() {
    int code = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif_, &code, &block) != GIF_OK) return false;
    while (block != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE &&
          DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
        transparent_ = control.TransparentColor;
      }
      if (DGifGetExtensionNext(gif_, &block) != GIF_OK) return false;
    }
    return true;
  }

  // Returns false if the file ends within the frame.
  StatusOr<bool> ReadFrame(GifFrame* frame) {
    if (DGifGetImageDesc(gif_) != GIF_OK) return false;
    const GifImageDesc& d = gif_->Image;
    *frame = {d.Top, d.Left, d.Height, d.Width, {}, {}};
    if (frame->height < 1 || frame->width < 1) return Failed("a frame has no pixels");
    // A code of 12 bits stands for at most 4096 pixels.
    constexpr int64_t kMaxExpansion = 4096 * 8 / 12;
    if (frame->height * frame->width > kMaxExpansion * static_cast<int64_t>(size_)) {
      return Failed("a frame is larger than its data can be");
    }
    const ColorMapObject* colors = d.ColorMap != nullptr ? d.ColorMap : gif_->SColorMap;
    if (colors == nullptr) return Failed("missing color map for a frame");
    return ReadPixels(*colors, frame);
  }

  StatusOr<bool> ReadPixels(const ColorMapObject& colors, GifFrame* frame) {
    frame->colors.resize(static_cast<size_t>(frame->height * frame->width) * kGifColors);
    frame->transparent.resize(static_cast<size_t>(frame->height * frame->width));
    // Interlaced files have rows in four passes.
    static constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
    const bool interlaced = gif_->Image.Interlace;
    std::vector<GifPixelType> row(static_cast<size_t>(frame->width));
    for (int pass = 0; pass < (interlaced ? 4 : 1); ++pass) {
      for (int64_t y = interlaced ? kFirst[pass] : 0; y < frame->height;
           y += interlaced ? kStep[pass] : 1) {
        if (DGifGetLine(gif_, row.data(), static_cast<int>(frame->width)) != GIF_OK) return false;
        RAMET_RETURN_IF_ERROR(SetRow(colors, row, y, frame));
      }
    }
    return true;
  }

  Status SetRow(const ColorMapObject& colors, const std::vector<GifPixelType>& row, int64_t y,
                GifFrame* frame) const {
    for (int64_t x = 0; x < frame->width; ++x) {
      const size_t at = static_cast<size_t>(y * frame->width + x);
      const int index = row[static_cast<size_t>(x)];
      frame->transparent[at] = index == transparent_;
      if (frame->transparent[at]) continue;
      if (index >= colors.ColorCount) {
        return Failed(
            StrCat("found color index ", index, " outside of color map range ", colors.ColorCount));
      }
      const GifColorType& color = colors.Colors[index];
      const uint8_t channels[] = {color.Red, color.Green, color.Blue};
      std::copy_n(channels, kGifColors, &frame->colors[at * kGifColors]);
    }
    return OkStatus();
  }

  const size_t size_;
  std::string_view rest_;
  GifFileType* gif_ = nullptr;
  int open_error_ = 0;
  int transparent_ = NO_TRANSPARENT_COLOR;
};

}  // namespace

void GifImage::Draw(size_t i, const uint8_t* previous, uint8_t* pixels) const {
  const GifFrame& frame = frames[i];
  const size_t bytes = static_cast<size_t>(height * width) * kGifColors;
  previous == nullptr ? void(std::memset(pixels, 0, bytes))
                      : void(std::memcpy(pixels, previous, bytes));
  const int64_t bottom = std::min(frame.top + frame.height, height);
  const int64_t right = std::min(frame.left + frame.width, width);
  for (int64_t y = frame.top; y < bottom; ++y) {
    for (int64_t x = frame.left; x < right; ++x) {
      const size_t at = static_cast<size_t>((y - frame.top) * frame.width + x - frame.left);
      if (frame.transparent[at]) continue;
      std::copy_n(&frame.colors[at * kGifColors], kGifColors,
                  pixels + (y * width + x) * kGifColors);
    }
  }
}

StatusOr<GifImage> ReadGif(std::string_view data, bool first_only) {
  return GifReader(data).Read(first_only);
}

}  // namespace ramet
