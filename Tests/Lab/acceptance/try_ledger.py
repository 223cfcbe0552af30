#!/usr/bin/env python3
"""Tries whether ledger.py finds what it should: try_ledger.py. An export with all values, or without those that may be missing, is
accepted. An export with a value missing, twice, moved, changed or out of order is refused. Exit status 1 and a sentence if that is not
so."""
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]

from ledger import pair  # noqa: E402
from report import Failure, demand  # noqa: E402

SLACK = 2.5
VALUES = [88, 89, 89, 90, 91, 92, 92, 93]  # one a second, with equal neighbours as an oximeter has them
LOST = (1, 2, 5, 6)


def sample(moment, value):
    return {"seconds": float(moment), "value": value, "unit": ""}


def distance(sent, kept):
    seconds = abs(sent[0] - kept["seconds"])
    return seconds if sent[1] == kept["value"] and seconds <= SLACK else None


def accepts(kept, lost=()):
    try:
        pairs = pair(list(enumerate(VALUES)), kept, distance, lambda sent: sent[0] in lost, str)
    except Failure:
        return False
    demand([one for _, one in pairs] == kept, f"the pairs are {pairs}")
    return True


def main():
    whole = [sample(*one) for one in enumerate(VALUES)]
    demand(accepts(whole), "a whole export is refused")
    for place in range(len(VALUES)):
        shorter = whole[:place] + whole[place + 1 :]
        demand(not accepts(shorter), f"value {place} is missing, and is not missed")
        demand(accepts(shorter, [place]), f"value {place} may be missing, and is missed")
        demand(accepts(whole, [place]), f"value {place} may be missing, and is there, and is refused")
        demand(not accepts(whole[:place] + [whole[place]] + whole[place:]), f"value {place} is there twice")
        demand(not accepts(whole[:place] + [sample(place, 70)] + whole[place + 1 :]), f"value {place} is changed")
        demand(not accepts(whole[:place] + [sample(place + 2 * SLACK, VALUES[place])] + whole[place + 1 :]), f"value {place} is moved")
    demand(not accepts(whole[:3] + [whole[4], whole[3]] + whole[5:]), "two values are out of order")
    for lost in LOST:
        # The equal neighbour is there, near enough to be taken for it.
        demand(accepts([one for one in whole if one["seconds"] != lost], [lost]), f"the neighbour of {lost} is taken for it")
    demand(accepts([one for one in whole if one["seconds"] not in (4, 5)], [4, 5]), "the last two before a kill are missed")
    demand(not accepts([], range(len(VALUES) - 1)), "the last value is missing, and is not missed")
    print("the ledger finds what it should")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
