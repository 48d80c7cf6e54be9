"""Strings."""

from case import Case, strings


def cases():
    names = strings(["a", "b/c", ""]).reshape(3)
    yield Case("StringJoin", [names, names], {"separator": "-"})
    yield Case("StringJoin", [names, strings(["x"]).reshape(())])
    yield Case("StringJoin", [strings(["m"]).reshape(()), strings(["_temp/part"]).reshape(())])
    paths = strings(["s3://bucket/m", "/tmp/s3://m", "s3://", "s3:/", "a\nb", ""]).reshape(2, 3)
    for pattern in ("^s3://.*", "(a|s3:/)/?", ".*", "a.b", "a\\.b|", ""):
        yield Case("StaticRegexFullMatch", [paths], {"pattern": pattern})
