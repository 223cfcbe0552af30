// The methods of `io.hearth.Hub` about trainings that the hub makes of heart rates, and their document.

public import EventLoop
internal import Health
public import Hub
public import HubProtocol
public import Reasons
internal import RingStore
internal import Vitals

/// Trainings of a hub, as the control socket needs them.
@LoopActor
public protocol TrainingService {
  /// Durable when they return.
  func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot
  func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot
}

extension HubInterface {
  func trainingBegin(_ parameters: Methods.TrainingBegin.Parameters) async throws -> Methods.TrainingBegin.Reply {
    try await changed("begin a training of \(harmless(parameters.name))", of: parameters.name) {
      .init(training: TrainingDocument(try await service.beginTraining(parameters.name)))
    }
  }

  func trainingEnd(_ parameters: Methods.TrainingEnd.Parameters) async throws -> Methods.TrainingEnd.Reply {
    try await changed("end a training of \(harmless(parameters.name))", of: parameters.name) {
      let training = try await service.endTraining(parameters.name)
      noteAccess("TrainingEnd", to: training)
      return .init(training: TrainingDocument(training))
    }
  }

  /// A training is computed from heart rates, so reading it counts as access to them.
  private func noteAccess(_ method: String, to training: TrainingSnapshot) {
    guard let until = training.ended,
      let id = stored.wearableRecords().first(where: { $0.retiredAt == nil && $0.name == training.wearable })?.id
    else { return }
    noteAccess(method, of: id, series: [.training], since: training.began, until: until)
  }
}

extension TrainingDocument {
  /// Converts a training; durations in seconds.
  public init(_ training: TrainingSnapshot) {
    let effort = training.effort
    func seconds(_ microseconds: Int64) -> Double { Double(microseconds / 1000) / 1000 }
    func tenth(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }
    self.init(
      device: training.wearable, origin: effort.origin.name, begins: training.began.rfc3339,
      ends: training.ended?.rfc3339, lengthS: seconds(effort.length), activeS: seconds(effort.active),
      knownS: seconds(effort.known), zonesS: effort.zones.map { $0.all.map(seconds) },
      meanHeartRate: tenth(effort.meanRate), highestHeartRate: effort.highestRate,
      caloriesKcal: tenth(effort.kilocalories), caloriesKnownS: seconds(effort.energyKnown),
      extrapolated: effort.isExtrapolated)
  }
}
