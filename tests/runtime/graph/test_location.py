from __future__ import annotations

import linecache

from runtime.graph import location
from runtime.graph.location import Location, hide_folder, user_location


def test_the_location_is_the_line_that_is_being_executed():
    here = user_location()
    assert here.file == __file__
    assert here.function == "test_the_location_is_the_line_that_is_being_executed"
    assert here.text == "here = user_location()"


def test_a_location_prints_as_in_a_traceback():
    assert str(Location("a.py", 3, "f")) == 'File "a.py", line 3, in f'


def test_a_location_is_described_with_its_source_line():
    here = user_location()
    assert here.describe() == f"  {here}\n    here = user_location()"


def test_a_location_whose_source_is_gone_is_described_without_it():
    linecache.clearcache()
    assert Location("/nowhere.py", 3, "f").describe() == '  File "/nowhere.py", line 3, in f'


def test_files_in_a_hidden_folder_are_no_user_code(monkeypatch):
    monkeypatch.setattr(location, "_INTERNAL_FOLDERS", list(location._INTERNAL_FOLDERS))
    monkeypatch.setattr(location, "_IS_INTERNAL", {})
    hide_folder("/library")
    scope = {"user_location": user_location}
    exec(compile("def inside(): return user_location()", "/library/a.py", "exec"), scope)
    assert scope["inside"]().file == __file__


def test_a_folder_of_a_similar_name_is_not_hidden(monkeypatch):
    monkeypatch.setattr(location, "_INTERNAL_FOLDERS", list(location._INTERNAL_FOLDERS))
    monkeypatch.setattr(location, "_IS_INTERNAL", {})
    hide_folder("/library")
    scope = {"user_location": user_location}
    exec(compile("def inside(): return user_location()", "/library2/a.py", "exec"), scope)
    assert scope["inside"]().file == "/library2/a.py"
