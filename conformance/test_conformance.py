"""Tests of the table, and a short run of three libraries: python3 conformance/test_conformance.py"""

import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import install
import run
import table

THREE = ["idgen-v7", "crates-uuid-v7", "npm-uuidv7"]
MANIFEST = run.manifest()
LIBRARIES = {library["id"]: library for library in MANIFEST["libraries"]}


def verdict(rule: str, status: str = "fails", found: str = "something") -> dict:
    return {"rule": rule, "kind": None, "status": status, "found": found}


def row(kind: str = "v7", **promises) -> table.Row:
    """A library that passes all, and promises what is named."""
    order = {"breaks_within": 0, "breaks_across": 0, "equal": 0}
    found = {"kind": kind, "ids": 9, "order": order, "time": {"ahead_ms": None}, "counter": None, "random": None}
    report = {"ids": 9, "kinds": [found], "duplicates": {"repeated": 0}, "verdicts": []}
    modes = {mode: {"commands": [], "outcome": None, "report": copy.deepcopy(report)} for mode in run.MODES}
    everything = {"order": "process", "order_after_step_back": True, "unique_after_fork": True}
    library = {"id": "x", "ecosystem": "rust", "kind": kind, "promises": everything | promises}
    return table.Row(library, {"modes": modes, "version": "1"})


class Cells(unittest.TestCase):
    def test_a_library_without_faults_holds_everything(self):
        for heading, _, cell in table.COLUMNS[:10]:
            self.assertEqual(cell(row()), "holds", heading)

    def test_repeated_ids_are_bold_where_uniqueness_is_promised(self):
        for promise, expected in ((True, "**7 repeated**"), (False, "not promised: 7 repeated")):
            one = row(unique_after_fork=promise)
            one.modes["fork"]["report"]["duplicates"]["repeated"] = 7
            one.modes["fork"]["report"]["verdicts"] = [verdict("no-duplicates")]
            self.assertEqual(table.unique("fork")(one), expected)

    def test_order_counts_only_where_it_is_promised(self):
        bold = "**3 out of order**"
        for scope, expected in (("process", bold), ("thread", bold), ("single", "not promised"), (None, "not promised")):
            one = row(order=scope)
            one.modes["threads"]["report"]["kinds"][0]["order"]["breaks_within"] = 3
            self.assertEqual(table.order("threads")(one), expected)
        self.assertEqual(table.order("one")(row(order=None)), "not promised, holds")
        self.assertEqual(table.order("one")(row("v4", order=None)), "–")

    def test_ids_whose_source_is_recognized_are_predicted(self):
        one = row("v4")
        one.record["recorded"] = "2026-11-27"
        self.assertEqual(table.next_id(one), "not measured")
        one.record["recorded"] = "2026-11-28"
        self.assertEqual(table.next_id(one), "holds")
        found = "these ids come from Math.random() of V8; the next id is 00000000-0000-4000-8000-000000000000"
        one.modes["one"]["report"]["verdicts"] = [verdict("unguessable") | {"found": found}]
        self.assertEqual(table.next_id(one), "not promised: predicted: Math.random() of V8")
        self.assertEqual(table.next_id(row()), "–")

    def test_a_clock_that_was_not_set_gives_no_verdict(self):
        one = row()
        one.modes["back"] = {"not_measured": "why"}
        self.assertEqual(table.clock("back")(one), "not measured")

    def test_waiting_and_stopping_are_told_from_wrong_ids(self):
        one = row()
        one.modes["frozen"]["outcome"] = "waits"
        self.assertEqual(table.clock("frozen")(one), "waits after 9 ids")
        one.modes["frozen"]["outcome"] = "stops: Overflow"
        self.assertEqual(table.clock("frozen")(one), "stops: Overflow, after 9 ids")
        one.modes["one"] = {"commands": [], "outcome": "stops: Overflow", "report": None}
        self.assertEqual(table.unique("one")(one), "**stops: Overflow**")

    def test_a_documented_draft_is_no_broken_promise(self):
        draft = "the layout of an early draft"
        for kind, expected in (("v7", f"**{draft}**"), ("v7 (draft)", f"not promised: {draft}")):
            one = row()
            one.library["kind"] = kind
            one.modes["one"]["report"]["verdicts"] = [verdict("layout")]
            self.assertEqual(table.layout(one), expected)

    def test_a_generator_that_waits_at_once_is_not_blamed(self):
        one = row()
        one.modes["frozen"] = {"commands": [], "outcome": "waits", "report": None}
        self.assertEqual(table.clock("frozen")(one), "waits among the first 256 ids")

    def test_without_a_promise_of_order_a_set_clock_says_so(self):
        one = row(order=None, order_after_step_back=False)
        self.assertEqual(table.clock("back")(one), "holds; order not promised")
        one.modes["back"]["report"]["kinds"][0]["order"]["breaks_across"] = 1
        self.assertEqual(table.clock("back")(one), "order not promised")

    def test_times_ahead_say_by_how_much(self):
        one = row()
        one.modes["one"]["report"]["verdicts"] = [verdict("not-ahead")]
        one.modes["one"]["report"]["kinds"][0]["time"]["ahead_ms"] = 19_600.0
        self.assertEqual(table.time(one), "**20 s ahead**")


