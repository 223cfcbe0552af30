// When a simulated link carries what: connection events on a grid, and the packets that fit one.

import Bluetooth
import EventLoop

/// What a PDU from a wearable carries, so that its sender learns whether it was delivered.
public enum Freight: Sendable, Hashable {
  case protocolData, measurement, malformedMeasurement, battery
  /// Anything that a twin wants to know the fate of, by a number of its own.
  case piece(UInt64)
}

extension VirtualLink {
  func scheduleEvent() {
    if event != nil { return }
    // The next point of the grid: at least a moment after now, so that an exchange of PDUs always takes time.
    let now = world.loop.now
    let elapsed = (now - anchor).wholeNanoseconds
    var count = elapsed / interval + 1
    let latency = Int64(parameters.latency)
    // With nothing of its own to send, a wearable that may sleep does, unless the last event was a busy one.
    if latency > 0, toHub.isEmpty, phase == .open, (now - lastBusy).wholeNanoseconds > interval {
      count = (count + latency) / (latency + 1) * (latency + 1)
    }
    event = world.loop.schedule(at: anchor + .nanoseconds(count * interval)) { [self] in connectionEvent() }
  }

  /// What one exchange of packets costs on LE 1M, in nanoseconds, with this many octets of L2CAP in the packet of each
  /// side: preamble, access address, header and CRC are 10 octets, an octet takes 8 µs, and 150 µs lie between packets
  /// (Core specification, volume 6, part B, 2.1 and 4.1).
  static func airtime(toPeripheral central: Int, toHub peripheral: Int) -> Int64 {
    Int64(10 + central + 10 + peripheral) * 8_000 + 300_000
  }

  private func connectionEvent() {
    event = nil
    if controller.isHung { return }  // `controllerChanged` goes on from here
    if case .ended = phase {} else if !peripheral.isInRange { return }  // `rangeChanged` goes on from here
    lastBusy = world.loop.now
    exchange()
    if wasFull, phase == .open {
      wasFull = false
      bearer?.onWritable?()
    }
    if case .ended(let error) = phase {
      if toHub.isEmpty, let bearer, bearer.finish(error) { self.bearer = nil }
      if !toHub.isEmpty, bearer?.isListening == true { scheduleEvent() }
    } else if !toHub.isEmpty && bearer?.isListening == true || !toPeripheral.isEmpty {
      scheduleEvent()
    }
  }

  /// Packets of both sides, as many as fit the event. Only what was there before it: an answer takes the next one.
  private func exchange() {
    let isListening = bearer?.isListening == true
    var parcels = isListening ? toHub.count : 0
    var pdus = toPeripheral.count
    var arrived = 0
    var received = 0
    var airtime: Int64 = 0
    let limit = peripheral.dataLength
    let isOver = phase != .open  // what the kernel has already needs no air
    while arrived < parcels || received < pdus {
      let down = received < pdus ? min(toPeripheral[received].pdu.count + 4 - hubSideSent, limit) : 0
      let up = arrived < parcels ? min(toHub[arrived].pdu.count + 4 - peripheralSideSent, limit) : 0
      airtime += Self.airtime(toPeripheral: down, toHub: up)
      // The longest exchange takes 4.5 ms, the shortest interval 7.5 ms: every event has room for one.
      if airtime > interval, !isOver { break }
      if received < pdus {
        hubSideSent += down
        if hubSideSent >= toPeripheral[received].pdu.count + 4 {
          hubSideSent = 0
          received += 1
        }
      }
      if arrived < parcels {
        peripheralSideSent += up
        if peripheralSideSent >= toHub[arrived].pdu.count + 4 {
          peripheralSideSent = 0
          arrived += 1
        }
      }
    }
    parcels = arrived
    pdus = received
    world.pdusCarried += UInt64(parcels + pdus)
    if parcels > 0 {
      let whole = parcels == toHub.count
      let carried = whole ? toHub : Array(toHub[..<parcels])
      if whole { toHub.removeAll(keepingCapacity: true) } else { toHub.removeFirst(parcels) }
      for parcel in carried {
        if let bearer, bearer.isListening { deliver(parcel, to: bearer) } else { peripheral.lost(parcel.freight) }
      }
    }
    if pdus > 0, !toPeripheral.isEmpty {
      let whole = pdus == toPeripheral.count
      let carried = whole ? toPeripheral : Array(toPeripheral[..<pdus])
      if whole { toPeripheral.removeAll(keepingCapacity: true) } else { toPeripheral.removeFirst(pdus) }
      for parcel in carried where phase == .open {
        carriedSince = parcel.since
        parcel.pdu.withUnsafeBytes { pdu in
          if peripheral.tap?.hears(pdu, on: self) ?? true { peripheral.received(pdu, on: self) }
        }
      }
    }
  }

  func deliver(_ parcel: Parcel, to bearer: VirtualBearer) {
    // An injected PDU is nobody's: every twin leaves the fate of protocol data alone.
    if parcel.isSwallowed { return peripheral.lost(parcel.freight) }
    peripheral.delivered(parcel.freight)
    parcel.pdu.withUnsafeBytes { bearer.onReceive?($0) }
  }

  func dropParcels() {
    let parcels = toHub
    toHub.removeAll()
    peripheralSideSent = 0
    for parcel in parcels { peripheral.lost(parcel.freight) }
  }

  func cancelTimers() { cancelEvent() }

  func cancelEvent() {
    if let event { world.loop.cancel(event) }
    event = nil
  }
}
