// Timing of a simulated link: connection events on a grid, and the packets that fit one.

import Bluetooth
import EventLoop

/// Content type of a PDU from a wearable, so that its sender learns whether it was delivered.
public enum Freight: Sendable, Hashable {
  case protocolData, measurement, malformedMeasurement, battery
  /// Any content that a twin tracks, with its own number.
  case piece(UInt64)
}

extension VirtualLink {
  func scheduleEvent() {
    if event != nil { return }
    // The next point of the grid is at least a moment after now, so that an exchange of PDUs always takes time.
    let now = world.loop.now
    let elapsed = (now - anchor).wholeNanoseconds
    var count = elapsed / interval + 1
    let latency = Int64(parameters.latency)
    // A wearable without data to send skips events as its latency allows, unless the last event was busy.
    if latency > 0, toHub.isEmpty, phase == .open, (now - lastBusy).wholeNanoseconds > interval {
      count = (count + latency) / (latency + 1) * (latency + 1)
    }
    event = world.loop.schedule(at: anchor + .nanoseconds(count * interval)) { [self] in connectionEvent() }
  }

  /// Time of one exchange of packets on LE 1M, in nanoseconds, with this many octets of L2CAP in the packet of each
  /// side. Preamble, access address, header and CRC are 10 octets, and an octet takes 8 µs. Packets are 150 µs apart
  /// (Core specification, volume 6, part B, 2.1 and 4.1).
  static func airtime(toPeripheral central: Int, toHub peripheral: Int) -> Int64 {
    Int64(10 + central + 10 + peripheral) * 8_000 + 300_000
  }

  private func connectionEvent() {
    event = nil
    if controller.isHung { return }  // `controllerChanged` continues from here
    if case .ended = phase {} else if !peripheral.isInRange { return }  // `rangeChanged` continues from here
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

  /// Exchanges packets of both sides, as many as fit the event. Only those queued before it: a response takes the next
  /// event.
  private func exchange() {
    let isListening = bearer?.isListening == true
    var parcels = isListening ? toHub.count : 0
    var pdus = toPeripheral.count
    var arrived = 0
    var received = 0
    var airtime: Int64 = 0
    let limit = peripheral.dataLength
    let isOver = phase != .open  // data that the kernel has already received needs no air time
    while arrived < parcels || received < pdus {
      let down = received < pdus ? min(toPeripheral[received].pdu.count + 4 - hubSideSent, limit) : 0
      let up = arrived < parcels ? min(toHub[arrived].pdu.count + 4 - peripheralSideSent, limit) : 0
      airtime += Self.airtime(toPeripheral: down, toHub: up)
      // The longest exchange takes 4.5 ms, the shortest interval 7.5 ms: every event has room for one exchange.
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
    // An injected PDU has no owner: twins ignore the fate of protocol data.
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
