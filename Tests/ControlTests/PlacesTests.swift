import EventLoop
import Foundation
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

private let liveCall = #"{"method":"io.hearth.Hub.Live","more":true}"#
private let plainCall = #"{"method":"io.hearth.Hub.EnrollClose"}"#
/// An unused number on the machines that run these tests.
private let stranger: UInt32 = 65_011

@Suite("Places at the control socket")
struct PlacesTests {
  private typealias Seat = ControlPlaces.Seat

  @Test("in any order of clients, root finds a place as long as it has not taken three itself")
  func random() {
    for _ in 0..<200 {
      var seats: [Seat] = []
      for _ in 0..<100 {
        let clientClass: ControlPlaces.ClientClass = Bool.random() ? .reader : .technician
        let seat = Seat(user: UInt32.random(in: 1000...1005), clientClass: clientClass)
        if Int.random(in: 0..<5) == 0, !seats.isEmpty { seats.remove(at: Int.random(in: 0..<seats.count)) }
        if ControlPlaces.refusal(of: seat, among: seats) == nil { seats.append(seat) }
        for user in UInt32(1000)...1005 { #expect(seats.count { $0.user == user } <= ControlPlaces.perUser) }
        #expect(
          seats.count <= ControlPlaces.others && seats.count { $0.clientClass == .reader } <= ControlPlaces.readers)
      }
      for _ in ControlPlaces.others..<ControlPlaces.all {
        let root = Seat(user: 0, clientClass: .owner)
        #expect(ControlPlaces.refusal(of: root, among: seats) == nil)
        seats.append(root)
      }
    }
  }

  @Test("all the readers there are leave places for technicians")
  func technicians() {
    let readers = (0..<20).map { Seat(user: 1000 + UInt32($0), clientClass: .reader) }
    var seats: [Seat] = []
    for reader in readers where ControlPlaces.refusal(of: reader, among: seats) == nil { seats.append(reader) }
    #expect(seats.count == 9)
    for number in UInt32(0)..<4 {
      let technician = Seat(user: 2000 + number, clientClass: .technician)
      #expect(ControlPlaces.refusal(of: technician, among: seats) == nil)
      seats.append(technician)
    }
    let late = Seat(user: 3000, clientClass: .technician)
    #expect(
      ControlPlaces.refusal(of: late, among: seats)
        == HearthError(.controlTooManyClients, "13 clients of others than root are connected already"))
  }

  @Test("sixteen readers of one user leave root its answer, and one of another user its own")
  func sixteenReaders() throws {
    let (refused, other, root, streaming) = try serve { _, server in
      var connected = 0
      server.identify = { _ in
        defer { connected += 1 }
        return Peer(process: 1, user: connected < 16 ? stranger : connected < 17 ? stranger + 1 : 0, groups: [])
      }
    } client: { path in
      let readers = try (0..<16).map { _ in try RawClient(path) }
      var refused = 0
      for reader in readers.dropFirst(ControlPlaces.perUser) where try reader.receive()?.contains("H6006") == true {
        refused += 1
      }
      for reader in readers.prefix(ControlPlaces.streamsPerUser) { reader.send(liveCall) }
      // A further stream of theirs is refused, and a plain call is answered all the same.
      readers[4].send(liveCall)
      let streaming = try readers[4].receive()
      readers[5].send(plainCall)
      #expect(try readers[5].receive() == #"{"parameters":{}}"#)
      let other = try RawClient(path)
      other.send(plainCall)
      let answer = try other.receive()
      let root = try RawClient(path)
      root.send(plainCall)
      return (refused, answer, try root.receive(), streaming)
    }
    #expect(refused == 10)
    #expect(other == #"{"parameters":{}}"#)
    #expect(root == #"{"parameters":{}}"#)
    #expect(streaming?.contains("4 clients of uid \(stranger) stream already") == true, "\(streaming ?? "")")
  }

  @Test("streams leave places for plain calls, whatever their number, and a stream that ends gives its own back")
  func streams() throws {
    let (refusal, later) = try serve { path in
      var streams = try (0..<ControlPlaces.streams).map { _ in try RawClient(path) }
      for stream in streams { stream.send(liveCall) }
      let extra = try RawClient(path)
      extra.send(liveCall)
      let refusal = try extra.receive()
      streams.removeFirst()
      // The server learns of the end by an event of its own.
      var later: String? = refusal
      for _ in 0..<100 where later?.contains("H6006") ?? true {
        extra.send(#"{"method":"io.hearth.Hub.VisitWatch","parameters":{"name":"nobody"},"more":true}"#)
        later = try extra.receive()
        usleep(20_000)
      }
      return (refusal, later)
    }
    #expect(refusal?.contains("10 clients stream already") == true, "\(refusal ?? "")")
    #expect(later?.contains("H6006") == false, "\(later ?? "")")
  }

  @Test("a silent client is ended in time, and one that asked once stays")
  func silent() throws {
    let (silent, half, statistics) = try serve { _, server in
      server.patience.firstCall = .milliseconds(300)
    } client: { path in
      let (asking, silent, half) = (try RawClient(path), try RawClient(path), try RawClient(path))
      half.send(Array(#"{"method":"#.utf8))
      asking.send(plainCall)
      _ = try asking.receive()
      let ends = (try silent.receive(), try half.receive())
      asking.send(plainCall)
      #expect(try asking.receive() == #"{"parameters":{}}"#)
      return ends
    } after: { _, server, ends in
      (ends.0, ends.1, server.statistics)
    }
    #expect(silent == nil && half == nil)
    #expect(statistics.silentClients == 2 && statistics.slowClients == 0)
  }

  @Test("a reader that leaves unread what waits for it is ended in time, before its queue is full")
  func unread() throws {
    let log = LogLines()
    let (statistics, listeners) = try serve(
      prepare: { hub, server in
        server.patience.reading = .milliseconds(100)
        server.loop.spawn {
          while hub.listeners.isEmpty { try? await server.loop.sleep(for: .milliseconds(2)) }
          // Some 160 kB: more than the kernel takes in so many messages, less than the connection's bound.
          for _ in 0..<800 { hub.say(72) }
        }
      },
      client: { path in
        let slow = try RawClient(path)
        slow.send(liveCall)
        usleep(500_000)
        while let line = try slow.receive(), line.contains("heart_rate") {}
      }, log: log
    ) { hub, server, _ in (server.statistics, hub.listeners.count) }
    #expect(statistics.slowClients == 1)
    #expect(listeners == 0)
    #expect(log.all.contains { $0.contains("H6007") })
  }
}
