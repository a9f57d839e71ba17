"""Which contexts of the browser pages open in: bounded in pages and in number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiders.requests import MOST_IDLE, Contexts


def test_a_context_is_used_up_after_some_pages_and_closed_with_its_last() -> None:
    contexts = Contexts(recycle=3)
    names = [contexts.enter("a") for _ in range(5)]
    assert names == ["a-0"] * 3 + ["a-1"] * 2
    assert [contexts.leave("a", name, True) for name in names[:3]] == [None, None, "a-0"]
    assert [contexts.leave("a", name, True) for name in names[3:]] == [None, None]
    assert contexts.enter("a") == "a-1"


def test_an_ill_context_gets_no_more_pages() -> None:
    contexts = Contexts()
    first, second = contexts.enter("a"), contexts.enter("a")
    assert contexts.leave("a", first, False) is None
    assert contexts.enter("a") == "a-1"
    assert contexts.leave("a", second, False) == "a-0"
    assert contexts.enter("a") == "a-1"


def test_the_longest_idle_is_closed() -> None:
    contexts = Contexts()
    for number in range(MOST_IDLE):
        name = contexts.enter(f"s{number}")
        assert contexts.leave(f"s{number}", name, True) is None
    assert contexts.leave("s0", contexts.enter("s0"), True) is None
    assert contexts.leave("new", contexts.enter("new"), True) == "s1-0"
    assert contexts.enter("s1") == "s1-1"
    assert contexts.enter("s0") == "s0-0"


@given(st.lists(st.tuples(st.integers(0, 40), st.booleans(), st.booleans()), max_size=300), st.integers(1, 5))
def test_whatever_comes_no_context_with_a_page_is_closed_and_none_is_used_again(
    steps: list[tuple[int, bool, bool]], recycle: int
) -> None:
    contexts = Contexts(recycle)
    at: list[tuple[str, str]] = []
    used: dict[str, int] = {}
    closed: set[str] = set()
    for number, leaves, healthy in steps:
        if leaves and at:
            site, name = at.pop(number % len(at))
            done_with = contexts.leave(site, name, healthy)
            if done_with:
                assert done_with not in {name for _, name in at}
                closed.add(done_with)
        else:
            at.append((f"s{number}", contexts.enter(f"s{number}")))
            name = at[-1][1]
            assert name not in closed
            used[name] = used.get(name, 0) + 1
    assert max(used.values(), default=0) <= recycle
    busy = {name for _, name in at}
    assert len(set(used) - closed - busy) <= MOST_IDLE
