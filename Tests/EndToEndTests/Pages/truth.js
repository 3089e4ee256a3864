// The pure parts of the room: what is true of each musician for every combination of facts, and small figures.

const truth = await import("/studio/playing/truth.js");
const objections = [];
const expect = (isRight, words, facts) => { if (!isRight && objections.length < 10) objections.push(`${words}: ${JSON.stringify(facts)}`); };

// -- every combination of facts

function* combinations(choices, fixed = {}) {
  const [first, ...rest] = Object.entries(choices);
  if (!first) return yield fixed;
  for (const value of first[1]) yield* combinations(Object.fromEntries(rest), { ...fixed, [first[0]]: value });
  return undefined;
}
const take = { id: "T", number: 3, song: null };
const rooms = [...combinations({
  phase: ["joined", "reconnecting"], policy: ["call", "manual"], isStopped: [false, true], take: [null, take],
  rollsFor: [0.5, 30], behind: [null, 0.4, 5], isDegraded: [false, true], hasSound: [false, true],
})].map((room) => ({ ...room, safe: 12, mayChange: true }));
const musicians = [...combinations({
  role: ["musician", "listener"], isMe: [false, true], consent: [false, true], publishing: [false, true], connected: [true],
  sound: ["on", "muted", "talkback"], mutedByModerator: [false, true], isUp: [false, true],
  copy: [null, { seconds: 13, isOpen: true, problem: null }, { seconds: 13, isOpen: true, problem: "full" }],
})];
for (const room of rooms) {
  const sign = truth.signTruth(room, "Take 3"), words = truth.roomSentence(room);
  const isKept = room.take && room.phase === "joined" && !room.isDegraded && (room.behind === null ? room.rollsFor < 2 : room.behind < 2);
  expect((sign.state === "recording") === Boolean(isKept), "the sign is red where it should not be, or is not", room);
  expect(room.take || sign.counter === null, "a counter without a take", room);
  expect(sign.state !== "unsure" || sign.counter === 12, "the counter runs on without the disk", room);
  if (!room.take && room.policy === "call" && (room.isStopped || room.hasSound)) {
    expect(/Stopped/.test(words) && !/by itself/.test(words), "a promise that nobody keeps", { ...room, words });
  }
  expect(!/begins by itself/.test(words) || (room.policy === "call" && !room.isStopped && !room.hasSound && !room.take), "a promise", room);
  for (const musician of musicians) {
    const found = truth.musicianTruth(room, musician), facts = { room, musician, found };
    const isSilent = musician.mutedByModerator || musician.sound !== "on";
    if (musician.role === "listener") expect(found.light === null && found.server === "none", "a listener is recorded", facts);
    if (found.light?.state === "safe") {
      expect(isKept && room.behind !== null && musician.consent && musician.publishing && !isSilent, "safe without reason", facts);
    }
    if (isSilent) expect(found.server !== "sound" && found.here !== "sound", "sound of a muted musician", facts);
    if (!musician.consent) expect(found.server === "none" && found.here !== "sound" && found.safe === null, "recorded against the will", facts);
    if (!room.take) expect(found.server === "none" && found.here !== "sound", "recorded without a take", facts);
    if (found.here === "sound") expect(musician.isMe && musician.copy?.isOpen && !musician.copy.problem, "a copy that is not there", facts);
    if (room.phase === "reconnecting" && room.take && musician.isMe && musician.role === "musician") {
      const outage = truth.outageSentence(room, musician, "12:00");
      expect(/goes on with your lossless copy/.test(outage) === (found.here === "sound"), "the outage misstates the copy", { ...facts, outage });
      if (musician.consent) expect(/does not reach/.test(outage) === !musician.isUp, "the outage misstates the connection", { ...facts, outage });
    }
  }
}
expect(rooms.length * musicians.length > 50_000, "too few combinations", [rooms.length, musicians.length]);

// -- one line for the whole room

