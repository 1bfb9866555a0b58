/**
 * The connections for actions, apart from the watch, so that an action need not wait for the watch's next attempt. The
 * first action opens them, and so does the first after a break.
 */
import { failed, givenUp } from './failure';
import { type Link, openLink } from './link';
import { createSeeds } from './masters';
import type { RedisSettings } from './settings';

/** A line that was quiet for longer is checked first, so that no write goes into a dead line. */
const quietMs = 2_000;
const pingMs = 1_500;
/** The connections close when no action came for this time. */
const idleMs = 30_000;

export interface ActLink {
  /** A link that answered a moment ago. Rejects with a `ProblemError`. */
  link(): Promise<Link>;
  close(): void;
}

export function createActLink(settings: RedisSettings, now: () => number): ActLink {
  const ended = new AbortController();
  const seeds = createSeeds(settings);
  let current: Promise<Link> | null = null;
  let answeredMs = 0;
  let idle: NodeJS.Timeout | null = null;

  const closeCurrent = () => {
    if (idle !== null) clearTimeout(idle);
    idle = null;
    const link = current;
    current = null;
    void link?.then((open) => open.close()).catch(() => {});
  };

  function opened(): Promise<Link> {
    const link = openLink({ settings, seeds, signal: ended.signal });
    current = link;
    const forget = () => {
      if (current === link) current = null;
    };
    link.then((open) => void open.broken.then(forget), forget);
    return link;
  }

  /** False when a master is gone or was demoted: it would refuse the write or lose it. */
  async function isSound(link: Link): Promise<boolean> {
    try {
      await Promise.all(link.nodes.map((node) => node.call(['PING'], { timeoutMs: pingMs })));
      await link.verify();
      return true;
    } catch {
      return false;
    }
  }

  return {
    link: async () => {
      if (ended.signal.aborted) throw failed(givenUp);
      if (idle !== null) clearTimeout(idle);
      idle = setTimeout(closeCurrent, idleMs);
      idle.unref();
      const used = current ?? opened();
      let link = await used;
      if (now() - answeredMs > quietMs && answeredMs > 0 && !(await isSound(link))) {
        // Another action may have found this first, and opened the next link.
        if (current === used) closeCurrent();
        link = await (current ?? opened());
      }
      answeredMs = now();
      return link;
    },
    close: () => {
      ended.abort();
      closeCurrent();
    },
  };
}
