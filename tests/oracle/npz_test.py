"""Exchanges .npz files between the program RAMET_PROGRAM (default: build/bin/ramet) and NumPy."""

import json
import os
import subprocess
import tempfile
import zipfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("RAMET_PROGRAM", os.path.join(ROOT, "build", "bin", "ramet"))


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def arrays():
    kinds = [np.float16, np.float32, np.float64, np.complex64, np.complex128, np.bool_] + [
        np.dtype("%s%d" % (sign, size)) for sign in ("i", "u") for size in (1, 2, 4, 8)]
    made = {"scope/%s" % np.dtype(k).name: (np.arange(24).reshape(2, 3, 4) % 7 - 1).astype(k) for k in kinds}
    made.update(scalar=np.float32(2.5), none=np.zeros((0, 3), np.int32), zeros=np.zeros(300000, np.float32))
    return made


def check(loaded, expected):
    assert sorted(loaded) == sorted(expected), (sorted(loaded), sorted(expected))
    for name, value in expected.items():
        assert loaded[name].dtype == np.asarray(value).dtype, name
        np.testing.assert_array_equal(loaded[name], value, err_msg=name)


def test_there_and_back():
    expected = arrays()
    with tempfile.TemporaryDirectory() as folder:
        for save, flag in ((np.savez, ()), (np.savez_compressed, ("--compress",))):
            theirs, bundle, ours = (os.path.join(folder, n) for n in ("theirs.npz", "bundle", "ours.npz"))
            save(theirs, **expected)
            run("convert", theirs, bundle)
            run("convert", bundle, ours, *flag)
            assert zipfile.ZipFile(ours).testzip() is None
            with np.load(ours) as loaded:
                check(dict(loaded), expected)
            assert json.loads(run("diff", theirs, ours, "--json"))["equal"]


def test_zip64_fields():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "forced.npz")
        with zipfile.ZipFile(path, "w") as archive:
            with archive.open("x.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.arange(5))
            archive.comment = b"PK\5\6 a comment that looks like an end record"
        assert json.loads(run("print", path, "x", "--json"))["values"] == [0, 1, 2, 3, 4]


if __name__ == "__main__":
    test_there_and_back()
    test_zip64_fields()
    print("ok")