const line = (found, wanted, words) => expect(JSON.stringify(found) === JSON.stringify(wanted), words, { found, wanted });
const person = (name, more) => ({ name, facts: { role: "musician", isMe: false, consent: true, publishing: true, connected: true, sound: "on", mutedByModerator: false, isUp: true, copy: null, ...more } });
const rolling = { phase: "joined", policy: "call", isStopped: false, take, rollsFor: 30, safe: 31, behind: 0.4, isDegraded: false, mayChange: true, hasSound: true };
const trio = [person("Ada"), person("Bob"), person("Cy", { sound: "muted" })];
line([
  truth.bandSentence(rolling, trio), truth.bandSentence(rolling, [person("Ada"), person("Lea", { role: "listener" })]),
  truth.bandSentence(rolling, [person("Ada"), person("Bob", { publishing: false }), person("Cy", { consent: false })]),
  truth.bandSentence(rolling, [person("Ada", { sound: "talkback" }), person("Bob")]), truth.bandSentence(rolling, [person("Ada", { consent: false })]),
], [
  "All three safe to 0:31 · Cy is muted", "Safe to 0:31", "Ada safe to 0:31 · nothing arrives from Bob · Cy is not recorded",
  "Both safe to 0:31 · Ada talks", "On disk to 0:31 · Ada is not recorded",
], "one line of truth");
for (const room of rooms) {
  const words = truth.bandSentence(room, trio), isRed = truth.signTruth(room, "").state === "recording";
  expect(/safe/i.test(words) === (isRed && room.behind !== null), "safe without a reason", { room, words });
  expect(isRed === (truth.STATE_WORDS[truth.roomState(room)] === "REC"), "REC without a recording", room);
}

// -- small figures

const same = (found, wanted, words) => expect(JSON.stringify(found) === JSON.stringify(wanted), words, { found, wanted });
const { pairDelay } = await import("/studio/playing/delay.js");
same([[10, 24.4], [25, null], [44.4, 10], [45, 1], [null, 300]].map(([toUs, toThem]) => pairDelay({ toUs, toThem }).word),
  ["tight", "playable", "playable", "late", "late"], "the words of delays");
same(pairDelay({ toUs: null, toThem: null }), null, "a delay of nothing");

const { clicks, readCount, ServerClock, startsAfter } = await import("/studio/playing/count-in.js");
same(clicks(1, 120), [0, 0.5, 1, 1.5].map((at) => ({ at, isFirst: at === 0 })), "a bar");
same(startsAfter(2, 60), 7, "a take begins a beat before the bar");
same([{ at: 1, bars: 2, tempo: 100 }, { at: 1, bars: 99, tempo: 100 }, { at: "x", bars: 1, tempo: 100 }, { at: 1, bars: 1, tempo: 0 }, null, "4"].map((value) => Boolean(readCount(value))),
  [true, false, false, false, false, false], "count-ins from strangers");
const clock = new ServerClock();
same(clock.at(5), null, "a clock without a ping");
clock.sample(100, 110, 5105);
clock.sample(200, 400, 5900);
same(clock.at(1000), 6000, "the quickest ping says the time");

const { pressed } = await import("/studio/playing/pedal.js");
same([[0x90, 60, 100], [0x95, 60, 0], [0x80, 60, 64], [0xb0, 64, 127], [0xb0, 64, 0], [0xc3, 5], [0xf8], []].map(pressed),
  ["note 60", null, null, "controller 64", null, "program 5", null, null], "MIDI messages");

const { beganAt } = await import("/studio/playing/session-clock.js");
same([beganAt("01M846AP73C6F6GB5BKCMV52WW") > 1.79e12, beganAt("01M846AP73C6F6GB5BKCMV52WW") < 1.8e12, beganAt(null), beganAt("x")], [true, true, null, null], "the time of a session");

// -- the order of a talk

