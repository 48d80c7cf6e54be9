"""Symptom: a fall of a ratio is not noticed by `make bench-check`, or noise is taken for one."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
import record
import tables
from jobs import JOBS, figures_of


def sides(ramet, tensorflow, floor=None):
    lines = {"ramet": {"value": ramet, "peak_mib": 50.2}, "tensorflow": {"value": tensorflow, "peak_mib": 500}}
    return lines if floor is None else {**lines, "floor": {"value": floor}}


class RecordTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self._old, record.PATH = record.PATH, os.path.join(self._folder.name, "record.json")

    def tearDown(self):
        record.PATH = self._old
        self._folder.cleanup()

    def test_best_lines_have_the_shortest_times_and_the_largest_peak(self):
        best = {}
        record.keep_best(best, "a/threads:1", "ramet", {"value": 3.0, "session_run": 4.0, "peak_mib": 10})
        record.keep_best(best, "a/threads:1", "ramet", {"value": 2.0, "session_run": 5.0, "peak_mib": 12})
        self.assertEqual(best["a/threads:1"]["ramet"], {"value": 2.0, "session_run": 4.0, "peak_mib": 12})

    def test_a_record_has_ratios_and_the_machine(self):
        record.write({"mlp_train/threads:1": sides(2.0, 5.0, 1.0)}, {"ramet": "1"})
        with open(record.PATH) as file:
            text = file.read()
        self.assertEqual(text.count("\n"), len(text.splitlines()))
        read = record.read()
        self.assertEqual(read, json.loads(text))
        self.assertEqual(read["rows"]["mlp_train/threads:1"]["ratios"], {"tensorflow": 2.5, "floor": 0.5})
        self.assertEqual(record.other_machine(read), "")
        read["machine"]["cores"] += 1
        self.assertIn("bench-cpu ARGS=--record", record.other_machine(read))

    def test_falls_of_more_than_five_percent_are_found(self):
        recorded = {"rows": {"a/threads:1": {"ratios": {"tensorflow": 2.0, "floor": 0.5, "jax": 9.0}},
                             "not measured/threads:1": {"ratios": {"tensorflow": 2.0}}}}
        self.assertEqual(record.fallen({"a/threads:1": sides(1.0, 1.91, 0.48)}, recorded), [])
        fallen = record.fallen({"a/threads:1": sides(1.0, 1.89, 0.47)}, recorded)
        self.assertEqual([(row, side) for row, side, _, _ in fallen],
                         [("a/threads:1", "floor"), ("a/threads:1", "tensorflow")])

    def test_a_missing_record_says_how_to_write_it(self):
        with self.assertRaisesRegex(SystemExit, "bench-cpu ARGS=--record"):
            record.read()

    def test_each_figure_names_its_job(self):
        for job in JOBS.values():
            for figure in figures_of(job):
                self.assertEqual(record.job_name(figure + "/threads:2"), job.name)

    def test_rows_are_in_the_order_of_the_jobs(self):
        rows = ["tiny_ops/threads:1", "mlp_infer_1/threads:2", "mlp_train/threads:1"]
        self.assertEqual(sorted(rows, key=tables.row_order),
                         ["mlp_train/threads:1", "tiny_ops/threads:1", "mlp_infer_1/threads:2"])


if __name__ == "__main__":
    unittest.main()
