/// The version of this software, as `hearthd --version` and `hearth version` print it.
public let hearthVersion = "0.1.0"
