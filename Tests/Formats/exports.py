"""Reads files that `hearth export` writes for other tools, with those tools: pyedflib and edfio for EDF+, garmin-fit-sdk and fitdecode for FIT.
With HEARTH_AT_LENGTH also MNE for EDF+.

    values(data)        of an EDF+ or BDF+ file: for each signal its name and the (time, number) of each cell that has a value
    annotations(data)   (time, duration, text) of each annotation

Numbers are exact: digital values, scaled with the header's texts as fractions. Times are in seconds after 1970.
"""
import collections
import datetime
import fractions
import io
import os
import pathlib
import re
import tempfile

import edfio
import fitdecode
import garmin_fit_sdk
import numpy
import pyedflib

Fraction = fractions.Fraction


class File:
    """A file, read by edfio; a file of EDF+C or BDF+C is read by pyedflib besides, and both must agree."""

    def __init__(self, data):
        self.data = data
        self.is_wide = data[:1] == b"\xff"
        self.kind = data[192:236].decode().strip()
        self.records, self.length = int(data[236:244]), int(data[244:252])
        start = datetime.datetime.strptime(data[168:184].decode(), "%d.%m.%y%H.%M.%S")
        offset = re.search(r" UTC([+-])(\d\d):(\d\d) ", data[88:168].decode())
        east = (60 * int(offset[2]) + int(offset[3])) * (1 if offset[1] == "+" else -1)
        self.start = int(start.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=east))).timestamp())
        self.onsets, self.annotations = [], []
        read = edfio.read_bdf if self.is_wide else edfio.read_edf
        self.file = read(data)
        self._lists()
        self.signals = [self._signal(signal) for signal in self.file.signals]
        if self.kind.endswith("C"):
            self._with_pyedflib()
            if os.environ.get("HEARTH_AT_LENGTH"):
                self._with_mne()

    def _lists(self):
        """Annotation lists, as section 2.2.2 of the specification has them: neither library says when a record begins."""
        count = int(self.data[252:256])
        width = 3 if self.is_wide else 2
        at = 256 + count * (16 + 80 + 8 + 8 + 8 + 8 + 8 + 80)
        sizes = [width * int(self.data[at + 8 * place:at + 8 * place + 8]) for place in range(count)]
        for record in range(self.records):
            end = 256 * (count + 1) + (record + 1) * sum(sizes)
            lists = [part for part in self.data[end - sizes[-1]:end].split(b"\0") if part]
            for place, part in enumerate(lists):
                times, *texts = part.split(b"\x14")
                onset, _, duration = times.decode().partition("\x15")
                if place == 0:
                    self.onsets.append(int(onset))
                for text in filter(None, texts):
                    self.annotations.append((self.start + Fraction(onset), Fraction(duration or 0), text.decode()))

    def _signal(self, signal):
        """(name, [(time, number)])"""
        low, high = Fraction(str(signal.physical_min)), Fraction(str(signal.physical_max))
        step = (high - low) / (signal.digital_max - signal.digital_min)
        per_record = signal.samples_per_data_record
        cells = []
        for place, digital in enumerate(signal.digital.tolist()):
            if digital != signal.digital_min:
                record, sample = divmod(place, per_record)
                time = self.start + self.onsets[record] + Fraction(sample * self.length, per_record)
                cells.append((time, low + (digital - signal.digital_min) * step))
        return signal.transducer_type, cells

    def _with_pyedflib(self):
        with tempfile.TemporaryDirectory(prefix="hearth-edf.") as folder:
            path = pathlib.Path(folder) / "file"
            path.write_bytes(self.data)
            with pyedflib.EdfReader(str(path)) as reader:
                assert reader.signals_in_file == len(self.signals)
                for place, signal in enumerate(self.file.signals):
                    assert reader.readSignal(place, digital=True).tolist() == signal.digital.tolist(), place
                    assert reader.getLabel(place) == signal.label
                onsets, durations, texts = reader.readAnnotations()
                theirs = sorted((round(float(onset), 4), text) for onset, text in zip(onsets, texts))
                ours = sorted((round(float(time - self.start), 4), text) for time, _, text in self.annotations)
                assert [text for _, text in theirs] == [text for _, text in ours]
                assert all(abs(one - other) < 0.001 for (one, _), (other, _) in zip(theirs, ours))

    def _with_mne(self):
        """Signals of the highest rate, as MNE changes the rate of all others; and the annotations."""
        import mne  # pylint: disable=import-outside-toplevel
        highest = max(signal.samples_per_data_record for signal in self.file.signals)
        labels = collections.Counter(signal.label for signal in self.file.signals)
        with tempfile.TemporaryDirectory(prefix="hearth-edf.") as folder:
            path = pathlib.Path(folder) / ("file.bdf" if self.is_wide else "file.edf")
            path.write_bytes(self.data)
            read = mne.io.read_raw_bdf if self.is_wide else mne.io.read_raw_edf
            raw = read(path, verbose="error", stim_channel=None)
            assert len(raw.annotations) == len(self.annotations), (len(raw.annotations), len(self.annotations))
            for signal in self.file.signals:
                if signal.samples_per_data_record == highest and labels[signal.label] == 1:
                    # MNE has volts.
                    found = raw.get_data(picks=[signal.label])[0] * (1e6 if signal.physical_dimension == "uV" else 1)
                    assert numpy.allclose(found, signal.data, rtol=1e-9, atol=1e-6), signal.label


