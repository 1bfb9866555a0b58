/** Client programs in Java, which end with their test file. */
import { type DrivenEvent, type DrivenProgram, JavaThrown, startDriven } from '@/scripts/driven.mjs';
import { endsWithFile } from './endings';
import { until } from './until';

export { JavaThrown };

export interface TestProgram extends Omit<DrivenProgram, 'ended'> {
  /** Waits until it has said this. */
  heard(event: string, timeoutMs?: number): Promise<DrivenEvent>;
}

/**
 * The same methods, whose refusals may go unheard: a test may ask for a lock that is never had, and kill the client, which is
 * nobody's error.
 */
export function unheard<T extends object>(methods: T): T {
  const quiet = Object.entries(methods).map(([name, method]) => [
    name,
    typeof method !== 'function'
      ? method
      : (...args: unknown[]) => {
          const answer = method(...args);
          if (answer instanceof Promise) answer.catch(() => {});
          return answer;
        },
  ]);
  return Object.fromEntries(quiet);
}

/** Starts a program, and resolves once it has its connection (0.5 to 10 s). */
export async function startTestProgram(
  part: 'redisson' | 'curator',
  settings: Readonly<Record<string, unknown>>,
): Promise<TestProgram> {
  const { ended, ...program } = await startDriven(part, settings);
  const kill9 = endsWithFile(program.kill9);
  return {
    ...program,
    kill9,
    heard: (event, timeoutMs = 30_000) =>
      until(
        () => {
          if (ended()) throw new Error(`It has ended.\n${program.errors()}`);
          return program.events.find((one) => one.event === event);
        },
        { what: `the ${part} program says "${event}"`, timeoutMs },
      ),
  };
}
