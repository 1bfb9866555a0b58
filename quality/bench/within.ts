/** A limit for every wait, so that a hanging measurement ends with a sentence. */
const usuallyMs = 20_000;

/** The promise's value in time; otherwise throws with `what`. */
export function within<T>(what: string, promise: Promise<T>, giveUpMs = usuallyMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${giveUpMs / 1000} s.`)), giveUpMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
