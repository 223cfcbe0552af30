"""The table of series, and an item as a line of an export."""
import base64
import dataclasses
import json

ORIGINS = ("live", "fetched", "replayed", "advertised")
KINDS = ("", "maximum", "minimum", "resting")
WIDTHS = (2, 3, 4)  # bytes of a number, by encoding


@dataclasses.dataclass(frozen=True)
class Series:
    number: int
    name: str
    layout: str
    unit: str
    factor: tuple = (1, 1)  # a stored value times this is the value in the unit
    fine: bool = True  # live times are rounded down to 1 us, else to 1 ms
    components: int = 1

    @property
    def values(self):
        return {"scalar": 1, "vector": self.components, "interval": 2, "waveform": 3, "record": 1}[self.layout]

    @property
    def has_bytes(self):
        return self.layout in ("waveform", "record")


ALL = {series.number: series for series in (
    Series(1, "heart_rate", "scalar", "bpm", fine=False),
    Series(2, "rr_interval", "scalar", "ms", (1000, 1024), fine=False),
    Series(3, "battery", "scalar", "%", fine=False),
    Series(4, "energy_expended", "scalar", "kJ", fine=False),
    Series(5, "ppi", "vector", "ms", components=3),
    Series(6, "ecg", "waveform", "uV"),
    Series(7, "ppg", "waveform", "counts", components=4),
    Series(8, "acc", "waveform", "mg", components=3),
    Series(9, "gyro", "waveform", "dps", (1, 1000), components=3),
    Series(10, "mag", "waveform", "G", (1, 10000), components=3),
    Series(11, "pressure", "scalar", "hPa", (1, 100)),
    Series(12, "location", "vector", "1e-7 deg, m, m/s", components=4),
    Series(13, "skin_temperature", "scalar", "degC", (1, 1000)),
    Series(14, "spo2", "scalar", "%", fine=False),
    Series(15, "steps", "interval", "steps"),
    Series(16, "distance", "interval", "m", (1, 10)),
    Series(17, "calories", "interval", "kcal", (1, 10)),
    Series(18, "active_time", "interval", "class"),
    Series(19, "sleep_stage", "interval", "stage"),
    Series(20, "nightly_recharge", "record", ""),
    Series(21, "exercise", "record", ""),
    Series(22, "foot_pressure", "vector", "counts", components=16, fine=False),
    Series(23, "temperature", "scalar", "degC", (1, 1000)),
    Series(24, "respiration_rate", "scalar", "1/min", fine=False),
    Series(25, "raw", "record", ""),
    Series(26, "orientation", "vector", "", (1, 10000), components=8, fine=False),
    Series(27, "cadence", "scalar", "1/min", fine=False),
    Series(28, "pace", "scalar", "s/km", fine=False),
    Series(29, "speed", "scalar", "km/h", (1, 10), fine=False),
    Series(30, "ground_time", "vector", "ms", components=2, fine=False),
    Series(31, "gait_symmetry", "vector", "%", components=4, fine=False),
    Series(32, "foot_strike", "vector", "class", components=2, fine=False),
    Series(33, "pronation", "scalar", "deg", fine=False),
    Series(34, "vertical_ratio", "scalar", "%", fine=False),
    Series(35, "ppg_2", "waveform", "counts", components=3),
    Series(36, "ppg_16", "waveform", "counts", components=17),
    Series(37, "ppg_20", "waveform", "counts", components=21),
    Series(38, "ppg_24", "waveform", "counts", components=25),
    Series(39, "met", "interval", "MET", (1, 100)),
    Series(40, "training_calories", "interval", "kcal", (1, 10)),
    Series(41, "basal_calories", "interval", "kcal", (1, 10)),
    Series(42, "hrv_rmssd", "scalar", "ms", (1, 10)),
    Series(43, "altitude", "scalar", "m", (1, 100)),
    Series(44, "exercise_distance", "scalar", "m", (1, 10)),
    Series(45, "stride_length", "scalar", "cm"),
    Series(46, "power_left", "scalar", "W"),
    Series(47, "power_right", "scalar", "W"),
    Series(48, "training", "vector", "class, s, m, kcal, bpm", components=7),
    Series(49, "sleep", "vector", "s, class", components=8),
    Series(50, "recharge", "vector", "class, ms", components=9),
    Series(51, "ans_status", "scalar", "", (1, 10)),
    Series(52, "pulse_rate", "scalar", "bpm", (1, 10), fine=False),
    Series(53, "pulse_amplitude_index", "scalar", "%", (1, 100), fine=False),
    Series(54, "body_temperature", "scalar", "degC", (1, 1000), fine=False),
    Series(55, "temperature_place", "scalar", "class", fine=False),
    Series(56, "blood_pressure_systolic", "scalar", "mmHg", (1, 100), fine=False),
    Series(57, "blood_pressure_diastolic", "scalar", "mmHg", (1, 100), fine=False),
    Series(58, "blood_pressure_mean", "scalar", "mmHg", (1, 100), fine=False),
    Series(59, "cuff_pressure", "scalar", "mmHg", (1, 100), fine=False),
    Series(60, "stress", "scalar", "", fine=False),
    Series(61, "user_index", "scalar", "class", fine=False),
    Series(62, "weight", "scalar", "kg", (1, 1000), fine=False),
    Series(63, "body_mass_index", "scalar", "kg/m2", (1, 10), fine=False),
    Series(64, "body_fat", "scalar", "%", (1, 10), fine=False),
    Series(65, "muscle_percentage", "scalar", "%", (1, 10), fine=False),
    Series(66, "muscle_mass", "scalar", "kg", (1, 1000), fine=False),
    Series(67, "fat_free_mass", "scalar", "kg", (1, 1000), fine=False),
    Series(68, "soft_lean_mass", "scalar", "kg", (1, 1000), fine=False),
    Series(69, "body_water_mass", "scalar", "kg", (1, 1000), fine=False),
    Series(70, "basal_metabolism", "scalar", "kJ", fine=False),
    Series(71, "body_impedance", "scalar", "ohm", (1, 10), fine=False),
    Series(72, "total_distance", "scalar", "m", (1, 10), fine=False),
    Series(73, "crank_cadence", "scalar", "1/min", (1, 10), fine=False),
    Series(74, "wheel_rate", "scalar", "1/min", (1, 10), fine=False),
    Series(75, "wheel_revolutions", "scalar", "", fine=False),
    Series(76, "measurement", "record", ""),
)}


