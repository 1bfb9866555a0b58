/** Setup of every unit test file. Files share processes, and each finds its own as if it were alone there. */
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import type { ServerClock } from '@/lib/client/server-clock';

// A module keeps its state as long as a page or a server lives. And a mock gets only into modules that are not loaded
// yet.
vi.resetModules();

const page = vi.hoisted(() => ({ begin: () => {} }));
// A page's knowledge of the server's time lasts as long as it, and each test is a page of its own.
vi.mock(import('@/lib/client/server-clock'), async (original) => {
  const { createServerClock } = await original();
  const clocks = { now: () => Date.now(), steady: () => performance.now() };
  let known: ServerClock | null = null;
  page.begin = () => {
    known = null;
  };
  const clock = () => {
    // Only now, for the test may first have said what time it is.
    known ??= createServerClock(clocks);
    return known;
  };
  return {
    createServerClock,
    serverClock: {
      now: () => clock().now(),
      aheadMs: () => clock().aheadMs(),
      hear: (atMs) => clock().hear(atMs),
    },
  };
});
beforeEach(() => page.begin());

const onPage = globalThis.document !== undefined;

/** The replacements of tests: globals, clocks among them, the environment, and the page. */
function surroundings(): Map<string, unknown> {
  const globals = Reflect.ownKeys(globalThis)
    // `CSS` is another each time that it is asked for. Under hidden names libraries keep what all their copies share. The
    // number of `peer.ts` is one for the whole process.
    .filter((name) =>
      typeof name === 'string' ? !/^(CSS$|__)/.test(name) : /signalbox(?!\.peer)/.test(String(name)),
    )
    .map((name) => {
      const own = Object.getOwnPropertyDescriptor(globalThis, name);
      const wait = !onPage && own?.get !== undefined;
      return [String(name), wait ? lazy : Reflect.get(globalThis, name)] as const;
    });
  return new Map<string, unknown>([
    ...globals,
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ['what is on the page', globalThis.document?.body.innerHTML],
  ]);
}
/** Node makes some when they are first asked for. */
const lazy = Symbol();

const before = surroundings();
afterAll(() => {
  const after = surroundings();
  const other = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== lazy && !Object.is(before.get(name), after.get(name)),
  );
  if (other.length > 0) throw new Error(`This test file left behind: ${other.join(', ')}`);
});

if (onPage) {
  const { configure } = await import('@testing-library/dom');
  // Nothing here waits for long. But a machine that is busy with others may take ten times as long for all of it.
  configure({ asyncUtilTimeout: 30_000 });
  // Every page leaves a title, and many an address: the next one comes to a tab that was just opened.
  afterEach(() => {
    document.head.replaceChildren();
    history.replaceState(null, '', '/');
    localStorage.clear();
    sessionStorage.clear();
  });
  // A change of the address is written 200 ms later, when the page of this file may be gone. Loaded only now, because
  // a file may mock what it imports.
  afterAll(async () => (await import('@/components/dom/address')).writeAddress());
}

// Parts of a page are tested without a page around them: they read English.
const [{ allWords, pageWords }, { en }] = await Promise.all([
  import('@/lib/i18n/words'),
  import('@/lib/i18n/messages'),
]);
pageWords.keep('en', en);
allWords.keep('en', en);
