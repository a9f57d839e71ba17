"""What is kept in Redis, on a real server: leases, claims, politeness, and when a crawl is over."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import RedisError

from newsextract.cluster.connection import ClusterError, connect
from newsextract.cluster.frontier import Answer, Outbox, SharedFrontier, StandingError
from newsextract.cluster.status import clear, names, status_of
from tests.redis_server import RedisServer, running

Make = Callable[..., SharedFrontier]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running(tmp_path_factory.mktemp("redis"), keeps=False) as server:
        yield server


@pytest.fixture
def make(redis: RedisServer) -> Make:
    """Workers of a crawl of the test's own."""
    client, name = connect(redis.url), uuid.uuid4().hex

    def worker(worker: str = "a", lease: float = 30.0, **options: Any) -> SharedFrontier:
        frontier = SharedFrontier(client, name, worker, lease)
        frontier.register("plan", **options)
        return frontier

    return worker


def push(key: str, unit: str = "site", score: int = 0, **more: Any) -> dict[str, Any]:
    return {"key": key, "unit": unit, "score": str(score), "payload": f"payload of {key}", **more}


def pop(frontier: SharedFrontier, count: int = 10, unit: str = "site") -> list[str]:
    return [row.key for row in frontier.exchange(Outbox(), [(unit, count)]).popped]


def ack(frontier: SharedFrontier, *keys: str, **more: Any) -> Answer:
    return frontier.exchange(Outbox(ack=list(keys), **more))


def test_a_request_is_there_until_it_is_done(make: Make) -> None:
    one = make()
    one.exchange(Outbox(push=[push("1", score=5), push("2", score=-5), push("3", score=-5)]))
    one.beat(started=True)
    assert pop(one) == [], "the unit has no owner yet"
    assert one.acquire(5) == [("site", 0)]
    assert pop(one, 2) == ["2", "3"], "the smallest score first, then in order"
    assert one.beat().state == "running"
    ack(one, "2", "3")
    assert pop(one) == ["1"]
    assert one.beat().state == "running", "it is leased"
    ack(one, "1")
    assert one.beat().state == "finished"


def test_an_address_is_asked_for_once(make: Make) -> None:
    one, two = make("a"), make("b")
    one.exchange(Outbox(push=[push("1", seen="x"), push("2", seen="x")]))
    two.exchange(Outbox(push=[push("3", seen="x"), push("4", seen="y"), push("5"), push("5")]))
    one.acquire(1)
    assert sorted(pop(one)) == ["1", "4", "5"]


def test_a_limit_is_of_all_workers_together(make: Make) -> None:
    one, two = make("a"), make("b")
    rows = [push(str(k), seen=str(k), site="s", limit=3) for k in range(5)]
    assert one.exchange(Outbox(push=rows[:2])).over == 0
    assert two.exchange(Outbox(push=rows)).over == 2
    one.acquire(1)
    assert len(pop(one)) == 3


def test_what_is_held_waits_until_nothing_else_is_left(make: Make) -> None:
    one = make()
    one.exchange(Outbox(push=[push("1"), push("2", held=True)]))
    one.acquire(1)
    one.beat(started=True)
    assert pop(one) == ["1"]
    one.beat()
    assert pop(one) == []
    ack(one, "1")
    assert one.beat().state == "running"
    assert pop(one) == ["2"]
    ack(one, "2")
    assert one.beat().state == "finished"


def test_no_crawl_is_over_while_a_worker_starts(make: Make) -> None:
    one, two = make("a"), make("b")
    assert one.beat(started=True).state == "running"
    assert two.beat(started=True).state == "finished"
    assert make("c").beat(started=True).state == "finished", "a new crawl, which has nothing to do"
    with pytest.raises(StandingError) as caught:
        one.beat()
    assert caught.value.standing == "over", "it had not been told yet that its own was finished"


def test_a_worker_that_comes_back_after_the_end_begins_nothing(make: Make) -> None:
    dead, alive = make("dead"), make("alive")
    alive.recover("dead", alive.last_beat("dead") or "", [])
    assert alive.beat(started=True).state == "finished"
    with pytest.raises(StandingError) as caught:
        dead.beat()
    assert caught.value.standing == "over"


