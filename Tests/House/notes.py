#!/usr/bin/env python3
"""Compares the sections of each NOTES.md below Sources with the shape that all of them have.

    Tests/House/notes.py             faults of all pages
"""
import pathlib, re, sys

root = pathlib.Path(__file__).resolve().parents[2]

# Sections in their order, and those that may follow.
SHAPE, AFTER = ["Purpose", "Picture", "Rules", "Why", "Costs"], ["References"]


def sections(text):
    """Name and text of each section of the second level. Code is text, whatever it begins with."""
    found, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and (heading := re.match(r"## +(.*?) *$", line)):
            found.append((heading[1], []))
        elif found:
            found[-1][1].append(line)
    return [(name, "\n".join(lines).strip()) for name, lines in found]


def shape_faults(text):
    """Sections of a page that are missing, empty, or not in the order of the shape."""
    there = sections(text)
    names = [name for name, _ in there]
    faults = [f"no section {name}" for name in SHAPE if name not in names]
    faults += [f"section {name} is empty" for name, content in there if not content]
    if not faults and (names[: len(SHAPE)] != SHAPE or any(name not in AFTER for name in names[len(SHAPE) :])):
        faults.append(f"sections are {', '.join(names)}")
    return faults


def faults():
    for file in sorted((root / "Sources").rglob("NOTES.md")):
        yield from (f"{file.relative_to(root)}: {fault}" for fault in shape_faults(file.read_text()))


if __name__ == "__main__":
    found = list(faults())
    print(*found, sep="\n")
    sys.exit(bool(found))
