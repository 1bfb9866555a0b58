/**
 * Why something that tests need is not here, `null` where it is. In continuous integration (`CI`) it must be there: a skipped
 * test would never be noticed. `find` is handed a voice for what takes long; `instead` says what is skipped.
 */
export async function whyAbsent(
  find: (options: { say: (line: string) => void }) => Promise<unknown>,
  instead: string,
): Promise<string | null> {
  try {
    await find({ say: console.log });
    return null;
  } catch (error) {
    if (process.env.CI) throw error;
    const why = error instanceof Error ? error.message : String(error);
    console.warn(`\n!! ${instead} ${why}\n`);
    return why;
  }
}
