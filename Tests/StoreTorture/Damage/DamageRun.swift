// Damages stores page by page and bit by bit, lets a hub live on each, and prints the result.
//
//     store-torture damage [--pages N] [--bits N] [--seed S] [--only gym,ward,bands] [--kind TEXT] [--lines]
//
// `--pages`: pages of each kind that are damaged, each in every way (0: all). `--bits`: an eighth of the bits of root
// pages, page headers and table records that are flipped (0: all). `--kind`: only kinds that begin so. `--lines`: a
// line for each case. Columns:
//
//     serves          the store opened, took samples and gave them back
//     refuses         opening it, or a step of serving it, ended with a code
//     dies, hangs     the process did
//     missing said    items or records are gone, and the hub or its export says that something is
//     missing silent  they are gone, and nothing does
//     wrong           items or records that were never written
//     changed         something is gone, and no file has the damaged bytes any more; of damage to a long value or to
//                     a slot of the journal file, which are served around: the beginning of its page
//     verify          without a daemon: called it sound although something is gone, died or did not end
//
// Ends with 1 unless every case serves, and no case is missing silently, wrong, changed or called sound.

import Glibc

struct DamageRun {
  enum Way: String, CaseIterable {
    case zeroed, ones, random, swapped, truncated, bit
  }

  enum Column: String, CaseIterable {
    case serves, refuses, dies, hangs
    case missingSaid = "missing said"
    case missingSilent = "missing silent"
    case wrong, changed, verify
  }

  private struct Case {
    /// Name of the damaged file.
    let file: String
    let kind: String
    let way: Way
    let place: Int
    let bytes: [UInt8]
  }

  private var pages = 3
  private var bits = 12
  private var seed: UInt64 = UInt64(getpid()) << 20 ^ UInt64(time(nil))
  private var only = Population.allCases.map(\.rawValue)
  private var kindPrefix = ""
  private var tellsLines = false
  private let folder: String
  private var table: [String: [Column: Int]] = [:]
  private var cases = 0
  private var slowest = 0.0

