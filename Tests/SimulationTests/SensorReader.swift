// A reader of what health sensors send, from the dossier's layouts, for tests alone: the twins are held against it.

import Bluetooth
import StrapTwin

/// Reads one value; nil if it ends too early. Special numbers are left out. Bytes after the end are ignored.
struct SensorReader {
  private var rest: ArraySlice<UInt8>
  private(set) var numbers: [(Quantity, Double)] = []
  private(set) var shown: [UInt8]?

  private struct TooShort: Error {}

  static func read(_ characteristic: BluetoothUUID, _ value: [UInt8]) -> SensorReader? {
    var reader = SensorReader(rest: value[...])
    do {
      switch characteristic {
      case .temperatureMeasurement, .intermediateTemperature: try reader.temperature()
      case .bloodPressureMeasurement, .intermediateCuffPressure:
        try reader.pressure(isIntermediate: characteristic == .intermediateCuffPressure)
      case .runningMeasurement: try reader.running()
      case .cyclingMeasurement: try reader.cycling()
      case .weightMeasurement: try reader.weight()
      case .bodyCompositionMeasurement: try reader.composition()
      case .spotCheckMeasurement: try reader.spotCheck()
      case .continuousMeasurement: try reader.continuous()
      default: return nil
      }
      return reader
    } catch { return nil }
  }

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  // MARK: Bytes

  private mutating func unsigned(_ size: Int) throws -> Int {
    guard rest.count >= size else { throw TooShort() }
    defer { rest = rest.dropFirst(size) }
    return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func skip(_ size: Int) throws { _ = try unsigned(size) }

  private mutating func time() throws {
    guard rest.count >= 7 else { throw TooShort() }
    shown = Array(rest.prefix(7))
    rest = rest.dropFirst(7)
  }

  private func power(_ mantissa: Int, _ exponent: Int) -> Double {
    var value = Double(mantissa)
    for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 10 : value * 10 }
    return value
  }

  private mutating func sfloat() throws -> Double? {
    let raw = try unsigned(2)
    if (0x7FE...0x802).contains(raw) { return nil }
    let mantissa = raw & 0x800 == 0 ? raw & 0xFFF : (raw & 0xFFF) - 0x1000
    return power(mantissa, raw >> 12 > 7 ? raw >> 12 - 16 : raw >> 12)
  }

  private mutating func float() throws -> Double? {
    let raw = try unsigned(4)
    if (0x7F_FFFE...0x80_0002).contains(raw) { return nil }
    let mantissa = raw & 0x80_0000 == 0 ? raw & 0xFF_FFFF : (raw & 0xFF_FFFF) - 0x100_0000
    return power(mantissa, Int(Int8(truncatingIfNeeded: raw >> 24)))
  }

  private mutating func add(_ quantity: Quantity, _ value: Double?) {
    if let value { numbers.append((quantity, value)) }
  }

  // MARK: Values

  private mutating func temperature() throws {
    let flags = try unsigned(1)
    let value = try float()
    add(.temperature, flags & 1 == 0 ? value : value.map { ($0 - 32) / 1.8 })
    if flags & 2 != 0 { try time() }
    if flags & 4 != 0 { try skip(1) }
  }

  private mutating func pressure(isIntermediate: Bool) throws {
    let flags = try unsigned(1)
    let factor = flags & 1 == 0 ? 1 : 1000 / 133.322387415
    let kinds: [Quantity] = isIntermediate ? [.cuffPressure] : [.systolic, .diastolic, .meanPressure]
    for kind in kinds { add(kind, try sfloat().map { $0 * factor }) }
    if isIntermediate { try skip(4) }
    if flags & 2 != 0 { try time() }
    if flags & 4 != 0 { add(.pulseRate, try sfloat()) }
    if flags & 8 != 0 { try skip(1) }
    if flags & 16 != 0 { try skip(2) }
  }

  private mutating func running() throws {
    let flags = try unsigned(1)
    add(.speed, Double(try unsigned(2)) / 256)
    add(.cadence, Double(try unsigned(1)))
    if flags & 1 != 0 { add(.strideLength, Double(try unsigned(2)) / 100) }
    if flags & 2 != 0 { add(.distance, Double(try unsigned(4)) / 10) }
  }

  private mutating func cycling() throws {
    let flags = try unsigned(1)
    if flags & 1 != 0 {
      add(.wheelRevolutions, Double(try unsigned(4)))
      add(.wheelEvent, Double(try unsigned(2)))
    }
    if flags & 2 != 0 {
      add(.crankRevolutions, Double(try unsigned(2)))
      add(.crankEvent, Double(try unsigned(2)))
    }
  }

  private mutating func weight() throws {
    let flags = try unsigned(1)
    let raw = try unsigned(2)
    let hasFailed = raw == 0xFFFF
    add(.weight, hasFailed ? nil : Double(raw) * (flags & 1 == 0 ? 0.005 : 0.0045359237))
    if flags & 2 != 0 { try time() }
    if flags & 4 != 0 { try skip(1) }
    guard flags & 8 != 0 else { return }
    let (index, height) = (Double(try unsigned(2)) / 10, Double(try unsigned(2)))
    if hasFailed { return }
    add(.bodyMassIndex, index)
    add(.height, height * (flags & 1 == 0 ? 0.001 : 0.00254))
  }

  private mutating func composition() throws {
    let flags = try unsigned(2)
    let fat = try unsigned(2)
    let mass = flags & 1 == 0 ? 0.005 : 0.0045359237
    if fat != 0xFFFF { add(.bodyFat, Double(fat) / 10) }
    if flags & 2 != 0 { try time() }
    if flags & 4 != 0 { try skip(1) }
    let fields: [(Int, Quantity, Double)] = [
      (3, .basalMetabolism, 1), (4, .musclePercentage, 0.1), (5, .muscleMass, mass), (6, .fatFreeMass, mass),
      (7, .softLeanMass, mass), (8, .bodyWaterMass, mass), (9, .impedance, 0.1), (10, .weight, mass),
      (11, .height, flags & 1 == 0 ? 0.001 : 0.00254),
    ]
    for (bit, quantity, factor) in fields where flags & 1 << bit != 0 {
      add(quantity, Double(try unsigned(2)) * factor)
    }
  }

  private mutating func spotCheck() throws {
    let flags = try unsigned(1)
    add(.oxygenSaturation, try sfloat())
    add(.pulseRate, try sfloat())
    let hasNumbers = !numbers.isEmpty
    if flags & 1 != 0 { try time() }
    if flags & 2 != 0 { try skip(2) }
    if flags & 4 != 0 { try skip(3) }
    guard flags & 8 != 0 else { return }
    let amplitude = try sfloat()
    if hasNumbers { add(.pulseAmplitude, amplitude) }
  }

  private mutating func continuous() throws {
    let flags = try unsigned(1)
    add(.oxygenSaturation, try sfloat())
    add(.pulseRate, try sfloat())
    for (bit, size) in [(0, 4), (1, 4), (2, 2), (3, 3), (4, 2)] where flags & 1 << bit != 0 { try skip(size) }
  }
}
