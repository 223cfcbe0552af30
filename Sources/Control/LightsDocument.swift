// What the lamps say now, for `hearth led explain`.

public import Lights
internal import Reasons

/// The lamps with what they show and what it means, lamp by lamp.
public struct LightsDocument: Codable, Sendable, Hashable {
  /// One lamp.
  public struct Light: Codable, Sendable, Hashable {
    /// `HUB`, `LINK`, `STORE`
    public var lamp: String
    public var colour: String
    /// `heartbeat`, `code 2`, …
    public var pattern: String
    /// The pattern in times: `100 ms on, 1900 ms off`.
    public var timing: String
    public var meaning: String
    /// `H3101`, where a reason is behind it.
    public var code: String?
    /// What that reason means, and what to do.
    public var sentence: String?
    public var next: String?
  }

  public var schema = "io.hearth.lights/1"
  /// `gym`, `ward`
  public var language: String
  public var lights: [Light]
  /// `day`, `dimmed`, `cannot_dim` (it is night, and the board has no dimmer); nil where no night is configured.
  public var night: String?

  /// `meanings` are of one language; without any, the document says `gym` and lists nothing.
  public init(_ meanings: [LightMeaning], night: NightState? = nil) {
    self.night = night?.rawValue
    language = (meanings.first?.language ?? .gym).rawValue
    lights = meanings.map {
      Light(
        lamp: $0.lamp.name, colour: $0.lamp.colour, pattern: $0.pattern.name, timing: $0.pattern.timing($0.language), meaning: $0.meaning,
        code: $0.reason?.code, sentence: $0.reason?.text.sentence, next: $0.reason?.text.next)
    }
  }
}
