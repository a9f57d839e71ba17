"""A user's mistakes are one line, exit code 2, and nothing is fetched; the commands; Ctrl-C; password and TLS."""

from __future__ import annotations

import datetime
import json
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from scrapy.settings import Settings

from newsextract.cli import main
from newsextract.cluster.connection import ClusterError, connect
from newsextract.cluster.frontier import SharedFrontier
from newsextract.errors import MissingExtra, UsageError
from spiders.crawl_plan import CrawlPlan
from spiders.plan import make_plan
from tests.crawl.cluster_papers import Papers, by_id, union
from tests.redis_server import RedisServer, running

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running(tmp_path_factory.mktemp("redis"), "--requirepass", "se/cret") as server:
        yield server


@pytest.fixture
def url(redis: RedisServer) -> str:
    return f"redis://:se%2Fcret@127.0.0.1:{redis.port}/0"


@pytest.fixture
def sites(server: Any, make_sites: Run) -> Path:
    return Papers(server, 2, 6, pause=0.03).sites(make_sites)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``newsextract cluster …``: (exit code, what it prints)."""

    def run(*arguments: str, url: str = "") -> tuple[int, str]:
        monkeypatch.setenv("CLUSTER_URL", url)
        capsys.readouterr()
        return main(["cluster", *arguments]), capsys.readouterr().out

    return run


@pytest.fixture
def plan(sites: Path, tmp_path: Path) -> Run:
    """What ``scrapy crawl news -a …`` checks before it fetches anything."""

    def make(*arguments: str, overwrite: bool = False, **settings: Any) -> CrawlPlan:
        chosen = Settings()
        chosen.setmodule("settings.base")
        feeds = {str(tmp_path / "news.jsonl"): {"format": "jsonlines", "overwrite": overwrite}}
        chosen.setdict({"SITES_FILE": str(sites), "FEEDS": feeds} | settings, priority="cmdline")
        return make_plan(chosen, dict(argument.split("=", 1) for argument in arguments))

    return make


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (("cluster=redis://127.0.0.1:1/0",), {}, "the Redis server does not answer"),
        (("cluster=http://127.0.0.1/",), {}, "is no address of a Redis server"),
        (("cluster={wrong}",), {}, "does not answer: invalid username-password pair"),
        (("cluster={url}", "worker=a.b"), {}, "expected a name of letters"),
        (("cluster={url}", "crawl=a b"), {}, "expected a name of letters"),
        (("cluster={url}",), {"CLUSTER_LEASE": "0.5"}, "CLUSTER_LEASE=0.5"),
        (("worker=a",), {}, "only for shared crawls"),
        (("cluster={url}",), {"overwrite": True}, "a shared crawl cannot start afresh"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], settings: dict[str, Any], message: str, url: str, plan: Run) -> None:
    given = [part.format(url=url, wrong=url.replace("se%2Fcret", "guess")) for part in arguments]
    with pytest.raises(UsageError, match=message) as caught:
        plan(*given, **settings)
    assert "\n" not in str(caught.value)
    assert "guess" not in str(caught.value)


def test_a_mistake_is_one_line_and_nothing_is_fetched(small_crawl: Run, sites: Path, server: Any, tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", "cluster=redis://:guess@127.0.0.1:1/0", sites=sites).check(2)
    first, second = crawl.err.splitlines()
    assert first.startswith("redis://…@127.0.0.1:1/0: the Redis server does not answer")
    assert second == "The crawl was not started."
    assert server.hits == []


@pytest.mark.parametrize(
    "url",
    [
        "redi://:{secret}@127.0.0.1:1/0", "redis://:hun/{secret}@127.0.0.1:1/0", "redis://:{secret}/ter@127.0.0.1:1/0",
        "redis://:hu@{secret}@127.0.0.1:1/0", "redis://127.0.0.1:1/0?password={secret}",
        "redis://127.0.0.1:1/0?db=1&password=x@{secret}", "unix:///no/socket?password={secret}", "redis://:{secret}",
        "redis://:{secret}?x@127.0.0.1:1/0", "redis://{secret}?@127.0.0.1", "redis://{secret}#@127.0.0.1", "http://[x:{secret}@h",
        "redis://:{secret}@127.0.0.1:abc/0", "rediss://:{secret}@127.0.0.1:1/x", "redis://:p&q={secret}@127.0.0.1:1/0",
    ],
)  # fmt: skip
def test_no_password_is_ever_told(url: str) -> None:
    with pytest.raises(ClusterError) as caught:
        connect(url.format(secret="hunter2"))  # the messages of others (ports, hosts) must not hold it either
    assert "hunter2" not in str(caught.value)


def test_an_unknown_option_of_the_address_is_a_mistake(url: str) -> None:
    with pytest.raises(ClusterError, match=r"\?foo=…: an option behind the \? is not known: 'foo'"):
        connect(f"{url}?foo=bar")


@pytest.mark.parametrize("module", ["redis", "scrapy_redis"])
def test_what_is_not_installed(module: str, plan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtra, match=rf"needs the package {module.replace('_', '-')}: pip install 'newsextract\[cluster\]'"
    ):
        plan("cluster=redis://127.0.0.1:1/0")


def test_a_crawl_that_is_not_shared_knows_nothing_of_redis(small_crawl: Run, sites: Path, tmp_path: Path) -> None:
    program = "import sys; sys.modules['redis'] = sys.modules['scrapy_redis'] = None; from scrapy.cmdline import execute; execute()"
    assert small_crawl(tmp_path / "news.jsonl", sites=sites, program=program).check().records


def test_a_name_has_one_process_and_a_crawl_one_plan(url: str, plan: Run, sites: Path) -> None:
    shared = (f"cluster={url}", "crawl=names")
    first = plan(*shared, "worker=a")
    with pytest.raises(UsageError, match="a process of this name is running"):
        plan(*shared, "worker=a")
    assert plan(*shared, "worker=b").cluster.digest == first.cluster.digest
    others: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        (("limit=1",), {}), ((), {"ROBOTSTXT_OBEY": False}), ((), {"USER_AGENT": "another bot"}), ((), {"CLUSTER_LEASE": 7}),
        ((), {"DOWNLOAD_DELAY": 0.5}), ((), {"AUTOTHROTTLE_MAX_DELAY": 3}),
    ]  # fmt: skip
    for arguments, settings in others:
        with pytest.raises(ClusterError, match="runs with other sites or arguments"):
            plan(*shared, "worker=c", *arguments, **settings)
    alike = {"DOWNLOAD_DELAY": "1", "ROBOTSTXT_OBEY": "1", "CLUSTER_LEASE": "30"}
    assert plan(*shared, "worker=d", **alike).cluster.digest == first.cluster.digest


def test_a_crawl_has_one_version_and_one_wrapper(
    url: str, plan: Run, sites: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, wrapper = (f"cluster={url}", "crawl=versions"), tmp_path / "own.oem"
    wrapper.write_text("{<body>#</body>, root, get()}\n", "utf-8")
    text = sites.read_text("utf-8")
    sites.write_text(text.replace("[[site]]\n", '[[site]]\nwrapper = "own.oem"\n', 1), "utf-8")
    first = plan(*shared, "worker=a")
    elsewhere = tmp_path / "elsewhere" / "own.oem"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(wrapper.read_bytes())
    sites.write_text(sites.read_text("utf-8").replace("own.oem", "elsewhere/own.oem"), "utf-8")
    assert plan(*shared, "worker=b").cluster.digest == first.cluster.digest, "where it lies does not matter"
    elsewhere.write_text("{<html>#</html>, root, get()}\n", "utf-8")
    with pytest.raises(ClusterError, match="another version of newsextract"):
        plan(*shared, "worker=c")
    elsewhere.write_bytes(wrapper.read_bytes())
    monkeypatch.setattr("spiders.cluster.plan.__version__", "0.0.0")
    with pytest.raises(ClusterError, match="another version of newsextract"):
        plan(*shared, "worker=c")


def test_workers_name_themselves_and_the_commands_tell(
    url: str, start_crawl: Run, command: Run, sites: Path, tmp_path: Path
) -> None:
    """By CLUSTER_URL alone, so that no password stands in the list of processes."""
    env = {"CLUSTER_URL": url, "SCRAPY_PROJECT": "cluster", "SCRAPY_SETTINGS_MODULE": "settings.cluster"}
    crawls = [
        start_crawl(tmp_path / "news.jsonl", "-a", "crawl=named", sites=sites, settings={"EXTRACTION_WORKERS": 0}, env=env)
        for _ in range(2)
    ]
    for crawl in crawls:
        crawl.wait(60).check()
    feeds = sorted(path.name for path in tmp_path.glob("news.*.jsonl") if "rejected" not in path.name)
    assert len(feeds) == 2
    assert [name.rpartition("-")[2] for name in feeds] == ["1.jsonl", "2.jsonl"]
    assert len(by_id(union(tmp_path / "news.jsonl"))) == 2 * 10
    code, told = command("status", url=url)
    assert code == 0
    assert "shared crawl named: finished; 0 requests wait, 0 leased; 20 records" in told
    assert told.count("has left") == 2
    assert command("clear", url)[0] == 2
    assert command("clear", url, "--crawl", "named") == (0, "removed the shared crawl 'named'; its feeds stay\n")
    assert command("clear", url, "--crawl", "named")[0] == 1
    assert command("status", url, "--crawl", "named") == (1, "no shared crawl 'named' on this server\n")


def test_keys_are_kept_until_all_have_left(url: str, command: Run) -> None:
    """At its end a worker may still ask which feeds of dead ones the database lacks."""
    worker = SharedFrontier(connect(url), "ending", "a", 30)
    worker.register("plan")
    assert worker.beat([], started=True).state == "finished"
    assert command("clear", url, "--crawl", "ending")[0] == 2
    assert worker.gone()
    assert not worker.gone()
    assert command("clear", url, "--crawl", "ending")[0] == 0


def test_ctrl_c_gives_back_what_a_process_has(
    url: str, start_crawl: Run, command: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 2, 12, pause=0.1).sites(make_sites, concurrency=2)
    feed, shared = tmp_path / "news.jsonl", ("-a", f"cluster={url}", "-a", "crawl=interrupted")
    settings = {"EXTRACTION_WORKERS": 0, "CLUSTER_LEASE": 600}
    first = start_crawl(feed, *shared, "-a", "worker=a", sites=sites, settings=settings)
    first.wait_for_lines(3, feed.with_suffix(".a.jsonl"))
    first.interrupt()
    first.wait(20)
    status = json.loads(command("status", url, "--crawl", "interrupted", "--json")[1])
    assert (status["state"], status["leased"]) == ("running", 0)
    assert status["waiting"] > 0
    start_crawl(feed, *shared, "-a", "worker=b", sites=sites, settings=settings).wait(60).check()
    assert len(by_id(union(feed))) == 2 * 16


def test_tls(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (tmp_path / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    files = ("--tls-cert-file", str(tmp_path / "cert.pem"), "--tls-key-file", str(tmp_path / "key.pem"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running(tmp_path / "redis", *files, "--tls-auth-clients", "no", "--tls-port", str(port)):
        secure = connect(f"rediss://localhost:{port}/0?ssl_ca_certs={tmp_path / 'cert.pem'}")
        assert secure.ping()
        with pytest.raises(ClusterError, match="does not answer"):
            connect(f"rediss://localhost:{port}/0")
