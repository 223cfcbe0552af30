"""Files that must be whole, and that only their owner may read while they are made."""
import os, pathlib


def write(file, text, mode=0o644):
    """Writes under another name, syncs and renames: whole or not at all, and never with more rights than `mode`."""
    file = pathlib.Path(file)
    new = file.with_name(file.name + ".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as out:
        os.fchmod(out.fileno(), mode)
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)


def folder(path, mode=0o755):
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    return path


def topic_part(name):
    """A name as part of a topic: characters that no topic of a hub has become `_`."""
    safe = "".join("_" if each in "+#/." or each <= " " or each == "\x7f" else each for each in name)
    return safe or "_"


def device_part(name):
    """The name of a wearable as part of a topic: its points are `~`, which no such name has."""
    return topic_part(name.replace(".", "~"))
