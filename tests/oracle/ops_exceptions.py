"""Differences from TensorFlow that ops_test.py accepts, with the reasons."""

# Ops that TensorFlow does not have.
OWN_OPS = {}

# op: why its definition differs
DEFINITIONS = {
    'ResizeBilinear': 'TensorFlow lists bfloat16 twice',
    'WriteHistogramSummary': 'no histograms of truth values, as in HistogramSummary',
}

# op: why Ramet has fewer dtypes on the CPU
DTYPES = {
    'AsString': 'a variant has no text',
    'Conj': 'of a variant: no list of complex tensors is conjugated',
    'ResourceApplyKerasMomentum': 'Keras has no complex weights',
    'ResourceSparseApplyKerasMomentum': 'Keras has no complex weights',
    'WriteHistogramSummary': 'no histograms of truth values, as in HistogramSummary',
    'SerializeTensor': 'a handle or a variant means nothing in another process',
}

RETURNS_NONE = "TensorFlow's gradient function returns None for every input"
NO_FLOAT_OUTPUT = 'no output that a gradient could arrive at; TensorFlow says nothing'
MORE = 'Ramet has a gradient where TensorFlow raises LookupError'
NO_SECOND_ORDER = 'the gradient of a gradient, which Ramet does not have'

# op: why the existence of a gradient differs from TensorFlow
GRADIENTS = {
    **{op: RETURNS_NONE for op in (
        'ArgMax', 'ArgMin', 'Ceil', 'Floor', 'FloorDiv', 'LoopCond', 'Rint', 'Round',
        'TruncateDiv')},
    **{op: NO_FLOAT_OUTPUT for op in (
        'All', 'Any', 'Bucketize', 'ControlTrigger', 'HistogramFixedWidth', 'InTopK', 'InTopKV2',
        'IsFinite', 'IsInf', 'IsNan', 'LookupTableImport', 'LookupTableImportV2',
        'LookupTableRemoveV2', 'LowerBound', 'NonDeterministicInts', 'NoOp', 'PrintV2', 'RegexFullMatch',
        'RngReadAndSkip', 'RngSkip', 'StatefulUniformFullInt', 'StatefulUniformInt', 'StaticRegexFullMatch',
        'StaticRegexReplace', 'StringFormat', 'UpperBound')},
    **{op: 'random numbers depend on no input; TensorFlow raises LookupError'
       for op in ('StatefulStandardNormalV2', 'StatefulTruncatedNormal', 'StatefulUniform')},
    **{op: MORE for op in ('MaxPoolGradGradV2', 'Mod', 'TruncateMod')},
    **{op: 'tf.contrib.rnn of TensorFlow 1 has the gradient; TensorFlow 2 has no tf.contrib'
       for op in ('GRUBlockCell', 'LSTMBlockCell')},
    'QuantizeAndDequantizeV4Grad': NO_SECOND_ORDER,
    **{op: 'a source: gradients end there, in TensorFlow because it has no inputs'
       for op in ('Placeholder', 'PlaceholderV2', 'Variable', 'VariableV2')},
    **{op: 'keys and values of a table come from no tensor'
       for op in ('LookupTableExport', 'LookupTableExportV2')},
    **{op: 'TensorFlow makes these gradients without the registry'
       for op in ('PartitionedCall', 'StatefulPartitionedCall', 'SymbolicGradient')},
    **{op: NO_FLOAT_OUTPUT for op in (
        'CloseSummaryWriter', 'CreateSummaryFileWriter', 'FlushSummaryWriter', 'ImportEvent', 'SummaryWriter',
        'WriteGraphSummary', 'WriteHistogramSummary', 'WriteRawProtoSummary', 'WriteScalarSummary', 'WriteSummary')},
    'EagerPyFunc': 'tf.py_function registers its gradient in Python',
    'FakeParam': 'it has no inputs',
    'IgammaGradA': 'gradients end there; TensorFlow raises LookupError',
}
