// The live streams of one wearable, from notifications to samples with times.

public import Bluetooth
public import Wearable

extension PMD {
  /// How a stream was started: what its frames are read with.
  public struct StreamSettings: Sendable, Hashable {
    /// Hz, as the samples really come, see `PMD.trueRate`; 0 if there is none.
    public var sampleRate: Double
    public var factor: Float

    public init(sampleRate: Double = 0, factor: Float = 1) {
      self.sampleRate = sampleRate
      self.factor = factor
    }

    /// From what was chosen and what the wearable answered, or from the settings in a recording.
    public init(_ settings: Settings) {
      self.init(sampleRate: Double(settings.single(.sampleRate) ?? 0), factor: settings.factor)
    }

    public init(_ selection: Selection, answered: Settings) {
      self.init(sampleRate: Double(selection.sampleRate ?? 0), factor: answered.factor)
    }
  }

  /// Times of the frames before, by measurement type and frame type: some types mix frames of several kinds.
  public struct FrameMemories: Sendable {
    // 16 numbers of types by 16 of frames: all there are.
    private var table = [FrameMemory](repeating: FrameMemory(), count: 256)

    public init() {}

    public subscript(type: MeasurementType, frameType: UInt8) -> FrameMemory {
      get { table[Int(type.rawValue & 15) << 4 | Int(frameType & 15)] }
      set { table[Int(type.rawValue & 15) << 4 | Int(frameType & 15)] = newValue }
    }

    public mutating func forget(_ type: MeasurementType) {
      for frameType in UInt8(0)...15 { self[type, frameType] = FrameMemory() }
    }
  }

  /// Reads the frames of all streams of one link. Nothing is allocated per frame once the largest was seen.
  public final class StreamDecoder {
    private let frames = FrameDecoder()
    private let health = HealthWriter()
    private var memories = FrameMemories()
    private var settings = [StreamSettings?](repeating: nil, count: 16)
    private var tallies = [Tally](repeating: Tally(), count: 16)
    /// Time of the last frame before a stream was begun anew; 0 for none, or once the first frame after that has come.
    private var heardBefore = [UInt64](repeating: 0, count: 16)
    /// Frames that were read, and those that were not.
    public private(set) var frameCount: UInt64 = 0
    public private(set) var malformedCount: UInt64 = 0
    /// Frames of streams that nobody started here: dropped.
    public private(set) var foreignCount: UInt64 = 0

    public init() {}

    /// What came of one stream since the link began.
    public struct Tally: Sendable, Hashable {
      /// Frames that were read.
      public var frames: UInt64 = 0
      /// Frames that were dropped.
      public var malformed: UInt64 = 0
      /// How often frames are missing between two that came, and how many samples they would have had; also where the
      /// stream was begun anew in between.
      public var gaps: UInt64 = 0
      public var missing: UInt64 = 0
    }

    public func tally(_ type: MeasurementType) -> Tally { tallies[Int(type.rawValue)] }

    /// A stream begins, or goes on with other settings.
    public func start(_ type: MeasurementType, _ settings: StreamSettings) {
      forgetTimes(type)
      self.settings[Int(type.rawValue)] = settings
    }

    /// It ended: its frames' times are forgotten.
    public func stop(_ type: MeasurementType) {
      forgetTimes(type)
      settings[Int(type.rawValue)] = nil
    }

    /// What comes next has no frame before it; that there was one is kept, for the account of what is missing.
    private func forgetTimes(_ type: MeasurementType) {
      let last = (UInt8(0)...15).map { memories[type, $0].previous }.max() ?? 0
      if last > 0 { heardBefore[Int(type.rawValue)] = last }
      memories.forget(type)
    }

    /// Of the first frame after a stream was begun anew: how many samples did not come since the last one; 0 where it
    /// goes on without a hole.
    private func missedMeanwhile(_ type: MeasurementType, _ times: SampleTimes) -> UInt64 {
      let place = Int(type.rawValue)
      let before = heardBefore[place]
      heardBefore[place] = 0
      let first = times.time(0)
      // A clock that was set back meanwhile tells nothing.
      guard before > 0, first > before, times.step > 0 else { return 0 }
      let periods = Double(first - before) / times.step
      guard periods > 1.5 else { return 0 }
      return UInt64(saturating: (periods - 1).rounded())
    }

    public func isStarted(_ type: MeasurementType) -> Bool { settings[Int(type.rawValue)] != nil }

    /// Time of the last frame of a stream; 0 for none.
    public func previousTime(_ type: MeasurementType, frameType: UInt8) -> UInt64 { memories[type, frameType].previous }

    /// One notification of the data characteristic. A frame of a stream that nobody started here (one that still runs
    /// from the link before) is dropped and counted in `foreignCount`: its factor was told to whoever started it, and
    /// without it the numbers mean nothing.
    ///
    /// - Throws: the frame is dropped and counted; the stream goes on with the next one.
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
          // Intervals of a wearable that gives them no times.
          sink.append(series, values: values, bytes: bytes, ago: Int64(clamping: ago))
        } else {
          sink.append(series, values: values, bytes: bytes, ago: Int64(clamping: ago), stamp: frame.time)
        }
      }
    }
  }

  /// Times of a frame's samples; nil for formats whose samples have none or times of their own.
  static func times(
    _ samples: Samples, _ frame: Frame, _ type: MeasurementType, rate: Double, _ memory: inout FrameMemory
  ) throws(DecodeError) -> SampleTimes? {
    guard samples.format.isEvenlySpaced else {
      memory.note(frame.time)
      return nil
    }
    return try memory.times(last: frame.time, count: samples.count, rate: assumedRate(type, rate))
  }

  /// Hz. Skin temperature is told without a rate by some wearables; 4 Hz is the fastest that any has.
  static func assumedRate(_ type: MeasurementType, _ rate: Double) -> Double {
    type == .skinTemperature && rate == 0 ? 4 : rate
  }

  /// Hz at which samples really come where the wearable is known to tell another rate; `told` else.
  ///
  /// Source: polar-ble-sdk 8.0.0, known issues. Kept to the very rates that are told wrongly, so that firmware nobody
  /// knows is believed in all others.
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