def decimal(number, factor=(1, 1)):
    """number x factor as exact decimal text; the factor's denominator has no other primes than 2 and 5."""
    number, divisor = number * factor[0], factor[1]
    whole, rest = divmod(abs(number), divisor)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, divisor)
        digits += str(digit)
    return ("-" if number < 0 else "") + str(whole) + ("." + digits if digits else "")


def time_text(time, fine):
    """UTC with milliseconds, rounded down; with microseconds if the series has them and they are not zero."""
    seconds, micros = divmod(time, 1_000_000)
    days, seconds = divmod(seconds, 86400)
    # Days to a date in the proleptic Gregorian calendar, in years that begin in March.
    era, day = divmod(days + 719468, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month += 3 if month < 10 else -9
    year += era * 400 + (month <= 2)
    fraction = f"{micros:06}" if fine and micros % 1000 else f"{micros // 1000:03}"
    return f"{year:04}-{month:02}-{day:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction}Z"


def samples(series, item):
    """The numbers of a waveform's block as JSON text. `None` if they are in an encoding of the wearable's own or do not fill it."""
    _, count, encoding = item.values
    width = WIDTHS[encoding] if 0 <= encoding < len(WIDTHS) else 0
    if not width or count < 0 or len(item.data) != count * series.components * width:
        return None
    numbers = [decimal(int.from_bytes(item.data[at:at + width], "little", signed=True), series.factor)
               for at in range(0, len(item.data), width)]
    if series.components > 1:
        numbers = ["[" + ",".join(numbers[at:at + series.components]) + "]" for at in range(0, len(numbers), series.components)]
    return "[" + ",".join(numbers) + "]"


def line(number, item, device, address, wearer=None, clock=None):
    """An item as `hearth export` prints it. A long one comes here whole, its parts joined. `clock`: how sure its time is; `None` if it is sure."""
    series = ALL[number]
    value, tail, layout = None, [], series.layout
    if layout in ("scalar", "vector", "interval", "waveform", "record") and len(item.values) != series.values:
        layout = "unknown"  # a program wrote what the table does not allow; the value is not hidden
    if layout == "scalar":
        value = decimal(item.values[0], series.factor)
    elif layout == "vector":
        value = "[" + ",".join(decimal(part, series.factor) for part in item.values) + "]"
    elif layout == "interval":
        value = decimal(item.values[1], series.factor)
        tail.append(("end", json.dumps(time_text(item.time + item.values[0], series.fine))))
    elif layout == "waveform":
        value = samples(series, item)
        if value is None:
            tail += [("encoding", str(item.values[2])), ("period_ns", str(item.values[0])), ("count", str(item.values[1])), data(item)]
        else:
            tail.append(("period_ns", str(item.values[0])))
    elif layout == "record":
        tail += [("record", str(item.values[0])), data(item)]
    else:
        value = "[" + ",".join(map(str, item.values)) + "]"
        if item.data:
            tail.append(data(item))
    pairs = [("device", text(device)), ("address", text(address)), ("series", text(series.name)),
             ("time", text(time_text(item.time, series.fine)))]
    if value is not None:
        pairs.append(("value", value))
    if series.unit:
        pairs.append(("unit", text(series.unit)))
    pairs.append(("origin", text(ORIGINS[item.origin])))
    if item.kind:
        pairs.append(("kind", text(KINDS[item.kind])))
    if item.manual:
        pairs.append(("manual", "true"))
    if tail and tail[0][0] == "end":
        pairs.append(tail.pop(0))
    if wearer is not None:
        pairs.append(("wearer", text(wearer)))
    if clock:
        tail.append(("clock", text(clock)))
    if item.low_quality:
        tail.append(("quality", text("low")))
    return "{" + ",".join(f'"{name}":{value}' for name, value in pairs + tail) + "}"


def data(item):
    return "data", text(base64.b64encode(item.data).decode())


def text(string):
    return json.dumps(string, ensure_ascii=False)
