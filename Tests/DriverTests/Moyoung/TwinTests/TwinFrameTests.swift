import EventLoop
import Testing

@testable import BandTwin

@Suite("The frames of a virtual Moyoung band")
struct TwinFrameTests {
  @Test("are those of the vectors, byte for byte", arguments: TwinVectors.frames.filter { $0.framing != nil })
  func vectors(_ frame: TwinVectors.Frame) throws {
    let framing = try #require(frame.framing)
    #expect(framing.frame(frame.command, frame.payload) == frame.bytes)
    var assembly = MoyoungAssembly(framing)
    #expect(assembly.take(frame.bytes) == .frame(command: frame.command, payload: frame.payload))
  }

  @Test("are put together from pieces of twenty bytes, and cut into them")
  func pieces() throws {
    let frame = try #require(MoyoungFraming.negotiated.frame(53, [1] + [UInt8](repeating: 70, count: 72)))
    let pieces = MoyoungFraming.negotiated.pieces(of: frame, mtu: 23)
    #expect(pieces.map(\.count) == [20, 20, 20, 18])
    #expect(MoyoungFraming.negotiated.pieces(of: frame, mtu: 185).count == 1)
    #expect(MoyoungFraming.fixed20.pieces(of: frame, mtu: 247).map(\.count) == [20, 20, 20, 18])
    var assembly = MoyoungAssembly(.negotiated)
    for piece in pieces.dropLast() { #expect(assembly.take(piece) == .incomplete) }
    #expect(assembly.take(pieces[3]) == .frame(command: 53, payload: Array(frame[5...])))
  }

  @Test("of the other framing, of another marker and without a beginning are nonsense to it")
  func nonsense() {
    for (framing, hex) in [
      (MoyoungFraming.fixed20, "FEEB10052E"), (.fixed20, "FEEA20052E"), (.negotiated, "FEEA10052E"),
      (.fixed20, "2E"), (.fixed20, "FEEA10042E"), (.fixed20, "FEEA10052E00"),
    ] {
      var assembly = MoyoungAssembly(framing)
      #expect(assembly.take(TwinVectors.bytes(hex)) == .nonsense, "\(hex)")
    }
    var assembly = MoyoungAssembly(.fixed20)
    #expect(assembly.take(TwinVectors.bytes("FEEA10")) == .incomplete)
  }

  @Test("never state more than the longest length of a frame")
  func tooLong() {
    #expect(MoyoungFraming.fixed20.frame(50, [UInt8](repeating: 0, count: 251)) == nil)
    #expect(MoyoungFraming.fixed20.frame(50, [UInt8](repeating: 0, count: 250))?.count == 255)
    #expect(MoyoungFraming.negotiated.frame(50, [UInt8](repeating: 0, count: 4091)) == nil)
  }
}
