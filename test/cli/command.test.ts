/** The parts of the command that need no console: its input, its output, and how it follows a stream. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Severity } from '@/lib/domain/findings/finding';
import { holder, liveSource, lock, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import type { EvidenceCode, Expiry, Verdict } from '@/lib/domain/model';
import { problemCodes } from '@/lib/domain/problem';
import { fact } from '@/lib/domain/verdict';
import { diff, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { places } from '@/lib/view/actions/warning-place';
import { meant } from '@/packages/cli/act.mjs';
import { inTheClear, settings } from '@/packages/cli/api.mjs';
import { readArguments } from '@/packages/cli/arguments.mjs';
import { clock, findingLines, lockLines, semaphoreLines } from '@/packages/cli/board.mjs';
import { events } from '@/packages/cli/stream.mjs';
import {
  columns,
  folded,
  painter,
  printable,
  safeJson,
  sentences,
  shown,
  width,
} from '@/packages/cli/terminal.mjs';
import { createWorld } from '@/packages/cli/watch.mjs';
import { effectText, informing, problems, problemText } from '@/packages/cli/words.mjs';
import { run } from '@/test/support/command';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
const commands = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Those that matter, far more often than chance has them. */
const unit = fc.oneof(
  fc.constantFrom(
    '\u001b',
    '\u009b',
    '\u0007',
    '\r',
    '\n',
    '\t',
    '\u007f',
    '\u202e',
    '\u2066',
    '\u200f',
    '\u2028',
    '\ud800',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

test('no character that a terminal obeys is ever printed, from any key', () => {
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const printed = [shown(text), safeJson({ [text]: text }), ...sentences(text).split('\n')];
      const back = JSON.stringify(JSON.parse(safeJson({ [text]: [text] }, 2)));
      return printed.every((line) => !commands.test(line)) && back === JSON.stringify({ [text]: [text] });
    }),
  );
  expect(shown('a\u001b[2J')).toBe('a\\u{1b}[2J');
});

test('on the way out colours of our own are left, and nothing else that a terminal takes for a command', () => {
  const paint = painter({ isTTY: true }, {});
  const ours = `${paint('red', 'a')}\n${paint('dim', 'b')}`;
  expect(printable(ours)).toBe(ours);
  // Hidden text, a title, and the same in one character.
  for (const theirs of ['\u001b[8m', '\u001b]0;x\u0007', '\u009b2J', '\r'])
    expect(printable(`${theirs}${ours}`)).toBe(`${shown(theirs)}${ours}`);
});

