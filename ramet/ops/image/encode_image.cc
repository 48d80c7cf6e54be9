#include <limits>

#include "ramet/ops/image/jpeg.h"
#include "ramet/ops/image/png.h"
#include "ramet/ops/image/resize.h"

// Encoding images as files.

namespace ramet {
namespace {

class EncodePngKernel final : public Kernel {
 public:
  explicit EncodePngKernel(int compression) : compression_(compression) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const int64_t level = node.attrs->GetOr("compression", int64_t{-1});
    if (level < -1 || level > 9) {
      return InvalidArgument("compression should be in [-1,9], got ", level);
    }
    return std::unique_ptr<Kernel>(std::make_unique<EncodePngKernel>(static_cast<int>(level)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(0);
    if (images.rank() < 3) {
      return InvalidArgument("images must be at least rank 3", images.shape());
    }
    const int rank = images.rank();
    const int64_t channels = images.dim(rank - 1);
    if (channels < 1 || channels > 4) {
      return InvalidArgument("image must have 1, 2, 3, or 4 channels, got ", channels);
    }
    PngImage image{images.raw_data(), images.dim(rank - 3), images.dim(rank - 2),
                   static_cast<int>(channels)};
    image.bits = images.dtype() == DType::kUInt16 ? 16 : 8;
    image.compression = compression_;
    RAMET_ASSIGN_OR_RETURN(Tensor * y,
                           c.Allocate(0, DType::kString, images.shape().Slice(0, rank - 3)));
    const size_t bytes = y->num_elements() == 0 ? 0 : images.bytes() / y->num_elements();
    for (int64_t i = 0; i < y->num_elements(); ++i) {
      image.pixels = static_cast<const char*>(images.raw_data()) + i * bytes;
      auto png = EncodePng(image);
      if (!png.ok()) {
        return Internal("PNG encoding failed at the following flattened batch indices: ", i, "\n",
                        png.status().message());
      }
      y->mutable_data<std::string>()[i] = *std::move(png);
    }
    return OkStatus();
  }

 private:
  const int compression_;
};

Status CheckJpegImage(const Tensor& image, std::string_view format) {
  if (image.rank() != 3) return InvalidArgument("image must be 3-dimensional", image.shape());
  const int64_t channels = image.dim(2), expected = format == "grayscale" ? 1 : 3;
  if (format.empty()) {
    if (channels == 1 || channels == 3) return OkStatus();
    return InvalidArgument("image must have 1 or 3 channels, got ", image.shape());
  }
  if (channels == expected) return OkStatus();
  return InvalidArgument("format ", format, " expects ", expected, " channels, got ",
                         image.shape());
}

Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return OkStatus();
  return InvalidArgument("quality must be in [0,100], got ", quality);
}

Status SetJpeg(KernelContext& c, const JpegEncodeOptions& options) {
  const Tensor& image = c.input(0);
  const ImageSize size{image.dim(0), image.dim(1), static_cast<int>(image.dim(2))};
  auto jpeg = EncodeJpeg(image.data<uint8_t>(), size, options);
  if (!jpeg.ok()) return Internal(jpeg.status().message());
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape()));
  *y->mutable_data<std::string>() = *std::move(jpeg);
  return OkStatus();
}

class EncodeJpegKernel final : public Kernel {
 public:
  EncodeJpegKernel(std::string format, JpegEncodeOptions options)
      : format_(std::move(format)), options_(std::move(options)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const AttrMap& attrs = *node.attrs;
    JpegEncodeOptions options;
    const int64_t quality = attrs.GetOr("quality", int64_t{95});
    RAMET_RETURN_IF_ERROR(CheckQuality(quality));
    options.quality = static_cast<int>(quality);
    options.progressive = attrs.GetOr("progressive", false);
    options.optimize_size = attrs.GetOr("optimize_size", false);
    options.chroma_downsampling = attrs.GetOr("chroma_downsampling", true);
    options.density_unit = attrs.GetOr<std::string>("density_unit", "in") == "cm" ? 2 : 1;
    options.x_density = static_cast<int>(attrs.GetOr("x_density", int64_t{300}));
    options.y_density = static_cast<int>(attrs.GetOr("y_density", int64_t{300}));
    options.xmp_metadata = attrs.GetOr<std::string>("xmp_metadata", "");
    return std::unique_ptr<Kernel>(std::make_unique<EncodeJpegKernel>(
        attrs.GetOr<std::string>("format", ""), std::move(options)));
  }
  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(CheckJpegImage(c.input(0), format_));
    return SetJpeg(c, options_);
  }

 private:
  const std::string format_;
  const JpegEncodeOptions options_;
};

Status EncodeJpegVariableQuality(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckJpegImage(c.input(0), ""));
  const Tensor& quality = c.input(1);
  if (quality.rank() != 0) return InvalidArgument("quality must be scalar: ", quality.shape());
  RAMET_RETURN_IF_ERROR(CheckQuality(quality.scalar<int32_t>()));
  JpegEncodeOptions options;
  options.quality = quality.scalar<int32_t>();
  return SetJpeg(c, options);
}

Status EncodedPngShape(ShapeContext& c) {
  if (c.input(0).unknown_rank()) return UnknownShape(c);
  RAMET_ASSIGN_OR_RETURN(const Shape images, c.WithRankAtLeast(0, 3));
  c.set_output(0, images.Slice(0, images.rank() - 3));
  return OkStatus();
}

Status EncodedJpegShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 3).status());
  return ScalarShape(c);
}

RAMET_OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = uint8")
    .Doc(
        "Returns images [..., height, width, channels] as PNG files. There are 1 (gray), 2 (gray "
        "and alpha), 3 (RGB) or 4 (RGB and alpha) channels. `compression` is zlib's level, 0 to 9, "
        "or -1 for its default. Error: the rank is less than 3; the number of channels or the "
        "level is different; a side is 0 (kInternal).")
    .HostMemory({"contents"})
    .Shape(EncodedPngShape)
    .CpuKernelClass<EncodePngKernel>();

RAMET_OP("EncodeJpeg")
    .Input("image: uint8")
    .Output("contents: string")
    .Attr("format: {'', 'grayscale', 'rgb'} = ''")
    .Attr("quality: int = 95")
    .Attr("progressive: bool = false")
    .Attr("optimize_size: bool = false")
    .Attr("chroma_downsampling: bool = true")
    .Attr("density_unit: {'in', 'cm'} = 'in'")
    .Attr("x_density: int = 300")
    .Attr("y_density: int = 300")
    .Attr("xmp_metadata: string = ''")
    .Doc(
        "Returns an image [height, width, channels] as a JPEG file. There are 1 (gray) or 3 (RGB) "
        "channels, as `format` says if it is not empty. `quality` is 0 to 100. The densities are "
        "pixels per density_unit, which the file contains for readers. Error: a shape or the "
        "quality is different; a side is 0 or above 65500 (kInternal).")
    .HostMemory({"contents"})
    .Shape(EncodedJpegShape)
    .CpuKernelClass<EncodeJpegKernel>();

RAMET_OP("EncodeJpegVariableQuality")
    .Input("images: uint8")
    .Input("quality: int32")
    .Output("contents: string")
    .Doc(
        "Returns an image [height, width, channels] of 1 (gray) or 3 (RGB) channels as a JPEG "
        "file. `quality` is a scalar, 0 to 100. Error: a shape or the quality is different; a side "
        "is 0 or above 65500 (kInternal).")
    .HostMemory({"quality", "contents"})
    .Shape(EncodedJpegShape)
    .CpuKernel(EncodeJpegVariableQuality);

}  // namespace
}  // namespace ramet