const { Talkback } = await import("/studio/playing/talkback.js");
let fails = false;
const log = [];
const talk = new Talkback({
  silence: () => log.push(talk.state), cover: async (isCovered) => { log.push(isCovered ? "cover" : "uncover"); }, rest: () => "on",
  say: async (state) => { log.push(`say ${state}`); if (fails) throw new Error("gone"); },
});
const opened = () => new Promise((resolve) => talk.addEventListener("change", () => { if (talk.isOpen) resolve(); }));
const closing = () => new Promise((resolve) => talk.addEventListener("change", () => { if (talk.state === "closing") resolve(); }));
const USUAL = "opening cover say talkback open closing say on uncover off";
let open = opened(), over = talk.press();
await open;
talk.release();
await over;
same(log.splice(0).join(" "), USUAL, "a talk");
// A lost link: silent for as long as the key is held.
open = opened();
over = talk.press();
await open;
let closed = closing();
talk.fail();
await closed;
same(talk.state, "closing", "silent while the key is held");
talk.release();
await over;
same(log.splice(0).join(" "), USUAL, "a talk whose link was lost");
// A refusal: never open.
fails = true;
closed = closing();
over = talk.press().catch((error) => error.message);
await closed;
talk.release();
same(await over, "gone", "why there is no talk");
same(log.join(" "), "opening cover say talkback closing say on uncover off", "a talk that is refused");

// -- another microphone while playing

const { OwnSound } = await import("/studio/playing/own-sound.js");
const { Microphone } = await import("/studio/room/microphone.js");
const context = new AudioContext();
const source = () => new MediaStreamAudioDestinationNode(context, { channelCount: 2 }).stream;
const own = new OwnSound(async () => {});
const first = await Microphone.open({ stream: source() });
own.use(first);
let muted = null;
await own.change({ stream: source() }, async () => { own.mute(true); muted = [first.isMuted, own.microphone.isMuted, own.microphone === first]; });
same(muted, [true, true, false], "a mute while one microphone takes the place of the other is a mute of both");
own.mute(false);
const second = own.microphone;
const refused = await own.change({ stream: source() }, async () => { throw new Error("no"); }).catch((error) => error.message);
same([refused, own.microphone === second, second.isMuted], ["no", true, false], "a microphone that cannot be sent does not replace the one that is");
// What is kept of a talk: silence, whichever microphone it is heard by.
const covers = [];
const cover = Microphone.prototype.cover;
Microphone.prototype.cover = function (isCovered) { covers.push([this === second, isCovered]); return cover.call(this, isCovered); };
let talked = null;
await own.change({ stream: source() }, async () => {
  const speaks = new Promise((resolve) => own.talkback.addEventListener("change", () => { if (own.talkback.isOpen) resolve(); }));
  talked = own.talkback.press();
  await speaks;
});
own.talkback.release();
await talked;
await own.talkback.over;
same([covers.slice(0, 2).map(String).sort(), covers.at(-1)], [["false,true", "true,true"], [false, false]], "the copies of both microphones are closed to a talk");
covers.length = 0;
const third = own.microphone;
talked = own.talkback.press();
own.use(await Microphone.open({ stream: source() }));
const fresh = own.microphone, held = covers.length;
own.talkback.release();
await talked;
same([fresh !== third, held >= 2, String(covers.at(-1)), fresh.isMuted], [true, true, "false,false", false], "a microphone that comes into a talk is open again after it");
Microphone.prototype.cover = cover;
const late = own.change({ stream: source() }, async () => {}).catch(({ code }) => code);
own.end();
same([await late, own.microphone], ["microphone-changed", null], "no microphone stays open in a room that was left");
await context.close();

// -- a foot switch that is being taught

const { Pedal } = await import("/studio/playing/pedal.js");
const done = [];
const pedal = new Pedal((action) => done.push(action));
pedal.learn("cue", () => {});
pedal.take([0x90, 60, 100]);
pedal.learn("start", () => {});
pedal.cancel();
pedal.take([0x90, 60, 100]);
same(done, ["cue"], "a press after the teaching is carried out, not learned");
localStorage.removeItem("jamjar-pedal");

// -- a warning about another take

