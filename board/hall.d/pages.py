"""The pages, and their contents by the settings of the house (wall.json)."""
import hashlib, json, pathlib, shutil, subprocess, sys

import files

HERE = pathlib.Path(__file__).resolve().parent
# Pages of the package, and those of a checkout, which are bundled on demand.
PACKED = pathlib.Path("/usr/share/hearth-hall/www")
BUNDLE = HERE.parent / "wall/bundle"
NEEDS = ["esbuild", "node-mqtt", "node-buffer", "node-process", "node-stream-browserify"]
KEYS = {"title": str, "kind": str, "sort": str, "maximum": int, "wearables": dict}
KEYS_OF_ONE = {"alias": str, "max": int, "place": int, "show": bool}
CHOICES = {"kind": ("gym", "ward"), "sort": ("name", "place", "effort")}
# Highest heart rates of people, as hearth wearer body takes them.
RATES = range(100, 241)


class Refused(Exception):
    """An invalid entry in wall.json; the sentence names it and its place."""


def read(file):
    """The house's settings, checked, with wearables by their names in topics."""
    if not file.exists():
        return {}
    try:
        said = json.loads(file.read_text())
    except ValueError as error:
        raise Refused(f"{file}: {error}") from None
    if not isinstance(said, dict):
        raise Refused(f"{file}: one object is wanted, {{…}}")
    _checked(file, said, KEYS)
    for key, choices in CHOICES.items():
        if said.get(key, choices[0]) not in choices:
            raise Refused(f"{file}: {key} is one of {', '.join(choices)}")
    wearables = {}
    for name, one in said.get("wearables", {}).items():
        parts = name.split("/")
        if not isinstance(one, dict) or len(parts) > 2 or not all(parts):
            raise Refused(f"{file}: wearables, '{name}': NAME or HUB/NAME, with an object")
        _checked(f"{file}: wearables, {name}", one, KEYS_OF_ONE)
        wearables["/".join([files.topic_part(part) for part in parts[:-1]] + [files.device_part(parts[-1])])] = one
    return said | {"wearables": wearables}


def _checked(place, said, keys):
    for key, value in said.items():
        if key not in keys:
            raise Refused(f"{place}: there is no {key}; there are {', '.join(keys)}")
        if not isinstance(value, keys[key]) or isinstance(value, bool) and keys[key] is not bool:
            raise Refused(f"{place}: {key} is of another kind")
        if key in ("maximum", "max") and value not in RATES:
            raise Refused(f"{place}: {key} is {RATES[0]} to {RATES[-1]}")


def hidden(said):
    """Wearables that are hidden from the wall."""
    return [name for name, one in said.get("wearables", {}).items() if one.get("show") is False]


def place(user, word):
    """Name of the settings file of a page. The broker serves its files to every client, so the name can only be found with the password."""
    return f"{user}-{hashlib.sha256(f'{user}:{word}'.encode()).hexdigest()[:32]}.json"


def put(folder, said, group, hubs, words):
    """Both pages and what they show, into the folder that the broker serves."""
    files.folder(folder.parent)
    files.folder(folder)
    for old in folder.glob("*.json"):
        old.unlink()
    if PACKED.exists() and not BUNDLE.exists():
        for page in PACKED.glob("*.html"):
            shutil.copyfile(page, folder / page.name)
    else:
        subprocess.run([sys.executable, BUNDLE, folder], check=True)
    # Hidden wearables are not named on the page either.
    shown = {name: one for name, one in said.get("wearables", {}).items() if one.get("show") is not False}
    common = {"group": group} | ({"title": said["title"]} if "title" in said else {}) | ({"hubs": hubs} if hubs else {})
    told = {"wall": {**said, **common, "wearables": shown}, "console": common}
    for user, text in told.items():
        files.write(folder / place(user, words.of(user)), json.dumps(text, indent=1) + "\n")
