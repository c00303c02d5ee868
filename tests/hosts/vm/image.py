"""The initial file system of the virtual machine: a cpio archive made from programs of this machine and kernel modules."""
import os
import pathlib
import shutil
import stat
import subprocess

# Modules that the labs need; those that they depend on are found.
MODULES = """veth dummy 8021q ifb sch_fq sch_htb sch_tbf sch_netem sch_ingress sch_prio cls_bpf cls_u32 cls_matchall act_bpf
act_mirred nfnetlink_queue nf_tables nft_queue nft_compat ip_tables iptable_mangle iptable_filter ip6_tables
ip6table_mangle xt_NFQUEUE xt_bpf xt_mark xt_tcpudp x_tables tcp_bbr inet_diag tcp_diag""".split()

# Programs that are taken along if they are here.
PROGRAMS = ["ip", "tc", "nft", "bpftool", "ethtool"]
# Names of one program, which finds its extensions when it runs.
IPTABLES = [name + end for name in ("iptables", "ip6tables") for end in ("", "-save", "-restore")]
EXTENSIONS = "/usr/lib/x86_64-linux-gnu/xtables"


class Missing(Exception):
    """Something that the virtual machine cannot be made without."""


def which(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin")
    return path and os.path.realpath(path)


def libraries(program):
    """The shared libraries of a program, its interpreter among them."""
    found = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    paths = []
    for line in found.stdout.splitlines():
        words = line.split()
        path = next((word for word in words if word.startswith("/")), None)
        if path:
            paths.append(path)
        elif "=> not found" in line:
            raise Missing(f"the library {words[0]} of {program}")
    return paths


def dependencies(module):
    """The names of the modules that one needs, from its section .modinfo."""
    content = module.read_bytes()
    at = content.find(b"\0depends=")
    if at < 0:
        return []
    text = content[at + 9:content.index(b"\0", at + 1)].decode()
    return [name for name in text.split(",") if name]


def module_order(tree, wanted):
    """Module files of an unpacked kernel package, each after those that it needs. Those built in are not among them."""
    files = {path.stem.replace("-", "_"): path for path in sorted(tree.glob("lib/modules/*/kernel/**/*.ko"))}
    if not files:
        raise Missing(f"kernel modules in {tree}")
    order = []

    def add(name):
        path = files.get(name.replace("-", "_"))
        if path is None or path in order:
            return
        for needed in dependencies(path):
            add(needed)
        order.append(path)

    for name in wanted:
        add(name)
    return order


class Archive:
    """A cpio archive of the form that kernels take ("newc")."""

    def __init__(self):
        self.parts = []
        self.names = set()
        self.number = 0

    def _put(self, name, mode, data=b"", device=(0, 0)):
        self.number += 1
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, device[0], device[1], len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08x" % value for value in fields) + name.encode() + b"\0"
        for part in (head, data):
            self.parts.append(part + b"\0" * (-len(part) % 4))
        self.names.add(name)

    def folder(self, name):
        if name and name not in self.names:
            self.folder(os.path.dirname(name))
            self._put(name, stat.S_IFDIR | 0o755)

    def data(self, name, data, mode=0o644):
        name = name.lstrip("/")
        if name not in self.names:
            self.folder(os.path.dirname(name))
            self._put(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        name = name.lstrip("/")
        if name not in self.names:
            self.folder(os.path.dirname(name))
            self._put(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name, major, minor):
        self.folder(os.path.dirname(name))
        self._put(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def file(self, name, source):
        source = pathlib.Path(source)
        self.data(name, source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)

    def program(self, name, source):
        """With its libraries."""
        self.file(name, source)
        for library in libraries(str(source)):
            self.file(library, os.path.realpath(library))

    def bytes(self):
        self._put("TRAILER!!!", 0)
        return b"".join(self.parts)


def make(kernel_tree, programs, files):
    """An archive with all that does not differ between cases: `programs` and `files` by their names inside."""
    archive = Archive()
    for name in ("bin", "sbin", "dev", "proc", "sys", "run", "tmp", "etc", "lib/modules"):
        archive.folder(name)
    archive.character_device("dev/console", 5, 1)
    busybox = which("busybox")
    if busybox is None:
        raise Missing("busybox (Debian package busybox-static)")
    archive.program("bin/busybox", busybox)
    # Busybox's own shell takes its applets instead of programs of the same names.
    archive.program("bin/sh", which("dash") or which("sh"))
    for name in PROGRAMS:
        path = which(name)
        if path is not None:
            archive.program(f"sbin/{name}", path)
        elif name in ("ip", "tc"):
            raise Missing(f"{name} (Debian package iproute2)")
    if path := which("iptables"):
        archive.program(path, path)
        for name in IPTABLES:
            archive.link(f"sbin/{name}", path)
        for extension in sorted(pathlib.Path(EXTENSIONS).glob("lib*t*.so")):
            archive.file(str(extension), os.path.realpath(extension))
    for name, path in programs.items():
        archive.program(name, path)
    for name, path in files.items():
        archive.file(name, path)
    order = module_order(kernel_tree, MODULES)
    for path in order:
        archive.file(f"lib/modules/{path.name}", path)
    archive.data("lib/modules/order", "".join(f"{path.name}\n" for path in order).encode())
    return archive


def overlay(files):
    """A second archive, which kernels unpack over the first: the case itself."""
    archive = Archive()
    for name, (content, mode) in files.items():
        archive.data(name, content.encode(), mode)
    return archive.bytes()