const { Link } = await import("/studio/room/link.js");
const { Studio } = await import("/studio/room/studio.js");
const { signOf } = await import("/studio/playing/facts.js");
const { open: openLink, request: requestOf, close: closeLink } = Link.prototype;
let link = null;
Link.prototype.open = async function () { link = this; };
Link.prototype.close = () => {};
Link.prototype.request = async (method) => (method !== "join" ? {} : {
  participant: "A", resume: "r", iceServers: [],
  snapshot: { policy: { recording: "call" }, session: null, members: [], take: { id: "T2", number: 2, song: null } },
});
const studio = new Studio();
await studio.join({ room: "warned", name: "Ada", listener: true });
const event = (detail) => { link.dispatchEvent(new CustomEvent("event", { detail })); return signOf(studio).state; };
same([
  event({ event: "journaled", takeId: "T2", position: 1 }),
  event({ event: "warning", code: "recording-degraded", text: "Take 1 waits for room on the disk" }),
  event({ event: "journaled", takeId: "T1", position: 9 }),
  event({ event: "journaled", takeId: "T2", position: 1 }),
  event({ event: "journaled", takeId: "T2", position: 2 }),
], ["recording", "unsure", "unsure", "unsure", "recording"], "what the disk confirms is recorded, whatever waits for it");
await studio.leave();
Object.assign(Link.prototype, { open: openLink, request: requestOf, close: closeLink });

// -- why a pair is late

const { delayAdvice } = await import("/studio/playing/delay.js");
const ways = { from: "Bob", to: "you", isDirect: false };
same([
  delayAdvice({ device: 40, way: 10, buffer: 12, isBusy: false }, ways), delayAdvice({ device: 10, way: 10, buffer: 50, isBusy: false }, ways),
  delayAdvice({ device: 10, way: 10, buffer: 50, isBusy: true }, ways), delayAdvice({ device: 10, way: 60, buffer: 20, isBusy: true }, ways),
  delayAdvice({ device: 10, way: 60, buffer: 20, isBusy: true }, { from: "you", to: "Bob", isDirect: true }),
  delayAdvice({ device: null, way: null, buffer: null, isBusy: true }, ways),
], [
  "Bob's input takes 40 ms: choose another one, with a cable", "Sound reaches you unevenly and waits 50 ms: use a network cable instead of Wi-Fi",
  "Your computer is busy, so that sound waits 50 ms in it: close tabs and programs",
  "The network between Bob and you takes 60 ms: let the owner choose “directly” in the room",
  "The network between you and Bob takes 60 ms: use a network cable, or play with somebody nearer", null,
], "the cause of a delay, and what helps");
const { Strain } = await import("/studio/playing/strain.js");
const load = new Strain();
load.take(1_000, 60);
same(load.isBusy(2_000), false, "a page that has stumbled once");
for (let at = 3_000; at < 9_000; at += 200) load.take(at, 150);
same([load.isBusy(9_000), load.isBusy(30_000)], [true, false], "a computer that is short of time");

// -- the loudest five seconds

const { loudnessVerdict } = await import("/studio/playing/sound-check.js");
same([-0.2, -4, -6, -12, -18, -30, -90].map((peak) => loudnessVerdict(peak).word), ["loud", "loud", "right", "right", "right", "quiet", "quiet"], "how loud the loudest is");
same([loudnessVerdict(-3.2).text, loudnessVerdict(-24).text], ["Your loudest: -3 dB. A little too loud: turn the input down by 3 dB", "Your loudest: -24 dB. Too quiet: turn the input up by 6 dB"], "what to do about it");

// -- too quiet

const { Listening, warnings } = await import("/studio/room/warnings.js");
const judge = (level) => {
  const listening = new Listening(0);
  for (let now = 0; now < 10; now += 0.05) listening.take({ peak: [level, level], rms: [level, level / 2], isMono: false, clipped: 0 }, now);
  return warnings({ settings: {}, mode: "stereo", listening, now: 10 }).map(({ id }) => id).filter((id) => id === "quiet" || id === "silence");
};
same([judge(0.01), judge(0.3), judge(0)], [["quiet"], [], ["silence"]], "a quiet input");
return objections;
