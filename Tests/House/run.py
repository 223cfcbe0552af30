#!/usr/bin/env python3
"""Compares the house as it is described with the house as it stands.

    Tests/House/run.py                    asks `swift package dump-package` for the targets; takes some seconds
    --since COMMIT                        counts words in the lines that differ from that commit too
    --programs FOLDER                     compares the commands with what hearth there says of itself

The list of rooms in Sources/README.md must name every target below Sources. Each has exactly the targets that it depends on and that no other
of its arrows leads to. Some arrows are forbidden however many rooms lie between, and each target imports what it names.

Within a room arrows between folders point one way, a class has at most 12 stored properties, and a function at most 60
lines (structure.py). What does not hold yet is listed with its bound in known.py.

Texts keep the goals of words.py; what documents name exists (names.py). Public declarations have a comment (docs.py),
and pages of a room have the same sections (notes.py).
"""
import argparse, functools, json, os, pathlib, re, subprocess, sys

import docs
import known
import names
import notes
import selftest
import structure
import words

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--since")
options.add_argument("--programs")
wanted = options.parse_args()
root = pathlib.Path(__file__).resolve().parents[2]
# The arrows as they are drawn, without what a build adds to them.
drawn = {**os.environ, "HEARTH_ARROWS": "1"}
package = json.loads(subprocess.run(["swift", "package", "dump-package"], cwd=root, env=drawn, check=True, capture_output=True).stdout)
targets = {target["name"]: target for target in package["targets"] if target["type"] != "test"}
passed = failed = 0


def check(sentence, faults):
    global passed, failed
    if faults:
        failed += 1
        print(f"FAILED: {sentence}", *sorted(faults)[:40], sep="\n    ")
    else:
        passed += 1
        print(f"passed: {sentence}")


def below(name):
    """The targets of this package that a target names as its dependencies."""
    kinds = [next(iter(entry.values()))[0] for entry in targets[name]["dependencies"] if "product" not in entry]
    return {kind for kind in kinds if kind in targets}


@functools.cache
def reach(name):
    """All targets that end up in what is linked."""
    return frozenset(below(name)).union(*(reach(other) for other in below(name)))


def folder(name):
    return root / (targets[name].get("path") or f"Sources/{name}")


@functools.cache
def imports(name):
    """The targets that the sources of a target import."""
    found, inner = set(), {folder(other) for other in targets if folder(name) in folder(other).parents}
    for file in folder(name).rglob("*.swift"):
        if not inner.isdisjoint(file.parents):
            continue
        found.update(re.findall(r"^(?:@\S+ )*(?:public |package |internal |private |fileprivate )?import (?:\w+ )?(\w+)", file.read_text(), re.M))
    return found & set(targets)


def rooms():
    """Items such as "- `Hub`: what it is", then "  ← Wearable RingStore", in one line or more. C targets are not named."""
    found, arrows = {}, None
    for line in (root / "Sources/README.md").read_text().splitlines():
        if room := re.match(r"- `([\w-]+)`: ", line):
            arrows = found[room[1]] = set()
        elif arrows is not None and line.startswith("  "):
            arrows.update(line.replace("←", " ").split())
        elif line and found:
            break
    return found


def is_ours(name):
    return targets[name]["type"] in ("regular", "executable") and folder(name).is_relative_to(root / "Sources") and any(folder(name).rglob("*.swift"))


written = rooms()
ours = {name for name in targets if is_ours(name)}
swift = lambda names: {name for name in names if name in ours}
check("the maintainers' page lists every room", {f"missing: {name}" for name in ours - set(written)} | {f"no such target: {name}" for name in set(written) - ours})
shortest = lambda name: swift(below(name)) - set().union(*(reach(other) for other in below(name)))
check(
    "the arrows in the maintainers' page are those of Package.swift, without those that another path implies",
    {f"{name}: page {sorted(written[name])}, package {sorted(shortest(name))}" for name in ours & set(written) if written[name] != shortest(name)})
check(
    "no target depends on what it does not import",
    {f"{name}: {sorted(swift(below(name)) - imports(name))}" for name in ours if swift(below(name)) - imports(name)})

