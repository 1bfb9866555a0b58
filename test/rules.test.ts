/** The repository's own rules, where a linter cannot see them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { methods } from '@/lib/server/http/methods';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);
const sources = files.filter((f) => /\.(ts|tsx|mjs)$/.test(f));
const text = (file: string) => readFileSync(file, 'utf8');
const importsOf = (file: string) =>
  [...text(file).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((m) => m[1] ?? '');

test('only lib/providers/consul/client/client.ts imports the consul package', () => {
  const importers = sources.filter((f) => importsOf(f).includes('consul'));
  expect(importers).toEqual(['lib/providers/consul/client/client.ts']);
});

test('no import climbs out of its folder by a relative path', () => {
  const climbers = sources.filter((f) => /^(lib|app|components|packages\/locks\/src)\//.test(f));
  expect(climbers.filter((f) => importsOf(f).some((i) => i.startsWith('../')))).toEqual([]);
});

test('providers are named by the composition root alone on the server', () => {
  const importers = sources.filter(
    (f) =>
      f.startsWith('lib/server/') &&
      !f.endsWith('.test.ts') &&
      importsOf(f).some((i) => i.startsWith('@/lib/providers/')),
  );
  // env.ts reads the settings' type of whichever provider runtime.ts composes; the document of the API shows the form of `expect`.
  const composing = [
    'lib/server/runtime.ts',
    'lib/server/process/env.ts',
    'lib/server/openapi/schema-plan.ts',
  ];
  expect(importers.filter((f) => !composing.includes(f))).toEqual([]);
});

test('an action is spelled where it is described, done and worded, and everything else asks there', () => {
  const types =
    /['"](lock\.(release|delete|ask|wake|remove-waiter)|semaphore\.(evict|prune|resize|delete|remove-waiter|return-permits)|session\.destroy)['"]/;
  const places = /^(lib\/(domain\/actions|providers|i18n)\/|packages\/cli\/)/;
  const spelled = product.filter((f) => types.test(text(f)));
  expect(spelled.length).toBeGreaterThan(8);
  expect(spelled.filter((f) => !places.test(f))).toEqual([]);
});

/**
 * The rooms of the product, from the ground up. A room imports from those above it in this list, and from nothing below, so that there
 * is no circle and no two rooms that need each other.
 */
const rooms = [
  'lib/domain/codes',
  'lib/domain',
  'lib/domain/pace',
  'lib/domain/waitgraph',
  'lib/domain/actions',
  'lib/domain/findings',
  'lib/domain/world',
  'lib/domain/rules',
  'lib/domain/explain',
  'lib/domain/history',
  'lib/domain/history/record',
  'lib/domain/sharing',
  'lib/domain/by-hand',
  'lib/domain/seam',
  'lib/i18n/format',
  'lib/i18n/en/providers',
  'lib/i18n/en',
  'lib/i18n/en/rest',
  'lib/i18n/zh/providers',
  'lib/i18n/zh',
  'lib/i18n/zh/rest',
  'lib/i18n',
  'lib/providers/consul/client',
  'lib/providers/consul/rows',
  'lib/providers/consul/renewals',
  'lib/providers/consul/observed',
  'lib/providers/consul/recognise',
  'lib/providers/consul/watch',
  'lib/providers/consul/sight',
  'lib/providers/consul/actions',
  'lib/providers/consul',
  'lib/providers/redis/client',
  'lib/providers/redis/recognise',
  'lib/providers/redis/watch',
  'lib/providers/redis/actions',
  'lib/providers/redis',
  'lib/providers/stand-in',
  'lib/providers/zookeeper/client',
  'lib/providers/zookeeper/admin',
  'lib/providers/zookeeper/recognise',
  'lib/providers/zookeeper/watch',
  'lib/providers/zookeeper/actions',
  'lib/providers/zookeeper',
  'packages/locks/src',
  'lib/server/process',
  'lib/server/sources',
  'lib/server/store',
  'lib/server/http',
  'lib/server/live',
  'lib/server/stream',
  'lib/server/metrics',
  'lib/server/identity',
  'lib/server/audit',
  'lib/server/webhook',
  'lib/server/history',
  'lib/server/sharing',
  'lib/server/actions',
  'lib/server/answers',
  'lib/server/openapi',
  'lib/server',
  'lib/server/entry',
  'lib/client',
  'lib/view',
  'lib/view/search',
  'lib/view/board',
  'lib/view/actions',
  'lib/view/history',
  'components/ui',
  'components/dom',
  'components/live',
  'components/list',
  'components/marks',
  'components/copy',
  'components/actions',
  'components/sharing',
  'components/findings',
  'components/audit',
  'components/history',
  'components/past',
  'components/subject',
  'components/sessions',
  'components/board',
  'components/graph',
  'components/identity',
  'components/embed',
  'components/shell',
  'app',
];

