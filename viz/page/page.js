// The page around the program: loading, events, the address, the clipboard, files. It becomes the beginning of
// tilewalk.js, and does nothing where there is no page (under Node the same script is the command line).
var Module = {};
if (typeof document !== 'undefined') (function () {
  const by = (id) => document.getElementById(id);
  const canvas = by('canvas'), cover = by('cover'), transcript = by('transcript');
  const kept = 'tilewalk.settings', most_bytes = 256 << 20, finest = 2;

  // ---- What is said in both languages ----
  const says = {
    no_webgl: ['This browser has no WebGL2, which draws the picture. Another or newer browser will have it, or switch on hardware acceleration in this one; the desktop version needs neither.',
      '本浏览器没有 WebGL2，无法绘制画面。请换用其他或更新的浏览器，或在设置里打开硬件加速；安装版不需要浏览器。'],
    no_wasm: ['This browser has no WebAssembly with exceptions, which the program is made of: any of 2022 or later has it.',
      '本浏览器不支持带异常处理的 WebAssembly，程序无法运行：2022 年以后的浏览器都支持。'],
    not_loaded: ['Could not be loaded: ', '加载失败：'],
    from_file: ['A page that was opened as a file cannot load its parts; it has to come from a server, such as ./web.sh or any host of static files.',
      '直接以文件方式打开的网页无法加载其余部分；请通过服务器访问，例如 ./web.sh 或任何静态文件托管。'],
    stopped: ['tilewalk has stopped: ', 'tilewalk 已停止：'],
    again: [' Reload the page to begin anew.', ' 请刷新页面重新开始。'],
    bad_link: ['The link could not be opened: ', '链接无法打开：'],
    too_large: ['This file is too large for a page: ', '文件太大，网页打不开：'],
    starting: ['Starting …', '正在启动…'],
  };
  const is_zh = () => document.documentElement.lang === 'zh';
  const say = (key) => says[key][is_zh() ? 1 : 0];

  function trouble(words) {
    cover.hidden = false;
    by('loading').hidden = true;
    by('trouble').hidden = false;
    by('trouble').firstElementChild.textContent = words;
  }
  function alert(words) {
    by('alert').hidden = false;
    by('alert').firstElementChild.textContent = words;
    resize();
  }
  by('alert').lastElementChild.onclick = () => { by('alert').hidden = true; canvas.focus(); resize(); };

  // ---- The address: flags of `tilewalk view`, as #lesson=5&step=2&lang=zh ----
  function wordsOf(hash) {
    const words = ['view'];
    for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
      if (key === 'algorithm') words.push(value);
      else words.push(value === '' ? '--' + key : '--' + key + '=' + value);
    }
    return words;
  }
  function hashOf(words) {
    const state = new URLSearchParams();
    for (let n = 1; n < words.length; ++n) {  // words[0]: view
      if (!words[n].startsWith('--')) { state.append('algorithm', words[n]); continue; }
      const [key, value] = words[n].slice(2).split('=');
      if (value !== undefined) state.append(key, value);
      else if (n + 1 < words.length && !words[n + 1].startsWith('--')) state.append(key, words[++n]);
      else state.append(key, '');
    }
    return '#' + state.toString().replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/=(&|$)/g, '$1');
  }
  const linkOf = (lines) => location.href.replace(/#.*/, '') + hashOf(lines.trimEnd().split('\n'));

  // ---- What the program asks for ----
  let own_hash = location.hash;
  const page = Module.page = {
    software: false,
    size: () => size,
    linkOf,
    setAddress(lines) {
      const hash = hashOf(lines.trimEnd().split('\n'));
      if (hash === own_hash) return;
      own_hash = hash;
      history.replaceState(null, '', hash);
    },
    copy(text) {
      const by_hand = () => {
        const area = document.body.appendChild(document.createElement('textarea'));
        area.value = text;
        area.select();
        document.execCommand('copy');
        area.remove();
        canvas.focus();
      };
      page.copied = text;
      if (navigator.clipboard) navigator.clipboard.writeText(text).catch(by_hand);
      else by_hand();
    },
    keep(settings) {
      try { localStorage.setItem(kept, settings); } catch (refused) { /* a private window: for this visit only */ }
    },
    setLanguage(code) { document.documentElement.lang = code; },
    tell(text) {
      if (text === page.told) return;
      page.told = text;
      transcript.replaceChildren(...text.trimEnd().split('\n').map((line) => {
        const p = document.createElement('p');
        p.textContent = line;
        return p;
      }));
    },
    download(name, bytes) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([bytes], { type: name.endsWith('.svg') ? 'image/svg+xml' : 'image/png' }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
  };

  // ---- Frames ----
  let waiting = false, dead = false, size = [0, 0, 1];
  function guarded(work) {
    if (dead) return 0;
    try {
      return work();
    } catch (error) {
      dead = true;
      trouble(say('stopped') + (error && error.message || error) + '.' + say('again'));
      return 0;
    }
  }
  function draw(now) {
    waiting = false;
    if (guarded(() => Module._page_frame(now, size[0], size[1], size[2]))) wake();
    if (!page.first_frame) page.first_frame = performance.now();
  }
  function wake() {
    if (waiting || dead) return;
    waiting = true;
    requestAnimationFrame(draw);
  }
  page.wake = wake;
  function resize() {
    const density = Math.min(window.devicePixelRatio || 1, finest);
    const width = Math.max(1, Math.round(canvas.clientWidth * density));
    const height = Math.max(1, Math.round(canvas.clientHeight * density));
    size = [width, height, density];
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    if (page.open) wake();
  }
  const withText = (text, call) => {
    const bytes = Module.lengthBytesUTF8(text) + 1, at = Module._malloc(bytes);
    Module.stringToUTF8(text, at, bytes);
    const answer = guarded(() => call(at));
    if (!dead) Module._free(at);
    return answer;
  };

  // ---- Events ----
  let by_keys = false;
  let touch = null;  // where a finger was, and whether it scrolls
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * size[2], (event.clientY - box.top) * size[2]];
  };
  const point = (event, button, down) => {
    guarded(() => Module._page_pointer(...at(event), button, down));
    wake();
  };
  function listen() {
    canvas.addEventListener('pointerdown', (event) => {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      touch = event.pointerType === 'mouse' ? null : { x: event.clientX, y: event.clientY, scrolls: false };
      point(event, event.button === 1 ? 2 : event.button === 2 ? 1 : event.button, 1);
      event.preventDefault();
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!touch) return point(event, -1, 0);
      const x = event.clientX - touch.x, y = event.clientY - touch.y;
      if (!touch.scrolls && Math.hypot(x, y) < 8) return;
      if (!Module._page_holds()) touch.scrolls = true;  // it rests on nothing that moves with it
      if (!touch.scrolls) return point(event, -1, 0);
      touch.x = event.clientX;
      touch.y = event.clientY;
      guarded(() => Module._page_scroll(-x, -y));
      wake();
    });
    const release = (event) => {
      // A finger that scrolled has not clicked; one that has left points at nothing.
      if (touch && touch.scrolls) guarded(() => Module._page_pointer(-1e6, -1e6, -1, 0));
      else point(event, -1, 0);
      const button = event.button === 1 ? 2 : event.button === 2 ? 1 : Math.max(0, event.button);
      guarded(() => touch && touch.scrolls ? Module._page_pointer(-1e6, -1e6, button, 0) : Module._page_pointer(...at(event), button, 0));
      touch = null;
      wake();
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => {
      if (!touch) guarded(() => Module._page_pointer(-1e6, -1e6, -1, 0));
      wake();
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      const line = event.deltaMode === 1 ? 33 : 1;
      guarded(() => Module._page_scroll(event.deltaX * line, event.deltaY * line));
      wake();
      event.preventDefault();
    }, { passive: false });

    const key = (event, down) => {
      if (event.key === 'F6') {  // the way out for keyboards: Tab is the viewer's
        if (down) by('bar').querySelector('button').focus();
        event.preventDefault();
        return;
      }
      const taken = withText(event.key, (name) =>
        Module._page_key(name, down, event.ctrlKey || event.metaKey, event.shiftKey, event.altKey));
      if (taken) event.preventDefault();
      wake();
    };
    canvas.addEventListener('keydown', (event) => key(event, 1));
    canvas.addEventListener('keyup', (event) => key(event, 0));
    // Who came by keys is shown where the keys go; a class that watches is not.
    window.addEventListener('keydown', () => { by_keys = true; }, true);
    window.addEventListener('pointerdown', () => { by_keys = false; }, true);
    canvas.addEventListener('focus', () => canvas.classList.toggle('keyed', by_keys));
    canvas.addEventListener('blur', () => { guarded(() => Module._page_blur()); wake(); });
    document.addEventListener('paste', (event) => {
      if (document.activeElement !== canvas) return;
      withText(event.clipboardData.getData('text'), (text) => Module._page_text(text));
      wake();
    });

    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => location.reload());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) { guarded(() => Module._page_expose()); wake(); } });
    window.addEventListener('hashchange', () => { if (location.hash !== own_hash) location.reload(); });
    new ResizeObserver(resize).observe(canvas);
    window.addEventListener('resize', resize);

    window.addEventListener('dragover', (event) => event.preventDefault());
    window.addEventListener('drop', (event) => { event.preventDefault(); open(event.dataTransfer.files); });
    by('files').addEventListener('change', () => { open(by('files').files); by('files').value = ''; canvas.focus(); });
    by('link').onclick = () => { guarded(() => Module._page_copy_link()); canvas.focus(); wake(); };
    for (const button of document.querySelectorAll('[data-sheet]')) {
      button.onclick = () => {
        const sheet = by(button.dataset.sheet), opens = button.getAttribute('aria-expanded') !== 'true';
        button.setAttribute('aria-expanded', opens);
        if (sheet === transcript) sheet.classList.toggle('away', !opens);
        else sheet.hidden = !opens;
        resize();
      };
    }
  }
  async function open(list) {
    const files = Array.from(list);
    if (!files.length) return;
    if (files.reduce((sum, file) => sum + file.size, 0) > most_bytes)
      return withText(say('too_large') + files[0].name, (text) => { Module._page_say(text); wake(); });
    try {
      const paths = [];
      for (const file of files) {
        const path = '/' + file.name.replace(/[\/\n\0]/g, '_');
        Module.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
        paths.push(path);
      }
      withText(paths.join('\n'), (text) => Module._page_drop(text));
    } catch (error) {
      withText(String(error.message || error), (text) => Module._page_say(text));
    }
    wake();
  }

  // ---- Loading ----
  const parts = {};  // bytes that have come, and that there are
  function progress(name, have, all) {
    parts[name] = [have, all];
    let sum = 0, whole = 0;
    for (const [a, b] of Object.values(parts)) { sum += a; whole += Math.max(a, b); }
    if (whole > 0) by('progress').value = sum / whole;
    by('loaded').textContent = sum < whole ? (sum / 1e6).toFixed(1) + ' / ' + (whole / 1e6).toFixed(1) + ' MB' : say('starting');
  }
  async function fetchWhole(url, name) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(url + ': ' + response.status + ' ' + response.statusText);
    // What is sent compressed comes longer than its header says.
    const all = response.headers.get('content-encoding') ? 0 : Number(response.headers.get('content-length'));
    const reader = response.body.getReader(), pieces = [];
    let have = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      progress(name, have += value.length, all || have + 1);
    }
    progress(name, have, have);
    return new Blob(pieces).arrayBuffer();
  }
  Module.instantiateWasm = (imports, take) => {
    fetchWhole(Module.locateFile('tilewalk.wasm'), 'wasm')
      .then((bytes) => WebAssembly.instantiate(bytes, imports))
      .then((result) => take(result.instance, result.module))
      .catch(failed);
    return {};
  };
  Module.setStatus = (text) => {  // of the data: "Downloading data... (1/2)"
    const numbers = /\((\d+(?:\.\d+)?)\/(\d+)\)/.exec(text);
    if (numbers) progress('data', Number(numbers[1]), Number(numbers[2]));
  };
  const base = document.currentScript ? document.currentScript.src.replace(/[^\/]*$/, '') : '';
  Module.locateFile = (name) => base + name;
  function failed(error) {
    if (dead) return;
    dead = true;
    if (location.protocol === 'file:') trouble(say('from_file'));
    else if (error instanceof WebAssembly.CompileError) trouble(say('no_wasm'));
    else trouble(say('not_loaded') + (error && error.message || error) + '.' + say('again'));
  }
  // The compiler's script throws where nobody catches when the data cannot be had.
  window.addEventListener('error', (event) => { if (!page.open) failed(event.error || event.message); });
  window.addEventListener('unhandledrejection', (event) => { if (!page.open) failed(event.reason); });

  let complaint = '';
  Module.print = (text) => console.log(text);
  Module.printErr = (text) => { complaint += (complaint ? ' ' : '') + text.replace(/^tilewalk: /, ''); };
  Module.quit = (status, toThrow) => { throw toThrow; };
  Module.noInitialRun = true;
  Module.preRun = [() => {
    Module.ENV.XDG_CONFIG_HOME = '/settings';
    try {
      const settings = localStorage.getItem(kept);
      if (!settings) return;
      Module.FS.mkdirTree('/settings/tilewalk');
      Module.FS.writeFile('/settings/tilewalk/viewer.txt', settings);
    } catch (refused) { /* a private window */ }
  }];

  function run(words) {
    complaint = '';
    Module.callMain(words);
    return Module._page_is_open();
  }
  Module.onRuntimeInitialized = () => setTimeout(() => {
    guarded(() => {
      const words = wordsOf(location.hash);
      if (!run(words)) {
        const why = complaint || words.slice(1).join(' ');
        if (run(['view'])) alert(say('bad_link') + why);
        else return trouble(complaint);
      }
      page.open = true;
      cover.hidden = true;
      document.querySelector('footer').hidden = false;
      listen();
      resize();
      canvas.focus();
    });
  }, 0);

  // ---- Is there what it takes? ----
  if (/^zh\b/.test(navigator.language) || /[#&]lang=zh/.test(location.hash)) document.documentElement.lang = 'zh';
  if (/[#&]lang=en/.test(location.hash)) document.documentElement.lang = 'en';
  by('loading').hidden = false;
  const stop = (key) => {
    dead = true;
    trouble(say(key));
    throw new Error(says[key][0]);  // so that nothing else is loaded
  };
  if (typeof WebAssembly !== 'object') stop('no_wasm');
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) stop('no_webgl');
  page.software = /swiftshader|llvmpipe|software|microsoft basic render/i.test(rendererOf(probe));
  const lose = probe.getExtension('WEBGL_lose_context');
  if (lose) lose.loseContext();
  function rendererOf(gl) {
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  }
})();
