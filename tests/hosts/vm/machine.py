"""A virtual machine with Debian's cloud kernel in virtual time: qemu's software emulation counts instructions, one a
nanosecond, so that what happens inside depends on nothing outside."""
import ctypes
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from image import Missing, which

META_PACKAGE = "linux-image-cloud-amd64"
# What a kernel says when it has found a mistake of its own, or one that a program of ours made in it.
KERNEL_TROUBLE = re.compile(r"\b(BUG|WARNING|Oops|KASAN|UBSAN|Kernel panic|general protection fault|rcu:.*stall)\b")


def fetch_kernel(folder):
    """Downloads the package of the kernel with apt-get and unpacks it into `folder`; nothing is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    found = subprocess.run(["apt-cache", "depends", META_PACKAGE], capture_output=True, text=True, check=False)
    names = re.findall(r"Depends: (linux-image-\S+)", found.stdout)
    if not names:
        raise Missing(f"the package {META_PACKAGE} in the package lists (apt-get update)")
    subprocess.run(["apt-get", "download", names[0]], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    package = sorted(folder.glob(f"{names[0]}_*.deb"))[-1]
    subprocess.run(["dpkg-deb", "-x", package, folder / "kernel"], check=True)
    package.unlink()


def find_kernel(folder):
    """The tree with boot/vmlinuz-* and lib/modules/*: an unpacked package, or this machine's root if it is installed."""
    for tree in (folder / "kernel", pathlib.Path("/")):
        images = sorted(tree.glob("boot/vmlinuz-*-cloud-amd64"))
        if images:
            return tree, images[-1]
    raise Missing(f"Debian's cloud kernel: run this with --fetch, or unpack {META_PACKAGE}'s package into {folder}/kernel")


def qemu():
    path = which("qemu-system-x86_64")
    if path is None:
        raise Missing("qemu-system-x86_64 (Debian package qemu-system-x86)")
    return path


class Failed(Exception):
    """A machine that did not come to its end, or whose kernel complained."""


def processor_time():
    """Of machines that have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def end_with_us():
    """The machine does not outlive this script, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Busy:
    """Keeps all processors of this machine busy for as long as it is entered."""

    def __enter__(self):
        self.loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=end_with_us)
                      for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def boot(image, initrd, folder, name, *, virtual=True, memory=768, seed=1, limit=600):
    """Runs a machine to its end; one that is not virtual in its time has two processors and is not the same twice, since
    qemu counts instructions of several processors far too slowly. Returns what it wrote to its second serial port, and
    seconds on the wall and of processor time."""
    folder.mkdir(parents=True, exist_ok=True)
    console, output, ram = (folder / f"{name}.{end}" for end in ("console", "output", "initrd"))
    ram.write_bytes(initrd)
    for path in (console, output):
        path.write_bytes(b"")
    arguments = [
        qemu(), "-nodefaults", "-no-user-config", "-machine", "pc,usb=off", "-accel", "tcg", "-cpu", "qemu64",
        "-seed", str(seed), "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-m", str(memory), "-display", "none",
        "-no-reboot", "-kernel", str(image), "-initrd", str(ram), "-serial", f"file:{console}", "-serial", f"file:{output}",
        "-append", "console=ttyS0 quiet nokaslr norandmaps mitigations=off nopti tsc=reliable random.trust_cpu=off "
                   "panic=-1 oops=panic module.sig_enforce=0"]
    arguments += ["-icount", "shift=0,sleep=off"] if virtual else ["-smp", "2"]
    began = time.monotonic(), processor_time()
    machine = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=end_with_us)
    try:
        _, errors = machine.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"{name}: not at its end after {limit} s; see {console}") from None
    finally:
        if machine.poll() is None:
            machine.kill()
            machine.wait()
        ram.unlink()
    if machine.returncode != 0:
        raise Failed(f"{name}: qemu ended with {machine.returncode}: {errors.decode(errors='replace').strip()}")
    said = console.read_text(errors="replace")
    for line in said.splitlines():
        if KERNEL_TROUBLE.search(line):
            raise Failed(f"{name}: the kernel says: {line.strip()}; see {console}")
    return output.read_text(errors="replace"), (time.monotonic() - began[0], processor_time() - began[1])


def lower_priority():
    """What is emulated does not care how fast it is, and others do."""
    os.nice(5)
