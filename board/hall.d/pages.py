"""The pages, and what they show by the settings of the house (wall.json)."""
import json, pathlib, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
# Pages that a package brought, and those of a checkout, which are bundled when they are asked for.
PACKED = pathlib.Path("/usr/share/hearth-hall/www")
BUNDLE = HERE.parent / "wall/bundle"
NEEDS = ["esbuild", "node-mqtt", "node-buffer", "node-process", "node-stream-browserify"]
KEYS = {"title": str, "kind": str, "sort": str, "maximum": int, "wearables": dict}
KEYS_OF_ONE = {"alias": str, "max": int, "place": int, "show": bool}
CHOICES = {"kind": ("gym", "ward"), "sort": ("name", "place", "effort")}


class Refused(Exception):
    """wall.json has what cannot be used: the sentence says what, and where."""


def read(file):
    """The house's settings, checked."""
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
    for name, one in said.get("wearables", {}).items():
        if not isinstance(one, dict) or any(each in name for each in "+#\n\t"):
            raise Refused(f"{file}: wearables, {name}: not what a wearable can be called, or no object")
        _checked(f"{file}: wearables, {name}", one, KEYS_OF_ONE)
    return said


def _checked(place, said, keys):
    for key, value in said.items():
        if key not in keys:
            raise Refused(f"{place}: there is no {key}; there are {', '.join(keys)}")
        if not isinstance(value, keys[key]) or isinstance(value, bool) and keys[key] is not bool:
            raise Refused(f"{place}: {key} is of another kind")


def hidden(said):
    """Wearables whose values the wall must not have."""
    return [name for name, one in said.get("wearables", {}).items() if one.get("show") is False]


def put(folder, said, group, hubs):
    """Both pages and what they show, into the folder that the broker serves."""
    folder.mkdir(parents=True, exist_ok=True)
    if PACKED.exists() and not BUNDLE.exists():
        for page in PACKED.glob("*.html"):
            shutil.copyfile(page, folder / page.name)
    else:
        subprocess.run([sys.executable, BUNDLE, folder], check=True)
    # What is hidden is not named on the page either.
    shown = {name: one for name, one in said.get("wearables", {}).items() if one.get("show") is not False}
    told = {**said, "wearables": shown, "group": group} | ({"hubs": hubs} if hubs else {})
    (folder / "wall.json").write_text(json.dumps(told, indent=1) + "\n")
    for file in folder.iterdir():
        file.chmod(0o644)
