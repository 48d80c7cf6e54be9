#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "ramet/ops/image/bmp.h"
#include "ramet/ops/image/gif.h"
#include "ramet/ops/image/jpeg.h"
#include "ramet/ops/image/resize.h"

// Decoding images from files.

namespace ramet {
namespace {

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp };

struct FormatNames {
  ImageFormat format;
  std::string_view magic, name, function;
};

constexpr FormatNames kImageFormats[] = {
    {ImageFormat::kJpeg, "\xff\xd8\xff", "JPEG", "decode_jpeg"},
    {ImageFormat::kPng, "\x89PNG\r\n\x1a\n", "PNG", "decode_png"},
    {ImageFormat::kGif, "GIF8", "GIF", "decode_gif"},
    {ImageFormat::kBmp, "BM", "BMP", "decode_bmp"}};

const FormatNames* FormatOf(std::string_view data) {
  for (const FormatNames& format : kImageFormats) {
    if (data.starts_with(format.magic)) return &format;
  }
  return nullptr;
}

// The ops that decode images, which accept each other's formats as far as these fit their outputs.
enum class DecodeOp { kPng, kJpeg, kCropJpeg, kGif, kBmp, kImage };

struct DecodeMode {
  static StatusOr<DecodeMode> Of(const KernelNode& node);

  DecodeOp op = DecodeOp::kImage;
  std::string name;
  JpegDecodeOptions jpeg;
  int channels = 0;
  DType dtype = DType::kUInt8;
  bool animations = true;
};

StatusOr<DecodeOp> DecodeOpNamed(std::string_view name) {
  constexpr std::pair<std::string_view, DecodeOp> kOps[] = {
      {"DecodePng", DecodeOp::kPng}, {"DecodeJpeg", DecodeOp::kJpeg},
      {"DecodeGif", DecodeOp::kGif}, {"DecodeAndCropJpeg", DecodeOp::kCropJpeg},
      {"DecodeBmp", DecodeOp::kBmp}, {"DecodeImage", DecodeOp::kImage}};
  for (const auto& [known, op] : kOps) {
    if (name == known) return op;
  }
  return Internal("Bad op type ", name);
}

Status ReadJpegAttrs(const AttrMap& attrs, JpegDecodeOptions* jpeg) {
  jpeg->ratio = static_cast<int>(attrs.GetOr("ratio", int64_t{1}));
  constexpr int kRatios[] = {1, 2, 4, 8};
  if (std::ranges::find(kRatios, jpeg->ratio) == std::end(kRatios)) {
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", jpeg->ratio);
  }
  jpeg->fancy_upscaling = attrs.GetOr("fancy_upscaling", true);
  jpeg->recover_truncated = attrs.GetOr("try_recover_truncated", false);
  jpeg->least_fraction = attrs.GetOr("acceptable_fraction", 1.0f);
  const std::string dct = attrs.GetOr<std::string>("dct_method", "");
  if (dct != "" && dct != "INTEGER_FAST" && dct != "INTEGER_ACCURATE") {
    return InvalidArgument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
  }
  jpeg->accurate_dct = dct == "INTEGER_ACCURATE";
  return OkStatus();
}

StatusOr<DecodeMode> DecodeMode::Of(const KernelNode& node) {
  DecodeMode mode;
  RAMET_ASSIGN_OR_RETURN(mode.op, DecodeOpNamed(node.op));
  mode.name = node.op;
  const AttrMap& attrs = *node.attrs;
  mode.channels =
      mode.op == DecodeOp::kGif ? 3 : static_cast<int>(attrs.GetOr("channels", int64_t{0}));
  if (mode.channels < 0 || mode.channels == 2 || mode.channels > 4) {
    return InvalidArgument("`channels` must be 0, 1, 3 or 4 but got ", mode.channels);
  }
  mode.dtype = attrs.GetOr("dtype", DType::kUInt8);
  mode.animations = mode.op == DecodeOp::kGif || attrs.GetOr("expand_animations", true);
  RAMET_RETURN_IF_ERROR(ReadJpegAttrs(attrs, &mode.jpeg));
  return mode;
}

// Checks that the op may decode files of a format.
Status CheckFormat(const DecodeMode& mode, const FormatNames& format) {
  if (mode.op == DecodeOp::kCropJpeg && format.format != ImageFormat::kJpeg) {
    return InvalidArgument("DecodeAndCropJpeg operation can run on JPEG only, but detected ",
                           format.name, ".");
  }
  if (mode.op == DecodeOp::kBmp && format.format != ImageFormat::kBmp) {
    return InvalidArgument("Trying to decode ", format.name, " format using DecodeBmp op. Use `",
                           format.function, "` or `decode_image` instead.");
  }
  if (format.format == ImageFormat::kBmp && mode.op != DecodeOp::kBmp &&
      mode.op != DecodeOp::kImage) {
    return InvalidArgument(
        "Trying to decode BMP format using a wrong op. Use `decode_bmp` or "
        "`decode_image` instead. Op used: ",
        mode.name);
  }
  return OkStatus();
}

// One run of a decoding op: allocates the output, and fills it with pixels.
class Decoding {
 public:
  Decoding(KernelContext& c, const DecodeMode& mode, std::string_view data)
      : c_(c), mode_(mode), data_(data) {}

