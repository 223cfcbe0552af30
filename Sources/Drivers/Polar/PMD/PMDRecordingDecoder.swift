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
    private var memory = FrameMemory()
    private var health: HealthWriter?
    public private(set) var tally = Tally()

    /// - Parameters:
    ///   - type: from the file's name; frames of other types are malformed.
    ///   - trueRate: makes of the rate in the settings the one that samples really come at, Hz; see `PMD.trueRate`.
    public init(_ type: MeasurementType, secret: Secret?, trueRate: @escaping (Double) -> Double = { $0 }) {
      self.type = type
      self.secret = secret
      self.trueRate = trueRate
    }

    /// Calls with each frame that can be read.
    @discardableResult
    func forEachFrame(
      in bytes: RawBytes, _ body: (_ recording: Recording, _ frame: Frame, _ samples: Samples, _ times: SampleTimes?) -> Void
    ) throws(Recording.Defect) -> Recording {
      let recording = try Recording(bytes, secret: secret)
      var settings = StreamSettings(recording.settings)
      settings.sampleRate = trueRate(settings.sampleRate)
      let leftOver = try recording.forEachPacket(in: bytes) { packet in
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
      tally.leftOver += leftOver
      return recording
    }

    /// The next part.
    @discardableResult
    public func decode(_ bytes: RawBytes, into sink: any ItemSink) throws(Recording.Defect) -> Recording {
      let before = tally
      let recording = try forEachFrame(in: bytes) { recording, frame, samples, times in
        let health = health ?? HealthWriter(start: PMD.time(microseconds: recording.start))
        self.health = health
        health.write(samples, type, frame, times, anomaly: sink.noteAnomaly) { series, values, bytes, time, _ in
          sink.append(series, Array(values), bytes: Array(bytes), at: PMD.microseconds(time), kind: .normal, isManual: false)
        }
      }
      if tally.malformed > before.malformed { sink.noteAnomaly("recording: frames that cannot be read") }
      return recording
    }
  }
}
