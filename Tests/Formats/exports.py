"""Reads files that `hearth export` writes for other tools, with those tools: pyedflib and edfio for EDF+, fhir.resources for FHIR.

    values(data)        of an EDF+ or BDF+ file: for each signal its name and the (time, number) of each cell that has a value
    annotations(data)   (time, duration, text) of each annotation

Numbers are exact: digital values, scaled with the header's texts as fractions. Times are in seconds after 1970.
"""
import datetime
import fractions
import pathlib
import re
import tempfile

import edfio
import pyedflib

Fraction = fractions.Fraction


class File:
    """One file, read by edfio; a file of EDF+C or BDF+C is read by pyedflib besides, and both must agree."""

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