  Status Jpeg() {
    if (mode_.channels == 4) return InvalidArgument("JPEG does not support 4 channels");
    JpegDecodeOptions options = mode_.jpeg;
    options.channels = mode_.channels;
    if (mode_.op == DecodeOp::kCropJpeg) {
      RAMET_ASSIGN_OR_RETURN(options.window, ReadWindow());
    }
    JpegDecoder decoder;
    RAMET_RETURN_IF_ERROR(decoder.Open(data_, options));
    return Fill(decoder.size(), [&](uint8_t* pixels) { return decoder.Read(pixels); });
  }

  Status Png() {
    const bool wide = mode_.dtype != DType::kUInt8;
    PngDecoder decoder;
    RAMET_RETURN_IF_ERROR(decoder.Open(data_, mode_.channels, wide ? 16 : 8));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, Allocate(decoder.size()));
    if (mode_.dtype != DType::kFloat) return decoder.Read(y->raw_data());
    RAMET_ASSIGN_OR_RETURN(Tensor numbers, c_.AllocateTemp(DType::kUInt16, y->shape()));
    RAMET_RETURN_IF_ERROR(decoder.Read(numbers.raw_data()));
    std::ranges::transform(numbers.flat<uint16_t>(), y->mutable_data<float>(),
                           [](uint16_t v) { return static_cast<float>(v) * (1.0f / 65535); });
    return OkStatus();
  }

  Status Bmp() {
    if (mode_.channels == 1) {
      return InvalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
    }
    RAMET_ASSIGN_OR_RETURN(const BmpHeader header, ReadBmpHeader(data_));
    if (mode_.channels != 0 && header.channels == 1) {
      return InvalidArgument("channels attribute ", mode_.channels,
                             " does not match bits per pixel from file ", header.channels);
    }
    const int channels = mode_.channels != 0 ? mode_.channels : header.channels;
    return Fill({header.height, header.width, channels}, [&](uint8_t* pixels) {
      ReadBmpPixels(data_, header, channels, pixels);
      return OkStatus();
    });
  }

  Status Gif() {
    if (mode_.channels != 0 && mode_.channels != 3) {
      return InvalidArgument("channels must be 0 or 3 for GIF, got ", mode_.channels);
    }
    RAMET_ASSIGN_OR_RETURN(const GifImage gif, ReadGif(data_, !mode_.animations));
    const bool several = mode_.op == DecodeOp::kGif || mode_.op == DecodeOp::kImage;
    if (!several && gif.frames.size() > 1) {
      return InvalidArgument("Got ", gif.frames.size(),
                             " frames, but animated gifs can only be decoded by "
                             "tf.io.decode_gif or tf.io.decode_image");
    }
    frames_ = several && mode_.animations ? std::ssize(gif.frames) : -1;
    return Fill({gif.height, gif.width, 3}, [&](uint8_t* pixels) {
      const uint8_t* previous = nullptr;
      for (size_t i = 0; i < gif.frames.size(); ++i, pixels += gif.height * gif.width * 3) {
        gif.Draw(i, previous, pixels);
        previous = pixels;
      }
      return OkStatus();
    });
  }

 private:
  StatusOr<ImageWindow> ReadWindow() const {
    const Tensor& window = c_.input(1);
    if (window.rank() != 1) {
      return InvalidArgument("crop_window must be 1-D, got shape ", window.shape());
    }
    if (window.dim(0) != 4) {
      return InvalidArgument("crop_size must have four elements ", window.shape());
    }
    const int32_t* sides = window.data<int32_t>();
    return ImageWindow{sides[0], sides[1], sides[2], sides[3]};
  }

  StatusOr<Tensor*> Allocate(const ImageSize& size) {
    Shape shape{size.height, size.width, size.channels};
    if (frames_ >= 0) shape = Shape{frames_}.Concatenate(shape);
    if (frames_ < 0 && mode_.op == DecodeOp::kGif) shape = Shape{1}.Concatenate(shape);
    return c_.Allocate(0, mode_.dtype, shape);
  }

