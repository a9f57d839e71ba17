"""A user's mistakes are one line, exit code 2, and nothing is fetched; the commands; Ctrl-C; password and TLS."""

from __future__ import annotations

import datetime
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from newsextract.cluster.connection import ClusterError, connect
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


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "newsextract.cli", "cluster", *arguments],
        capture_output=True, text=True, check=False, timeout=60, env=os.environ | environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", "cluster=redis://127.0.0.1:1/0"), "the Redis server does not answer"),
        (("-a", "cluster=http://127.0.0.1/"), "is no address of a Redis server"),
        (("-a", "cluster={wrong}"), "does not answer: invalid username-password pair"),
        (("-a", "cluster={url}", "-a", "worker=a.b"), "expected a name of letters"),
        (("-a", "cluster={url}", "-a", "crawl=a b"), "expected a name of letters"),
        (("-a", "cluster={url}", "-s", "CLUSTER_LEASE=0.5"), "CLUSTER_LEASE=0.5"),
        (("-a", "worker=a"), "only for shared crawls"),
    ],
)
def test_mistakes(
    arguments: tuple[str, ...], message: str, url: str, small_crawl: Run, sites: Path, server: Any, tmp_path: Path
) -> None:
    given = [part.format(url=url, wrong=url.replace("se%2Fcret", "guess")) for part in arguments]
    crawl = small_crawl(tmp_path / "news.jsonl", *given, sites=sites).check(2)
    first = crawl.err.splitlines()[0]
    assert message in first
    assert "guess" not in crawl.err
    assert "The crawl was not started." in crawl.err
    assert server.hits == []


def test_a_fresh_start_is_refused(url: str, small_crawl: Run, sites: Path, tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", f"cluster={url}", sites=sites, output="-O").check(2)
    assert "a shared crawl cannot start afresh" in crawl.err


@pytest.mark.parametrize("module", ["redis", "scrapy_redis"])
def test_what_is_not_installed(module: str, small_crawl: Run, sites: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.modules[{module!r}] = None; from scrapy.cmdline import execute; execute()"
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", "cluster=redis://127.0.0.1:1/0", sites=sites, program=program).check(
        2
    )
    assert f"needs the package {module.replace('_', '-')}: pip install 'newsextract[cluster]'" in crawl.err


def test_a_crawl_that_is_not_shared_knows_nothing_of_redis(small_crawl: Run, sites: Path, tmp_path: Path) -> None:
    program = "import sys; sys.modules['redis'] = sys.modules['scrapy_redis'] = None; from scrapy.cmdline import execute; execute()"
    assert small_crawl(tmp_path / "news.jsonl", sites=sites, program=program).check().records


def test_two_processes_names_and_plans(
    url: str, start_crawl: Run, small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 1, 20, pause=0.5).sites(make_sites, concurrency=1)
    feed, shared = tmp_path / "news.jsonl", ("-a", f"cluster={url}", "-a", "crawl=names")
    first = start_crawl(feed, *shared, "-a", "worker=a", sites=sites, settings={"EXTRACTION_WORKERS": 0})
    end = time.monotonic() + 20
    while json.loads(command("status", url, "--crawl", "names", "--json").stdout or "{}").get("state") != "running":
        assert time.monotonic() < end
    taken = small_crawl(feed, *shared, "-a", "worker=a", sites=sites).check(2)
    assert "a process of this name is running" in taken.err
    other = small_crawl(feed, *shared, "-a", "limit=1", sites=sites).check(2)
    assert "runs with other sites or arguments" in other.err
    assert first.process.poll() is None


def test_workers_name_themselves_and_the_commands_tell(url: str, start_crawl: Run, sites: Path, tmp_path: Path) -> None:
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
    status = command("status", CLUSTER_URL=url)
    assert status.returncode == 0
    assert "shared crawl named: finished; 0 requests wait (0 to the last), 0 leased; 20 records" in status.stdout
    assert command("clear", url).returncode == 2
    assert command("clear", url, "--crawl", "named").stdout == "removed the shared crawl 'named'; its feeds stay\n"
    assert command("clear", url, "--crawl", "named").returncode == 1
    left = command("status", url, "--crawl", "named")
    assert (left.returncode, left.stdout) == (1, "no shared crawl 'named' on this server\n")


def test_ctrl_c_gives_back_what_a_process_has(
    url: str, start_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 2, 20, pause=0.1).sites(make_sites, concurrency=2)
    feed, shared = tmp_path / "news.jsonl", ("-a", f"cluster={url}", "-a", "crawl=interrupted")
    settings = {"EXTRACTION_WORKERS": 0, "CLUSTER_LEASE": 600}
    first = start_crawl(feed, *shared, "-a", "worker=a", sites=sites, settings=settings)
    first.wait_for_lines(3, feed.with_suffix(".a.jsonl"))
    first.interrupt()
    first.wait(20)
    status = json.loads(command("status", url, "--crawl", "interrupted", "--json").stdout)
    assert (status["state"], status["leased"]) == ("running", 0)
    assert status["waiting"] > 0
    start_crawl(feed, *shared, "-a", "worker=b", sites=sites, settings=settings).wait(60).check()
    assert len(by_id(union(feed))) == 2 * 24


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
