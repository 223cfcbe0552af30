#!/usr/bin/env python3
"""Counts the public declarations of Sources, and those with a documentation comment directly above.

    Tests/House/docs.py                  a row for each folder, and the share of documented ones
    Tests/House/docs.py FOLDER ...       the declarations below these folders without a comment

Not a compiler: lines outside comments and strings are read one by one. Attributes may stand between comment and
declaration. Not counted: generated files, members that every reader knows (`KNOWN`), and cases of an enumeration with a
comment of its own, which explains them.
"""
import collections, pathlib, re, sys

import structure

root = pathlib.Path(__file__).resolve().parents[2]

DECLARATION = re.compile(
    r"\s*(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:(?:[\w.]+\(set\)|static|class|final|mutating|nonisolated|override|convenience|required|indirect|lazy|weak|unowned|consuming|borrowing|prefix|infix|postfix|nonisolated\(\w+\)|unowned\(\w+\)) )*"
    r"(func|var|let|init|struct|class|enum|protocol|actor|subscript|typealias|macro)\b\s*(`\w+`|[-+*/%!~|&^<>=]+|[^\s(<:={]*)")
# Witnesses of Equatable, Hashable, Comparable, Codable, RawRepresentable, CaseIterable, Identifiable, Sequence,
# Collection, Error and of what converts to text.
KNOWN = re.compile(
    r"func (?:==|<|<=|>|>=|~=|hash|encode|makeIterator|next|index|formIndex)$"
    r"|var (?:description|debugDescription|errorDescription|rawValue|hashValue|allCases|id|startIndex|endIndex|underestimatedCount|customMirror)$"
    r"|let (?:rawValue|id)$"
    r"|typealias (?:Element|Iterator|RawValue|Index|AllCases|ID)$")
KNOWN_INIT = re.compile(r"init\??\((?:from (?:decoder|\w+): (?:any )?Decoder|rawValue: |stringLiteral |integerLiteral |arrayLiteral |dictionaryLiteral |_ \w+: Never)")

Declaration = collections.namedtuple("Declaration", "line kind name documented")


def code_lines(text):
    """The lines without comments and strings, as many as there are."""
    return structure.bare(text).split("\n")


def declarations(text):
    """The public declarations of a file that count."""
    raw, code = text.split("\n"), code_lines(text)
    for number, line in enumerate(code):
        if not (found := DECLARATION.match(line)):
            continue
        kind, name = found.groups()
        if KNOWN.match(f"{kind} {name}") or kind == "init" and KNOWN_INIT.search(line.strip()[line.strip().index("init") :]):
            continue
        above = number - 1
        while above >= 0 and re.fullmatch(r"\s*(?:@\w+(?:\(.*\))?\s*)+", raw[above]):
            above -= 1
        yield Declaration(number + 1, kind, name, above >= 0 and raw[above].lstrip().startswith("///"))


def files():
    for file in sorted((root / "Sources").rglob("*.swift")):
        text = file.read_text()
        if ".pb." not in file.name and not re.search(r"^// (DO NOT EDIT|Made by `generate`)", text, re.M):
            yield str(file.relative_to(root)), text


def bare(text, file="text"):
    """Public declarations of a file without a comment."""
    return [f"{file}:{found.line}: {found.kind} {found.name}" for found in declarations(text) if not found.documented]


def faults():
    """Public declarations of all files without a comment."""
    for file, text in files():
        yield from bare(text, file)


def main(folders):
    if folders:
        for file, text in files():
            if any(file.startswith(folder) for folder in folders):
                print(*bare(text, file), sep="\n", end="\n" if bare(text, file) else "")
        return
    counts = collections.defaultdict(lambda: [0, 0])
    for file, text in files():
        parts = pathlib.Path(file).parts
        folder = "/".join(parts[1 : 3 if parts[1] in ("Drivers", "Twins") else 2])
        for declaration in declarations(text):
            for key in (folder, "all"):
                counts[key][0] += 1
                counts[key][1] += declaration.documented
    for folder, (total, documented) in counts.items():
        print(f"{folder:<28}  {total:>5}  {total - documented:>5} without  {100 * documented / total:5.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:])
