// State of a wearable that hub and drivers keep across links and restarts; each kind encodes and decodes itself.

/// Kind of stored state of a wearable: named fields, and a version.
///
/// A record is written whole. A new field that must not be lost requires a higher `version`. A program that only knows
/// an earlier version then treats the record as missing and leaves it, until it stores this kind itself.
public protocol RememberedState: Sendable {
  /// 1 to 32 of `a`–`z`, `0`–`9` and `-`; unique within its owner (the hub, or the drivers).
  static var name: String { get }
  /// Version, from 1.
  static var version: UInt16 { get }
  /// Whether the state is the default, so that it can be deleted instead of stored.
  var isEmpty: Bool { get }
  /// Writes the fields; tags start at 1.
  func write(to fields: inout FieldWriter)
  /// nil for an invalid record. Fields with unknown tags are skipped.
  ///
  /// - Parameter version: version of the record, at most `Self.version`.
  init?(_ fields: inout FieldReader, version: UInt16)
}

extension RememberedState {
  /// The first version of the fields.
  public static var version: UInt16 { 1 }
  /// False: the state has content.
  public var isEmpty: Bool { false }
}

/// State without fields: only its presence matters.
public protocol RememberedFlag: RememberedState {
  init()
}

extension RememberedFlag {
  /// Encodes the flag.
  public func write(to fields: inout FieldWriter) { fields.put(1, flag: true) }

  /// Decodes a flag; nil: it is not set.
  public init?(_ fields: inout FieldReader, version: UInt16) {
    var isSo: Bool?
    while let tag = fields.next() { if tag == 1 { fields.read(&isSo) } }
    guard isSo == true else { return nil }
    self.init()
  }
}
