// What the lamps say now, for `hearth led explain`.

public import Lights

public struct LightsDocument: Codable, Sendable, Hashable {
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
  }

  public var schema = "io.hearth.lights/1"
  /// `gym`, `ward`
  public var language: String
  public var lights: [Light]

  /// `meanings` are of one language; without any, the document says `gym` and lists nothing.
  public init(_ meanings: [LightMeaning]) {
    language = (meanings.first?.language ?? .gym).rawValue
    lights = meanings.map {
      Light(
        lamp: $0.lamp.name, colour: $0.lamp.colour, pattern: $0.pattern.name, timing: $0.pattern.timing($0.language), meaning: $0.meaning,
        code: $0.reason?.code)
    }
  }
}
