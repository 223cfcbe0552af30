// Number of the newest file, and path of a file. The announced number is reliable, the announced path is not.

public import Bluetooth
public import Wearable

extension Botz {
  /// Number of an activity file, 1 to 255. The path is derived from it, since the announced path has a wrong suffix
  /// after a restart.
  public struct FileNumber: Sendable, Hashable, Comparable {
    /// Number, 1 to 255.
    public let value: UInt8

    /// nil for 0, which means "no file".
    public init?(_ value: some BinaryInteger) {
      guard let value = UInt8(exactly: value), value > 0 else { return nil }
      self.value = value
    }

    /// Numbers, ascending.
    public static let all: [FileNumber] = (1...255).compactMap { FileNumber($0) }
    /// Folder of the files.
    public static let folder = "/lfs1/hardware/"

    /// `activity_007.dat`.
    public var name: String {
      let digits = String(value)
      return "activity_" + String(repeating: "0", count: 3 - digits.utf8.count) + digits + ".dat"
    }

    /// `/lfs1/hardware/activity_007.dat`.
    public var path: String { Self.folder + name }

    /// Number of a name or path with exactly three digits and either suffix.
    public init?(name: String) {
      let last = name.utf8.lastIndex(of: 0x2F).map { String(name[name.index(after: $0)...]) } ?? name
      guard last.hasPrefix("activity_"), last.hasSuffix(".dat") || last.hasSuffix(".pb") else { return nil }
      let digits = last.dropFirst(9).prefix { $0 != "." }
      guard digits.utf8.count == 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits),
        let number = FileNumber(value)
      else {
        return nil
      }
      self = number
    }

    public static func < (a: FileNumber, b: FileNumber) -> Bool { a.value < b.value }
  }

  /// Information `..ec2`, one byte: number of the newest file, 0 without files. Correct right after a start and a stop,
  /// outdated after an erase.
  public struct NewestFile: Sendable, Hashable {
    /// The number; nil: no file.
    public let number: FileNumber?

    /// An announcement; nil: no file.
    public init(number: FileNumber?) { self.number = number }

    /// - Throws: `empty`: the value after a session if its file could not be opened.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard let value = bytes.first else { throw .empty }
      number = FileNumber(value)
    }

    public func encode() -> [UInt8] { [number?.value ?? 0] }
  }

}
