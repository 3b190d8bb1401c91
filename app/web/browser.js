// What app/web/page.h asks of the browser, handed on to page.js, which is there first as Module.page.
addToLibrary({
  browser_copy: (text) => Module.page.copy(UTF8ToString(text)),
  browser_clipboard: () => {
    if (Module.page.clipboardCopy) _free(Module.page.clipboardCopy);
    return (Module.page.clipboardCopy = stringToNewUTF8(Module.page.clipboard));
  },
  browser_clipboard__deps: ['free', '$stringToNewUTF8'],
  browser_choose_files: () => Module.page.chooseFiles(),
  browser_set_title: (title) => Module.page.setTitle(UTF8ToString(title)),
  browser_set_cursor: (css) => { Module.canvas.style.cursor = UTF8ToString(css); },
  browser_set_fullscreen: (on) => Module.page.setFullscreen(on !== 0),
  browser_keep_files: () => Module.page.keepFiles(),
  browser_address: () => stringToNewUTF8(Module.page.address),
  browser_address__deps: ['$stringToNewUTF8'],
  browser_prefers_dark: () => (matchMedia('(prefers-color-scheme: dark)').matches ? 1 : 0),
  browser_embedded: () => (Module.page.embedded ? 1 : 0),
  browser_fetch_face: () => Module.page.fetchFace(),
  // A job's stack is its own where the browser switches stacks (JavaScript Promise Integration).
  browser_can_give_way: () => (typeof WebAssembly.Suspending === 'function' ? 1 : 0),
  browser_give_way: '=typeof WebAssembly.Suspending === "function" ? new WebAssembly.Suspending(() => Module.page.nextFrame()) : () => {}',
});
