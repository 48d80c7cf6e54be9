"""Permanent differences from TensorFlow that differential.py finds, with the reasons.

An entry is (ops, kind, pattern, reason). The ops are space-separated names, and '*' stands for every op. The
pattern is searched for in differential.py's description of the difference: TensorFlow's and Ramet's errors or
shapes, or the difference of a value.
"""

import re

POOLS = ('AvgPool AvgPoolGrad MaxPool MaxPoolV2 MaxPoolGrad MaxPoolGradV2 MaxPoolGradGrad '
         'MaxPoolGradGradV2 MaxPoolWithArgmax MaxPool3D MaxPool3DGrad MaxPool3DGradGrad AvgPool3D '
         'AvgPool3DGrad')
CONVOLUTIONS = ('Conv2D Conv2DBackpropInput Conv2DBackpropFilter DepthwiseConv2dNative '
                'DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter Conv3D '
                'Conv3DBackpropInputV2 Conv3DBackpropFilterV2')
NORMS = 'FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3'
NORM_GRADS = 'FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3'
LAYERS = f'{POOLS} {CONVOLUTIONS} {NORMS} {NORM_GRADS} BiasAdd SpaceToDepth DepthToSpace'
DIAGONALS = ('MatrixDiagV2 MatrixDiagV3 MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiag '
             'MatrixSetDiagV2 MatrixSetDiagV3')
BLOCKS = 'SpaceToBatch SpaceToBatchND BatchToSpace BatchToSpaceND'
INTEGER_DIVISIONS = 'TruncateDiv TruncateMod FloorDiv FloorMod Div Mod'

QUANTIZED_POOLS = 'QuantizedMaxPool QuantizedAvgPool'
STATELESS = ('StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformV2 '
             'StatelessRandomNormalV2 StatelessTruncatedNormalV2 StatelessRandomGammaV3')
SPARSE_SEGMENTS = ('SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad '
                   'SparseSegmentSumGradV2 SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2')
UNSORTED_SEGMENTS = ('UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentSum '
                     'UnsortedSegmentProd')
DECOMPOSITIONS = ('Svd CholeskyGrad Cholesky MatrixInverse SelfAdjointEigV2 Qr Lu MatrixSolve '
                  'MatrixTriangularSolve MatrixSolveLs LogMatrixDeterminant MatrixDeterminant '
                  'MatrixSquareRoot TridiagonalSolve')
REAL_TRANSFORMS = 'RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D'
# A threshold of SparseAdd whose dtype is not that of T, or of the parts of a complex T.
OTHER_THRESHOLDS = (r'T=(?!complex)(\w+), Treal=(?!\1\b)|T=complex64, Treal=(?!float32)'
                    r'|T=complex128, Treal=(?!float64)')

