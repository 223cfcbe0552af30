// swift-tools-version: 6.2
// Hearth: a hub that wearables come home to. Rooms and their one-way arrows are described in Sources/README.md.
import PackageDescription

/// Async functions stay on the executor of their caller: with the one loop thread, a hop would be a second thread.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Tests are compiled once to run once: not optimised in a release build either, in which a whole hub in virtual time runs, and in
/// one pass of the compiler, as no module waits for theirs.
let testing: [SwiftSetting] =
  house + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// Whether this build is for tests that run once, as that of board/check: what is on no hot path is compiled quickly then.
let isForTests = Context.environment["HEARTH_BUILD"] == "tests"

/// Code that runs on a request, or reads a vendor's messages once a visit: small, as it is on no hot path.
let small: SwiftSetting = .unsafeFlags([isForTests ? "-Onone" : "-Osize"], .when(configuration: .release))

/// Code that takes a few per cent of the tests' time, and a good part of a compiler's: not optimised in a build for tests.
let cold: [SwiftSetting] = house + (isForTests ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : [])

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// One room of the house: a library target in `Sources/<name>`.
func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], _ settings: [SwiftSetting] = house
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// A family of wearables, or what several of them serve, in a folder of `Sources/Drivers`.
func family(_ name: String, _ folder: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [])
  -> Target
{
  .target(
    name: name, dependencies: ["Wearable", "Bluetooth", "Health"] + dependencies, path: "Sources/Drivers/\(folder)",
    exclude: exclude, swiftSettings: cold)
}

