// The protobuf messages of Polar's wearables.
