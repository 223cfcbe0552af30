#!/usr/bin/env python3
"""Counts the words that make a text hard to read, and the words of its sentences.

    Tests/House/words.py                     a table by kind of text; fails for what misses a goal
    Tests/House/words.py FILE ...            a row for each of these files, and the lines to change
    Tests/House/words.py --since COMMIT      the same for lines that differ from that commit, and for
                                             the commit messages since

Rates are per 1,000 words; the goals are in `GOALS`. Each kind of text keeps every goal as a total,
and each document by itself. Comments of one folder may have as many hits as their words allow,
rounded up. A sentence has at most `SENTENCE` words and a NOTES.md `NOTES`. A line of a document has
at most `COLUMNS` columns, unless it is a row of a table or a screen. Generated files are left out.

A code span counts as one word. Code blocks count only if prose follows a command.
Comments are those of Swift, of Python with its docstrings, and of shell.
Texts on screens and names of tests may have longer sentences.

`--since` looks at sentences on changed lines. Changed lines may have as many hits as their words
allow, rounded up: one of each kind in a short change.
"""
import ast, collections, functools, io, math, pathlib, re, subprocess, sys, tokenize

root = pathlib.Path(__file__).resolve().parents[2]

# Words of a sentence and of a NOTES.md at most, and columns of a line.
SENTENCE, NOTES, COLUMNS = 25, 1500, 100

# Indirect questions ("says where it is") and places are no conditions.
CONDITION = re.compile(
    r"(?<!know )(?<!knows )(?<!say )(?<!says )(?<!see )(?<!show )(?<!shows )(?<!from )(?<!out )(?<!and )\bwhere\b(?! to\b)(?! from\b)(?!\?)", re.I)
PATTERNS = {
    "who": re.compile(r"\b(?:who|whom|whose|whoever)\b", re.I),
    "nobody": re.compile(r"\b(?:nobody|somebody|everybody)\b", re.I),
    "nothing": re.compile(r"\b(?:nothing|none)\b", re.I),
    "where": CONDITION,
    "It …": re.compile(r"^\W*(?:It|Its|They|One)\b"),
}
GOALS = {"who": 0.7, "nobody": 0.2, "nothing": 1.0, "where": 0.7, "It …": 1.2}
WORD = re.compile(r"[A-Za-z0-9][\w'’.,/-]*")
END = re.compile(r"[.!?][\"')*_]*(?=\s+[\"'(*_`\[]*[A-Z0-9`])|[.!?][\"')*_]*$")

Sentence = collections.namedtuple("Sentence", "text first last words")


def sentences(lines):
    """The sentences of one paragraph, given as (number, text) of its lines."""
    text, starts = "", []
    for number, line in lines:
        starts.append((len(text), number))
        text += line.strip() + " "
    at = lambda place: [number for start, number in starts if start <= place][-1]
    begin, text = 0, text.rstrip()
    for end in [*(found.end() for found in END.finditer(text)), len(text)]:
        part = text[begin:end]
        if words := len(WORD.findall(part)):
            skipped = len(part) - len(part.lstrip())
            yield Sentence(part.strip(), at(begin + skipped), at(max(end - 1, begin)), words)
        begin = end


# Texts by form: each gives paragraphs, as lists of (number, text).