  // Sets the output to numbers of 8 bits that read(pixels) reads, widened to the dtype.
  template <class Read>
  Status Fill(const ImageSize& size, Read read) {
    RAMET_ASSIGN_OR_RETURN(Tensor * y, Allocate(size));
    if (mode_.dtype == DType::kUInt8) return read(y->mutable_data<uint8_t>());
    RAMET_ASSIGN_OR_RETURN(Tensor narrow, c_.AllocateTemp(DType::kUInt8, y->shape()));
    RAMET_RETURN_IF_ERROR(read(narrow.mutable_data<uint8_t>()));
    const auto bytes = narrow.flat<uint8_t>();
    if (mode_.dtype == DType::kUInt16) {
      std::ranges::transform(bytes, y->mutable_data<uint16_t>(),
                             [](uint8_t v) { return static_cast<uint16_t>(v * 256); });
    } else {
      std::ranges::transform(bytes, y->mutable_data<float>(),
                             [](uint8_t v) { return static_cast<float>(v) * (1.0f / 255); });
    }
    return OkStatus();
  }

  KernelContext& c_;
  const DecodeMode& mode_;
  const std::string_view data_;
  int64_t frames_ = -1;
};

class DecodeKernel final : public Kernel {
 public:
  explicit DecodeKernel(DecodeMode mode) : mode_(std::move(mode)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DecodeMode mode, DecodeMode::Of(node));
    return std::unique_ptr<Kernel>(std::make_unique<DecodeKernel>(std::move(mode)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& contents = c.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("`contents` must be scalar but got shape", contents.shape());
    }
    const std::string& data = contents.scalar<std::string>();
    if (data.empty()) return InvalidArgument("Input is empty.");
    const FormatNames* format = FormatOf(data);
    if (format == nullptr) {
      return InvalidArgument(
          "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP "
          "required.\nJPEG XL and WebP are not supported");
    }
    RAMET_RETURN_IF_ERROR(CheckFormat(mode_, *format));
    Decoding decoding(c, mode_, data);
    switch (format->format) {
      case ImageFormat::kJpeg: return decoding.Jpeg();
      case ImageFormat::kPng: return decoding.Png();
      case ImageFormat::kGif: return decoding.Gif();
      default: return decoding.Bmp();
    }
  }

 private:
  const DecodeMode mode_;
};

template <class T>
Status ExtractJpegShape(KernelContext& c) {
  const Tensor& contents = c.input(0);
  if (contents.rank() != 0) {
    return InvalidArgument("contents must be scalar, got shape ", contents.shape());
  }
  RAMET_ASSIGN_OR_RETURN(const ImageSize size, ReadJpegSize(contents.scalar<std::string>()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, Shape{3}));
  T* sides = y->mutable_data<T>();
  sides[0] = static_cast<T>(size.height);
  sides[1] = static_cast<T>(size.width);
  sides[2] = static_cast<T>(size.channels);
  return OkStatus();
}

// Returns the number of channels that the attr gives, or unknown.
StatusOr<int64_t> ChannelsAttr(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  const int64_t channels = c.attrs().GetOr("channels", int64_t{0});
  if (channels < 0) return InvalidArgument("channels must be non-negative, got ", channels);
  return channels == 0 ? Shape::kUnknownDim : channels;
}

Status DecodedShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t channels, ChannelsAttr(c));
  c.set_output(0, Shape{Shape::kUnknownDim, Shape::kUnknownDim, channels});
  return OkStatus();
}

Status DecodedAndCroppedShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t channels, ChannelsAttr(c));
  Shape image{Shape::kUnknownDim, Shape::kUnknownDim, channels};
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const Tensor* window = c.constant(1);
  for (const int i : {0, 1}) {
    if (window != nullptr && window->num_elements() == 4) {
      image.set_dim(i, std::max<int64_t>(window->data<int32_t>()[2 + i], Shape::kUnknownDim));
    }
  }
  c.set_output(0, std::move(image));
  return OkStatus();
}

Status DecodedGifShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, Shape{Shape::kUnknownDim, Shape::kUnknownDim, Shape::kUnknownDim, 3});
  return OkStatus();
}

Status DecodedImageShape(ShapeContext& c) {
  if (c.attrs().GetOr("expand_animations", true)) {
    RAMET_RETURN_IF_ERROR(ChannelsAttr(c).status());
    c.set_output(0, Shape::Unknown());
    return OkStatus();
  }
  return DecodedShape(c);
}

