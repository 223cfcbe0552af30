// A walk through a wearable's directories: the files that it finds, and the directories that it could not list in full.

import EventLoop
import Wearable

extension PSFTP {
  /// The result of a walk.
  struct Tree: Sendable, Hashable {
    /// Files in the order of the listings, depth first.
    var files: [RemoteFile] = []
    /// Directories that were listed, each ending in `/`.
    var directories: [String] = []
    /// Directories with entries that the walk left out: rejected by `accepts`, unsafe names, or beyond a bound. A
    /// directory that contains one of these is never removed as a whole.
    var unseenIn: Set<String> = []
    /// The subset of `unseenIn` with a refused or unreadable listing. Files that are known from before may still be
    /// there.
    var unread: Set<String> = []

    /// Whether `files` has every file below this directory.
    func knowsAll(of directory: String) -> Bool {
      directories.contains(directory) && !unseenIn.contains { $0.hasPrefix(directory) }
    }
  }

  struct WalkBounds: Sendable, Hashable {
    /// Deepest nesting. The deepest known path is `/U/0/20261121/E/101500/00/`, 6 levels below the root.
    var depth = 8
    /// Maximum number of directories, each of which costs a request. A watch with a month of days, each of a dozen
    /// kinds, has some 500.
    var directories = 2000
    /// Maximum number of files and directories together. A watch with a month of days has some 1,500.
    var entries = 4000
    /// Maximum number of bytes of all paths together. A typical path has 40 bytes.
    var paths = 256 << 10
  }
}

extension PSFTPClient {
  /// Finds every accepted file below a directory.
  ///
  /// A directory that does not exist counts as empty: it was removed after its parent was listed, or never created. A
  /// directory with a refused or unreadable listing is skipped, unless it is the root.
  ///
  /// - Parameters:
  ///   - root: ends in `/`.
  ///   - accepts: receives the name of each entry (a directory's with its `/`) and the directory that contains it. The
  ///     walk enters accepted directories.
  func walk(
    _ root: String, bounds: PSFTP.WalkBounds = PSFTP.WalkBounds(),
    accepts: (_ name: String, _ directory: String) -> Bool = { _, _ in true }
  ) async throws(VisitTrouble) -> PSFTP.Tree {
    var tree = PSFTP.Tree()
    var (entriesLeft, pathsLeft) = (bounds.entries, bounds.paths)
    // A stack, next entry last. Files wait on it too, so that the result keeps the order of the listings.
    var open: [(path: String, size: UInt64, depth: Int)] = [(root, 0, 0)]
    while let place = open.popLast() {
      guard place.path.hasSuffix("/") else {
        tree.files.append(PSFTP.RemoteFile(path: place.path, size: place.size))
        continue
      }
      guard place.depth <= bounds.depth, tree.directories.count < bounds.directories, entriesLeft > 0 else {
        tree.unseenIn.insert(place.path)
        continue
      }
      let directory: PSFTP.Directory
      do throws(VisitTrouble) { directory = try await list(place.path) ?? PSFTP.Directory([]) } catch {
        guard case .unsupported(let why) = error, place.path != root else { throw error }
        link.note("\(why): it is passed over")
        tree.unseenIn.insert(place.path)
        tree.unread.insert(place.path)
        continue
      }
      tree.directories.append(place.path)
      let accepted = directory.entries.filter { accepts($0.name, place.path) }
      let taken = accepted.prefix(entriesLeft).prefix {
        pathsLeft -= place.path.utf8.count + $0.name.utf8.count
        return pathsLeft >= 0
      }
      entriesLeft -= taken.count
      if taken.count < directory.entries.count || directory.refused > 0 { tree.unseenIn.insert(place.path) }
      for entry in taken.reversed() { open.append((place.path + entry.name, entry.size, place.depth + 1)) }
    }
    return tree
  }

  /// Removes an empty directory, and then its parents as long as they are empty. The user's folder stays.
  ///
  /// Each directory is listed right before its removal, so a file that appeared in between is kept.
  ///
  /// - Parameter lowest: ends in `/`; nil if there is no such directory.
  func removeEmptyDirectories(from lowest: String?) async throws(VisitTrouble) {
    var next = lowest
    while let place = next, place.hasPrefix(PolarPath.user), place != PolarPath.user {
      guard try await isEmpty(place) else { return }
      try await remove(place)
      next = PolarPath.parent(place)
    }
  }
}
