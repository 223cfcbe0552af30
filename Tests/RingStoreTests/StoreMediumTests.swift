import EventLoop
import Foundation
import Reasons
import Testing

@testable import RingStore

/// Every place that a store may lie on.
@Suite(.serialized) struct StoreMediumTests {
  /// A machine of text: mounts, and what /sys tells of devices.
  private func look(
    _ path: String, mount: String? = nil, links: [String: String] = [:], files: [String: String] = [:],
    names: [String: [String]] = [:], there: Set<String> = [], _ mounts: String...
  ) -> StoreMedium? {
    let files = files.merging(["/proc/self/mountinfo": mounts.joined(separator: "\n")]) { first, _ in first }
    return StoreMedium.look(
      path, mount: mount,
      StoreMedium.Machine(
        lines: { files[$0].map { $0.split(separator: "\n") } }, link: { links[$0] }, names: { names[$0] ?? [] },
        isThere: { there.contains($0) }))
  }

  private let card = "20 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw"
  private let cardLink = [
    "/sys/dev/block/179:2": "../../devices/platform/emmc2bus/mmc_host/mmc0/block/mmcblk0/mmcblk0p2"
  ]

  @Test("a card with its own file system keeps what is committed")
  func onCard() throws {
    for kind in ["ext4", "btrfs", "f2fs", "xfs"] {
      let medium = try #require(look("/var/lib/hearth/store", links: cardLink, card.replacing("ext4", with: kind)))
      #expect(medium.kind == .lasting && medium.trouble == nil && medium.keeps, "\(kind)")
    }
    #expect(look("/var/lib/hearth/store") == nil, "what is not told is not judged")
  }

