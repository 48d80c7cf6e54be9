"""The guards of the promises in docs/security.md: for each, an edit that removes it and the test that then fails.

Each Guard names the number of its class (the comments below), a text that occurs exactly once in ramet/ and clients/,
the text that replaces it, the targets to build, and the command that has to fail, run in the build folder.
"""

import collections

Guard = collections.namedtuple('Guard', 'number what old new targets test')


def gtest(program, pattern):
    return f'bin/{program} --gtest_brief=1 --gtest_filter={pattern}'


def python(name, pattern=''):
    where = f' -k {pattern}' if pattern else ''
    return f'python3 -B -m unittest{where} {name}'


GUARDS = [
    # 1. Sizes that multiply past 2^63.
    Guard(1, 'a shape whose product overflows is refused',
          'if (NonZeroProduct(dims(), &has_zero) != kOverflow) return OkStatus();',
          'NonZeroProduct(dims(), &has_zero);\n  return OkStatus();',
          ['ramet_tensor_test'], gtest('ramet_tensor_test', 'ShapeTest.RefusesOverflow')),
    Guard(1, 'a tensor needs a buffer for its elements', 'if (!fits) ThrowSmallBuffer();', '(void)fits;',
          ['ramet_tensor_test'], gtest('ramet_tensor_test', '*')),
    Guard(1, 'inferred shapes are validated', 'RAMET_RETURN_IF_ERROR(context.output(i).Validate());', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'OverflowingShapes.InferenceRejects*')),
    # 2. Values outside of their type.
    Guard(2, 'bools of messages are normalized', 'NormalizeBools(&tensor);', '',
          ['ramet_tensor_test'], gtest('ramet_tensor_test', '*')),
    Guard(2, 'bools of checkpoints are normalized',
          'if (dtype == DType::kBool) NormalizeBools(bytes.data(), bytes.size());', '',
          ['ramet_format_test'], gtest('ramet_format_test', '*')),
    Guard(2, 'bools of shared memory are normalized', 'NormalizeBools(&copy);', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(2, 'integers of shared memory are copied', 'if (MayStayShared(spec.dtype)) {', 'if (true) {',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(2, 'bools of Redis are normalized', 'NormalizeBools(&value);', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', '*Redis*')),
    Guard(2, 'fed bytes that are not bools are refused', 'if (!HasOnlyBools(value)) {', 'if (false) {',
          ['session_test'], gtest('session_test', 'SessionTest.AFedByteThatIsNotABoolIsRefused')),
    Guard(2, 'fed integers are copied', 'return MayStayShared(dtype) && static_cast<size_t>(',
          'return static_cast<size_t>(', ['python_package'], python('test_changing_values')),
    Guard(2, 'Switch does not index by a bool', 'return PassOn(c, 0, IsTrue(pred) ? 1 : 0);',
          'return PassOn(c, 0, *static_cast<const uint8_t*>(pred.raw_data()));',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'BoolTest.*')),
    # 3. Attrs that drive loops, indices and arithmetic.
    Guard(3, 'an int attr is in its range', 'if (v >= schema.least_value && v <= schema.greatest_value) continue;',
          'continue;', ['ramet_ops_test'], gtest('ramet_ops_test', '*')),
    # 4. Work that is not linear in the input.
    Guard(4, 'folded values are remembered', 'values_[EndpointKey(e)] = {value, depth};', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    Guard(4, 'folding has a budget', 'if (work_left_ < work) return false;', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    Guard(4, 'unique names are found in constant time', 'it->second = mark_as_used ? i + 1 : i;', '',
          ['ramet_graph_test'], gtest('ramet_graph_test', 'UniqueNameTest.*')),
    Guard(4, 'a member of an .npz is no longer than its archive can hold',
          'if (stored ? member_.size != left_ : member_.size / kMaxRatio > left_) {', 'if (false) {',
          ['ramet_cli_test'], gtest('ramet_cli_test', '*Npz*')),
    # 5. Looking does not run.
    Guard(5, 'only foldable ops are evaluated', '!node.op->foldable() || ', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    # 6. Recursion on input.
    Guard(6, 'JSON has a depth limit', 'if (NestingDepth(text) > kMaxJsonDepth) {', 'if (NestingDepth(text) < 0) {',
          ['ramet_base_test'], gtest('ramet_base_test', 'JsonTest.*')),
    Guard(6, 'Python lists have a depth limit', 'if (depth >= kMaxValueDepth) RaiseTooDeep();', '',
          ['python_package'], python('test_nested_values')),
    Guard(6, 'functions in attrs have a depth limit',
          'if (depth > kMaxAttrDepth) return InvalidArgument("functions in attrs are nested too deeply");', '',
          ['ramet_graph_test'], gtest('ramet_graph_test', '*')),
    Guard(6, 'calls have a depth limit', 'if (depth >= kMaxCallDepth) {', 'if (false) {',
          ['function_test'], gtest('function_test', '*')),
    # 7. Peers.
    Guard(7, 'unread connections of a process are limited',
          'if (shares.OfProcess(newcomer) >= limits_.unread_of_process) return false;', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'ReaderQuotaTest.*')),
    Guard(7, 'descriptors are reserved for the trainer',
          'return static_cast<uint64_t>(lowest.get()) >= limit - limit / kReservedShare;', 'return false;',
          ['ramet_replica_test'], gtest('ramet_replica_test', '*Flood*:ReaderQuotaTest.*')),
    Guard(7, 'memory that can shrink is refused', 'if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {',
          'if (seals < 0) {', ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(7, 'a publisher seals its memory against holes',
          'if (access == Access::kOwnerWrites) seals |= kFutureWriteSeal;', '', ['ramet_replica_test'], gtest('ramet_replica_test', '*')),
    # 8. Files next to ours.
    Guard(8, 'new files are new', 'OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));',
          'OpenFile(path, O_WRONLY | O_CREAT));', ['ramet_base_test', 'ramet_format_test'],
          gtest('ramet_base_test', '*') + ' && ' + gtest('ramet_format_test', '*')),
    Guard(8, 'links are not reused', 'OpenFile(path, flags | O_NOFOLLOW | O_NONBLOCK));',
          'OpenFile(path, flags | O_NONBLOCK));', ['ramet_base_test', 'ramet_format_test'],
          gtest('ramet_base_test', '*') + ' && ' + gtest('ramet_format_test', 'PlantedFilesTest.*')),
    Guard(8, 'files of others and files with several names are not reused',
          'return S_ISREG(s.st_mode) && s.st_nlink == 1 && s.st_uid == ::geteuid();', 'return S_ISREG(s.st_mode);',
          ['ramet_format_test'], gtest('ramet_format_test', 'PlantedFilesTest.*')),
    Guard(8, 'the command line creates new files',
          '::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)',
          '::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)',
          ['ramet_cli_test'], gtest('ramet_cli_test', '*OutputFile*')),
    # 9. The interpreter's end and signals.
    Guard(9, 'runs within runs have a depth limit', 'if (depth.runs() > kMaxRunDepth) {', 'if (false) {',
          ['exception_test'], gtest('exception_test', 'ExceptionTest.AHostFunctionThatRunsItselfFails')),
    Guard(9, 'a signal interrupts the run', 'if (in_call && now == before) RunInterrupt::Request();', '',
          ['python_package'], python('test_interrupt')),
    # 10. Shared processors: the pool's threads sleep. (The benchmark `ramet_replica_bench sharing` measures it.)
    # 11. Exceptions and libraries below.
    Guard(11, 'an exception of a kernel becomes a status', '''  try {
    return kernel.Compute(context);
  } catch (...) {
    return StatusOfException();
  }
''', '  return kernel.Compute(context);\n', ['exception_test'], gtest('exception_test', '*')),
    Guard(11, 'an exception in a member of a team reaches the caller',
          'if (!has_thrown.exchange(true)) exception = std::current_exception();', '',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'Team.*')),
    Guard(11, 'a matrix that is not finite has no square root', 'if (!t.allFinite()) return false;', '',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'MatrixSqrtTest.*')),
]
