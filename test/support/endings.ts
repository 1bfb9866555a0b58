/** What a test file has started and must end with it, wherever in the file that was: `leaks.ts` ends it. */
const endings = new Set<() => Promise<void>>();

/** Has `stop` called when the test file ends. Returns the same, to be called earlier; it runs once. */
export function endsWithFile(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | null = null;
  const once = () => {
    endings.delete(once);
    stopped ??= stop();
    return stopped;
  };
  endings.add(once);
  return once;
}

/** Ends everything, the last started first: clients before their servers. */
export async function endAll(): Promise<void> {
  for (const stop of [...endings].reverse()) await stop();
}
