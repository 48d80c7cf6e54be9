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
    (NORM_GRADS, 'value', '', 'NaN where TensorFlow leaves an infinite factor out'),
    (NORM_GRADS, 'shape', r'op:[34]', 'the unused outputs are scalars or empty'),
    (NORM_GRADS, 'vague', '', 'the unused outputs are scalars or empty'),
    ('Svd', 'shape', 'op:', 'outputs that compute_uv=False leaves out have no elements in Ramet'),

    ('Erf', 'value', 'nan', "TensorFlow's erf of large doubles is NaN, Ramet's is 1 or -1"),
    ('Round', 'value', 'int32|int64', 'TensorFlow rounds integers to 0, Ramet leaves them'),
    ('Polygamma Zeta Igamma Igammac Betainc IgammaGradA', 'value', 'nan|inf',
     'special functions at their poles and outside of their domain'),
    ('*', 'value', r'complex\d+\(.*(nan|inf)', 'complex numbers with NaN or infinite parts'),
    ('Svd CholeskyGrad Cholesky MatrixInverse SelfAdjointEigV2 Qr Lu MatrixSolve '
     'MatrixTriangularSolve MatrixSolveLs LogMatrixDeterminant MatrixDeterminant',
     'value', 'nan|inf', 'decompositions of matrices with NaN or infinite elements'),
    (f'{CONVOLUTIONS} MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3', 'value', 'nan|inf',
     'sums of products with NaN or infinite factors, some of which are skipped'),
    ('Relu6Grad ReluGrad FakeQuantWithMinMaxVarsPerChannelGradient FakeQuantWithMinMaxVarsGradient '
     'FakeQuantWithMinMaxArgsGradient', 'value', 'nan',
     'gradients of NaN are NaN or 0, as the kernel masks or multiplies'),

    ('ArgMax ArgMin', 'refuses', 'Expected dimension in the range',
     'TensorFlow narrows dimension to int32 before it checks it'),
    ('UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentSum UnsortedSegmentProd', 'refuses',
     'is out of range', 'TensorFlow does not look at segment_ids if the segments are empty'),
    ('StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformV2 '
     'StatelessRandomNormalV2 StatelessTruncatedNormalV2', 'refuses', 'Unsupported algorithm',
     'TensorFlow does not look at the algorithm if there is nothing to compute'),
    ('StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformV2 '
     'StatelessRandomNormalV2 StatelessTruncatedNormalV2', 'class', 'algorithm',
     'Ramet does not have ThreeFry'),
    ('StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformV2 '
     'StatelessRandomNormalV2 StatelessTruncatedNormalV2', 'accepts', 'ValueError: Dimension must',
     'a counter with more elements than it needs'),
    (INTEGER_DIVISIONS, 'class', 'nteger div',
     'division by zero is InvalidArgument in Ramet and for some dtypes Internal in TensorFlow'),
    ('EditDistance', 'class', 'inner product',
     'an index out of range: Internal or InvalidArgument'),

    (f'{DIAGONALS} {BLOCKS} QuantizeAndDequantizeV3 Substr', 'accepts', 'ValueError: ',
     "TensorFlow's shape function refuses what its kernel and Ramet take"),
    ('MatrixDiagV2 MatrixDiagV3', 'vague', '',
     'TensorFlow takes a number of rows that is not known for one that is not given'),
    ('SoftmaxCrossEntropyWithLogits', 'vague', '',
     'TensorFlow takes a size of 1 that may be broadcast for the size of the result'),
    (f'{DIAGONALS} {BLOCKS} Betainc StringJoin BatchMatMul MatrixSolve BroadcastTo MaxPoolGradGrad '
     'QuantizeAndDequantizeV4Grad Conv2D Conv3D graph', 'vague', '',
     'shapes that are partly known: Ramet infers less'),
]


def reason_of(op, kind, message):
    """Returns the reason of a difference, or None."""
    for ops, known_kind, pattern, reason in KNOWN:
        fits = (ops == '*' or op in ops.split()) and known_kind == kind
        if fits and re.search(pattern, message, re.DOTALL):
            return reason
    return None
