// Conversion of libyaml's events to our own tree. Features that a configuration never needs (anchors, aliases, tags,
// several documents) are refused here. That also prevents a small YAML file from becoming a large tree.

internal import CYAML
package import Reasons

/// Reader of a single YAML document. Total: any bytes give a tree or an error with a position.
package struct YAMLReader: ~Copyable {
  /// A configuration has a few kilobytes; 1 MiB leaves room for any comments.
  package static let sizeLimit = 1 << 20
  /// Nesting of mappings and lists. The schema needs four, as board files do.
  package static let depthLimit = 16
  /// Maximum scalars, mappings and lists in one document. Bounds tree memory to a few megabytes, whatever the input.
  package static let nodeLimit = 10_000

  private let file: String
  private let bytes: [UInt8]
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var nodes = 0

  /// The tree of `bytes`, or nil for a document that is empty apart from comments. `file` names it in errors.
  package static func read(_ bytes: [UInt8], file: String) throws(HearthError) -> YAMLNode? {
    if bytes.count > sizeLimit {
      throw HearthError(.configSyntax, "\(file): larger than \(sizeLimit) bytes")
    }
    guard var reader = YAMLReader(bytes, file: file) else {
      throw HearthError(.configUnreadable, "\(file): no memory to read it")
    }
    return try reader.document()
  }

  private init?(_ bytes: [UInt8], file: String) {
    self.file = file
    self.bytes = bytes
    parser = .allocate(capacity: 1)
    if yaml_parser_initialize(parser) == 0 {
      parser.deallocate()
      return nil
    }
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  private mutating func document() throws(HearthError) -> YAMLNode? {
    // The input must keep its address while libyaml reads it, hence one closure around the whole parsing.
    let bytes = self.bytes
    let result: Result<YAMLNode?, HearthError> = bytes.withUnsafeBufferPointer { buffer in
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(parser, buffer.baseAddress ?? Self.empty, buffer.count)
      do throws(HearthError) { return .success(try stream()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Valid pointer for libyaml if the input is empty.
  private static var empty: UnsafePointer<UInt8> { UnsafePointer(bitPattern: 1).unsafelyUnwrapped }

  private mutating func stream() throws(HearthError) -> YAMLNode? {
    var root: YAMLNode?
    var documents = 0
    while true {
      let event = try next()
      switch event.kind {
      case .streamStart, .documentEnd: continue
      case .streamEnd: return root
      case .documentStart:
        documents += 1
        if documents > 1 { throw syntax(event.mark, "a second document; one file holds one") }
      default: root = try node(event, depth: 0)
      }
    }
  }

  private mutating func node(_ event: Event, depth: Int) throws(HearthError) -> YAMLNode {
    nodes += 1
    if nodes > Self.nodeLimit { throw syntax(event.mark, "more than \(Self.nodeLimit) values") }
    switch event.kind {
    case .scalar(let text, let isPlain):
      return YAMLNode(content: .scalar(text, isPlain: isPlain), mark: event.mark, span: event.span)
    case .mappingStart, .sequenceStart:
      if depth >= Self.depthLimit { throw syntax(event.mark, "nested deeper than \(Self.depthLimit)") }
      var node =
        if case .mappingStart = event.kind {
          try mapping(from: event.mark, depth: depth)
        } else {
          try sequence(from: event.mark, depth: depth)
        }
      node.span = event.span.lowerBound..<event.span.lowerBound
      return node
    default: throw syntax(event.mark, "a value is missing")
    }
  }

  private mutating func mapping(from mark: Mark, depth: Int) throws(HearthError) -> YAMLNode {
    var entries: [YAMLNode.Entry] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .mappingEnd = event.kind { return YAMLNode(content: .mapping(entries), mark: mark) }
      guard case .scalar(let key, _) = event.kind else { throw syntax(event.mark, "a key must be one word") }
      if let line = lines[key] { throw syntax(event.mark, "key \(quoted(key)) is already given in line \(line)") }
      lines[key] = event.mark.line
      let value = try node(next(), depth: depth + 1)
      entries.append(YAMLNode.Entry(key: key, keyMark: event.mark, value: value))
    }
  }

  private mutating func sequence(from mark: Mark, depth: Int) throws(HearthError) -> YAMLNode {
    var items: [YAMLNode] = []
    while true {
      let event = try next()
      if case .sequenceEnd = event.kind { return YAMLNode(content: .sequence(items), mark: mark) }
      items.append(try node(event, depth: depth + 1))
    }
  }

  // MARK: - libyaml

  private struct Event {
    enum Kind {
      case streamStart, streamEnd, documentStart, documentEnd
      case scalar(String, isPlain: Bool)
      case mappingStart, mappingEnd, sequenceStart, sequenceEnd
    }
    var kind: Kind
    var mark: Mark
    var span = 0..<0
  }

  private func next() throws(HearthError) -> Event {
    var event = yaml_event_t()
    if yaml_parser_parse(parser, &event) == 0 { throw parserError() }
    defer { yaml_event_delete(&event) }
    let mark = Mark(line: event.start_mark.line + 1, column: event.start_mark.column + 1)
    var anchor: UnsafeMutablePointer<yaml_char_t>?
    var tag: UnsafeMutablePointer<yaml_char_t>?
    let kind: Event.Kind
    switch event.type {
    case YAML_STREAM_START_EVENT: kind = .streamStart
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      (anchor, tag) = (scalar.anchor, scalar.tag)
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      kind = .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_MAPPING_START_EVENT:
      (anchor, tag) = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
      kind = .mappingStart
    case YAML_SEQUENCE_START_EVENT:
      (anchor, tag) = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
      kind = .sequenceStart
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_ALIAS_EVENT: throw syntax(mark, "an alias (*); write the value out")
    default: throw syntax(mark, "not understood")
    }
    if anchor != nil { throw syntax(mark, "an anchor (&); write the value out") }
    if tag != nil { throw syntax(mark, "a tag (!); types are fixed by the key") }
    let start = Int(event.start_mark.index)
    return Event(kind: kind, mark: mark, span: start..<max(start, Int(event.end_mark.index)))
  }

  private func parserError() -> HearthError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not understood"
    // The byte reader runs ahead of the scanner. For invalid UTF-8 only its offset in the file is right.
    if parser.pointee.error == YAML_READER_ERROR {
      return syntax(place(ofByte: parser.pointee.problem_offset), problem)
    }
    let mark = parser.pointee.problem_mark
    return syntax(Mark(line: mark.line + 1, column: mark.column + 1), problem)
  }

  private func place(ofByte offset: Int) -> Mark {
    let before = bytes.prefix(max(0, offset))
    let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    return Mark(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
  }

  private func syntax(_ mark: Mark, _ problem: String) -> HearthError {
    HearthError(.configSyntax, "\(file):\(mark.line):\(mark.column): \(problem)")
  }
}
