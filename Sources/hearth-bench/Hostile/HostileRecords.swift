// Records of a hostile oximeter or health sensor: thousands of stored ones, and long ones.

import Bluetooth
import Drivers
import EventLoop
import StandardGATTFamily
import Wearable

enum HostileRecords {
  static let all = [
    spotChecks("5,000 spot-checks, each of another quarter of a day", 5000) { place in
      let (day, hour) = (place / 4, place % 4 * 6)
      return [1, 97, 0, 70, 0] + year(day) + [UInt8(day / 28 % 12 + 1), UInt8(day % 28 + 1), UInt8(hour), 0, 0]
    },
    spotChecks("5,000 spot-checks of one quarter", 5000) { place in
      [1, 97, 0, 70, 0, 0xEA, 7, 11, 25, 1, UInt8(place / 60 % 60), UInt8(place % 60)]
    },
    spotChecks("5,000 spot-checks of 240 bytes", 5000) { place in
      [0, 97, 0, UInt8(place & 0x3F) + 40, UInt8(place >> 6 & 0x0F)] + HostileBands.many([UInt8(place >> 8)], 235)
    },
    observations("512 bundles of 1,600 observations", 512) { place in
      // Each of no type, and of five bytes.
      let inner = HostileBands.many([4, 2, 0, 0, 0], 250)
      let bundle = [0xFF, UInt8((inner.count + 3) & 0xFF), UInt8((inner.count + 3) >> 8), 0, 0, 250] + inner
      let body = HostileBands.many(bundle, 6)
      let size = body.count + 3
      return number(place) + [0xFF, UInt8(size & 0xFF), UInt8(size >> 8), 0, 0, 6] + body
    },
    observations("5,000 observations without a time", 5000) { place in
      number(place * 300) + [1, 12, 0, 1, 0, 0xB8, 0x4B, 2, 0, 0x20, 2, 97, 0, 0, 0]
    },
  ]

  private static func year(_ day: Int) -> [UInt8] { [UInt8((2000 + day / 336) & 0xFF), 7] }

  private static func number(_ place: Int) -> [UInt8] {
    [UInt8(place & 0xFF), UInt8(place >> 8 & 0xFF), UInt8(place >> 16 & 0xFF), 0]
  }

  private static func spotChecks(_ name: String, _ count: Int, _ record: @escaping @Sendable (Int) -> [UInt8])
    -> HostileCase
  {
    made("Records: \(name)", 0x1822, 0x2A5E) { (0..<count).map { [record($0)] } }
  }

  /// Returns observations in segments, each with its counter and its part of the observation.
  private static func observations(_ name: String, _ count: Int, _ record: @escaping @Sendable (Int) -> [UInt8])
    -> HostileCase
  {
    made("Records: \(name)", 0x1840, 0x2BDD) {
      (0..<count).map { place in
        let pieces = HostileBands.pieces(record(place), 240)
        return pieces.enumerated().map { at, piece in
          let ends: UInt8 = (at == 0 ? 1 : 0) | (at == pieces.count - 1 ? 2 : 0)
          return [UInt8(at & 63) << 2 | ends] + piece
        }
      }
    }
  }

  private static func made(
    _ name: String, _ service: BluetoothUUID, _ characteristic: BluetoothUUID,
    _ records: @escaping @Sendable () -> [[[UInt8]]]
  ) -> HostileCase {
    HostileCase(name: name) {
      let all = records()
      let (count, values) = (all.count, all.flatMap { $0 }.map { (characteristic, $0) })
      let database = GATTDatabase.made([
        (service, [(characteristic, [.indicate, .notify]), (0x2A52, [.write, .indicate])])
      ])
      return (
        values.reduce(0) { $0 + $1.1.count },
        {
          let link = HostileLink(database) { answer($0, values, count) }
          guard let driver = registry.first(where: { $0 is StandardDriver }),
            let domain = driver.makeSession(link)?.domains.first
          else { return "no records" }
          return await HostileReading.all(of: domain)
        }
      )
    }
  }

  /// Answers a request. No data follows the last record: the wearable falls silent, or gets the order to end.
  @LoopActor
  private static func answer(_ request: [UInt8], _ records: [(BluetoothUUID, [UInt8])], _ count: Int)
    -> [(BluetoothUUID, [UInt8])]
  {
    switch request.first {
    case 4: return [(0x2A52, [5, 0, UInt8(count & 0xFF), UInt8(count >> 8)])]
    case 1, 7: return records
    case 3: return [(0x2A52, [6, 0, 3, 1])]
    default: return [(0x2A52, [6, 0, request.first ?? 0, 2])]
    }
  }
}
