// What makes one insole differ from the next: the build it runs, who wears it, and what is wrong with it.

internal import EventLoop

/// The switches of a simulated insole. The defaults are the firmware that the dossier describes.
public struct InsoleTraits: Sendable {
  /// Interfaces of different builds; see section 1 of the dossier.
  public enum Era: Sendable, CaseIterable {
    /// Profile: write only; everything plain.
    case head
    /// Profile: read and write, plain.
    case august2025
    /// Profile: read and write; it and everything else of the vendor's needs an encrypted link.
    case june2025
  }
  public enum Pairing: Sendable { case justWorks, refuses }
  public enum IdleProfile: Sendable {
    /// The stack drops the illegal triple: 0x0E after 5 s, silence before.
    case asBuilt
    /// The illegal triple is sent, as the documents promise.
    case asDocumented
  }
  public enum Files: Sendable, Hashable {
    case none
    /// Closed sessions of about these lengths in seconds, oldest first.
    case sessions([Int])
    /// Up to id 255, so that the next session is appended to id 1.
    case lastIDTaken
    /// One file of 53 bytes: a session that a crash or an empty battery ended.
    case crashed
    /// One file cut in the middle of a record.
    case cut
  }

  public var era = Era.head
  /// It asks the hub: MTU, the search for the other foot, security.
  public var actsAsClient = true
  public var hasLeftFoot = false
  /// This is the left foot itself, which advertises like the right one under its own name.
  public var isLeftFoot = false
  public var namesItself = true
  public var pairing = Pairing.justWorks
  /// Another pairing does not replace a bond that it has.
  public var keepsFirstBond = true
  public var idleProfile = IdleProfile.asBuilt
  /// When it asks for parameters by itself, and before which it only remembers what was written.
  public var updateDelay: Duration = .seconds(5)
  /// The clock falls back by this after this; nil: an ideal clock.
  public var clockWrap: Duration? = .seconds(512)
  /// Deviation of its own second, parts per million.
  public var clockDrift = 0
  /// Share of notifications that its own queue loses, 0 to 1, those of SMP included where `losesReplies`.
  public var notificationLoss = 0.0
  public var losesReplies = false
  /// Every announcement after a stop is lost.
  public var losesAnnouncements = false
  public var files = Files.none
  public var bootSuffix = ".pb"
  public var hasSMP = true
  public var repliesWithDefiniteMaps = false
  public var controlLatency: ClosedRange<Duration> = .zero ... .zero
  /// Bytes of its file system.
  public var memory = 0x6E_0000
  /// How long an erase takes.
  public var eraseTime: Duration = .seconds(2)
  /// 1 May use the memory once in this boot.
  public var erasesOncePerBoot = true
  /// A wearer who trains by a schedule: how long, and how long between two trainings; nil: nobody starts anything but
  /// the hub.
  public var training: Training?
  public var advertisingInterval: Duration = .milliseconds(125)
  public var rssi = -60
  public var conduct: InsoleConduct?
  /// It goes into hub names and logs of tests only; on the air all insoles have one name.
  public var label = "insole"

  public struct Training: Sendable {
    public var length: ClosedRange<Duration>
    public var pause: ClosedRange<Duration>

    public init(length: ClosedRange<Duration>, pause: ClosedRange<Duration>) {
      self.length = length
      self.pause = pause
    }
  }

  public init() {}
}

/// What no insole should do.
public enum InsoleConduct: String, CaseIterable, Sendable {
  /// Says that a file has 10^9 bytes, and goes on sending.
  case claimsHugeFile
  /// Replies with an offset before the one that was asked for.
  case offsetsGoBack
  /// A file is replaced by another of the same id between two chunks.
  case changesWhileRead
  /// Replies that are no CBOR.
  case brokenCBOR
  /// Replies with lengths that do not fit their content.
  case wrongLengths
  /// Replies under another sequence number.
  case wrongSequence
  /// Empty data before the end, again and again.
  case emptyChunks
  /// Takes frames and never replies.
  case silentSMP
  /// Values of the wrong length on every readable characteristic of the Information service.
  case oddValues
  /// Acknowledges an erase and keeps everything.
  case keepsWhatIsErased
}
