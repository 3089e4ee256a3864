// The views of the studio one after the other, and what must hold in each whatever it looks like. For StudioViewsTests,
// which runs `views[name].go()` in a page of the studio and then the rest in each theme and width.

const shown = (selector) => () => [...document.querySelectorAll(selector)].some((node) => node.checkVisibility());
const click = (selector) => document.querySelector(selector).click();
const press = (words) => [...document.querySelectorAll("button")].find((one) => one.textContent.startsWith(words)).click();
const dialogs = () => document.querySelectorAll("dialog[open]").forEach((one) => one.close());
const json = (body, status = 200) => Promise.resolve(new Response(JSON.stringify(body), { status }));

const SONG = "{title: Down by the Jar}\n{key: G}\n\n{start_of_verse}\n[G]Down by the [C]jar where the [D7]mu[G]sic is kept,\n[Em]nobody [Am7]heard it while every[D]body slept.\n\n{soc}\nG      C      G      D\nKeep it, keep it, every note of it.";
const writeSheet = (text) => {
  const field = document.querySelector("#sheet");
  field.value = text;
  field.dispatchEvent(new Event("input"));
};

/** Shows an address of the studio while REST answers with something else. */
async function pretending(answer, address) {
  const real = window.fetch;
  window.fetch = (path, options) => (String(path).startsWith("/v1/") || path === "/healthz" ? answer(path) : real(path, options));
  // The view may be open already.
  await window.jamjar.go("/rooms/elsewhere").catch(() => {});
  await window.jamjar.go(address);
  window.fetch = real;
}

async function share(take, password) {
  const answer = await fetch(`/v1/takes/${take}/shares`, {
    method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ contents: "both", ...(password ? { password } : {}) }),
  });
  const { path } = await answer.json();
  // The page looks different once the smaller file is made.
  const isMade = async () => password || (await (await fetch(`${path}/take`)).json()).light;
  while (!await isMade());
  return path;
}

/**
 * In order: a view with `path(given)` is opened by its address, one without goes on from the view before. `go` does what
 * is left, `until` holds once it stands. `height`: of the screen, for views that fill it. `given`: {take, other}.
 */
