/**
 * Waits until `condition` gives something other than `false`, `null` or `undefined`, and returns that. An error
 * thrown by the condition counts as "not yet" and is the cause of the failure when the time is over: 30 s by default, for
 * a machine may be busy with others.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 30_000, everyMs = 25 }: { what: string; timeoutMs?: number; everyMs?: number },
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as Exclude<T, false | null | undefined>;
      last = value;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end)
      throw new Error(
        `${what}: not within ${timeoutMs / 1000} s${last instanceof Error ? ` (${last.message})` : ''}`,
        { cause: last },
      );
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
