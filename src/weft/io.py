"""Read tables, write models and result folders; pandas is imported only when a table is read."""

from weft.models.files import SavedModel, load_model, read_model, save_model
from weft.tables.errors import InputError
from weft.tables.folders import check_folder, check_name, write_folder
from weft.tables.formats import read_table, table_files, table_stem
from weft.tables.prepare import ColumnDecision, Table, apply_recipe, prepare_table
from weft.tables.raw import RawTable, read_csv
from weft.tables.writing import write_table

__all__ = [
    "ColumnDecision",
    "InputError",
    "RawTable",
    "SavedModel",
    "Table",
    "apply_recipe",
    "check_folder",
    "check_name",
    "load_model",
    "prepare_table",
    "read_csv",
    "read_model",
    "read_table",
    "save_model",
    "table_files",
    "table_stem",
    "write_folder",
    "write_table",
]
