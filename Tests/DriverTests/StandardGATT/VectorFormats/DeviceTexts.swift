// Texts of the Device Information Service (180A) as they came.

public import Bluetooth

/// The texts of the Device Information Service 1.2: UTF-8 without length or terminator, though some wearables pad with
/// NUL. What the hub keeps of them is `String(cleaning:)`, for people, registries and logs.
public enum DeviceInformation {
  /// NULs at its end are dropped, broken UTF-8 is repaired with U+FFFD. An empty text is legal.
  public static func text(_ bytes: RawBytes) -> String {
    var count = bytes.count
    while count > 0, bytes[count - 1] == 0 { count -= 1 }
    return String(decoding: RawBytes(rebasing: bytes[..<count]), as: UTF8.self)
  }
}
