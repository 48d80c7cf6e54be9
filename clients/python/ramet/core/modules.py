"""The messages and enums of each module of ramet.core, by their names in package tensorflow."""

MODULES = {
    'example.example_parser_configuration_pb2':
        'ExampleParserConfiguration FeatureConfiguration FixedLenFeatureProto VarLenFeatureProto',
    'example.example_pb2': 'Example SequenceExample',
    'example.feature_pb2':
        'BytesList Feature FeatureList FeatureLists Features FloatList Int64List',
    'framework.allocation_description_pb2': 'AllocationDescription',
    'framework.api_def_pb2': 'ApiDef ApiDefs',
    'framework.attr_value_pb2': 'AttrValue NameAttrList',
    'framework.cost_graph_pb2': 'CostGraphDef',
    'framework.device_attributes_pb2':
        'DeviceAttributes DeviceLocality InterconnectLink LocalLinks',
    'framework.full_type_pb2': 'FullTypeDef FullTypeId',
    'framework.function_pb2': 'FunctionDef FunctionDefLibrary GradientDef RegisteredGradient',
    'framework.graph_debug_info_pb2': 'GraphDebugInfo',
    'framework.graph_pb2': 'GraphDef',
    'framework.kernel_def_pb2': 'KernelDef KernelList',
    'framework.log_memory_pb2':
        'MemoryLogRawAllocation MemoryLogRawDeallocation MemoryLogStep MemoryLogTensorAllocation '
        'MemoryLogTensorDeallocation MemoryLogTensorOutput',
    'framework.node_def_pb2': 'NodeDef',
    'framework.op_def_pb2': 'OpDef OpDeprecation OpList',
    'framework.reader_base_pb2': 'ReaderBaseState',
    'framework.resource_handle_pb2': 'ResourceHandleProto',
    'framework.step_stats_pb2':
        'AllocationRecord AllocatorMemoryUsed DeviceStepStats MemoryStats NodeExecStats NodeOutput '
        'StepStats',
    'framework.summary_pb2': 'DataClass HistogramProto Summary SummaryDescription SummaryMetadata',
    'framework.tensor_description_pb2': 'TensorDescription',
    'framework.tensor_pb2': 'TensorProto VariantTensorDataProto',
    'framework.tensor_shape_pb2': 'TensorShapeProto',
    'framework.tensor_slice_pb2': 'TensorSliceProto',
    'framework.types_pb2': 'DataType SerializedDType',
    'framework.variable_pb2':
        'SaveSliceInfoDef VariableAggregation VariableDef VariableSynchronization',
    'framework.versions_pb2': 'VersionDef',
    'lib.core.error_codes_pb2': 'error.Code',
    'profiler.tfprof_log_pb2':
        'tfprof.CodeDef tfprof.ExecMemory tfprof.ExecProfile tfprof.ExecTime tfprof.Memory '
        'tfprof.OpLogEntry tfprof.OpLogProto tfprof.ProfileNode tfprof.ProfileProto tfprof.Tuple',
    'profiler.tfprof_options_pb2': 'tfprof.AdvisorOptionsProto tfprof.OptionsProto',
    'profiler.tfprof_output_pb2':
        'tfprof.AdviceProto tfprof.GraphNodeProto tfprof.MultiGraphNodeProto '
        'tfprof.TFProfTensorProto',
    'protobuf.checkpoint_state_pb2': 'CheckpointState',
    'protobuf.cluster_pb2': 'ClusterDef JobDef',
    'protobuf.config_pb2':
        'BatchingOptions CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions '
        'RunMetadata RunOptions SessionMetadata TensorConnection ThreadPoolOptionProto',
    'protobuf.control_flow_pb2': 'CondContextDef ControlFlowContextDef ValuesDef WhileContextDef',
    'protobuf.coordination_config_pb2': 'CoordinatedJob CoordinationServiceConfig',
    'protobuf.debug_pb2': 'DebugOptions DebugTensorWatch DebuggedSourceFile DebuggedSourceFiles',
    'protobuf.device_filters_pb2': 'ClusterDeviceFilters JobDeviceFilters TaskDeviceFilters',
    'protobuf.device_properties_pb2': 'DeviceProperties NamedDevice',
    'protobuf.error_codes_pb2': 'error.Code',
    'protobuf.graph_debug_info_pb2': 'GraphDebugInfo',
    'protobuf.meta_graph_pb2': 'AssetFileDef CollectionDef MetaGraphDef SignatureDef TensorInfo',
    'protobuf.named_tensor_pb2': 'NamedTensorProto',
    'protobuf.queue_runner_pb2': 'QueueRunnerDef',
    'protobuf.rewriter_config_pb2': 'AutoParallelOptions RewriterConfig ScopedAllocatorOptions',
    'protobuf.rpc_options_pb2': 'RPCOptions',
    'protobuf.saved_model_pb2': 'SavedModel',
    'protobuf.saved_object_graph_pb2': 'SavedObjectGraph',
    'protobuf.saver_pb2': 'SaverDef',
    'protobuf.struct_pb2': 'StructuredValue TypeSpecProto',
    'protobuf.tensor_bundle_pb2': 'BundleEntryProto BundleHeaderProto',
    'protobuf.tensorflow_server_pb2': 'ServerDef',
    'protobuf.trackable_object_graph_pb2': 'RegisteredSaver TrackableObjectGraph',
    'protobuf.verifier_config_pb2': 'VerifierConfig',
    'util.event_pb2':
        'Event LogMessage RequestedExitCode SessionLog SourceMetadata TaggedRunMetadata '
        'WatchdogConfig WorkerHealth WorkerHeartbeatRequest WorkerHeartbeatResponse '
        'WorkerShutdownMode',
    'util.saved_tensor_slice_pb2':
        'SavedSlice SavedSliceMeta SavedTensorSliceMeta SavedTensorSlices',
}
