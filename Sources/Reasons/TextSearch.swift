// Search for a text within another. The standard library's search would link its regular expressions, a megabyte for
// each program, into what is a comparison of bytes.

extension StringProtocol {
  /// Whether this text contains `part`. True for an empty part.
  ///
  /// Bytes are compared, so letters beyond ASCII must have the same Unicode composition in both. The cost is the
  /// product of both lengths: suited to names and lines, not to files.
  public func holds(_ part: String) -> Bool {
    let (own, sought) = (Array(utf8), Array(part.utf8))
    if sought.count > own.count { return false }
    return (0...own.count - sought.count).contains { own[$0...].starts(with: sought) }
  }
}