def spans(text):
    """Markdown as words: a code span is one, a link its text. Lines stay as many as they are."""
    text = re.sub(r"(`+).+?\1", lambda found: "Code" + "\n" * found[0].count("\n"), text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<?https?://\S+", "", text)


def plain(paragraph):
    text = spans("\n".join(line for _, line in paragraph))
    return list(zip((number for number, _ in paragraph), text.split("\n")))


COMMAND = re.compile(r"\s+(?:\$ )?(?:sudo )?(?:hearth|board/|Tests/|swift|apt|systemctl)[^ ]*\b")


def markdown(text):
    paragraph, was_blank, fenced, in_code, in_prose = [], True, False, False, False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
        is_code = fenced or bare.startswith("```") or line.startswith("    ") and (was_blank or in_code)
        starts = not bare or is_code or bare[0] in "|#" or re.match(r"([-*]|\d+\.) ", bare)
        if starts and paragraph:
            yield plain(paragraph)
            paragraph = []
        if is_code:
            # Prose behind a command, and its further lines.
            command, _, prose = re.sub(r"^(\s*\S.*?)(\s{2,}#? ?|\s+# )", "\\1\0\0", line).partition("\0\0")
            in_prose = bool(COMMAND.match(line) and prose) or in_prose and bool(re.match(r" {20}", line))
            if in_prose:
                yield [(number, spans(prose if COMMAND.match(line) else bare))]
        elif bare.startswith("|"):
            if not re.fullmatch(r"[|: -]+", bare):
                yield from ([(number, spans(cell))] for cell in re.split(r"(?<!\\)\|", bare) if cell.strip())
        elif bare.startswith("#"):
            yield [(number, spans(bare.lstrip("# ")))]
        elif bare:
            paragraph.append((number, re.sub(r"^(?:[-*]|\d+\.) ", "", bare)))
        in_code, was_blank = is_code or in_code and not bare, not bare
    if paragraph:
        yield plain(paragraph)


def comment_blocks(lines, mark):
    """Runs of comment lines. A blank one, a row of a table and the head of a list end a paragraph. Code is left out."""
    paragraph, before = [], 0
    for number, text in lines:
        bare = re.sub(r"(`+).+?\1", "Code", text.strip(mark + "! ").strip())
        is_row = bare.startswith("|")
        if paragraph and (number != before + 1 or not bare or is_row or re.match(r"(- |MARK|\d+\. |:)", bare)):
            yield paragraph
            paragraph = []
        if is_row:
            if not re.fullmatch(r"[|: -]+", bare):
                yield from ([(number, cell)] for cell in re.split(r"(?<!\\)\|", bare) if cell.strip())
        elif bare and not re.match(r"(MARK:|swift-(format|tools)|:)", bare) and not text.lstrip(mark + "!").startswith("     "):
            paragraph.append((number, re.sub(r"^- (Parameters?|Returns|Throws)?", "", bare)))
        before = number
    if paragraph:
        yield paragraph


def is_generated(text):
    return re.search(r"^// (DO NOT EDIT|Made by `generate`)", text, re.M) is not None


def swift(text):
    if is_generated(text):
        return
    found, quoted = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if '"""' in line:
            quoted ^= line.count('"""') % 2 == 1
        elif not quoted and "//" in line:
            code, _, comment = re.sub(r'"(?:\\.|[^"\\])*"', '""', line).partition("//")
            if not code.strip():
                found.append((number, line.partition("//")[2]))
            elif comment and code.endswith(" "):
                yield from comment_blocks([(number, comment)], "/")
    yield from comment_blocks(found, "/")


def varlink(text):
    yield from comment_blocks(
        ((number, line.strip()[1:]) for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith("#")), "#")


def reasons(text):
    """The fields of each code, and its explanation."""
    text = re.sub(r"^- (?:area|exit).*$|^- \w+: ", lambda found: "" if found[0].startswith(("- area", "- exit")) else "- ", text, flags=re.M)
    yield from markdown(re.sub(r"^#.*$", "", text, flags=re.M))


# Comments that a program reads: `#!`, and settings of shellcheck and formatters.
NO_COMMENT = re.compile(r"#!|#\s*(?:shellcheck\b|fmt:|noqa\b|type:|pragma\b)")


def python(text):
    """Docstrings, read as Markdown, and comments."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is not None:
            value = node.body[0].value
            first, *rest = value.value.split("\n")
            indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
            docstring = "\n".join([first, *(line[indent:] for line in rest)])
            for paragraph in markdown(docstring):
                yield [(value.lineno - 1 + number, line) for number, line in paragraph]
    whole = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not NO_COMMENT.match(token.string):
            if token.line[: token.start[1]].strip():
                yield from comment_blocks([(token.start[0], token.string[1:])], "#")
            else:
                whole.append((token.start[0], token.string[1:]))
    yield from comment_blocks(whole, "#")


# A word or mark of a shell script that may hide a `#`: an escape, a literal, the start of a here-document, a comment.
HIDES = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|<<<|<<(-?)\s*(["']?)(\w+)\2|(?<![^\s;(])#[^\n]*""", re.S)