const views = {
  "lobby": { path: () => "/", until: shown(".lobby .take-row") },
  "lobby-playing": {
    go: () => {
      const member = (name, part) => ({ participant: { id: name, name }, role: "musician", part, connected: true });
      const room = (name, members, take = null) => ({ name, live: members.length > 0, members, policy: { capacity: 3 }, take });
      return pretending((path) => json({ items: String(path).startsWith("/v1/rooms") ? [
        room("blue-room", [member("Ada", "guitar"), member("Bob", "double bass")], { id: "1", number: 3, song: { title: "Autumn Leaves" } }), room("attic", []),
      ] : [] }), "/");
    }, until: shown(".join-room"),
  },
  "doctor": {
    go: () => pretending((path) => json(String(path).startsWith("/v1/access") ? { state: "open" } : {
      ok: false, complete: true, checkedAt: "2026-11-24T20:00:00Z", address: null,
      findings: [
        { check: "port", level: "ok", sentence: "A service answers on port 8080 of 127.0.0.1." },
        { check: "certificate", level: "failure", sentence: "https://jam.example: its certificate expired 3 days ago.", remedy: "Renew it." },
        { check: "address", level: "warning", sentence: "This machine (192.168.1.5) is behind a router.", remedy: "Choose ports for media (--ice-ports 40000-40099)." },
        { check: "clock", level: "unknown", sentence: "Whether the clock is right cannot be told.", remedy: "Name a time server." },
      ],
    }), "/doctor"), until: shown("#findings li"),
  },
  "lobby-empty": { go: () => pretending(() => json({ items: [] }), "/"), until: shown(".steps li") },
  "no-server": { go: () => pretending(() => Promise.reject(new TypeError("no")), "/takes/x"), until: shown("[data-code=unavailable]") },
  "key": { go: () => pretending(() => json({ type: "urn:x:unauthorized", detail: "a key is missing" }, 401), "/takes/x"), until: shown("input[type=password]") },
  "door": { path: () => "/rooms/views?name=Ada&part=piano", until: shown("#warnings li") },
  "door-listening": { go: () => click("#listener"), until: () => !document.querySelector("#device").checkVisibility() },
  "room": {
    path: () => "/rooms/views?name=Ada&part=piano",
    go: async () => {
      const look = () => document.querySelector("#warnings li") ?? new Promise((resolve) => requestAnimationFrame(resolve)).then(look);
      await look();
      if (document.querySelector("#listener").checked) click("#listener");
      if (document.querySelector("#backup").checked) click("#backup");
      click("#enter");
      await window.jamjar.until((state) => state.phase === "joined" && state.take);
      await window.jamjar.request("message", { text: "Once more from the bridge?" });
      await window.jamjar.request("cue", { text: "bridge" });
    },
    until: () => shown(".light[data-state=safe]")() && shown("#cues li")() && shown("#messages li")(),
  },
  "room-keys": { height: 900, go: () => press("Keys"), until: shown("dialog[open] .keys") },
  "room-sound": { height: 900, go: () => { dialogs(); press("Microphone …"); }, until: shown("#room-device") },
  "room-tuner": { go: () => { dialogs(); press("Tuner"); }, until: shown(".tuner") },
  "room-stage": { height: 900, go: () => { press("Tuner"); press("Stage view"); }, until: shown("[data-stage] .member .meter") },
  "room-song": { height: 900, go: () => writeSheet(SONG), until: shown(".song-lines .chord") },
  "room-stopped": {
    go: async () => {
      writeSheet("");
      press("Whole room");
      await window.jamjar.request("takeStop");
    },
    until: () => shown("#recording[data-state=stopped]")() && shown(".take-strip .outline[data-state=ready]")(),
  },
  "room-left": {
    go: async () => {
      await window.jamjar.leave();
      const { studio } = window.jamjar;
      studio.sentAway = { room: "views", code: "removed" };
      studio.dispatchEvent(new CustomEvent("state", { detail: studio.state }));
    },
    until: shown("[data-code=removed]"),
  },
  "takes": { path: () => "/takes", until: shown(".take-row .outline[data-state=ready]") },
  "takes-chosen": { go: () => document.querySelectorAll(".take-row .select input").forEach((box, at) => { if (at < 2) box.click(); }), until: shown(".bulk") },
  "takes-evening": {
    path: async ({ take }) => `/takes?session=${(await (await fetch(`/v1/takes/${take}`)).json()).session}&sort=oldest`,
    until: () => shown(".evening a[download]")() && shown(".take-row .outline[data-state=ready]")(),
  },
  "takes-none": { path: () => "/takes?q=zzzz&tag=ballad", until: shown(".empty-state") },
  "trash": { path: () => "/takes?deleted=true", until: shown(".empty-state") },
  "take": { path: ({ take }) => `/takes/${take}`, until: () => document.querySelectorAll(".lane .outline[data-state=ready]").length === 3 },
  "take-export": { height: 900, go: () => press("Export …"), until: shown("dialog.export[open] .exports .empty, dialog.export[open] .exports li") },
  "take-share": { height: 900, go: () => { dialogs(); press("Share …"); }, until: shown("dialog[open] .links li") },
  "take-certificate": { go: () => { dialogs(); click(".certificate summary"); }, until: shown(".certificate-picture") },
  "take-compared": {
    path: ({ take, other }) => `/takes/${take}?with=${other}`,
    until: () => shown(".compare[data-comparing=true] .side-b")() && shown(".overview .outline[data-state=ready]")(),
  },
  "take-missing": { path: () => "/takes/01ARZ3NDEKTSV4RRFFQ69G5FAV", until: shown("[data-code=not-found]") },
  "share": { path: async ({ take }) => share(take), until: () => shown(".wave[data-state=ready]")() && shown(".comment-form")() },
  "share-embedded": { path: async ({ take }) => `${await share(take)}/embed`, until: shown(".wave[data-state=ready]") },
  "share-password": { path: async ({ take }) => share(take, "let me in"), until: shown("input[type=password]") },
  "share-invalid": { path: () => "/s/none", until: shown("[data-code=unknown-share]") },
  "nothing": { path: () => "/nothing", until: shown("main h1") },
  "offline": { path: () => "/studio/base/offline.html", until: shown("main h1") },
};

