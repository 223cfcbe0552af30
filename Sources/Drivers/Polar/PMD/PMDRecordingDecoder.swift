// Decoding of a recording: the samples of all its parts, in order.

public import Bluetooth
public import Wearable

extension PMD {
  /// Decodes the parts of one recording in sequence. Times and counts continue from part to part.
  public final class RecordingDecoder {
    /// Counts of all frames so far.
    public struct Tally: Sendable, Hashable {
      /// Frames read, including malformed ones.
      public var frames = 0
      /// Frames that could not be decoded; decoding went on with the next frame.
      public var malformed = 0
      /// Samples decoded.
      public var samples = 0
      /// Bytes after the last packets of all parts.
      public var leftOver = 0
    }

    private let type: MeasurementType
    private let secret: Secret?
    private let trueRate: (Double) -> Double
    private let frames = FrameDecoder()
    private var memory: FrameMemory
    private var health: HealthWriter?
    /// The part that is being decoded.
    private var part: Part?
    /// Correction of its frames' times; nil before its first frame with a time.
    private var correction: UInt64?
    /// End of the samples so far, ns since 2000: the next part continues from here, in this decoder or another. 0
    /// before the first frame.
    public private(set) var end: UInt64
    /// Counts so far.
    public private(set) var tally = Tally()

    private struct Part {
      let recording: Recording
      let settings: StreamSettings
      var cursor: Recording.Cursor
    }

    /// - Parameters:
    ///   - type: from the file's name; frames of other types are malformed.
    ///   - end: end of the part before, if another decoder has read it; 0 if there is no such part.
    ///   - trueRate: maps the rate in the settings to the actual rate, Hz; see `PMD.trueRate`.
    public init(
      _ type: MeasurementType, secret: Secret?, after end: UInt64 = 0, trueRate: @escaping (Double) -> Double = { $0 }
    ) {
      self.type = type
      self.secret = secret
      self.end = end
      self.trueRate = trueRate
      memory = FrameMemory(previous: end)
    }

    /// Begins the next part.
    ///
    /// - Throws: the defect of the part's header, see `Recording.Defect`.
    @discardableResult
    public func begin(_ bytes: RawBytes) throws(Recording.Defect) -> Recording {
      let recording = try Recording(bytes, secret: secret)
      var settings = StreamSettings(recording.settings)
      settings.sampleRate = trueRate(settings.sampleRate)
      part = Part(recording: recording, settings: settings, cursor: recording.firstPacket)
      correction = nil
      return recording
    }

    /// Calls `body` with the decodable frames of the part, from the current position on. No further frame is read once
    /// the frames have `amount` bytes together.
    ///
    /// - Returns: whether more frames follow.
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

    /// Decodes a whole part.
    @discardableResult
    func forEachFrame(
      in bytes: RawBytes,
      _ body: (_ recording: Recording, _ frame: Frame, _ samples: Samples, _ times: SampleTimes?) -> Void
    ) throws(Recording.Defect) -> Recording {
      let recording = try begin(bytes)
      _ = try forEachFrame(in: bytes, amount: .max, body)
      return recording
    }

    /// Decodes the next part as a whole.
    ///
    /// - Throws: the defect of the part's header; `wrongSecret` if its frames cannot be decrypted. Malformed frames are
    ///   only counted, in `tally`.
    @discardableResult
    public func decode(_ bytes: RawBytes, into sink: any ItemSink) throws(Recording.Defect) -> Recording {
      let recording = try begin(bytes)
      while try decodeNext(bytes, amount: .max, into: sink) {}
      return recording
    }

    /// Decodes frames of at least `amount` bytes of the current part, or up to its end.
    ///
    /// - Parameter sink: nil if only `end` and `tally` are needed.
    /// - Returns: whether more frames follow.
    /// - Throws: `wrongSecret` if the frames cannot be decrypted. Malformed frames are only counted, in `tally`.
    public func decodeNext(_ bytes: RawBytes, amount: Int, into sink: (any ItemSink)?) throws(Recording.Defect) -> Bool
    {
      let before = tally
      let isMore = try forEachFrame(in: bytes, amount: amount) { recording, frame, samples, times in
        // If the wearable gives a part its own start, the later of the two times counts.
        let health = health ?? HealthWriter(start: max(PMD.time(microseconds: recording.start), end))
        self.health = health
        let correction = correct(frame, of: recording, sink)
        health.write(samples, type, frame, times, anomaly: { sink?.noteAnomaly($0) }) {
          series, values, bytes, time, _ in
          sink?.append(
            series, Array(values), bytes: Array(bytes), at: PMD.microseconds(time &+ correction), kind: .normal,
            isManual: false)
        }
        end = type == .offlineHR || type == .ppi && frame.time == 0 ? health.reached : frame.time &+ correction
      }
      if tally.malformed > before.malformed { sink?.noteAnomaly("recording: frames that cannot be read") }
      return isMore
    }

    /// The correction for a frame, noted for the first one of a part.
    private func correct(_ frame: Frame, of recording: Recording, _ sink: (any ItemSink)?) -> UInt64 {
      if let correction { return correction }
      guard frame.time != 0 else { return 0 }
      let found = recording.correction(first: frame.time, after: end)
      if found != 0 { sink?.noteAnomaly("recording: frames with the time of a clock that was not set") }
      correction = found
      return found
    }
  }
}
