// The browser's side of the page: what happens in it goes to the program (app/web/page_functions.cpp), what the program asks
// for comes through app/web/browser.js.
'use strict';

(() => {
  const canvas = document.getElementById('canvas'), field = document.getElementById('field'), chosen = document.getElementById('chosen');
  const said = document.getElementById('said'), sentence = document.getElementById('sentence'), progress = document.getElementById('progress');
  const query = new URLSearchParams(location.search);
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  const isOneFile = document.getElementById('headlight.wasm') !== null;  // all in this file, which no server sends
  /// The document that `headlight page` laid in: {name, open, words, files: [{name, data}…]}, data in base64.
  const handed = JSON.parse(document.getElementById('document')?.textContent ?? 'null');
  const home = '/Downloads', opened = '/opened', face = '/assets/fonts/wqy-microhei.ttc';
  const state = handed ? `/state of ${handed.name.replaceAll('/', '_')}` : '/state';  // a browser gives all files one storage
  const complaints = [];  // what the program wrote on standard error
  let program = null, running = false;

  const tell = (text) => {
    sentence.textContent = text;
    progress.hidden = true;
    said.hidden = false;
  };

  // Of the browser, for the program

  const frameWaiters = [];
  const known = new Map();  // path → size and time of what was not written for the person
  let keepsState = false, syncing = false, fetching = false;

  const stampOf = (path) => {
    const about = program.FS.stat(path);
    return `${about.size} ${+about.mtime}`;
  };

  const filesIn = (folder) => {
    const found = [];
    for (const name of program.FS.readdir(folder)) {
      if (name.startsWith('.')) continue;
      const path = `${folder}/${name}`;
      if (program.FS.isDir(program.FS.stat(path).mode)) found.push(...filesIn(path));
      else found.push(path);
    }
    return found;
  };

  const download = (path) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([program.FS.readFile(path)]));
    link.download = path.slice(path.lastIndexOf('/') + 1);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  const page = {
    address: location.protocol === 'file:' || location.origin === 'null' ? '' : location.origin + location.pathname,
    embedded: query.has('embed'),
    clipboard: '',
    copy(text) {
      page.clipboard = text;
      const byHand = () => {  // where the page is not trusted with the clipboard
        field.value = text;
        field.select();
        document.execCommand('copy');
        field.value = '';
      };
      if (navigator.clipboard) navigator.clipboard.writeText(text).catch(byHand);
      else byHand();
    },
    chooseFiles() { chosen.click(); },
    setTitle(title) { document.title = title; },
    setFullscreen(on) {
      const done = on ? document.documentElement.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
      done?.catch(() => {});
    },
    keepFiles() {
      for (const path of [...filesIn(home), ...filesIn(opened)]) {
        const stamp = stampOf(path);
        if (known.get(path) === stamp) continue;
        known.set(path, stamp);
        download(path);
      }
      if (!keepsState || syncing) return;
      syncing = true;
      program.FS.syncfs(false, () => { syncing = false; });
    },
    async fetchFace() {
      if (fetching || isOneFile) return;  // one file has only the letters of its own texts
      fetching = true;
      const answer = await fetch('fonts/wqy-microhei.ttc');
      if (!answer.ok) return;
      program.FS.writeFile(face, new Uint8Array(await answer.arrayBuffer()));
      program._page_faces_arrived();
    },
    /// When the next frame is drawn, or soon where the page is hidden and none is.
    nextFrame() {
      return new Promise((resolve) => {
        if (document.hidden) setTimeout(resolve, 0);
        else frameWaiters.push(resolve);
      });
    },
  };

  // Files

  let openings = 0;
  /// `files`: [{name, bytes}…], of `called` where they are a folder's. A model's folder is opened whole.
  const openFiles = (files, called = 'files') => {
    if (files.length === 0) return;
    const folder = `${opened}/${++openings}/${called.replaceAll('/', '_')}`;
    program.FS.mkdirTree(folder);
    const paths = files.map(({name, bytes}) => {
      const path = `${folder}/${name.replaceAll('/', '_')}`;
      program.FS.writeFile(path, bytes);
      known.set(path, stampOf(path));
      return path;
    });
    const isModel = files.some(({name}) => name === 'config.json');
    for (const path of isModel ? [folder] : paths) program.ccall('page_open', null, ['string'], [path]);
  };
  const readFiles = async (list, called) => openFiles(await Promise.all([...list].map(async (file) => ({name: file.name, bytes: new Uint8Array(await file.arrayBuffer())}))), called);

  const filesOfFolder = async (entry) => {
    const reader = entry.createReader(), entries = [];
    for (let some; (some = await new Promise((good, bad) => reader.readEntries(good, bad))).length > 0;) entries.push(...some);
    return Promise.all(entries.filter((each) => each.isFile).map((each) => new Promise((good, bad) => each.file(good, bad))));
  };

  const drop = async (data) => {
    const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
    const folder = entries.find((entry) => entry.isDirectory);
    await (folder ? readFiles(await filesOfFolder(folder), folder.name) : readFiles(data.files));
  };

  // Hands

  const ratio = () => canvas.width / Math.max(canvas.clientWidth, 1);
  const point = (event, kind) => program._page_pointer(event.clientX * ratio(), event.clientY * ratio(), kind === 'mouse' ? 0 : 1);
  const buttons = [0, 2, 1];  // ImGui's of the browser's

  const touches = new Map();  // pointer id → where
  let pinch = null;           // of two fingers: their distance and middle
  const measure = () => {
    const [a, b] = [...touches.values()];
    return {apart: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
  };
  // Two fingers zoom about their middle as a wheel does, and move what lies under them as a drag with the middle button.
  const pinched = () => {
    const now = measure(), zoom = Math.log(now.apart / pinch.apart) / Math.log(1.15);
    program._page_pointer(now.x * ratio(), now.y * ratio(), 1);
    if (Math.abs(zoom) > 0.02) {
      program._page_wheel(0, zoom);
      pinch = now;
    }
  };

  const listen = () => {
    canvas.addEventListener('pointermove', (event) => {
      if (touches.has(event.pointerId)) touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
      if (pinch && touches.size === 2) return pinched();
      point(event, event.pointerType);
    });
    canvas.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch') {
        touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
        if (touches.size === 2) {
          program._page_button(0, 0);
          pinch = measure();
          program._page_pointer(pinch.x * ratio(), pinch.y * ratio(), 1);
          program._page_button(2, 1);
          return;
        }
      } else {
        field.focus({preventScroll: true});
      }
      point(event, event.pointerType);
      program._page_button(buttons[event.button] ?? 3, 1);
    });
    const up = (event) => {
      const pinching = pinch !== null;
      touches.delete(event.pointerId);
      if (pinching && touches.size < 2) {
        program._page_button(2, 0);
        pinch = null;
      }
      if (pinching) return;
      point(event, event.pointerType);
      program._page_button(buttons[event.button] ?? 3, 0);
      // A finger brings the keyboard up where there is something to type in.
      if (event.pointerType === 'touch') setTimeout(() => (program._page_wants_text() ? field.focus({preventScroll: true}) : field.blur()), 120);
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse' && event.buttons === 0) program._page_pointer(-3.4e38, -3.4e38, 0);
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1;
      program._page_wheel(-event.deltaX / lines, -event.deltaY / lines * (event.ctrlKey && event.deltaMode === 0 ? 5 : 1));
    }, {passive: false});
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());

    const modifiersOf = (event) => (event.ctrlKey || (isMac && event.metaKey) ? 1 : 0) | (event.shiftKey ? 2 : 0) | (event.altKey ? 4 : 0) | (!isMac && event.metaKey ? 8 : 0);
    const key = (event, down) => program.ccall('page_key', null, ['string', 'string', 'number', 'number'], [event.code, event.key, down, modifiersOf(event)]);
    const browsers = (event) => ['F5', 'F6', 'F12'].includes(event.key) || ((event.ctrlKey || event.metaKey) && ['t', 'n', 'w', 'r', 'l', 'p', 'T', 'N', 'W', 'R', 'I', 'J', '+', '-', '=', '0', 'Tab'].includes(event.key));
    addEventListener('keydown', (event) => {
      if (event.isComposing || event.keyCode === 229 || browsers(event)) return;
      const command = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (command && event.key.toLowerCase() === 'v') return;  // by what it pastes
      const types = event.key.length === 1 && !command;
      if (!types) event.preventDefault();
      else if (document.activeElement !== field) field.focus({preventScroll: true});
      if (!event.repeat) key(event, 1);  // ImGui repeats by itself
      if (isMac && event.metaKey && event.key !== 'Meta') key(event, 0);  // a Mac's browser tells no release under Cmd
    });
    addEventListener('keyup', (event) => key(event, 0));
    const take = () => {
      if (field.value !== '') program.ccall('page_text', null, ['string'], [field.value]);
      field.value = '';
    };
    field.addEventListener('input', (event) => { if (!event.isComposing) take(); });
    field.addEventListener('compositionend', take);
    addEventListener('paste', (event) => {
      event.preventDefault();
      const files = event.clipboardData.files;
      if (files.length > 0) return void readFiles(files);
      page.clipboard = event.clipboardData.getData('text/plain');
      const press = (down) => program.ccall('page_key', null, ['string', 'string', 'number', 'number'], ['KeyV', 'v', down, 1]);
      press(1);
      press(0);
      program.ccall('page_key', null, ['string', 'string', 'number', 'number'], ['', '', 0, 0]);
    });
    addEventListener('focus', () => program._page_focus(1));
    addEventListener('blur', () => program._page_focus(0));

    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      drop(event.dataTransfer).catch((error) => tell(String(error)));
    });
    chosen.addEventListener('change', () => {
      readFiles(chosen.files).catch((error) => tell(String(error)));
      chosen.value = '';
    });
    document.addEventListener('fullscreenchange', () => {
      if (!document.fullscreenElement) program._page_left_fullscreen();
    });
    canvas.addEventListener('webglcontextlost', () => location.reload());  // the document is in the browser's storage
  };

  // The canvas has a pixel for each of the screen's, as far as the browser says how many those are.
  const follow = () => {
    const resized = (width, height) => {
      canvas.width = Math.max(width, 1);
      canvas.height = Math.max(height, 1);
      program._page_resize(canvas.width, canvas.height, canvas.width / Math.max(canvas.clientWidth, 1));
    };
    const observer = new ResizeObserver(([entry]) => {
      const wide = canvas.clientWidth * devicePixelRatio, high = canvas.clientHeight * devicePixelRatio;
      const exact = entry.devicePixelContentBoxSize?.[0];
      const agrees = exact && Math.abs(exact.inlineSize - wide) < 2 && Math.abs(exact.blockSize - high) < 2;  // not where another screen is played
      resized(agrees ? exact.inlineSize : Math.round(wide), agrees ? exact.blockSize : Math.round(high));
      program._page_frame();  // at once: the browser stretches the old picture
    });
    try {
      observer.observe(canvas, {box: 'device-pixel-content-box'});  // another screen's pixels, too
    } catch {
      observer.observe(canvas);
    }
  };

  const loop = () => {
    const job = !threads && typeof WebAssembly.promising === 'function' ? WebAssembly.promising(program._page_job) : program._page_job;
    let busy = false;
    const stop = (error) => {  // a mistake of ours: nothing of the program can be trusted any more
      running = false;
      console.error(error);
      tell('Headlight stopped. Reload the page: what was open is offered again.');
    };
    const each = () => {
      try {
        program._page_frame();
      } catch (error) {
        return stop(error);
      }
      for (const resolve of frameWaiters.splice(0)) setTimeout(resolve, 0);
      if (!busy) {
        busy = true;
        new Promise((resolve) => resolve(job())).then(() => { busy = false; }, stop);
      }
      if (running && !said.hidden && program._page_frames() > 0) said.hidden = true;
      requestAnimationFrame(each);
    };
    requestAnimationFrame(each);
  };

  // Start

  /// Whether this tab is the one that keeps what is open in the browser's storage.
  const claimStorage = () => new Promise((resolve) => {
    if (!navigator.locks || page.embedded) return resolve(!page.embedded);
    navigator.locks.request('headlight', {ifAvailable: true}, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});  // for as long as the tab is there
    }).catch(() => resolve(true));  // a browser that has no locks for a file
  });

  const prepare = (module) => {
    program = module;
    const {FS, ENV} = module;
    Object.assign(ENV, {HOME: home, XDG_STATE_HOME: state, HEADLIGHT_ASSETS: '/assets', LANG: `${navigator.language.slice(0, 2)}.UTF-8`});
    for (const folder of [home, opened, state]) FS.mkdirTree(folder);
    FS.chdir(home);
    if (!keepsState) return;
    FS.mount(module.IDBFS, {}, state);
    module.addRunDependency('state');
    FS.syncfs(true, () => module.removeRunDependency('state'));  // without storage there is nothing to go on with
  };

  /// Threads need memory that they share, which a browser gives to pages alone (docs/web.md).
  const threads = self.crossOriginIsolated === true;
  const load = (file) => new Promise((good, bad) => {
    const script = document.createElement('script');
    script.src = file;
    script.onload = good;
    script.onerror = () => bad(new Error(`${file} could not be loaded`));
    document.head.append(script);
  });

  /// What is packed into this file under `name`.
  const unpack = async (name) => {
    const packed = document.getElementById(name), answer = await fetch(`data:application/octet-stream;base64,${packed.textContent}`);
    packed.remove();
    return new Response(answer.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  };
  const unpackAll = async () => {
    const [wasmBinary, data] = await Promise.all([unpack('headlight.wasm'), unpack('headlight.data')]);
    return {wasmBinary, getPreloadedPackage: () => data};
  };

  /// Lays out the document that came in this file; returns the command line that opens it.
  const layOut = ({open, words, files}) => {
    const folder = `${opened}/page`;
    for (const {name, data} of files) {
      const path = `${folder}/${name}`;
      program.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      program.FS.writeFile(path, Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
    }
    for (const path of filesIn(opened)) known.set(path, stampOf(path));
    return [...(files.length > 0 ? [`${folder}/${open}`] : open ? [open] : []), ...words];
  };

  const start = async () => {
    keepsState = await claimStorage();
    if (!isOneFile) await load(threads ? 'headlight-threads.js' : 'headlight.js');
    program = await createHeadlight({
      ...(isOneFile ? await unpackAll() : {}),
      canvas, page,
      preRun: [prepare],
      locateFile: (file, folder) => folder + (file.endsWith('.data') ? 'headlight.data' : file),  // the same for both
      print: (text) => console.log(text),
      printErr: (text) => complaints.push(text),
      setStatus: (text) => {
        const parts = /\((\d+)\/(\d+)\)/.exec(text);
        if (parts) progress.value = parts[1] / parts[2];
      },
    });
    program._page_job();  // there is none yet; from now on this is WebAssembly's own function, as promising() wants it
    program.callMain(handed ? layOut(handed) : [location.search + location.hash]);
    if (!program._page_is_open()) {
      // What the link asks for cannot be shown: the usual document is, and why.
      const why = complaints.splice(0).join(' ').replace(/^headlight: /, '');
      program.callMain([page.embedded ? '?embed' : '']);
      if (!program._page_is_open()) return tell(`Headlight could not be started: ${why}`);
      program.ccall('page_warn', null, ['string'], [why]);
    }
    running = true;
    listen();
    follow();
    loop();
    field.focus({preventScroll: true});
  };

  // For scripts: any command line but the window's, its files under the page's own names; the exit status and what it wrote.
  window.headlight = {
    threads,
    get ready() { return running && program._page_settled() === 1; },
    get frames() { return program ? program._page_frames() : 0; },
    get link() { return program.ccall('page_link', 'string', [], []); },
    get said() { return program.ccall('page_said', 'string', [], []); },
    get offers() { return program._page_offers() === 1; },
    touch: () => program._page_touch(),
    /// When what was drawn is on the screen.
    shown() {
      context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    },
    /// Of one more frame, in ms, without what the graphics driver does with it.
    frameTime() {
      const begun = performance.now();
      program._page_touch();
      program._page_frame();
      return performance.now() - begun;
    },
    open: openFiles,
    write: (path, bytes) => program.FS.writeFile(path, bytes),
    read: (path) => program.FS.readFile(path),
    run(...words) {
      complaints.length = 0;
      const status = program.callMain(words);
      return {status, complaints: [...complaints]};
    },
  };

  /// What Dear ImGui asks back with every frame, to restore it, and errors would wait for all that was drawn before. Everything
  /// here sets what it needs, and a driver in trouble loses the context, which is heard.
  const askNothingBack = (gl) => {
    const fixed = new Map([[gl.VIEWPORT, new Int32Array(4)], [gl.SCISSOR_BOX, new Int32Array(4)], [gl.BLEND_SRC_RGB, gl.ONE], [gl.BLEND_DST_RGB, gl.ZERO], [gl.BLEND_SRC_ALPHA, gl.ONE],
      [gl.BLEND_DST_ALPHA, gl.ZERO], [gl.BLEND_EQUATION_RGB, gl.FUNC_ADD], [gl.BLEND_EQUATION_ALPHA, gl.FUNC_ADD], [gl.ACTIVE_TEXTURE, gl.TEXTURE0]]);
    const ask = gl.getParameter.bind(gl);
    gl.getParameter = (name) => fixed.get(name) ?? ask(name);
    gl.getError = () => gl.NO_ERROR;
  };

  const context = canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false, stencil: false});
  if (!context) tell('This browser draws no WebGL 2, which Headlight needs.');
  else askNothingBack(context), start().catch((error) => tell(`Headlight could not be started: ${error.message ?? error}`));
})();