/** A stand-in for the console. */
async function answering(answer: (path: string) => unknown) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      asked.push(body);
      const said = answer(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      response.statusCode = Object(said).code === undefined ? 200 : 400;
      response.end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('an answer that is no outcome is no failure: whether it was written is not known', async () => {
  const spoken = { text: 'x' };
  const plan = { summary: spoken, writes: [], touches: [], warnings: [], undo: spoken };
  let planned = false;
  const { url } = await answering(() => {
    if (planned) return {};
    planned = true;
    return { plan, expect: {} };
  });
  const ran = await run(['prune', 'a', '--yes'], { SIGNALBOX_ADDR: url });
  expect([ran.status, ran.err]).toEqual([4, expect.stringContaining('outcome is unknown')]);
});

test('no findings are said to be none, but not where nothing was ever read', async () => {
  const answers = [source, { ...source, state: 'down', lastContactMs: null, staleSinceMs: null }];
  const { url } = await answering(() => ({ source: answers.shift() ?? source, findings: [] }));
  const env = { SIGNALBOX_ADDR: url };
  expect((await run(['findings'], env)).out).toBe('No findings.\n');
  expect(await run(['findings'], env)).toMatchObject({ status: 5, out: '' });
  expect(JSON.parse((await run(['findings', '--json'], env)).out)).toMatchObject({ findings: [] });
});

test('an action is finished even when its output is no longer read', async () => {
  const spoken = { text: 'x' };
  const plan = { summary: spoken, writes: [], touches: [], warnings: [], undo: spoken };
  const outcome = { done: false, freed: [], warnings: [], parts: [] };
  const { url, asked } = await answering(() => (asked.length === 1 ? { plan, expect: {} } : { outcome }));
  const child = spawn(process.execPath, ['packages/cli/signalbox.mjs', 'prune', 'a', '--yes'], {
    env: { ...process.env, SIGNALBOX_ADDR: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.destroy();
  const status = await new Promise((resolve) => child.once('exit', resolve));
  expect([status, asked.map((body) => JSON.parse(body).mode)]).toEqual([1, ['plan', 'apply']]);
});

test.each<[string[], string[], string | null]>([
  [['jobs'], ['prune', 'a'], 'jobs'],
  [['jobs'], ['ask', 'a', 'me'], 'jobs'],
  [['jobs', 'queues'], ['prune', 'a'], null],
  [['consul', 'jobs'], ['prune', 'a'], 'consul'],
  [['jobs', 'queues'], ['prune', 'a', '--source', 'queues'], 'queues'],
])('of the sources %j an action as %j is on %s', async (known, args, wanted) => {
  const planned: string[] = [];
  const missing = (id: string) => ({
    code: 'not-found',
    why: { code: 'no-source', facts: { source: id, known: known.join(', ') } },
  });
  const { url, asked } = await answering((path) => {
    const action = asked.at(-1) === '' ? null : JSON.parse(asked.at(-1) ?? '{}').action;
    const id =
      action === null ? (new URL(path, url).searchParams.get('source') ?? '') : (action.source ?? 'consul');
    if (!known.includes(id)) return missing(id);
    if (action === null) return { source, locks: [], semaphores: [], sessions: [] };
    planned.push(id);
    const spoken = { text: 'x' };
    return { plan: { summary: spoken, writes: [], touches: [], warnings: [], undo: spoken }, expect: {} };
  });
  const ran = await run(args, { SIGNALBOX_ADDR: url });
  expect([ran.status, planned]).toEqual(wanted === null ? [2, []] : [0, [wanted]]);
  if (wanted === null) expect(ran.err).toBe('There are several sources. Add --source: jobs, queues.\n');
});

/** A console with one plan, for a holder of that name who is judged so, that is applied when it is asked for. */
async function planning(confirmName: string | null, verdict: Verdict | undefined) {
  const plan = {
    summary: { text: 'Evict it.' },
    writes: [],
    touches: [],
    warnings: [],
    undo: { text: 'None: it cannot be brought back.' },
    friction: confirmName === null ? 'reason' : 'type-name',
    confirmName,
  };
  const expect = {};
  const saw = { sessions: [], verdict: verdict ?? null };
  const outcome = { done: true, freed: [], warnings: [], parts: [] };
  const action = { type: 'lock.release', source: 'consul', key: 'a', how: 'destroy-session' };
  const applied: unknown[] = [];
  const { url, asked } = await answering(() => {
    const body = JSON.parse(asked.at(-1) ?? '{}');
    if (body.mode === 'apply') applied.push(body);
    return body.mode === 'apply' ? { outcome } : { plan, expect, saw };
  });
  return { saved: { action, plan, expect }, applied, env: { SIGNALBOX_ADDR: url } };
}

const why = ['--reason', 'stuck'];

test('a plan says how the subject that it hits is judged, and that there is an undo line', async () => {
  const { env } = await planning('worker-1', 'alive');
  const { out } = await run(['release', 'a'], env);
  expect(out).toMatch(/^ {2}verdict: alive: its session, lease or entry is there/m);
  expect(out).toMatch(/^ {2}Undo: None: it cannot/m);
  expect(out).toContain('Nothing was written. Add --yes, --reason and --confirm worker-1 to do it.');
  expect((await run(['release', 'a', ...why], env)).out).toContain(
    'Add --yes and --confirm worker-1 to do it.',
  );
  const older = await planning(null, undefined);
  const plain = (await run(['release', 'a'], older.env)).out;
  expect(plain).not.toContain('verdict');
  expect(plain).toContain('Add --yes and --reason to do it.');
});

test('one that may be at work is hit only with its name, exactly as it is written', async () => {
  const { env, applied } = await planning('worker 1', 'alive');
  for (const wrong of [[], ['--confirm', 'worker'], ['--confirm', ''], ['--confirm', 'Worker 1']]) {
    const ran = await run(['release', 'a', '--yes', ...why, ...wrong], env);
    expect([ran.status, ran.err]).toEqual([2, "Nothing was written. Add --confirm 'worker 1'.\n"]);
    expect(ran.out).toContain('verdict: alive');
  }
  const both = await run(['release', 'a', '--yes', '--json'], env);
  expect([both.status, JSON.parse(both.out).problem.code]).toEqual([2, 'invalid']);
  expect(both.err).toContain("--reason and --confirm 'worker 1'");
  expect(applied).toEqual([]);
  const ran = await run(['release', 'a', '--yes', ...why, '--confirm', 'worker 1'], env);
  expect([ran.status, applied.length]).toEqual([0, 1]);
});

test('the option that is asked for is one that a shell and the command take for that name', async () => {
  const { env } = await planning("-it's", 'alive');
  expect((await run(['release', 'a'], env)).out).toContain("--confirm='-it'\\''s' to do it.");
  expect((await run(['release', 'a', '--yes', ...why, "--confirm=-it's"], env)).status).toBe(0);
});

test('a saved plan asks for the same name, and one of an older console for none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-plan-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const { saved, env, applied } = await planning('worker-1', 'alive');
  const path = join(dir, 'plan.json');
  writeFileSync(path, JSON.stringify(saved));
  const ran = await run(['apply', path, '--yes', ...why], env);
  expect([ran.status, ran.err, applied.length]).toEqual([
    2,
    'Nothing was written. Add --confirm worker-1.\n',
    0,
  ]);
  expect((await run(['apply', path, '--yes', ...why, '--confirm', 'worker-1'], env)).status).toBe(0);
  const { friction: _, confirmName: __, ...older } = saved.plan;
  writeFileSync(path, JSON.stringify({ ...saved, plan: older }));
  expect((await run(['apply', path, '--yes', ...why], env)).status).toBe(0);
});

test('a dead one takes a reason alone', async () => {
  const { env } = await planning(null, 'overdue');
  expect((await run(['release', 'a'], env)).out).toMatch(/verdict: overdue: .*probably dead/);
  expect((await run(['release', 'a', '--yes'], env)).err).toBe('Nothing was written. Add --reason.\n');
  expect((await run(['release', 'a', '--yes', ...why], env)).status).toBe(0);
});

const lastMs = Date.UTC(2026, 10, 21, 12, 3, 4);
const bounded = { withinMs: 30_000, latestMs: null, lastRenewalMs: null } as const;
const unknownEnd = { withinMs: null, latestMs: null, lastRenewalMs: null } as const;
const until = `last renewal at ${clock(lastMs)}: ends by`;

test.each<[Verdict, Expiry, string]>([
  [
    'overdue',
    { kind: 'observed', withinMs: 30_000, latestMs: lastMs + 30_000, lastRenewalMs: lastMs },
    `TTL 15 s, ${until} ${clock(lastMs + 30_000)} unless renewed`,
  ],
  // After a gap silence counts from later than the last one.
  ['alive', { ...bounded, kind: 'observed' }, `TTL 15 s, ${until} ${clock(lastMs + 32_000)} unless renewed`],
  ['alive', { ...bounded, kind: 'bounded' }, 'TTL 15 s: ends within 30 s if its process is dead'],
  [
    'node-bound',
    { ...unknownEnd, kind: 'with-node' },
    'no TTL: ends when its node fails or leaves, not when its process dies',
  ],
  [
    'immortal',
    { ...unknownEnd, kind: 'never' },
    'no TTL: never ends by time, holds until a client or a person acts',
  ],
  ['unknown', { ...unknownEnd, kind: 'unknown' }, 'end unknown'],
  [
    'ghost',
    { ...unknownEnd, kind: 'unknown' },
    'never ends on its own: the record stays until a client or a person prunes it',
  ],
])('of what is shown it is said until when it can last: %s, %j', (verdict, expiry, end) => {
  const one = holder('a', verdict, { expiry });
  const renewals = [{ id: 'a', lastMs, fromMs: lastMs + 2_000 }];
  expect(lockLines(lock({ holder: one }), renewals)[3]?.trim()).toBe(end);
  expect(semaphoreLines(semaphore({ holders: [holder('b'), one] }), renewals)[5]?.trim()).toBe(end);
});

test.each<[EvidenceCode, string]>([
  ['check-warning', 'no TTL: never ends by time, only when one of its checks fails'],
  ['no-checks', 'end unknown'],
  ['node-checks-only', 'end unknown'],
  ['may-need-no-entry', 'end unknown'],
])('a check is said to end a session only where one of its own can: %s', (code, end) => {
  const evidence = [fact('no-ttl'), fact(code)];
  const one = holder('a', 'unknown', { evidence, expiry: { ...unknownEnd, kind: 'unknown' } });
  expect(lockLines(lock({ holder: one }))[3]?.trim()).toBe(end);
});

test('findings are printed worst first, and otherwise as they came', () => {
  const given: readonly [string, Severity][] = [
    ['a', 'notice'],
    ['b', 'urgent'],
    ['c', 'warning'],
    ['d', 'urgent'],
  ];
  const lines = findingLines(
    given.map(([key, severity]) => ({
      id: key,
      severity,
      code: 'x',
      text: 'y',
      who: 'z',
      subject: { source: 'consul', kind: 'lock', key },
    })),
    (_, text) => text,
  );
  expect(lines.filter((line) => line.includes('lock'))).toEqual([
    'urgent  lock b',
    'urgent  lock d',
    'warning  lock c',
    'notice  lock a',
  ]);
});

test('colours are for terminals, and NO_COLOR takes them away', () => {
  expect(painter({ isTTY: true }, {})('red', 'a')).toBe('\u001b[31ma\u001b[39m');
  for (const [stream, env] of [
    [{}, {}],
    [{ isTTY: true }, { NO_COLOR: '1' }],
    [{ isTTY: true }, { TERM: 'dumb' }],
  ] as const)
    expect(painter(stream, env)('red', 'a')).toBe('a');
});

test('columns are set by what is seen, wide characters too', () => {
  expect(
    columns([
      ['a', 'x'],
      ['中文', 'y'],
    ]),
  ).toEqual(['a     x', '中文  y']);
});

test('a line is folded at spaces to the width of the terminal, below its first word; nothing of it is lost', () => {
  expect(folded('  ! The next waiter starts at once.', 20)).toBe('  ! The next waiter\n    starts at once.');
  // A serial console says that it is 0 places wide.
  for (const unknown of [undefined, 0]) expect(folded('a b c', unknown)).toBe('a b c');
  const paint = painter({ isTTY: true }, {});
  expect(folded(paint('red', 'one two'), 5)).toBe(paint('red', 'one\ntwo'));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'held', '中文', 'semaphore/import', '!', '-'), { minLength: 1 }),
      fc.nat({ max: 6 }),
      fc.integer({ min: 26, max: 60 }),
      (words, indent, columnsMax) => {
        const line = ' '.repeat(indent) + words.join(' ');
        const lines = folded(line, columnsMax).split('\n');
        return (
          lines.every((one) => width(one) <= columnsMax) &&
          lines.join(' ').split(/ +/).filter(Boolean).join(' ') === words.join(' ')
        );
      },
    ),
  );
});

