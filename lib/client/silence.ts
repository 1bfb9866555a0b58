/** The longest silence of a live stream, which has a ping every 3 s at least. After it the server counts as gone. */
export const silenceMaxMs = 8_000;
