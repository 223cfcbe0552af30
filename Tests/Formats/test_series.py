"""The table of series in FORMAT.md, row by row, beside the one that this reader has."""
import pathlib
import re
import unittest

import series

FORMAT = pathlib.Path(__file__).parents[2] / "Sources/RingStore/FORMAT.md"


def components(layout):
    """How many numbers a layout names: `right0 … right7` are eight."""
    names = layout.partition(": ")[2].split(", ")
    spans = (re.fullmatch(r"([a-z]+)(\d+) … \1(\d+)", name) for name in names)
    return sum(int(span[3]) - int(span[2]) + 1 if span else 1 for span in spans)


def rows():
    table = FORMAT.read_text().partition("\n## Series\n")[2].partition("|---")[2].splitlines()[1:]
    for line in table:
        if not line.startswith("|"):
            return
        number, name, layout, unit, factor, step = (cell.strip() for cell in line.strip("|").split("|"))
        numerator, _, denominator = factor.partition("/")
        yield series.Series(
            int(number), name.strip("`"), layout.partition(":")[0], "" if unit == "–" else unit, (int(numerator), int(denominator or 1)),
            {"1 µs": True, "1 ms": False}[step], components(layout) if ":" in layout else 1)


class Table(unittest.TestCase):
    def test_every_series_of_the_format_is_known_as_it_is_described(self):
        found = {row.number: row for row in rows()}
        self.assertEqual(list(found), sorted(found))
        self.assertEqual(found, series.ALL)


if __name__ == "__main__":
    unittest.main()