test('every code that people meet has a sentence, and one of a newer console is readable', () => {
  expect(Object.keys(problems).sort()).toEqual([...problemCodes].sort());
  expect(problemText({ code: 'stale', why: { code: 'x', text: 'The limit changed.' } })).toBe(
    'It changed since the plan. Nothing was written. The limit changed.',
  );
  expect(problemText({ code: 'quite-new' as never })).toBe('The console refused: quite new.');
  expect([effectText('loses-slot'), effectText('quite-new')]).toEqual(['loses its slot', 'quite new']);
});

test('a warning is marked where the dialog of the console marks it', () => {
  const calm = Object.entries(places).filter(([, { grave }]) => !grave);
  expect([...informing].sort()).toEqual(calm.map(([code]) => code).sort());
});

test('a plan says what to know before what is written, marks what warns, and prints sentences', async () => {
  const plan = {
    summary: { text: 'Evict it.' },
    writes: [
      {
        operation: 'destroy-session',
        target: 'ab12',
        condition: null,
        before: { text: 'locks 1 key' },
        after: null,
      },
    ],
    touches: [
      {
        subject: { kind: 'semaphore', prefix: 'pool' },
        effect: 'loses-slot',
        who: { label: 'w-1', node: 'n' },
        detail: null,
      },
    ],
    warnings: [
      { code: 'next-holder', text: 'The next one starts.' },
      { code: 'split-brain', text: 'Both work.' },
      { code: 'quite-new', text: 'Mind this.' },
    ],
    undo: { text: 'None.' },
  };
  const { url } = await answering(() => ({ plan, expect: {} }));
  const { out } = await run(['prune', 'pool'], { SIGNALBOX_ADDR: url });
  expect(out.split('\n')).toEqual([
    'Evict it.',
    '  - The next one starts.',
    '  ! Both work.',
    '  ! Mind this.',
    '  Will be written:',
    '    Destroy session ab12',
    '      before: locks 1 key',
    '      unconditional',
    '  Also affected:',
    '    semaphore pool (w-1 on n) loses its slot.',
    '  Undo: None.',
    'Nothing was written. Add --yes to do it.',
    '',
  ]);
});

