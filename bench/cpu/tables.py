"""The tables that bench/cpu prints."""
from jobs import JOBS, figures_of
from record import ratio

SIDES = ("floor", "ramet", "tensorflow", "jax", "onnxruntime")
NAMES = {"floor": "floor", "ramet": "Ramet", "tensorflow": "TensorFlow", "jax": "JAX", "onnxruntime": "onnxruntime"}
ORDER = [figure for job in JOBS.values() for figure in figures_of(job)]


def cell(value, form):
    return "-" if value is None else form % value


def row_order(row):
    figure, threads = row.split("/")
    return (threads, ORDER.index(figure) if figure in ORDER else len(ORDER), figure)


def print_table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def show(best):
    """Prints the times with their ratios, and the peaks of memory."""
    rows = sorted((row for row in best if "ramet" in best[row]), key=row_order)
    peers = SIDES[2:]
    head = ["figure", *(f"{NAMES[side]} µs" for side in SIDES), "Ramet / floor",
            *(f"{NAMES[side]} / Ramet" for side in peers), "TensorFlow / Ramet, session.run"]
    lines = []
    for row in rows:
        sides = best[row]
        floor = ratio(sides, "floor")
        lines.append([row, *(cell(sides.get(side, {}).get("value"), "%.1f") for side in SIDES),
                      cell(1 / floor if floor else None, "%.2f"),
                      *(cell(ratio(sides, side), "%.2f") for side in peers),
                      cell(ratio(sides, "tensorflow", "session_run"), "%.2f")])
    print_table(head, lines)
    print_table(["peak memory MiB", *(NAMES[side] for side in SIDES[1:])],
                [[row, *(cell(best[row].get(side, {}).get("peak_mib"), "%.0f") for side in SIDES[1:])]
                 for row in rows])