/// The tests of a family, which build and run without those of the others.
func familyTests(_ name: String, _ folder: String, _ dependencies: [Target.Dependency], exclude: [String] = [])
  -> Target
{
  .testTarget(
    name: name,
    dependencies: ["CivilTime", "DriverTestSupport", "Wearable", "Bluetooth", "EventLoop", "Health", "GATTServices"]
      + dependencies,
    path: "Tests/DriverTests/\(folder)", exclude: exclude, swiftSettings: testing)
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], _ settings: [SwiftSetting] = house
) -> Target {
  .executableTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// The simulated wearables of one family, in `Sources/Twins/<family>`.
func twin(
  _ name: String, of family: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  _ settings: [SwiftSetting] = house
) -> Target {
  .target(
    name: name, dependencies: ["Simulation", "Bluetooth", "EventLoop"] + dependencies, path: "Sources/Twins/\(family)",
    exclude: exclude, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: testing)
}

/// The schema of a sink and the questions that it answers, in `Sources/Sink/SQL`.
let sinkStatements = [
  "schema", "partitions", "timescale", "views", "coverage", "curve", "doubtful", "gym_day", "person_month",
  "silent_hubs",
  "silent_wearables", "volume", "wanderers", "who_wore",
]

let package = Package(
  name: "hearth",
  products: [
    .executable(name: "hearthd", targets: ["hearthd"]),
    .executable(name: "hearth", targets: ["hearth"]),
    .executable(name: "hearth-bench", targets: ["hearth-bench"]),
    .executable(name: "hearth-sim", targets: ["hearth-sim"]),
    .executable(name: "hearth-sink", targets: ["hearth-sink"]),
    .executable(name: "hearth-uplink", targets: ["hearth-uplink"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Without its traits: streams of messages would bring the whole of Foundation into the daemon.
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    // System headers: no logic but version shims.
    .target(name: "CLinux"),
    // Headers alone: the hub speaks to the kernel itself, so libbluetooth is nothing that a board needs.
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .target(name: "CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
    .target(name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

    // The floor everybody stands on.
    room("Reasons", exclude: ["Codes", "generate"]),
    room("EventLoop", ["CLinux"]),
    room("CivilTime"),
    room("Health", ["CivilTime"], exclude: ["NOTES.md"]),
    room("JSONText"),
    room("Drawing", ["CivilTime"], exclude: ["NOTES.md"]),
    room(
      "Vitals", ["Health", "CivilTime", "Reasons"], exclude: ["NOTES.md", "Methods/NOTES.md", "Session/NOTES.md"]),
    room("Custody", ["EventLoop", "Health"]),
    room("StateCodec", ["Reasons"]),
    room("Updates", ["EventLoop", "Reasons"]),

    // The air.
    room("Bluetooth", ["EventLoop", "Reasons"], exclude: ["NOTES.md"]),
    room("RadioPool", ["Bluetooth", "EventLoop"], exclude: ["NOTES.md"]),
    room(
      "LinuxBluetooth", ["Bluetooth", "EventLoop", "Reasons", "CLinux", "CBluetooth", logging],
      exclude: ["NOTES.md", "Adapter/NOTES.md", "L2CAP/NOTES.md", "Links/NOTES.md", "Pairing/NOTES.md"], cold),

    // What comes home, where it is kept, how it is shown.
    room(
      "RingStore", ["Custody", "StateCodec", "Health", "CivilTime", "EventLoop", "Reasons", "CLMDB", "CSodium"],
      exclude: [
        "FORMAT.md", "NOTES.md", "Backup/NOTES.md", "Core/NOTES.md", "Custody/NOTES.md", "Live/NOTES.md",
        "Reading/NOTES.md", "Rings/NOTES.md", "Salvage/NOTES.md", "Secrets/NOTES.md", "Writing/NOTES.md",
      ]),
    room("Export", ["RingStore", "StateCodec", "Health", "CivilTime", "EventLoop", "JSONText"]),
    room("Vault", ["RingStore", "EventLoop", "Reasons", "CSodium"], cold),
    room(
      "Wearable", ["Bluetooth", "CivilTime", "Custody", "EventLoop", "Health", "Reasons", "StateCodec"],
      exclude: ["NOTES.md"]),
    // The families of wearables, each of which knows no other; what several of them serve; and the list from which the
    // programs take them.
    family("GATTServices", "Services"),
    family(
      "StandardGATTFamily", "StandardGATT", ["CivilTime", "EventLoop", "GATTServices", "StateCodec"],
      exclude: [
        "NOTES.md", "BloodPressure/NOTES.md", "Clock/NOTES.md", "GenericHealth/NOTES.md", "PulseOximeter/NOTES.md",
        "Records/NOTES.md", "Running/NOTES.md", "Scale/NOTES.md", "Thermometer/NOTES.md", "UserData/NOTES.md",
        "Values/NOTES.md",
      ]),
    family(
      "BotzFamily", "Botz", ["CivilTime", "GATTServices", "EventLoop", "Reasons", "StateCodec"],
      exclude: ["NOTES.md", "SMP/NOTES.md", "Wire/NOTES.md"]),
    family(
      "PolarFamily", "Polar",
      [
        "CivilTime", "GATTServices", "EventLoop", "Reasons", "StateCodec", "JSONText", "MessageReading",
        "PolarMessages", "CNettle",
        "CZlib",
      ],
      exclude: ["NOTES.md", "PMD/NOTES.md", "PSFTP/NOTES.md", "Device/NOTES.md", "Files/NOTES.md", "Messages"]),
    // The bands behind TopStep's kit: three protocols, and what they share.
    family("Bands", "Bands", ["CivilTime", "EventLoop", "StateCodec"]),
    family(
      "FitCloudFamily", "FitCloud", ["Bands", "CivilTime", "GATTServices", "EventLoop", "StateCodec"],
      exclude: ["NOTES.md", "History/NOTES.md"]),
    family(
      "TopStepNextFamily", "TopStepNext",
      ["Bands", "CivilTime", "EventLoop", "StateCodec", "TopStepMessages"],
      exclude: ["NOTES.md", "Messages"]),
    family(
      "MoyoungFamily", "Moyoung", ["Bands", "CivilTime", "GATTServices", "EventLoop", "StateCodec"],
      exclude: ["NOTES.md", "Looks/NOTES.md", "Wire/NOTES.md"]),
    // What is read of any message of protobuf, within bounds and in slices.
    .target(
      name: "MessageReading", dependencies: [protobuf], path: "Sources/Drivers/MessageReading", swiftSettings: house),
    .target(
      name: "TopStepMessages", dependencies: ["MessageReading", protobuf], path: "Sources/Drivers/TopStepNext/Messages",
      exclude: ["NOTES.md", "Definitions", "generate"], swiftSettings: [small]),
    .target(
      name: "Drivers",
      dependencies: [
        "StandardGATTFamily", "BotzFamily", "PolarFamily", "FitCloudFamily", "TopStepNextFamily", "MoyoungFamily",
        "GATTServices", "Wearable",
      ],
      path: "Sources/Drivers/Registry",
      swiftSettings: house),
    .target(
      name: "PolarMessages", dependencies: ["MessageReading", protobuf], path: "Sources/Drivers/Polar/Messages",
      exclude: ["NOTES.md", "Definitions", "generate"], swiftSettings: [small]),
    room("Lights", ["EventLoop", "Reasons", "CGPIO"], cold),
    room("SettingsText", ["Reasons", "CYAML"], house + [small]),
    room("Pseudonyms", ["EventLoop", "Reasons", "CSodium"], house + [small]),
    room("Configuration", ["Bluetooth", "CivilTime", "Health", "Reasons", "Lights", "SettingsText"], house + [small]),

    // The interface of a hub: what its socket and the command line share.
    room(
      "HubProtocol", ["JSONText", "Reasons"],
      exclude: ["NOTES.md", "generate", "io.hearth.Hub.varlink", "org.varlink.service.varlink"], house + [small]),
    room(
      "StoreDocuments",
      ["CivilTime", "HubProtocol", "JSONText", "RingStore", "Export", "Health", "Vitals", "EventLoop", "Reasons"],
      house + [small]),

    // What leaves the hub for a broker: messages, and the program that carries them.
    .target(
      name: "UplinkMessages", dependencies: ["CivilTime", "JSONText", "MessageReading", "CZlib", protobuf],
      exclude: ["NOTES.md", "Definitions", "generate"], swiftSettings: house + [small]),
    room(
      "Uplink",
      [
        "CivilTime", "EventLoop", "HubProtocol", "JSONText", "Pseudonyms", "Reasons", "SettingsText", "UplinkMessages",
        "CLinux", "CMosquitto",
        "CSodium",
      ], exclude: ["NOTES.md"], house + [small]),

    // The hub itself, floor by floor, and the door to it.
    room(
      "HubModel",
      [
        "Bluetooth", "CivilTime", "Custody", "EventLoop", "Health", "Reasons", "RingStore", "StateCodec", "Vitals",
        "Wearable",
      ], exclude: ["Lane/NOTES.md"]),
    room("HubLane", ["Bluetooth", "Custody", "EventLoop", "HubModel"], exclude: ["NOTES.md"]),
    room(
      "Hub",
      [
        "HubLane", "HubModel", "Bluetooth", "CivilTime", "Custody", "Wearable", "Health", "Vitals", "RingStore",
        "StateCodec", "Lights",
        "EventLoop",
        "Reasons", logging,
      ],
      exclude: [
        "Alerts/NOTES.md", "Bonds/NOTES.md", "Clocks/NOTES.md", "Enrolment/NOTES.md", "Events/NOTES.md",
        "Live/NOTES.md", "Measuring/NOTES.md", "NOTES.md", "Orders/NOTES.md", "Profiles/NOTES.md",
        "Sessions/NOTES.md", "Training/NOTES.md", "Visit/NOTES.md",
      ]),
    room(
      "Control",
      [
        "Hub", "HubProtocol", "JSONText", "StoreDocuments", "Wearable", "Bluetooth", "CivilTime", "RingStore", "Export",
        "Lights",
        "Health", "EventLoop", "Vitals", "Reasons", "CLinux", logging,
      ], exclude: ["LIMITS.md", "NOTES.md", "PEOPLE.md"], house + [small]),
    room(
      "Simulation",
      [
        "Bluetooth", "CivilTime", "Wearable", "Health", "Hub", "RadioPool", "RingStore", "Lights", "EventLoop",
        "Reasons", "Vitals", logging,
      ],
      exclude: ["NOTES.md"]),

    // Virtual wearables, one module for each family of drivers. They share no code with the drivers but the vendor's
    // messages.
    twin("StrapTwin", of: "StandardGATT", ["CivilTime", "Health"], exclude: ["NOTES.md"]),
    twin("BotzTwin", of: "Botz", ["Health"]),
    twin("PolarTwin", of: "Polar", ["PolarMessages", "CNettle"], exclude: ["NOTES.md"]),
    twin("BandTwin", of: "Bands", ["Health"], exclude: ["NOTES.md"], cold),
    // Peers that begin like any of them and go wrong.
    twin(
      "HostileTwin", of: "Hostile", ["StrapTwin", "BotzTwin", "PolarTwin", "BandTwin"], exclude: ["NOTES.md"]),

    // What the hub says of itself to a collector.
    room("Metrics", ["Hub", "Bluetooth", "RingStore", "EventLoop", "Reasons"], exclude: ["NOTES.md"], cold),

    // The hub in real time, whatever radio it has.
    room(
      "Daemon",
      [
        "Control", "HubProtocol", "Hub", "Metrics", "CLinux", "Bluetooth", "CivilTime", "Wearable", "Configuration",
        "Health", "RingStore", "Export", "Lights", "EventLoop", "Reasons", "Updates", logging,
      ], cold),

    // From a broker into a database: on a server.
    room("MQTTWire", ["EventLoop", "CLinux", "CTLS"], exclude: ["NOTES.md"], cold),
    .target(
      name: "Sink",
      dependencies: [
        "MQTTWire", "UplinkMessages", "CivilTime", "SettingsText", "JSONText", "EventLoop", "Reasons", "CPostgres",
      ],
      exclude: ["GAPS.md", "NOTES.md", "Grafana"],
      resources: sinkStatements.map { .embedInCode("SQL/\($0).sql") }, swiftSettings: cold),
    program("hearth-sink", ["Sink", "EventLoop", "Reasons", arguments], cold),

    program(
      "hearthd",
      [
        "Daemon", "Drivers", "Bluetooth", "LinuxBluetooth", "RadioPool", "Configuration", "Lights", "EventLoop",
        "Reasons", logging, arguments,
      ]),
    program(
      "hearth",
      [
        "HubProtocol", "JSONText", "StoreDocuments", "Drawing", "Vault", "Bluetooth", "CivilTime", "Configuration",
        "Health", "Pseudonyms",
        "RingStore", "Export", "Lights", "EventLoop", "Reasons", "SettingsText", "Updates", "CLinux", arguments,
      ],
      exclude: [
        "NOTES.md", "Commands/NOTES.md", "Delivery/NOTES.md", "Doctor/NOTES.md", "Fleet/NOTES.md", "Rendering/NOTES.md",
        "Setup/NOTES.md",
      ], house + [small]),

    // Beside the daemon, where there is a network: rows to a message broker.
    program("hearth-uplink", ["Uplink", "Reasons"], house + [small]),

    // The whole hub in a simulated world: for as many visits as one wants, or served in real time.
    program(
      "hearth-sim",
      [
        "CivilTime", "Daemon", "Drivers", "Configuration", logging, "Simulation", "StrapTwin", "BotzTwin", "PolarTwin",
        "BandTwin",
        "HostileTwin", "Bluetooth", "Health", "Hub", "RadioPool", "RingStore", "EventLoop", "Reasons", arguments,
      ], exclude: ["NOTES.md"]),

    // Benchmarks, and the C programs they are measured beside. The Python peer travels inside.
    .executableTarget(
      name: "hearth-bench",
      dependencies: [
        "Hub", "Bluetooth", "Wearable", "Drivers", "GATTServices", "PolarFamily", "StandardGATTFamily", "BotzFamily",
        "FitCloudFamily", "TopStepNextFamily", "MoyoungFamily", "Bands", "Health", "RingStore", "LinuxBluetooth",
        "Simulation", "StateCodec", "StrapTwin", "BotzTwin", "UplinkMessages", "EventLoop", "CLinux", "CMosquitto",
        "CZlib", "bench-allocations", "bench-peer-c", "bench-peer-store", logging, arguments,
      ],
      exclude: ["METHODS.md", "NOTES.md", "STORE.md", "Allocations", "Peers/C", "Peers/Store"],
      resources: [.embedInCode("Peers/Python/peer.py")],
      swiftSettings: cold),
    .target(name: "bench-allocations", path: "Sources/hearth-bench/Allocations"),
    .executableTarget(name: "bench-peer-c", dependencies: ["CLMDB"], path: "Sources/hearth-bench/Peers/C"),
    .executableTarget(
      name: "bench-peer-store", dependencies: ["CLMDB", "CSQLite"], path: "Sources/hearth-bench/Peers/Store"),

    tests("ReasonsTests", ["Reasons"]),
    tests("UpdatesTests", ["Updates", "EventLoop", "Reasons"]),
    tests("EventLoopTests", ["EventLoop", "CLinux"]),
    tests("HealthTests", ["CivilTime", "Health", "EventLoop"], exclude: ["Zones"]),
    tests("DrawingTests", ["CivilTime", "Drawing", "Health"]),
    tests("VitalsTests", ["CivilTime", "Vitals", "Health", "Reasons"], exclude: ["Reference"]),
    tests("CustodyTests", ["Custody", "EventLoop", "Health"]),
    tests("BluetoothTests", ["Bluetooth", "EventLoop"], exclude: ["Conversations"]),
    tests("RadioPoolTests", ["RadioPool", "Bluetooth", "EventLoop", "Reasons"]),
    tests("LinuxBluetoothTests", ["LinuxBluetooth", "Bluetooth", "EventLoop", "Reasons", "CLinux", logging]),
    // On a real Bluetooth stack: run in Tests/Lab/in-lab, passed over elsewhere.
    .testTarget(
      name: "KernelLabTests", dependencies: ["LinuxBluetooth", "Bluetooth", "EventLoop", "Reasons", "CLinux", logging],
      path: "Tests/Lab/KernelTests",
      swiftSettings: testing),
    tests(
      "RingStoreTests",
      [
        "RingStore", "CivilTime", "Custody", "StateCodec", "Export", "Health", "JSONText", "EventLoop", "Reasons",
        "CLMDB", "store-torture",
      ],
      exclude: ["Fixtures"]),
    .executableTarget(
      name: "store-torture", dependencies: ["RingStore", "Health", "EventLoop"], path: "Tests/StoreTorture",
      swiftSettings: house),
    tests("VaultTests", ["Vault", "RingStore", "EventLoop", "Reasons"]),
    // What the tests of several families need: a link without a radio, the shared vectors, and what every driver must
    // keep to.
    .target(
      name: "DriverTestSupport",
      dependencies: [
        "Wearable", "Bluetooth", "CivilTime", "EventLoop", "Health", "Reasons", "RingStore", "StateCodec",
      ],
      path: "Tests/DriverTests/Support",
      swiftSettings: cold),
    // Of standard services what only the vectors ask for, of which each family has some.
    .target(
      name: "GATTVectorFormats", dependencies: ["Bluetooth", "Wearable"],
      path: "Tests/DriverTests/StandardGATT/VectorFormats", swiftSettings: house),
    familyTests(
      "StandardGATTTests", "StandardGATT", ["StandardGATTFamily", "GATTVectorFormats", "RingStore"],
      exclude: ["VectorFormats"]),
    familyTests(
      "BotzTests", "Botz", ["BotzFamily", "BotzTwin", "GATTVectorFormats", "Reasons", "RingStore", "Simulation"]),
    familyTests(
      "PolarTests", "Polar",
      [
        "PolarFamily", "PolarMessages", "PolarTwin", "StandardGATTFamily", "GATTVectorFormats", "Reasons", "RingStore",
        "Simulation", "CNettle", protobuf,
      ]),
    familyTests(
      "FitCloudTests", "FitCloud",
      ["FitCloudFamily", "Bands", "BandTwin", "Reasons", "RingStore", "Simulation", "StateCodec"]),
    familyTests(
      "TopStepNextTests", "TopStepNext",
      [
        "TopStepNextFamily", "TopStepMessages", "Bands", "BandTwin", "Reasons", "RingStore", "Simulation", "StateCodec",
        protobuf,
      ]),
    familyTests(
      "MoyoungTests", "Moyoung", ["MoyoungFamily", "Bands", "BandTwin", "Reasons", "RingStore", "Simulation"]),
    // All families side by side, under the whole hub.
    familyTests(
      "DriverTests", "Conformance",
      [
        "Drivers", "StandardGATTFamily", "BotzFamily", "PolarFamily", "FitCloudFamily", "TopStepNextFamily",
        "MoyoungFamily", "Bands", "Hub", "Reasons", "RingStore", "StrapTwin", "BotzTwin", "PolarTwin", "BandTwin",
        "Simulation",
      ]),
    tests("LightsTests", ["Lights", "EventLoop", "Reasons", "CLinux"]),
    tests("ConfigurationTests", ["Configuration", "Bluetooth", "EventLoop", "Health", "Lights", "Reasons"]),
    tests(
      "HubTests",
      [
        "Hub", "HubLane", "HubModel", "Simulation", "Bluetooth", "CivilTime", "Custody", "Wearable", "RingStore",
        "StateCodec", "EventLoop", "Health", "Reasons", "Vitals", logging,
      ]),
    tests("UplinkMessagesTests", ["CivilTime", "UplinkMessages", "JSONText", "CZlib", protobuf]),
    tests(
      "UplinkTests",
      ["CivilTime", "Uplink", "UplinkMessages", "EventLoop", "HubProtocol", "JSONText", "Pseudonyms", "Reasons"]),
    tests("MetricsTests", ["Metrics", "Hub", "Bluetooth", "RingStore", "EventLoop", "Reasons"]),
    tests("MQTTWireTests", ["MQTTWire"]),
    tests("SinkTests", ["CivilTime", "Sink", "UplinkMessages", "MQTTWire", "EventLoop", "Reasons", "CZlib"]),
    tests("HubProtocolTests", ["HubProtocol", "Reasons"]),
    tests(
      "ControlTests",
      [
        "CivilTime", "Control", "HubProtocol", "JSONText", "StoreDocuments", "Health", "Hub", "Lights", "RingStore",
        "Export",
        "Bluetooth",
        "Wearable", "EventLoop", "Reasons", "Vitals", "WrittenWords", logging,
      ]),
    tests(
      "SimulationTests",
      [
        "Simulation", "StrapTwin", "BotzTwin", "PolarTwin", "BandTwin", "HostileTwin", "PolarMessages", "PolarFamily",
        "CivilTime", "Drivers", "hearth-sim", "Health", "Hub", "Reasons", "RingStore", "Export", "Wearable",
        "EventLoop",
        "Bluetooth",
        "Vitals",
      ]),
    // Words of the interface as string literals, for tests alone.
    .target(name: "WrittenWords", dependencies: ["HubProtocol"], path: "Tests/WrittenWords", swiftSettings: testing),
    // What tests of programs need: a hub of simulated wearables in a process of its own, and waiting.
    .target(
      name: "ProgramSupport", dependencies: ["CLinux"], path: "Tests/ProgramSupport", swiftSettings: testing),
    tests(
      "DaemonTests",
      [
        "ProgramSupport", "hearthd", "hearth", "hearth-sim", "Daemon", "Metrics", "Hub", "Bluetooth", "RingStore",
        "EventLoop", "Reasons", "CLinux", logging,
      ]),
    tests(
      "CommandLineTests",
      [
        "ProgramSupport", "hearth", "hearthd", "hearth-sim", "CivilTime", "Configuration", "Drawing", "Control",
        "HubProtocol",
        "StoreDocuments", "Health", "Pseudonyms",
        "Hub", "Wearable", "Bluetooth", "RingStore", "Export", "Lights", "EventLoop", "Reasons", "Updates", "Vitals",
        "WrittenWords", "CLinux", arguments,
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// A module is compiled again when one that it names has changed. Its code also knows the layout of types that those got from further ones, which did not change
// those: without all of them named, a build that goes on from the one before would leave it as it was. The check of arrows wants those that are drawn.
func nameAllBelow(_ targets: [Target]) {
  let known = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
  func direct(_ target: Target) -> [Target] {
    target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { known[name] } else { nil } }
  }
  for target in targets where target.type != .system {
    var found = Set(direct(target).map(\.name))
    var waiting = direct(target)
    while let next = waiting.popLast() {
      for below in direct(next) where next.type == .regular && found.insert(below.name).inserted {
        target.dependencies.append(.byNameItem(name: below.name, condition: nil))
        waiting.append(below)
      }
    }
  }
}
if Context.environment["HEARTH_ARROWS"] == nil { nameAllBelow(package.targets) }
