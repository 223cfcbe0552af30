// When the hub removes data on an enrolled wearable.

extension EnrolledWearable {
  var removalWay: RemovalWay {
    if driver?.capabilities.contains(.erase) != true || capabilities?.keepsData == false { return .none }
    return driver?.synced?.removesByOrderAlone == true ? .byOrder : .afterReceipt
  }
}