const rest = new CSSStyleSheet();
/** What moves by itself stands still. */
rest.replaceSync("*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }");
const masks = new CSSStyleSheet();
/** What a run says of itself: sound, clocks and measurements. They keep their place. */
masks.replaceSync(`canvas, .clip, .meter > *, .vu, .tuner-note, .tuner-words, .tuner-scale > *, time, .light, .line, .figure, .delay, .facts, .take-facts, .clock-now,
  .certificate-words, .certificate-picture, #disk { visibility: hidden !important; }
  .certificate summary { visibility: hidden !important; }
  .certificate[open] { block-size: 420px; overflow: hidden; } #warnings { display: none !important; }`);

/** Two frames: the first lays out, the second has been painted. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** A name that finds the element again. */
function nameOf(node) {
  const own = node.id ? `#${node.id}` : `${node.tagName.toLowerCase()}${node.className && typeof node.className === "string" ? `.${node.className.trim().replace(/\s+/g, ".")}` : ""}`;
  const text = (node.textContent || node.placeholder || node.ariaLabel || "").trim().replace(/\s+/g, " ").slice(0, 40);
  return `${own}${text ? ` “${text}”` : ""}`;
}

const box = (node) => node.getBoundingClientRect();
const isSeen = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && box(node).width > 1 && box(node).height > 1;
/** Text for screen readers alone is cut on purpose. */
const isForReaders = (node) => node.closest(".hidden, .skip, [hidden], datalist, script, style, noscript") !== null;
const clips = (style) => ["hidden", "clip"].includes(style.overflowX) || ["hidden", "clip"].includes(style.overflowY);
const scrolls = (style) => ["auto", "scroll"].includes(style.overflowX) || ["auto", "scroll"].includes(style.overflowY);
const meets = (a, b, slack) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;

/** The rectangles of all texts that can be seen, with the element that has each. */
function texts(root) {
  const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent || isForReaders(parent) || !isSeen(parent) || parent.closest("svg, option")) continue;
    range.selectNodeContents(node);
    for (const place of range.getClientRects()) if (place.width > 1 && place.height > 1) found.push({ parent, place });
  }
  return found;
}

/** The width of what a field shows, if it shows text. */
function shownWidth(field, pen) {
  const style = getComputedStyle(field);
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const text = field.tagName === "SELECT" ? field.selectedOptions[0]?.textContent ?? "" : field.value || field.placeholder;
  const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  return pen.measureText(text).width + padding - field.clientWidth;
}

/** What is wrong with the layout: too wide, controls over one another, texts over one another, texts that are cut. */
function faults() {
  const found = new Set(), dialog = document.querySelector("dialog[open]:modal"), root = dialog ?? document.body;
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) found.add(`the page is ${over} px wider than the screen`);
  for (const node of root.querySelectorAll("*")) {
    if (isForReaders(node) || !isSeen(node)) continue;
    const place = box(node);
    if (place.right > innerWidth + 1 || place.left < -1) {
      let holder = node.parentElement;
      while (holder && !scrolls(getComputedStyle(holder)) && !clips(getComputedStyle(holder))) holder = holder.parentElement;
      if (!holder || holder === document.documentElement) found.add(`beyond the screen: ${nameOf(node)}`);
    }
  }
  // A slider that is laid over a picture, and the flags of cues, belong over one another.
  const controls = [...root.querySelectorAll("button, a[href], input, select, textarea, summary")]
    .filter((node) => isSeen(node) && !isForReaders(node) && !node.closest(".flags") && !node.matches(".stars input"));
  controls.forEach((one, at) => {
    for (const other of controls.slice(at + 1)) {
      if (one.contains(other) || other.contains(one) || one.closest("label")?.contains(other)) continue;
      if (meets(box(one), box(other), 2)) found.add(`over one another: ${nameOf(one)} and ${nameOf(other)}`);
    }
  });
  const all = texts(root);
  all.forEach((one, at) => {
    for (const other of all.slice(at + 1)) {
      if (one.parent === other.parent || one.parent.closest(".flags") || other.parent.closest(".flags, .ticks")) continue;
      if (getComputedStyle(one.parent).position === "fixed" || one.parent.closest(".bulk, .toast, .notice, header") || other.parent.closest(".bulk, .toast, .notice")) continue;
      if (meets(one.place, other.place, 3)) found.add(`texts over one another: ${nameOf(one.parent)} and ${nameOf(other.parent)}`);
    }
    for (let holder = one.parent; holder && holder !== root; holder = holder.parentElement) {
      const style = getComputedStyle(holder);
      if (scrolls(style)) break;
      if (!clips(style) || style.textOverflow === "ellipsis") continue;
      const place = box(holder);
      if (one.place.right > place.right + 2 || one.place.left < place.left - 2 || one.place.bottom > place.bottom + 3) found.add(`cut: ${nameOf(one.parent)}`);
    }
    const button = one.parent.closest("button, .button, summary");
    if (button && (one.place.right > box(button).right + 1 || one.place.left < box(button).left - 1)) found.add(`out of its button: ${nameOf(button)}`);
  });
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  for (const field of root.querySelectorAll("input, select")) {
    if (!isSeen(field) || ["checkbox", "radio", "range"].includes(field.type)) continue;
    if (getComputedStyle(field).textOverflow !== "ellipsis" && shownWidth(field, pen) > 1) found.add(`cut in its field: ${nameOf(field)} ${field.value || field.placeholder}`);
  }
  return [...found];
}

