/** Which build this code is of; empty outside of one. A page that was opened before the server became another one finds out by it. */
export const build: string = process.env.SIGNALBOX_BUILD_ID ?? '';

/** The build of the server that sent this ping; `null` where it does not say. */
export function buildOf(ping: string): string | null {
  return /^\{"build":"([\w-]+)"\}$/.exec(ping)?.[1] ?? null;
}