  /// nil for words that it does not know.
  init?(_ words: ArraySlice<String>) {
    let scratch = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    folder = "\(scratch)/store-torture.\(getpid())"
    var words = words
    while let word = words.popFirst() {
      if word == "--lines" {
        tellsLines = true
        continue
      }
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--pages": pages = Int(value) ?? pages
      case "--bits": bits = Int(value) ?? bits
      case "--seed": seed = UInt64(value) ?? seed
      case "--only": only = value.split(separator: ",").map(String.init)
      case "--kind": kindPrefix = value
      default: return nil
      }
    }
  }

  /// - Returns: whether all is as it should be.
  mutating func run() throws -> Bool {
    say("seed \(seed)")
    mkdir(folder, 0o755)
    defer { Files.remove(folder) }
    for population in Population.allCases where only.contains(population.rawValue) { try run(population) }
    printTable()
    let bad: [Column] = [.refuses, .dies, .hangs, .missingSilent, .wrong, .changed, .verify]
    return table.values.allSatisfy { row in bad.allSatisfy { row[$0] ?? 0 == 0 } }
  }

  private mutating func run(_ population: Population) throws {
    let sound = "\(folder)/\(population)"
    let made = Child.run(["damage-make", sound, population.rawValue], output: "\(folder)/out", patience: 300)
    guard made.how == .exit(0), let bytes = Files.read("\(sound)/data.mdb"), bytes.count > 8192,
      let log = Files.read("\(sound)/journal.log")
    else {
      say("failed: the store of \(population) was not made: \(made.how) \(made.lines.suffix(3))")
      exit(1)
    }
    let files = Files.all(sound).filter { !$0.hasSuffix("/lock.mdb") }
      .map { (name: String($0.dropFirst(sound.count + 1)), bytes: Files.read($0) ?? []) }
    lay(files, nil)
    let truth = Child.run(["damage-life", "\(folder)/case", "only-read"], output: "\(folder)/out", patience: 60)
    let known = Known(truth.lines)
    let map = PageMap(bytes)
    say("\(population): \(map.kinds.count) pages of \(Set(map.kinds).count) kinds, \(known.text), \(truth.how)")
    for one in choose(map, of: "data.mdb") + choose(PageMap(log: log), of: "journal.log") {
      lay(files, one)
      let look = Child.run(["damage-look", "\(folder)/case"], output: "\(folder)/out", patience: 60)
      lay(files, one)
      let life = Child.run(["damage-life", "\(folder)/case"], output: "\(folder)/out", patience: 60)
      judge(population, one, known, life, look)
    }
  }

  private func lay(_ files: [(name: String, bytes: [UInt8])], _ one: Case?) {
    Files.remove("\(folder)/case")
    mkdir("\(folder)/case", 0o750)
    for file in files {
      Files.write("\(folder)/case/\(file.name)", file.name == one?.file ? one?.bytes ?? [] : file.bytes, mode: 0o600)
    }
  }

  private mutating func draw(_ bound: Int) -> Int {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(Contents.hash(seed) % UInt64(max(bound, 1)))
  }

  private mutating func choose(_ map: PageMap, of file: String) -> [Case] {
    var chosen: [Case] = []
    let size = PageMap.size
    for kind in Set(map.kinds).sorted() where kind.hasPrefix(kindPrefix) && kind != "" {
      var group = map.kinds.indices.filter { map.kinds[$0] == kind }
      let all = group
      while pages > 0, group.count > pages { group.remove(at: draw(group.count)) }
      for page in group {
        let range = (page * size)..<((page + 1) * size)
        for way in Way.allCases where way != .bit {
          var bytes = map.bytes
          switch way {
          case .zeroed: bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: size))
          case .ones: bytes.replaceSubrange(range, with: [UInt8](repeating: 0xFF, count: size))
          case .random: for place in range { bytes[place] = UInt8(draw(256)) }
          case .swapped:
            let others = all.filter { $0 != page }
            if others.isEmpty { continue }
            let other = others[draw(others.count)]
            bytes.replaceSubrange(range, with: map.bytes[(other * size)..<((other + 1) * size)])
            bytes.replaceSubrange((other * size)..<((other + 1) * size), with: map.bytes[range])
          case .truncated: bytes.removeLast(bytes.count - range.lowerBound)
          case .bit: continue
          }
          if bytes == map.bytes { continue }
          chosen.append(Case(file: file, kind: kind, way: way, place: range.lowerBound, bytes: bytes))
        }
      }
    }
    for kind in Set(map.fields.map(\.kind)).sorted() where kind.hasPrefix(kindPrefix) {
      var places = map.fields.filter { $0.kind == kind }.flatMap { field in
        field.range.flatMap { at in (0..<8).map { at * 8 + $0 } }
      }
      while bits > 0, places.count > bits * 8 {
        places.swapAt(draw(places.count), places.count - 1)
        places.removeLast()
      }
      for place in places {
        var bytes = map.bytes
        bytes[place / 8] ^= 1 << UInt8(place % 8)
        chosen.append(Case(file: file, kind: kind, way: .bit, place: place, bytes: bytes))
      }
    }
    return chosen
  }

  private mutating func judge(_ population: Population, _ one: Case, _ known: Known, _ life: Ended, _ look: Ended) {
    var found: Set<Column> = []
    let now = Known(life.lines)
    let refusals = life.lines.filter { $0.hasPrefix("refused ") || $0.hasPrefix("broken ") }
    let opened = life.lines.contains { $0.hasPrefix("opened ") }
    switch life.how {
    case .hung: found.insert(.hangs)
    case .signal: found.insert(.dies)
    case .exit(let code): found.insert(code == 0 && refusals.isEmpty ? .serves : .refuses)
    }
    let (missing, wrong) = known.compared(to: now)
    let isWhole = opened && life.lines.last == "done"
    let isSaid = life.lines.contains { $0.hasPrefix("said ") || ($0.hasPrefix("gap ") && $0 != "gap 0") }
    if isWhole, !missing.isEmpty { found.insert(isSaid ? .missingSaid : .missingSilent) }
    if !wrong.isEmpty { found.insert(.wrong) }
    let isBad = !missing.isEmpty || !wrong.isEmpty || !isWhole
    if isBad, !isKept(one) { found.insert(.changed) }
    let verdict = look.lines.first { $0.hasPrefix("verified ") }
    if look.how != .exit(0) || isBad && verdict == "verified 0" { found.insert(.verify) }
    for column in found { table["\(one.kind), \(one.way)", default: [:]][column, default: 0] += 1 }
    cases += 1
    slowest = max(slowest, life.seconds, look.seconds)
    if tellsLines {
      let columns = Column.allCases.filter { found.contains($0) }.map(\.rawValue).joined(separator: ", ")
      say(
        """
        \(population) \(one.kind) \(one.way) at \(one.place): \(columns); \(missing.count) missing, \
        \(wrong.count) wrong; \
        \(refusals.first ?? "") \(missing.first { $0.hasPrefix("record") } ?? "") \(wrong.first ?? "") | \
        \(look.how) \(verdict ?? look.lines.first ?? "")
        """)
    }
  }

  /// The damaged file is there as it was; or of damage to a value, which is served around, that page.
  private func isKept(_ one: Case) -> Bool {
    let files = Files.all("\(folder)/case").compactMap { Files.read($0) }
    if files.contains(one.bytes) { return true }
    let page = one.place / (one.way == .bit ? 8 : 1) / PageMap.size * PageMap.size
    let isServedAround = one.kind.hasSuffix(" long") || one.kind == "log slot"
    guard isServedAround, page + PageMap.size <= one.bytes.count else { return one.kind.hasPrefix("log ") }
    // In quarantine its value has another page, and no head of its own.
    let damaged = one.bytes[(page + 16)..<(page + 1000)]
    return files.contains { file in
      stride(from: 16, to: file.count - 1000, by: PageMap.size).contains { place in
        file[place..<(place + damaged.count)] == damaged
      }
    }
  }

  private func printTable() {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let width = (table.keys.map(\.count).max() ?? 20) + 2
    say(padded("", width) + Column.allCases.map { padded($0.rawValue, 16) }.joined())
    func row(_ name: String, _ counts: [Column: Int]) {
      say(padded(name, width) + Column.allCases.map { padded("\(counts[$0] ?? 0)", 16) }.joined())
    }
    for name in table.keys.sorted() { row(name, table[name] ?? [:]) }
    row("all \(cases)", table.values.reduce(into: [:]) { sums, counts in sums.merge(counts) { $0 + $1 } })
    say("the slowest life or look took \(Int(slowest * 1000)) ms")
  }
}

/// What a life printed that can be compared: items as often as they are there, records.
struct Known {
  private var counts: [String: Int] = [:]

  init(_ lines: [String]) {
    for line in lines where line.hasPrefix("item ") || line.hasPrefix("record ") { counts[line, default: 0] += 1 }
  }

  var text: String {
    let items = counts.filter { $0.key.hasPrefix("item ") }.reduce(0) { $0 + $1.value }
    return "\(items) items, \(counts.count) lines that differ"
  }

  func compared(to other: Known) -> (missing: [String], wrong: [String]) {
    let missing = counts.filter { $0.value > other.counts[$0.key] ?? 0 }.map(\.key)
    return (missing, other.counts.filter { $0.value > counts[$0.key] ?? 0 }.map(\.key))
  }
}