@pytest.mark.parametrize("then", ["finished", "the next runs"])
def test_taken_for_dead_and_back_when_all_is_over(then: str, make: Make) -> None:
    """It was told that it was dead while the crawl still ran: what it would begin now, nobody would end."""
    dead, alive = make("dead"), make("alive")
    alive.recover("dead", alive.last_beat("dead") or "", [])
    with pytest.raises(StandingError, match="dead"):
        dead.beat()
    assert alive.beat(started=True).state == "finished"
    if then == "the next runs":
        make("next")
    before = status_of(alive.client, alive.name)
    now, workers = before.state, [row.name for row in before.workers]
    with pytest.raises(StandingError, match="over"):
        dead.register("plan", starting=False)
    after = status_of(alive.client, alive.name)
    assert (after.state, [row.name for row in after.workers]) == (now, workers)
    assert SharedFrontier(alive.client, alive.name, "new", 30).register("plan") == (then == "finished")


def test_hints_come_with_the_request(make: Make) -> None:
    one = make()
    one.exchange(Outbox(push=[push("1", seen="page")]))
    one.exchange(Outbox(hints={"page": "dated"}))
    one.acquire(1)
    (row,) = one.exchange(Outbox(), [("site", 1)]).popped
    assert (row.key, row.unit, row.payload, row.seen, row.hints) == ("1", "site", "payload of 1", "page", "dated")


def test_a_dead_workers_requests_wait_again(make: Make) -> None:
    dead, alive = make("dead", lease=0.3), make("alive", lease=0.3)
    dead.exchange(Outbox(push=[push("1"), push("2")]))
    dead.acquire(1)
    assert pop(dead) == ["1", "2"]
    ack(dead, "1")
    assert alive.acquire(1) == []
    wait_until_dead(alive, "dead")
    ((name, at),) = alive.beat().dead
    assert alive.recover(name, at, []) == 1
    assert alive.recover(name, at, []) == -1, "somebody was faster"
    assert alive.acquire(1)[0][0] == "site"
    assert pop(alive) == ["2"]
    for call in (lambda: ack(dead, "2"), lambda: dead.beat(), lambda: dead.acquire(1)):
        with pytest.raises(StandingError) as caught:
            call()
        assert caught.value.standing == "dead"
    dead.register("plan")
    ack(dead, "2")
    assert status_of(alive.client, alive.name).leased == 1, "what is leased to another is not done"


def wait_until_dead(watcher: SharedFrontier, *workers: str) -> None:
    end = time.monotonic() + 10
    while {name for name, _ in watcher.beat().dead} < set(workers):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_worker_that_was_heard_of_is_not_buried(make: Make) -> None:
    one, two = make("a"), make("b")
    at = two.last_beat("a")
    assert at is not None
    one.beat()
    assert two.recover("a", at, []) == -1


def test_after_a_silence_of_the_server_nobody_is_taken_for_dead(make: Make) -> None:
    """When Redis was away, all are late; the first that comes back must not bury the others."""
    one, two = make("a", lease=0.4), make("b", lease=0.4)
    time.sleep(0.6)
    assert one.beat().dead == []
    assert two.beat().dead == []


def test_one_worker_writes_a_record(make: Make) -> None:
    one, two = make("a"), make("b")
    assert one.exchange(Outbox(claim=["x", "y"])).claimed == [True, True]
    assert two.exchange(Outbox(claim=["x", "z"])).claimed == [False, True]
    assert one.exchange(Outbox(claim=["x"])).claimed == [True], "the answer may have been lost"
    one.exchange(Outbox(written=["x"]))
    assert one.exchange(Outbox(claim=["x"])).claimed == [False]
    assert one.pending("a") == {"y"}


def test_written_records_are_told_to_all_once(make: Make) -> None:
    one, two = make("a"), make("b")
    ids = [f"{k:016x}" for k in range(3)]
    one.exchange(Outbox(claim=ids))
    assert one.exchange(Outbox(written=[ids[0], "r0000000000000000listing"])).written == [ids[0]]
    assert two.exchange(Outbox()).written == [ids[0]]
    assert one.exchange(Outbox(written=[ids[0], ids[1]])).written == [ids[1]]
    assert two.exchange(Outbox()).written == [ids[1]]


def test_a_dead_workers_claims_are_released_unless_written(make: Make) -> None:
    dead, alive = make("dead"), make("alive")
    dead.exchange(Outbox(claim=["0000000000000001", "0000000000000002"]))
    at = alive.last_beat("dead")
    assert at is not None
    assert alive.recover("dead", at, ["0000000000000001"]) == 0
    answer = alive.exchange(Outbox(claim=["0000000000000001", "0000000000000002"]))
    assert answer.claimed == [False, True]
    assert answer.written == ["0000000000000001"]


