"""A headless Chromium that draws in software, and the page in it, served from a sub-path of a server of our own."""
import functools
import http.server
import os
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

PAGE = os.path.abspath(os.environ["TILEWALK_PAGE"])
PROGRAM = os.path.abspath(os.environ["TILEWALK_PROGRAM"])
FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars"]


class Handler(http.server.SimpleHTTPRequestHandler):
    """The page at /some/where/, and nothing else."""
    requests = []

    def translate_path(self, path):
        path = path.split("?")[0].split("#")[0]
        Handler.requests.append(path)
        prefix = "/some/where/"
        return super().translate_path("/" + path[len(prefix):] if path.startswith(prefix) else "/nothing")

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/some/where/"


ADDRESS = serve()


class Browser:
    """`size` is of the page's viewport; `density` and `mobile` as DevTools emulate them."""

    def __init__(self, size=(1600, 930), density=1, mobile=False, flags=(), downloads=None):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for flag in [*FLAGS, *flags]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if downloads:
            options.add_experimental_option("prefs", {"download.default_directory": downloads})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(120)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": density, "mobile": mobile})
        if mobile:
            self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def js(self, script, *values):
        return self.driver.execute_script(script, *values)

    def open(self, state="", wait=True):
        """Opens the page at `state` (what follows #), and waits until it rests."""
        self.driver.get("about:blank")
        self.driver.get(ADDRESS + ("#" + state if state else ""))
        if wait:
            self.until("return !!(Module.page && Module.page.open)", 60)
            self.rest()

    def until(self, script, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            answer = self.js(script)
            if answer:
                return answer
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s: {script}; {self.text()[:300]}")

    def rest(self, seconds=60):
        """Waits until the page has asked for no frame for a while."""
        self.js("""if (!window.counted) { window.counted = true; window.frames_drawn = 0;
                   const frame = Module._page_frame;
                   Module._page_frame = (...a) => { ++window.frames_drawn; return frame(...a); }; }""")
        end, before = time.time() + seconds, -1
        while time.time() < end:
            now = self.js("return window.frames_drawn")
            if now == before:
                return
            before = now
            time.sleep(0.3)
        raise AssertionError("the page does not come to rest")

    def text(self):
        """Of the live region."""
        return self.js("return document.getElementById('transcript').innerText || "
                       "document.getElementById('transcript').textContent") or ""

    def alert(self):
        return self.js("const a = document.getElementById('alert'); return a.hidden ? '' : a.innerText")

    def press(self, *keys, rest=True):
        chain = ActionChains(self.driver)
        for key in keys:
            chain = chain.send_keys(key)
        chain.perform()
        if rest:
            self.rest()

    def press_with(self, modifier, key):
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()
        self.rest()

    def drop(self, files):
        """Drops files, name -> bytes, on the picture."""
        self.js("""const t = new DataTransfer();
                   for (const [name, bytes] of Object.entries(arguments[0]))
                     t.items.add(new File([new Uint8Array(bytes)], name));
                   document.getElementById('canvas').dispatchEvent(
                     new DragEvent('drop', { dataTransfer: t, bubbles: true, cancelable: true }));""",
                {name: list(data) for name, data in files.items()})
        time.sleep(0.3)
        self.rest()

    def canvas_size(self):
        return self.js("const c = document.getElementById('canvas'); return [c.width, c.height]")

    def picture(self):
        """The canvas as a PNG in base64."""
        from selenium.webdriver.common.by import By
        return self.driver.find_element(By.ID, "canvas").screenshot_as_base64

    def different_pixels(self, one, other):
        """Share of pixels, of two PNGs in base64, some channel of which differs by more than 16 of 255."""
        return self.driver.execute_async_script("""
            const [one, other, done] = arguments;
            const read = async (png) => {
              const image = new Image();
              image.src = 'data:image/png;base64,' + png;
              await image.decode();
              const canvas = new OffscreenCanvas(image.width, image.height), to = canvas.getContext('2d');
              to.drawImage(image, 0, 0);
              return to.getImageData(0, 0, image.width, image.height);
            };
            Promise.all([read(one), read(other)]).then(([a, b]) => {
              if (a.width !== b.width || a.height !== b.height)
                return done(`sizes ${a.width}x${a.height} and ${b.width}x${b.height}`);
              let different = 0;
              for (let n = 0; n < a.data.length; n += 4) {
                let most = 0;
                for (let c = 0; c < 3; ++c) most = Math.max(most, Math.abs(a.data[n + c] - b.data[n + c]));
                if (most > 16) ++different;
              }
              done(different / (a.width * a.height));
            }, (error) => done(String(error)));""", one, other)

    def complaints(self):
        """What the console says that went wrong, since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
