// The live streams of one wearable, from notifications to samples with times.

public import Bluetooth
public import Wearable

extension PMD {
  /// Settings of a stream, needed for decoding its frames.
  public struct StreamSettings: Sendable, Hashable {
    /// The actual rate in Hz, see `PMD.trueRate`; 0 without a rate.
    public var sampleRate: Double
    /// Factor from numbers to values.
    public var factor: Float

    /// Settings of a stream; `sampleRate` in Hz, 0: unknown.
    public init(sampleRate: Double = 0, factor: Float = 1) {
      self.sampleRate = sampleRate
      self.factor = factor
    }

    /// Takes the settings in a recording.
    public init(_ settings: Settings) {
      self.init(sampleRate: Double(settings.single(.sampleRate) ?? 0), factor: settings.factor)
    }

    /// Settings from the selection and the wearable's answer.
    public init(_ selection: Selection, answered: Settings) {
      self.init(sampleRate: Double(selection.sampleRate ?? 0), factor: answered.factor)
    }
  }

  /// Times of previous frames, by measurement type and frame type: some types mix frames of several kinds.
  public struct FrameMemories: Sendable {
    // 16 measurement types by 16 frame types, which covers all that exist.
    private var table = [FrameMemory](repeating: FrameMemory(), count: 256)

    /// Creates a state without previous frames.
    public init() {}

    /// Memory of one kind of frame.
    public subscript(type: MeasurementType, frameType: UInt8) -> FrameMemory {
      get { table[Int(type.rawValue & 15) << 4 | Int(frameType & 15)] }
      set { table[Int(type.rawValue & 15) << 4 | Int(frameType & 15)] = newValue }
    }

    /// Forgets the previous frames of a type.
    public mutating func forget(_ type: MeasurementType) {
      for frameType in UInt8(0)...15 { self[type, frameType] = FrameMemory() }
    }
  }

  /// Decodes the frames of all streams of one link. Memory is allocated only when a frame is larger than all before.
  public final class StreamDecoder {
    private let frames = FrameDecoder()
    private let health = HealthWriter()
    private var memories = FrameMemories()
    private var settings = [StreamSettings?](repeating: nil, count: 16)
    private var tallies = [Tally](repeating: Tally(), count: 16)
    /// Time of the last frame before a stream was restarted; 0 without a restart, and after the first frame since.
    private var heardBefore = [UInt64](repeating: 0, count: 16)
    /// Frames that were decoded, and frames that could not be.
    public private(set) var frameCount: UInt64 = 0
    /// Frames that could not be decoded, of all streams.
    public private(set) var malformedCount: UInt64 = 0
    /// Frames of streams that this hub did not start: dropped.
    public private(set) var foreignCount: UInt64 = 0

    /// A decoder without streams.
    public init() {}

    /// Counts of one stream since the link began.
    public struct Tally: Sendable, Hashable {
      /// Decoded frames.
      public var frames: UInt64 = 0
      /// Frames that could not be decoded.
      public var malformed: UInt64 = 0
      /// Number of gaps between received frames, and how many samples they would have had. A restart of the stream may
      /// be within a gap.
      public var gaps: UInt64 = 0
      /// Samples that the gaps between received frames would have had.
      public var missing: UInt64 = 0
    }

    /// Counts of one stream.
    public func tally(_ type: MeasurementType) -> Tally { tallies[Int(type.rawValue)] }

    /// Starts a stream, or continues it with other settings.
    public func start(_ type: MeasurementType, _ settings: StreamSettings) {
      forgetTimes(type)
      self.settings[Int(type.rawValue)] = settings
    }

    /// Ends a stream, and forgets its times.
    public func stop(_ type: MeasurementType) {
      forgetTimes(type)
      settings[Int(type.rawValue)] = nil
    }

    /// Forgets the previous frame, so that the next one is timed without it. Only its time is kept, to count missing
    /// samples.
    private func forgetTimes(_ type: MeasurementType) {
      let last = (UInt8(0)...15).map { memories[type, $0].previous }.max() ?? 0
      if last > 0 { heardBefore[Int(type.rawValue)] = last }
      memories.forget(type)
    }

    /// Samples that are missing between the last frame before a restart and the first one after it; 0 without a gap.
    private func missedMeanwhile(_ type: MeasurementType, _ times: SampleTimes) -> UInt64 {
      let place = Int(type.rawValue)
      let before = heardBefore[place]
      heardBefore[place] = 0
      let first = times.time(0)
      // If the clock was set back in between, the gap is unknown.
      guard before > 0, first > before, times.step > 0 else { return 0 }
      let periods = Double(first - before) / times.step
      guard periods > 1.5 else { return 0 }
      return UInt64(saturating: (periods - 1).rounded())
    }

