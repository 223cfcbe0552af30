// What makes one Moyoung band differ from the next: its framing, what it has beside its own service, and the oddities
// of its firmware. What goes wrong with bands of any family is `BandTraits`.

/// The make of a Moyoung band.
public struct MoyoungMake: Sendable {
  public var firmware = "MOY-AB12-1.4.6"
  public var framing = MoyoungFraming.fixed20
  /// The service is in the advertisement, beside the company number.
  public var advertisesService = true
  /// A chip of Realtek: its update service is there too.
  public var hasRealtekService = false
  /// Heart Rate is there, can be subscribed to, and never sends.
  public var hasDeadHeartRate = true
  /// The command characteristic takes writes with an answer too.
  public var writesAreAnswered = true

  /// Between two pieces of one frame.
  public var pieceGap: Duration = .milliseconds(20)
  /// From the end of a command to the first piece of its reply.
  public var replyDelay: ClosedRange<Duration> = .milliseconds(30)...(.milliseconds(250))
  /// Today's totals are notified between the pieces of replies.
  public var totalsBetweenPieces = true
  /// The share of replies before which a frame comes that nobody asked for.
  public var unaskedFrames = 0.0
  /// That frame comes between the pieces of the reply: nobody could tell the two apart but by their beginnings.
  public var unaskedBetweenPieces = false
  /// The share of replies that come only after a hub has given up on them.
  public var lateReplies = 0.0
  public var lateReplyDelay: ClosedRange<Duration> = .seconds(6)...(.seconds(12))
  /// The share of replies that never come.
  public var lostReplies = 0.0
  /// The share of notifications that its own queue loses, one piece of a reply at a time.
  public var lostPieces = 0.0

  /// Shows REM sleep as stage 3; else it is light sleep.
  public var hasREM = true
  /// The night of an evening begins at 20:00, so that from then on the past night is yesterday's; else at midnight.
  public var nightsBeginInTheEvening = true
  /// It tells the rates of a training after its end, or at the next link.
  public var tellsTrainingRates = true
  /// Rates in one part of them.
  public var ratesInPart = 48
  /// The rate interval as it comes from the factory: 0 off, else units of five minutes.
  public var rateInterval: UInt8 = 1
  /// A continuous measurement tells a rate every so often.
  public var continuousPeriod: Duration = .seconds(2)
  /// How long a single measurement takes.
  public var measurementTime: ClosedRange<Duration> = .seconds(12)...(.seconds(35))

  public init() {}

  /// Makes that are on the market, by number from 0 on: framing, services, sleep.
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

  /// With everything that can go wrong with replies, each now and then.
  public func withTroubles(_ share: Double) -> MoyoungMake {
    var make = self
    make.unaskedFrames = share
    make.lateReplies = share / 2
    make.lostReplies = share / 2
    make.lostPieces = share / 8
    return make
  }
}
