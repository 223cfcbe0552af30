// Lists of the small tables, from an open store or from one without a running daemon.

/// Lists of an environment, each in one short read transaction.
struct TableLists {
  let environment: Environment

  func visits(_ limit: Int) throws(DatabaseFailure) -> [VisitRecord] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Visits.latest(transaction, limit: min(limit, TableLimits.listLimit))
    }
  }

  func events(_ limit: Int, before: UInt64?) throws(DatabaseFailure) -> [StoreEvent] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Events.latest(transaction, limit: min(limit, TableLimits.listLimit), before: before)
    }
  }

  func receipts(of wearable: WearableID, _ limit: Int) throws(DatabaseFailure) -> [Receipt] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Receipts.latest(transaction, of: wearable, limit: min(limit, TableLimits.listLimit))
    }
  }

  func custody(of wearable: WearableID) throws(DatabaseFailure) -> [CustodyRecord] {
    try environment.read { transaction throws(DatabaseFailure) in try CustodyTable.all(transaction, of: wearable) }
  }

  func staged(_ wearable: WearableID, _ id: String) throws(DatabaseFailure) -> [UInt8] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Staged.soundBytes(transaction, StagedItem(wearable: wearable, id: id))
    }
  }

  func readers() throws(DatabaseFailure) -> [ExportReader] {
    try environment.read { transaction throws(DatabaseFailure) in try Readers.all(transaction).records }
  }
}
