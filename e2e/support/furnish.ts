/** One of everything for the tests of form, made once for all that share an agent; and axe on what a page shows. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Links of list rows that stand less than 24 px below each other. Axe measures from middle to middle, so that it finds
 * them only where the texts happen to be as long: with one font or in one language, and not with another.
 */
function crowded(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('ul, ol')].flatMap((list) => {
      const links = [...list.children].flatMap((row) => {
        const link = row.querySelector('a');
        return link === null || !link.checkVisibility() ? [] : [link];
      });
      return links.slice(1).flatMap((link, i) => {
        const [above, below] = [links[i]?.getBoundingClientRect(), link.getBoundingClientRect()];
        if (above === undefined || below.top < above.bottom || below.height >= 24) return [];
        const apartPx = below.top + below.height / 2 - (above.top + above.height / 2);
        return apartPx >= 24
          ? []
          : [`${apartPx} px below the link before it: ${link.outerHTML.slice(0, 160)}`];
      });
    }),
  );
}

/** The broken rules of WCAG 2.2 A and AA, one line each. */
export async function broken(page: Page): Promise<string[]> {
  return [...(await brokenRules(page)), ...(await crowded(page))];
}

async function brokenRules(page: Page): Promise<string[]> {
  // The page's own policy forbids injected script tags; evaluating is not injecting.
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`);
  return page.evaluate(async () => {
    const run = (
      window as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
      }
    ).axe;
    const { violations } = await run.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    });
    return violations.flatMap((v) =>
      v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} | ${n.failureSummary}`),
    );
  });
}

let furnished: { consul: TestConsul; done: Promise<{ sessionId: string }> } | null = null;

/** Makes it on this agent, if it is not there yet. */
export function furnish(consul: TestConsul): Promise<{ sessionId: string }> {
  if (furnished?.consul !== consul) furnished = { consul, done: make(consul) };
  return furnished.done;
}

/** A semaphore with ghosts, a semaphore and a lock of real clients, an immortal session that leaves a lock. */
async function make(consul: TestConsul): Promise<{ sessionId: string }> {
  const client = consul.client();
  runConsulLock(consul, { n: 2, prefix: 'form/pool', command: 'sleep 600' });
  runConsulLock(consul, { n: 1, prefix: 'form/leader', command: 'sleep 600' });
  const sessionId = await client.createSession({
    name: 'form-immortal',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'form/plain', value: Buffer.from('x'), flags: '0', session: sessionId });
  await leakSlots(consul, 'semaphore/form-gateway');
  await until(async () => (await client.list('form/')).value.length === 4, { what: 'clients of every kind' });
  return { sessionId };
}

/** A list-layout semaphore, made now, whose two slots are recorded for sessions that never were. */
export async function leakSlots(consul: TestConsul, prefix: string): Promise<void> {
  const made = await consul.client().cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(
      '{"limit":2,"holders":["90c02f1e-7f0e-4d33-93c5-e16d4a406027","93e5f1aa-0000-4d33-93c5-e16d4a4080ab"]}',
    ),
    flags: '0',
    index: '0',
  });
  if (!made) throw new Error(`${prefix} was there already`);
}

/**
 * Resolves when the console shows all of it, renewals included: late data moves the page, which is news, not a fault of
 * form.
 */
export async function inView(baseUrl: string): Promise<void> {
  await until(
    async () => {
      const { locks, semaphores, sessions, findings, renewals } = (await (
        await fetch(`${baseUrl}/api/v1/snapshot`)
      ).json()) as Snapshot;
      const there = [...locks.map(({ key }) => key), ...semaphores.map(({ prefix }) => prefix)];
      return (
        ['form/leader/.lock', 'form/plain', 'form/pool', 'semaphore/form-gateway'].every((name) =>
          there.includes(name),
        ) &&
        sessions.length >= 3 &&
        findings.some(({ code }) => code === 'ghost-slots') &&
        (renewals?.length ?? 0) >= 2
      );
    },
    { what: 'everything in view, with renewals', timeoutMs: 30_000 },
  );
}

/** Every screen, by address. */
export function screensOf(sessionId: string): string[] {
  return [
    '/',
    '/?group=true',
    '/semaphore?prefix=semaphore%2Fform-gateway',
    '/semaphore?prefix=form%2Fpool',
    '/lock?key=form%2Fplain',
    '/lock?key=form%2Fnowhere',
    '/sessions',
    `/session?id=${sessionId}`,
    '/findings',
    '/graph',
    '/history',
    '/history?figures=true',
    '/no-such-page',
  ];
}
