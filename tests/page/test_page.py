"""The page in a browser: what a reader does with it, and what may come in from outside."""
import base64
import os
import re
import subprocess
import tempfile
import time
import unittest

from selenium.webdriver.common.keys import Keys

from browser import ADDRESS, PAGE, PROGRAM, Browser, Handler

TILE = "algorithm=flash2&head=induction&block-q=32&block-kv=32&at=tile+9+1"


def desktop_picture(words, size):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.png")
        subprocess.run([PROGRAM, "view", *words, "--size", "%dx%d" % tuple(size), "--screenshot", path], check=True)
        with open(path, "rb") as file:
            return base64.b64encode(file.read()).decode()


def npy(shape, value):
    import struct
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    header += " " * (64 - (10 + len(header) + 1) % 64) + "\n"
    count = 1
    for n in shape:
        count *= n
    numbers = [value(n) for n in range(count)]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%df" % count, *numbers)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.driver.quit)

    def setUp(self):
        self.browser.driver.get(ADDRESS + "nowhere")
        self.browser.js("localStorage.clear()")
        self.browser.complaints()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def test_loads_from_a_sub_path_and_asks_nobody_else(self):
        Handler.requests.clear()
        self.browser.open()
        first = self.browser.js("return Module.page.first_frame")
        print(f"first frame after {first / 1000:.2f} s (goal 5 s); canvas {self.browser.canvas_size()}")
        self.assertLess(first, 5000)
        names = self.browser.js("return performance.getEntriesByType('resource').map((e) => e.name)")
        self.assertEqual({name.split("/some/where/")[-1] for name in names},
                         {"tilewalk.js", "tilewalk.wasm", "tilewalk.data"})
        self.assertTrue(all(name.startswith(ADDRESS) for name in names), names)
        self.assertIn("flash2 · N 512", self.browser.text())

    def test_is_small(self):
        import gzip
        sizes = {}
        for name in ("tilewalk.wasm", "tilewalk.data"):
            with open(os.path.join(PAGE, name), "rb") as file:
                sizes[name] = len(gzip.compress(file.read(), 9))
        print("compressed by gzip:", {name: f"{size / 1e6:.2f} MB" for name, size in sizes.items()}, "(goal 6 MB together)")
        self.assertLess(sum(sizes.values()), 6e6)

    def test_walks_a_whole_lesson_by_keys_in_both_languages(self):
        for language, word in (("en", "of"), ("zh", "步")):
            self.browser.open("lesson=1&step=1&lang=" + language)
            self.assertEqual(self.browser.js("return document.documentElement.lang"), language)
            seen = [self.browser.text()]
            while len(seen) < 40:
                self.browser.press(Keys.PAGE_DOWN)
                if self.browser.text() == seen[-1]:
                    break
                seen.append(self.browser.text())
            total = re.search(r"of (\d+)|共 (\d+)", seen[0].split("\n")[0])
            self.assertEqual(len(seen), int(total.group(1) or total.group(2)))
            self.assertTrue(all(word in text.split("\n")[0] for text in seen))
            self.assertEqual(len(set(seen)), len(seen))
            print(f"walked {len(seen)} steps of lesson 1 in {language}")

    def test_answers_a_prediction_and_keeps_it(self):
        self.browser.open("lesson=1&lang=en")
        while "a) " not in self.browser.text():
            before = self.browser.text()
            self.browser.press(Keys.PAGE_DOWN)
            self.assertNotEqual(self.browser.text(), before, "no question with choices")
        self.assertNotIn("Answer:", self.browser.text())
        self.browser.press_with(Keys.CONTROL, "2")
        self.assertIn("Answer:", self.browser.text())
        self.assertIn("score", self.browser.js("return localStorage.getItem('tilewalk.settings')"))
        told = self.browser.text()
        self.browser.driver.refresh()
        self.browser.until("return !!(window.Module && Module.page && Module.page.open)", 60)
        self.browser.rest()
        self.assertEqual(self.browser.text(), told)

    def test_a_link_shows_the_same_to_somebody_else(self):
        self.browser.open("algorithms=standard,flash2&head=sharp&block-q=32&block-kv=64&at=event+100")
        self.browser.press("3", Keys.ARROW_RIGHT, Keys.ARROW_DOWN, "t", Keys.F2, Keys.F3, "]")
        self.browser.press_with(Keys.CONTROL, Keys.ARROW_DOWN)
        self.browser.js("Module._page_copy_link(); Module.page.wake()")
        self.browser.rest()
        link = self.browser.js("return Module.page.copied")
        self.assertTrue(link.startswith(ADDRESS + "#"), link)
        self.assertEqual(self.browser.js("return location.href"), link)
        self.browser.press(Keys.ESCAPE)
        picture = self.browser.picture()
        # Other settings are kept there.
        self.browser.open("theme=contrast&scale=1.5&projector=true&step-size=kernel&speed=64&show=source,gpu")
        self.browser.js("localStorage.setItem('tilewalk.other', '1')")
        self.browser.open(link.split("#")[1])
        self.assertEqual(self.browser.alert(), "")
        self.assertEqual(self.browser.js("return location.href"), link)
        share = self.browser.different_pixels(picture, self.browser.picture())
        self.assertIsInstance(share, (int, float), share)
        self.assertLess(share, 1e-4)

    def test_the_picture_is_the_desktops(self):
        places = {
            TILE: ["flash2", "--head", "induction", "--block-q", "32", "--block-kv", "32", "--at", "tile 9 1"],
            "lesson=7&step=3&lang=zh&theme=light": ["--lesson", "7", "--step", "3", "--lang", "zh", "--theme", "light"],
            "algorithms=standard,flash1,flash2&n=256&d=32&at=event+200&show=source":
                ["--algorithms", "standard,flash1,flash2", "--n", "256", "--d", "32", "--at", "event 200",
                 "--show", "source"],
            "recorded=flash2_mma-f16-n128&at=tile+0+0": ["--recorded", "flash2_mma-f16-n128", "--at", "tile 0 0"],
        }
        for state, words in places.items():
            with self.subTest(state):
                self.browser.driver.get(ADDRESS + "nowhere")
                self.browser.js("localStorage.clear()")
                self.browser.complaints()
                self.browser.open(state)
                self.browser.js("Module._page_pointer(-1e6, -1e6, -1, 0); Module.page.wake()")
                self.browser.rest()
                share = self.browser.different_pixels(self.browser.picture(),
                                                      desktop_picture(words, self.browser.canvas_size()))
                print(f"{state}: {100 * share if isinstance(share, float) else share} % of pixels differ by more "
                      f"than 16/255 (goal 2 %)")
                self.assertIsInstance(share, (int, float), share)
                self.assertLess(share, 0.02)

    def test_files_are_opened_by_dropping(self):
        self.browser.open()
        wave = lambda n: ((n * 37) % 101) / 50 - 1
        self.browser.drop({name + ".npy": npy((24, 8), wave) for name in "qkv"})
        self.assertIn("N 24 · d 8", self.browser.text())
        self.browser.js("Module._page_copy_link(); Module.page.wake()")
        self.browser.rest()
        self.assertIn("not in the link", self.browser.text())
        self.assertNotIn("npy", self.browser.js("return location.href"))
        trace = subprocess.run([PROGRAM, "trace", "flash1", "--arch", "toy", "--out", "/dev/stdout"], check=True,
                               capture_output=True).stdout
        self.browser.drop({"a.trace": trace})
        self.assertIn("flash1 · N 8", self.browser.text())

    def test_malformed_files_give_a_message(self):
        self.browser.open(TILE)
        sound = npy((24, 8), float)
        bad = [{"q.npy": b"\x93NUMPY junk", "k.npy": sound, "v.npy": sound},
               {"q.npy": sound[:100], "k.npy": sound, "v.npy": sound},
               {"q.npy": sound}, {"a.trace": bytes(range(256)) * 40}, {"a.trace": b""}, {"a.run": b"tilewalk-trace 1\n"},
               {"a.lesson": b"\xff\xfe[step"}, {"a.lesson": b"lesson: x\n" * 1000}, {"a.exe": b"MZ"},
               {"../../../etc/passwd.trace": b"root"}, {"": b""}]
        for files in bad:
            with self.subTest(list(files)):
                before = self.browser.text()
                self.browser.drop(files)
                self.assertNotEqual(self.browser.text(), before)
                self.browser.press(Keys.ESCAPE)
        self.browser.press(Keys.HOME)
        self.assertIn("event 0 of", self.browser.text().replace("\u00a0", " "))

    def test_malformed_links_give_a_message(self):
        bad = ["algorithm=flash9", "n=-1", "n=1e99", "n=99999999999999999999", "lesson=99", "lesson=1&step=77",
               "lang=xx", "help=", "version=", "json=", "screenshot=a.png", "frames=0:5&out=x", "at=nowhere+at+all",
               "nonsense", "=", "%ff%00", "q=/data/x.npy", "algorithm=flash2&algorithm=standard", "block-q=0",
               "recorded=nothing", "mask=blocks:/dev/null", "arch=../../x", "row=5000&n=64", "--n=5", "n=5&n=6",
               "fault=none-such", "show=cellar", "size=1x1", "speed=nan", "scale=inf", "field=99999"]
        quiet = []
        for state in bad:
            with self.subTest(state):
                self.browser.open(state)
                if not self.browser.alert() and self.browser.text().count("\n") < 2:
                    quiet.append(state)
                self.browser.press(Keys.HOME)
                self.browser.press("1", Keys.ARROW_RIGHT)
                self.assertIn("event 1 of", self.browser.text().replace("\u00a0", " "))
        self.assertEqual(quiet, [])

    def test_sleeps_when_nothing_moves(self):
        self.browser.open(TILE)
        before = self.browser.js("return window.frames_drawn")
        time.sleep(2)
        self.assertEqual(self.browser.js("return window.frames_drawn"), before)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.browser.js("return window.frames_drawn"), before)

    def test_settings_are_kept(self):
        self.browser.open()
        self.browser.press(Keys.F3, Keys.F2)
        self.browser.open()
        self.assertEqual(self.browser.js("return document.documentElement.lang"), "zh")
        self.assertIn("theme=light", self.browser.js("return location.hash"))
        self.browser.js("localStorage.setItem('tilewalk.settings', 'damaged')")
        self.browser.open()
        self.assertIn("damaged settings", self.browser.text())

    def test_typing_into_a_field_and_the_mouse(self):
        self.browser.open(TILE)
        self.browser.press("g", rest=False)
        self.browser.rest()
        self.browser.press(*"load K 2", Keys.ENTER)
        self.assertIn("load K 2", self.browser.text().replace("\u00a0", " "))
        self.assertIn("at=event", self.browser.js("return location.hash"))
        before = self.browser.text()
        # "Home" of the transport, with the mouse; the same places as in the picture at this size.
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        canvas = self.browser.driver.find_element(By.ID, "canvas")
        width, height = self.browser.canvas_size()
        ActionChains(self.browser.driver).move_to_element_with_offset(
            canvas, 31 - width // 2, height - 84 - height // 2).click().perform()
        self.browser.rest()
        self.assertNotEqual(self.browser.text(), before)
        self.assertIn("event 0 of", self.browser.text().replace("\u00a0", " "))


class OtherBrowsers(unittest.TestCase):
    def test_saves_the_picture(self):
        with tempfile.TemporaryDirectory() as folder, Browser(downloads=folder) as browser:
            browser.open(TILE)
            browser.press("s")
            for _ in range(100):
                if any(name.endswith(".png") for name in os.listdir(folder)):
                    break
                time.sleep(0.1)
            with open(os.path.join(folder, "tilewalk_001.png"), "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_telephone(self):
        with Browser(size=(390, 844), density=3, mobile=True) as browser:
            browser.open("lesson=5&lang=zh")
            self.assertEqual(browser.canvas_size()[0], 780)
            self.assertEqual(browser.complaints(), [])
            self.assertLessEqual(browser.js("return document.documentElement.scrollWidth"), 390)

    def test_a_page_without_webgl2_says_so(self):
        with Browser(flags=["--disable-3d-apis"]) as browser:
            browser.open(wait=False)
            words = browser.until("const t = document.getElementById('trouble'); return t.hidden ? '' : t.innerText")
            self.assertIn("WebGL2", words)
            self.assertIn("demo.sh", browser.js("return document.body.innerText"))

    def test_a_part_that_is_missing_is_said(self):
        for part in ("tilewalk.wasm", "tilewalk.data", "tilewalk.js"):
            with self.subTest(part), Browser() as browser:
                browser.driver.execute_cdp_cmd("Network.enable", {})
                browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*" + part]})
                browser.open(wait=False)
                words = browser.until(
                    "const t = document.getElementById('trouble'); return t.hidden ? '' : t.innerText")
                self.assertIn("ould not be loaded", words)

    def test_loading_shows_how_far_it_is(self):
        with Browser() as browser:
            browser.driver.execute_cdp_cmd("Network.enable", {})
            browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
                "offline": False, "latency": 0, "downloadThroughput": 4e6, "uploadThroughput": 4e6})
            browser.open(wait=False)
            seen = set()
            while not browser.js("return !!(window.Module && Module.page && Module.page.open)"):
                seen.add(browser.js("const p = document.getElementById('progress'); "
                                    "return p.hasAttribute('value') ? p.value : -1"))
            self.assertGreater(len([share for share in seen if 0 < share < 1]), 3, seen)
