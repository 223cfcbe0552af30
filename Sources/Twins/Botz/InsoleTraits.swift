// Differences between insoles: build, wearer, defects.

internal import EventLoop

/// Switches of a simulated insole. The defaults are the firmware of the protocol dossier.
public struct InsoleTraits: Sendable {
  /// Interfaces of different builds; see section 1 of the dossier.
  public enum Era: Sendable, CaseIterable {
    /// Profile: write only; no encryption needed.
    case head
    /// Profile: read and write; no encryption needed.
    case august2025
    /// Profile: read and write. All of the vendor's attributes need an encrypted link.
    case june2025
  }
  /// Reaction to a pairing.
  public enum Pairing: Sendable { case justWorks, refuses }
  /// Reaction to the idle profile.
  public enum IdleProfile: Sendable {
    /// The stack drops the illegal parameters: 0x0E after 5 s, silence before.
    case asBuilt
    /// The illegal parameters are sent, as the documents promise.
    case asDocumented
  }
  /// Files at the start.
  public enum Files: Sendable, Hashable {
    case none
    /// Closed sessions of about these lengths in seconds, oldest first.
    case sessions([Int])
    /// Sessions up to id 255, so that the next session is appended to id 1.
    case lastIDTaken
    /// A file of 53 bytes: a session that ended by a crash or an empty battery.
    case crashed
    /// A file that is truncated within a record.
    case cut
  }

  /// Build of the firmware.
  public var era = Era.head
  /// The insole sends requests to the hub: MTU, the search for the other foot, security.
  public var actsAsClient = true
  /// True with a left foot.
  public var hasLeftFoot = false
  /// The left foot itself, which advertises like the right one under its own name.
  public var isLeftFoot = false
  /// True if it advertises its name.
  public var namesItself = true
  /// Reaction to a pairing.
  public var pairing = Pairing.justWorks
  /// A new pairing does not replace an existing bond.
  public var keepsFirstBond = true
  /// Reaction to the idle profile.
  public var idleProfile = IdleProfile.asBuilt
  /// Link age at which it requests parameters by itself. Before that it only stores what was written.
  public var updateDelay: Duration = .seconds(5)
  /// Period after which the clock falls back by the same amount; nil: an ideal clock.
  public var clockWrap: Duration? = .seconds(512)
  /// Deviation of its own second, parts per million.
  public var clockDrift = 0
  /// Share of notifications lost in its own queue, 0 to 1; those of SMP are included with `losesReplies`.
  public var notificationLoss = 0.0
  /// True if replies of the management protocol are lost in that share too.
  public var losesReplies = false
  /// Every announcement after a stop is lost.
  public var losesAnnouncements = false
  /// Files at the start.
  public var files = Files.none
  /// Suffix of the announced path after a restart.
  public var bootSuffix = ".pb"
  /// True if it has the management service.
  public var hasSMP = true
  /// True if replies use maps of definite length.
  public var repliesWithDefiniteMaps = false
  /// Delay of answers of the Control service.
  public var controlLatency: ClosedRange<Duration> = .zero ... .zero
  /// Bytes of its file system.
  public var memory = 0x6E_0000
  /// Duration of an erase, 2 s.
  public var eraseTime: Duration = .seconds(2)
  /// The erase command works once per boot.
  public var erasesOncePerBoot = true
  /// A wearer's training schedule: durations and pauses; nil: only the hub starts sessions.
  public var training: Training?
  /// Time between two advertisements.
  public var advertisingInterval: Duration = .milliseconds(125)
  /// Signal strength in dBm.
  public var rssi = -60
  /// Misbehaviour, if any.
  public var conduct: InsoleConduct?
  /// Label in hub names and logs of tests only; on the air all insoles have one name.
  public var label = "insole"

  /// Trainings of the wearer.
  public struct Training: Sendable {
    /// Length of a training.
    public var length: ClosedRange<Duration>
    /// Pause between two trainings.
    public var pause: ClosedRange<Duration>

    /// Trainings with these lengths and pauses.
    public init(length: ClosedRange<Duration>, pause: ClosedRange<Duration>) {
      self.length = length
      self.pause = pause
    }
  }

  /// An insole without defects.
  public init() {}
}

/// Conduct that no insole should show.
public enum InsoleConduct: String, CaseIterable, Sendable {
  /// Reports a file of 10^9 bytes, and never stops sending.
  case claimsHugeFile
  /// Replies with an offset before the requested one.
  case offsetsGoBack
  /// Replaces a file by another of the same id between two chunks.
  case changesWhileRead
  /// Replies that are no CBOR.
  case brokenCBOR
  /// Replies with lengths that do not match their content.
  case wrongLengths
  /// Replies with another sequence number.
  case wrongSequence
  /// Sends empty data before the end, again and again.
  case emptyChunks
  /// Accepts frames and never replies.
  case silentSMP
  /// Values of the wrong length on every readable characteristic of the Information service.
  case oddValues
  /// Acknowledges an erase and keeps all files.
  case keepsWhatIsErased
}
