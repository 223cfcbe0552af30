// Files of a hostile imitation of an insole: only headers, and nested answers.

import Bluetooth
import BotzFamily
import EventLoop
import Wearable

enum HostileInsoles {
  static let all = [
    file("a thousand sessions without a record") {
      HostileBands.many(Botz.ActivityHeader(start: 1_795_000_000).encode(), 1024)
    },
    file("3 MiB of magic") {
      Botz.ActivityHeader(start: 1_795_000_000).encode()
        + HostileBands.many(Botz.ActivityHeader.magic + [Botz.ActivityHeader.version], 629_000)
    },
    file("33 hours of records") {
      var bytes = Botz.ActivityHeader(start: 1_795_000_000).encode()
      for number in 0..<UInt32(120_000) {
        bytes += Botz.ActivityRecord(number: number, time: 1_795_000_000 &+ number).encode()
      }
      return bytes
    },
    answers("answers nested as deep as may be", HostileBands.many([0xBF], 6) + HostileBands.many([0], 4000)),
    answers("answers of 127 texts", [0x98, 127] + HostileBands.many([0x78, 30] + HostileBands.many([0x41], 30), 127)),
    answers("answers of text in empty chunks", [0x7F] + HostileBands.many([0x60], 4000)),
  ]

  private static let database = GATTDatabase.made([
    (Botz.Management.service, [(Botz.Management.frames, [.writeWithoutResponse, .notify])])
  ])

  private static func file(_ name: String, _ bytes: @escaping @Sendable () -> [UInt8]) -> HostileCase {
    HostileCase(name: "Insole: \(name)") {
      let bytes = bytes()
      return (
        bytes.count,
        {
          guard let domain = BotzDriver().makeSession(HostileLink(database))?.domains.first else { return "no files" }
          let item = HeldItem(id: "activity_007.dat", size: bytes.count)
          return await HostileReading.one(domain.pieces(of: item), bytes)
        }
      )
    }
  }

  /// A thousand of them, one a turn.
  private static func answers(_ name: String, _ payload: [UInt8]) -> HostileCase {
    HostileCase(name: "Insole: \(name)") {
      (
        payload.count * 1000,
        {
          var refused = 0
          for _ in 0..<1000 {
            if payload.withUnsafeBytes({ (try? CBORReader.read($0)) == nil }) { refused += 1 }
            await Task.yield()
          }
          return "\(refused) of 1000 refused"
        }
      )
    }
  }
}
