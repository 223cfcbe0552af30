#!/usr/bin/env python3
"""Looks at the wall and the console in a real browser: a simulated class behind a real broker and database, as `board/hall --try` starts them.

    Tests/Wall/run.py --programs .build-tests/release [--long] [--keep FOLDER]

How long a heart rate takes from the strap to its tile, and what each user of the broker may hear. Both pages come back by themselves and report dead
hubs; a hidden wearable is on no page; a page does not grow. Option --long plays eight hours of forty straps to it, and --keep takes pictures.
Needs Chromium and what board/wall/bundle needs; without them this says so, and no test runs.
"""
import argparse, datetime, json, pathlib, shutil, struct, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "board/hall.d"), str(ROOT / "Tests/Uplink"), str(ROOT / "Tests/Sink")]

import browser, hubs, server, trial, wire  # noqa: E402

passed = failed = 0
HIDDEN = "strap-03"
# The values of each second leave the hub together: half a second is the mean of what that costs.
ON_TIME = 1.5


def check(sentence, is_true, what=""):
    global passed, failed
    passed, failed = passed + bool(is_true), failed + (not is_true)
    print(f"{'ok  ' if is_true else 'FAIL'} {sentence}" + (f": {what}" if what != "" else ""), flush=True)


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.25)
    return False


WATCHING = """(() => { globalThis.seen = []; new MutationObserver(all => { for (const one of all) {
  const element = one.target.closest ? one.target : one.target.parentElement
  const tile = element?.closest('.tile')
  if (tile && element.closest('.rate') && seen.length < 100000)
    seen.push([tile.querySelector('.name').textContent, tile.querySelector('.rate').textContent, Date.now()])
} }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true }) })()"""
TILES = "[...document.querySelectorAll('.tile')].map(one => ['name', 'rate', 'why'].map(part => one.querySelector('.' + part).textContent))"
SAYS = "document.querySelector('#say').textContent"


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def delays(hall, page, seconds):
    """Seconds from the time of a heart rate that differs from the one before to its tile."""
    page.run(WATCHING)
    said = subprocess.run([hall.programs / "hearth", "--socket", hall.socket, "--json", "live", "--seconds", str(seconds)], capture_output=True, text=True).stdout
    time.sleep(3)
    seen, last, found, unseen = page.run("seen"), {}, [], 0
    for line in said.splitlines():
        one = json.loads(line)
        if one.get("series") != "heart_rate" or one["device"] == HIDDEN:
            continue
        rate, time_of = str(round(one["value"])), moment(one["time"])
        if last.get(one["device"], rate) != rate:
            shown = [at / 1000 for name, text, at in seen if name == one["device"] and text == rate and at / 1000 >= time_of - 0.05]
            if shown and min(shown) - time_of < 10:
                found.append(min(shown) - time_of)
            else:
                unseen += 1
        last[one["device"]] = rate
    return sorted(found), unseen


def may_hear(hall, user, topics, seconds=4):
    """Topics of the messages that a user of the broker gets."""
    heard = set()
    client = wire.Client(hall.ports["local"], f"test-{user}", topics, lambda topic, *_: heard.add(topic), quality=0, user=user, password=hall.house.words.of(user))
    client.ready.wait(10)
    client.publish("spBv1.0/hearth/NCMD/class", wire.rebirth_request())
    time.sleep(seconds)
    client.close()
    return heard


def kinds(topics):
    return {topic.split("/")[2] if topic.startswith("sp") else topic.split("/")[-1] for topic in topics}