families = {name for name in ours if folder(name).is_relative_to(root / "Sources/Drivers") and name.endswith("Family")}
simulated = {name for name in ours if name == "Simulation" or folder(name).is_relative_to(root / "Sources/Twins")}
forbidden = [
    ("hearth", families | simulated | {"Hub", "Control", "Wearable", "LinuxBluetooth"}),
    ("hearthd", simulated),
    ("Hub", families | simulated | {"Control", "LinuxBluetooth"}),
    ("Wearable", families | {"Hub"}),
    *((family, families - {family} | {"Hub", "Control"}) for family in sorted(families)),
]
check(
    "no forbidden arrow, however many rooms lie between",
    {f"{name} reaches {sorted(reach(name) & others)}" for name, others in forbidden if name in targets and reach(name) & others})



def written_in(folder, *without):
    """All texts of a folder in one, but those of some of its folders."""
    files = (file for file in (root / folder).rglob("*") if file.suffix in (".swift", ".py") and not any(part in file.parts for part in without))
    return "\n".join(file.read_text() for file in files)


raised, tested = written_in("Sources", "Reasons"), written_in("Tests", "ReasonsTests", "House", "NextStepTable.swift")
codes = [(name, code) for file in (root / "Sources/Reasons/Codes").glob("*.md") for code, name in re.findall(r"^## H(\d{4}) (\w+)$", file.read_text(), re.M)]
members = lambda text: set(re.findall(r"\.(\w+)\b", text))
raised_names, tested_names = members(raised), members(tested)
check("each reason code is raised somewhere", {f"H{code} {name}" for name, code in codes if name not in raised_names})
check("each reason code has a test that names it", {f"H{code} {name}" for name, code in codes if name not in tested_names and f"H{code}" not in tested})
# precondition() ends a delivered program without its sentence; fatalError() says it. What a person, the air, the kernel or the disk can reach is an error.
delivered = [file for file in (root / "Sources").rglob("*.swift") if ".pb." not in file.name and not {"Twins", "Simulation", "hearth-sim", "hearth-bench"} & set(file.parts)]
check(
    "a trap of a delivered program says its sentence",
    {str(file.relative_to(root)) for file in delivered if re.search(r"\bprecondition(Failure)?\(|\btry!", file.read_text())})
check(
    "no room but the store makes receipts",
    {str(file.relative_to(root)) for file in (root / "Sources").rglob("*.swift") if re.search(r"\bminted\b", file.read_text())}
    - {"Sources/Custody/Receipt.swift", "Sources/RingStore/Custody/Receipts.swift"})



def long_lines(file):
    """Lines of more than 120 columns. A literal of JSON that is compared as it stands cannot be broken."""
    text = file.read_text()
    if "swift-format-ignore-file" in text:
        return []
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if len(line) > 120 and '#"{' not in line)
    return [f"{file.relative_to(root)}:{number}" for number, line in lines]


check("no line is longer than 120 columns", {where for folder in ("Sources", "Tests") for file in (root / folder).rglob("*.swift") for where in long_lines(file)})


for generator in ("Reasons", "HubProtocol"):
    made = subprocess.run([root / "Sources" / generator / "generate", "--check"], capture_output=True, text=True)
    check(f"what {generator} generates is what its source says", {made.stderr.strip()} if made.returncode else set())


# What is remembered of a wearable: each kind stands in the store's format, those of the hub in the second reader too.
def remembered():
    """(table, name, version) of each kind of state that the sources declare; a declaration without a name is its own fault."""
    declared = re.compile(r"^(?:(?:public|package|private|fileprivate) )?(?:struct|extension|enum) (\w+): (?:\w+, )*(?:Remembered(?:State|Flag)|Polar(?:RememberedTime|BeforeState))\b", re.M)
    for file in (root / "Sources").rglob("*.swift"):
        text = file.read_text()
        for match in declared.finditer(text):
            body = text[match.end():].partition("\n}")[0]
            name = re.search(r'static let name = "([a-z0-9-]+)"', body)
            version = re.search(r"static (?:let|var) version(?:: UInt16)? (?:= |\{ )(\d+)", body)
            yield (
                "driver-state" if "Drivers" in file.parts else "hub-state", name[1] if name else f"{match[1]} without a name",
                int(version[1]) if version else 1)


def described():
    """The same of the table in FORMAT.md."""
    table = None
    for row in re.finditer(r"^\| ?((?:hub|driver)-state)? ?\| ((?:`[a-z0-9-]+`(?:, )?)+) \| (\d+) \|", (root / "Sources/RingStore/FORMAT.md").read_text(), re.M):
        table = row[1] or table
        yield from ((table, name, int(row[3])) for name in re.findall("`([^`]+)`", row[2]))


