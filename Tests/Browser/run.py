#!/usr/bin/env python3
"""Prints the page of `hearth report` in a real browser, and looks at what came out.

    Tests/Browser/run.py --programs .build/debug [--keep FOLDER]

A simulated ward is served; a wearer with a hostile name wears a band. The page must fit one sheet of A4, name that wearer, run no script of it,
load no other resource, and have no overlapping labels. Without Chromium the browser's part is skipped with a message; the rest runs.
"""
import argparse, datetime, pathlib, re, shutil, subprocess, sys, tempfile, time

HOSTILE = "<img src=x onerror=document.title='owned'>\"&"
passed = failed = 0


def check(sentence, is_true, what=""):
    global passed, failed
    if is_true:
        passed += 1
        print(f"passed: {sentence}")
    else:
        failed += 1
        print(f"FAILED: {sentence}", what)


def overlapping(page):
    """Labels of one drawing that stand on each other, as far as letters of 10.5 units are 6.4 wide."""
    found = []
    for drawing in re.findall(r"<svg.*?</svg>", page, re.S):
        rows = {}
        for x, y, anchor, text in re.findall(r'<text class="\w+" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">(.*?)</text>', drawing):
            width = 6.4 * len(re.sub(r"&\w+;|&#\d+;", "x", text))
            left = float(x) - {"start": 0, "middle": width / 2, "end": width}[anchor]
            rows.setdefault(float(y), []).append((left, left + width, text))
        for row in rows.values():
            row.sort()
            found += [(a[2], b[2]) for a, b in zip(row, row[1:]) if a[1] > b[0]]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="where page, print and picture stay")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-page-"))
    socket, page_file = folder / "s", folder / "page.html"
    hub = subprocess.Popen(
        [options.programs / "hearth-sim", "serve", "--population", "ward", "--wearables", "4", "--seed", "3", "--socket", socket, "--store", folder / "store"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        hearth = lambda *words: subprocess.run(
            [options.programs / "hearth", "--socket", socket, *words], capture_output=True, text=True, timeout=60)
        day = str(datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1))
        # The bands have been worn for a day and are fetched within a minute.
        for _ in range(90):
            if re.search(rf"^{day} +\d", hearth("days", "band-01").stdout, re.M):
                break
            time.sleep(1)
        hearth("wearer", "add", HOSTILE)
        hearth("wearer", "body", HOSTILE, "--born", "1980-05-17")
        hearth("wearer", "assign", "band-01", HOSTILE, "--from", f"{day} 00:00")
        done = hearth("report", "band-01", "--day", day, "--out", str(page_file))
        check("the page is written", done.returncode == 0 and page_file.exists(), done.stderr)
        again = hearth("report", "band-01", "--day", day, "--out", str(page_file))
        check("a file that is there is not written over", again.returncode == 2, again.stdout)
        page = page_file.read_text()
        check("it has the curves", page.count("<svg") >= 4, page.count("<svg"))
        check("it names who wore the wearable, escaped", "&lt;img src=x onerror=" in page and "<img" not in page)
        check("it asks for nothing from elsewhere and has no script", not re.search(r"<script|<link|<iframe|https?:|src=[\"']|url\(", page))
        check("no label stands on another", not overlapping(page), overlapping(page))
        browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if browser is None:
            print("skipped: there is no Chromium; apt-get install chromium")
        else:
            look(browser, folder, page_file)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            for file in ("page.html", "page.pdf", "page.png"):
                if (folder / file).exists():
                    shutil.copy(folder / file, options.keep)
    finally:
        hub.terminate()
        hub.wait()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def look(browser, folder, page_file):
    def run(*words):
        return subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", *words, page_file.as_uri()],
            capture_output=True, timeout=120)

    run("--no-pdf-header-footer", f"--print-to-pdf={folder}/page.pdf")
    pdf = (folder / "page.pdf").read_bytes() if (folder / "page.pdf").exists() else b""
    pages = len(re.findall(rb"/Type\s*/Page[^s]", pdf))
    check("it prints on one sheet", pages == 1, f"{pages} pages")
    box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    check("of A4", box is not None and abs(float(box[1]) - 595) < 2 and abs(float(box[2]) - 842) < 2, box)
    dom = run("--dump-dom").stdout.decode()
    title = re.search(r"<title>(.*?)</title>", dom, re.S)
    check("the browser runs nothing of a name", title is not None and "band-01" in title[1] and "<img" not in dom, title)
    run("--window-size=800,1130", f"--screenshot={folder}/page.png")
    check("it is drawn", (folder / "page.png").exists() and (folder / "page.png").stat().st_size > 20_000)


if __name__ == "__main__":
    sys.exit(main())