def shell(text):
    """Comments outside literals and here-documents."""
    whole, place = [], 0
    while found := HIDES.search(text, place):
        place = found.end()
        if found[3]:
            tabs = r"\t*" if found[1] else ""
            end = re.compile(rf"^{tabs}{found[3]}$", re.M).search(text, place)
            place = end.end() if end else len(text)
        elif found[0].startswith("#") and not NO_COMMENT.match(found[0]):
            number, line = text.count("\n", 0, found.start()) + 1, text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if line.strip():
                yield from comment_blocks([(number, found[0][1:])], "#")
            else:
                whole.append((number, found[0][1:]))
    yield from comment_blocks(usage(whole), "#")


def usage(lines):
    """The same comment lines. Of a line that shows a call only the prose behind the call stays, as a paragraph."""
    is_call = is_item = False
    for number, line in lines:
        if is_call and re.match(r" {15}", line):
            yield number, line.strip()
            continue
        if is_call:
            yield number, ""
        is_item = bool(re.match(r" [-*] ", line)) or is_item and line.startswith("  ")
        is_call = line.startswith("  ") and not is_item
        if is_call:
            call, _, prose = re.sub(r"(\S)\s{2,}(?=\S)", "\\1\0", line.strip(), count=1).partition("\0")
            yield number, "- " + prose if prose else ""
        else:
            yield number, line


HELP = re.compile(r'(?:abstract|discussion|help|ArgumentHelp|message)[:(]\s*(?:ArgumentHelp\(\s*)?((?:"""\n.*?"""|"(?:\\.|[^"\\\n])*"(?:\s*\+\s*"(?:\\.|[^"\\\n])*")*))', re.S)


def command_help(text):
    for found in HELP.finditer(text):
        number = text.count("\n", 0, found.start(1)) + 1
        value = found[1]
        if value.startswith('"""'):
            paragraph = []
            for offset, line in enumerate(value.splitlines()[1:-1], 1):
                bare = line.strip()
                if (not bare or bare.startswith("hearth ")) and paragraph:
                    yield paragraph
                    paragraph = []
                if bare.startswith("hearth ") and "  " in bare:
                    yield [(number + offset, bare.split("  ", 1)[1])]
                elif bare and not bare.startswith("hearth "):
                    paragraph.append((number + offset, re.sub(r"\\\(.*?\)", "code", bare.rstrip("\\"))))
            if paragraph:
                yield paragraph
        else:
            joined = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', value))
            yield [(number, re.sub(r"\\\(.*?\)", "code", joined))]


