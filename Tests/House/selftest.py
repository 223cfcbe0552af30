"""Tests of words.py, names.py, docs.py and notes.py: each function gives what it found to be wrong."""
import docs
import names
import notes
import words


def figures(text, form):
    total = words.Count()
    for paragraph in form(text):
        for sentence in words.sentences(paragraph):
            total.add(sentence, "text")
    return total


PAGE = """# Whose page

Nobody knows who it was. It is `a
span` of two lines, where needed. [One link](x.md#who) is text.

- The first item
  goes on. Its end.
- see [who](a.md)

| who | none |
|---|---|
| `nothing` | 1.5 MB |

    hearth devices         nothing is here
                           and this goes on
    NAME   nobody
"""

SOURCE = '''// A file that
// nobody reads.
let text = "// nothing" // None of it
let long = """
  // who
  """
/// It does `nothing`.
///
/// They end.
func f() {}  // swift-format-ignore
'''

COMMAND = '''static let configuration = CommandConfiguration(
  commandName: "x", abstract: "Who is \\(nobody) here.",
  discussion: """
    One line that goes \\
    on.

    hearth x        nothing more
    """)
@Option(help: ArgumentHelp("Where none is.", valueName: "nobody"))
'''

SCREENS = '''let a = "nobody is here", key = "nobody" // "who is"
let b = "\\(name ?? "nobody known"): --nobody takes nothing"
let c = """
  Who it is. \\
  It ends.\\n
  who
  """
@Option(help: "who asks")
'''

TESTS = '''@Suite("Who it is", .serialized)
struct A {
  @Test("nobody is here", arguments: ["none"]) func who() { call("nothing") }
  @Test(
    """
    they end where \\
    none is
    """)
  func b() {}
  @Test func `nothing ends, it goes on`() {}
  // "who"
  func c() {}
}
'''

PROGRAM = '''#!/usr/bin/env python3
"""Counts who
reads.

    Tests/House/count.py FILE      nothing more
"""
import re  # nobody reads it

TEXT = "# None, who"


def f():
    """One `None` of them."""
    # It ends
    # here.
    # noqa: who
'''

SCRIPT = '''#!/bin/sh
# shellcheck disable=SC1091,who
# Keeps what
# nobody reads.
#   tool keep OLD   none of it
#                   goes on
#   tool who
# They end.
echo "# who" '# nobody' it\\'s # It ends
cat << END
# nothing
END
x=${y#who} z=$#
'''

REASON = """# Nobody

## H2101 none

- area: link
- sentence: nothing came
- exit: 3

It ended. Who knows?
"""


def words_faults():
    """Sentences, words and hits of small texts, as a person counts them."""
    expected = [
        # Columns: words, the hits of each of `words.PATTERNS`, longest
        ("page", PAGE, words.markdown, (40, 4, 1, 2, 1, 3, 8)),
        ("source", SOURCE, words.swift, (13, 0, 1, 1, 0, 2, 5)),
        ("help", COMMAND, words.command_help, (14, 1, 0, 2, 1, 1, 5)),
        ("screens", SCREENS, words.screen_texts, (15, 2, 2, 1, 0, 1, 4)),
        ("tests", TESTS, words.test_names, (16, 1, 1, 2, 1, 0, 5)),
        ("program", PROGRAM, words.python, (15, 1, 1, 1, 0, 2, 4)),
        ("script", SCRIPT, words.shell, (13, 0, 1, 1, 0, 2, 5)),
        ("reason", REASON, words.reasons, (6, 1, 0, 1, 0, 1, 2)),
        ("interface", "# None\ntype A (\n  # Who it is.\n  code: string\n)\n", words.varlink, (4, 1, 0, 1, 0, 0, 3)),
        ("generated", "// DO NOT EDIT\n// nobody\n", words.swift, (0, 0, 0, 0, 0, 0, 0)),
    ]
    for name, text, form, wanted in expected:
        total = figures(text, form)
        got = (total.words, *(total.hits[pattern] for pattern in words.PATTERNS), total.longest)
        if got != wanted:
            yield f"{name}: {got} in place of {wanted}"
    long = figures("A " + "word " * 25 + "end.\n", words.markdown)
    if len(long.long) != 1 or figures("A " + "word " * 23 + "end.\n", words.markdown).long:
        yield "a sentence of 26 words is not told from one of 25"
    yield from goals_faults()
    first, second = words.sentences([(7, "This is one."), (8, "This is"), (9, "two, see 1.5 e.g. here.")])
    if (first.first, first.last, second.first, second.last) != (7, 7, 8, 9):
        yield "a sentence is not on its lines"


