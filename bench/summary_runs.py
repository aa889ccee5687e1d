"""What summary.py makes tables of: the JSON of scan_bench, and of torch_shapes.py and torch_select.py."""
import json

# What torch's suites are of, and as what they are a contender.
TORCH_SUITES = {"torch shapes": (("shapes", "segments"), "torch.cumsum"),
                "torch select": (("select",), "torch, which waits")}


class BadInput(Exception):
    pass


def join_torch(runs, of_torch):
    """Torch's times of a cell, where they are right, beside those of the other contenders."""
    suites, name = TORCH_SUITES[of_torch[0]["suite"]]
    if (runs[0]["suite"] not in suites or len({run["suite"] for run in of_torch}) > 1
            or len({run.get("gpu") for run in runs + of_torch}) > 1):
        raise BadInput("torch's results are of other cells, or of another GPU")
    times = {cell["name"]: cell for run in of_torch for cell in run["cells"] if cell["verified"]}
    for cell in (cell for run in runs for cell in run["cells"]):
        if cell["name"] in times:
            cell["contenders"][name] = times[cell["name"]]


def read_runs(paths, suites):
    """Of one of these suites; with torch's times among the contenders."""
    runs, of_torch = [], []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                runs.append(json.load(file))
        except ValueError as error:
            raise BadInput(f"{path}: {error}") from error
        run = runs[-1]
        if isinstance(run, dict) and run.get("suite") in TORCH_SUITES:
            of_torch.append(runs.pop())
        elif not isinstance(run, dict) or run.get("suite") not in suites or not run.get("cells"):
            raise BadInput(f"{path}: no results of --suite {', '.join(suites)}")
    if len({run["suite"] for run in runs}) > 1 or not runs:
        raise BadInput("results of several suites" if runs else "no results of scan_bench")
    if of_torch:
        join_torch(runs, of_torch)
    return runs
