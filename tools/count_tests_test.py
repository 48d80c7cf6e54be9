"""Symptom: the last line of .ci/run does not count a failure."""

import os
import tempfile
import unittest

import count_tests

CTEST = """<testsuite>
<testcase name="a_test" classname="a_test" status="run"/>
<testcase name="b_test" classname="b_test" status="fail"><failure message="Failed"/></testcase>
<testcase name="script" classname="script" status="run"/>
<testcase name="other" classname="other" status="notrun"><skipped/></testcase>
</testsuite>"""
A_TEST = """<testsuites><testsuite name="A">
<testcase name="X" classname="A" status="run" result="completed"/>
<testcase name="Y" classname="A" status="run" result="skipped"><skipped message="no zoo"/></testcase>
</testsuite></testsuites>"""
PYTEST = """<testsuites><testsuite><testcase classname="m.T" name="t"/>
<testcase classname="m.T" name="u"><error message="boom"/></testcase></testsuite></testsuites>"""


class CountTestsTest(unittest.TestCase):
    def results(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name.replace("__", ".")), "w", encoding="utf-8") as file:
                    file.write(text)
            return sorted(count_tests.results(folder))

    def test_program_counts_as_its_cases_and_crash_as_failure(self):
        self.assertEqual(
            self.results(ctest__junit=CTEST, a_test__xml=A_TEST, b_test__xml="<testsuites><test"),
            [("A.X", "passed"), ("A.Y", "skipped"), ("b_test.b_test", "failed"), ("other.other", "skipped"),
             ("script.script", "passed")])

    def test_crash_after_all_cases_passed_is_a_failure(self):
        self.assertIn(("b_test.b_test", "failed"), self.results(ctest__junit=CTEST, b_test__xml=A_TEST))

    def test_pytest_errors_are_failures(self):
        self.assertEqual(self.results(pytest__junit=PYTEST), [("m.T.t", "passed"), ("m.T.u", "failed")])


if __name__ == "__main__":
    unittest.main()
