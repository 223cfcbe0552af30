// JSON under the names that the control socket and its clients use.

public import JSONText

/// A value on the control socket.
public typealias JSON = JSONText.JSON
/// The reason why a message on the control socket is not JSON.
public typealias JSONError = JSONText.JSONError
