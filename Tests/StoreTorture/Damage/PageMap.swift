// The use of each page of a sound store, by a walk of its own from LMDB's layout (mdb.c, 0.9). This map chooses what is
// damaged, never the reader that is under test.

struct PageMap {
  static let size = 4096

  /// A range of bytes to be flipped bit by bit.
  struct Field {
    let kind: String
    let range: Range<Int>
  }

  let bytes: [UInt8]
  /// Kind of each page: `root`, `free leaf`, `main leaf`, `chunks branch`, `registry long` …, `unused`.
  private(set) var kinds: [String]
  /// Root pages, headers of pages of trees and of long values, table records.
  private(set) var fields: [Field] = []

  init(_ bytes: [UInt8], _ kinds: [String]) { (self.bytes, self.kinds) = (bytes, kinds) }

  /// Of `data.mdb`.
  init(_ bytes: [UInt8]) {
    self.init(bytes, [String](repeating: "unused", count: bytes.count / Self.size))
    if kinds.count < 2 { return }
    let newer = number(144, 8) < number(Self.size + 144, 8) ? 1 : 0
    (kinds[newer], kinds[1 - newer]) = ("newer root", "older root")
    for root in 0...1 { fields.append(Field(kind: kinds[root], range: (root * Self.size)..<(root * Self.size + 152))) }
    walk("free", root: number(newer * Self.size + 40 + 40, 8))
    walk("main", root: number(newer * Self.size + 88 + 40, 8))
    for page in kinds.indices.dropFirst(2) where kinds[page] != "unused" {
      fields.append(Field(kind: "page header", range: (page * Self.size)..<(page * Self.size + 16)))
    }
  }

  /// - Parameter fields: bytes of the page that are flipped bit by bit.
  mutating func mark(_ page: Int, _ kind: String, fields range: Range<Int>) {
    kinds[page] = kind
    let start = page * Self.size
    if !range.isEmpty {
      fields.append(Field(kind: kind, range: (start + range.lowerBound)..<(start + range.upperBound)))
    }
  }

  func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
  }

  private mutating func walk(_ table: String, root: Int) {
    var waiting = root < 0 ? [] : [root]
    while let page = waiting.popLast() {
      let start = page * Self.size
      let isBranch = bytes[start + 10] & 1 == 1
      kinds[page] = table + (isBranch ? " branch" : " leaf")
      for index in 0..<((number(start + 12, 2) - 16) / 2) {
        let node = start + number(start + 16 + 2 * index, 2)
        if isBranch {
          waiting.append(number(node, 6))
          continue
        }
        let (size, flags, key) = (number(node, 4), number(node + 4, 2), number(node + 6, 2))
        let value = node + 8 + key
        if flags == 1 {
          for long in number(value, 8)...(number(value, 8) + (15 + size) / Self.size) { kinds[long] = table + " long" }
        } else if flags == 2 {
          fields.append(Field(kind: "table record", range: node..<(value + size)))
          walk(String(decoding: bytes[(node + 8)..<value], as: UTF8.self), root: number(value + 40, 8))
        }
      }
    }
  }
}
