// Measurements that each model offers, with their settings.

import Bluetooth

/// Offer for one kind: values of each setting by its number.
struct PolarOffer {
  var rates: [UInt16] = []
  var bits: UInt16 = 0
  var ranges: [UInt16] = []
  var channels: UInt8 = 0
  /// Factor of the values; nil: one, and not reported.
  var factor: Float?

  var settings: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ type: UInt8, _ values: [UInt16]) {
      if values.isEmpty { return }
      bytes += [type, UInt8(values.count)]
      for value in values { bytes.append(littleEndian: value) }
    }
    append(0, rates)
    if bits != 0 { append(1, [bits]) }
    append(2, ranges)
    if channels != 0 { bytes += [4, 1, channels] }
    return bytes
  }
}

/// Chosen settings.
struct PolarChoice {
  var rate: UInt16?
  var bits: UInt16?
  var range: UInt16?
  var channels: UInt8?
  /// 0 none, 1 XOR, 2 AES-128, 3 AES-256.
  var strategy: UInt8 = 0
  var key: [UInt8] = []

  /// nil if the bytes are no list of settings.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let type = rest.popFirst() {
      guard let count = rest.popFirst(), count == 1 else { return nil }
      switch type {
      case 0, 1, 2:
        guard rest.count >= 2, let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
        let value = UInt16(low) | UInt16(high) << 8
        if type == 0 { rate = value } else if type == 1 { bits = value } else { range = value }
      case 4:
        guard let value = rest.popFirst() else { return nil }
        channels = value
      case 6:
        guard let value = rest.popFirst() else { return nil }
        strategy = value
        // The strategy determines the key length; for XOR the key is the rest.
        let size = [0: 0, 1: rest.count, 2: 16, 3: 32][value] ?? 0
        guard rest.count >= size else { return nil }
        key = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
      default: return nil
      }
    }
  }
}

extension VirtualPolar {
  /// Offer of this model; nil if it does not measure the kind.
  func offer(_ kind: PolarKind, isRecording: Bool, inSDKMode: Bool) -> PolarOffer? {
    switch (traits.model, kind) {
    case (.h10, .ecg): isRecording ? nil : PolarOffer(rates: [130], bits: 14)
    case (.h10, .acc): isRecording ? nil : PolarOffer(rates: [25, 50, 100, 200], bits: 16, ranges: [2, 4, 8])
    case (.h10, _): nil
    case (.oh1, .acc): isRecording ? nil : PolarOffer(rates: [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    // 130 Hz is the reported rate, not the true one.
    case (.oh1, .ppg): isRecording ? nil : PolarOffer(rates: [130], bits: 22, channels: 4)
    case (.oh1, .ppi): isRecording ? nil : PolarOffer()
    case (.veritySense, .acc):
      PolarOffer(
        rates: inSDKMode ? isRecording ? [13, 26, 52] : [26, 52, 104, 208, 416] : [52], bits: 16,
        ranges: inSDKMode ? [2, 4, 8, 16] : [8], channels: 3, factor: 1)
    case (.veritySense, .gyro): PolarOffer(rates: [52], bits: 16, ranges: [2000], channels: 3, factor: 0.061)
    case (.veritySense, .magnetometer):
      PolarOffer(
        rates: isRecording ? [10, 20, 50] : [10, 20, 50, 100], bits: 16, ranges: [50], channels: 3, factor: 0.0015)
    // 135 Hz is what older firmware reports, not the true rate.
    case (.veritySense, .ppg):
      PolarOffer(rates: [traits.firmware.isOlder(than: "2.1.0") && !inSDKMode ? 135 : 55], bits: 22, channels: 4)
    case (.band360, .acc):
      PolarOffer(rates: isRecording ? [1, 10, 50] : [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    case (.band360, .ppg): PolarOffer(rates: [22], bits: 24, channels: 4)
    case (.band360, .skinTemperature): PolarOffer(rates: [1, 2, 4], bits: 32, channels: 1)
    case (.veritySense, .ppi), (.band360, .ppi): inSDKMode ? nil : PolarOffer()
    case (.veritySense, .heartRate), (.band360, .heartRate): isRecording && !inSDKMode ? PolarOffer() : nil
    case (.watch, .acc): isRecording ? nil : PolarOffer(rates: [50], bits: 16, ranges: [8], channels: 3, factor: 1)
    case (.watch, .ppi): isRecording ? nil : PolarOffer()
    default: nil
    }
  }

  /// True rate of a kind, whatever is reported.
  func trueRate(_ kind: PolarKind, _ said: UInt16) -> Int {
    switch kind {
    case .ppg where traits.model == .veritySense && said == 135: 55
    case .ppg where traits.model == .oh1: 135
    // The clock of its light sensor drifts away from the wearable's own.
    case .ppg where traits.model == .band360 && traits.firmware == "2.0.8": 23
    case .heartRate: 1
    case .ppi: 0
    default: Int(said)
    }
  }
}

extension String {
  /// Compares the numbers between dots.
  func isOlder(than other: String) -> Bool {
    let (own, others) = (
      split(separator: ".").compactMap { Int($0) }, other.split(separator: ".").compactMap { Int($0) }
    )
    return own.lexicographicallyPrecedes(others)
  }
}