def test_a_dead_workers_lines_are_counted_though_it_could_not_tell_of_them(make: Make) -> None:
    dead, alive = make("dead"), make("alive")
    dead.exchange(Outbox(claim=["0000000000000001", "r0000000000000002short"], stats={"records": 4}))
    written = ["0000000000000001", "r0000000000000002short"]
    alive.recover("dead", alive.last_beat("dead") or "", written)
    assert {row.name: row.records for row in status_of(alive.client, alive.name).workers} == {"alive": 0, "dead": 5}


def test_lines_that_stand_twice_are_told_of(make: Make) -> None:
    """A worker is taken for dead between claim and line, and writes all the same."""
    late, other = make("late"), make("other")
    late.exchange(Outbox(claim=["x", "y", "z"]))
    other.recover("late", other.last_beat("late") or "", [])
    other.exchange(Outbox(claim=["x", "y"]))
    assert other.exchange(Outbox(written=["y"])).doubled == []
    late.register("plan")
    assert late.exchange(Outbox(written=["x", "y", "z"])).doubled == ["x", "y"], "nobody else has z"
    assert late.exchange(Outbox(written=["z"])).doubled == [], "told again, for an answer may get lost"
    assert other.exchange(Outbox(written=["x", "y"])).doubled == ["x"]
    assert other.exchange(Outbox(claim=["z"])).claimed == [False]


def test_whoever_asks_lives(make: Make) -> None:
    """Between a look into its feed and its burial, it may have asked for a claim again."""
    late, other = make("late"), make("other")
    at = other.last_beat("late")
    time.sleep(0.01)
    late.exchange(Outbox(claim=["x"]))
    assert other.recover("late", at or "", []) == -1
    assert other.exchange(Outbox(claim=["x"])).claimed == [False]


def test_after_half_a_lease_without_an_answer_a_new_stretch_begins(make: Make) -> None:
    one = make("a", lease=0.4)
    one.exchange(Outbox())
    before = one.stretch
    one.beat()
    assert one.is_fresh
    assert one.stretch == before
    time.sleep(0.25)
    assert not one.is_fresh
    one.exchange(Outbox())
    assert one.is_fresh
    assert one.stretch == before + 1, "what was granted before may be others' by now"


def test_who_has_died_is_known_until_it_is_back_or_seen_to(make: Make) -> None:
    one, two = make("a"), make("b")
    one.recover("b", one.last_beat("b") or "", [])
    assert one.dead() == {"b"}
    two.register("plan")
    assert one.dead() == set()
    one.recover("b", one.last_beat("b") or "", [])
    assert (two.adopt("b"), two.adopt("b")) == (True, False)
    one.recover("a", one.last_beat("a") or "", [])
    assert one.dead() == set(), "a has left by itself"


def test_a_name_is_of_one_place_while_its_worker_lives(make: Make) -> None:
    one = make("a", lease=0.5)

    def at(place: str) -> SharedFrontier:
        return SharedFrontier(one.client, one.name, "b", 0.5, place=place)

    here, there = at("here"), at("there")
    assert here.take_name() == ""
    assert there.take_name() == "here", "it is starting"
    here.register("plan")
    assert at("here").take_name() == "", "started again"
    with pytest.raises(ClusterError, match="has just taken the name 'b'"):
        there.register("plan")
    time.sleep(0.3)
    here.exchange(Outbox())
    time.sleep(0.3)
    assert there.take_name() == "here", "it was heard of"
    time.sleep(0.3)
    assert there.take_name() == ""
    assert there.has_moved
    there.recover("b", there.last_beat("b") or "", [])
    assert here.take_name() == "", "it has left"


def test_politeness_outlives_the_owner(make: Make) -> None:
    one, two = make("a"), make("b")
    one.exchange(Outbox(push=[push("1"), push("2", unit="other"), push("3", unit="third")]))
    assert len(one.acquire(9)) == 3
    one.release([("site", 7.0)])
    ((unit, wait),) = two.acquire(9)
    assert unit == "site"
    assert 6.5 < wait <= 7
    one.beat([("other", 50.0, 1.0), ("third", 0.0, 40.0)])
    at = two.last_beat("a")
    assert at is not None
    two.recover("a", at, [])
    waits = dict(two.acquire(9))
    assert 49 < waits["other"] <= 50, "it has been told of a pause"
    assert 41 < waits["third"] <= 42, "its last request may have been a moment after its last sign of life"


def test_shares(make: Make) -> None:
    one = make("a")
    one.exchange(Outbox(push=[push(str(k), unit=str(k)) for k in range(5)]))
    assert one.beat().share == 5
    two = make("b")
    assert one.beat().share == 3
    assert len(two.acquire(2)) == 2
    assert (two.beat().free, two.beat().owned) == (3, 2)