Status JpegShapeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, Shape{3});
  return OkStatus();
}

#define RAMET_DECODE_JPEG_ATTRS                    \
  Attr("channels: int = 0")                        \
      .Attr("ratio: int = 1")                      \
      .Attr("fancy_upscaling: bool = true")        \
      .Attr("try_recover_truncated: bool = false") \
      .Attr("acceptable_fraction: float = 1")      \
      .Attr("dct_method: string = ''")

RAMET_OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = uint8")
    .Doc(
        "Decodes the bytes of a PNG file to an image [height, width, channels]. `channels` is 1 "
        "(gray), 3 (RGB), 4 (RGB and alpha), or 0 for that of the file. JPEG files and GIF files "
        "with one frame are decoded, too. Error: the file is damaged, or its image has more "
        "pixels than its bytes can hold or 2^29 or more; the channels do not fit the format.")
    .HostMemory({"contents"})
    .Shape(DecodedShape)
    .CpuKernelClass<DecodeKernel>();

RAMET_OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .RAMET_DECODE_JPEG_ATTRS
    .Doc(
        "Decodes the bytes of a JPEG file to an image [height, width, channels]. `channels` is 1 "
        "(gray), 3 (RGB), or 0 for that of the file. `ratio` (1, 2, 4 or 8) makes it smaller. "
        "dct_method is 'INTEGER_ACCURATE' or 'INTEGER_FAST', the default. fancy_upscaling "
        "interpolates colors. A truncated file is accepted if it has the fraction "
        "acceptable_fraction of the rows; the others are black. With try_recover_truncated, they "
        "are copies of the last one. PNG files and GIF files with one frame are decoded, too. "
        "Error: the file is damaged, or its image has more pixels than its bytes can hold or 2^29 "
        "or more numbers; an attr is different.")
    .HostMemory({"contents"})
    .Shape(DecodedShape)
    .CpuKernelClass<DecodeKernel>();

RAMET_OP("DecodeAndCropJpeg")
    .Input("contents: string")
    .Input("crop_window: int32")
    .Output("image: uint8")
    .RAMET_DECODE_JPEG_ATTRS
    .Doc(
        "Decodes a part of a JPEG file as DecodeJpeg does. crop_window is y, x, height and width "
        "of the part. Error: those of DecodeJpeg; the part is not in the image.")
    .HostMemory({"contents", "crop_window"})
    .Shape(DecodedAndCroppedShape)
    .CpuKernelClass<DecodeKernel>();

RAMET_OP("DecodeGif")
    .Input("contents: string")
    .Output("image: uint8")
    .Doc(
        "Decodes the bytes of a GIF file to frames [count, height, width, 3] in RGB. PNG and JPEG "
        "files are decoded to one frame. Error: the file is damaged, or a frame has more pixels "
        "than its bytes can hold.")
    .HostMemory({"contents"})
    .Shape(DecodedGifShape)
    .CpuKernelClass<DecodeKernel>();

RAMET_OP("DecodeBmp")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Doc(
        "Decodes the bytes of a BMP file without compression to an image [height, width, "
        "channels]. `channels` is 3 (RGB), 4 (RGB and alpha), or 0 for that of the file. Error: "
        "the file is damaged, or of a different format.")
    .HostMemory({"contents"})
    .Shape(DecodedShape)
    .CpuKernelClass<DecodeKernel>();

RAMET_OP("DecodeImage")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16, float32} = uint8")
    .Attr("expand_animations: bool = true")
    .Doc(
        "Decodes the bytes of a BMP, GIF, JPEG or PNG file to an image [height, width, channels], "
        "or, for GIF files, frames [count, height, width, 3]. Without expand_animations, only the "
        "first frame is returned. Floats are in 0..1. Error: those of DecodeBmp, DecodeGif, "
        "DecodeJpeg and DecodePng.")
    .HostMemory({"contents"})
    .Shape(DecodedImageShape)
    .CpuKernelClass<DecodeKernel>();

#undef RAMET_DECODE_JPEG_ATTRS

RAMET_OP("ExtractJpegShape")
    .Input("contents: string")
    .Output("image_shape: output_type")
    .Attr("output_type: {int32, int64} = int32")
    .Doc(
        "Returns height, width and channels of the image in a JPEG file, without decoding it. "
        "Error: the file is not JPEG.")
    .HostMemory({"contents", "image_shape"})
    .Shape(JpegShapeShape)
    .CpuKernels<int32_t, int64_t>([]<class T>(KernelContext& c) { return ExtractJpegShape<T>(c); },
                                  "output_type");

}  // namespace
}  // namespace ramet
