// A peek in JSON: its samples stay as they are in it, so that no digit is lost.

public import JSONText

extension PeekDocument {
  private static let schemaName = PeekDocument(device: "", series: "", unit: "", layout: "", samples: []).schema

  public var json: JSON {
    [
      "schema": .string(schema), "device": .string(device), "series": .string(series), "unit": .string(unit),
      "layout": .string(layout), "samples": .array(samples),
    ]
  }

  /// nil for JSON that is no such document.
  public init?(_ json: JSON) {
    guard json["schema"]?.text == Self.schemaName, let device = json["device"]?.text, let series = json["series"]?.text,
      let unit = json["unit"]?.text, let layout = json["layout"]?.text, case .array(let samples) = json["samples"]
    else { return nil }
    self.init(device: device, series: series, unit: unit, layout: layout, samples: samples)
  }
}