KNOWN = [
    ('*', 'sharp', '', 'Ramet infers more of a static shape'),
    ('*', 'phase', '', 'both refuse, one when the graph is built and the other when it runs'),

    (LAYERS, 'accepts', 'NHWC|NDHWC', 'Ramet has CPU kernels for the layouts NCHW and NCDHW'),
    (LAYERS, 'class', 'NHWC|NDHWC', 'Ramet has CPU kernels for these layouts; another check fails'),
    (CONVOLUTIONS, 'accepts', 'equal length strides|dilation rates',
     'Ramet has CPU kernels for these strides and dilations'),
    (CONVOLUTIONS, 'refuses', 'Dilation rate must be', 'TensorFlow ignores a dilation of 0'),
    (CONVOLUTIONS, 'class', 'strides in the batch and depth|batch and depth dimensions',
     'strides of dimensions that cannot have one: InvalidArgument or Unimplemented'),
    (POOLS, 'class', 'not yet supported on the batch|Stride must',
     'windows with two faults: the first that is found is reported'),
    (POOLS, 'refuses', 'Expected grad shape',
     'TensorFlow reads beyond a gradient of another shape'),
    (POOLS, 'refuses', 'must be a vector', 'TensorFlow takes a matrix for a vector of strides'),
    ('MaxPoolGrad MaxPoolGradV2 MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGrad MaxPool3DGradGrad',
     'value', '', 'orig_output is not the pooled orig_input: the position of the maximum is open'),

    (NORMS, 'value', r'op:[34] ', 'TensorFlow leaves the reserved outputs unset in inference'),
    (NORMS, 'shape', r'op:5', 'the reserved output of V3, which only gradients read'),
    (NORMS, 'refuses', '4-dimensional', 'TensorFlow takes 5-D inputs in V1 and V2 by accident'),
    (NORMS, 'value', r'op:1 .*odd input', 'a mean of huge elements that cancel, in another order'),
    (NORM_GRADS, 'value', '', 'NaN where TensorFlow leaves an infinite factor out'),
    (NORM_GRADS, 'shape', r'op:[34]', 'the unused outputs are scalars or empty'),
    (NORM_GRADS, 'vague', '', 'the unused outputs are scalars or empty'),
    ('Svd SelfAdjointEigV2', 'shape', 'op:.*compute_u?v=False',
     'outputs that compute_uv=False or compute_v=False leaves out have no elements in Ramet'),
    ('Dilation2D', 'shape', 'op:0', 'a filter without elements'),
    ('Unique UniqueWithCounts ListDiff', 'shape', 'op:0 b?float16',
     'TensorFlow takes 0 and -0 of half and bfloat16 for different values'),
    ('Unique UniqueWithCounts ListDiff', 'value', 'b?float16',
     'TensorFlow takes 0 and -0 of half and bfloat16 for different values'),

    ('Erf', 'value', 'nan', "TensorFlow's erf of large doubles is NaN, Ramet's is 1 or -1"),
    ('Round', 'value', 'int32|int64', 'TensorFlow rounds integers to 0, Ramet leaves them'),
    ('Polygamma Zeta Igamma Igammac Betainc IgammaGradA', 'value', 'nan|inf',
     'special functions at their poles and outside of their domain'),
    ('*', 'value', r'complex\d+\(.*(nan|inf)', 'complex numbers with NaN or infinite parts'),
    (DECOMPOSITIONS, 'value', 'nan|inf|odd input',
     'decompositions of matrices with NaN, infinite, huge or tiny elements'),
    ('LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2 GRUBlockCellGrad', 'refuses',
     r'must have shape|(cs_prev|h_prev)\.dims\(',
     'TensorFlow reads outside of inputs of other sizes'),
    ('LSTMBlockCell LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2', 'refuses',
     r'wc[ifo]\.dim_size', 'TensorFlow reads outside of peephole vectors of other sizes'),
    ('LSTMBlockCellGrad', 'static', r'\(\d+,\)',
     'gradients of unused peephole vectors have their sizes, although TensorFlow infers cell_size'),
    ('BlockLSTM BlockLSTMV2', 'value', r'op:[02345] .* / \[[0. ]+\]',
     'TensorFlow leaves gates of steps from seq_len_max on unset, Ramet returns 0'),
    ('LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2', 'value', r'float16.*(nan|inf).*odd input',
     'TensorFlow rounds each product to half, which may overflow; Ramet computes in float'),
    (REAL_TRANSFORMS, 'value', r' / \[[0.+j\s]+\]',
     'TensorFlow leaves the transform of no elements unset, Ramet returns 0'),
    ('IRFFT IRFFT2D IRFFT3D AudioSpectrogram', 'value', '(nan|inf).*odd input',
     'sums with infinite terms, in another order'),
    ('Lu', 'refuses', 'Input is not invertible.*odd input',
     'Ramet refuses NaN as a pivot'),
    ('Svd', 'value', 'op:[12] (float32|complex)',
     'the phase of complex singular vectors is open, and those of float are less exact than values'),
    (f'{CONVOLUTIONS} LRN LRNGrad MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul', 'value',
     'nan|inf',
     'sums of products with NaN or infinite factors, some of which are skipped'),
    ('Relu6Grad ReluGrad FakeQuantWithMinMaxVarsPerChannelGradient FakeQuantWithMinMaxVarsGradient '
     'FakeQuantWithMinMaxArgsGradient QuantizeAndDequantizeV4Grad', 'value', 'nan|odd input',
     'gradients of NaN are NaN or 0, as the kernel masks or multiplies'),

    ('MaxPool MaxPoolV2 MaxPool3D SegmentMax SegmentMin UnsortedSegmentMax UnsortedSegmentMin '
     'NthElement', 'value', 'odd input',
     'maxima with NaN or only infinite elements: the result depends on the order of comparisons'),
    ('QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 QuantizeV2 Dequantize',
     'value', 'odd input', 'ranges and elements that are NaN, infinite, huge or tiny'),
    ('BiasAddGrad', 'value', 'odd input', 'huge summands that cancel, in another order'),
    ('Cast', 'value', 'uint32.*odd input', 'complex numbers outside of the range of uint32'),
    ('Cast', 'value', 'Truncate=True', 'TensorFlow rounds toward zero, Ramet to nearest'),
    ('LeakyRelu LRN LRNGrad', 'value', 'float16.*(alpha|bias)=10000000000',
     'a factor that half cannot hold: Ramet computes in float'),
    ('TanhGrad ReciprocalGrad InvGrad RsqrtGrad SqrtGrad', 'value', 'float16.*(nan|inf)',
     'a power of y that half cannot hold: Ramet computes in float'),
    ('CTCLoss', 'value', 'op:1 float64',
     'both round an exponential to float, which may differ in the last bit'),
    ('CTCBeamSearchDecoder', 'shape', 'odd input', 'logits with NaN: no beam is better than the next'),
    ('CTCBeamSearchDecoder', 'value', 'odd input', 'logits with NaN: no beam is better than the next'),
    ('MatrixLogarithm', 'value', 'odd input', 'logarithms of matrices with huge or tiny elements'),
    ('SparseReduceMax SparseReduceMaxSparse', 'value', 'nan',
     "maxima of 4 or more elements with NaN: TensorFlow's result depends on the position"),
    ('SparseAdd', 'shape', OTHER_THRESHOLDS, 'TensorFlow takes the bytes of the threshold for one of T'),
    ('SparseAdd', 'value', OTHER_THRESHOLDS, 'TensorFlow takes the bytes of the threshold for one of T'),
    ('Substr', 'accepts', 'Substr broadcast not implemented', 'Ramet broadcasts any number of dimensions'),
    ('SetSize', 'refuses', r'indices\[0, \d+\] expected >= 0', 'TensorFlow writes outside of the result'),
    ('CropAndResizeGradImage CropAndResizeGradBoxes', 'refuses', 'element that is not finite',
     'TensorFlow reads or writes outside of images at pixels that are NaN, and mostly crashes'),
    ('DrawBoundingBoxes DrawBoundingBoxesV2', 'accepts', 'clamp is less than 0',
     'TensorFlow refuses some inverted boxes in images without rows or columns'),
    ('DecodeAndCropJpeg', 'class', r'Dimension -\d+ must be >= 0',
     'TensorFlow infers a negative static shape, which its Python does not read'),
    ('FractionalAvgPoolGrad', 'refuses', 'must have at most the batch',
     'TensorFlow reads or writes outside of tensors whose batch or channels do not fit'),
    ('graph', 'value', r'\[(-?inf ?)+\] / \[(-?inf ?)+\]',
     'divisions by a product of matrices that is 0 or -0'),
    ('TopKV2', 'value', 'sorted=False|odd input', 'the order of elements, or of NaN, is open'),
    ('Conv3D', 'value', r'strides=\[1,[0-9,]*[3-9]',
     'with strides larger than the filter, TensorFlow begins within the image instead of at its edge'),
    ('MatrixSquareRoot', 'value', 'complex',
     'a negative eigenvalue has two roots; rounding decides between them'),
    ('DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter', 'value',
     r'dilations=\[[0-9,]*[2-9]', 'TensorFlow ignores dilations in these gradients'),
    ('DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter', 'refuses',
     'dilations in the batch and depth|dilation: [2-9]', 'TensorFlow ignores dilations in these gradients'),
    ('DepthwiseConv2dNative', 'accepts', 'does not support dilations',
     'Ramet has CPU kernels for these dilations'),
    ('DepthwiseConv2dNative', 'class', 'does not support dilations',
     'Ramet has CPU kernels for these dilations; another check fails'),
    ('DepthwiseConv2dNative Conv2D', 'refuses', 'filter must not have zero elements',
     'TensorFlow returns zeros for a filter without elements'),
    ('Conv2D Conv3D', 'refuses', 'evenly divisible by number of groups',
     'TensorFlow returns zeros, or nothing, for an input without elements'),
    ('Conv2DBackpropFilter Conv2DBackpropInput', 'accepts',
     'filter_size does not have enough|grouped convolutions',
     'Ramet has CPU kernels for gradients of grouped convolutions'),
    ('Conv3D', 'accepts', 'Number of channels in filter',
     'Ramet has CPU kernels for grouped convolutions'),
    (POOLS + ' MaxPoolGradWithArgmax', 'refuses', 'Sliding window ksize must be positive',
     'TensorFlow computes with windows without elements'),
    (POOLS + ' MaxPoolGradWithArgmax', 'refuses',
     'Stride must be > 0|[Nn]on-spatial|depth dimension|across depth|window to equal the depth stride',
     'TensorFlow ignores some strides of batches and channels'),
    (POOLS, 'refuses', 'would be negative', 'TensorFlow does not look at windows of an empty image'),
    (POOLS + ' MaxPoolGradWithArgmax', 'class', 'not yet supported on the|Non-spatial',
     'windows with two faults: the first that is found is reported'),
    ('MaxPool', 'accepts', 'NCHW_VECT_C', 'TensorFlow wants 5 dimensions, and its kernel then 4'),
    ('Dilation2D', 'refuses', 'Rate must be > 0|Negative dimension',
     'TensorFlow ignores a rate of 0, and returns no elements for some filters larger than the image'),
    ('Dilation2D Dilation2DBackpropInput Dilation2DBackpropFilter ExtractImagePatches', 'class',
     'Only support|only supported|Rate is',
     'attrs with two faults: the first that is found is reported'),
    ('ExtractImagePatches', 'accepts', 'would be negative', 'an image without elements has no patches'),
    (SPARSE_SEGMENTS, 'refuses', r'out of range \[0, 0\)|Invalid number of segments',
     'TensorFlow does not look at indices if the output has no elements'),
    ('TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMin TensorScatterMax', 'accepts',
     r'Dimensions \[0,1\) of indices',
     "a vector of indices is one index, as in TensorFlow's shape function; its kernel takes it for several"),
    ('DrawBoundingBoxes DrawBoundingBoxesV2', 'value', 'odd input',
     'corners that are NaN, infinite or far outside: TensorFlow draws no box, Ramet the part inside'),
    ('ScatterNdNonAliasingAdd', 'refuses', 'index innermost dimension',
     'TensorFlow reads a vector of indices beyond its end'),
    ('Einsum', 'refuses', 'Expected dimension 0', 'TensorFlow takes a size of 0 for one that is open'),
    ('QuantizeAndDequantizeV3', 'accepts', 'Axis requested is larger',
     'TensorFlow refuses a scalar although no axis is asked for'),
    ('QuantizeAndDequantizeV3', 'refuses', 'must be a scalar',
     'TensorFlow does not look at the shapes of bounds that it reads as scalars'),
    ('QuantizeAndDequantizeV2 QuantizeAndDequantizeV4', 'accepts', 'must be a scalar|Invalid range',
     'TensorFlow checks bounds of slices as if there were only one, and those of no elements'),
    (QUANTIZED_POOLS, 'refuses', 'stride of the depth dimension|Stride must be > 0|exactly one of pooling',
     'TensorFlow ignores strides in its result, but not in its static shape'),
    (QUANTIZED_POOLS, 'class', 'not yet supported on the batch|Stride must be > 0',
     'windows with two faults: the first that is found is reported'),
    ('QuantizedAdd QuantizedMul', 'refuses', 'Broadcast between',
     'TensorFlow repeats the smaller operand along the wrong dimensions'),
    ('QuantizeV2', 'value', r'qint(8|16).*/ \[0 .*ensure_minimum_range=(0|-).*MIN_COMBINED',
     'an empty range: an infinite factor gives NaN, which TensorFlow converts to 0 or the lowest integer by position'),
    ('Empty', 'value', 'init=False', 'TensorFlow leaves the elements unset'),
    ('RaggedTensorToTensor', 'accepts', 'shape scalar with unknown static value',
     'Ramet reads the scalar -1 when the graph runs'),
    ('RaggedTensorToTensor', 'refuses', 'Invalid row split size|which is not less than|Dimension -1 must be',
     'without rows, TensorFlow does not check the partitions; with rows, it reads beyond the values or aborts'),
    ('RaggedGather', 'refuses', 'must not point past values',
     'TensorFlow reads beyond the inner splits'),
    ('RaggedTensorToSparse', 'refuses', 'ragged splits must be a vector',
     'TensorFlow reads scalar splits as a vector, and leaves the shape of the result unset'),
    ('HistogramFixedWidth', 'refuses', 'NaN', 'TensorFlow counts NaN in an arbitrary bin'),
    ('Where', 'accepts', 'No WhereOp available|Unhandled input dimensions: 0',
     'Ramet has CPU kernels for half and for scalars'),
    ('FusedPadConv2D FusedResizeAndPadConv2D', 'accepts', 'rank -1',
     'TensorFlow refuses paddings whose shape is not known'),
    ('FusedPadConv2D FusedResizeAndPadConv2D', 'value', '',
     'TensorFlow repeats the result of the first image for all images of a batch'),
    ('FractionalMaxPool FractionalAvgPool', 'static', '',
     'the sequences have an element more than TensorFlow says'),
    ('FractionalMaxPoolGrad', 'refuses', 'tensor_out_dup|must have the shape of orig_output',
     'TensorFlow does not compare a result with itself, and reads beyond gradients that are too small'),
    ('ExtractVolumePatches', 'static', 'None', "TensorFlow's static rank is wrong for unknown shapes"),
    ('EnsureShape', 'accepts', 'rank -1', 'TensorFlow refuses a shape of unknown rank'),
    ('Reverse', 'accepts', 'first dimension. Found 0', 'Ramet reverses tensors without elements'),
    ('GatherNd', 'accepts', 'params is empty',
     'bad_indices_policy IGNORE: each index is out of range, so all results are 0'),
    ('DenseBincount', 'static', '', "TensorFlow's static shape is not that of its result"),
    ('GatherV2', 'static', 'None', "TensorFlow's static rank is wrong for negative batch_dims"),

    ('ArgMax ArgMin', 'refuses', 'Expected dimension in the range',
     'TensorFlow narrows dimension to int32 before it checks it'),
    (UNSORTED_SEGMENTS, 'refuses', 'is out of range',
     'TensorFlow does not look at segment_ids if the segments are empty'),
    (STATELESS, 'refuses', 'Unsupported algorithm|ThreeFry|Need minval < maxval',
     'Ramet does not have ThreeFry, and checks algorithm and bounds even if there is nothing to '
     'compute'),
    (STATELESS, 'class', 'algorithm', 'Ramet does not have ThreeFry'),
    (STATELESS, 'accepts', 'ValueError: Dimension must',
     'a counter with more elements than it needs'),
    (STATELESS, 'refuses', 'counter must have at least 2',
     'TensorFlow reads beyond a counter of one element'),
    ('StatelessRandomUniformInt StatelessRandomUniformIntV2', 'refuses', 'Need minval < maxval|must be 0-D',
     'TensorFlow does not look at the bounds if there is nothing to compute'),
    (INTEGER_DIVISIONS, 'class', 'nteger div',
     'division by zero is InvalidArgument in Ramet and for some dtypes Internal in TensorFlow'),
    ('EditDistance', 'class', 'inner product',
     'an index out of range: Internal or InvalidArgument'),

    (f'{DIAGONALS} {BLOCKS} QuantizeAndDequantizeV3 Substr SplitV Dequantize ReduceJoin Range '
     'SoftmaxCrossEntropyWithLogits FusedBatchNormV3 FusedBatchNormGradV3', 'accepts', 'ValueError: ',
     "TensorFlow's shape function refuses what its kernel and Ramet take"),
    ('MatrixDiagV2 MatrixDiagV3', 'vague', '',
     'TensorFlow takes a number of rows that is not known for one that is not given'),
    ('SoftmaxCrossEntropyWithLogits', 'vague', '',
     'TensorFlow takes a size of 1 that may be broadcast for the size of the result'),
    ('SplitV', 'vague', '', 'TensorFlow splits the last dimension if split_dim is not known'),
    ('Equal NotEqual', 'vague', '',
     'with incompatible_shape_error=False, the result is a scalar if the shapes do not broadcast'),
    ('FusedBatchNormV3', 'vague', '', 'the kernel takes 4 dimensions for NDHWC too'),
    (f'{DIAGONALS} {BLOCKS} Svd Qr MatrixDiagPart MaxPoolGradGradV2 Betainc '
     'StringJoin BatchMatMul MatrixSolve BroadcastTo MaxPoolGradGrad '
     'QuantizeAndDequantizeV4Grad Conv2D Conv3D MatrixSolveLs graph', 'vague', '',
     'shapes that are partly known: Ramet infers less'),
]


def reason_of(op, kind, message):
    """Returns the reason of a difference, or None."""
    for ops, known_kind, pattern, reason in KNOWN:
        fits = (ops == '*' or op in ops.split()) and known_kind == kind
        if fits and re.search(pattern, message, re.DOTALL):
            return reason
    return None