/** Pixels of the page to a side of a cell of a reference, and of a cell of the small picture. */
const CELL = 32, SMALL = 4;

/**
 * A small picture of the page (PNG in base64, an eighth in size) as rows of text: for each cell its grey level, 0 to f, and
 * behind a space how much more red than green it is (8: neither).
 */
async function cells(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const columns = Math.floor(picture.width / SMALL), rows = Math.floor(picture.height / SMALL);
  const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, picture.width, picture.height);
  const digit = (value) => Math.max(0, Math.min(15, Math.floor(value / 16))).toString(16);
  return Array.from({ length: rows }, (_, row) => {
    let greys = "", tints = "";
    for (let column = 0; column < columns; column += 1) {
      let [red, green, blue] = [0, 0, 0];
      for (let y = row * SMALL; y < (row + 1) * SMALL; y += 1) {
        for (let x = column * SMALL; x < (column + 1) * SMALL; x += 1) {
          const at = 4 * (y * picture.width + x);
          red += data[at] / SMALL ** 2;
          green += data[at + 1] / SMALL ** 2;
          blue += data[at + 2] / SMALL ** 2;
        }
      }
      greys += digit(0.299 * red + 0.587 * green + 0.114 * blue);
      tints += digit(128 + red - green);
    }
    return `${greys} ${tints}`;
  });
}

/** Levels by which a cell may differ from the reference or a neighbour there: another font moves lines by some pixels. */
const LEVELS = 1;

/** The share of cells that are like nothing around them in the reference; 1 if the widths differ. */
function difference(rows, reference) {
  const read = (lines) => lines.map((line) => line.split(" ").map((half) => [...half].map((digit) => parseInt(digit, 16))));
  // The ends of both pages are empty.
  const height = Math.max(rows.length, reference.length), ours = read(rows), theirs = read(reference);
  const width = ours[0]?.[0].length;
  if (!width || width !== theirs[0]?.[0].length) return 1;
  const at = (table, row, column) => {
    const [greys, tints] = table[Math.min(row, table.length - 1)] ?? [[], []];
    return [greys[column] ?? NaN, tints[column] ?? NaN];
  };
  let other = 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const [grey, tint] = at(ours, row, column);
      let isLike = false;
      for (let y = Math.max(0, row - 1); y <= row + 1; y += 1) {
        for (let x = column - 1; x <= column + 1; x += 1) {
          const [theirGrey, theirTint] = at(theirs, y, x);
          if (Math.abs(theirGrey - grey) <= LEVELS && Math.abs(theirTint - tint) <= LEVELS) isLike = true;
        }
      }
      if (!isLike) other += 1;
    }
  }
  return other / (height * width);
}

return { views, rest, masks, painted, faults, cells, difference };
