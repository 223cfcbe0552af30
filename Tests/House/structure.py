#!/usr/bin/env python3
"""Reads Swift sources for their structure: arrows between folders, stored properties of classes, lengths of functions.

    Tests/House/structure.py Sources/RingStore     prints what is in one room

Not a compiler: comments and strings are removed, names are words. An arrow from one folder to another is

- a type that the other folder declares at the top level of a file, or
- a member that only the other folder declares, in an extension of a type that it does not own (`store.noteEvent(…)`).
"""
import collections, functools, pathlib, re, sys

WORD = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"\b(class|struct|enum|protocol|actor|typealias|extension)\s+([A-Za-z_][\w.]*)")
MODIFIERS = r"(?:(?:public|package|internal|private|fileprivate|open|final|static|class|lazy|weak|unowned|nonisolated|mutating|override|indirect|consuming|borrowing|isolated)(?:\([a-z]+\))?\s+)*"
MEMBER = re.compile(r"^(?!.*\b(?:private|fileprivate)\b).*?\b(?:func|var|let)\s+([A-Za-z_]\w*)", re.M)
STORED = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(" + MODIFIERS + r")(let|var)\s+([A-Za-z_]\w*|\([^)]*\))")
FUNCTION = re.compile(r"(?<![.\w])(?:func\s+([A-Za-z_]\w*|[^\s(]+)|(init)[?!]?|(deinit))\s*(?=[(<{])")


# A comment, or a string of either kind; an escaped quote does not end one without hashes.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|(#+)"""(?:.*?)"""\1|(#+)"[^\n]*?"\2|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"', re.S)


def bare(text):
    """The text without comments and strings; each keeps its lines."""
    return NOT_CODE.sub(lambda found: ("" if found[0].startswith("/") else '""') + "\n" * found[0].count("\n"), text)


@functools.lru_cache(maxsize=8)
def pairs(text):
    """For each opening brace the place of the one that closes it."""
    found, open_ones = {}, []
    for brace in re.finditer("[{}]", text):
        if brace[0] == "{":
            open_ones.append(brace.start())
        elif open_ones:
            found[open_ones.pop()] = brace.start()
    return found


def closing(text, at):
    return pairs(text).get(at, len(text) - 1)


def types(text):
    """Types and extensions at the top level of a file: kind, name, body."""
    at = 0
    while found := TYPE.search(text, at):
        kind, name = found.groups()
        opening = text.find("{", found.end())
        # A typealias, or a body that belongs to something behind it.
        if kind == "typealias" or opening < 0:
            yield kind, name, ""
            at = found.end()
            continue
        end = closing(text, opening)
        yield kind, name, text[opening + 1 : end]
        at = end + 1


def flat(body):
    """A body with the content of its inner braces removed."""
    out, at, ends = [], 0, pairs(body)
    while (opening := body.find("{", at)) >= 0:
        end = ends.get(opening, len(body))
        out += [body[at : opening + 1], "\n" * body.count("\n", opening, end)]
        at = end
    return "".join(out) + body[at:]


def stored(body):
    """Names and types of the stored properties of a type's body."""
    found = []
    lines = body.splitlines()
    depths, depth = [], 0
    for line in lines:
        depths.append(depth)
        depth += line.count("{") - line.count("}")
    for number, line in enumerate(lines):
        if depths[number] != 0 or not (match := STORED.match(line)):
            continue
        if re.search(r"\b(static|class)\b", match[1]):
            continue
        rest = line[match.end() :]
        # A block that goes on may begin with what observes the property.
        follows = "" if rest.count("{") == rest.count("}") else "\n".join(lines[number + 1 : number + 3])
        observed = re.search(r"\b(didSet|willSet)\b", rest + follows) is not None
        if match[2] == "var" and "{" in rest and "=" not in rest.split("{")[0] and not observed:
            continue
        more = re.match(r"(?:\s*,\s*[A-Za-z_]\w*)+(?=\s*:)", rest)
        names = (match[3].strip("()") + (more[0] if more else "")).split(",")
        found += [(name.strip(), rest) for name in names]
    return found


