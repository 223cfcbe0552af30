// The script in which a watch keeps keys and values: what is done with them, in order.
// The hub has no use for it: kept for the vectors, which hold it to the vendor's reading.

import Bluetooth
import Wearable

@testable import PolarFamily

extension Polar {
  /// `/SYS/KVTX`. Commands, each beginning with its number; integers little-endian.
  ///
  ///     0 write, 1 append              key u32, length u32, bytes
  ///     2 remove                       key u32
  ///     3 copy, 4 move                 from u32, to u32
  ///     5 commit
  ///     6 write, 7 append at an index  key u32, length u8, index, length u32, bytes
  ///     8 remove at an index           key u32, length u8, index
  enum KeyValueScript {
    static let path = "/SYS/KVTX"

    private enum Command: UInt8 {
      case write = 0
      case append, remove, copy, move, commit, writeAtIndex, appendAtIndex, removeAtIndex
    }

    /// Writes one value and commits.
    static func write(_ value: [UInt8], for key: UInt32) -> [UInt8] {
      var script = [Command.write.rawValue]
      script.append(littleEndian: key)
      script.append(littleEndian: UInt32(clamping: value.count))
      return script + value + [Command.commit.rawValue]
    }

    /// Value of a key after the whole script; nil if it has no value. Values at an index are separate and do not count.
    ///
    /// - Throws: `truncated` if a command ends early, `outOfRange` for an unknown command.
    static func value(of key: UInt32, in script: RawBytes) throws(DecodeError) -> [UInt8]? {
      var values = Values()
      var reader = ByteReader(script)
      while let number = reader.u8() {
        guard let command = Command(rawValue: number) else { throw .outOfRange }
        if command == .commit { continue }
        guard let subject = reader.u32() else { throw .truncated }
        switch command {
        case .write, .append: values.add(try range(&reader), to: subject, keeping: command == .append)
        case .remove: values[subject] = nil
        case .copy, .move:
          guard let target = reader.u32() else { throw .truncated }
          let moved = values[subject]
          if command == .move { values[subject] = nil }
          values[target] = moved
        case .writeAtIndex, .appendAtIndex:
          try skipIndex(&reader)
          _ = try range(&reader)
        case .removeAtIndex: try skipIndex(&reader)
        case .commit: break
        }
      }
      return values.bytes(of: key, script)
    }

    /// A length and so many bytes, as their place in the script.
    private static func range(_ reader: inout ByteReader) throws(DecodeError) -> Range<Int> {
      guard let count = reader.u32() else { throw .truncated }
      let start = reader.offset
      guard reader.skip(Int(count)) else { throw .truncated }
      return start..<reader.offset
    }

    private static func skipIndex(_ reader: inout ByteReader) throws(DecodeError) {
      guard let count = reader.u8(), reader.skip(Int(count)) else { throw .truncated }
    }

    /// Values as chains of places in the script, so that copying a value of any length is free.
    private struct Values {
      private var pieces: [(range: Range<Int>, before: Int?)] = []
      private var last: [UInt32: Int] = [:]

      subscript(key: UInt32) -> Int? {
        get { last[key] }
        set { last[key] = newValue }
      }

      mutating func add(_ range: Range<Int>, to key: UInt32, keeping: Bool) {
        pieces.append((range, keeping ? last[key] : nil))
        last[key] = pieces.count - 1
      }

      func bytes(of key: UInt32, _ script: RawBytes) -> [UInt8]? {
        guard var piece = last[key] else { return nil }
        var ranges = [pieces[piece].range]
        while let before = pieces[piece].before {
          ranges.append(pieces[before].range)
          piece = before
        }
        return ranges.reversed().flatMap { script[$0] }
      }
    }
  }
}