/** The product's own files: no tests, and nothing that only tests use. */
const product = sources.filter(
  (f) =>
    /^(lib|components|app|packages\/locks\/src)\//.test(f) && !/\.(test|bench)\.tsx?$|\/fixture\//.test(f),
);

const roomOf = (file: string) => (file.startsWith('app/') ? 'app' : dirname(file));

test('imports between rooms go one way, so that no room is on both sides of another', () => {
  expect([...new Set(product.map(roomOf))].filter((room) => !rooms.includes(room))).toEqual([]);
  const upward = product.flatMap((file) =>
    importsOf(file)
      .map((from) =>
        from.startsWith('@/') ? from.slice(2) : from.startsWith('./') ? join(dirname(file), from) : null,
      )
      .filter((from) => from !== null && /^(lib|components|app|packages)\//.test(from))
      .filter((from) => rooms.indexOf(roomOf(from ?? '')) > rooms.indexOf(roomOf(file)))
      .map((from) => `${file} -> ${from}`),
  );
  expect(upward).toEqual([]);
});

test('the package of locks takes the client from the app and nothing else, and the app takes nothing from it', () => {
  const own = /^(lib\/domain(\/pace)?|lib\/providers\/consul\/(client|rows)|packages\/locks\/src)$/;
  const foreign = product
    .filter((f) => f.startsWith('packages/'))
    .flatMap((f) => importsOf(f).filter((i) => i.startsWith('@/') && !own.test(dirname(i.slice(2)))));
  expect(foreign).toEqual([]);
  const users = product.filter(
    (f) => !f.startsWith('packages/') && importsOf(f).some((i) => /^(@\/packages|@signalbox)\//.test(i)),
  );
  expect(users).toEqual([]);
});

test('a room has at most 25 files, so that a reader finds theirs in a minute', () => {
  const sizes = new Map<string, number>();
  for (const file of product) sizes.set(roomOf(file), (sizes.get(roomOf(file)) ?? 0) + 1);
  sizes.delete('app');
  expect([...sizes].filter(([, files]) => files > 25)).toEqual([]);
});

test('no drawers: a file or folder is named after one noun', () => {
  const drawers = /(^|\/)(utils?|helpers?|types|hooks|services?|managers?|common|misc|shared)(\/|\.|$)/i;
  expect(files.filter((f) => drawers.test(f))).toEqual([]);
});

test('every file of tests belongs to a tier that runs it', () => {
  const globs = [...text('vitest.config.ts').matchAll(/include: \['([^']+)'\]/g)].map(([, glob = '']) =>
    glob
      .replaceAll('.', '\\.')
      .replace(/\{([^}]+)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`)
      .replaceAll('**/', '(.+/)?')
      .replaceAll('*', '[^/]*'),
  );
  expect(globs).toHaveLength(2);
  const run = new RegExp(`^(${globs.join('|')})$`);
  expect(files.filter((f) => /\.test\.\w+$/.test(f) && !run.test(f))).toEqual([]);
});

test('no test is tried again: one that fails has a cause, which a second try would hide', () => {
  const again =
    /(?:^|[\s{,(])(?:retr(?:y|ies)|'retr(?:y|ies)'|"retr(?:y|ies)")\s*:|[{,]\s*retr(?:y|ies)\s*[,}]|--retr(?:y|ies)\b/m;
  for (const word of ['retry', 'retries'])
    for (const set of [
      `  ${word}: 2,`,
      `test('a', { ${word}: 1 }, f)`,
      `{ '${word}': 1 }`,
      `{ ${word} }`,
      `--${word}=2`,
    ])
      expect(set).toMatch(again);
  const places = /^(e2e|test|quality|scripts)\/|\.test\.|^(playwright|vitest)\.config\.ts$|^package\.json$/;
  const settings = files.filter((f) => places.test(f) && /\.(ts|tsx|mjs|json)$/.test(f));
  expect(settings).toEqual(
    expect.arrayContaining(['playwright.config.ts', 'vitest.config.ts', 'package.json']),
  );
  expect(settings.filter((f) => again.test(text(f)))).toEqual([]);
});

test('a route parses, calls and answers in 25 lines', () => {
  const long = sources.filter((f) => basename(f) === 'route.ts' && text(f).trimEnd().split('\n').length > 25);
  expect(long).toEqual([]);
});

test('a source file fits in the head: at most 350 lines', () => {
  const long = sources.filter((f) => !f.includes('.test.') && text(f).split('\n').length > 351);
  expect(long).toEqual([]);
});

test('the lock file names no download address, and no package runs an install script', () => {
  const lock = text('package-lock.json');
  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toContain('"hasInstallScript"');
});

test('every decision record is numbered without a gap', () => {
  const numbers = files
    .filter((f) => /^docs\/decisions\/\d{4}-/.test(f))
    .map((f) => Number(basename(f).slice(0, 4)));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});

/** Every route of the app: its address, its exports, and its text. */
const routes = sources
  .filter((f) => f.startsWith('app/') && basename(f) === 'route.ts')
  .map((file) => ({
    file,
    path: file
      .replace(/^app/, '')
      .replace(/\/\([^/]+\)/g, '')
      .replace(/\/route\.ts$/, ''),
    exported: [...text(file).matchAll(/^export (?:async )?(?:function|const) ([A-Z]+)\b/gm)].map(
      (m) => m[1] ?? '',
    ),
    body: text(file),
  }));

/** Routes that ask for no identity, each with its reason. */
const openRoutes: Readonly<Record<string, string>> = {
  'app/healthz/route.ts': 'the process is up: no caller, no backend, no word of what is in view',
  'app/readyz/route.ts': 'a state in one word, for whatever decides where to send people',
  'app/metrics/route.ts': 'has a credential of its own, or answers loopback alone',
};

test('every method of every route goes through the one entry, or has a reason not to', () => {
  const around = routes.flatMap(({ file, body, exported }) => {
    if (file in openRoutes) return [];
    const entry = file.startsWith('app/embed/') ? /\benterEmbed\(/ : /\benter(AsAnybody)?\(/;
    return exported
      .filter((name) => {
        const own = body.slice(body.search(new RegExp(`^export (async )?function ${name}\\b`, 'm')));
        const end = own.indexOf('\n}');
        // The head of the stream says nothing and opens nothing.
        return (
          !entry.test(own.slice(0, end)) &&
          !(name === 'HEAD' && /return new Response\(null,/.test(own.slice(0, end)))
        );
      })
      .map((name) => `${name} ${file}`);
  });
  expect(around).toEqual([]);
});

test('every route that answers any caller is listed', () => {
  const anybody = routes.filter(({ body }) => /\benterAsAnybody\(/.test(body)).map(({ path }) => path);
  expect(anybody.sort()).toEqual(['/api/v1/openapi', '/api/v1/openapi.json', '/api/v1/session']);
});

test('the table of methods is what the routes export, so that everything else is refused before it runs', () => {
  const exported = routes.map(({ path, exported }): [string, string[]] => {
    // Next answers HEAD wherever there is GET.
    const all = exported.includes('GET') ? [...exported, 'HEAD'] : exported;
    return [path, [...new Set(all)].sort()];
  });
  const table = Object.entries(methods).map(([path, list]): [string, string[]] => [path, [...list].sort()]);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(exported));
});

test('no route is cached by the framework', () => {
  expect(
    routes
      .filter(({ body }) => !body.includes("export const dynamic = 'force-dynamic'"))
      .map(({ file }) => file),
  ).toEqual([]);
});

/** The modules that a file loads when it runs, without types. */
const loadedBy = (file: string) =>
  [...text(file).matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)from\s+'([^']+)'/gm)]
    .filter(([, names = '']) => !/^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(names))
    .map(([, , from = '']) => from)
    .concat([...text(file).matchAll(/import\(\s*'([^']+)'/g)].map(([, from = '']) => from));

/** Everything that the browser may load, by what each file imports. */
function screens(): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const found = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const from of loadedBy(file)) {
      const path = from.startsWith('@/')
        ? from.slice(2)
        : from.startsWith('./')
          ? join(dirname(file), from)
          : null;
      const target =
        path === null ? null : [`${path}.ts`, `${path}.tsx`, path].find((f) => files.includes(f));
      if (target != null) visit(target);
      else if (path === null) packages.add(from);
    }
  };
  sources
    .filter((f) => /^(\/\*|'use client')/.test(text(f)) && /^'use client'/m.test(text(f)))
    .forEach(visit);
  visit('lib/client/live-worker.ts');
  return { files: found, packages };
}

test("the browser's code has nothing of the server in it, and no library that checks shapes", () => {
  const { files: loaded, packages } = screens();
  expect(loaded.size).toBeGreaterThan(200);
  expect([...loaded].filter((f) => /^lib\/(server|providers)\//.test(f))).toEqual([]);
  expect([...packages].filter((name) => /^(zod$|server-only|jose|pino|kysely|node:)/.test(name))).toEqual([]);
});

test('the server stands on what Node and Next document: nothing of theirs is patched, replaced or read in private', () => {
  const undocumented =
    /\._(?:header|events|handle|httpMessage|writableState|readableState)\b|\b_header\b|removeAllListeners\(|node:diagnostics_channel|process\.exit = |\.prototype\.\w+ = |shouldKeepAlive|useChunkedEncodingByDefault/;
  const ours = files.filter(
    (f) => /^(lib|app)\/.*\.tsx?$|^(server|instrumentation|proxy)\.[jt]s$/.test(f) && !f.includes('.test.'),
  );
  expect(ours).toContain('server.js');
  expect(ours.filter((f) => undocumented.test(text(f)))).toEqual([]);
});

test('a time limit is combined with signals by `within` alone: of AbortSignal.any it is collected as garbage', () => {
  const combined = sources.filter((f) => /AbortSignal\.any\([^;]*AbortSignal\.timeout/.test(text(f)));
  expect(combined).toEqual(['lib/server/process/deadline.ts']);
});

test('there are no server actions: every write is one typed request through the entry', () => {
  expect(sources.filter((f) => /^\s*['"]use server['"]/m.test(text(f)))).toEqual([]);
});

test('no page injects HTML or asks for what another site has', () => {
  const ours = sources.filter((f) => /^(app|components)\//.test(f) && !f.includes('.test.'));
  expect(
    ours.filter((f) => /dangerouslySetInnerHTML|\.innerHTML|\beval\(|new Function\(|style=\{/.test(text(f))),
  ).toEqual([]);
});

test('on the server no address comes from a request: only named places open connections', () => {
  // A type opens nothing.
  const opening = /\bfetch\(|^import (?!type\b)[^;]*from '(?:node:(?:https?|net|tls)|undici)'/m;
  const openers = sources.filter(
    (f) => f.startsWith('lib/server/') && !f.includes('.test.') && opening.test(text(f)),
  );
  // Where the operator's own webhook is called; `isIP` and `BlockList` compare, and open nothing.
  const known = [
    'lib/server/webhook/post.ts',
    'lib/server/http/arrival.ts',
    'lib/server/http/http.ts',
    'lib/server/http/limits.ts',
  ];
  expect(openers.filter((f) => !known.includes(f))).toEqual([]);
});