kinds, told = set(remembered()), set(described())
read = set(re.findall(r'^        "([a-z0-9-]+)": \((\d+), ', (root / "Tests/Formats/fields.py").read_text().partition("STATES = {")[2].partition("# Of the keys")[0], re.M))
limit = int(re.search(r"static let countLimit = (\d+)", (root / "Sources/StateCodec/RememberedStates.swift").read_text())[1])
check(
    "FORMAT.md has each kind of state that is remembered of a wearable, and no other",
    {f"{table} {name}: version {version} not in FORMAT.md" for table, name, version in kinds - told}
    | {f"{table} {name}: version {version} only in FORMAT.md" for table, name, version in told - kinds})
check("the second reader reads each kind of the hub's states", {f"{name}: version {version}" for table, name, version in kinds if table == "hub-state" and (name, str(version)) not in read})
check("a wearable may have each kind of the hub's states", {f"{table}: {limit}" for table in ["hub-state"] if sum(kind[0] == table for kind in kinds) > limit})


# A table is one question, however many rows it has; and generated files are never split.
tables = {"Sources/Reasons/ReasonText.swift", "Sources/Reasons/ReasonExplanation.swift"}


def is_generated(text):
    return re.search(r"^// (DO NOT EDIT|Made by `generate`)", text, re.M) is not None


def lines_of_hand(file):
    """Lines that were written by hand; 0 for a file that may be as long as it is."""
    text = file.read_text()
    return 0 if is_generated(text) else len(text.splitlines())


check(
    "no file of Sources is longer than 300 lines but what is generated",
    {f"{file.relative_to(root)}: {lines_of_hand(file)} lines" for file in (root / "Sources").rglob("*.swift") if lines_of_hand(file) > 300})

# Examples: the manual has a section of them for each page, which board/manual makes of the helps and of its own lines.
def has_example(name, files):
    return any(re.search(rf"^ +(?:sudo (?:-u [\w-]+ )?)?{name} [^\n]*$", file.read_text(), re.M) for file in files)


commands_of_hearth = names.command_tree().children
check(
    "the help of each program and of each command has an example",
    {name for name in ("hearth", "hearthd", "hearth-uplink", "hearth-sink", "hearth-sim", "hearth-bench") if not has_example(name, folder(name).rglob("*.swift"))}
    | {f"hearth {name}" for name in commands_of_hearth if not has_example(f"hearth {name}", (root / "Sources/hearth").rglob("*.swift"))})

# Floors: within a room too arrows point one way, and no class or function is more than one reads at a time.
nested = lambda name: [folder(other) for other in ours if other != name and folder(name) in folder(other).parents]
circles, classes, functions = set(), set(), set()
for name in ours:
    room, at = structure.Room(folder(name), nested(name)), str(folder(name).relative_to(root / "Sources"))
    found = room.circles()
    if sum(len(circle) for circle in found) > known.folders_in_circles.get(at, 0):
        circles.update(f"{at}: {', '.join(sorted(circle))}" for circle in found)
    classes |= {f"{at} {kind}: {count}" for kind, count in room.classes().items() if count > known.stored_properties.get(f"{at} {kind}", 12)}
    for file, function, lines in room.functions():
        place = f"{file.relative_to(root / 'Sources')} {function}"
        if lines > known.lines_of_function.get(place, 60):
            functions.add(f"{place}: {lines} lines")
check("the folders of a room form no circle", circles)
check("no class has more than 12 stored properties, but those that known.py lists", classes)
check("no function is longer than 60 lines, but those that known.py lists", functions)

# Language: the words of texts (words.py), the names in them (names.py), comments of public declarations (docs.py), and
# sections of pages (notes.py).
check("words and names are counted as a person counts them", {*selftest.words_faults(), *selftest.names_faults()})
check("public declarations are found as a person finds them", set(selftest.docs_faults()))
check("every public declaration has a comment", set(docs.faults()))
check("sections of a page are judged as a person judges them", set(selftest.notes_faults()))
check("every NOTES.md of Sources has the sections Purpose, Picture, Rules, Why and Costs, in this order", set(notes.faults()))
check("every text keeps the goals of words.py", set(words.text_faults()))
if wanted.since:
    check(f"the lines that are not in {wanted.since} keep the goals of words.py", set(words.change_faults(wanted.since)))
check("no document names a link, file, command, option, code or key that is not there", set(names.faults()))
if wanted.programs:
    check("the commands in the sources are those of the program", set(names.program_faults(wanted.programs)))

print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
