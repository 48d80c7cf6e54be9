#!/usr/bin/env python3
"""Removes each guard of guards.py, one after another, and checks that its test then fails.

usage: break_guards.py [--build FOLDER] [--only TEXT] [--check]

--check only looks for each guard's text in the sources, which takes no time; `make test` does this. Without it, the
sources change while it runs: do not use the tree in the meantime. They are restored at the end and when it is
interrupted.
"""

import argparse
import os
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


def run(command, build):
    # Only a test that can start and hang must not stop the others.
    environment = dict(os.environ, PYTHONPATH=os.path.join(build, 'python') + ':' +
                       os.path.join(ROOT, 'clients/python/tests'), RAMET_LOG_LEVEL='error')
    try:
        return subprocess.run(command, shell=True, cwd=build, env=environment, timeout=600, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    except subprocess.TimeoutExpired:
        return None


def broken(guard, path, text, build):
    """Removes the guard and returns what happened: 'fails', 'passes' or 'does not build'."""
    try:
        with open(path, 'w') as f:
            f.write(text.replace(guard.old, guard.new))
        built = run('ninja ' + ' '.join(guard.targets), build)
        if built is None or built.returncode != 0:
            print(built.stdout[-2000:] if built else 'the build took too long')
            return 'does not build'
        result = run(guard.test, build)
        return 'passes' if result is not None and result.returncode == 0 else 'fails'
    finally:
        with open(path, 'w') as f:
            f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    parser.add_argument('--only', default='', help='guards whose description contains this')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    texts = {path: open(path).read() for path in sources()}
    bad = 0
    for guard in GUARDS:
        path = find(guard, texts)
        if options.check or options.only not in guard.what:
            continue
        outcome = broken(guard, path, texts[path], os.path.abspath(options.build))
        bad += outcome != 'fails'
        print(f'{guard.number}. {guard.what} ({os.path.relpath(path, ROOT)}): without it, `{guard.test}` {outcome}',
              flush=True)
    print(f'{len(GUARDS)} guards, {bad} without a test that fails' if not options.check else
          f'{len(GUARDS)} guards are where guards.py says')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
