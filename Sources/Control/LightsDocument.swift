// What the lamps say now, for `hearth led explain`.

public import HubProtocol
public import Lights
internal import Reasons

extension LightsDocument {
  /// `meanings` are of one language; if empty, the document says `gym` and lists no lights.
  public init(_ meanings: [LightMeaning], night: NightState? = nil) {
    self.init(
      language: (meanings.first?.language ?? .gym).rawValue,
      lights: meanings.map {
        Light(
          lamp: $0.lamp.name, colour: $0.lamp.colour, pattern: $0.pattern.name, timing: $0.pattern.timing($0.language),
          meaning: $0.meaning,
          code: $0.reason?.code, sentence: $0.reason?.text.sentence, next: $0.reason?.text.next,
          over: $0.isOver ? true : nil)
      },
      night: night?.rawValue)
  }
}
