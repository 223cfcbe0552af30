// Exports the hub's values to modules that import the hub.

@_exported public import HubModel