test('the command line: an unknown word is reported and never guessed', () => {
  expect(readArguments(['evict', 'a/b', 'ab12', '--yes', '--reason', 'x'])).toEqual({
    command: 'evict',
    names: ['a/b', 'ab12'],
    options: { yes: true, reason: 'x' },
  });
  expect(readArguments(['return', 'a', '2', '--confirm', 'a'])).toMatchObject({ options: { confirm: 'a' } });
  for (const wrong of [
    [],
    ['frob'],
    ['toString'],
    ['evict', 'a'],
    ['list', '--yes'],
    ['resize', 'a', '0'],
    ['resize', 'a', '2.5'],
    ['release', 'a', '--slot-only'],
    ['evict', 'a', 'b', '--force'],
    ['release', ''],
    ['list', '--token', 'x'],
  ])
    expect(readArguments(wrong)).toHaveProperty('wrong');
  expect(readArguments(['--help'])).toBe('help');
  // A key may begin with a dash.
  expect(readArguments(['release', '--', '--odd'])).toMatchObject({ names: ['--odd'] });
});

test('where the console is and who asks: a token from a file wins, and never from an address', () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  expect(settings({})).toEqual({ base: new URL('http://127.0.0.1:3000'), token: null });
  expect(settings({ CONSUL_HTTP_TOKEN: 'a', SIGNALBOX_TOKEN: 'b' }).token).toBe('b');
  expect(() => settings({ SIGNALBOX_ADDR: 'http://user:secret@host' })).toThrow(/without credentials/);
  expect(() => settings({ SIGNALBOX_ADDR: 'ftp://host' })).toThrow();
  expect(() => settings({ SIGNALBOX_TOKEN: 'a\nx-other: b' })).toThrow(/characters/);
  expect(() => settings({ SIGNALBOX_TOKEN_FILE: join(dir, 'none') })).toThrow(/unreadable/);
  expect(inTheClear(settings({ SIGNALBOX_ADDR: 'http://far.example', SIGNALBOX_TOKEN: 'a' }))).toBe(true);
  expect(inTheClear(settings({ SIGNALBOX_ADDR: 'https://far.example', SIGNALBOX_TOKEN: 'a' }))).toBe(false);
  expect(inTheClear(settings({ SIGNALBOX_TOKEN: 'a' }))).toBe(false);
  rmSync(dir, { recursive: true });
});