QUOTE = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)("""|")', re.S)


def literal(text, place, quote):
    """Reads a literal of Swift from behind its quote. Gives its end, its text, and the spans of its interpolations.

    An interpolation is one word, `\\n` is a form feed, and a line break that does not count has a vertical tab.
    """
    parts, spans = [], []
    mark = re.compile(re.escape(quote[1] + quote[0]) + r"|\\" + quote[0] + r"(.)", re.S)
    while found := mark.search(text, place):
        parts.append(text[place : found.start()])
        begin = place = found.end()
        if found[1] == "(":
            depth = 1
            while depth and (inner := re.compile(r"[()]|" + QUOTE.pattern, re.S).search(text, place)):
                place = inner.end()
                depth += {"(": 1, ")": -1}.get(inner[0], 0)
                if inner[2]:
                    place = literal(text, place, inner.groups())[0]
            spans.append((begin, place))
            parts.append("Code" + "\v\n" * text.count("\n", begin, place))
        elif found[1]:
            parts.append({"n": "\f", "\n": "\v\n"}.get(found[1], found[1]))
        else:
            break
    return place, "".join(parts), spans


def literals(text, first=0, last=None):
    """Each literal between two places of Swift, as its place and its text; those of interpolations follow theirs."""
    place = first
    while (found := QUOTE.search(text, place)) and (last is None or found.start() < last):
        place = found.end()
        if found[2]:
            place, content, spans = literal(text, place, found.groups())
            yield found.end(), content
            for span in spans:
                yield from literals(text, *span)


UNREAD = tuple(f"Sources/{name}/" for name in ("Simulation", "Twins", "hearth-bench"))
NO_PROSE = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ON CONFLICT|WHERE)\b|[{}]")
NO_WORDS = re.compile(r"--[a-z][\w-]*|[\w<>-]*\|[\w<>|-]+|<[^<>]*>")


def screen_texts(text):
    """Literals of at least two words: what commands print, errors and lines of the log. Helps have a kind of their own."""
    if is_generated(text):
        return
    helps = [found.span(1) for found in HELP.finditer(text)]
    for place, content in literals(text):
        if any(first <= place <= last for first, last in helps) or NO_PROSE.search(content):
            continue
        if "interface io." in content:
            yield from varlink(content)
        elif re.search(r"[A-Za-z]{2,}\W* [A-Za-z]", content):
            number, paragraph = text.count("\n", 0, place) + 1, []
            for offset, line in enumerate(content.split("\n")):
                *ended, rest = line.split("\f")
                for part in ended:
                    yield [*paragraph, (number + offset, NO_WORDS.sub("Code", part))]
                    paragraph = []
                paragraph.append((number + offset, NO_WORDS.sub("Code", rest.rstrip("\v"))))
                if not rest.endswith("\v"):
                    yield paragraph
                    paragraph = []


# The literal of a test or suite opens behind the parenthesis; the name of a function is between backticks.
TEST_NAME = re.compile(r'@(?:Test|Suite)\(\s*(#*)("""|")|\bfunc `([^`\n]+)`')


def test_names(text):
    """Names of tests and suites, each a paragraph: literals of `@Test` and `@Suite`, and functions with spaces."""
    for found in TEST_NAME.finditer(text):
        name = found[3] or literal(text, found.end(), found.groups()[:2])[1]
        number = text.count("\n", 0, found.end()) + (found[2] == '"""') + 1
        yield [(number + offset, line.rstrip("\v")) for offset, line in enumerate(name.strip().split("\n"))]


def below(folders, pattern, form):
    return [(str(file.relative_to(root)), form) for folder in folders for file in sorted((root / folder).rglob(pattern))]


@functools.cache
def scripts():
    """Files of Python and of shell, by suffix or by their first line."""
    found = {python: [], shell: []}
    for folder in (".ci", "board", "Sources", "Tests"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".swift", ".md", ".pyc") or not file.is_file():
                continue
            with file.open("rb") as opened:
                first = opened.readline(80)
            if file.suffix == ".py" or re.match(rb"#!.*\bpython", first):
                found[python].append((str(file.relative_to(root)), python))
            elif file.suffix == ".sh" or re.match(rb"#!.*\b(?:ba|da)?sh\b", first):
                found[shell].append((str(file.relative_to(root)), shell))
    return found


def settings(text):
    """Comments of a file of settings: each beside a key, or a paragraph of whole lines."""
    paragraph = []
    for number, line in enumerate(text.splitlines(), 1):
        key, mark, comment = line.partition("# ")
        # Here `none` is a value.
        comment = re.sub(r"\bnone\b", "Code", comment)
        if key.strip() or not mark:
            yield paragraph
            paragraph = []
        if key.strip() and mark:
            yield [(number, comment)]
        elif mark:
            paragraph.append((number, comment))
    yield paragraph


def kinds():
    """Kind of text: its files, each with its form."""
    notes = below(["Sources", "Tests"], "NOTES.md", markdown)
    pages = [entry for entry in below(["Sources", "Tests"], "*.md", markdown) if entry not in notes and "/Codes/" not in entry[0]]
    return {
        "README.md, .github": [("README.md", markdown), *below([".github"], "*.md", markdown)],
        "board/*.md": [(f"board/{file.name}", markdown) for file in sorted((root / "board").glob("*.md"))],
        "NOTES.md": notes,
        "other pages": pages,
        "comments": below(["Sources"], "*.swift", swift),
        "comments of tests": below(["Tests"], "*.swift", swift),
        "reason texts": below(["Sources/Reasons/Codes"], "*.md", reasons),
        "interface": below(["Sources/HubProtocol"], "*.varlink", varlink),
        "settings": below(["config", "board"], "*.yaml", settings),
        "command help": below([f"Sources/{name}" for name in ("hearth", "hearthd", "hearth-sim", "hearth-sink", "hearth-uplink", "hearth-bench")], "*.swift", command_help),
        "Python comments": scripts()[python],
        "shell comments": scripts()[shell],
        "names of tests": below(["Tests"], "*.swift", test_names),
        "screen texts": [entry for entry in below(["Sources"], "*.swift", screen_texts) if not entry[0].startswith(UNREAD)],
    }


# Forms of texts with sentences of any length.
UNBOUNDED = (screen_texts, test_names)


class Count:
    """Words, hits by pattern and long sentences of some sentences."""

    def __init__(self):
        self.words, self.longest, self.hits, self.long, self.is_bounded = 0, 0, collections.Counter(), [], True

    def add(self, sentence, place, is_bounded=True):
        self.words += sentence.words
        self.longest = max(self.longest, sentence.words)
        self.is_bounded = is_bounded
        if is_bounded and sentence.words > SENTENCE:
            self.long.append(f"{place}:{sentence.first}: {sentence.words} words: {sentence.text[:70]}")
        for name, pattern in PATTERNS.items():
            self.hits[name] += len(pattern.findall(sentence.text))

    def rate(self, name):
        return 1000 * self.hits[name] / self.words if self.words else 0


@functools.cache
def read(file):
    return (root / file).read_text(encoding="utf-8")


@functools.cache
def all_sentences(file, form):
    return [sentence for paragraph in form(read(file)) for sentence in sentences(paragraph)]


def count(files, lines=None):
    """The figures of these files, or of those sentences that have one of the given lines."""
    total = Count()
    for file, form in files:
        if lines is not None and file not in lines:
            continue
        for sentence in all_sentences(file, form):
            if lines is None or any(line in lines[file] for line in range(sentence.first, sentence.last + 1)):
                total.add(sentence, file, form not in UNBOUNDED)
    return total


def hits(file, form, lines=None):
    for sentence in all_sentences(file, form):
        if lines is None or any(line in lines for line in range(sentence.first, sentence.last + 1)):
            for name, pattern in PATTERNS.items():
                for _ in pattern.findall(sentence.text):
                    yield f"{file}:{sentence.first}: {name}: {sentence.text[:90]}"


def wide_lines(file):
    """Lines of a document beyond its columns; rows of tables and screens are as wide as they are."""
    return [
        f"{file}:{number}: {len(line)} columns"
        for number, line in enumerate(read(file).splitlines(), 1)
        if len(line) > COLUMNS and not line.startswith(("|", "    "))
    ]


def forms():
    return [entry for entries in kinds().values() for entry in entries]


def goal_faults(name, total):
    """Goals that a text misses by its rates."""
    return [f"{name}: {pattern}: {total.rate(pattern):.1f} per 1,000 words, goal {goal}" for pattern, goal in GOALS.items() if total.rate(pattern) > goal]


def allowed(pattern, count):
    """Hits that so many words may have, rounded up."""
    return math.ceil(GOALS[pattern] * count / 1000)


def folder_faults(files):
    """Goals that the comments of a folder miss: one below Sources or Tests, a family, a twin, or a folder of board."""
    folders = collections.defaultdict(list)
    for file, form in files:
        parts = pathlib.Path(file).parent.parts
        folders["/".join(parts[: 3 if "Drivers" in parts or "Twins" in parts else 2])].append((file, form))
    for folder, texts in folders.items():
        total = count(texts)
        for pattern in GOALS:
            if total.hits[pattern] > allowed(pattern, total.words):
                yield f"{folder}: {pattern}: {total.hits[pattern]} in {total.words} words, {allowed(pattern, total.words)} allowed"


def text_faults(texts=None):
    """What keeps texts from their goals: as kinds, as documents, as folders of comments, and by sentence."""
    for kind, files in (texts or kinds()).items():
        total = count(files)
        yield from goal_faults(kind, total)
        yield from total.long
        is_comments = "comments" in kind
        documents = [entry for entry in files if not is_comments and not entry[0].endswith(".swift")]
        for entry in documents:
            document = count([entry])
            yield from goal_faults(entry[0], document)
            if entry[0].endswith("NOTES.md") and document.words > NOTES:
                yield f"{entry[0]}: {document.words} words, {NOTES} at most"
            yield from wide_lines(entry[0]) if entry[0].endswith(".md") else []
        if is_comments:
            yield from folder_faults(files)


def changed_lines(since):
    """For each file the numbers of its lines that are not in a commit."""
    diff = subprocess.run(
        ["git", "diff", "--unified=0", "--no-color", "--no-renames", "--no-ext-diff", since, "--", "."], cwd=root, check=True, capture_output=True, text=True, errors="replace").stdout
    found, file = collections.defaultdict(set), ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line[6:]
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first = int(match[1])
            found[file].update(range(first, first + int(match[2] or 1)))
    untracked = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True).stdout
    found.update({file: range(1, read(file).count("\n") + 2) for file in untracked.splitlines() if file in dict(forms())})
    return found