  @Test("a card's size is that of the disk below all layers; other disks are no card")
  func cardSize() throws {
    let size = ["/sys/block/mmcblk0/size": "62333952\n"]
    let medium = try #require(look("/var/lib/hearth/store", links: cardLink, files: size, card))
    #expect(medium.cardBytes == 31_914_983_424 && medium.cardBears == 3_191_498_342_400)
    let open = try #require(look("/store", links: cardLink, files: size, card.replacing("ext4", with: "vfat")))
    #expect(open.kind == .open && open.cardBytes == medium.cardBytes)
    let mapped = try #require(
      look(
        "/store", links: ["/sys/dev/block/253:0": "../../devices/virtual/block/dm-0"].merging(cardLink) { $1 },
        files: size, names: ["/sys/block/dm-0/slaves": ["mmcblk0"]], "20 1 253:0 / / rw - ext4 /dev/mapper/store rw"))
    #expect(mapped.cardBytes == medium.cardBytes)
    for text in ["0", "-1", "9223372036854775807", "many"] {
      let files = ["/sys/block/mmcblk0/size": text]
      #expect(look("/store", links: cardLink, files: files, card)?.cardBytes == nil, "\(text)")
    }
    let disk = ["/sys/dev/block/8:1": "../../devices/pci0000:00/ata1/block/sda/sda1"]
    let other = try #require(
      look("/store", links: disk, files: ["/sys/block/sda/size": "62333952"], "20 1 8:1 / / rw - ext4 /dev/sda1 rw"))
    #expect(other.kind == .lasting && other.cardBytes == nil && other.cardBears == nil)
  }

  @Test("H4015: memory is memory, whatever its file system, its device and what lies above it")
  func inMemory() throws {
    let overlay =
      "30 1 0:25 / / rw,noatime - overlay overlay rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,workdir=/w"
    let rows: [(String, StoreMedium?)] = [
      ("tmpfs", look("/run/store", card, "21 20 0:23 / /run rw,nosuid - tmpfs tmpfs rw,size=100k")),
      ("ramfs", look("/run/store", card, "21 20 0:23 / /run rw,nosuid - ramfs none rw")),
      ("the first root", look("/store", "1 1 0:2 / / rw - rootfs rootfs rw")),
      ("an overlay", look("/var/store", overlay, "31 30 0:24 / /media/root-rw rw - tmpfs tmpfs-root rw")),
      (
        "an overlay upon an overlay",
        look(
          "/data/store", mount: "40", there: ["/srv/up per"], overlay,
          "31 30 0:24 / /media/root-rw rw - tmpfs tmpfs-root rw",
          "40 30 0:33 / /data rw - overlay overlay rw,lowerdir=/l,upperdir=/srv/up\\040per,workdir=/w")
      ),
      (
        "zram",
        look(
          "/mnt/store", links: ["/sys/dev/block/252:0": "../../devices/virtual/block/zram0"], card,
          "22 20 252:0 / /mnt rw - ext4 /dev/zram0 rw")
      ),
      (
        "a file in memory",
        look(
          "/mnt/store", links: ["/sys/dev/block/7:0": "../../devices/virtual/block/loop0"],
          files: ["/sys/block/loop0/loop/backing_file": "/run/disk.img\n"], card,
          "22 20 7:0 / /mnt rw - ext4 /dev/loop0 rw", "21 20 0:23 / /run rw - tmpfs tmpfs rw")
      ),
      (
        "a snapshot whose changes are in memory",
        look(
          "/mnt/store",
          links: [
            "/sys/dev/block/253:0": "../../devices/virtual/block/dm-0",
            "/sys/class/block/ram0": "../../devices/virtual/block/ram0",
            "/sys/class/block/mmcblk0p3": "../../devices/platform/mmc0/block/mmcblk0/mmcblk0p3",
          ], names: ["/sys/block/dm-0/slaves": ["mmcblk0p3", "ram0"]], card,
          "22 20 253:0 / /mnt rw - ext4 /dev/mapper/snap rw")
      ),
    ]
    for (name, medium) in rows {
      #expect(medium?.kind == .memory && medium?.keeps == false, "\(name): \(medium?.text ?? "nothing")")
      #expect(medium?.trouble?.reason == .storeInMemory, "\(name)")
    }
  }

  @Test("H4016: a store that another machine answers for, or that does not wait, stops erasing")
  func unproven() throws {
    let overlay = "30 1 0:25 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/upper/data,workdir=/w"
    let rows: [(String, StoreMedium?)] = [
      ("NFS", look("/mnt/store", card, "22 20 0:40 / /mnt rw - nfs4 box:/share rw,vers=4.2")),
      ("a share", look("/mnt/store", card, "22 20 0:40 / /mnt rw - cifs //box/share rw")),
      ("sshfs", look("/mnt/store", card, "22 20 0:40 / /mnt rw - fuse.sshfs pi@box: rw")),
      ("no barriers", look("/store", links: cardLink, card.replacing(" rw,noatime", with: " rw") + ",nobarrier")),
      ("none either", look("/store", links: cardLink, card + ",barrier=0")),
      ("a layer that is not to be found", look("/store", overlay)),
      ("itself", look("/store", there: ["/upper/data"], overlay)),
      (
        "an overlay that does not wait",
        look("/store", card, "30 20 0:25 / /store rw - overlay overlay rw,upperdir=/u,workdir=/w,volatile")
      ),
    ]
    for (name, medium) in rows {
      #expect(medium?.kind == .unproven && medium?.keeps == false, "\(name): \(medium?.text ?? "nothing")")
      #expect(medium?.trouble?.reason == .storeUnproven, "\(name)")
    }
  }

  @Test("H4001: what takes no writes any more stops erasing, by its own mount or by its file system")
  func readOnly() throws {
    for line in [
      card.replacing("rw,noatime", with: "ro,noatime"), card.replacing("mmcblk0p2 rw", with: "mmcblk0p2 ro"),
      "30 1 0:25 / / ro - overlay overlay rw,lowerdir=/l,upperdir=/upper/data,workdir=/w",
      // As kernels from 6.15 on say it: ext4 met an error, or was shut down.
      card + ",errors=remount-ro,emergency_ro", card + ",shutdown",
    ] {
      let medium = look("/store", links: cardLink, line)
      #expect(medium?.kind == .readOnly && medium?.keeps == false && medium?.trouble?.reason == .storeUnwritable)
    }
  }

  @Test(
    """
    a store with a mount that changes while it is open is looked at again before any bond may be forgotten: read-only, \
    covered by another file system, and back
    """)
  func remounted() throws {
    let scratch = Scratch()
    mkdir(scratch.store, 0o755)
    guard mount(scratch.store, scratch.store, nil, UInt(MS_BIND), nil) == 0 else { return }
    defer { umount2(scratch.store, Int32(MNT_DETACH)) }
    // Wherever tests are kept, what it is at first counts as a disk.
    let first = try #require(StoreMedium.look(at: scratch.store))
    try inStore(
      {
        $0.lookAtMedium = { path in
          StoreMedium.look(at: path).map { found in
            found.kind == first.kind ? StoreMedium(kind: .lasting, text: found.text, folder: found.folder) : found
          }
        }
      }, at: scratch
    ) { _, store, _ in
      #expect(store.mayLetForget() && store.status.medium?.trouble == nil)
      // The same folder, by a mount that became read-only: the kernel lets no mount become so that has open files.
      #expect(mount(scratch.store, scratch.store, nil, UInt(MS_BIND), nil) == 0)
      let flags = UInt(MS_REMOUNT) | UInt(MS_BIND) | UInt(MS_RDONLY)
      #expect(mount(nil, scratch.store, nil, flags, nil) == 0, "errno \(errno)")
      #expect(!store.mayLetForget() && store.status.medium?.trouble?.reason == .storeUnwritable)
      umount2(scratch.store, Int32(MNT_DETACH))
      #expect(store.mayLetForget() && store.status.medium?.trouble == nil)
      #expect(mount(scratch.path, scratch.store, nil, UInt(MS_BIND), nil) == 0)
      #expect(!store.mayLetForget() && store.status.medium?.trouble?.reason == .storeUnproven)
      #expect(!store.mayLetForget(), "and stays so")
      umount2(scratch.store, Int32(MNT_DETACH))
      #expect(store.mayLetForget())
      guard mountTemporary(scratch.store, "size=4m") else { return }
      #expect(!store.mayLetForget())
      umount2(scratch.store, Int32(MNT_DETACH))
      #expect(store.mayLetForget())
      let events = try store.recentEvents(20).map(\.reason)
      #expect(events.contains(Reason.storeUnwritable.rawValue) && events.contains(Reason.storeUnproven.rawValue))
      let clock = ContinuousClock()
      let took = clock.measure { for _ in 0..<1000 { _ = store.mayLetForget() } }
      print("a thousand looks at what holds the store: \(took)")
      #expect(took < .seconds(5))
    }
  }

  @Test("H4017: a store on a file system without owners is reported, and erasing goes on")
  func withoutOwners() throws {
    for kind in ["vfat", "exfat", "ntfs3", "fuseblk"] {
      let medium = look("/mnt/store", card, "22 20 8:1 / /mnt rw - \(kind) /dev/sda1 rw")
      #expect(medium?.trouble?.reason == .storeOpenToAll && medium?.keeps == true, "\(kind)")
    }
  }

  @Test("real mounts are seen through: memory, an overlay above it, a folder bound from it, and the disk they hide")
  func realMounts() throws {
    let scratch = Scratch()
    let here = try #require(StoreMedium.look(at: scratch.path))
    let memory = scratch.path + "/memory"
    guard mountTemporary(memory, "size=4m") else { return }
    defer { umount2(memory, Int32(MNT_DETACH)) }
    for name in ["upper", "work", "store"] { mkdir("\(memory)/\(name)", 0o755) }
    for name in ["lower", "merged", "bound"] { mkdir("\(scratch.path)/\(name)", 0o755) }
    #expect(StoreMedium.look(at: memory + "/store")?.kind == .memory)
    let merged = scratch.path + "/merged"
    let layers = "lowerdir=\(scratch.path)/lower,upperdir=\(memory)/upper,workdir=\(memory)/work"
    #expect(mount("overlay", merged, "overlay", 0, layers) == 0, "errno \(errno)")
    defer { umount2(merged, Int32(MNT_DETACH)) }
    let above = try #require(StoreMedium.look(at: merged))
    #expect(above.kind == .memory && above.text.contains(" above tmpfs at "), "\(above.text)")
    let bound = scratch.path + "/bound"
    #expect(mount(memory + "/store", bound, nil, UInt(MS_BIND), nil) == 0)
    defer { umount2(bound, Int32(MNT_DETACH)) }
    #expect(StoreMedium.look(at: bound)?.kind == .memory)
    // A link, and the disk that holds all of this.
    symlink(memory + "/store", scratch.path + "/link")
    #expect(StoreMedium.look(at: scratch.path + "/link")?.kind == .memory)
    #expect(StoreMedium.look(at: scratch.path + "/lower")?.text == here.text)
  }
}
