"""A headless Chromium, spoken to over a pipe by its DevTools protocol: pages, scripts, pictures. Needs no library."""
import base64, json, os, pathlib, select, shutil, subprocess, tempfile, time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hearth-browser-")
        to_read, self.to = os.pipe()
        self.said, from_write = os.pipe()

        def pipes():
            # The program reads descriptor 3 and writes 4. The ends may have these numbers already: they are moved out of the way first.
            one, two = os.dup(to_read), os.dup(from_write)
            os.dup2(one, 3)
            os.dup2(two, 4)

        words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--ignore-certificate-errors",
                 f"--user-data-dir={self.folder}", "about:blank"]  # fmt: skip
        self.process = subprocess.Popen([PROGRAM, *words], preexec_fn=pipes, pass_fds=(3, 4, to_read, from_write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest = 0, b""

    def ask(self, method, session=None, seconds=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while b"\0" in self.rest:
                one, self.rest = self.rest.split(b"\0", 1)
                answer = json.loads(one)
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise RuntimeError(f"{method}: {answer['error']}")
                    return answer["result"]
            if select.select([self.said], [], [], 1)[0]:
                self.rest += os.read(self.said, 1 << 20)
        raise TimeoutError(method)

    def page(self, address, width=1920, height=1080):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        page.resize(width, height)
        self.ask("Page.enable", session)
        self.ask("Page.navigate", session, url=address)
        return page

    def end(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def show(self):
        """In front: a page behind another is drawn seldom."""
        self.browser.ask("Target.activateTarget", targetId=self.target)

    def resize(self, width, height):
        self.browser.ask("Emulation.setDeviceMetricsOverride", self.session, width=width, height=height, deviceScaleFactor=1, mobile=width < 700)

    def run(self, script):
        """The value of an expression, as JSON has it."""
        done = self.browser.ask("Runtime.evaluate", self.session, expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", "failed"))
        return done["result"].get("value")

    def picture(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.browser.ask("Page.captureScreenshot", self.session)["data"]))

    def heap(self):
        """Bytes of the page's scripts after a collection."""
        self.browser.ask("HeapProfiler.collectGarbage", self.session)
        return self.browser.ask("Runtime.getHeapUsage", self.session)["usedSize"]
