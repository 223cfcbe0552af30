// Frames of a Moyoung band as the band's own firmware builds and reads them: two framings, no checksum, no sequence.
// Cutting into pieces is here too; what a command means is not.

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
  /// An optical estimate: numbers that no hub may keep.
  case measurePressure = 105
  case measureOxygen = 107
  case measureRate = 109
  /// Queries of later firmware: never answered.
  case extendedQuery = 0xB9
}

/// How a band frames what it sends and what it takes.
///
/// | Byte | `fixed20` | `negotiated` |
/// |---|---|---|
/// | 0–1 | FE EA | FE EA |
/// | 2 | 10 | 20 + (length >> 8) |
/// | 3 | length | length & FF |
/// | 4 | command | command |
/// | 5… | payload | payload |
///
/// The length counts from the first FE on.
public enum MoyoungFraming: String, Sendable, Hashable, CaseIterable {
  /// Manufacturer name `MOYOUNG`: pieces of 20 bytes, whatever MTU was agreed on.
  case fixed20
  /// Manufacturer name `MOYOUNG-V2`: pieces of the agreed MTU less 3.
  case negotiated

  /// What the band says in Manufacturer Name String (2A29).
  public var manufacturer: String { self == .fixed20 ? "MOYOUNG" : "MOYOUNG-V2" }
  /// One byte holds the length; or 12 bits.
  public var longest: Int { self == .fixed20 ? 0xFF : 0xFFF }

  /// A frame; nil if the payload has no room in one.
  public func frame(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8]? {
    let length = 5 + payload.count
    guard length <= longest else { return nil }
    let kind = self == .fixed20 ? UInt8(0x10) : 0x20 + UInt8(length >> 8)
    return [0xFE, 0xEA, kind, UInt8(length & 0xFF), command] + payload
  }

  /// The frame in the pieces in which it goes over the air.
  public func pieces(of frame: [UInt8], mtu: Int) -> [[UInt8]] {
    let size = self == .fixed20 ? 20 : max(mtu - 3, 20)
    return stride(from: 0, to: frame.count, by: size).map { Array(frame[$0..<min($0 + size, frame.count)]) }
  }

  /// The length that a frame of this framing announces; nil: these bytes do not begin one. At least 4 bytes are needed.
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

/// What became of one write to the command characteristic.
enum MoyoungIntake: Equatable {
  case frame(command: UInt8, payload: [UInt8])
  case incomplete
  /// Neither a beginning nor a continuation.
  case nonsense
}

/// Puts the hub's writes together. A write that begins like a frame begins one, whatever was there before.
struct MoyoungAssembly {
  let framing: MoyoungFraming
  private var held: [UInt8] = []
  /// Frames that were begun and never ended, as another one began.
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
