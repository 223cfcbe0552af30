"""The lines of the guide that make Parquet of an export: run as they are there, and each row is compared."""
import contextlib
import json
import os
import pathlib
import re

import duckdb

import cases
import making
import polars_tables
import test_store
from chunks import Item
from making import fetched, live
from test_store import SECOND, T

GUIDE = pathlib.Path(__file__).parents[2] / "board/GUIDE.md"


def guide_lines():
    """The Python of the section on Parquet, as a person copies it."""
    section = re.search(r"^### Parquet\n(.*?)^#", GUIDE.read_text(), re.M | re.S)[1]
    block = re.search(r"^    import duckdb\n(?:    .*\n)*", section, re.M)[0]
    return re.sub(r"^    ", "", block, flags=re.M)


class ParquetCase(cases.Checks):
    def check_parquet(self, *words):
        """Makes the file in a folder of its own; returns its path."""
        text = self.hearth(*words)
        (self.folder / "all.ndjson").write_bytes(text)
        with contextlib.chdir(self.folder):
            exec(guide_lines(), {})  # pylint: disable=exec-used
        file = self.folder / "all.parquet"
        rows = [json.loads(line) for line in text.decode().splitlines()]
        table = duckdb.sql(f"SELECT * REPLACE (epoch_us(time) AS time, CAST(value AS VARCHAR) AS value) FROM '{file}'")
        self.assertLessEqual({"device", "series", "time", "value", "number", "unit", "origin"}, set(table.columns))
        self.assertEqual(set(table.columns) - {"number"}, set().union(*rows))
        found = [dict(zip(table.columns, cells)) for cells in table.fetchall()]
        self.assertEqual(len(found), len(rows))
        for row, cells in zip(rows, found):
            for name in {"device", "series", "unit", "origin", "wearer", "data", "period_ns"} & set(table.columns):
                self.assertEqual(cells[name], row.get(name))
            self.assertEqual(cells["time"], cases.seconds(row["time"]) * SECOND)
            self.assertEqual(None if cells["value"] is None else json.loads(cells["value"]), row.get("value"))
            self.assertEqual(cells["number"], row["value"] if isinstance(row.get("value"), (int, float)) else None)
        self.check_polars(text, rows, found, file)
        return file

    def check_polars(self, text, rows, found, file):
        """Polars has the same rows, of the lines and of the file."""
        table = polars_tables.parquet(file)
        self.assertEqual(len(table), len(rows))
        for name in set(table.columns) & {"device", "series", "time", "value", "number", "unit", "origin", "wearer"}:
            self.assertEqual(table[name].to_list(), [cells[name] for cells in found], name)
        table = polars_tables.lines(text)
        self.assertEqual(len(table), len(rows))
        for name in set(table.columns) - {"value"}:
            self.assertEqual(table[name].to_list(), [row.get(name) for row in rows], name)
        values = [value if value is None else json.loads(value) for value in table["value"]]
        self.assertEqual(values, [row.get("value") for row in rows])


class Parquet(ParquetCase):
    def test_the_guide_s_lines_keep_each_row(self):
        self.make({
            live(1, 1): [[test_store.pulse(second, 60 + second % 90) for second in range(begin, begin + 200)] for begin in range(0, 20_000, 200)],
            live(1, 2): [[Item(T + place * 930_000, 0, (952 + place % 7,), b"") for place in range(begin, begin + 200)] for begin in range(0, 20_000, 200)],
            live(1, 6): self.ecg(T, 40),
            fetched(1, 15): [[Item(T, 1, (60 * SECOND, 90), b"")]],
            fetched(1, 21): [[Item(T, 1, (2,), b"bytes")]],
            live(2, 8): [[Item(T, 0, (20_000_000, 24, 0), bytes(144))]],
            live(2, 54): [[Item(T, 0, (36_650,), b"")]],
        }, wearers={test_store.u32(1): making.record((1, "Ada"), (2, test_store.i64(T)))},
            assignments={test_store.assignment(1, T + 900 * SECOND): making.record((1, ("<I", 1)), (2, test_store.i64(T)))})
        file = self.check_parquet()
        self.assertLess(10 * file.stat().st_size, (self.folder / "all.ndjson").stat().st_size)
        mean = duckdb.sql(f"SELECT avg(number) FROM '{file}' WHERE series = 'heart_rate'").fetchall()[0][0]
        self.assertAlmostEqual(mean, sum(60 + second % 90 for second in range(20_000)) / 20_000)
        worn = duckdb.sql(f"SELECT wearer, count(*) FROM '{file}' WHERE series = 'heart_rate' GROUP BY wearer ORDER BY ALL").fetchall()
        self.assertEqual(sorted(worn, key=str), [("Ada", 19_100), (None, 900)])
        # Selections with numbers alone, and with vectors alone.
        self.check_parquet("--series", "heart_rate")
        self.check_parquet("--device", "strap-02")
