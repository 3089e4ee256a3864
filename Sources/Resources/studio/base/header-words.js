/** "Take 3 · Blue in Green"
 * @param {{ number: number, song: { title: string } | null }} take */
export const takeTitle = (take) => (take.song ? `Take ${take.number} · ${take.song.title}` : `Take ${take.number}`);