def test_a_crawl_with_another_plan_is_refused(make: Make) -> None:
    one = make()
    with pytest.raises(ClusterError, match="runs with other sites or arguments"):
        SharedFrontier(one.client, one.name, "b", 30).register("another plan")
    one.beat(started=True)
    assert SharedFrontier(one.client, one.name, "b", 30).register("another plan"), "the first one is over"


def test_a_name_has_one_process(make: Make) -> None:
    one = make("a")
    make("a")
    with pytest.raises(StandingError) as caught:
        one.beat()
    assert caught.value.standing == "taken"


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server that keeps only what it is told to save."""
    with running(tmp_path_factory.mktemp("forgetful"), keeps=False) as server:
        yield server


@pytest.mark.parametrize(
    ("first", "saved_before"),
    [("exchange", "work"), ("acquire", "work"), ("release", "work"), ("beat", "work"), ("resume", "work"), ("exchange", "joining"),
     ("recover", "joining"), ("register", "work")],
)  # fmt: skip
def test_an_older_state_is_noticed(first: str, saved_before: str, forgetful: RedisServer) -> None:
    """Redis is started again with an older RDB file: whatever is asked first, what is gone is not taken for done."""
    name = uuid.uuid4().hex
    busy, one = (SharedFrontier(connect(forgetful.url), name, worker, 30) for worker in ("busy", "one"))
    busy.register("plan")
    busy.exchange(Outbox(push=[push("1")]))
    if saved_before == "joining":
        busy.client.save()
    one.register("plan")
    one.acquire(1)
    if saved_before == "work":
        busy.client.save()
    assert pop(one) == ["1"]
    one.exchange(Outbox(push=[push("child")], written=["0" * 16], ack=["1"]))
    forgetful.stop()
    forgetful.start()
    for _ in range(20):
        busy.client.hincrby(f"{{newsextract:{name}}}:sequence", "busy", 1)  # the others' calls do not make up for it
    calls = {
        "exchange": lambda: pop(one), "acquire": lambda: one.acquire(1), "release": lambda: one.release([("site", 0.0)]),
        "beat": lambda: one.beat(started=True), "resume": lambda: one.resume([], []),
        "recover": lambda: one.recover("busy", one.last_beat("busy") or "", []), "register": lambda: one.register("plan"),
    }  # fmt: skip
    with pytest.raises(StandingError, match="lost"):
        calls[first]()
    with pytest.raises(StandingError, match="lost"):
        busy.beat()
    assert SharedFrontier(one.client, name, "new", 30).register("plan"), "a new crawl begins, from the feeds"


def test_an_answer_that_got_lost_costs_nothing(make: Make) -> None:
    """What it would have brought waits again; what is held stays."""
    one = make("a")
    one.exchange(Outbox(push=[push("1"), push("2"), push("3", unit="other"), push("4", unit="third")]))
    assert {unit for unit, _ in one.acquire(2)} <= {"site", "other", "third"}
    owned = [unit for unit in ("site", "other", "third") if one.client.hexists(f"{{newsextract:{one.name}}}:owners", unit)]
    unit = owned[0]
    kept = pop(one, 1, unit)
    pop(one, 9, unit)  # these answers got lost
    one.acquire(9)
    one.resume(kept, owned)
    status = status_of(one.client, one.name)
    assert (status.leased, status.waiting, status.sites_free) == (1, 3, 1)
    for known in owned:
        ack(one, *pop(one, 9, known))
    ack(one, *kept)
    ((last, _),) = one.acquire(9)
    ack(one, *pop(one, 9, last))
    assert one.beat(started=True).state == "finished"


def test_a_call_that_is_not_answered_leaves_a_doubt(forgetful: RedisServer) -> None:
    one = SharedFrontier(connect(forgetful.url), uuid.uuid4().hex, "a", 30)
    one.register("plan")
    assert not one.in_doubt
    one.client.save()
    forgetful.stop()
    with pytest.raises(RedisError):
        one.beat()
    forgetful.start()
    one.beat()
    assert one.in_doubt, "another question does not settle it"
    one.resume([], [])
    assert not one.in_doubt


def test_what_is_no_row_is_handed_out_once(make: Make) -> None:
    """Somebody has written into Redis: it must not stop the scripts."""
    one = make("a")
    one.exchange(Outbox(push=[push("1")]))
    base = f"{{newsextract:{one.name}}}:"
    one.acquire(1)
    for key, value in (("x", "nothing"), ("y", "site\nno number\n\np")):
        one.client.hset(f"{base}requests", key, value)
        one.client.zadd(f"{base}queue:site", {key: -1})
    rows = one.exchange(Outbox(), [("site", 9)]).popped
    assert [(row.key, row.payload) for row in rows] == [("x", ""), ("y", "p"), ("1", "payload of 1")]
    one.resume([], [])
    assert pop(one) == []
    one.acquire(1)
    assert pop(one) == ["1"], "what cannot be put back is gone"
    ack(one, "1")
    assert one.beat(started=True).state == "finished"


def test_status_and_clear(make: Make, redis: RedisServer) -> None:
    one = make("a")
    one.exchange(Outbox(push=[push("1"), push("2"), push("3", held=True)], stats={"pages": 4, "records": 3}))
    one.acquire(1)
    pop(one, 1)
    status = status_of(one.client, one.name)
    assert (status.state, status.waiting, status.held, status.leased, status.records, status.pages) == (
        "running",
        2,
        1,
        1,
        3,
        4,
    )
    assert (
        f"shared crawl {one.name}: running; 2 requests wait (1 until nothing else is left), 1 leased; 3 records, 4 pages"
        in status.lines()
    )
    assert one.name in names(one.client)
    other = SharedFrontier(one.client, "other", "a", 30)
    other.register("plan")
    assert clear(one.client, one.name)
    assert not clear(one.client, one.name)
    left = [key for key in one.client.scan_iter() if one.name in key]
    assert left == []
    assert one.name not in names(one.client)
    assert "other" in names(one.client), "the others stay"
    assert clear(one.client, "other")
    assert status_of(one.client, one.name).lines() == [f"no shared crawl {one.name!r} on this server"]


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["push", "pop", "ack", "die", "release", "acquire"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 2),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_whoever_dies_whenever_all_is_done_and_each_written_once(redis: RedisServer, events: list[Any]) -> None:
    """A model of processes: what is pushed is popped by a living worker in the end, and each record has one writer."""
    client, name = connect(redis.url), uuid.uuid4().hex
    workers: dict[str, SharedFrontier] = {}
    mine: dict[str, list[str]] = {}
    written: list[str] = []
    pushed: set[str] = set()
    done: set[str] = set()

    def join(worker: str) -> None:
        workers[worker] = SharedFrontier(client, name, worker, 30)
        at = workers[worker].last_beat(worker)
        if at is not None:
            pending = workers[worker].pending(worker)
            workers[worker].recover(worker, at, [key for key in pending if key in written])
        workers[worker].register("plan")
        mine[worker] = []

    def finish(worker: str, keys: list[str]) -> None:
        claimed = workers[worker].exchange(Outbox(claim=keys)).claimed
        fresh = [key for key, is_ours in zip(keys, claimed, strict=True) if is_ours]
        written.extend(fresh)
        workers[worker].exchange(Outbox(written=fresh, ack=keys))
        done.update(keys)
        mine[worker] = [key for key in mine[worker] if key not in keys]

    def take(worker: str, units: list[int]) -> None:
        popped = workers[worker].exchange(Outbox(), [(f"u{unit}", 2) for unit in units]).popped
        mine[worker] += [row.key for row in popped]

    for worker in "abc":
        join(worker)
    for action, worker, number in events:
        if action == "push":
            key = f"{len(pushed):016x}"
            pushed.add(key)
            workers[worker].exchange(Outbox(push=[push(key, unit=f"u{number}", seen=key)]))
        elif action == "pop":
            take(worker, [number])
        elif action == "ack":
            finish(worker, mine[worker][: number + 1])
        elif action == "acquire":
            workers[worker].acquire(number + 1)
        elif action == "release":
            workers[worker].release([(f"u{number}", 0.0)])
        else:
            keys = mine[worker][:number]  # it dies between claim, line and telling of it
            claimed = workers[worker].exchange(Outbox(claim=keys)).claimed
            written += [key for key, is_ours in zip(keys[:1], claimed, strict=False) if is_ours]
            join(worker)
    for worker in "bc":
        at = workers["a"].last_beat(worker)
        workers["a"].recover(worker, at or "", [key for key in workers["a"].pending(worker) if key in written])
    for _ in range(100):
        workers["a"].acquire(9)
        take("a", [0, 1, 2])
        finish("a", mine["a"])
        if workers["a"].beat(started=True).state == "finished":
            break
    assert done == pushed
    assert sorted(written) == sorted(pushed)
    clear(client, name)