def goals_faults():
    """Texts that keep every goal pass, and each kind of miss is found."""
    calm = "The hub stores a sample. " * 400
    cases = [
        # kind, file, text, form, faults
        ("pages", "README.md", calm, words.markdown, 0),
        # Four pronouns in 2,004 words are above 1.2 per 1,000: for the kind, and for the document.
        ("pages", "README.md", calm + "It ends. " * 4, words.markdown, 2),
        ("pages", "README.md", calm + "Nobody does. Nothing ends.", words.markdown, 2),
        ("pages", "README.md", "A " + "word " * 25 + "end.", words.markdown, 1),
        ("pages", "Sources/Hub/NOTES.md", "A hub stores. " * 501, words.markdown, 1),
        ("comments", "Sources/CivilTime/CivilMoment.swift", "// " + calm + "They end. It ends.", words.swift, 0),
        # 12 words may have one hit of each kind, as a folder; the kind as a whole may not.
        ("comments", "Sources/CivilTime/CivilMoment.swift", "// Nobody reads it. The hub reads. It ends. So it does.", words.swift, 2),
        ("comments", "Sources/CivilTime/CivilMoment.swift", "// Nobody reads it, and nobody may. The hub reads it.", words.swift, 2),
        ("Python comments", "Tests/House/run.py", f'"""{calm}"""\n# They end. It ends.', words.python, 0),
        ("Python comments", "Tests/House/run.py", '"""Nobody reads it. The hub reads."""\n# It ends. So it does.', words.python, 2),
        ("shell comments", "board/lib.sh", "# Nobody reads it, and nobody may. The hub reads it.", words.shell, 2),
        ("shell comments", "board/lib.sh", "# A " + "word " * 25 + "end.", words.shell, 1),
        ("command help", "Sources/CivilTime/CivilMoment.swift", 'help: "Who is it?"', words.command_help, 1),
        ("names of tests", "Tests/HubTests/LaneTests.swift", '@Test("Who is it?")', words.test_names, 1),
        ("comments", "Sources/CivilTime/CivilMoment.swift", "// DO NOT EDIT\n// Nobody reads it.", words.swift, 0),
    ]  # fmt: skip
    for kind, file, text, form, wanted in cases:
        texts = {kind: [(file, lambda _, form=form, text=text: form(text))]}
        if len(found := list(words.text_faults(texts))) != wanted:
            yield f"{text[-60:]}: {wanted} faults expected, found {found}"


def names_faults():
    """Names that are there, and such as are not."""
    file = names.root / "board/README.md"
    for text in [
        "`hearth device NAME forget --yes`", "`hearth devices --by battery`", "`sudo hearth setup --defaults`",
        "`hearth --hub gym-a,gym-b status`", "`hearth wearer assign band-07 Ada --from '2026-12-01 06:00'`",
        "\n    $ hearth visits -n 3 --why          the queue\n", "`hearth settings NAME set streams acc,ppi`", "H2102, H3190",
        "`store.commit` and `store.commit.every`", "`broker.address`", "hearth.yaml", "[x](GUIDE.md#limits-of-live-values)",
        "`Sources/README.md` and `Reasons/Version.swift`", "[y](../README.md)", "`hearth help export`", "`hearth export | head`", "the hearth daemon; see hearth live --seconds 3, then", "of hearth devices",
    ]:  # fmt: skip
        if found := names.faults_of(file, text):
            yield f"{text.strip()}: {found}"
    for text in [
        "`hearth devices --why`", "`hearth device NAME forgett`", "`hearth enrol open`", "`hearth visits --sinse 2h`", "H2999",
        "\n    $ hearth exprot          a list\n", "`store.sise` is a key", "[x](GUIDE.md#no-such-section)", "[y](NOWHERE.md)",
        "`Sources/Nowhere.swift`", "`Hub/Nowhere.swift`", "`hearth mute H2102 H2103`",
        "then: hearth visits --sinse 2h; done", "see hearth devicess, then wait", "\n    $ hearth devices     then: hearth live --secs 3\n",
    ]:  # fmt: skip
        if len(names.faults_of(file, text)) != 1:
            yield f"{text.strip()}: found {names.faults_of(file, text)}"


