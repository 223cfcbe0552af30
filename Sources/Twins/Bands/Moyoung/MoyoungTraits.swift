// Differences between Moyoung bands: framing, other services, and oddities of the firmware. Faults of bands in general
// are in `BandTraits`.

/// Make of a Moyoung band.
public struct MoyoungMake: Sendable {
  /// Firmware version.
  public var firmware = "MOY-AB12-1.4.6"
  /// Framing of messages.
  public var framing = MoyoungFraming.fixed20
  /// The advertisement has the service, besides the company number.
  public var advertisesService = true
  /// A Realtek chip, with its update service.
  public var hasRealtekService = false
  /// Heart Rate exists and can be subscribed to, but never notifies.
  public var hasDeadHeartRate = true
  /// The command characteristic accepts writes with response, too.
  public var writesAreAnswered = true

  /// Pause between two pieces of one frame.
  public var pieceGap: Duration = .milliseconds(20)
  /// Time from the end of a command to the first piece of its reply.
  public var replyDelay: ClosedRange<Duration> = .milliseconds(30)...(.milliseconds(250))
  /// True if today's totals are notified between the pieces of replies.
  public var totalsBetweenPieces = true
  /// Share of replies that follow an unsolicited frame.
  public var unaskedFrames = 0.0
  /// The unsolicited frame comes between the pieces of the reply: only their beginnings distinguish the two.
  public var unaskedBetweenPieces = false
  /// Share of replies that come only after the hub's timeout.
  public var lateReplies = 0.0
  /// Delay of a late reply, 6 to 12 s: beyond the hub's timeout.
  public var lateReplyDelay: ClosedRange<Duration> = .seconds(6)...(.seconds(12))
  /// Share of replies that never come.
  public var lostReplies = 0.0
  /// Share of notifications lost in its own queue, one piece of a reply at a time.
  public var lostPieces = 0.0

  /// Reports REM sleep as stage 3; otherwise as light sleep.
  public var hasREM = true
  /// A night's day begins at 20:00, so that from then on the past night is yesterday's; otherwise at midnight.
  public var nightsBeginInTheEvening = true
  /// Sends the rates of a training after its end, or over the next link.
  public var tellsTrainingRates = true
  /// Rates in one part of them.
  public var ratesInPart = 48
  /// Factory setting of the rate interval: 0 off, otherwise units of five minutes.
  public var rateInterval: UInt8 = 1
  /// Interval of rates in a continuous measurement.
  public var continuousPeriod: Duration = .seconds(2)
  /// Duration of a single measurement.
  public var measurementTime: ClosedRange<Duration> = .seconds(12)...(.seconds(35))

  /// A make without oddities.
  public init() {}

  /// Makes on the market, by number from 0 on: framing, services, sleep.
  public static func number(_ number: Int) -> MoyoungMake {
    var make = MoyoungMake()
    make.framing = number & 1 == 0 ? .fixed20 : .negotiated
    make.hasRealtekService = number & 2 != 0
    make.hasDeadHeartRate = number & 4 == 0
    make.advertisesService = number % 5 != 4
    make.writesAreAnswered = number % 3 != 2
    make.hasREM = number & 1 != 0
    make.ratesInPart = [10, 48, 120][number % 3]
    return make
  }

  /// Adds every fault of replies, each with this probability.
  public func withTroubles(_ share: Double) -> MoyoungMake {
    var make = self
    make.unaskedFrames = share
    make.lateReplies = share / 2
    make.lostReplies = share / 2
    make.lostPieces = share / 8
    return make
  }
}