class Records(unittest.TestCase):
    def test_the_innermost_values_are_on_one_line_and_nothing_changes(self):
        record = {"modes": {"one": {"a": [1, 2], "b": "[x\n{y", "c": {}}, "fork": {"not_measured": "no [fork]"}}}
        text = run.written(record)
        self.assertEqual(json.loads(text), record)
        self.assertIn('"a": [ 1, 2 ]', text)
        self.assertEqual(set(table.mode_lines(text)), {"one", "fork"})

    def test_errors_name_no_path_of_this_computer(self):
        trace = "node:internal/x:1\n    at a (/home/me/driver.mjs:3:1)\nOverflow: full in /home/me/x\n"
        self.assertEqual(run.failure(trace), "Overflow: full in …")

    def test_a_line_that_was_cut_off_is_dropped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "ids.txt")
            file.write_text("one\ntwo\nthr")
            run.whole_lines(file)
            self.assertEqual(file.read_text(), "one\ntwo\n")

    def test_a_clock_that_did_not_follow_is_noticed(self):
        for mode, output in (("back", "100000 100001\n"), ("frozen", "100000 100050\n"), ("back", "")):
            with self.assertRaises(run.NotMeasured):
                run.clock_was_set(mode, output, run.Run())
        run.clock_was_set("back", "100000 95001\n", run.Run())
        run.clock_was_set("frozen", "100000 100000\n", run.Run())

    def test_the_page_is_what_the_records_give(self):
        self.assertEqual(table.PAGE.read_text(), table.page(MANIFEST, table.RESULTS), "run conformance/table.py")

    def test_at_least_twenty_libraries_are_recorded_and_their_modes_are_whole(self):
        recorded = [json.loads(path.read_text()) for path in table.RESULTS.glob("*.json")]
        self.assertEqual({record["library"] for record in recorded}, set(LIBRARIES))
        packages = {(library["ecosystem"], library["package"]) for library in LIBRARIES.values()}
        self.assertGreaterEqual(len(packages), 20)
        for record in recorded:
            self.assertEqual(tuple(record["modes"]), run.MODES, record["library"])

    def test_no_record_holds_an_id_a_node_or_a_path(self):
        for path in table.RESULTS.glob("*.json"):
            text = path.read_text()
            self.assertNotRegex(text, r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{2}(:[0-9a-f]{2}){5}|/(tmp|home|root)/", path.name)


class ThreeLibraries(unittest.TestCase):
    """A short run: this library, another crate, and a package of npm."""

    def test_they_are_installed_checked_and_shown(self):
        libraries = [LIBRARIES[name] for name in THREE]
        install.install(libraries)
        with tempfile.TemporaryDirectory() as folder:
            run.record(libraries, 20_000, Path(folder), list(run.MODES))
            page = table.page(MANIFEST, Path(folder))
            for library in libraries:
                record = json.loads(Path(folder, f"{library['id']}.json").read_text())
                one = table.Row(library, record)
                for heading, mode, cell in table.COLUMNS[:9]:
                    expected = "not measured" if mode == "fork" and library["ecosystem"] == "node" else "holds"
                    if mode == "fork" and not library["promises"]["unique_after_fork"]:
                        continue
                    self.assertEqual(cell(one), expected, f"{library['id']}: {heading}")
        # The findings below the table of libraries have tables of their own.
        libraries_only = page.partition((table.HERE / "findings.md").read_text())[0]
        self.assertEqual(libraries_only.count("\n| ["), len(THREE))


if __name__ == "__main__":
    unittest.main()