def eight_hours(hall, page, messages):
    """DDATA of forty straps as a hub says them, as fast as the broker takes them."""
    client = wire.Client(hall.ports["local"], "test-flood", [], lambda *_: None, user=f"hub-{trial.HUB}", password=hall.house.words.of(f"hub-{trial.HUB}"))
    client.ready.wait(10)
    for place in range(messages):
        at, rate = int(time.time() * 1000), float(60 + place % 90)
        bits = int.from_bytes(struct.pack("<d", rate), "little")
        metric = hubs.text(1, "heart_rate") + hubs.number(3, at) + hubs.number(4, 10) + hubs.fixed(13, bits)
        client.publish(f"spBv1.0/hearth/DDATA/{trial.HUB}/flood-{place % 40:02}", hubs.number(1, at) + hubs.block(2, metric))
        if place % 2000 == 1999:
            time.sleep(0.05)
    client.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if not browser.PROGRAM or not shutil.which("esbuild") or not pathlib.Path("/usr/share/nodejs/mqtt").exists():
        print("Chromium, esbuild or node-mqtt is not installed: nothing ran")
        return 77
    began = time.monotonic()
    hall = trial.Trial(options.programs, 40)
    chromium = None
    try:
        hall.house.wall.write_text(json.dumps({"title": "Spinning", "sort": "effort", "wearables": {HIDDEN: {"show": False}, "strap-01": {"alias": "Tiger", "max": 170}}}))
        hall.begin()
        chromium = browser.Browser()
        wall, console = (chromium.page(address) for address in hall.house.addresses(is_secure=False))
        wall.show()
        tiles = lambda: {name: (rate, why) for name, rate, why in wall.run(TILES)}
        check("the wall has a tile for each strap that is live", until(lambda: sum(rate != "–" for rate, _ in tiles().values()) >= 25, 120), len(tiles()))
        print(f"     from nothing to a wall with pulses: {time.monotonic() - began:.0f} s, programs built before")
        found, unseen = delays(hall, wall, 20)
        late = [one for one in found if one > ON_TIME]
        middle = found[len(found) // 2] if found else None
        check("a pulse is on the wall within a second and a half, nineteen of twenty", len(found) > 50 and len(late) * 20 <= len(found) and unseen * 10 <= len(found),
              f"{len(found)} changes, {unseen} that changed again before the hub told them; half within {middle:.2f} s, the last after {found[-1]:.2f} s" if found else "none")
        check("an alias is in place of its name", "Tiger" in tiles() and "strap-01" not in tiles())
        check("a hidden wearable is not on the wall, nor in what it was told", HIDDEN not in wall.run("document.body.innerHTML") + "".join(file.read_text() for file in hall.house.www.glob("*.json")))
        check("what is shown is found by nobody without the password", not (hall.house.www / "wall.json").exists() and len(list(hall.house.www.glob("*.json"))) == 2)
        everything = ["hearth/1/#", "spBv1.0/#"]
        known = may_hear(hall, "sink", everything)
        check("a hidden wearable is said to the sink", any(topic.endswith(HIDDEN) for topic in known), sorted(kinds(known)))
        heard = may_hear(hall, "wall", everything)
        check("the wall hears births and values of wearables, and nothing else", kinds(heard) <= {"DBIRTH", "DDATA", "DDEATH", "NDEATH"} and {"DBIRTH", "DDATA"} <= kinds(heard), sorted(kinds(heard)))
        check("the broker keeps a hidden wearable from the wall", not any(topic.endswith(HIDDEN) for topic in heard))
        own = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        check("nobody but this machine has the pages in clear", not any(server.answers(hall.ports["local_pages"], address) for address in own), own)
        heard = may_hear(hall, "console", everything)
        check("the console hears of no wearable", kinds(heard) <= {"NBIRTH", "NDATA", "NDEATH", "status"} and heard, sorted(kinds(heard)))
        persons = {line.split()[1] for line in subprocess.run([hall.programs / "hearth", "--socket", hall.socket, "wearer"], capture_output=True, text=True).stdout.splitlines()[1:] if len(line.split()) > 2}
        page = wall.run("document.body.innerText") + console.run("document.body.innerText")
        check("no person is named on a page", persons and not any(person in page.split() for person in persons), sorted(persons)[:3])
        check("the hub is well on the console", until(lambda: " well" in console.run("document.body.innerText").replace("\t", " "), 30))
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            wall.picture(options.keep / "wall.png")
            console.picture(options.keep / "console.png")
            for name, one in (("wall", wall), ("console", console)):
                one.resize(390, 844)
                time.sleep(2)
                one.picture(options.keep / f"{name}-phone.png")
                one.resize(1920, 1080)
        name, process = next(each for each in hall.processes if each[0] == "mosquitto")
        hall.processes.remove((name, process))
        process.kill()
        process.wait()
        check("a page without a broker says so", until(lambda: "trying again" in wall.run(SAYS), 60), wall.run(SAYS))
        hall.broker()
        check("and comes back by itself", until(lambda: wall.run(SAYS) == "" and sum(rate != "–" for rate, _ in tiles().values()) >= 25, 120), len(tiles()))
        before = wall.heap()
        count = 8 * 3600 * 40 if options.long else 20_000
        eight_hours(hall, wall, count)
        check("what came is on the wall", until(lambda: sum(name.startswith("flood") for name in tiles()) == 40, 60))
        after = wall.heap()
        check(f"after {count:,} values more the page is at most 4 MB larger, with forty tiles more", after - before < 4_000_000, f"{before / 1e6:.1f} to {after / 1e6:.1f} MB")
        uplink = next(one for name, one in hall.processes if name == "uplink")
        uplink.kill()
        # What eight hours were is still on its way to the page.
        check("the wall says that a killed hub is not heard", until(lambda: all("hub not heard" in why for _, why in tiles().values()), 900 if options.long else 120))
        check("and the console that it is dead", until(lambda: "dead" in console.run("document.body.innerText"), 60), console.run("document.querySelector('#sum').textContent"))
    finally:
        if chromium:
            chromium.end()
        hall.end()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
