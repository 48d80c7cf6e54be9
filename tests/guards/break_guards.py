#!/usr/bin/env python3
"""Removes each guard of guards.py, one after another, and checks that its test then fails.

usage: break_guards.py [--build FOLDER] [--only PATTERN] [--jobs N] [--check]

--check only looks for each guard's text in the sources, which takes no time; `make test` does this. Without it, the
tests are run once with all guards in place, and the sources change afterwards: do not use the tree in the meantime.
The sources and the build folder are restored at the end, the sources also when it is interrupted.
"""

import argparse
import os
import re
import signal
import subprocess
import sys

from guards import GUARDS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def sources():
    for top in ('ramet', 'clients'):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith(('.cc', '.h', '.py')) and '_test.' not in name:
                    yield os.path.join(folder, name)


def find(guard, texts):
    """Returns the file that has the guard, or raises SystemExit."""
    found = [path for path, text in texts.items() if guard.old in text]
    if len(found) != 1 or texts[found[0]].count(guard.old) != 1:
        places = ', '.join(os.path.relpath(path, ROOT) for path in found) or 'nowhere'
        raise SystemExit(f'"{guard.what}": its text has to occur once in ramet/ and clients/, but occurs in: {places}. '
                         f'Adapt tests/guards/guards.py to the new code.\n{guard.old}')
    return found[0]


class Builder:
    """Builds targets and runs tests in a build folder."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.ninja = f'ninja -j{jobs} ' if jobs else 'ninja '

    def run(self, command, seconds=120):
        """Returns the exit status, or None if it took too long, and the output."""
        environment = dict(os.environ, PYTHONPATH=os.path.join(self.folder, 'python') + ':' +
                           os.path.join(ROOT, 'clients/python/tests'), RAMET_LOG_LEVEL='error')
        process = subprocess.Popen(command, shell=True, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors='replace', start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]

    def build(self, targets):
        """Reports whether the targets can be built."""
        status, output = self.run(self.ninja + ' '.join(sorted(targets)), seconds=3600)
        if status != 0:
            print(output[-2000:] if status is not None else 'the build took too long')
        return status == 0


def failures(status, output):
    """Returns the names of the tests that failed, or how the test program ended."""
    names = re.findall(r'^\[  FAILED  \] ([\w./]+)|^(?:FAIL|ERROR): (\w+)', output, re.MULTILINE)
    found = list(dict.fromkeys(a or b for a, b in names))
    return ', '.join(found[:3]) + (', ...' if len(found) > 3 else '') or f'exit status {status}'


def broken(guard, path, text, builder):
    """Removes the guard; returns whether its test then fails, and what happened in words."""
    try:
        with open(path, 'w') as f:
            f.write(text.replace(guard.old, guard.new))
        if not builder.build(guard.targets):
            return False, 'does not build'
        status, output = builder.run(guard.test)
        if status == 0:
            return False, 'passes'
        return True, 'hangs' if status is None else 'fails: ' + failures(status, output)
    finally:
        with open(path, 'w') as f:
            f.write(text)


def unfit(guards, builder):
    """Returns the tests that fail even though all guards are in place, or None if these cannot be built."""
    if not builder.build({target for guard in guards for target in guard.targets}):
        return None
    outcomes = [(test, builder.run(test)) for test in dict.fromkeys(guard.test for guard in guards)]
    # A pattern that matches no test proves nothing.
    return [test for test, (status, output) in outcomes if status != 0 or re.search(r'\b(0|Ran 0) tests\b', output)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    parser.add_argument('--only', default='', help='a regular expression for "<class>. <guard>"')
    parser.add_argument('--jobs', type=int, help='how many compilers run at the same time')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    texts = {path: open(path).read() for path in sources()}
    places = [(guard, find(guard, texts)) for guard in GUARDS]
    if options.check:
        print(f'{len(GUARDS)} guards are where guards.py says')
        return 0
    places = [(guard, path) for guard, path in places if re.search(options.only, f'{guard.number}. {guard.what}')]
    guards = [guard for guard, _ in places]
    builder = Builder(os.path.abspath(options.build), options.jobs)
    wrong = unfit(guards, builder)
    if wrong is None or wrong:
        print('\n'.join(f'`{test}` fails with all guards in place' for test in wrong or []))
        return 1
    bad, before = 0, {path: os.stat(path) for _, path in places}
    for guard, path in places:
        good, outcome = broken(guard, path, texts[path], builder)
        bad += not good
        print(f'{guard.number}. {guard.what} ({os.path.relpath(path, ROOT)}): without it, `{guard.test}` {outcome}',
              flush=True)
    restored = builder.build({target for guard in guards for target in guard.targets})
    # Targets that were not built in between need no new build.
    for path, status in before.items() if restored else ():
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    print(f'{len(guards)} guards, {bad} without a test that fails')
    return 1 if bad or not restored else 0


if __name__ == '__main__':
    sys.exit(main())
