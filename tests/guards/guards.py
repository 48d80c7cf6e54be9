"""The guards of the promises in docs/security.md: for each, an edit that removes it and the test that then fails.

Each Guard names its class (a number below and in docs/robustness.md), a text that occurs exactly once in ramet/ and
clients/, the text that replaces it, the targets to build, and the command that has to fail, run in the build folder.
The edited code has to compile without warnings.
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
          ['ramet_tensor_test'], gtest('ramet_tensor_test', 'TensorTest.*')),
    Guard(1, 'inferred shapes are validated', 'RAMET_RETURN_IF_ERROR(context.output(i).Validate());', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'OverflowingShapes.InferenceRejects*')),
    Guard(1, 'a clone has the shapes of what it reads', 'Status inferred = InferShapesAgain(',
          'Status inferred = edges_.first() >= 0 ? OkStatus() : InferShapesAgain(',
          ['clone_test'], gtest('clone_test', 'CloneBoundaryTest.*')),
    Guard(1, 'loops do nothing for tensors without elements',
          '''  if (y->num_elements() == 0) return OkStatus();
  DispatchElement(x.dtype(), [&]<class U>() {
    Band(''', '''  DispatchElement(x.dtype(), [&]<class U>() {
    Band(''', ['ramet_conformance_test'], gtest('ramet_conformance_test', 'ElementLess.*')),
    Guard(1, 'blocks that the machine has no memory for are refused',
          'if (bytes <= static_cast<size_t>(available)) return OkStatus();', 'if (available >= 0) return OkStatus();',
          ['ramet_tensor_test'], gtest('ramet_tensor_test', 'TensorTest.AsksHowMuchMemory*')),
    Guard(1, 'a view of shared memory is not written in place', '(base_ == nullptr || base_->unique());',
          '(base_ == nullptr || base_ != this);', ['ramet_tensor_test'],
          gtest('ramet_tensor_test', 'TensorTest.AView*')),
    # 2. Values outside of their type.
    Guard(2, 'bools of messages are normalized', 'NormalizeBools(&tensor);', '',
          ['ramet_tensor_test'], gtest('ramet_tensor_test', 'TensorProto.*')),
    Guard(2, 'bools of checkpoints are normalized',
          'if (dtype == DType::kBool) NormalizeBools(bytes.data(), bytes.size());', '',
          ['ramet_format_test'], gtest('ramet_format_test', 'Bundle.EveryByte*')),
    Guard(2, 'bools of shared memory are normalized', 'NormalizeBools(&copy);', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(2, 'integers of shared memory are copied', 'if (MayStayShared(spec.dtype)) {', 'if (true) {',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(2, 'bools of Redis are normalized', 'NormalizeBools(&value);', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'RedisTransportTest.EveryByte*')),
    Guard(2, 'fed bytes that are not bools are refused', 'if (!HasOnlyBools(value)) {', 'if (false) {',
          ['session_test'], gtest('session_test', 'SessionTest.AFedByteThatIsNotABoolIsRefused')),
    Guard(2, 'fed integers are copied', 'return MayStayShared(dtype) && static_cast<size_t>(',
          'return static_cast<size_t>(', ['python_package'], python('test_changing_values')),
    Guard(2, 'Switch does not index by a bool', 'return PassOn(c, 0, IsTrue(pred) ? 1 : 0);',
          'return PassOn(c, 0, *static_cast<const uint8_t*>(pred.raw_data()));',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'BoolTest.*')),
    Guard(2, 'shapes are integers', 'RAMET_RETURN_IF_ERROR(CheckIsInteger(t, name, "vector"));', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'IntegerArgsTest.*')),
    # 3. Attrs that drive loops, indices and arithmetic.
    Guard(3, 'an int attr is in its range', 'if (v >= schema.least_value && v <= schema.greatest_value) continue;',
          'continue;', ['ramet_ops_test'], gtest('ramet_ops_test', 'PoolingTest.*')),
    Guard(3, 'pooling without output pixels does not divide by their number', 'if (pixels == 0) return;', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'PoolingTest.*')),
    Guard(3, 'a gradient does not loop over more batch_dims than a tensor has',
          'if (batch_dims < -Shape::kMaxRank || batch_dims > Shape::kMaxRank) {',
          'if (batch_dims < -Shape::kMaxRank) {',
          ['ramet_ops_test'], 'ulimit -v 2000000; timeout 60 ' + gtest('ramet_ops_test', 'GatherGradientTest.*')),
    # 4. Work that is not linear in the input.
    Guard(4, 'folded values are remembered', 'values_[EndpointKey(e)] = {value, depth};', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    Guard(4, 'folding has a budget', 'if (work_left_ < work) return false;', '',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    Guard(4, 'unique names are found in constant time', 'it->second = mark_as_used ? i + 1 : i;', '',
          ['ramet_graph_test'], gtest('ramet_graph_test', 'UniqueNameTest.*')),
    Guard(4, 'a member of an .npz is no longer than its archive can hold',
          'if (stored ? member_.size != left_ : member_.size / kMaxRatio > left_) {', 'if (false) {',
          ['ramet_cli_test'], gtest('ramet_cli_test', 'Npz.*')),
    Guard(4, 'gradients of nested functions have a limit of work',
          'if (!too_deep && work.nodes <= work.limit) return OkStatus();', 'if (work.nodes >= 0) return OkStatus();',
          ['function_gradients_test'],
          'ulimit -v 8000000; ' + gtest('function_gradients_test', 'FunctionGradientsTest.TooManyNestedLoops*')),
    # 5. Looking does not run.
    Guard(5, 'only foldable ops are evaluated', 'node.num_outputs > kMaxFoldedOutputs || !node.op->foldable() ||',
          'node.num_outputs > kMaxFoldedOutputs ||',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'FoldingTest.*')),
    # 6. Recursion on input.
    Guard(6, 'JSON has a depth limit', 'if (NestingDepth(text) > kMaxJsonDepth) {', 'if (NestingDepth(text) < 0) {',
          ['ramet_base_test'], gtest('ramet_base_test', 'JsonTest.*')),
    Guard(6, 'Python lists have a depth limit', 'if (depth >= kMaxValueDepth) RaiseTooDeep();', '',
          ['python_package'], python('test_nested_values')),
    Guard(6, 'functions in attrs have a depth limit',
          'if (depth > kMaxAttrDepth) return InvalidArgument("functions in attrs are nested too deeply");', '',
          ['ramet_graph_def_test'], gtest('ramet_graph_def_test', 'AttrPlaceholdersTest.*')),
    Guard(6, 'calls have a depth limit', 'if (depth >= kMaxCallDepth) {', 'if (false) {',
          ['function_test'], gtest('function_test', 'FunctionRunTest.Recursion*')),
    Guard(6, 'calls end before the stack does', 'if (!StackHasRoom()) {\n    return ResourceExhausted("function \'", wanted',
          'if (!StackHasRoom() && depth < 0) {\n    return ResourceExhausted("function \'", wanted',
          ['function_test'], gtest('function_test', 'FunctionRunTest.Recursion*')),
    Guard(6, 'functions are instantiated only while the stack has room',
          'if (!StackHasRoom()) {\n    return ResourceExhausted(where,', 'if (false) {\n    return ResourceExhausted(where,',
          ['function_test'], gtest('function_test', 'FunctionRunTest.*AtTheEndOfTheStack')),
    Guard(6, 'messages in text form have a depth limit',
          'parser.SetFinder(&types);\n  parser.SetRecursionLimit(kMaxNesting);',
          'parser.SetFinder(&types);\n  (void)kMaxNesting;', ['ramet_graph_def_test'], gtest('ramet_graph_def_test', 'OddGraphTest.DeepNesting*')),
    # 7. Peers.
    Guard(7, 'unread connections of a process are limited',
          'if (shares.OfProcess(newcomer) >= limits_.unread_of_process) return false;', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'ReaderQuotaTest.*')),
    Guard(7, 'unread connections of a user are limited',
          'return newcomer.peer.uid == geteuid() || shares.OfUser(newcomer) < limits_.unread_of_user;',
          'return true;', ['ramet_replica_test'], gtest('ramet_replica_test', 'ReaderQuotaTest.*')),
    Guard(7, 'descriptors are reserved for the trainer',
          'return static_cast<uint64_t>(lowest.get()) >= limit - limit / kReservedShare;',
          'return static_cast<uint64_t>(lowest.get()) >= limit;',
          ['ramet_replica_test'], gtest('ramet_replica_test', '*Flood*:ReaderQuotaTest.*')),
    Guard(7, 'memory that can shrink is refused', 'if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {',
          'if (seals < 0) {', ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(7, 'memory that can get holes is refused',
          'if (access == MemoryFile::Access::kOwnerWrites && (seals & kWriteSeals) == 0) {',
          'if (access == MemoryFile::Access::kOwnerWrites && (seals & kWriteSeals) == ~0) {',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(7, 'seals are read before the size', '''  RAMET_RETURN_IF_ERROR(CheckSeals(fd.get(), access));
  struct stat status;
  if (fstat(fd.get(), &status) != 0) return ErrnoStatus(errno, "shared memory");
''', '''  struct stat status;
  if (fstat(fd.get(), &status) != 0) return ErrnoStatus(errno, "shared memory");
  RAMET_RETURN_IF_ERROR(CheckSeals(fd.get(), access));
''', ['ramet_replica_test'], gtest('ramet_replica_test', 'HostileSegment.*')),
    Guard(7, 'a publisher seals its memory against holes',
          'if (access == Access::kOwnerWrites) seals |= kFutureWriteSeal;',
          'if (access == Access::kOwnerWrites) seals |= 0;',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'Hostile*')),
    Guard(7, 'the wait for a greeting ends', 'Packet first, link_.Receive(MillisUntil(deadline))',
          'Packet first, link_.Receive(-1 + 0 * MillisUntil(deadline))',
          ['ramet_replica_test'], 'timeout 60 ' + gtest('ramet_replica_test', 'SilentPublisher.*')),
    Guard(7, 'the wait for a busy listener ends',
          'i < kConnectTries && (error == EAGAIN || error == EINTR)', 'i >= 0 && (error == EAGAIN || error == EINTR)',
          ['ramet_replica_test'], 'timeout 60 ' + gtest('ramet_replica_test', 'ListenerTest.ConnectingToABusy*')),
    Guard(7, 'questions of a follower are limited', ' || reader->questions == kMaxQuestions) return false;',
          ') return false;', ['ramet_replica_test'], gtest('ramet_replica_test', 'ReaderListTest.*')),
    Guard(7, 'replies of a Redis server have a limit', 'if (taken_ > max_bytes) {',
          'if (taken_ > max_bytes + SIZE_MAX / 2) {',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'RedisTransportTest.DamageIsFound*')),
    # 8. Files next to ours.
    Guard(8, 'new files are new', 'OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));',
          'OpenFile(path, O_WRONLY | O_CREAT));', ['ramet_format_test'],
          gtest('ramet_format_test', 'PlantedFilesTest.*')),
    Guard(8, 'links are not reused', 'OpenFile(path, flags | O_NOFOLLOW | O_NONBLOCK));',
          'OpenFile(path, flags | O_NONBLOCK));', ['ramet_format_test'],
          gtest('ramet_format_test', 'PlantedFilesTest.*')),
    Guard(8, 'files of others and files with several names are not reused',
          'return S_ISREG(s.st_mode) && s.st_nlink == 1 && s.st_uid == ::geteuid();', 'return S_ISREG(s.st_mode);',
          ['ramet_format_test'], gtest('ramet_format_test', 'PlantedFilesTest.*')),
    Guard(8, 'a save stays in the folder that it began in',
          'if (through_.empty() || Dirname(path) != folder_) return path;',
          'if (!through_.empty() || Dirname(path) != folder_) return path;', ['ramet_format_test'],
          gtest('ramet_format_test', 'PlantedFilesTest.AFolderThatALink*')),
    Guard(8, 'the command line creates new files',
          '::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)',
          '::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)',
          ['ramet_cli_test'], gtest('ramet_cli_test', 'OutputFileTest.*')),
    Guard(8, 'names of the command line\'s temporary files cannot be predicted',
          'return rm::StrCat(path, ".temp", random(), random());', 'return rm::StrCat(path, ".temp", getpid());',
          ['ramet_cli_test'], gtest('ramet_cli_test', 'OutputFileTest.*')),
    # 9. The interpreter's end and signals.
    Guard(9, 'runs within runs have a depth limit', 'if (depth.runs() > kMaxRunDepth) {', 'if (false) {',
          ['exception_test'], gtest('exception_test', 'ExceptionTest.AHostFunctionThatRunsItselfFails')),
    Guard(9, 'a signal interrupts the run', 'if (in_call && now == before) RunInterrupt::Request();', '',
          ['python_package'], 'timeout 60 ' + python('test_interrupt', 'a_loop')),
    Guard(9, 'an interrupt ends the wait for a peer', '  while (!StopDue()) {\n    const int ready =',
          '  while (true) {\n    const int ready =', ['python_package'], python('test_interrupt', 'silent')),
    Guard(9, 'an interrupt ends the wait for room', 'return stop ? WaitEnd::kStopped : WaitEnd::kWoken;',
          'return stop ? WaitEnd::kWoken : WaitEnd::kWoken;',
          ['python_package'], 'timeout 60 ' + python('test_interrupt', 'without_room')),
    Guard(9, 'a handler that calls the publisher again does not wait for itself',
          'if (scope->object_ != object) continue;', 'if (scope->object_ != object || object != nullptr) continue;',
          ['python_package'], 'timeout 60 ' + python('test_interrupt', 'within_publish')),
    Guard(9, 'an interrupted publisher gives up its name', 'if (IsCancelled(status)) lease_.Abandon();', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'RedisTransportTest.AnInterrupted*')),
    Guard(9, 'an interrupted listener leaves the files of others', 'if (IsCancelled(other)) return other;', '',
          ['ramet_replica_test'], gtest('ramet_replica_test', 'ListenerTest.AnInterrupt*')),
    Guard(9, 'an interrupt ends a clone',
          'if (position % kCopiedPerCheck == 0 && StopDue()) return InterruptedStatus();', '', ['clone_test'],
          gtest('clone_test', 'CloneAtomicTest.Looks*')),
    Guard(9, 'threads that come back from a call while the interpreter ends are parked',
          '''  if (InterpreterEnds() && !IsMainThread()) Park();
  try {
    PyEval_RestoreThread(state_);
  } catch (const abi::__forced_unwind&) {
    Park();
  }
''', '  PyEval_RestoreThread(state_);\n', ['python_package'],
          python('test_interpreter_end', 'threads_that_are_at_work')),
    # 10. Shared processors. The benchmark `ramet_replica_bench sharing` measures them.
    Guard(10, 'a thread without work spins only briefly', '} while (Nanos() - begin < kSpinNanos);',
          '} while (begin > 0);', ['ramet_linalg_test'], gtest('ramet_linalg_test', 'Team.ThreadsWithoutWorkSleep')),
    Guard(10, 'no thread spins while the processors are busy', 'if (ProcessorsAreBusy(begin)) return;', '',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'Team.NoThread*')),
    Guard(10, 'no thread is woken for a loop while the processors are busy',
          'const bool wake = kind == Members::kMayWait || !ProcessorsAreBusy(Nanos());', 'const bool wake = true;',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'Team.NoThread*')),
    Guard(10, 'the demand for processors is noticed', 'return processors_internal::RunnableThreads(text) > online;',
          'return processors_internal::RunnableThreads(text) < -online;',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'ProcessorsAreBusy.*')),
    Guard(10, 'oneDNN uses the pool of this process',
          'return library == nullptr ? "unknown reason" : UseOurThreads(library);',
          'return library == nullptr ? "unknown reason" : "";',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'OneDnn.*')),
    # 11. Exceptions and libraries below.
    Guard(11, 'an exception of a kernel becomes a status', '''  try {
    return kernel.Compute(context);
  } catch (...) {
    return StatusOfException();
  }
''', '  return kernel.Compute(context);\n', ['exception_test'], gtest('exception_test', 'ExceptionTest.*')),
    Guard(11, 'an exception in a member of a team reaches the caller',
          'if (!has_thrown.exchange(true)) exception = std::current_exception();', '',
          ['ramet_linalg_test'], gtest('ramet_linalg_test', 'Team.*')),
    Guard(11, 'NaNs have a place in the order that a sort uses', 'return x < y || (x == x && y != y);', 'return x < y;',
          ['ramet_ops_test'], gtest('ramet_ops_test', 'NthElementTest.*')),
    # 12. Smaller things.
    Guard(12, 'init_op of a clone initializes tables',
          'RAMET_RETURN_IF_ERROR(InitTables(options_, values_, mapping_, &builder_, &ops));', '',
          ['clone_test'], gtest('clone_test', 'CloneTablesTest.*')),
    Guard(12, 'current contents of tables are copied',
          'if (!session.is_function()) RAMET_RETURN_IF_ERROR(ReadTables(',
          'if (session.is_function()) RAMET_RETURN_IF_ERROR(ReadTables(',
          ['clone_test'], gtest('clone_test', 'CloneTablesTest.*')),
    Guard(12, 'variables without a value stay without one',
          'return session.is_function() ? NoValue(variable) : OkStatus();', 'return NoValue(variable);',
          ['clone_test'], gtest('clone_test', 'CloneTablesTest.*')),
    Guard(12, 'structures are keys of a feed dict',
          'if not nest.is_nested(structure):\n        return [(structure, value)]',
          'if True:\n        return [(structure, value)]',
          ['python_package'], python('test_session', 'structures')),
    Guard(12, 'a list of sizes may contain a Dimension',
          'return isinstance(value, (int, np.integer, tensor_shape.Dimension)) or (',
          'return isinstance(value, (int, np.integer)) or (',
          ['python_package'], python('test_tensor_shape', 'lists_of_sizes')),
    Guard(12, 'objects that cannot be copied say so', """    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object: {self._instead}")
""", '', ['python_package'], python('test_copies')),
]
