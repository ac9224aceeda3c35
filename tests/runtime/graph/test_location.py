from __future__ import annotations

import linecache
import sys

import pytest

from runtime.graph import location
from runtime.graph.location import Location, hide_folder, user_location


def location_in(file: str, line: int) -> Location:
    """Return a line of a function `f` in a file."""
    return Location(file, "f", line)


def test_the_location_is_the_line_that_is_being_executed():
    here = user_location()
    assert here.file == __file__
    assert here.function == "test_the_location_is_the_line_that_is_being_executed"
    assert here.text == "here = user_location()"


def test_a_location_prints_as_in_a_traceback():
    assert str(location_in("a.py", 3)) == 'File "a.py", line 3, in f'


def test_a_location_is_described_with_its_source_line():
    here = user_location()
    assert here.describe() == f"  {here}\n    here = user_location()"


def test_a_location_whose_source_is_gone_is_described_without_it():
    assert location_in("/nowhere.py", 3).describe() == '  File "/nowhere.py", line 3, in f'


def test_files_in_a_hidden_folder_are_no_user_code(monkeypatch):
    monkeypatch.setattr(location, "_OUR_FOLDERS", list(location._OUR_FOLDERS))
    monkeypatch.setattr(location, "_IS_INTERNAL", {})
    hide_folder("/library")
    scope = {"user_location": user_location}
    exec(compile("def inside(): return user_location()", "/library/a.py", "exec"), scope)
    assert scope["inside"]().file == __file__


def test_a_folder_of_a_similar_name_is_not_hidden(monkeypatch):
    monkeypatch.setattr(location, "_OUR_FOLDERS", list(location._OUR_FOLDERS))
    monkeypatch.setattr(location, "_IS_INTERNAL", {})
    hide_folder("/library")
    scope = {"user_location": user_location}
    exec(compile("def inside(): return user_location()", "/library2/a.py", "exec"), scope)
    assert scope["inside"]().file == "/library2/a.py"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from 3.11")
def test_a_location_knows_what_is_being_executed():
    here = (1, user_location())[1]
    text = linecache.getline(here.file, here.line)
    span = here.span
    assert (span.line, span.end_line) == (here.line, here.line)
    assert text[span.column : span.end_column] == "user_location()"


def test_a_location_without_an_instruction_knows_its_line_only():
    assert location_in("a.py", 3).span is None


def test_locations_are_beside_each_other_on_the_same_line_of_a_file():
    here = location_in("a.py", 3)
    assert here.is_beside(location_in("a.py", 3))
    assert not here.is_beside(location_in("a.py", 4))
    assert not here.is_beside(location_in("b.py", 3))
