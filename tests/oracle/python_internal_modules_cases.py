"""Internal modules of TensorFlow that programs import, with the names that they use from them.

Programs cannot rely on these names, but many do: custom cells, optimizers and summaries are written with them.
"""

MODULES = {
    'client.device_lib': 'list_local_devices',
    'client.session': 'Session InteractiveSession',
    'client.timeline': 'Timeline',
    'framework.common_shapes': '',
    'framework.constant_op': 'constant',
    'framework.device': 'merge_device',
    'framework.dtypes':
        'DType as_dtype bfloat16 bool complex64 complex128 float16 float32 float64 half double int8 int16 '
        'int32 int64 uint8 uint16 qint8 quint8 qint32 resource string variant QUANTIZED_DTYPES',
    'framework.errors':
        'OpError InvalidArgumentError NotFoundError OutOfRangeError AbortedError CancelledError '
        'FailedPreconditionError UnavailableError',
    'framework.errors_impl': 'OpError InvalidArgumentError NotFoundError OutOfRangeError ResourceExhaustedError',
    'framework.function': 'Defun',
    'framework.graph_io': 'write_graph',
    'framework.graph_util': 'convert_variables_to_constants extract_sub_graph remove_training_nodes',
    'framework.importer': 'import_graph_def',
    'framework.meta_graph': 'export_scoped_meta_graph import_scoped_meta_graph read_meta_graph_file',
    'framework.ops':
        'Graph GraphKeys IndexedSlices NotDifferentiable NoGradient Operation RegisterGradient Tensor '
        'add_to_collection add_to_collections colocate_with container control_dependencies '
        'convert_n_to_tensor convert_n_to_tensor_or_indexed_slices convert_to_tensor '
        'convert_to_tensor_or_indexed_slices device get_collection get_collection_ref get_default_graph '
        'get_default_session get_name_scope init_scope internal_convert_to_tensor name_scope '
        'register_tensor_conversion_function reset_default_graph strip_name_scope '
        'executing_eagerly_outside_functions',
    'framework.random_seed': 'get_seed set_random_seed DEFAULT_GRAPH_SEED',
    'framework.sparse_tensor': 'SparseTensor SparseTensorValue convert_to_tensor_or_sparse_tensor',
    'framework.tensor_shape':
        'Dimension TensorShape as_dimension as_shape dimension_at_index dimension_value matrix scalar '
        'unknown_shape vector',
    'framework.tensor_spec': 'TensorSpec',
    'framework.tensor_util': 'MakeNdarray constant_value constant_value_as_shape is_tensor make_tensor_proto',
    'framework.test_util': 'assert_equal_graph_def',
    'framework.versions': 'VERSION GIT_VERSION GRAPH_DEF_VERSION',
    'layers.base': 'Layer InputSpec',
    'layers.convolutional': 'Conv1D Conv2D Conv3D conv1d conv2d conv3d conv2d_transpose separable_conv2d',
    'layers.core': 'Dense Dropout Flatten dense dropout flatten',
    'layers.layers': 'Dense Conv2D dense conv2d max_pooling2d average_pooling2d batch_normalization dropout flatten',
    'layers.normalization': 'BatchNormalization batch_normalization',
    'layers.pooling': 'MaxPooling2D AveragePooling2D max_pooling2d average_pooling2d',
    'layers.utils':
        'constant_value conv_output_length convert_data_format normalize_data_format normalize_padding '
        'normalize_tuple smart_cond',
    'lib.io.file_io':
        'FileIO copy delete_file file_exists get_matching_files list_directory read_file_to_string '
        'recursive_create_dir write_string_to_file is_directory stat walk',
    'lib.io.tf_record': 'TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator',
    'ops.array_ops':
        'batch_gather boolean_mask concat constant diag diag_part expand_dims fill gather gather_nd identity '
        'identity_n matrix_band_part matrix_diag matrix_diag_part matrix_set_diag matrix_transpose meshgrid '
        'newaxis one_hot ones ones_like pad placeholder placeholder_with_default rank reshape reverse '
        'reverse_sequence reverse_v2 scatter_nd sequence_mask shape shape_internal shape_n size slice '
        'space_to_batch_nd sparse_placeholder split squeeze stack stop_gradient strided_slice '
        'tensor_diag_part tile transpose unique unstack where where_v2 zeros zeros_like broadcast_to bitcast '
        'edit_distance',
    'ops.candidate_sampling_ops':
        'all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler '
        'learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler',
    'ops.check_ops':
        'assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal '
        'assert_non_negative assert_positive assert_rank assert_rank_at_least assert_rank_in '
        'assert_same_float_dtype assert_scalar assert_type is_numeric_tensor',
    'ops.clip_ops': 'clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value global_norm',
    'ops.confusion_matrix': 'confusion_matrix remove_squeezable_dimensions',
    'ops.control_flow_ops': 'Assert case cond group no_op switch_case tuple while_loop with_dependencies',
    'ops.custom_gradient': 'custom_gradient',
    'ops.data_flow_ops': 'dynamic_partition dynamic_stitch TensorArray',
    'ops.distributions.bernoulli': 'Bernoulli',
    'ops.distributions.categorical': 'Categorical',
    'ops.distributions.distribution': 'Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType',
    'ops.distributions.kullback_leibler': 'kl_divergence RegisterKL cross_entropy',
    'ops.distributions.normal': 'Normal',
    'ops.distributions.special_math': 'log_ndtr ndtr ndtri log_cdf_laplace',
    'ops.embedding_ops': 'embedding_lookup embedding_lookup_sparse',
    'ops.functional_ops': 'foldl foldr map_fn scan',
    'ops.gen_array_ops': 'gather gather_v2 identity pack reshape shape strided_slice',
    'ops.gen_control_flow_ops': 'merge no_op switch',
    'ops.gen_math_ops': 'add cast mat_mul mul tanh_grad sigmoid_grad',
    'ops.gen_nn_ops':
        'conv2d elu_grad fused_batch_norm max_pool_grad relu_grad softmax softmax_cross_entropy_with_logits',
    'ops.gen_state_ops': 'assign scatter_update variable_v2',
    'ops.gradients': 'gradients hessians AggregationMethod',
    'ops.gradients_impl': 'gradients hessians',
    'ops.init_ops':
        'Constant Initializer Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling '
        'Zeros constant_initializer glorot_normal_initializer glorot_uniform_initializer ones_initializer '
        'orthogonal_initializer random_normal_initializer random_uniform_initializer '
        'truncated_normal_initializer uniform_unit_scaling_initializer variance_scaling_initializer '
        'zeros_initializer',
    'ops.io_ops': 'matching_files read_file restore_v2 save_v2 write_file',
    'ops.linalg_ops':
        'cholesky cholesky_solve eye matrix_determinant matrix_inverse matrix_solve norm qr svd '
        'self_adjoint_eig',
    'ops.logging_ops': 'Print histogram_summary merge_all_summaries merge_summary scalar_summary image_summary',
    'ops.lookup_ops':
        'HashTable KeyValueTensorInitializer TextFileInitializer index_table_from_file '
        'index_table_from_tensor index_to_string_table_from_file tables_initializer',
    'ops.losses.losses':
        'Reduction absolute_difference compute_weighted_loss get_losses get_total_loss hinge_loss huber_loss '
        'log_loss mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy',
    'ops.losses.losses_impl': 'Reduction compute_weighted_loss mean_squared_error softmax_cross_entropy',
    'ops.losses.util': 'add_loss get_losses get_regularization_loss get_regularization_losses get_total_loss',
    'ops.math_ops':
        'abs accumulate_n acos add add_n argmax argmin asin atan batch_matmul cast ceil complex conj cos cosh '
        'count_nonzero cumprod cumsum digamma div div_no_nan divide equal erf erfc exp expm1 floor floordiv '
        'floormod greater greater_equal igamma imag is_finite is_inf is_nan less less_equal lgamma linspace '
        'log log1p log_sigmoid logical_and logical_not logical_or logical_xor matmul maximum minimum mod '
        'multiply negative not_equal pow range real realdiv reciprocal reduce_all reduce_any reduce_logsumexp '
        'reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance round rsqrt '
        'saturate_cast scalar_mul segment_sum sigmoid sign sin sinh softplus sparse_segment_sum sqrt square '
        'squared_difference subtract tan tanh tensordot to_bfloat16 to_double to_float to_int32 to_int64 '
        'trace truediv unsorted_segment_max unsorted_segment_sum xlogy',
    'ops.metrics': 'accuracy mean mean_squared_error precision recall',
    'ops.metrics_impl': 'accuracy mean mean_squared_error precision recall',
    'ops.nn':
        'batch_normalization bias_add conv2d dropout embedding_lookup l2_loss l2_normalize log_softmax '
        'moments relu sampled_softmax_loss sigmoid sigmoid_cross_entropy_with_logits softmax '
        'softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits softplus tanh nce_loss',
    'ops.nn_impl':
        'batch_normalization fused_batch_norm l2_normalize log_poisson_loss moments nce_loss '
        'normalize_moments relu_layer sampled_softmax_loss separable_conv2d sigmoid_cross_entropy_with_logits '
        'sufficient_statistics swish weighted_cross_entropy_with_logits weighted_moments zero_fraction',
    'ops.nn_ops':
        'atrous_conv2d avg_pool bias_add conv1d conv2d conv2d_transpose convolution crelu dropout elu '
        'in_top_k l2_loss leaky_relu log_softmax max_pool pool relu relu6 selu softmax '
        'softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 '
        'sparse_softmax_cross_entropy_with_logits top_k with_space_to_batch xw_plus_b',
    'ops.numerics': 'add_check_numerics_ops verify_tensor_all_finite',
    'ops.partitioned_variables':
        'create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner '
        'variable_axis_size_partitioner',
    'ops.random_ops':
        'multinomial random_crop random_gamma random_normal random_poisson random_shuffle random_uniform '
        'truncated_normal',
    'ops.resource_variable_ops':
        'ResourceVariable assign_variable_op read_variable_op var_handle_op',
    'ops.rnn': 'bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn',
    'ops.rnn_cell': 'BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell',
    'ops.rnn_cell_impl':
        'BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple LayerRNNCell '
        'MultiRNNCell RNNCell ResidualWrapper',
    'ops.script_ops': 'py_func',
    'ops.special_math_ops': 'einsum lbeta bessel_i0 bessel_i1',
    'ops.standard_ops': 'concat constant matmul reduce_mean reshape',
    'ops.state_ops':
        'assign assign_add assign_sub count_up_to scatter_add scatter_nd_update scatter_sub scatter_update',
    'ops.string_ops':
        'as_string reduce_join regex_full_match string_join string_split string_to_hash_bucket '
        'string_to_number substr',
    'ops.template': 'make_template',
    'ops.tensor_array_ops': 'TensorArray',
    'ops.variable_scope':
        'AUTO_REUSE VariableScope get_local_variable get_variable get_variable_scope no_regularizer '
        'variable_creator_scope variable_op_scope variable_scope',
    'ops.variables':
        'PartitionedVariable Variable VariableAggregation VariableSynchronization '
        'assert_variables_initialized global_variables global_variables_initializer initialize_variables '
        'is_variable_initialized local_variables local_variables_initializer model_variables '
        'moving_average_variables report_uninitialized_variables trainable_variables variables_initializer',
    'ops.weights_broadcast_ops': 'assert_broadcastable broadcast_weights',
    'platform.app': 'run',
    'platform.flags': 'FLAGS DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string',
    'platform.gfile':
        'Copy DeleteRecursively Exists FastGFile GFile Glob IsDirectory ListDirectory MakeDirs MkDir Open '
        'Remove Rename Stat Walk',
    'platform.resource_loader': 'get_data_files_path get_path_to_datafile load_resource',
    'platform.test': 'TestCase main get_temp_dir test_src_dir_path is_built_with_cuda is_gpu_available',
    'platform.tf_logging':
        'DEBUG ERROR FATAL INFO WARN debug error fatal info log log_every_n log_first_n set_verbosity '
        'get_verbosity vlog warn warning',
    'saved_model.builder': 'SavedModelBuilder',
    'saved_model.loader': 'load maybe_saved_model_directory',
    'saved_model.main_op': 'main_op',
    'saved_model.signature_constants':
        'CLASSIFY_METHOD_NAME DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME '
        'PREDICT_OUTPUTS REGRESS_METHOD_NAME',
    'saved_model.signature_def_utils':
        'build_signature_def classification_signature_def predict_signature_def regression_signature_def',
    'saved_model.simple_save': 'simple_save',
    'saved_model.tag_constants': 'GPU SERVING TPU TRAINING',
    'saved_model.utils': 'build_tensor_info',
    'summary.summary': 'FileWriter FileWriterCache audio histogram image merge merge_all scalar tensor_summary text',
    'tools.freeze_graph': 'freeze_graph freeze_graph_with_def_protos',
    'tools.inspect_checkpoint': 'print_tensors_in_checkpoint_file',
    'tools.optimize_for_inference_lib': 'optimize_for_inference',
    'tools.strip_unused_lib': 'strip_unused',
    'training.adadelta': 'AdadeltaOptimizer',
    'training.adagrad': 'AdagradOptimizer',
    'training.adam': 'AdamOptimizer',
    'training.basic_session_run_hooks':
        'CheckpointSaverHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError '
        'NanTensorHook SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook',
    'training.checkpoint_management':
        'checkpoint_exists get_checkpoint_state latest_checkpoint update_checkpoint_state',
    'training.checkpoint_utils': 'init_from_checkpoint list_variables load_checkpoint load_variable',
    'training.coordinator': 'Coordinator LooperThread',
    'training.ftrl': 'FtrlOptimizer',
    'training.gen_training_ops': 'apply_adam apply_gradient_descent apply_momentum resource_apply_adam',
    'training.gradient_descent': 'GradientDescentOptimizer',
    'training.learning_rate_decay':
        'cosine_decay exponential_decay inverse_time_decay natural_exp_decay piecewise_constant '
        'polynomial_decay',
    'training.momentum': 'MomentumOptimizer',
    'training.monitored_session':
        'ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator '
        'SingularMonitoredSession',
    'training.moving_averages': 'ExponentialMovingAverage assign_moving_average weighted_moving_average',
    'training.optimizer': 'Optimizer',
    'training.rmsprop': 'RMSPropOptimizer',
    'training.saver':
        'BaseSaverBuilder Saver export_meta_graph import_meta_graph latest_checkpoint get_checkpoint_state '
        'checkpoint_exists',
    'training.session_run_hook': 'SessionRunArgs SessionRunContext SessionRunHook SessionRunValues',
    'training.slot_creator': 'create_slot create_zeros_slot',
    'training.summary_io': 'SummaryWriterCache summary_iterator',
    'training.training': 'AdamOptimizer Saver Coordinator',
    'training.training_ops': 'apply_adam apply_gradient_descent apply_momentum',
    'training.training_util':
        'assert_global_step create_global_step get_global_step get_or_create_global_step global_step',
    'util.compat': 'as_bytes as_str as_str_any as_text bytes_or_text_types',
    'util.deprecation': 'deprecated deprecated_args',
    'util.nest':
        'assert_same_structure flatten is_nested map_structure pack_sequence_as '
        'flatten_up_to map_structure_up_to',
    'util.tf_inspect': 'getfullargspec isclass ismodule getmembers',
    'util.tf_contextlib': 'contextmanager',
}
