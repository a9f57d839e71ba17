"""Links to archives: few at a time, and none once they lead to nothing new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiders.traps import BARREN_ARCHIVE, BARREN_DAYS, ArchiveLeads, Lead


def held(count: int, group: str = "tags") -> ArchiveLeads:
    leads = ArchiveLeads()
    for number in range(count):
        leads.hold(Lead(group, f"http://example.org/{group}/{number}", 1, "link"))
    return leads


def test_a_group_that_leads_to_nothing_new_is_left_out() -> None:
    leads = held(9)
    assert len(list(leads.due())) == BARREN_ARCHIVE
    for _ in range(BARREN_ARCHIVE):
        leads.read("tags", 0)
    assert list(leads.due()) == []
    assert len(list(leads.left())) == 9 - BARREN_ARCHIVE


def test_a_group_that_leads_to_something_new_is_read_on() -> None:
    leads = held(9)
    asked = list(leads.due())
    while len(asked) < 9:
        leads.read("tags", 1)
        more = list(leads.due())
        assert 0 < len(more) <= BARREN_ARCHIVE
        asked += more
    assert len({lead.url for lead in asked}) == 9


def test_one_page_of_a_round_that_leads_to_something_new_is_enough() -> None:
    leads = held(5)
    assert len(list(leads.due())) == 2
    leads.read("tags", 0)
    leads.read("tags", 3)
    assert len(list(leads.due())) == 2
    leads.read("tags", 0)
    leads.read("tags", 0)
    assert list(leads.due()) == []
    assert len(list(leads.left())) == 1


def test_a_link_is_asked_for_once_and_by_its_url_not_by_when_it_was_found() -> None:
    leads = ArchiveLeads()
    for name in ("c", "a", "b", "a"):
        leads.hold(Lead("tags", f"http://example.org/{name}", 1, "link"))
    assert [lead.url[-1] for lead in leads.due()] == ["a", "b"]
    leads.hold(Lead("tags", "http://example.org/a", 3, "link"))
    leads.read("tags", 1)
    assert [lead.url[-1] for lead in leads.due()] == ["c"]


def test_lists_of_days_are_read_on_where_nothing_else_leads_back() -> None:
    def asked(form: str, *, is_patient: bool) -> int:
        leads = ArchiveLeads()
        for day in range(1, 29):
            leads.hold(Lead("#days", f"http://example.org/{form.format(day)}", 1, "link"))
        count = 0
        while found := list(leads.due(is_patient=is_patient)):
            count += len(found)
            for _ in found:
                leads.read("#days", 0)
        return count

    assert asked("2026/04/{:02}/", is_patient=True) == BARREN_DAYS
    assert asked("2026/04/{:02}/", is_patient=False) == BARREN_ARCHIVE
    assert asked("20{:02}/04/", is_patient=True) == BARREN_ARCHIVE


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=40))
def test_no_round_asks_for_more_than_the_bound_of_a_group(steps: list[tuple[str, int]]) -> None:
    leads = ArchiveLeads()
    for number, (group, gained) in enumerate(steps):
        leads.hold(Lead(group, f"{group}/{number}", 1, group))
        asked = [lead.role for lead in leads.due()]
        assert all(asked.count(name) <= BARREN_ARCHIVE for name in "abc")
        for name in asked:
            leads.read(name, gained)


def test_pages_that_failed_do_not_stop_a_group() -> None:
    leads, asked = held(5), list[Lead]()
    while more := list(leads.due()):
        asked += more
    assert len(asked) == 5


def test_links_to_pages_that_were_asked_for_make_room_for_others() -> None:
    leads = held(5)
    asked = []
    for lead in leads.due():
        leads.known(lead)
        asked.append(lead)
    assert len(asked) == 5