test('the beginning of an id means one session or is refused', () => {
  expect(meant('abcd', ['abcd-1', 'bbbb-2'])).toBe('abcd-1');
  expect(() => meant('abcd', ['abcd-1', 'abcd-2'])).toThrow(/Give more/);
  // Too short to mean one, or none of these: the console says what it is.
  expect(meant('abc', ['abcd-1'])).toBe('abc');
  expect(meant('ffff', ['abcd-1'])).toBe('ffff');
});

async function collect(parts: readonly Uint8Array[]) {
  const found = [];
  for await (const event of events(
    (async function* () {
      yield* parts;
    })(),
  ))
    found.push(event);
  return found;
}

test('events are read the same wherever the bytes are cut', async () => {
  const text =
    ': hi\n\nretry: 1\nevent: patch\r\nid: a-1\r\ndata: {"k":"中🚦"}\r\n\r\ndata: one\ndata:two\n\nid: a-2\nevent: ping\ndata: {}\n\nevent: cut\ndata: no end';
  const bytes = new TextEncoder().encode(text);
  const whole = await collect([bytes]);
  expect(whole).toEqual([
    { event: 'patch', id: 'a-1', data: '{"k":"中🚦"}' },
    { event: 'message', id: 'a-1', data: 'one\ntwo' },
    { event: 'ping', id: 'a-2', data: '{}' },
  ]);
  for (let size = 1; size < 20; size += 1) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.slice(i * size, (i + 1) * size),
    );
    expect(await collect(parts)).toEqual(whole);
  }
});

