// Data of one hub in a minute: the rows of its straps, as the daemon would give them.

import Bluetooth
import EventLoop
import UplinkMessages

/// A hub with all wearables worn: one heart rate a second of each, and the intervals between its beats.
///
/// Values walk like those of a person in training, so that differences are as short as real ones and no shorter. Heart
/// rate in 1/min, whole; intervals in ms, in steps of 1/1024 s as straps send them.
struct PlayedHub {
  let name: String
  let store: UInt64
  private var straps: [Strap]
  /// The same hub sends the same data in every run.
  private var random: SplitMix64
  /// µs since 1970
  private var now: Int64
  private var places = RingPlaces()

  private struct Strap {
    var name: String
    var address: String
    var rate = 95.0
    /// Times when its next second and its next beat are due, µs.
    var second: Int64
    var beat: Int64
    var ratesGiven: UInt64 = 0
    var intervalsGiven: UInt64 = 0
  }

  init(number: Int, wearables: Int, from time: Int64) {
    name = "hub-\(number)"
    store = 0x4845_0000_0000_0000 | UInt64(number)
    random = SplitMix64(seed: UInt64(number) &* 7919)
    now = time
    straps = (0..<wearables).map { place in
      // Straps do not send their seconds at the same moment.
      let phase = Int64(place) * 31_000
      let address = BluetoothAddress(value: 0xA09E_1A00_0000 | UInt64(number * 256 + place), kind: .lePublic)
      return Strap(
        name: "strap-\(place + 1)", address: "\(address)", second: time + phase, beat: time + phase)
    }
  }

  /// The rows of the next span (s), in the order in which they came, as batches of at most `page` rows.
  mutating func batches(_ seconds: Int, page: Int) -> [(bytes: [UInt8], rows: Int)] {
    let rows = rows(seconds)
    var made: [(bytes: [UInt8], rows: Int)] = []
    for start in stride(from: 0, to: rows.count, by: page) {
      let part = Array(rows[start..<min(start + page, rows.count)])
      let head = BatchHead(store: store, hub: name, sent: UInt64(now / 1000))
      made.append((RowBatchWriter.bytes(places.runs(part), head), part.count))
    }
    return made
  }

  private mutating func rows(_ seconds: Int) -> [UplinkRow] {
    let end = now + Int64(seconds) * 1_000_000
    var rows: [UplinkRow] = []
    while now < end {
      now += 1_000_000
      for place in straps.indices {
        var strap = straps[place]
        tell(&strap, place, until: now, &rows)
        straps[place] = strap
      }
    }
    return rows
  }

  private mutating func tell(_ strap: inout Strap, _ place: Int, until: Int64, _ rows: inout [UplinkRow]) {
    while strap.second < until {
      strap.rate = min(185, max(55, strap.rate + Double.random(in: -1.6...1.6, using: &random)))
      // A notification comes with the link's next event: some milliseconds late or early.
      let time = (strap.second + Int64.random(in: -12...12, using: &random) * 1000) / 1000 * 1000
      rows.append(
        row(strap, place, "heart_rate", "1/min", time, ExactNumber(mantissa: Int64(strap.rate)), strap.ratesGiven))
      strap.ratesGiven += 1
      while strap.beat <= strap.second {
        let length = 60_000 / strap.rate + Double.random(in: -14...14, using: &random)
        let steps = Int64(length * 1024 / 1000)
        // n/1024 s in ms has up to seven decimal places: 125/128.
        let interval = ExactNumber(mantissa: steps * 9_765_625, scale: 7)
        rows.append(row(strap, place, "rr_interval", "ms", time, interval, strap.intervalsGiven))
        strap.intervalsGiven += 1
        strap.beat += steps * 1_000_000 / 1024
      }
      strap.second += 1_000_000
    }
  }

  private func row(
    _ strap: Strap, _ place: Int, _ series: String, _ unit: String, _ time: Int64, _ value: ExactNumber,
    _ ordinal: UInt64
  ) -> UplinkRow {
    var likeness = UplinkRow.Likeness()
    likeness.device = strap.name
    likeness.address = strap.address
    likeness.unit = unit
    likeness.origin = "live"
    let ring = RingName(enrolment: UInt32(place + 1), series: series, isFetched: false)
    return UplinkRow(ring: ring, ordinal: ordinal, likeness: likeness, time: time, numbers: [value])
  }
}