    /// True if the stream was started.
    public func isStarted(_ type: MeasurementType) -> Bool { settings[Int(type.rawValue)] != nil }

    /// Time of the last frame of a stream; 0 before the first.
    public func previousTime(_ type: MeasurementType, frameType: UInt8) -> UInt64 { memories[type, frameType].previous }

    /// Decodes a notification of the data characteristic. A frame of a stream that this hub did not start (one left
    /// over from an earlier link) is dropped and counted in `foreignCount`. Numbers have no meaning without their
    /// factor, which only the client that started the stream has received.
    ///
    /// - Throws: if the frame cannot be decoded. Such a frame is counted, and the stream goes on with the next one.
    public func decode(_ bytes: RawBytes, into sink: some SampleSink) throws(DecodeError) {
      do throws(DecodeError) {
        let frame = try Frame(bytes)
        guard let type = frame.type, type.isData else { throw .outOfRange }
        let place = Int(type.rawValue)
        guard let own = settings[place] else {
          foreignCount &+= 1
          return
        }
        do throws(DecodeError) { try decode(frame, type, own, into: sink) } catch {
          tallies[place].malformed &+= 1
          throw error
        }
        tallies[place].frames &+= 1
        frameCount &+= 1
      } catch {
        malformedCount &+= 1
        throw error
      }
    }

    private func decode(_ frame: Frame, _ type: MeasurementType, _ own: StreamSettings, into sink: some SampleSink)
      throws(DecodeError)
    {
      let samples = try frames.decode(frame, as: type, factor: own.factor)
      var memory = memories[type, frame.frameType]
      defer { memories[type, frame.frameType] = memory }
      let times = try PMD.times(samples, frame, type, rate: own.sampleRate, &memory)
      let missing = heardBefore[Int(type.rawValue)] > 0 ? times.map { missedMeanwhile(type, $0) } ?? 0 : memory.missing
      if missing > 0 {
        tallies[Int(type.rawValue)].gaps &+= 1
        tallies[Int(type.rawValue)].missing &+= missing
        sink.noteAnomaly("a live stream with a gap: frames were lost")
      }
      if type == .skinTemperature, own.sampleRate == 0 {
        sink.noteAnomaly("skin temperature: the sample rate is assumed")
      }
      health.write(samples, type, frame, times, anomaly: { sink.noteAnomaly($0) }) { series, values, bytes, _, ago in
        if frame.time == 0 {
          // Pulse intervals without times.
          sink.append(series, values: values, bytes: bytes, ago: Int64(clamping: ago))
        } else {
          sink.append(series, values: values, bytes: bytes, ago: Int64(clamping: ago), stamp: frame.time)
        }
      }
    }
  }

  /// Times of a frame's samples; nil for formats without times, or with times of their own.
  static func times(
    _ samples: Samples, _ frame: Frame, _ type: MeasurementType, rate: Double, _ memory: inout FrameMemory
  ) throws(DecodeError) -> SampleTimes? {
    guard samples.format.isEvenlySpaced else {
      memory.note(frame.time)
      return nil
    }
    return try memory.times(last: frame.time, count: samples.count, rate: assumedRate(type, rate))
  }

  /// Hz. Some wearables report no rate for skin temperature; 4 Hz is the fastest of all models.
  static func assumedRate(_ type: MeasurementType, _ rate: Double) -> Double {
    type == .skinTemperature && rate == 0 ? 4 : rate
  }

  /// The actual sample rate in Hz if the wearable is known to report a wrong one, else `told`.
  ///
  /// Source: polar-ble-sdk 8.0.0, known issues. Only the exact wrong rates are corrected, so that other rates of
  /// unknown firmware are trusted.
  public static func trueRate(
    _ type: MeasurementType, told: Double, model: String, firmware: Polar.FirmwareVersion?, inSDKMode: Bool
  ) -> Double {
    guard type == .ppg else { return told }
    let issues = Polar.issues(of: model, firmware).map(\.id)
    if told == 135, !inSDKMode, issues.contains("ppg-rate-overstated") { return 55 }
    if told == 130, issues.contains("ppg-rate-understated") { return 135 }
    return told
  }
}
