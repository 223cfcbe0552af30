// Enrolled wearables: the registry's records as values.

public import EventLoop
public import Reasons
public import StateCodec

/// Facts that a wearable states about itself (`manufacturer`, `model`, `serial`, `firmware`, `hardware`, `software`,
/// `body_location`), in the order of their first arrival. Bounded, because the text comes from the air: further facts
/// are dropped and longer texts are cut.
public struct WearableFacts: Hashable, Sendable {
  /// Maximum number of facts of a wearable.
  public static let countLimit = 16
  /// Bytes of UTF-8.
  public static let nameLimit = 32
  /// Bytes of UTF-8; an attribute value has at most 512, and 255 suffice to distinguish devices.
  public static let valueLimit = 255

  /// Facts in order.
  public private(set) var entries: [Entry] = []

  /// A fact.
  public struct Entry: Hashable, Sendable {
    /// Name of the fact.
    public let name: String
    /// Text of the fact.
    public let value: String
  }

  /// Creates a record without facts.
  public init() {}

  /// Setting nil removes the fact.
  public subscript(name: String) -> String? {
    get { entries.first { $0.name == name }?.value }
    set {
      let index = entries.firstIndex { $0.name == name }
      guard let newValue else {
        if let index { entries.remove(at: index) }
        return
      }
      let entry = Entry(name: name, value: newValue.cut(toUTF8: Self.valueLimit))
      if let index {
        entries[index] = entry
      } else if entries.count < Self.countLimit, !name.isEmpty, name.utf8.count <= Self.nameLimit {
        entries.append(entry)
      }
    }
  }
}

/// An enrolled wearable.
public struct WearableRecord: Sendable, Hashable {
  public let id: WearableID
  /// The device address in the low 48 bits, most significant byte first as printed.
  public let addressValue: UInt64
  /// Address type, as the module Bluetooth numbers it.
  public let addressKind: UInt8
  /// Name for people; unique among the enrolled, whatever the case of its letters.
  public var name: String
  /// Identity of the driver that recognised the wearable.
  public var driver: String
  /// Kind for people, for example `HR strap`.
  public var kind: String
  /// Time of the enrolment.
  public let enrolledAt: WallTime
  /// Time when the wearable was forgotten; nil while enrolled. A retired record only gives old samples their name.
  public internal(set) var retiredAt: WallTime?
  /// Facts that the wearable states about itself, such as model and firmware.
  public var facts: WearableFacts
  /// Percent, 0 to 100; nil if unknown. Other values are dropped.
  public var battery: Int?
  /// The driver's copy of the GATT database, so that a reconnection needs no discovery. At most `gattCacheLimit`
  /// bytes; a larger one is dropped.
  public var gattCache: [UInt8]?
  /// States that the hub remembers of the wearable.
  public var hubState = RememberedStates()
  /// States that the driver remembers; preserved when the wearable moves to another driver.
  public var driverState = RememberedStates()
  /// Notes that hub and drivers stored as text until format 3, by name, and have not taken over yet. The list never
  /// grows: at most `noteLimit`.
  public var notes: [String: String] = [:]
  /// Key for what the wearable encrypts; deleted with the enrolment.
  public var secret: WearableSecret?
  /// The sealed secret as stored.
  var sealedSecret: [UInt8]?
  /// Whether a sealed secret of this wearable does not open: it must not be overwritten, here or on the wearable.
  public internal(set) var lacksSecrets = false
  /// Fields of a newer version of the program, preserved unchanged.
  var unknownFields: [UInt8] = []

  /// 512 attributes of 32 bytes.
  public static let gattCacheLimit = 16_384
  /// Maximum number of notes of one wearable in stores before format 4.
  public static let noteLimit = 24
  /// Longest name in bytes.
  public static let nameLimit = 32
  /// Bytes of UTF-8 of `driver` and of `kind`.
  public static let labelLimit = 64

  /// A record; `battery` in percent, nil: unknown.
  public init(
    id: WearableID, addressValue: UInt64, addressKind: UInt8, name: String, driver: String, kind: String,
    enrolledAt: WallTime,
    facts: WearableFacts = WearableFacts(), battery: Int? = nil, gattCache: [UInt8]? = nil
  ) {
    self.id = id
    self.addressValue = addressValue & 0xFFFF_FFFF_FFFF
    self.addressKind = addressKind
    self.name = name
    self.driver = driver
    self.kind = kind
    self.enrolledAt = enrolledAt
    self.facts = facts
    self.battery = battery
    self.gattCache = gattCache
  }

  /// `F0:F1:F2:F3:F4:00`
  public var addressText: String { Self.addressText(addressValue) }

  static func addressText(_ value: UInt64) -> String {
    hexadecimal(withUnsafeBytes(of: value.bigEndian) { Array($0.suffix(6)) }, separator: ":")
  }

  /// 1 to 32 letters, digits, `-`, `_` and `.` of ASCII: names are typed in a shell and printed in tables.
  ///
  /// - Throws: `enrolNameInvalid` for any other text.
  public static func validate(name: String) throws(HearthError) {
    let fits =
      (1...nameLimit).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
    if !fits {
      throw HearthError(
        .enrolNameInvalid, "'\(name.cut(toUTF8: 64).printable)' is not 1 to 32 letters, digits, '-', '_' or '.'")
    }
  }

  mutating func openSecret(_ vault: SecretsVault?) {
    guard let sealedSecret else { return }
    secret = vault?.open(sealedSecret, at: WearableCodec.place(id)).flatMap { WearableSecret($0) }
    if secret == nil { lacksSecrets = true }
  }

  /// The record with the limits above applied, so that the caller sees exactly what is stored.
  func bounded() -> WearableRecord {
    var record = self
    record.driver = driver.cut(toUTF8: Self.labelLimit)
    record.kind = kind.cut(toUTF8: Self.labelLimit)
    if let battery, !(0...100).contains(battery) { record.battery = nil }
    if let gattCache, gattCache.count > Self.gattCacheLimit { record.gattCache = nil }
    return record
  }
}

extension String {
  /// Control characters replaced, so that hostile text cannot drive a terminal.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : $0 }))
  }
}
