"""The exceptions: their codes, and the stack traces of the creation of ops."""

import pickle
import types
import unittest
import warnings

from ramet.framework import errors


def operation(name, line, original=None):
    return types.SimpleNamespace(
        name=name,
        node_def=f'node {name}',
        traceback=[('model.py', line, 'build')],
        _original_op=original,
    )


class Graph:
    def __init__(self, *operations):
        self._operations = {op.name: op for op in operations}

    def get_operation_by_name(self, name):
        return self._operations[name]


class ErrorsTest(unittest.TestCase):
    def test_codes(self):
        for code in range(1, 17):
            cls = errors.exception_type_from_error_code(code)
            self.assertTrue(issubclass(cls, errors.OpError))
            self.assertEqual(errors.error_code_from_exception_type(cls), code)
            self.assertEqual(cls(None, None, 'm').error_code, code)
        with self.assertRaises(KeyError):
            errors.exception_type_from_error_code(errors.OK)
        with warnings.catch_warnings(record=True):
            warnings.simplefilter('always')
            found = errors.error_code_from_exception_type(ValueError)
        self.assertIsInstance(found, errors.UnknownError)

    def test_the_text_has_the_lines_that_made_the_op(self):
        error = errors.InvalidArgumentError(None, operation('y', 7), 'Bad shapes')
        self.assertEqual(
            str(error),
            'Bad shapes\n\nOriginal stack trace for \'y\':\n  File "model.py", line 7, in build\n',
        )
        self.assertEqual(error.message, 'Bad shapes')

    def test_the_text_has_the_op_that_a_gradient_was_made_for(self):
        error = errors.OpError(None, operation('grad', 9, operation('y', 7)), 'm', 3)
        self.assertIn("\n...which was originally created as op 'y', defined at:\n", str(error))
        self.assertIn('line 7', str(error))

    def test_from_status(self):
        graph = Graph(operation('y', 7))
        error = errors.from_status(errors.OUT_OF_RANGE, 'end', 'y', graph)
        self.assertIsInstance(error, errors.OutOfRangeError)
        self.assertEqual((error.op.name, error.node_def), ('y', 'node y'))
        error = errors.from_status(errors.NOT_FOUND, 'gone', 'other', graph)
        self.assertIsNone(error.op)
        self.assertEqual(str(error), 'gone')
        error = errors.from_status(99, 'odd')
        self.assertIsInstance(error, errors.UnknownError)
        self.assertEqual(error.error_code, 99)

    def test_pickle_drops_the_op(self):
        error = errors.AbortedError(None, operation('y', 7), 'm')
        again = pickle.loads(pickle.dumps(error))
        self.assertIs(type(again), errors.AbortedError)
        self.assertEqual((again.message, again.op, again.error_code), ('m', None, errors.ABORTED))

    def test_payloads(self):
        error = errors.InternalError(None, None, 'm', {'a': b'x'})
        self.assertEqual(error.experimental_payloads, {'a': b'x'})
        self.assertEqual(error.error_code, errors.INTERNAL)


if __name__ == '__main__':
    unittest.main()
