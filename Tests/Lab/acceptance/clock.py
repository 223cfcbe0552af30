"""Sets the lab kernel's clock to `synchronised`, as on a hub with time service; else the HUB light would tell of an untrusted clock."""
import ctypes
import datetime
import pathlib
import time

STA_UNSYNC = 0x0040
ADJ_MAXERROR, ADJ_ESTERROR, ADJ_STATUS = 0x0004, 0x0008, 0x0010  # adjtimex(2)


class Timex(ctypes.Structure):
    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("frequency", ctypes.c_long),
        ("maximal_error", ctypes.c_long),
        ("estimated_error", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    ]


def is_user_mode_linux():
    return "User Mode Linux" in pathlib.Path("/proc/cpuinfo").read_text()


def put_to(moment):
    """Sets the clock of User Mode Linux, which no other program uses, to a moment in UTC."""
    if is_user_mode_linux():
        time.clock_settime(time.CLOCK_REALTIME, moment.replace(tzinfo=datetime.timezone.utc).timestamp())


def trust():
    """Only in User Mode Linux: the clock of a machine that runs its own kernel is its own affair."""
    _adjust(0)


def distrust():
    """As on a hub without time service."""
    _adjust(STA_UNSYNC)


def _adjust(status):
    if not is_user_mode_linux():
        return
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(Timex(modes=ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR, status=status))) < 0:
        raise OSError(ctypes.get_errno(), "adjtimex")