def functions(text):
    """Names and lengths in lines of all functions of a file."""
    for found in FUNCTION.finditer(text):
        opening = text.find("{", found.end() - 1)
        if opening < 0:
            continue
        between = text[found.end() : opening]
        if re.search(r"\n\s*(?:" + MODIFIERS + r")(?:func|var|let|init|case|static)\b|\}", between):
            continue
        yield found[1] or found[2] or found[3], text.count("\n", found.start(), closing(text, opening)) + 1


class Room:
    """A target as its sources show it."""

    def __init__(self, folder, without=()):
        self.folder = folder
        self.files = {}
        for file in sorted(folder.rglob("*.swift")):
            raw = file.read_text()
            if any(other in file.parents for other in without) or re.search(r"^// (DO NOT EDIT|Made by `generate`)", raw, re.M):
                continue
            self.files[file] = bare(raw)

    def place(self, file):
        return str(file.parent.relative_to(self.folder))

    def classes(self):
        """Stored properties of each class that is no value: one of counters only is."""
        found = {}
        for text in self.files.values():
            for kind, name, body in types(text):
                if kind in ("class", "actor"):
                    properties = stored(body)
                    if not all(re.match(r": UInt64 = 0\b", rest) for _, rest in properties):
                        found[name] = len(properties)
        return found

    def functions(self):
        return [(file, name, lines) for file, text in self.files.items() for name, lines in functions(text)]

    def arrows(self):
        """For each folder the folders that it names, and by which words."""
        owners, members = collections.defaultdict(set), collections.defaultdict(set)
        for file, text in self.files.items():
            for kind, name, _ in types(text):
                if kind != "extension" and "." not in name:
                    owners[name].add(self.place(file))
        plain = collections.Counter()
        for file, text in self.files.items():
            for kind, name, body in types(text):
                names = set(MEMBER.findall(flat(body)))
                if kind == "extension" and name in owners and self.place(file) not in owners[name]:
                    for member in names:
                        members[member].add(self.place(file))
                else:
                    plain.update(names)
        arrows = collections.defaultdict(lambda: collections.defaultdict(set))
        for file, text in self.files.items():
            here = self.place(file)
            for word in set(WORD.findall(text)):
                places = owners.get(word, set())
                if len(places) == 1 and here not in places:
                    arrows[here][next(iter(places))].add(word)
            for word in set(re.findall(r"(?<!func )(?<!\w)([A-Za-z_]\w*)(?=\()", text)) | set(re.findall(r"(?<!\.)\.(\w+)", text)):
                places = members.get(word, set())
                if len(places) == 1 and not plain[word] and here not in places:
                    arrows[here][next(iter(places))].add("." + word)
        return arrows

    def circles(self):
        """Sets of folders that reach each other."""
        arrows = self.arrows()
        reach = {}
        for start in arrows:
            seen, todo = set(), [start]
            while todo:
                for other in arrows.get(todo.pop(), {}):
                    if other not in seen:
                        seen.add(other)
                        todo.append(other)
            reach[start] = seen
        circles = {frozenset(other for other in reach[one] if one in reach.get(other, ())) for one in reach if one in reach[one]}
        return [circle for circle in circles if len(circle) > 1]


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        room = Room(pathlib.Path(folder).resolve())
        print(folder, sum(len(file.read_text().splitlines()) for file in room.files), "lines")
        print("  circles:", [sorted(circle) for circle in room.circles()] or "none")
        for one, others in sorted(room.arrows().items()):
            print(f"  {one} →", "; ".join(f"{other} ({', '.join(sorted(words)[:6])}{' …' if len(words) > 6 else ''})" for other, words in sorted(others.items())))
        print("  classes:", ", ".join(f"{name} {count}" for name, count in sorted(room.classes().items(), key=lambda entry: -entry[1])[:12]))
        print("  functions:", ", ".join(f"{name} {lines}" for _, name, lines in sorted(room.functions(), key=lambda entry: -entry[2])[:8]))
