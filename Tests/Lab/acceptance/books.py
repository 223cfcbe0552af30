"""The store after the hub has ended, read by Tests/Formats: the third account beside what wearables say and what the hub exports."""
from report import demand


def _items(folder, name):
    """(address, Item) of one series, long ones put together."""
    import fields
    import hearthstore
    import series

    number = next(number for number, one in series.ALL.items() if one.name == name)
    with hearthstore.Store(folder) as store:
        addresses = {key["wearable"]: fields.address_text(record["address"]) for key, record in store.records("registry")}
        for ring, _, item in store.whole_items():
            if ring.series == number:
                yield addresses[ring.wearable], item


def raw_items(folder):
    """{address: [bytes]}: what was fetched of each wearable, item by item."""
    found = {}
    for address, item in _items(folder, "raw"):
        found.setdefault(address, []).append(bytes(item.data))
    return found


def waveform_samples(folder, address, name):
    """How many samples of a waveform there are of one wearable."""
    return sum(item.values[1] for whose, item in _items(folder, name) if whose == address)


def holds_each_once(kept, recorded, who):
    """Fails unless a wearable's items are exactly what it recorded; returns how many bytes that are."""
    for content in recorded:
        demand(kept.count(content) == 1, f"{who}: a file of {len(content)} bytes is in the store {kept.count(content)} times")
    extra = [len(content) for content in kept if content not in recorded]
    demand(not extra, f"{who}: the store has raw items of {extra} bytes that it never recorded")
    return sum(map(len, recorded))


def erased_only_after_durable(folder):
    import hearthstore

    with hearthstore.Store(folder) as store:
        records = [record for _, record in store.records("custody")]
    erased = [record for record in records if record.get("erased_at") is not None]
    demand(erased, "nothing is recorded as erased")
    for record in erased:
        steps = [record.get(step) for step in ("fetched_at", "verified_at", "durable_at", "erased_at")]
        demand(None not in steps and steps == sorted(steps), f"not in order: {record}")
        demand(record.get("receipts"), f"erased without a receipt: {record}")
    return erased
