// What hub and drivers remember of a wearable across links and restarts: kinds of state that write and read themselves.

/// One kind of what is remembered of a wearable: named fields, and a version.
///
/// A record is written whole. Whoever adds a field that may not be lost raises `version`: a program that knows only an
/// earlier one takes it for nothing remembered and leaves it, until it remembers something of this kind itself.
public protocol RememberedState: Sendable {
  /// 1 to 32 of `a`–`z`, `0`–`9` and `-`; one owner (the hub, the drivers) has each name once.
  static var name: String { get }
  /// From 1.
  static var version: UInt16 { get }
  /// Nothing would be lost by not keeping it; it is forgotten instead.
  var isEmpty: Bool { get }
  /// Tags from 1.
  func write(to fields: inout FieldWriter)
  /// nil for what is none. Fields of unknown tags are passed over.
  ///
  /// - Parameter version: it was written as, at most `Self.version`.
  init?(_ fields: inout FieldReader, version: UInt16)
}

extension RememberedState {
  public static var version: UInt16 { 1 }
  public var isEmpty: Bool { false }
}

/// What is so or is not remembered: its presence says it all.
public protocol RememberedFlag: RememberedState {
  init()
}

extension RememberedFlag {
  public func write(to fields: inout FieldWriter) { fields.put(1, flag: true) }

  public init?(_ fields: inout FieldReader, version: UInt16) {
    var isSo: Bool?
    while let tag = fields.next() { if tag == 1 { fields.read(&isSo) } }
    guard isSo == true else { return nil }
    self.init()
  }
}
