/** The clients inside a critical section, written down at each entry and exit, in any process. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Presence {
  enter(who: string): void;
  leave(who: string): void;
  /** A shell command that enters, stays for so many seconds, and leaves. */
  command(who: string, seconds: number): string;
  /** Entries so far, by who. */
  entered(): string[];
  /** The most that were inside at one time. Appends to a file are ordered. */
  most(): number;
  remove(): void;
}

export function createPresence(): Presence {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-presence-'));
  const file = join(dir, 'log');
  appendFileSync(file, '');
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]);
  return {
    enter: (who) => appendFileSync(file, `enter ${who}\n`),
    leave: (who) => appendFileSync(file, `leave ${who}\n`),
    command: (who, seconds) => `echo enter ${who} >> ${file}; sleep ${seconds}; echo leave ${who} >> ${file}`,
    entered: () => lines().flatMap(([what, who]) => (what === 'enter' ? [who] : [])),
    most: () => {
      const inside = new Set<string>();
      let most = 0;
      for (const [what, who] of lines()) {
        if (what === 'enter') inside.add(who);
        else inside.delete(who);
        most = Math.max(most, inside.size);
      }
      return most;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
