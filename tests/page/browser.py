"""Headless Chromium, driven over a pipe (the Chrome DevTools protocol): pages are loaded, scripts evaluated, pictures taken."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--allow-file-access-from-files",
)


class Browser:
    """One tab. Messages are JSON, each ended by a zero byte, on the descriptors 3 and 4 of Chromium."""

    def __init__(self, *flags):
        # Processes that Chromium has started may still write to the folder while it is deleted.
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.send_end = os.pipe()
        self.receive_end, from_browser = os.pipe()
        command = [
            'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser),
            "sh",
            CHROMIUM,
            *FLAGS,
            *flags,
            "--user-data-dir=" + self.profile.name,
            "about:blank",
        ]
        self.process = subprocess.Popen(
            ["sh", "-c", *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.last, self.session = b"", 0, None
        self.console = []  # messages and exceptions of the page
        target = next(
            t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"
        )
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]
        self.call(
            "Emulation.setFocusEmulationEnabled", enabled=True
        )  # otherwise no element loses the focus
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.send_end)
        os.close(self.receive_end)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.receive_end, 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.send_end, text) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self.note(answer)

    def note(self, event):
        params = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(argument.get("value")) for argument in params["args"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            self.console.append(
                params["exceptionDetails"].get("exception", {}).get("description", "exception")
            )
        elif event.get("method") == "Log.entryAdded":
            self.console.append(params["entry"]["text"])

    def open(self, path, width=1440, height=900, is_light=False, is_phone=False, hash_=""):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "light" if is_light else "dark"}],
        )
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + hash_)
        self.evaluate(
            "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )

    def evaluate(self, expression):
        """The value of a JavaScript expression, or that of its promise. Raise RuntimeError with the message of the exception."""
        done = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in done:
            raise RuntimeError(
                done["exceptionDetails"].get("exception", {}).get("description", "exception")
            )
        return done["result"].get("value")

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
