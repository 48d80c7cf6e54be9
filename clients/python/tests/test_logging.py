"""ramet.lib.tf_logging: which messages are logged, in which format, and for which line."""

import logging
import subprocess
import sys
import unittest

from ramet.lib import tf_logging


class LoggingTest(unittest.TestCase):

    def setUp(self):
        self.addCleanup(tf_logging.set_verbosity, tf_logging.get_logger().level)
        tf_logging.set_verbosity(tf_logging.INFO)

    def test_messages_go_to_the_logger_of_tensorflow(self):
        with self.assertLogs('tensorflow', logging.INFO) as logs:
            tf_logging.info('one %d', 1)
            tf_logging.warn('two')
            tf_logging.warning('100%')
            tf_logging.error('%s', 'three')
            tf_logging.fatal('four')
            tf_logging.log(tf_logging.ERROR, 'five')
            tf_logging.vlog(tf_logging.INFO, 'six')
            tf_logging.debug('unseen')
            tf_logging.log_if(tf_logging.INFO, 'seven', True)
            tf_logging.log_if(tf_logging.INFO, 'unseen', False)
        self.assertEqual(logs.output, [
            'INFO:tensorflow:one 1', 'WARNING:tensorflow:two', 'WARNING:tensorflow:100%',
            'ERROR:tensorflow:three', 'CRITICAL:tensorflow:four', 'ERROR:tensorflow:five',
            'INFO:tensorflow:six', 'INFO:tensorflow:seven'])

    def test_records_name_the_line_of_the_caller(self):
        with self.assertLogs('tensorflow', logging.INFO) as logs:
            tf_logging.info('x')
            tf_logging.log_first_n(tf_logging.INFO, 'x', 1)
            tf_logging.log_if(tf_logging.INFO, 'x', True)
        line = sys._getframe().f_lineno
        self.assertEqual([record.lineno for record in logs.records], [line - 3, line - 2, line - 1])
        self.assertEqual({record.filename for record in logs.records}, {'test_logging.py'})

    def test_every_n_and_first_n_count_by_line(self):
        with self.assertLogs('tensorflow', logging.INFO) as logs:
            for i in range(7):
                tf_logging.log_every_n(tf_logging.INFO, 'every %d', 3, i)
                tf_logging.log_first_n(tf_logging.INFO, 'first %d', 2, i)
        self.assertEqual([record.getMessage() for record in logs.records],
                         ['every 0', 'first 0', 'first 1', 'every 3', 'every 6'])

    def test_verbosity(self):
        tf_logging.set_verbosity('ERROR')
        self.assertEqual(tf_logging.get_verbosity(), tf_logging.ERROR)
        self.assertFalse(tf_logging.get_logger().isEnabledFor(tf_logging.WARN))

    def test_a_script_sees_warnings_on_stderr(self):
        ran = subprocess.run(
            [sys.executable, '-c', 'from ramet.lib import tf_logging as l\n'
             'l.info("no"); l.warn("yes"); l.set_verbosity(l.INFO); l.info("now")'],
            capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(ran.stderr, 'WARNING:tensorflow:yes\nINFO:tensorflow:now\n')


if __name__ == '__main__':
    unittest.main()
