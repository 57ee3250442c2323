"""Arrow and pandas types of every table: the same whether a table is empty, all NULL or full."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa

from agenteval.records import columns

ARROW_TYPES: dict[str, pa.DataType] = {
    "str": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "datetime": pa.timestamp("us", tz="UTC"),
    "list[str]": pa.list_(pa.string()),
}
SQL_TYPES: dict[str, str] = {
    "str": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "datetime": "TIMESTAMPTZ",
    "list[str]": "VARCHAR[]",
}
_PANDAS_TYPES = {
    pa.int64(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(na_value=np.nan),
}


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Arrow schema of one table, from its column list."""
    return pa.schema([(c.name, ARROW_TYPES[c.dtype]) for c in columns(table)])


def table_frame(rows: pa.Table, table: str) -> pd.DataFrame:
    """Turn rows of a known table into a DataFrame with that table's dtypes."""
    schema = arrow_schema(table)
    return _frame(rows.select(schema.names).cast(schema))


def query_frame(rows: pa.Table) -> pd.DataFrame:
    """Turn the result of any query into a DataFrame.

    Integers come as Int64, booleans as boolean, decimals and floats as float64 (whole
    decimals, which `sum` of integers gives, as Int64), dates and times as datetime64[us].
    """
    columns = [_plain(column) for column in rows.columns]
    return _frame(pa.Table.from_arrays(columns, names=rows.column_names))


def _frame(rows: pa.Table) -> pd.DataFrame:
    frame = rows.to_pandas(types_mapper=_PANDAS_TYPES.get, date_as_object=False)
    for position, column in enumerate(rows.columns):
        if pa.types.is_list(column.type):
            values = np.empty(len(column), dtype=object)
            if column.null_count < len(column):
                values[:] = column.to_pylist()
            frame.isetitem(position, pd.Series(values, index=frame.index, dtype=object))
    return frame


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_integer(kind):
        return _number(column, kind)
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("us"))
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", tz=kind.tz and "UTC"))
    if pa.types.is_dictionary(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    return column


def _number(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_decimal(kind) and kind.scale:
        return column.cast(pa.float64())
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column.cast(pa.float64())
