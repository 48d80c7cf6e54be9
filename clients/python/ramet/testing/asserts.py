"""Assertions about arrays, tensors, errors and messages."""

import contextlib
import math
import re

import numpy as np

from ramet.framework import device, errors, ops


def _compare_graph_defs(actual, expected, shard_names, table_names):
    from google.protobuf import text_format

    def nodes(graph_def):
        found = {}
        for node in graph_def.node:
            copy = type(node).FromString(node.SerializeToString())
            if shard_names and node.op == 'Const' and node.name.endswith('StringJoin/inputs_1'):
                copy.ClearField('attr')
            if table_names and 'shared_name' in copy.attr:
                del copy.attr['shared_name']
            found[node.name] = text_format.MessageToString(copy)
        return found

    actual, expected = nodes(actual), nodes(expected)
    for name in sorted(set(actual) | set(expected)):
        if actual.get(name) != expected.get(name):
            raise AssertionError(f"node '{name}' is\n{actual.get(name)}\nnot\n"
                                 f'{expected.get(name)}')


def assert_equal_graph_def(actual, expected, checkpoint_v2, hash_table_shared_name):
    """Implements tf.test.assert_equal_graph_def."""
    for argument, message in (('actual', actual), ('expected', expected)):
        if getattr(getattr(message, 'DESCRIPTOR', None), 'name', None) != 'GraphDef':
            raise TypeError(f'Expected tf.GraphDef for {argument}, got {type(message).__name__}')
    _compare_graph_defs(actual, expected, checkpoint_v2, hash_table_shared_name)


def _is_nested(value):
    return isinstance(value, (list, tuple)) and any(
        isinstance(part, (list, tuple, dict, np.ndarray, ops.Tensor)) for part in value)


