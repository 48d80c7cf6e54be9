"""Finds known names that are similar to an unknown one."""

import collections
import difflib
import math
import re

_WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+')
_LEAST = 0.62
_WITHIN = 0.16


def _words(name):
    words = [word.lower() for word in _WORD.findall(name)]
    return [w[:-1] if len(w) > 3 and w.endswith('s') and not w.endswith('ss') else w for w in words]


def _last(path):
    return path.rpartition('.')[2]


def _is_class(name):
    return name[:1].isupper() and not name.isupper()


class _Known:
    """The words of all known names. Rare words have a larger weight."""

    def __init__(self, paths):
        self.words = {path: _words(_last(path)) for path in paths}
        self._counts = collections.Counter(w for words in self.words.values() for w in set(words))

    def weight(self, words):
        return sum(math.log((len(self.words) + 2) / (self._counts[w] + 1)) for w in set(words))


class _Wanted:
    """An unknown name, compared with known ones."""

    def __init__(self, path, known):
        self._space, _, self._name = path.rpartition('.')
        self._words = _words(self._name)
        self._known = known
        self._weight = known.weight(self._words)
        self._matcher = difflib.SequenceMatcher(autojunk=False)
        self._matcher.set_seq2(''.join(self._words))

    def closeness(self, path):
        """Returns about 0 for names that are not similar, and more than 1 for the same name."""
        space, _, name = path.rpartition('.')
        words = self._known.words[path]
        self._matcher.set_seq1(''.join(words))
        overlap = self._overlap(words)
        if not overlap and self._matcher.quick_ratio() < 0.6:
            return 0
        letters = self._matcher.ratio()
        score = 0.7 * max(letters, overlap) + 0.3 * min(letters, overlap)
        ends = (words[:len(self._words)], words[-len(self._words):])
        if name.lower() == self._name.lower() or self._words in ends:
            score += 0.2
        if _is_class(name) != _is_class(self._name):
            score -= 0.1
        return score + self._kinship(space)

    def _overlap(self, words):
        """Returns how much of the weight the shared words have, from 0 to 1."""
        shared = set(words) & set(self._words)
        begun = sum(self._begun_weight(word) for word in set(words) - shared)
        both = 2 * (self._known.weight(shared) + begun)
        return both / (self._known.weight(words) + self._weight) if both else 0

    def _begun_weight(self, word):
        """Returns the weight of a word that is a prefix of a wanted one, or the other way around."""
        alike = [w for w in self._words
                 if min(len(w), len(word)) > 3 and (w.startswith(word) or word.startswith(w))]
        return 0.8 * min(self._known.weight([w]) for w in [word, *alike]) if alike else 0

    def _kinship(self, space):
        if space == self._space:
            return 0.1
        return 0.05 if space in self._space or self._space in space else 0


def near_names(path, known, most=3):
    """Returns the names that are most similar to an unknown one.

    Args:
      path: a dotted name.
      known: a dict from the dotted names to choose from to their definitions. Only one of several
        names with the same definition is returned.
      most: the maximum number of names.

    Returns:
      A list of names, the closest first; empty if none is similar.
    """
    wanted = _Wanted(path, _Known(known))
    scored = [(wanted.closeness(name), name) for name in known]
    scored = sorted((s for s in scored if s[0] >= _LEAST), key=lambda s: (-s[0], len(s[1]), s[1]))
    best = []
    for score, name in scored:
        if score >= scored[0][0] - _WITHIN and known[name] not in map(known.get, best):
            best.append(name)
    space = path.rpartition('.')[0]
    beside = [name for _, name in scored if name.rpartition('.')[0] == space][:1]
    return best[:most] if set(beside) <= set(best[:most]) else [*best[:most - 1], *beside]
