#!/usr/bin/env python3
"""Finds what a document names and the tree does not have.

    Tests/House/names.py                      all documents
    Tests/House/names.py --programs FOLDER    the same, and compares the table of commands with what hearth there says of itself

Looked for are links and their sections, files, commands and options of `hearth`, error codes and
configuration keys. Commands are read from the declarations in Sources/hearth, without a build.
"""
import collections, dataclasses, difflib, functools, json, pathlib, re, shlex, subprocess, sys

import structure

root = pathlib.Path(__file__).resolve().parents[2]


def documents():
    files = [root / "README.md", *(root / ".github").glob("*.md"), *(root / "board").glob("*.md")]
    return sorted(files + [file for folder in ("Sources", "Tests") for file in (root / folder).rglob("*.md")])


@functools.cache
def tree():
    """Paths of all files and folders, from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
    files = [name for name in listed if name and (root / name).exists()]
    return set(files) | {str(parent) for name in files for parent in pathlib.PurePath(name).parents}


# Commands, from their declarations.


@dataclasses.dataclass
class Command:
    name: str
    positionals: int = 0
    is_open: bool = False
    flags: set = dataclasses.field(default_factory=set)
    options: set = dataclasses.field(default_factory=set)
    children: dict = dataclasses.field(default_factory=dict)
    default: "Command | None" = None


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "-" + found[1].lower(), name[:1].lower() + name[1:])


STRUCT = re.compile(r"\b(struct|extension|enum|class) ([A-Z][\w.]*)([^{\n]*)\{")
DECLARED = re.compile(
    r"@(Argument|Option|Flag|OptionGroup)\s*(\((?:[^()\"]|\"(?:\\.|[^\"\\])*\"|\((?:[^()\"]|\"(?:\\.|[^\"\\])*\"|\((?:[^()\"]|\"(?:\\.|[^\"\\])*\")*\))*\))*\))?"
    r"\s*(?:(?:public|package|private|fileprivate) )?var (\w+)(?:\s*:\s*([^\n={]+))?", re.S)


def blank(found):
    """A comment or a literal as blanks, so that braces in it do not count; places stay as they are."""
    return re.sub(r"[^\n]", " ", found[0])


@functools.cache
def declarations():
    """For each type of the command line: its own text, without nested types, and what stands above it."""
    found = {}
    for file in sorted((root / "Sources/hearth").rglob("*.swift")):
        text = file.read_text(encoding="utf-8")
        bare = structure.NOT_CODE.sub(blank, text)
        text = re.sub(r"^\s*//.*$", blank, text, flags=re.M)
        pairs = structure.pairs(bare)
        bodies = [(match[2], match[3], match.end() - 1, pairs.get(match.end() - 1, len(bare))) for match in STRUCT.finditer(bare)]
        for name, kinds, begin, end in bodies:
            path = ".".join([other for other, _, first, last in bodies if first < begin and end < last] + [name])
            own, at = "", begin + 1
            for _, _, first, last in sorted(bodies, key=lambda body: body[2]):
                if begin < first and last < end and first >= at:
                    own += text[at:first]
                    at = last + 1
            own += text[at:end]
            before = found.get(path, ("", ""))
            found[path] = (before[0] + kinds, before[1] + own)
    return found


def resolve(name, inside):
    """The declaration that a name means within a type."""
    parts = inside.split(".")
    for count in range(len(parts), -1, -1):
        path = ".".join(parts[:count] + [name])
        if path in declarations():
            return path
    return None


def take_declared(command, path):
    kinds, own = declarations()[path]
    for kind, call, variable, type_name in DECLARED.findall(own):
        if kind == "OptionGroup":
            if group := resolve(type_name.strip(), path):
                take_declared(command, group)
        elif kind == "Argument":
            command.positionals += 1
            command.is_open |= type_name.strip().startswith("[")
        else:
            naming = re.sub(r'"(?:\\.|[^"\\])*"', lambda text: text[0] if len(text[0]) < 20 else '""', call)
            custom = re.findall(r'\.custom(Long|Short)\("([^"]+)"\)', naming)
            names = {("--" if form == "Long" else "-") + name for form, name in custom}
            if not custom or re.search(r"\.(shortAndLong|long)\b", naming):
                if not re.search(r"name: \.short\b", naming):
                    names.add("--" + kebab(variable))
            if re.search(r"\.(shortAndLong|short)\b", naming):
                names.add("-" + variable[0])
            (command.options if kind == "Option" else command.flags).update(names)


@functools.cache
def command_tree(path="HearthCommand"):
    kinds, own = declarations()[path]
    named = re.search(r'commandName: "([\w-]+)"', own)
    command = Command(named[1] if named else kebab(re.sub("Command$", "", path.split(".")[-1])))
    take_declared(command, path)
    command.flags |= {"--help", "-h", "--version"}
    default = re.search(r"defaultSubcommand: ([\w.]+)\.self", own)
    for name in dict.fromkeys(re.findall(r"\b([A-Z][\w.]*)\.self\b", own)):
        kind = resolve(name, path)
        if kind and kind != path and "ParsableCommand" in declarations()[kind][0]:
            child = command_tree(kind)
            command.children[child.name] = child
            if default and default[1] == name:
                command.default = child
    return command


def command_fault(words):
    """The words behind `hearth` that the command line does not take; `None` if it takes them."""
    path, at, taken = [command_tree()], 0, 0
    inherited = lambda kind: set().union(*(getattr(one, kind) for one in path + ([path[-1].default] if path[-1].default else [])))
    while at < len(words):
        word = words[at]
        name, _, value = word.partition("=")
        if word == "--generate-completion-script" or word == "help" and len(path) == 1:
            return None
        if word.startswith("-") and not re.match(r"-\d", word) and word != "-":
            if name in inherited("options"):
                at += 0 if value else 1
            elif name not in inherited("flags"):
                return f"no option {name}"
        elif word in path[-1].children and (taken >= path[-1].positionals or not path[-1].positionals):
            path.append(path[-1].children[word])
            taken = 0
        else:
            taken += 1
            room = path[-1].positionals + (path[-1].default.positionals if path[-1].default else 0)
            is_open = path[-1].is_open or path[-1].default is not None and path[-1].default.is_open
            if taken > room and not is_open:
                return f"no command {word}" if path[-1].children else f"one word too many: {word}"
        at += 1
    return None


# What documents name.


@functools.cache
def keys():
    """Configuration keys of all programs, with their sections."""
    found = set()
    for file in (root / "Sources/Configuration").rglob("*.swift"):
        found.update(re.findall(r'\(\s*"([a-z][\w]*(?:\.[\w]+)+)"', file.read_text(encoding="utf-8")))
    for file in (root / "config").glob("*.yaml"):
        path = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"( *)#?([a-z_]+):", line):
                path = [entry for entry in path if entry[0] < len(match[1])] + [(len(match[1]), match[2])]
                found.add(".".join(name for _, name in path))
    return {".".join(key.split(".")[:count]) for key in found for count in range(1, key.count(".") + 2)}


@functools.cache
def codes():
    texts = [file.read_text(encoding="utf-8") for file in (root / "Sources/Reasons/Codes").glob("*.md")]
    return {code for text in texts for line in re.findall(r"^(?:## |Retired: ).*$", text, re.M) for code in re.findall(r"\bH\d{4}\b", line)}


def slug(heading):
    """The name of a section in links."""
    bare = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", bare).replace(" ", "-")


@functools.cache
def sections(file):
    """Sections of a page. A repeated section has a number."""
    found, seen = set(), collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M):
        name = slug(heading)
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def command_words(text):
    """The words behind `hearth` of a line that is a command, up to what a shell does with it. Gives `None` if the line is no command."""
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=";|&<>")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words = list(lexer)
    except ValueError:
        words = text.split()
    while words and words[0] in ("$", "sudo"):
        words.pop(0)
    if words[:1] != ["hearth"]:
        return None
    end = next((at for at, word in enumerate(words) if re.fullmatch(r"[;|&<>]+|…|\.\.\.", word)), len(words))
    command = []
    for word in words[1:end]:
        command.append(word.rstrip(",:") if word[-1:] in ",:" else word)
        if word[-1:] in ",:":
            break
    return command


def mention_faults(text):
    """Commands among words: a first word that is nearly one, and options up to the end of the clause."""
    commands = command_tree().children
    for before, words in re.findall(r"(?:(\S+) |^)hearth((?: [^\s;,:()|`\[]+)+)", text):
        words = words.split()
        if words[0] not in commands:
            near = difflib.get_close_matches(words[0], commands, 1, 0.85)
            if near and len(words[0]) > 4 and before.lower() not in ("the", "a", "of", "user", "group"):
                yield f"no command {words[0]}: hearth {words[0]}"
        else:
            known = command_words("hearth " + " ".join(words))
            options = {name for one in (command_tree(), *every_command(commands[words[0]])) for name in one.options | one.flags}
            yield from (f"no option {word}: hearth {' '.join(words)}" for word in known if word.startswith("--") and word.split("=")[0] not in options)


def every_command(command):
    yield command
    for child in command.children.values():
        yield from every_command(child)


def pieces(text):
    """(number, is_command, text) of code spans and of lines of code blocks up to what explains them; then of prose."""
    was_blank, in_code, fenced, prose = True, False, False, []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        fenced ^= bare.startswith("```")
        in_code = fenced or line.startswith("    ") and (was_blank or in_code) or in_code and not bare
        if in_code:
            command, _, rest = re.sub(r"\s{2,}", "\0", bare, count=1).partition("\0")
            yield number, True, command
            yield number, False, rest
            prose.append("")
        else:
            prose.append(line)
        was_blank = not bare
    joined = "\n".join(prose)
    for span in re.finditer(r"(`+)([^`]+?)\1", joined):
        yield joined.count("\n", 0, span.start()) + 1, True, " ".join(span[2].split())
    for number, line in enumerate(re.sub(r"(`+)[^`]+?\1", lambda span: "`" * 2 + "\n" * span[0].count("\n"), joined).split("\n"), 1):
        yield number, False, line


KEY = re.compile(r"(?:^|[ '\"(`|:])([a-z]+)\.([a-z][a-z_]+(?:\.[a-z][a-z_]+)*)(?=$|[ ;,:)'\"`|]|\. |\.$)")
ENDINGS = {"log", "prom", "backup", "yaml", "hearth", "service", "timer", "path", "sysusers", "md", "swift", "varlink", "py", "js", "json", "sh", "conf", "txt", "csv", "sql", "html", "bin"}
PLACE = re.compile(r"(?:^|[ `(])((?:Sources|Tests|board|config|\.github|\.ci)/[\w./-]*\w)(?![\w*<])")
NAMED_FILE = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:swift|py|varlink)")


def is_there(place):
    return place in tree() or f"{place}.swift" in tree()


@functools.cache
def endings_of_tree():
    """Each path without some of its first folders."""
    return {"/".join(pathlib.PurePath(name).parts[at:]) for name in tree() for at in range(len(pathlib.PurePath(name).parts))}


def link_faults(file, text):
    bare = re.sub(r"(`+)[^`]+?\1", "", re.sub(r"^    .*$", "", text, flags=re.M))
    for target in re.findall(r"\]\(([^)\s]+)\)", bare):
        path, _, section = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        other = (file.parent / path).resolve() if path else file
        if not other.exists():
            yield f"no file for the link {target}"
        elif section and section not in sections(other):
            yield f"no section for the link {target}"


def faults_of(file, text):
    """(what, number) of all that a page names and is not there, each once."""
    return list(dict.fromkeys(faults_in(file, text)))


def faults_in(file, text):
    for fault in link_faults(file, text):
        yield fault, 0
    sectioned = {key.split(".")[0] for key in keys() if "." in key}
    for number, is_command, piece in pieces(text):
        for code in re.findall(r"\bH\d{4}\b", piece):
            if code not in codes():
                yield f"no code {code}", number
        for section, rest in KEY.findall(piece):
            if section in sectioned and rest.split(".")[-1] not in ENDINGS and f"{section}.{rest}" not in keys():
                yield f"no key {section}.{rest}", number
        for place in PLACE.findall(piece):
            if not is_there(place) and not re.search(r"/[A-Z]+$|-N$", place):
                yield f"no file {place}", number
        if is_command:
            if NAMED_FILE.fullmatch(piece) and piece not in endings_of_tree() and not (file.parent / piece).exists():
                yield f"no file {piece}", number
            # Constants of the store's format begin with the same word.
            words = None if file.name == "FORMAT.md" else command_words(piece)
            if words and (fault := command_fault(words)):
                yield f"{fault}: hearth {' '.join(words)}", number
        elif file.name != "FORMAT.md":
            for fault in mention_faults(piece):
                yield fault, number


def faults():
    for file in documents():
        if "/Reasons/Codes/" not in str(file):
            for fault, number in faults_of(file, file.read_text(encoding="utf-8")):
                yield f"{file.relative_to(root)}:{number}: {fault}"


# The same table from a built program.


def dumped(node):
    command = Command(node["commandName"])
    for entry in node.get("arguments", []):
        names = {("--" if name["kind"].startswith("long") and name["kind"] != "longWithSingleDash" else "-") + name["name"] for name in entry.get("names", [])}
        if entry["kind"] == "positional":
            command.positionals += 1
            command.is_open |= entry["isRepeating"]
        elif entry["kind"] == "flag":
            command.flags |= names
        else:
            command.options |= names
    command.children = {child["commandName"]: dumped(child) for child in node.get("subcommands", []) if child["commandName"] != "help"}
    return command


def differences(read, told, path="hearth"):
    for part in ("positionals", "is_open", "options"):
        if getattr(read, part) != getattr(told, part):
            yield f"{path}: {part}: sources {getattr(read, part)}, program {getattr(told, part)}"
    if different := (told.flags ^ read.flags) - {"--version", "--help", "-h"}:
        yield f"{path}: flags {different}"
    for name in read.children.keys() ^ told.children.keys():
        yield f"{path}: {name} is only in {'the sources' if name in read.children else 'the program'}"
    for name in read.children.keys() & told.children.keys():
        yield from differences(read.children[name], told.children[name], f"{path} {name}")


def program_faults(folder):
    """What the table of commands has otherwise than the program in a folder."""
    text = subprocess.run([pathlib.Path(folder) / "hearth", "--experimental-dump-help"], check=True, capture_output=True).stdout
    return list(differences(command_tree(), dumped(json.loads(text)["command"])))


if __name__ == "__main__":
    found = [*faults(), *(program_faults(sys.argv[2]) if sys.argv[1:2] == ["--programs"] else [])]
    print(*found, sep="\n")
    sys.exit(bool(found))
