"""Exports as polars reads them: Parquet as it is, lines with a schema, and CSV as text."""
import io

import polars

# Members of a line differ by series, so polars needs a schema. Numbers, vectors and waveforms are text then.
MEMBERS = ("device", "address", "series", "time", "value", "unit", "origin", "kind", "end", "wearer", "quality", "clock", "data")


def lines(text):
    """NDJSON as a table."""
    return polars.read_ndjson(io.BytesIO(text), schema={name: polars.String for name in MEMBERS})


def parquet(file):
    """A Parquet file as a table, with times in microseconds since 1970."""
    table = polars.read_parquet(file)
    return table.with_columns(polars.col("time").dt.epoch("us"), polars.col("value").cast(polars.String))


def csv(text):
    """CSV as a table of texts; an empty cell is an empty text."""
    return polars.read_csv(io.BytesIO(text), infer_schema=False, missing_utf8_is_empty_string=True)
