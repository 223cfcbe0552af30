// Frames of a Moyoung band as its firmware encodes and decodes them: two framings, no checksum, no sequence. Includes
// the division into pieces, but not the meaning of commands.

/// Commands that the band knows, by their numbers on the wire.
public enum MoyoungCommand: UInt8, Sendable, Hashable, CaseIterable {
  case setUserInformation = 18
  case setGoal = 22
  case setTimeSystem = 23
  case setUnits = 26
  case setRateInterval = 31
  case askGoal = 38
  case askTimeSystem = 39
  case askUnits = 42
  case askVersion = 46
  case askRateInterval = 47
  case setTime = 49
  case askSleep = 50
  case askPastDay = 51
  case trainingRates = 52
  case askFiveMinuteRates = 53
  case askMinuteRates = 54
  case askTrainings = 55
  case continuousRate = 104
  /// An optical estimate, which a hub must not store.
  case measurePressure = 105
  case measureOxygen = 107
  case measureRate = 109
  /// Queries of later firmware: never answered.
  case extendedQuery = 0xB9
}

/// Framing of a band, for both directions.
///
///     byte  `fixed20`  `negotiated`
///     0–1   FE EA      FE EA
///     2     10         20 + (length >> 8)
///     3     length     length & FF
///     4     command    command
///     5…    payload    payload
///
/// The length counts from the first FE on.
public enum MoyoungFraming: String, Sendable, Hashable, CaseIterable {
  /// Manufacturer name `MOYOUNG`: pieces of 20 bytes, with any MTU.
  case fixed20
  /// Manufacturer name `MOYOUNG-V2`: pieces of the negotiated MTU less 3.
  case negotiated

  /// Value of Manufacturer Name String (2A29).
  public var manufacturer: String { self == .fixed20 ? "MOYOUNG" : "MOYOUNG-V2" }
  /// Longest frame: the length has one byte, or 12 bits.
  public var longest: Int { self == .fixed20 ? 0xFF : 0xFFF }

  /// A frame; nil if the payload is too long.
  public func frame(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8]? {
    let length = 5 + payload.count
    guard length <= longest else { return nil }
    let kind = self == .fixed20 ? UInt8(0x10) : 0x20 + UInt8(length >> 8)
    return [0xFE, 0xEA, kind, UInt8(length & 0xFF), command] + payload
  }

  /// The frame divided into pieces.
  public func pieces(of frame: [UInt8], mtu: Int) -> [[UInt8]] {
    let size = self == .fixed20 ? 20 : max(mtu - 3, 20)
    return stride(from: 0, to: frame.count, by: size).map { Array(frame[$0..<min($0 + size, frame.count)]) }
  }

  /// Length announced by the header of a frame; nil: no header of this framing. Needs at least 4 bytes.
  func announced(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4, bytes[0] == 0xFE, bytes[1] == 0xEA else { return nil }
    let length: Int
    switch self {
    case .fixed20:
      guard bytes[2] == 0x10 else { return nil }
      length = Int(bytes[3])
    case .negotiated:
      guard (0x20...0x2F).contains(bytes[2]) else { return nil }
      length = Int(bytes[2] & 0x0F) << 8 | Int(bytes[3])
    }
    return length >= 5 ? length : nil
  }
}

/// Result of a write to the command characteristic.
enum MoyoungIntake: Equatable {
  case frame(command: UInt8, payload: [UInt8])
  case incomplete
  /// Bytes that are neither a beginning nor a continuation.
  case nonsense
}

/// Assembly of the hub's writes. A write that begins like a frame always begins a new one.
struct MoyoungAssembly {
  let framing: MoyoungFraming
  private var held: [UInt8] = []
  /// Frames that were never completed, because another one began.
  private(set) var abandoned = 0

  init(_ framing: MoyoungFraming) { self.framing = framing }

  mutating func take(_ piece: [UInt8]) -> MoyoungIntake {
    if piece.prefix(2) == [0xFE, 0xEA] {
      if !held.isEmpty { abandoned += 1 }
      held = piece
    } else {
      if held.isEmpty { return .nonsense }
      held += piece
    }
    if held.count < 4 { return .incomplete }
    guard let length = framing.announced(held) else {
      held = []
      return .nonsense
    }
    if held.count < length { return .incomplete }
    let whole = held
    held = []
    return whole.count == length ? .frame(command: whole[4], payload: Array(whole[5...])) : .nonsense
  }

  mutating func forget() { held = [] }
}