test('the command stands alone: nothing but Node and its own folder is imported', () => {
  const folder = 'packages/cli';
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    const imports = [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export) .*?from '([^']+)'|^} from '([^']+)'/gm,
      ),
    ];
    for (const [, one, two] of imports)
      expect([file, one ?? two]).toEqual([file, expect.stringMatching(/^(node:|\.\/)/)]);
  }
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-bin-'));
  cpSync(folder, dir, { recursive: true });
  const out = execFileSync(process.execPath, [join(dir, 'signalbox.mjs'), '--version'], {
    encoding: 'utf8',
  });
  expect(out.trim()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  rmSync(dir, { recursive: true });
});

const source = liveSource({ datacenter: 'dc1', origin: 'x', lastContactMs: 1, endsSeenSinceMs: 1 });

const snapshots: readonly Snapshot[] = [
  world({ semaphores: [semaphore()] }),
  world({ semaphores: [semaphore({ holders: [holder('b')], waiters: [waiter('c')] })], locks: [lock()] }),
  world({ locks: [lock()] }),
].map((one, i) => ({ ...one, version: i + 1, asOfMs: i, source, findings: [] }));

test('watch says the same whether a change came as a patch or in a snapshot after an outage', () => {
  const [first, second, third] = snapshots as [Snapshot, Snapshot, Snapshot];
  const said = (
    take: (one: ReturnType<typeof createWorld>, from: Snapshot, to: Snapshot) => string[] | undefined,
  ) => {
    const known = createWorld();
    known.snapshot(first);
    return [take(known, first, second), take(known, second, third)];
  };
  const byPatch = said((known, from, to) => known.patch(diff(from, to) as Patch)?.lines.toSorted());
  const whole = said((known, _, to) => known.snapshot(to).lines.toSorted());
  expect(byPatch).toEqual(whole);
  expect(byPatch[0]).toContain('semaphore jobs  1 of 1 slots held, 1 waiting  (-a +b)');
  expect(byPatch[1]).toEqual(['semaphore jobs  gone']);
  const missed = createWorld();
  missed.snapshot(first);
  expect(missed.patch(diff(second, third) as Patch)).toBeNull();
});
