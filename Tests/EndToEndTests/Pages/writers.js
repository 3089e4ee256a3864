// Two or three who write one text at random, each message on its way as long as chance will have it.

const { SharedText } = await import("/studio/room/shared-text.js");

function simulate(seed, deletes) {
  let state = seed;
  const random = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor(state / 65536) % below;
  };
  const writers = Array.from({ length: 2 + random(2) }, () => ({ text: new SharedText(), inbox: [] }));
  let version = 1, slot = null, typed = 0;
  for (const writer of writers) writer.text.begin(undefined, version);
  const hear = (writer) => {
    const message = writer.inbox.shift();
    if (message) writer.text.receive(message.value, message.version, message.from === writer);
  };
  const write = (writer) => {
    const value = writer.text.next();
    if (!value) return;
    version += 1;
    slot = value.text;
    for (const other of writers) other.inbox.push({ value, version, from: writer });
  };
  const edit = ({ text }) => {
    const before = text.text, at = random(before.length + 1);
    if (deletes && random(3) === 0) text.edit(before.slice(0, at) + before.slice(at + 1 + random(3)));
    else text.edit(before.slice(0, at) + String.fromCharCode(0x4e00 + typed++) + before.slice(at));
  };
  for (let step = 0; step < 150; step += 1) [edit, hear, write][random(3)](writers[random(writers.length)]);
  for (let rest = 0; rest < 200; rest += 1) {
    for (const writer of writers) {
      while (writer.inbox.length) hear(writer);
      write(writer);
    }
  }
  const texts = writers.map(({ text }) => text.text);
  const isOne = texts.every((text) => text === texts[0]) && slot === texts[0];
  const isWhole = deletes || (texts[0].length === typed && new Set(texts[0]).size === typed);
  return isOne && isWhole;
}

const failed = [];
for (let seed = 1; seed <= 500; seed += 1) {
  for (const deletes of [false, true]) if (!simulate(seed, deletes)) failed.push([seed, deletes]);
}
return failed;
