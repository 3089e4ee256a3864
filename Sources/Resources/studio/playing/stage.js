// The bar over the room: session clock, mute, talkback, tuner, stage view. The stage view leaves names, meters, the sign and the
// song, to be read from two metres.

import { button, element } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { Scope, signal } from "../base/view.js";
import { sessionClock } from "./session-clock.js";
import { openStageSheet } from "./stage-sheet.js";

/** @param {HTMLElement} place @param {Studio} studio @param {() => void} showKeys @param {HTMLElement} tuner its button
 * @param {HTMLElement} songs where the song goes */
export function openStage(place, studio, showKeys, tuner, songs) {
  const scope = new Scope();
  const isOn = signal(false);
  const own = scope.follow(() => ({
    isThere: studio.microphone !== null, isMuted: studio.isMuted, talk: studio.talkback.state,
    mayTalk: studio.canTalk && studio.microphone !== null && !studio.isMutedByModerator && studio.phase === "joined",
  }), [[studio, "state"], [studio.talkback, "change"]]);

  const time = sessionClock(studio);
  const mute = button("", () => { studio.isMuted = !studio.isMuted; }, { id: "own-mute", className: "quiet mute" });
  const talk = button("", null, { id: "talk", className: "quiet", title: "The others hear you, and silence is recorded" });
  const view = button("", () => toggle(), { id: "stage-view", className: "quiet" });
  const keys = button("Keys", () => showKeys(), { className: "quiet" });
  place.prepend(element("div", { className: "stage-bar" }, mute, talk, tuner, time.element, element("span", { className: "grow" }), view, keys));

  scope.bind(mute, {
    hidden: () => !own.value.isThere, textContent: () => (own.value.isMuted ? "Unmute" : "Mute"),
    ariaLabel: () => `${own.value.isMuted ? "Unmute" : "Mute"} your microphone`, "aria-pressed": () => own.value.isMuted,
  });
  scope.bind(talk, {
    hidden: () => !own.value.isThere, disabled: () => !own.value.mayTalk, "aria-pressed": () => own.value.talk === "open",
    textContent: () => (own.value.talk === "open" ? "You talk: not recorded" : own.value.talk === "opening" ? "Wait …" : "Hold to talk"),
  });
  scope.bind(view, { textContent: () => (isOn.value ? "Whole room" : "Stage view"), "aria-pressed": () => isOn.value });
  scope.effect(() => {
    for (const node of [place, document.documentElement]) node.toggleAttribute("data-stage", isOn.value);
  });

  const text = signal("");
  const song = openStageSheet(songs, studio, scope, { text, isOn });

  const toggle = async () => {
    isOn.value = !isOn.value;
    // Where it is refused, the view alone has to do.
    if (isOn.value) await document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
  };
  /** @param {boolean} isHeld */
  const hold = (isHeld) => {
    if (!isHeld) studio.talkback.release();
    else if (own.value.mayTalk) attempt(() => studio.talkback.press());
  };
  scope.on(talk, "pointerdown", (event) => {
    talk.setPointerCapture?.(event.pointerId);
    hold(true);
  });
  for (const end of ["pointercancel", "lostpointercapture", "blur"]) scope.on(talk, end, () => hold(false));
  // A button that has become disabled hears no release of its own.
  scope.on(window, "pointerup", () => hold(false));
  scope.on(talk, "keydown", (event) => { if (event.key === " " && !event.repeat) hold(true); });
  scope.on(talk, "keyup", (event) => { if (event.key === " ") hold(false); });
  scope.on(document, "fullscreenchange", () => { if (!document.fullscreenElement && isOn.value) toggle(); });
  scope.atEnd(() => {
    hold(false);
    if (isOn.value) toggle();
    time.close();
  });
  return {
    toggle, hold, turn: song.turn,
    /** Follows the room's sheet.
     * @param {{ value: string }} sheet */
    follow: (sheet) => scope.effect(() => { text.value = sheet.value; }),
    close: () => scope.close(),
  };
}