class TensorAsserts:
    """Assertions that tf.test.TestCase adds to unittest's."""

    def _array(self, value):
        if isinstance(value, ops.Tensor) or hasattr(value, '_ref'):
            value = self.evaluate(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    def _same_shape(self, a, b, msg):
        self.assertEqual(a.shape, b.shape,
                         f'Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ""}')

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Fails unless two arrays, tensors or structures of these are nearly equal.

        Args:
          a: the expected value.
          b: the actual value.
          rtol: the relative tolerance.
          atol: the absolute tolerance.
          msg: text to add to the message.
        """
        self._all_close(a, b, rtol, atol, msg, '')

    def _all_close(self, a, b, rtol, atol, msg, path):
        if hasattr(a, '_asdict'):
            a, b = a._asdict(), b._asdict() if hasattr(b, '_asdict') else b
        if isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self._all_close(a[key], b[key], rtol, atol, msg, f'{path}[{key!r}]')
        elif _is_nested(a) and _is_nested(b):
            self.assertEqual(len(a), len(b), msg)
            for i, (part_a, part_b) in enumerate(zip(a, b)):
                self._all_close(part_a, part_b, rtol, atol, msg, f'{path}[{i}]')
        else:
            self._arrays_close(self._array(a), self._array(b), rtol, atol,
                               f'{msg or ""} {path}'.strip())

    def _arrays_close(self, a, b, rtol, atol, msg):
        self._same_shape(a, b, msg)
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            a, b = np.asarray(a), np.asarray(b)
            far = ~np.isclose(a, b, rtol=rtol, atol=atol)
            first = tuple(int(i) for i in np.argwhere(far)[0]) if far.ndim else ()
            self.fail(f'Mismatched value: {int(far.sum())} of {far.size} elements differ, the '
                      f'first at {first}: {a[first]} and {b[first]} (rtol={rtol}, atol={atol}). '
                      f'{msg}')

    def assertAllCloseAccordingToType(
            self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6,
            half_rtol=1e-3, half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        """Like assertAllClose, with the tolerances for the narrowest dtype of the two values.

        Args:
          a: the expected value.
          b: the actual value.
          rtol: the relative tolerance for double.
          atol: the absolute tolerance for double.
          float_rtol: the relative tolerance for float.
          float_atol: the absolute tolerance for float.
          half_rtol: the relative tolerance for half.
          half_atol: the absolute tolerance for half.
          bfloat16_rtol: the relative tolerance for bfloat16.
          bfloat16_atol: the absolute tolerance for bfloat16.
          msg: text to add to the message.
        """
        a, b = self._array(a), self._array(b)
        names = {a.dtype.name, b.dtype.name}
        if names & {'float32', 'complex64'}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if 'float16' in names:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if 'bfloat16' in names:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Fails if two arrays or tensors are nearly equal."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol)
        except AssertionError:
            return
        self.fail(f'The two values are close at all elements. {msg or ""}')

    def assertAllEqual(self, a, b, msg=None):
        """Fails unless two arrays or tensors are equal; NaN equals NaN.

        Args:
          a: the expected value.
          b: the actual value.
          msg: text to add to the message.
        """
        a, b = self._array(a), self._array(b)
        if b.ndim <= 3 or b.size < 500:
            self._same_shape(a, b, msg)
        same = a == b
        if np.issubdtype(a.dtype, np.inexact) and np.issubdtype(b.dtype, np.inexact):
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            far = np.argwhere(~np.asarray(same))
            self.fail(f'not equal where = {far[:10].tolist()}\nnot equal lhs = {a!r}\n'
                      f'not equal rhs = {b!r}\n{msg or ""}')

    def assertNotAllEqual(self, a, b, msg=None):
        """Fails if two arrays or tensors are equal."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f'The two values are equal at all elements. {msg or ""}')

    def assertAllGreater(self, a, comparison_target):
        """Fails unless all elements are greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """Fails unless all elements are less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """Fails unless all elements are at least a number."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """Fails unless all elements are at most a number."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False,
                         open_upper_bound=False):
        """Fails unless all elements are between two bounds.

        Args:
          target: an array or Tensor of numbers.
          lower_bound: a number.
          upper_bound: a number.
          open_lower_bound: whether to exclude the lower bound itself.
          open_upper_bound: whether to exclude the upper bound itself.
        """
        target = self._array(target)
        if not np.issubdtype(target.dtype, np.number):
            raise AssertionError(f'The value of {target} does not have an ordered numeric type')
        outside = np.isnan(target)
        outside |= target <= lower_bound if open_lower_bound else target < lower_bound
        outside |= target >= upper_bound if open_upper_bound else target > upper_bound
        if np.any(outside):
            self.fail(f'{int(outside.sum())} of {target.size} elements are outside of '
                      f'{"(" if open_lower_bound else "["}{lower_bound}, {upper_bound}'
                      f'{")" if open_upper_bound else "]"}: {target[outside][:10]}')

    def assertAllInSet(self, target, expected_set):
        """Fails unless all elements are in a set."""
        odd = set(self._array(target).ravel().tolist()) - set(expected_set)
        if odd:
            self.fail(f'{sorted(odd)} are not in the set {expected_set}')

    def assertNear(self, f1, f2, err, msg=None):
        """Fails unless two numbers differ by at most err. NaN is near NaN."""
        near = f1 == f2 or math.fabs(f1 - f2) <= err or (math.isnan(f1) and math.isnan(f2))
        self.assertTrue(near, f'{f1!r} != {f2!r} +/- {err!r} {msg or ""}')

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Fails unless the numbers in two lists differ by at most err."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Fails unless the L2 norm of the difference of two arrays is at most err."""
        self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Fails unless an array or Tensor has the expected type."""
        target = self._array(target)
        self.assertEqual(target.dtype, np.dtype(expected_dtype))

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Fails unless two arrays or tensors have the same static shape."""
        shapes = [tuple(v.get_shape().as_list()) if hasattr(v, 'get_shape') else np.shape(v)
                  for v in (input_a, input_b)]
        self.assertEqual(shapes[0], shapes[1], msg)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Fails unless two device strings or objects name the same device."""
        self.assertEqual(device.canonical_name(device1), device.canonical_name(device2), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Fails unless the block raises an exception that a pattern or function accepts.

        Args:
          exception_type: a class.
          expected_err_re_or_predicate: a function of the exception, or a pattern for its message
            and, for errors of sessions, for the names of the operations in it.
        """
        try:
            yield
        except exception_type as error:
            if not self._matches(error, expected_err_re_or_predicate):
                raise AssertionError(f'Exception of type {type(error)}: {error}') from error
            return
        self.fail(f'{exception_type.__name__} not raised')

    @staticmethod
    def _matches(error, pattern):
        if callable(pattern):
            return pattern(error)
        text = error.message if hasattr(error, 'message') else str(error)
        op = getattr(error, 'op', None)
        while op is not None:
            text += f'\nCaused by: {op.name}'
            op = getattr(op, '_original_op', None)
        return re.search(pattern, text) is not None

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """Fails unless the block raises a tf.errors.OpError that a pattern accepts."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None):
        """Fails unless two messages are equal. The first one may be in text format."""
        from google.protobuf import text_format
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(message)())
        self.assertEqual(text_format.MessageToString(expected),
                         text_format.MessageToString(message), msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        """Fails unless one string starts with another."""
        self.assertTrue(actual.startswith(expected_start),
                        msg or f'{actual!r} does not start with {expected_start!r}')

    def assertEmpty(self, container, msg=None):
        """Fails unless a container is empty."""
        self.assertFalse(len(container), msg or f'{container!r} has length of {len(container)}.')

    def assertNotEmpty(self, container, msg=None):
        """Fails if a container is empty."""
        self.assertTrue(len(container), msg or f'{container!r} has length of 0.')

    def assertLen(self, container, expected_len, msg=None):
        """Fails unless a container has the expected length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertBetween(self, value, minv, maxv, msg=None):
        """Fails unless a value is between two others."""
        self.assertTrue(minv <= value <= maxv, msg or f'{value} is not in [{minv}, {maxv}]')

    def assertItemsEqual(self, first, second, msg=None):
        """Calls assertCountEqual, which is the current name."""
        self.assertCountEqual(first, second, msg)

    assertSameElements = assertItemsEqual
    assertRaisesRegexp = property(lambda self: self.assertRaisesRegex)
    assertRegexpMatches = property(lambda self: self.assertRegex)
