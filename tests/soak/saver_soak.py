"""Tests savers against readers, kills and broken disks: no checkpoint may be lost or seen half-written.

usage: saver_soak.py WORKER FAULTY_IO

RAMET_SOAK_SAVES sets the number of saves, and of restores, in each mode. RAMET_SOAK_KILLS sets the number of kills, and
RAMET_SOAK_FAULTS the approximate number of failed calls. RAMET_SOAK_DIR is the folder to use; the default is in memory,
so that nothing waits for a disk. Prints the figures. Exits with 1 if a check fails.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

WORKER, FAULTY_IO = sys.argv[1:3]
SAVES = int(os.environ.get("RAMET_SOAK_SAVES", "300"))
KILLS = int(os.environ.get("RAMET_SOAK_KILLS", "20"))
FAULTS = int(os.environ.get("RAMET_SOAK_FAULTS", "60"))
WHERE = os.environ.get("RAMET_SOAK_DIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
MODES = ("plain", "sharded", "numbered")
# Later saves remove what killed saves left: data files after 10 seconds, text files after an hour.
MAX_OLD_FILES, OLD = 10, 15


def worker(*args, **more):
    env = dict(os.environ, OMP_NUM_THREADS="1", **more.pop("env", {}))
    return subprocess.Popen([WORKER, *map(str, args)], text=True, env=env, **{"stdout": subprocess.PIPE, **more})


class Checker:
    """A process that restores on request."""

    def __init__(self, prefix, mode):
        self.process = worker("check", prefix, mode, stdin=subprocess.PIPE)

    def step(self):
        """Returns the step that a restore finds, or a string that describes the error."""
        print("check", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        return int(answer[5:]) if answer.startswith("step ") else answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def pair(folder, mode):
    """Runs saves against restores, at least SAVES of each."""
    prefix, ends = os.path.join(folder, "m"), [os.path.join(folder, "..", n + os.path.basename(folder)) for n in ("saver", "reader")]
    first = worker("save", prefix, 1, 0, mode, "-", "-")
    first.communicate()
    begin = time.time()
    saver = worker("save", prefix, SAVES, 1, mode, *ends)
    reader = worker("restore", prefix, SAVES, mode, *reversed(ends))
    said = saver.communicate()[0].splitlines()
    figures = reader.communicate()[0].split()
    for end in ends:
        os.remove(end)
    figures = dict(zip(figures[::2], map(int, figures[1::2])))
    figures.update(saves=sum(l.startswith("saved") for l in said), failed_saves=sum(l.startswith("failed") for l in said))
    print("%-9s saves %d (%d failed) restores %d: failures %d, mixed %d, backward %d; %.0f s" % (
        mode, figures["saves"], figures["failed_saves"], figures["restores"], figures["failures"], figures["mixed"],
        figures["backward"], time.time() - begin), flush=True)
    return figures["failed_saves"] + figures["failures"] + figures["mixed"] + figures["backward"]


def kills(folder, mode):
    """Kills savers at random points with SIGKILL. All completed saves must be found."""
    prefix, random_source = os.path.join(folder, "m"), random.Random(mode)
    lost = in_between = 0
    first = worker("save", prefix, 1, 0, mode, "-", "-")
    first.communicate()
    checker, known, begin = Checker(prefix, mode), 0, time.time()
    for _ in range(KILLS):
        with tempfile.TemporaryFile("w+") as said:
            saver = worker("save", prefix, 10**9, known + 1, mode, "-", "-", stdout=said)
            while os.fstat(said.fileno()).st_size == 0:
                time.sleep(0.0005)
            time.sleep(random_source.random() * 0.03)
            saver.kill()
            saver.wait()
            said.seek(0)
            text = said.read()
        saved = [int(l.split()[1]) for l in text.splitlines() if l.startswith("saved ")]
        found = checker.step()
        newest = saved[-1] if saved else known
        if not isinstance(found, int) or found not in (newest, newest + 1):
            lost += 1
            print("after step %s a restore found %s" % (newest, found))
        else:
            in_between += found == newest + 1
            known = found
    checker.close()
    files = [os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs]
    big = [f for f in files if not os.path.basename(f).startswith("checkpoint.")]
    old = sum(os.path.getmtime(f) < time.time() - OLD for f in big)
    print("%-9s kills %d: lost %d, committed but not reported %d, files %d, of them old %d; %.0f s" % (
        mode, KILLS, lost, in_between, len(files), old, time.time() - begin), flush=True)
    # Data renamed when a numbered checkpoint was killed remain: they look like a save in progress.
    return lost + (mode != "numbered" and old > MAX_OLD_FILES)


def faults(folder, mode, kind):
    """Runs saves in which calls fail or write less than they should."""
    prefix = os.path.join(folder, "m")
    first = worker("save", prefix, 1, 0, mode, "-", "-")
    first.communicate()
    checker, known, next_step, failed, saved, lost, begin = Checker(prefix, mode), 0, 1, 0, 0, 0, time.time()
    env = {"LD_PRELOAD": FAULTY_IO, "FAULTY_IO_DIR": folder, "FAULTY_IO_KIND": kind, "FAULTY_IO_ONE_IN": "20"}
    while failed + (saved if kind == "short" else 0) < FAULTS:
        saver = worker("save", prefix, 5, next_step, mode, "-", "-", env=dict(env, FAULTY_IO_SEED=str(next_step)))
        lines = [l.split() for l in saver.communicate()[0].splitlines() if l.startswith(("saved", "failed"))]
        assert len(lines) == 5, "a saver ended with %s" % saver.returncode
        after = known
        for word, step, *_ in lines:
            if word == "saved":
                after, saved = int(step), saved + 1
            else:
                failed += 1
        found = checker.step()
        possible = {after} | {int(l[1]) for l in lines if l[0] == "failed" and int(l[1]) > after}
        if found not in possible:
            lost += 1
            print("after step %s a restore found %s" % (after, found))
        known, next_step = found if isinstance(found, int) else after, next_step + 5
    checker.close()
    print("%-9s %-6s saves %d, failed %d: lost %d; %.0f s" % (mode, kind, saved + failed, failed, lost, time.time() - begin), flush=True)
    return lost + (failed if kind == "short" else 0)


def main():
    bad = 0
    for mode in MODES:
        for job in [pair, kills] + [lambda f, m, k=k: faults(f, m, k) for k in ("ENOSPC", "EIO", "short")]:
            folder = tempfile.mkdtemp(prefix="ramet-soak-", dir=WHERE)
            try:
                bad += job(folder, mode)
            finally:
                shutil.rmtree(folder)
    print("soak: %d saves and restores a mode, %d kills, %d faults a kind: %s" % (SAVES, KILLS, FAULTS, "%d BAD" % bad if bad else "all good"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
