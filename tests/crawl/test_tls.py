"""Servers whose TLS does not hold: a plain reason each, no traceback."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


def certificate(path: Path) -> Path:
    """A certificate that nobody has signed, without names, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "other.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
    signed = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(signed + key.private_bytes(*form))
    return path


def test_bad_certificates_and_plain_servers(make_server: Run, small_crawl: Run, make_sites: Run, tmp_path: Path) -> None:
    signed, plain = make_server(), make_server()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path / "server.pem"))
    signed.http.socket = context.wrap_socket(signed.http.socket, server_side=True, do_handshake_on_connect=False)
    starts = {name: server.url("/").replace("http:", "https:") for name, server in (("signed", signed), ("plain", plain))}
    sites = make_sites(*({"name": name, "start": [url], "obey_robots": False} for name, url in starts.items()))
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites, settings={"RETRY_TIMES": 1})
    assert "Traceback" not in crawl.err
    reasons = {line["site"]: line["reason"] for line in crawl.rejected}
    assert reasons["signed"] == "TLS: certificate verify failed"
    assert reasons["plain"].startswith("TLS: ")