FIT_EPOCH = 631_065_600
# Fields of a record that are compared.
FIT_FIELDS = ("heart_rate", "cadence", "fractional_cadence", "distance", "speed", "power", "altitude", "position_lat", "position_long")


class Activity:
    """A FIT activity file, read by Garmin's own SDK and by fitdecode; both must agree.

    - records: [(seconds after 1970, {field: number})]
    - intervals: those between beats, milliseconds, in order
    - hrv: the same as [(second of the record before or `None`, [milliseconds])]
    - sessions, laps, devices, activity, file_id: their fields as the SDK reads them
    """

    def __init__(self, data):
        self.data = data
        # Each needs a stream of its own, as the check reads to the end.
        checker, decoder = (garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_byte_array(bytearray(data))) for _ in range(2))
        assert checker.is_fit() and checker.check_integrity()
        messages, errors = decoder.read(convert_datetimes_to_dates=False, expand_components=False, merge_heart_rates=False)
        assert not errors, errors
        self.records = [self._record(one) for one in messages.get("record_mesgs", [])]
        self.intervals = [round(1000 * time) for one in messages.get("hrv_mesgs", []) for time in self._times(one["time"])]
        self.sessions, self.laps = messages["session_mesgs"], messages["lap_mesgs"]
        self.devices = messages["device_info_mesgs"]
        (self.file_id,), (self.activity,) = messages["file_id_mesgs"], messages["activity_mesgs"]
        self._with_fitdecode()

    @staticmethod
    def _times(times):
        return [time for time in (times if isinstance(times, (list, tuple)) else [times]) if time is not None and time < 65.535]

    @staticmethod
    def _record(message):
        return message["timestamp"] + FIT_EPOCH, {name: message[name] for name in FIT_FIELDS if message.get(name) is not None}

    def _with_fitdecode(self):
        records, intervals, kinds = [], [], []
        with fitdecode.FitReader(io.BytesIO(self.data), check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
            for frame in reader:
                if frame.frame_type != fitdecode.FIT_FRAME_DATA:
                    continue
                kinds.append(frame.name)
                if frame.name == "record":
                    time = int(frame.get_value("timestamp").timestamp())
                    fields = {name: frame.get_value(name, fallback=None) for name in FIT_FIELDS}
                    records.append((time, {name: value for name, value in fields.items() if value is not None}))
                elif frame.name == "hrv":
                    intervals += [round(1000 * time) for time in self._times(frame.get_value("time"))]
        assert kinds[0] == "file_id" and kinds[-1] == "activity", kinds
        assert intervals == self.intervals
        assert [time for time, _ in records] == [time for time, _ in self.records]
        for (_, theirs), (_, ours) in zip(records, self.records):
            assert theirs.keys() == ours.keys(), (theirs, ours)
            assert all(abs(theirs[name] - ours[name]) < 1e-6 for name in ours), (theirs, ours)
