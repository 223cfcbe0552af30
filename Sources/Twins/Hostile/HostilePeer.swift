// Hostile peer: a genuine twin with a tap between it and its link.

import BandTwin
import Bluetooth
import BotzTwin
public import EventLoop
import PolarTwin
public import Simulation
import StrapTwin

/// Hostile peer of a world, with the data that a hub needs to enrol it.
@LoopActor
public struct HostilePeer {
  /// Name for reports.
  public let name: String
  /// Twin that it looks like.
  public let guise: HostileGuise
  /// Trick that it plays.
  public let trick: HostileTrick
  /// Genuine twin behind the tap.
  public let twin: VirtualPeripheral
  /// The tap.
  public let tap: HostileTap
  /// Driver and kind of its enrolment.
  public let driver: String
  /// Kind by which a hub lists it.
  public let kind: String
}

extension VirtualWorld {
  /// Adds a peer that begins like a genuine wearable. The peer is out of range until the scenario lets it arrive.
  ///
  /// - Parameter isLoud: advertises every 20 ms, stronger than all others.
  public func addHostile(_ trick: HostileTrick, as guise: HostileGuise, isLoud: Bool = false) -> HostilePeer {
    precondition(trick.suits(guise), "a \(guise) cannot play \(trick)")
    let number = peripherals.count
    var draw = SeededRandom(seed: seed).split(5 << 32 | UInt64(number))
    let rssi = isLoud ? -20 : draw.integer(in: -80 ... -40)
    let interval = Duration.milliseconds(isLoud ? 20 : Int64(draw.integer(in: 100...500)))
    let (twin, transfer) = make(guise, interval, rssi, &draw)
    let tap = HostileTap(trick, guise, random: draw, transfer: transfer)
    tap.attach(to: twin)
    let (driver, kind): (String, String) =
      switch guise {
      case .strap: ("heart-rate", "HR strap")
      case .polarStrap: ("polar-strap", "HR strap")
      case .polarSensor: ("polar", "optical sensor")
      case .insole: ("botz", "insole")
      case .fitCloud: ("fitcloud", "band")
      case .nextBand: ("topstep-next", "band")
      case .moyoung: ("moyoung", "band")
      case .cuff: ("heart-rate", "cuff")
      }
    return HostilePeer(
      name: "hostile-\(number + 1)", guise: guise, trick: trick, twin: twin, tap: tap, driver: driver, kind: kind)
  }

  /// The twin, and the handle at which its family's transfers are notified; nil: every notification counts as a
  /// transfer.
  private func make(_ guise: HostileGuise, _ interval: Duration, _ rssi: Int, _ draw: inout SeededRandom)
    -> (twin: VirtualPeripheral, transfer: UInt16?)
  {
    let label = "hostile \(guise.rawValue) \(peripherals.count + 1)"
    var band = BandTraits()
    (band.name, band.advertisingInterval, band.rssi) = ("Band \(peripherals.count + 1)", interval, rssi)
    switch guise {
    case .strap:
      let strap = addStrap(.manual) { traits in
        (traits.advertisingInterval, traits.rssi) = (interval, rssi)
      }
      return (strap, nil)
    case .polarStrap, .polarSensor:
      var traits = PolarTraits(guise == .polarStrap ? .h10 : .veritySense)
      (traits.advertisingInterval, traits.rssi) = (interval, rssi)
      traits.deviceID = Self.hexadecimal(draw.below(0x7FFF_FFFF))
      let polar = add(.manual) { VirtualPolar($0, address: $1, random: $2, traits: traits) }
      if guise == .polarSensor {
        // A list of recordings, and a recording in it, as something to fetch.
        polar.put("/PMDFILES.TXT", Array("60000 /U/0/20261120/R/101500/HR0.REC\r\n".utf8))
        polar.put("/U/0/20261120/R/101500/HR0.REC", (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      }
      return (polar, polar.handle(PolarUUID.mtu))
    case .insole:
      var traits = InsoleTraits()
      (traits.advertisingInterval, traits.rssi, traits.label) = (interval, rssi, label)
      traits.files = .sessions([300, 60])
      let insole = add(.manual) { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      return (insole, insole.handle(InsoleUUID.smp, InsoleUUID.smpData))
    case .fitCloud:
      return (addFitCloud(.manual) { traits in traits.band = band }, nil)
    case .nextBand:
      let next = addNextBand(.manual) { traits in traits.band = band }
      return (next, next.answerHandle)
    case .moyoung:
      return (
        add(.manual) { [band] in
          VirtualMoyoungBand($0, address: $1, random: $2, traits: band, make: MoyoungMake.number(0))
        }, nil
      )
    case .cuff:
      let cuff = addCuff(.manual) { traits in
        (traits.sensor.advertisingInterval, traits.sensor.rssi, traits.sensor.name) = (interval, rssi, label)
        traits.keeping.isIntermittent = false
      }
      return (cuff, nil)
    }
  }

  private static func hexadecimal(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}
