import Bluetooth
import EventLoop
import Testing
import Wearable

@testable import Hub

@Suite("The order of first tries")
struct TrialOrderTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 1_000_000_000 + Int64(seconds * 1e9)) }

  /// An advertiser of a name and a known service, heard first and last at these seconds.
  private func presence(_ number: UInt64, rssi: Int8, first: Double, last: Double) -> Presence {
    let address = BluetoothAddress(value: 0xC0_0000_0000_00 | number, kind: .leRandom)
    func advertisement(_ seconds: Double) -> Advertisement {
      Advertisement(
        address: address, rssi: rssi, isConnectable: true, data: [3, 3, 0xF0, 0xFF, 2, 9, 0x52], time: at(seconds))
    }
    var presence = Presence(advertisement(first))
    _ = presence.merge(advertisement(first))
    _ = presence.merge(advertisement(last))
    presence.isRecognised = true
    return presence
  }

  /// Whether one of these is tried at a second in which all are heard.
  private func tries(_ order: TrialOrder, _ numbers: ClosedRange<UInt64>, at second: Double) -> Bool {
    var order = order
    let heard = numbers.map { presence($0, rssi: -50, first: 0, last: second) }
    return order.next(among: heard, now: at(second)) != nil
  }

  private func number(_ presence: Presence?) -> UInt64? { presence.map { $0.address.value & 0xFFFF } }

  @Test("the strongest and the longest present take turns; one that failed waits behind all others")
  func turns() {
    let heard = [
      presence(1, rssi: -80, first: 0, last: 100), presence(2, rssi: -40, first: 50, last: 100),
      presence(3, rssi: -60, first: 90, last: 100),
    ]
    var order = TrialOrder()
    #expect(number(order.next(among: heard, now: at(100))) == 2)
    #expect(number(order.next(among: heard, now: at(100))) == 1)
    order.failed(heard[1].address, now: at(100))
    #expect(number(order.next(among: heard, now: at(100))) == 3)
    order.failed(heard[0].address, now: at(100))
    order.failed(heard[2].address, now: at(101))
    #expect(order.next(among: heard, now: at(101)) == nil)
    #expect(!tries(order, 1...3, at: 129) && tries(order, 1...3, at: 130))
  }

  @Test("pauses grow from half a minute to an hour")
  func pauses() {
    var order = TrialOrder()
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<10 {
      order.failed(BluetoothAddress(value: 0xC0_0000_0000_01, kind: .leRandom), now: at(now))
      let wait = (0...4000).first { tries(order, 1...1, at: now + Double($0)) } ?? 0
      waits.append(Double(wait))
      now += Double(wait)
    }
    #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
  }

  @Test("one that was not heard for three seconds, is not recognised or has not sent its name is not tried")
  func fresh() {
    var order = TrialOrder()
    #expect(order.next(among: [presence(1, rssi: -50, first: 0, last: 10)], now: at(13.5)) == nil)
    var unknown = presence(2, rssi: -50, first: 0, last: 10)
    unknown.isRecognised = false
    #expect(order.next(among: [unknown], now: at(10)) == nil)
  }

  @Test("what is remembered has an end, however many addresses fail")
  func bounded() {
    var order = TrialOrder()
    for index in 0..<10_000 {
      order.failed(BluetoothAddress(value: UInt64(index), kind: .leRandom), now: at(Double(index)))
    }
    let all = (0..<10_000).filter {
      order.failures(of: BluetoothAddress(value: UInt64($0), kind: .leRandom)) > 0
    }
    #expect(all.count == TrialOrder.memory && all.first == 10_000 - TrialOrder.memory)
  }

  @Test("a strap is tried within its bound, also if it is the faintest of all and fakes change their addresses")
  func starved() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for rotation in [0.0, 20, 300] {
      var order = TrialOrder()
      // Each fake by the second of its first advertisement; a rotating one gets a new address when its time is over.
      var fakes = (0..<200).map { (number: UInt64($0 + 10), since: -Double.random(in: 0..<300, using: &random)) }
      var fresh: UInt64 = 1000
      var now = 0.0
      let pace = (Trial.connectLimit + Strangers.look).inSeconds
      let bound = TrialOrder.bound(fakes: fakes.count).inSeconds
      while now <= bound {
        for place in fakes.indices where rotation > 0 && now - fakes[place].since > rotation {
          fresh += 1
          fakes[place] = (fresh, now)
        }
        let heard =
          [presence(1, rssi: -95, first: 0, last: now)]
          + fakes.map {
            presence($0.number, rssi: Int8.random(in: -80 ... -30, using: &random), first: $0.since, last: now)
          }
        guard let next = order.next(among: heard, now: at(now)) else { break }
        if number(next) == 1 { break }
        order.failed(next.address, now: at(now + pace))
        now += pace
      }
      #expect(now <= bound, "rotation \(rotation) s, seed \(seed): \(now) of \(bound) s")
    }
  }
}
