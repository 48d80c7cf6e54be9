"""Runs tests/oracle/import_driver.cc, and contains the TensorFlow code that its tests share."""

import os
import subprocess
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

BUILD = os.environ.get("RAMET_BUILD", os.path.join(os.path.dirname(__file__), "..", "..", "build"))
DRIVER = os.path.join(BUILD, "bin", "import_driver")


class RametError(Exception):
    """The code and message of an error from Ramet."""

    def __init__(self, line):
        _, self.code, self.message = (line.split(" ", 2) + [""])[:3]
        super().__init__(line)


def drive_all(*commands):
    """Runs commands, each a list of words. Returns the answers, with a RametError for each failure."""
    text = "".join("\t".join(c) + "\n" for c in commands)
    done = subprocess.run([DRIVER], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"import_driver ended with {done.returncode}: {done.stderr}"
    answers = done.stdout.splitlines()
    assert len(answers) == len(commands), done.stdout + done.stderr
    return [RametError(a) if a.startswith("error ") else a[3:] for a in answers]


def drive(*commands):
    """Like drive_all, but raises the first error."""
    answers = drive_all(*commands)
    for answer in answers:
        if isinstance(answer, RametError):
            raise answer
    return answers


def tensorflow():
    try:
        import tensorflow.compat.v1 as tf
    except ImportError as error:
        raise unittest.SkipTest(f"skipped: no tensorflow here ({error})")
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf
