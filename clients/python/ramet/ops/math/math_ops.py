"""Provides all math functions in one module, with TensorFlow's name."""

from ramet import gen
from ramet.ops.math.math_accumulate import accumulate_n, add_n, cumprod, cumsum, cumulative_logsumexp  # noqa: F401
from ramet.ops.math.math_basics import (  # noqa: F401
    abs,
    add,
    equal,
    log_sigmoid,
    logical_xor,
    multiply,
    not_equal,
    pow,
    round,
    scalar_mul,
    sigmoid,
    subtract,
)
from ramet.ops.math.math_cast import (  # noqa: F401
    angle,
    cast,
    complex,
    conj,
    imag,
    real,
    saturate_cast,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from ramet.ops.math.math_divide import (  # noqa: F401
    div,
    div_no_nan,
    divide,
    floordiv,
    multiply_no_nan,
    reciprocal_no_nan,
    sparse_dense_truediv,
    truediv,
    xdivy,
    xlog1py,
)
from ramet.ops.math.math_linear import matmul, matvec, polyval, tensordot, trace  # noqa: F401
from ramet.ops.math.math_range import linspace, range  # noqa: F401
from ramet.ops.math.math_reduce import (  # noqa: F401
    argmax,
    argmin,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
)
from ramet.ops.math.math_segment import (  # noqa: F401
    bincount,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    unsorted_segment_mean,
    unsorted_segment_sqrt_n,
)
from ramet.ops.math.math_unary import (  # noqa: F401
    acos,
    ceil,
    erf,
    erfcinv,
    erfinv,
    exp,
    floor,
    ndtri,
    negative,
    rsqrt,
    sign,
    sobol_sample,
    softplus,
    sqrt,
    square,
    tanh,
)

_GENERATED = {
    'acosh': 'Acosh', 'arg_max': 'ArgMax', 'arg_min': 'ArgMin', 'asin': 'Asin', 'asinh': 'Asinh',
    'atan': 'Atan', 'atan2': 'Atan2', 'atanh': 'Atanh', 'betainc': 'Betainc', 'cos': 'Cos',
    'cosh': 'Cosh', 'cross': 'Cross', 'digamma': 'Digamma', 'erfc': 'Erfc',
    'expm1': 'Expm1', 'floor_div': 'FloorDiv', 'floor_mod': 'FloorMod', 'floormod': 'FloorMod',
    'greater': 'Greater', 'greater_equal': 'GreaterEqual', 'igamma': 'Igamma',
    'igammac': 'Igammac', 'is_finite': 'IsFinite', 'is_inf': 'IsInf', 'is_nan': 'IsNan',
    'less': 'Less', 'less_equal': 'LessEqual', 'lgamma': 'Lgamma', 'log': 'Log', 'log1p': 'Log1p',
    'logical_and': 'LogicalAnd', 'logical_not': 'LogicalNot', 'logical_or': 'LogicalOr',
    'maximum': 'Maximum', 'minimum': 'Minimum', 'mod': 'FloorMod',
    'nextafter': 'NextAfter', 'polygamma': 'Polygamma', 'real_div': 'RealDiv',
    'reciprocal': 'Reciprocal', 'rint': 'Rint', 'segment_max': 'SegmentMax',
    'segment_mean': 'SegmentMean', 'segment_min': 'SegmentMin', 'segment_prod': 'SegmentProd',
    'segment_sum': 'SegmentSum', 'sin': 'Sin', 'sinh': 'Sinh',
    'squared_difference': 'SquaredDifference', 'tan': 'Tan', 'truncatediv': 'TruncateDiv',
    'truncatemod': 'TruncateMod',
    'unsorted_segment_max': 'UnsortedSegmentMax', 'unsorted_segment_min': 'UnsortedSegmentMin',
    'unsorted_segment_prod': 'UnsortedSegmentProd', 'unsorted_segment_sum': 'UnsortedSegmentSum',
    'xlogy': 'Xlogy', 'zeta': 'Zeta',
}


def __getattr__(name):
    if name not in _GENERATED:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = made = getattr(gen, _GENERATED[name])
    return made
