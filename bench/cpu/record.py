"""The figures of bench/cpu: the best ones, their ratios, and the record that later runs are compared with."""
import datetime
import json
import os
import platform
import re

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record.json")
ALLOWED_FALL = 0.05
CHECKED_SIDES = ("floor", "tensorflow")


def keep_best(best, row, side, line):
    """Adds a line to row -> side -> line: the minima of its times, and the largest peak of memory."""
    old = best.setdefault(row, {}).setdefault(side, {})
    for key in ("value", "session_run"):
        if key in line:
            old[key] = min(line[key], old.get(key, float("inf")))
    if "peak_mib" in line:
        old["peak_mib"] = max(line["peak_mib"], old.get("peak_mib", 0))


def ratio(sides, side, key="value"):
    """Returns the time of a side in those of Ramet, or None if one of them was not measured."""
    theirs, ours = sides.get(side, {}).get(key), sides.get("ramet", {}).get(key)
    return theirs / ours if theirs and ours else None


def job_name(row):
    """Returns the job of a row: 'mlp_infer' for 'mlp_infer_50/threads:1'."""
    return re.sub(r"_\d+$", "", row.split("/")[0])


def machine():
    """Returns the description of this machine by which records are told apart."""
    with open("/proc/cpuinfo") as file:
        text = file.read()
    name = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    flags = re.search(r"^flags\s*: (.*)$", text, re.MULTILINE)
    found = flags.group(1).split() if flags else []
    vectors = next((v for v in ("avx512f", "avx2", "avx", "sse4_2") if v in found), "none")
    return {"processor": name.group(1) if name else platform.machine(), "vectors": vectors,
            "cores": len(os.sched_getaffinity(0))}


def recorded_row(sides):
    row = {"us": round(sides["ramet"]["value"], 2)} if "ramet" in sides else {}
    row["ratios"] = {side: round(ratio(sides, side), 3) for side in sides if side != "ramet" and ratio(sides, side)}
    if ratio(sides, "tensorflow", "session_run"):
        row["session_run"] = round(ratio(sides, "tensorflow", "session_run"), 3)
    row["peak_mib"] = {side: round(line["peak_mib"]) for side, line in sides.items() if "peak_mib" in line}
    return row


def write(best, versions):
    content = {"date": datetime.date.today().isoformat(), "machine": machine(), "versions": versions,
               "rows": {row: recorded_row(best[row]) for row in sorted(best)}}
    rows = ",\n".join(f'  {json.dumps(row)}: {json.dumps(value)}' for row, value in content.pop("rows").items())
    head = json.dumps(content, indent=1)
    with open(PATH, "w") as file:
        file.write(f'{head[:-2]},\n "rows": {{\n{rows}\n }}\n}}\n')


def write_figures(path, best):
    with open(path, "w") as file:
        json.dump(best, file, indent=1, sort_keys=True)


def read():
    """Returns the record.

    Raises:
      SystemExit: There is none.
    """
    if not os.path.exists(PATH):
        raise SystemExit(f"{PATH} does not exist; 'make bench-cpu ARGS=--record' writes it")
    with open(PATH) as file:
        return json.load(file)


def other_machine(recorded):
    """Returns why the record cannot be compared with, or an empty string."""
    here = machine()
    if recorded["machine"] == here:
        return ""
    return (f"{PATH} is from {recorded['machine']}, and this is {here}; record this machine with "
            "'make bench-cpu ARGS=--record', or compare with it nevertheless: 'make bench-check ARGS=--any-machine'")


def fallen(best, recorded):
    """Returns (row, side, was, now) for each checked ratio that fell by more than ALLOWED_FALL."""
    found = []
    for row, was in recorded["rows"].items():
        for side in CHECKED_SIDES:
            now = ratio(best.get(row, {}), side)
            before = was["ratios"].get(side)
            if now and before and now < before * (1 - ALLOWED_FALL):
                found.append((row, side, before, now))
    return found