# Columns of the subject of a commit.
SUBJECT = 80


def message_faults(since):
    """Goals that the commit messages since that commit miss together, and their long subjects and sentences."""
    messages = lambda form: subprocess.run(
        ["git", "log", "--no-merges", f"--format={form}", f"{since}..HEAD"], cwd=root, check=True, capture_output=True, text=True).stdout
    log = messages("%B")
    yield from (f"{len(subject)} columns: {subject}" for subject in messages("%s").splitlines() if len(subject) > SUBJECT)
    total = Count()
    for paragraph in markdown(log):
        for sentence in sentences(paragraph):
            total.add(sentence, "commit messages")
    for name in GOALS:
        if total.hits[name] > allowed(name, total.words):
            yield f"commit messages: {name}: {total.hits[name]} in {total.words} words, {allowed(name, total.words)} allowed"
    yield from total.long


def change_faults(since):
    yield from message_faults(since)
    lines = changed_lines(since)
    for kind, files in kinds().items():
        total = count(files, lines)
        for name in GOALS:
            if total.hits[name] > allowed(name, total.words):
                yield f"{kind}: {name}: {total.hits[name]} in {total.words} changed words, {allowed(name, total.words)} allowed"
                for file, form in files:
                    if file in lines:
                        yield from (hit for hit in hits(file, form, lines[file]) if f": {name}: " in hit)
        yield from total.long


def row(name, total):
    rates = "  ".join(f"{total.rate(pattern):7.1f}" for pattern in PATTERNS)
    return f"{name:<36}  {total.words:>7}  {rates}  {total.longest:>7}  {len(total.long) if total.is_bounded else '-':>5}"


def main(arguments):
    lines = changed_lines(arguments[1]) if arguments[:1] == ["--since"] else None
    print(f"{'text':<36}  {'words':>7}  " + "  ".join(f"{name:>7}" for name in PATTERNS) + f"  longest  >{SENTENCE:>4}")
    if lines is None and arguments:
        known, faults = forms(), []
        for file in arguments:
            texts = [entry for entry in known if entry[0] == file] or [(file, markdown)]
            total = count(texts)
            print(row(file, total))
            faults += total.long + [hit for text in texts for hit in hits(*text)] + (wide_lines(file) if file.endswith(".md") else [])
        print(*faults, sep="\n")
        return 0
    for kind, files in kinds().items():
        print(row(kind, count(files, lines)))
    print(f"{'goal, per 1,000 words':<36}  {'':>7}  " + "  ".join(f"{goal:7.1f}" for goal in GOALS.values()))
    faults = list(text_faults() if lines is None else change_faults(arguments[1]))
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
