// What a recording becomes: the samples of all its parts, in their order.

public import Bluetooth
public import Wearable

extension PMD {
  /// Reads the parts of one recording, one after the other: times and counts go on from part to part.
  public final class RecordingDecoder {
    /// What was found so far.
    public struct Tally: Sendable, Hashable {
      public var frames = 0
      /// Frames that could not be read; those behind them were.
      public var malformed = 0
      public var samples = 0
      /// Bytes behind the last packets.
      public var leftOver = 0
    }

    private let type: MeasurementType
    private let secret: Secret?
    private let trueRate: (Double) -> Double
    private let frames = FrameDecoder()
    private var memory: FrameMemory
    private var health: HealthWriter?
    /// The part that is being read.
    private var part: Part?
    /// Where the samples end so far, ns since 2000: what the next part goes on from, in whichever decoder. 0 before the
    /// first.
    public private(set) var end: UInt64
    public private(set) var tally = Tally()

    private struct Part {
      let recording: Recording
      let settings: StreamSettings
      var cursor: Recording.Cursor
    }

    /// - Parameters:
    ///   - type: from the file's name; frames of other types are malformed.
    ///   - end: of the part before, where that was read by another decoder; 0 where there is none.
    ///   - trueRate: makes of the rate in the settings the one that samples really come at, Hz; see `PMD.trueRate`.
    public init(
      _ type: MeasurementType, secret: Secret?, after end: UInt64 = 0, trueRate: @escaping (Double) -> Double = { $0 }
    ) {
      self.type = type
      self.secret = secret
      self.end = end
      self.trueRate = trueRate
      memory = FrameMemory(previous: end)
    }

    /// The next part begins.
    @discardableResult
    public func begin(_ bytes: RawBytes) throws(Recording.Defect) -> Recording {
      let recording = try Recording(bytes, secret: secret)
      var settings = StreamSettings(recording.settings)
      settings.sampleRate = trueRate(settings.sampleRate)
      part = Part(recording: recording, settings: settings, cursor: recording.firstPacket)
      return recording
    }

    /// Calls with each frame that can be read, of those that follow in the part; with no further ones once they had
    /// `amount` bytes together.
    ///
    /// - Returns: whether more follow.
    func forEachFrame(
      in bytes: RawBytes, amount: Int,
      _ body: (_ recording: Recording, _ frame: Frame, _ samples: Samples, _ times: SampleTimes?) -> Void
    ) throws(Recording.Defect) -> Bool {
      guard let part else { return false }
      let (recording, settings) = (part.recording, part.settings)
      var cursor = part.cursor
      try recording.forEachPacket(in: bytes, from: &cursor, amount: amount) { packet in
        tally.frames += 1
        do throws(DecodeError) {
          let frame = try Frame(packet)
          guard frame.type == type else { throw .outOfRange }
          let samples = try frames.decode(frame, as: type, factor: settings.factor)
          let times = try PMD.times(samples, frame, type, rate: settings.sampleRate, &memory)
          tally.samples += samples.count
          body(recording, frame, samples, times)
        } catch { tally.malformed += 1 }
      }
      tally.leftOver += cursor.leftOver ?? 0
      self.part = cursor.leftOver == nil ? Part(recording: recording, settings: settings, cursor: cursor) : nil
      return self.part != nil
    }

    /// A whole part.
    @discardableResult
    func forEachFrame(
      in bytes: RawBytes,
      _ body: (_ recording: Recording, _ frame: Frame, _ samples: Samples, _ times: SampleTimes?) -> Void
    ) throws(Recording.Defect) -> Recording {
      let recording = try begin(bytes)
      _ = try forEachFrame(in: bytes, amount: .max, body)
      return recording
    }

    /// The next part, whole.
    @discardableResult
    public func decode(_ bytes: RawBytes, into sink: any ItemSink) throws(Recording.Defect) -> Recording {
      let recording = try begin(bytes)
      while try decodeNext(bytes, amount: .max, into: sink) {}
      return recording
    }

    /// Frames of at least `amount` bytes of the part that was begun, or up to its last.
    ///
    /// - Parameter sink: nil: only `end` and `tally` are wanted.
    /// - Returns: whether more follow.
    public func decodeNext(_ bytes: RawBytes, amount: Int, into sink: (any ItemSink)?) throws(Recording.Defect) -> Bool
    {
      let before = tally
      let isMore = try forEachFrame(in: bytes, amount: amount) { recording, frame, samples, times in
        // A wearable that gives each part a start of its own means the later of the two.
        let health = health ?? HealthWriter(start: max(PMD.time(microseconds: recording.start), end))
        self.health = health
        health.write(samples, type, frame, times, anomaly: { sink?.noteAnomaly($0) }) {
          series, values, bytes, time, _ in
          sink?.append(
            series, Array(values), bytes: Array(bytes), at: PMD.microseconds(time), kind: .normal, isManual: false)
        }
        end = type == .offlineHR || type == .ppi && frame.time == 0 ? health.reached : frame.time
      }
      if tally.malformed > before.malformed { sink?.noteAnomaly("recording: frames that cannot be read") }
      return isMore
    }
  }
}