DECLARED = '''/// A value.
@frozen
public struct Value: Hashable, Codable {
  public let rawValue: Int
  // No documentation comment.
  public private(set) var count = 0
  /// Hertz.
  @inlinable
  public nonisolated static let rate = 50
  public init(from decoder: any Decoder) throws {}
  public init(rawValue: Int) { self.rawValue = rawValue }
  public init(_ other: Int) {}
  public static func == (a: Value, b: Value) -> Bool { true }
  public static func < (a: Value, b: Value) -> Bool { true }
  public func hash(into hasher: inout Hasher) {}
  public func hashes() {}
  public var description: String { "public var quoted: Int" }
  public subscript(index: Int) -> Int { 0 }
  let hidden = 1
  /// Kinds.

  public enum Kind { case one, two }
  public final class Box {}
  /// Runs.
  @MainActor func run() {}
  public func walk() {}
  /* public var old = 1 */
}
'''


def docs_faults():
    """Declarations of a small file, and those of them that are faults."""
    expected = [
        (3, "struct", "Value", True), (6, "var", "count", False), (9, "let", "rate", True), (12, "init", "", False), (16, "func", "hashes", False),
        (18, "subscript", "", False), (22, "enum", "Kind", False), (23, "class", "Box", False),
        (26, "func", "walk", False),
    ]  # fmt: skip
    found = [tuple(declaration) for declaration in docs.declarations(DECLARED)]
    if found != expected:
        yield f"{found} in place of {expected}"
    bare = [f"A.swift:{line}: {kind} {name}" for line, kind, name, documented in expected if not documented]
    if docs.bare(DECLARED, "A.swift") != bare:
        yield f"{docs.bare(DECLARED, 'A.swift')} in place of {bare}"


def notes_faults():
    """Pages of the shape pass, and each kind of miss is found."""
    section = lambda name: f"## {name}\n\nText.\n\n"
    whole = [section(name) for name in notes.SHAPE]
    page = lambda sections: "# A room\n\n" + "".join(sections)
    cases = [
        ("the shape", whole, 0),
        ("with references behind it", [*whole, section("References")], 0),
        ("with a heading of the third level", [*whole[:2], "### Part\n\n", *whole[2:]], 0),
        ("with a heading in code", [whole[0], "    ## Part\n\n```\n## Part\n```\n", *whole[1:]], 0),
        ("with two sections swapped", [whole[1], whole[0], *whole[2:]], 1),
        ("with another section within", [*whole[:4], section("Limits"), whole[4]], 1),
        ("with another section behind", [*whole, section("Limits")], 1),
        ("with references within", [*whole[:4], section("References"), whole[4]], 1),
        ("with a section twice", [*whole[:3], whole[2], *whole[3:]], 1),
        ("with an empty section", [*whole[:4], "## Costs\n"], 1),
        ("with a section of the third level", [*whole[:4], "#" + whole[4]], 1),
        ("without sections", [], len(whole)),
        *((f"without {name}", whole[:place] + whole[place + 1 :], 1) for place, name in enumerate(notes.SHAPE)),
    ]
    for name, sections, wanted in cases:
        if len(found := notes.shape_faults(page(sections))) != wanted:
            yield f"a page {name}: {wanted} faults expected, found {found}"
