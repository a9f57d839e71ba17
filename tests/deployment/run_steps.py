"""Run the steps of the container file in a Debian root folder, where no image can be pulled; and commands in what came out.

As root, from the folder of the repository:

    debootstrap --variant=minbase bookworm ROOT
    python -m tests.deployment.run_steps build [--argument BROWSER=none] [--env PIP_INDEX_URL=…] ROOT
    python -m tests.deployment.run_steps run [--user 12345:12345] ROOT crawl news -a sites=harbour-ledger

The steps are read from the file itself, so that file and check cannot drift. Against a real build three things differ: the
base is debootstrap's, not the image of the FROM line (which is made the same way); nothing is cached between steps;
and the kernel is shared without the seccomp profile of a container engine. /proc, /dev and /dev/shm are mounted in a mount
namespace of their own, so nothing is left mounted. The network is the machine's. ``--env`` gives the commands a variable,
``--bind`` a folder of the machine (a package index, certificates), read-only: neither becomes part of the root.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.deployment.container_file import Step, context_files, read_steps

REPOSITORY = Path(__file__).resolve().parents[2]
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
UNSHARE = shutil.which("unshare") or "unshare"


@dataclass
class Container:
    """A root folder, and what the instructions have said so far about the commands that run in it."""

    root: Path
    binds: Mapping[str, str]
    """Folder of the machine → place in the root; mounted read-only, for what the steps write would change the machine."""
    more: Mapping[str, str]
    """Variables that the container file does not set."""
    volumes: Mapping[str, str] = field(default_factory=dict)
    """The same as ``binds``, but writable: what ``docker run -v`` gives."""
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": SYSTEM_PATH})
    folder: str = "/"
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def configure(self, step: Step) -> None:
        """Take what an instruction says of the commands that follow it."""
        if step.name == "ENV":
            self.environment |= step.pairs
        elif step.name == "WORKDIR":
            self.folder = step.value
        elif step.name == "USER":
            self.user = step.value
        elif step.name in ("ENTRYPOINT", "CMD"):
            setattr(self, {"ENTRYPOINT": "entrypoint", "CMD": "command"}[step.name], step.words)

    def copy(self, step: Step) -> None:
        """COPY; a folder's contents go into the target, files keep their names."""
        *sources, target = step.words
        context = context_files(REPOSITORY)
        for source in sources:
            files = [name for name in context if name == source or name.startswith(f"{source}/")]
            if not files:
                raise SystemExit(f"line {step.line}: COPY {source}: not in the context; see .dockerignore")
            for name in files:
                place = f"{target}/{Path(name).name}" if name == source else target + name.removeprefix(source)
                to = self.root / self.folder.lstrip("/") / place
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(REPOSITORY / name, to)

    def execute(self, command: Sequence[str], arguments: Mapping[str, str] | None = None) -> int:
        """Run a command in the root as the user; its exit code."""
        user, _, group = self.user.partition(":")
        mounts = ["mount --bind . .", 'cd "$PWD"', "mount -t proc proc proc", "mount --rbind /dev dev"]
        mounts.append("mount -t tmpfs -o mode=1777 shm dev/shm")
        for folder, place in self.binds.items():
            to = shlex.quote(f".{place}")
            mounts += [f"mkdir -p {to}", f"mount --bind {shlex.quote(folder)} {to}", f"mount -o remount,bind,ro {to}"]
        for folder, place in self.volumes.items():
            mounts.append(shlex.join(["mount", "--bind", folder, f".{place}"]))
        # pivot_root, not chroot: in a chroot the kernel makes no user namespaces, and Chromium's sandbox consists of them
        mounts += ["pivot_root . .", "umount -l .", f"cd {shlex.quote(self.folder)}"]
        inner = [
            "setpriv",
            f"--reuid={user}",
            f"--regid={group}",
            "--clear-groups",
            "env",
            f"PATH={self.environment['PATH']}",
        ]
        script = " && ".join([f"cd {shlex.quote(str(self.root))}", *mounts, f"exec {shlex.join([*inner, *command])}"])
        return subprocess.run(
            [UNSHARE, "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script],
            env={**self.environment, **(arguments or {}), **self.more, "PATH": SYSTEM_PATH},
            check=False,
        ).returncode


def build(container: Container, chosen: Mapping[str, str]) -> None:
    """Run all steps."""
    arguments: dict[str, str] = {}
    for step in read_steps(REPOSITORY / "Dockerfile"):
        print(f"--- line {step.line}: {step.name} {step.value}", flush=True)
        if step.name == "FROM":
            arguments = {}  # those before it are for this line alone, and the base is what ROOT holds
        elif step.name == "ARG":
            arguments |= {name: chosen.get(name, value) for name, value in step.pairs.items()}
        elif step.name == "COPY":
            container.copy(step)
        elif step.name == "RUN":
            code = container.execute(["/bin/sh", "-c", step.value], arguments)
            if code:
                raise SystemExit(f"line {step.line}: RUN ended with exit code {code}")
        elif step.name == "WORKDIR":
            (container.root / step.value.lstrip("/")).mkdir(parents=True, exist_ok=True)
        container.configure(step)
    if unknown := set(chosen) - set(arguments):
        raise SystemExit(f"no ARG {', '.join(sorted(unknown))} in the container file")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="a variable for the commands")
    shared.add_argument(
        "--bind", action="append", default=[], metavar="FOLDER:PLACE", help="a folder of the machine, read-only"
    )
    kinds = parser.add_subparsers(dest="what", required=True)
    building = kinds.add_parser("build", parents=[shared])
    building.add_argument("--argument", action="append", default=[], metavar="NAME=VALUE", help="a build argument")
    running = kinds.add_parser("run", parents=[shared])
    running.add_argument("--user", help="instead of the container file's")
    running.add_argument("--volume", action="append", default=[], metavar="FOLDER:PLACE", help="the same, writable")
    for kind in (building, running):
        kind.add_argument("root", type=Path, help="the root folder; options stand before it")
    running.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can change the root folder")
    if not (options.root / "etc/debian_version").exists():
        parser.error(f"{options.root} is no Debian root; make one with debootstrap")
    container = Container(options.root.resolve(), _pairs(options.bind, ":"), _pairs(options.env, "="))
    if options.what == "build":
        build(container, _pairs(options.argument, "="))
        return 0
    for step in read_steps(REPOSITORY / "Dockerfile"):
        container.configure(step)
    container.user = options.user or container.user
    container.volumes = _pairs(options.volume, ":")
    return container.execute([*container.entrypoint, *(options.command or container.command)])


def _pairs(texts: Sequence[str], mark: str) -> dict[str, str]:
    return dict(text.partition(mark)[::2] for text in texts)


if __name__ == "__main__":
    sys.exit(main())
