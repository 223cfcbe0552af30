"""Disks in the lab that keep an account of every write, fail, or are exchanged beneath a file system (device mapper)."""
import fcntl
import os
import pathlib
import struct
import subprocess

SECTOR = 512
# <linux/dm-ioctl.h>: _IOWR(0xfd, 14, struct dm_ioctl) and that structure's size. Starting dmsetup takes longer than many commits.
DM_TARGET_MSG, DM_IOCTL_SIZE = 0xC138FD0E, 312

# Without a udev daemon dmsetup makes the nodes itself.
ENVIRONMENT = {**os.environ, "DM_DISABLE_UDEV": "1"}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def targets():
    """The device mapper's targets that this kernel has; empty without a device mapper."""
    try:
        return {line.split()[0] for line in run("dmsetup", "targets").splitlines() if line}
    except OSError:
        return set()


def size_of(device):
    """In bytes."""
    with open(device, "rb") as file:
        return file.seek(0, os.SEEK_END)


def read_all(device):
    with open(device, "rb") as file:
        return file.read()


def write_all(device, image):
    with open(device, "r+b") as file:
        file.write(image)
        os.fsync(file.fileno())


def make_file_system(device, *options):
    """An ext4 without work left for the background."""
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", *options, device)


class Mapped:
    """A device of the device mapper; `table` is what it is made of, without the leading "0 SECTORS"."""

    def __init__(self, name, below, table):
        self.name = name
        self.sectors = size_of(below) // SECTOR
        run("dmsetup", "create", name, "--table", f"0 {self.sectors} {table}")
        self.device = f"/dev/mapper/{name}"
        self.control = os.open("/dev/mapper/control", os.O_RDWR)

    def message(self, text):
        """As `dmsetup message`, at once."""
        body = struct.pack("<Q", 0) + text.encode() + b"\0"
        head = struct.pack("<3I7IQ128s", 4, 0, 0, DM_IOCTL_SIZE + len(body), DM_IOCTL_SIZE, 0, 0, 0, 0, 0, 0, self.name.encode())
        fcntl.ioctl(self.control, DM_TARGET_MSG, bytearray(head.ljust(DM_IOCTL_SIZE, b"\0") + body))

    def exchange(self, table):
        """Puts another table in place at once: what is on its way is not waited for, the file system is not asked."""
        run("dmsetup", "suspend", "--noflush", "--nolockfs", self.name)
        run("dmsetup", "load", self.name, "--table", f"0 {self.sectors} {table}")
        run("dmsetup", "resume", self.name)

    def remove(self):
        os.close(self.control)
        run("dmsetup", "remove", "--retry", self.name)


class Mount:
    """`with Mount(device, folder):` the file system of the device is there."""

    def __init__(self, device, folder, options="noatime"):
        self.device = device
        self.folder = pathlib.Path(folder)
        self.options = options

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "ext4", "-o", self.options, self.device, self.folder)
        return self

    def __exit__(self, *_):
        run("umount", self.folder)

    def again(self, options):
        run("mount", "-o", f"remount,{options}", self.folder)
