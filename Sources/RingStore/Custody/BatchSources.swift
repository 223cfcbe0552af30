// The text form of a batch's source, which is stored and hashed. Only this file writes and reads it. See FORMAT.md.

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

  /// A part of an item if the text is exactly that part's stored form; otherwise a place.
  init(text: String) {
    if let part = Self.part(text) { self = .part(part) } else { self = .place(text) }
  }

  /// Places and marks have no spaces, so a text stands for one part at most.
  private static func part(_ text: String) -> ItemPart? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let item = ItemID(place: String(words[0]), mark: String(words[1])) else { return nil }
    let numbers = words[2].split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 2, let number = Int(numbers[0]), let count = Int(numbers[1]) else { return nil }
    let part = ItemPart(number, of: count, item: item)
    // `+1` and `01` are numbers, but not in the stored form of a part.
    return part.flatMap { BatchSource.part($0).text == text ? $0 : nil }
  }

  /// Source within `textLimit`.
  var bounded: BatchSource {
    guard case .place(let name) = self else { return self }
    return .place(name.cut(toUTF8: Self.textLimit))
  }
}
