// File system and device of a folder.

import RingStore

/// File system and device of a folder.
struct Storage: Sendable, Hashable {
  var mount: Mount
  /// Names below /sys/block: `mmcblk0p2` of `mmcblk0`. nil: not a block device, or an unknown one.
  var partition: String?
  var disk: String?

  /// - Parameter path: absolute. nil if the mounts may not be read.
  init?(of path: String, _ machine: Machine) {
    let mounts = (machine.lines("/proc/self/mountinfo") ?? []).compactMap { Mount($0) }
    guard let mount = Mount.holding(machine.resolved(path), among: mounts) else { return nil }
    self.mount = mount
    guard let block = machine.link("/sys/dev/block/\(mount.device)").flatMap({ BlockDevice(link: $0) }) else { return }
    (disk, partition) = (block.disk, block.name)
  }

  /// An SD card or an eMMC.
  var isCard: Bool { disk?.hasPrefix("mmcblk") ?? false }
}
