// The text under which a batch's source is stored and hashed: written and read here alone. FORMAT.md describes it.

public import Custody

extension BatchSource {
  /// Bytes of UTF-8 of the text.
  public static let textLimit = 255

  /// `PLACE MARK NUMBER/COUNT` for a part of an item, else the place's name.
  var text: String {
    switch self {
    case .part(let part): "\(part.item.place) \(part.item.mark) \(part.number)/\(part.count)"
    case .place(let name): name
    }
  }

  /// A part of an item where the text is exactly what such a part is stored as.
  init(text: String) {
    if let part = Self.part(text) { self = .part(part) } else { self = .place(text) }
  }

  /// Places and marks hold no spaces, so each text is that of one part at most.
  private static func part(_ text: String) -> ItemPart? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let item = ItemID(place: String(words[0]), mark: String(words[1])) else { return nil }
    let numbers = words[2].split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 2, let number = Int(numbers[0]), let count = Int(numbers[1]) else { return nil }
    let part = ItemPart(number, of: count, item: item)
    // `+1` and `01` are numbers, and nothing that a part is stored as.
    return part.flatMap { BatchSource.part($0).text == text ? $0 : nil }
  }

  /// Within `textLimit`.
  var bounded: BatchSource {
    guard case .place(let name) = self else { return self }
    return .place(name.cut(toUTF8: Self.textLimit))
  }
}
