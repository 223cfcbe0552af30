// Walks a wearable's directories: which it enters, which files it finds, and what it has not seen.

import EventLoop
import Wearable

extension PSFTP {
  /// What a walk found.
  struct Tree: Sendable, Hashable {
    /// In the order of the listings, depth first.
    var files: [RemoteFile] = []
    /// Directories that were listed, each ending in `/`.
    var directories: [String] = []
    /// Directories of which something was left out: entries that were not accepted, unsound names, bounds reached.
    /// Nothing that holds one of them may be removed as a whole.
    var unseenIn: Set<String> = []
    /// Of these: directories whose listing was refused or could not be read. What is known to lie there may be there
    /// still.
    var unread: Set<String> = []

    /// All that lies in a directory is among `files`.
    func knowsAll(of directory: String) -> Bool {
      directories.contains(directory) && !unseenIn.contains { $0.hasPrefix(directory) }
    }
  }

  struct WalkBounds: Sendable, Hashable {
    /// Directories within directories: `/U/0/20261121/E/101500/00/` is the deepest known, 6 below the root.
    var depth = 8
    /// A request for each: a watch with a month of days, each of a dozen kinds, has some 500.
    var directories = 2000
    /// Files and directories together: a watch with a month of days has some 1,500.
    var entries = 4000
    /// Bytes of all their paths: 40 each as a rule. Names may be longer, but not all of them.
    var paths = 256 << 10
  }
}

extension PSFTPClient {
  /// Every accepted file below a directory.
  ///
  /// A directory that is not there is empty: it went away since its parent was listed, or was never made. One whose
  /// listing is refused or cannot be read is passed over, unless it is the first.
  ///
  /// - Parameters:
  ///   - root: ends in `/`.
  ///   - accepts: told the name of each entry, that of a directory with its `/`, and the directory it is in.
  ///     Directories that are accepted are entered.
  func walk(
    _ root: String, bounds: PSFTP.WalkBounds = PSFTP.WalkBounds(),
    accepts: (_ name: String, _ directory: String) -> Bool = { _, _ in true }
  ) async throws(VisitTrouble) -> PSFTP.Tree {
    var tree = PSFTP.Tree()
    var (entriesLeft, pathsLeft) = (bounds.entries, bounds.paths)
    // The next is at the end. Files wait here too, so that what is found is in the order of the listings.
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

  /// Removes a directory, and those around it up to, but without, the user's, as long as they are empty.
  ///
  /// Each is listed right before: what came into it in between stays.
  ///
  /// - Parameter lowest: ends in `/`; nil: there is none.
  func removeEmptyDirectories(from lowest: String?) async throws(VisitTrouble) {
    var next = lowest
    while let place = next, place.hasPrefix(PolarPath.user), place != PolarPath.user {
      guard try await isEmpty(place) else { return }
      try await remove(place)
      next = PolarPath.parent(place)
    }
  }
}
