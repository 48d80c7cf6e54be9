"""Symptom: after Ramet imported and exported a model, it does not run in TensorFlow.

For every case in the folder RAMET_ZOO (see its README), Ramet imports it, restores it, exports it and saves it again,
with the original saver and with a new one. TensorFlow loads the result and must compute the expected values; so must
Ramet (zoo_test on the files that it wrote). Skipped if RAMET_ZOO is not set. Needs tensorflow and RAMET_BUILD.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from import_driving import BUILD, RametError, drive, drive_all, tensorflow

ZOO = os.environ.get("RAMET_ZOO")


def cases():
    if not ZOO or not os.path.isdir(ZOO):
        return []
    return sorted(c for c in os.listdir(ZOO) if os.path.exists(os.path.join(ZOO, c, "case.json")))


def runner():
    spec = importlib.util.spec_from_file_location("run_zoo", os.path.join(ZOO, "run_zoo.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tf = tensorflow()
    return module


@unittest.skipIf(not ZOO, "skipped: RAMET_ZOO is not set")
class ZooRoundTripTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runner = runner()

    def load(self, name):
        """Returns the case, and a copy of its folder in which files other than case.json may be replaced."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = os.path.join(scratch.name, name)
        shutil.copytree(os.path.join(ZOO, name), folder)
        case_json = os.path.join(folder, "case.json")
        with open(case_json) as f:
            case = json.load(f)
        for top, _, _ in os.walk(folder):
            os.chmod(top, 0o755)  # the zoo may be read-only
        os.remove(case_json)
        return case, folder

    def assert_runs(self, case, folder):
        _, outs = self.runner.run_steps(case, folder)
        _, bad = self.runner.check(case, folder, outs)
        self.assertEqual(bad, [])

    def assert_runs_in_ramet(self, case, folder):
        with open(os.path.join(folder, "case.json"), "x") as f:
            json.dump(case, f)
        zoo = os.path.dirname(folder)
        done = subprocess.run([os.path.join(BUILD, "bin", "zoo_test")], env=dict(os.environ, RAMET_ZOO=zoo),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\[  PASSED  \] 4 tests")

    def import_words(self, case, folder):
        files = case["files"]
        cpus = case.get("session", {}).get("device_count", {}).get("CPU", 1)
        words = [["cpus", str(cpus)]]
        if case["kind"] == "frozen":
            return words + [["import_graph", os.path.join(folder, files["pb"]), "name="]]
        if case["kind"] == "savedmodel":
            return words + [["import_model", os.path.join(folder, files["saved_model"])] +
                            [f"tag={t}" for t in case["tags"]]]
        one = ["import_meta", os.path.join(folder, files["meta"])]
        if case.get("import_scope"):
            one.append(f"scope={case['import_scope']}")
        if case.get("clear_devices"):
            one.append("clear_devices")
        if case.get("strip_output_shapes"):
            one.append("novalidate")
        return words + [one]

    def graph(self, name):
        case, folder = self.load(name)
        out = os.path.join(folder, "ours")
        export = "export_graph" if case["kind"] == "frozen" else "export_meta"
        self.assertEqual(drive(*self.import_words(case, folder), [export, out])[-1], "")
        if case["kind"] == "frozen":
            case["files"]["pb"] = "ours"
        elif case["kind"] == "savedmodel":
            self.put_into_saved_model(case, folder, out)
        else:
            case["files"]["meta"] = "ours"
            case.pop("import_scope", None)  # the exported names include it
            case.pop("clear_devices", None)
        self.assert_runs(case, folder)

    def put_into_saved_model(self, case, folder, meta_path):
        from tensorflow.core.protobuf import saved_model_pb2
        path = os.path.join(folder, case["files"]["saved_model"], "saved_model.pb")
        model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
        with open(meta_path, "rb") as f:
            model.meta_graphs.add().ParseFromString(f.read())
        os.remove(path)
        with open(path, "wb") as f:
            f.write(model.SerializeToString())

    def saved_model_words(self, case, folder, load):
        load[-1][0] = "load_model"
        if any(isinstance(a, RametError) and a.code == "UNIMPLEMENTED" for a in drive_all(*load)):
            load[-1].append("no_init")
        tags = [f"tag={t}" for t in case["tags"]]
        return load + [["save_model", os.path.join(folder, "again")] + tags]

    def checkpoint_words(self, case, folder, load):
        restore = ["restore", os.path.join(folder, case["files"]["checkpoint"])]
        restore += [f"restore_map={k}={v}" for k, v in case.get("restore_map", {}).items()]
        return load + [restore, ["save", os.path.join(folder, "again"), "meta"]]

    def again(self, name, new_saver):
        """Imports, restores, exports and saves with Ramet."""
        case, folder = self.load(name)
        load = self.import_words(case, folder)
        if case["kind"] == "frozen":
            drive(*load, ["export_graph", os.path.join(folder, "again")])
            case["files"] = {"pb": "again"}
        elif case["kind"] == "savedmodel":
            words = self.saved_model_words(case, folder, load)
            drive(*words[:-1], words[-1] + ([] if new_saver else ["own_saver"]))
            case["files"] = {"saved_model": "again"}
        else:
            words = self.checkpoint_words(case, folder, load)
            saved = drive(*words[:-1], words[-1] + (["new"] if new_saver else []))[-1]
            case["files"] = {"meta": os.path.basename(saved) + ".meta", "checkpoint": os.path.basename(saved)}
            if not os.path.exists(os.path.join(folder, case["files"]["meta"])):
                case["files"]["meta"] = "again.meta"
            case.pop("import_scope", None)
            case.pop("clear_devices", None)
            if new_saver:
                case["kind"] = "metagraph+v2"
        self.assert_runs(case, folder)
        self.assert_runs_in_ramet(case, folder)


def add_tests():
    for name in cases():
        setattr(ZooRoundTripTest, f"test_graph_{name}", lambda self, n=name: self.graph(n))
        setattr(ZooRoundTripTest, f"test_saved_again_{name}", lambda self, n=name: self.again(n, False))
        setattr(ZooRoundTripTest, f"test_saved_by_a_new_saver_{name}", lambda self, n=name: self.again(n, True))


add_tests()

if __name__ == "__main__":
    unittest.main()
