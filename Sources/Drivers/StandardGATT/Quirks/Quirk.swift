// Models with values that differ from the service of their characteristic: signs, effect and source. As data: another
// model takes one more row.

import Bluetooth
import GATTServices
import Wearable

/// A model and its deviation.
struct Quirk: Sendable {
  /// The name in messages.
  let model: String
  /// Any one of them is sufficient.
  let signs: [Sign]
  let effect: Effect
  /// Origin of the description or recording.
  let source: String

  /// A sign by which a model is recognised.
  enum Sign: Sendable, Hashable {
    /// The advertised name or the Model Number String, reduced to capital letters and digits; no further digit may
    /// follow.
    case name(String)
    /// A characteristic of the vendor in a service of the SIG.
    case characteristic(BluetoothUUID, in: BluetoothUUID)
  }

  enum Effect: Sendable, Hashable {
    /// Sends Weight Measurements while a person steps on and off, with bits of its own for that (`MiWeightFlags`).
    case streamedWeight
    /// Body Composition Measurement in a layout of its own (`MiComposition`).
    case streamedComposition
    /// Blood Pressure Measurement with pulse and status high byte first, and a user that no flag announces.
    case swappedBytes
    /// Date Time must be written over each link, even if the clock is right; otherwise it ends the link.
    case wantsTime
  }

  /// Xiaomi's characteristic for weighings that were not fetched.
  private static let miHistory = BluetoothUUID(high: 0x0000_2A2F_0000_3512, low: 0x2118_0009_AF10_0700)

  static let all = [
    Quirk(
      model: "Xiaomi Mi Scale",
      signs: [
        .name("MISCALE"), .name("MISCALE2"), .name("XMTZC01HM"), .name("XMTZC04HM"),
        .characteristic(miHistory, in: Scale.weightService),
      ],
      effect: .streamedWeight, source: "openScale's notes on the Mi Scale; pohy/mi-scale-2"),
    Quirk(
      model: "Xiaomi Mi Body Composition Scale",
      signs: [
        .name("MIBCS"), .name("MIBFS"), .name("XMTZC02HM"), .name("XMTZC05HM"),
        .characteristic(miHistory, in: Scale.compositionService),
      ],
      effect: .streamedComposition, source: "openScale's notes on the Mi Scale 2; cezaris13/MiCompositionScale2"),
    Quirk(
      model: "Beurer BM85", signs: [.name("BM85")], effect: .swappedBytes,
      source: "derdilla/blood-pressure-monitor-fl, pull requests 735 and 737: recorded from the cuff"),
    // The names continue with a serial number, which may begin with a digit.
    Quirk(
      model: "A&D UA-651BLE", signs: [.name("UA651")], effect: .wantsTime,
      source: "obniz/obniz, src/parts/Ble/UA651BLE: writes 2A08 over each link before it subscribes to 2A35"),
    Quirk(
      model: "A&D UT-201BLE", signs: [.name("UT201")], effect: .wantsTime,
      source: "obniz/obniz, src/parts/Ble/UT201BLE: writes 2A08 over each link before it subscribes to 2A1C"),
  ]
}

/// The quirk of one link's wearable, as far as its model is known.
struct QuirkWatch {
  /// Quirks that this decoder handles.
  private let rows: [Quirk]
  private(set) var effect: Quirk.Effect?

  init(_ effects: Quirk.Effect...) { rows = Quirk.all.filter { effects.contains($0.effect) } }

  mutating func begin(_ database: GATTDatabase, _ known: KnownWearable) {
    effect = nil
    for row in rows {
      for case .characteristic(let uuid, let service) in row.signs
      where database.characteristic(uuid, in: service) != nil { effect = row.effect }
    }
    for name in [known.advertisedName, known.model].compactMap({ $0 }) { look(at: name) }
  }

  mutating func learned(_ fact: WearableFact) { if case .model(let name) = fact { look(at: name) } }

  private mutating func look(at name: String) {
    let text = name.utf8.compactMap(Self.capital)
    for row in rows {
      for case .name(let sign) in row.signs where Self.has(text, Array(sign.utf8)) { effect = row.effect }
    }
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// nil for a character that is neither a letter nor a digit.
  private static func capital(_ character: UInt8) -> UInt8? {
    switch character {
    case digits, UInt8(ascii: "A")...UInt8(ascii: "Z"): character
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 32
    default: nil
    }
  }

  /// Whether the name contains the sign, without a further digit after it, which would be another model.
  private static func has(_ name: [UInt8], _ sign: [UInt8]) -> Bool {
    guard sign.count <= name.count else { return false }
    for start in 0...(name.count - sign.count) where name[start...].starts(with: sign) {
      let end = start + sign.count
      if end == name.count || !digits.contains(name[end]) { return true }
    }
    return false
  }
}
