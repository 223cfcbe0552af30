#!/usr/bin/env python3
"""Reads the file for a collector as a collector does, while a simulated hub writes it.

    Tests/Metrics/run.py --programs .build/debug [--keep FILE]

`promtool check metrics` of Debian's package `prometheus` must accept it. promtool is taken from the path, from the cache folder, or out of the
package. The package is fetched there and not installed: no service is started. Without promtool this says so and the rest runs.
"""
import argparse, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

passed = failed = 0


def check(sentence, is_true, what=""):
    global passed, failed
    if is_true:
        passed += 1
        print(f"passed: {sentence}")
    else:
        failed += 1
        print(f"FAILED: {sentence}", what)


def promtool():
    """A path; `None` if there is no promtool and none can be fetched."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "hearth/promtool"
    kept = cache / "usr/bin/promtool"
    if found := shutil.which("promtool") or (str(kept) if kept.exists() else None):
        return found
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for command in (["apt-get", "-q", "download", "prometheus"], ["sh", "-c", "dpkg-deb -x prometheus_*.deb all"]):
            try:
                if subprocess.run(command, timeout=120, **quiet).returncode != 0:
                    return None
            except (OSError, subprocess.TimeoutExpired):
                return None
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(f"{folder}/all/usr/bin/promtool", kept)
    return str(kept)


VALUE = re.compile(r'(hearth[a-z0-9_]*)((?:\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\})?) (-?[0-9][0-9.e+-]*)')


def values(text):
    """Name and labels of each line that is no comment, and its number."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, number = VALUE.fullmatch(line).groups()
            assert (name, labels) not in found, line
            found[name, labels] = float(number)
    return found


def open_metrics(text):
    """What is wrong with a text by OpenMetrics 1.0, as far as it has gauges and counters."""
    wrong, kinds, family = [], {}, None
    lines = text.split("\n")
    if lines[-2:] != ["# EOF", ""]:
        wrong.append("no # EOF at its end")
    for line in lines[:-2]:
        if meta := re.fullmatch(r"# (HELP|TYPE|UNIT) (\w+) (.+)", line):
            kind, name, rest = meta.groups()
            if name != family and name in kinds:
                wrong.append(f"{name} is in two places")
            family = name
            about = kinds.setdefault(name, {})
            if kind in about:
                wrong.append(f"two {kind} of {name}")
            about[kind] = rest
            if kind == "UNIT" and not name.endswith("_" + rest):
                wrong.append(f"{name} has unit {rest}")
        elif value := VALUE.fullmatch(line):
            suffix = "_total" if kinds.get(family, {}).get("TYPE") == "counter" else ""
            if value[1] != f"{family}{suffix}":
                wrong.append(f"{line} in the family {family}")
        else:
            wrong.append(line)
    return wrong


def has_network_socket(process):
    """Whether a descriptor of the process is a socket of IP."""
    tables = (pathlib.Path(f"/proc/{process}/net/{name}") for name in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"))
    ours = {os.readlink(link) for link in pathlib.Path(f"/proc/{process}/fd").iterdir()}
    inodes = {line.split()[9] for table in tables if table.exists() for line in table.read_text().splitlines()[1:]}
    return any(f"socket:[{inode}]" in ours for inode in inodes)


def watch(file, seconds, enough=99):
    """All texts that a reader finds within a time, in order, and how often it read."""
    texts, reads, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end and len(texts) < enough:
        try:
            text = file.read_text()
        except FileNotFoundError:
            text = None
        reads += text is not None
        if text is not None and text not in texts[-1:]:
            texts.append(text)
        # Two hundred times a second is much more than any collector looks, and leaves the processor to others.
        time.sleep(0.005)
    return texts, reads


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="where the last text stays")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-metrics-"))
    file, socket, settings = folder / "metrics.prom", folder / "s", folder / "hearth.yaml"

    def configure(form):
        settings.write_text(
            f"hub: {{name: test}}\nenroll: {{mode: all}}\ncontrol: {{socket: {socket}}}\nstore: {{path: {folder}/store, commit: {{every: 1s}}}}\n"
            f"metrics: {{file: {file}, format: {form}}}\n")

    configure("prometheus")
    hub = subprocess.Popen(
        [options.programs / "hearth-sim", "serve", "--config", settings, "--population", "gym", "--wearables", "6", "--seed", "7"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    try:
        # Three texts of three moments, 15 s apart.
        first, _ = watch(file, 30, 1)
        texts, reads = watch(file, 40, 3)
        check("a text comes every 15 s", bool(first) and len(texts) == 3, f"{len(texts)} texts")
        if not texts:
            return
        torn = [text[-60:] for text in texts if not text.endswith("\n# EOF\n")]
        check(f"each of {reads} readings found a whole text", not torn and reads > 1000, f"{torn} {reads}")
        found = [values(text) for text in texts]
        counters = [key for key in found[0] if key[0].endswith("_total")]
        check("it has counters of the hub and of each wearable", len(counters) > 60 and any('device="' in labels for _, labels in counters), len(counters))
        check(
            "counters only grow",
            all(earlier[key] <= later.get(key, -1) for earlier, later in zip(found, found[1:]) for key in earlier if key[0].endswith("_total")))
        check("and some did", any(found[-1][key] > found[0][key] for key in counters))
        status = json.loads(subprocess.run(
            [options.programs / "hearth", "--socket", socket, "status", "--json"], capture_output=True, text=True, timeout=60).stdout)
        told = [found[-1][name, ""] for name in ("hearth_enrolled_devices", "hearth_radio_slots", "hearth_store_limit_bytes")]
        asked = [status["enrolled"], status["radio"]["slots"], status["store"]["limit_bytes"]]
        check("it says what hearth status says", told == asked, f"{told} {asked}")
        if tool := promtool():
            run = subprocess.run([tool, "check", "metrics"], input=texts[-1], capture_output=True, text=True, timeout=60)
            check("promtool check metrics accepts it without a remark", run.returncode == 0 and not run.stdout + run.stderr, run.stdout + run.stderr)
            broken = texts[-1].replace("hearth_visits_total{", "hearth_visitsMs_total{", 1)
            run = subprocess.run([tool, "check", "metrics"], input=broken, capture_output=True, text=True, timeout=60)
            check("and would find out a wrong one", run.returncode != 0, run.stdout + run.stderr)
        else:
            print("skipped: there is no promtool here, and Debian's package prometheus cannot be fetched")
        check("the text of the older format is no OpenMetrics, as the test for it finds", open_metrics(texts[-1]))
        if options.keep:
            options.keep.write_text(texts[-1])

        configure("openmetrics")
        hub.send_signal(signal.SIGHUP)
        news, _ = watch(file, 20, 2)
        wrong = open_metrics(news[-1]) if len(news) == 2 else ["no other text came"]
        check("after a reload it is OpenMetrics", not wrong, wrong[:5])
        check("no socket of the hub is of a network", not has_network_socket(hub.pid))
        hub.send_signal(signal.SIGTERM)
        check("a hub that is told to end does", hub.wait(20) == 0)
        check("and leaves no figures behind", not file.exists() and not list(folder.glob("*.new")))
    finally:
        if hub.poll() is None:
            hub.kill()
            hub.wait()
        shutil.rmtree(folder, ignore_errors=True)


main()
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
