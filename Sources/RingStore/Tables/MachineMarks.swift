// The machine of a store. A copy on another machine is another store, for servers that hold rows of many.

internal import EventLoop

/// Identifies a machine by up to three marks, each as 64 bits of FNV-1a; 0 if unknown.
///
/// The value of the key `machine` of `meta`: layout (u8): 1, then three marks (u64 each).
public struct MachineMarks: Sendable, Hashable {
  static let count = 3
  private static let layout: UInt8 = 1
  private static let key = Array("machine".utf8)

  let marks: [UInt64]

  /// - Parameters:
  ///   - machine: the identity that the system states.
  ///   - processor: its serial number.
  ///   - radio: the address of its adapter itself.
  public init(machine: String?, processor: String?, radio: String?) {
    marks = [machine, processor, radio].map { $0.map(Self.mark) ?? 0 }
  }

  private init(marks: [UInt64]) { self.marks = marks }

  private static func mark(_ text: String) -> UInt64 {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return hash == 0 ? 1 : hash
  }

  /// Whether fewer than two marks differ. A replaced adapter or a reinstalled system is not another machine.
  func isSame(as other: MachineMarks) -> Bool {
    zip(marks, other.marks).count { $0 != 0 && $1 != 0 && $0 != $1 } < 2
  }

  /// The marks to store for the same machine, for which `other` is stored. These are taken if two others agree;
  /// otherwise the stored ones remain, because the one that differs may be the first of two.
  func following(_ other: MachineMarks) -> MachineMarks {
    let isSure = zip(marks, other.marks).count { $0 != 0 && $0 == $1 } >= 2
    return MachineMarks(marks: zip(marks, other.marks).map { $0 == 0 || $1 != 0 && !isSure ? $1 : $0 })
  }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> MachineMarks? {
    guard let bytes = try transaction.get(transaction.tables.meta, key), bytes.count == 1 + 8 * count,
      bytes[0] == layout
    else { return nil }
    var reader = StoredReader(bytes)
    _ = reader.integer(UInt8.self)
    let marks = (0..<count).compactMap { _ in reader.integer(UInt64.self) }
    return marks.count == count ? MachineMarks(marks: marks) : nil
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes = [Self.layout]
    for mark in marks { bytes.append(littleEndian: mark) }
    try transaction.put(transaction.tables.meta, Self.key, bytes)
  }
}
