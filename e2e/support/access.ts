/** The table of who sees and may do what: looked at through a browser, person by person, and written as a document. */
import type { Page } from '@playwright/test';
import {
  applied,
  isLive,
  type Offer,
  offered,
  type Person,
  pressed,
  rowsOn,
  snapshotOf,
  streamOf,
} from '@/e2e/support/person';
import { mark, type Places, type Team, teams } from '@/e2e/support/teams';
import { paths } from '@/lib/client/paths';
import type { Action } from '@/lib/domain/actions/action';
import { en } from '@/lib/i18n/messages';

/** One of a kind of thing that can be done, and where the screen offers it. */
interface Deed {
  readonly name: string;
  readonly action: Action;
  readonly offer: Offer;
}

const { buttons, menu } = en.action;

/** Everything that can be done to what one team has. Each needs a thing of its own, so none stands in another's way. */
function deedsOn(places: Places): readonly Deed[] {
  const { release, handOver, idle, pool, holder, empty, session } = places;
  const lock = (key: string, text: string, inMenu: boolean) => ({ path: paths.lock(key), text, inMenu });
  const semaphore = (prefix: string, text: string, inMenu: boolean) => ({
    path: paths.semaphore(prefix),
    text,
    inMenu,
  });
  return [
    {
      name: 'release a lock by destroying its session',
      action: { type: 'lock.release', source: 'consul', key: release, how: 'destroy-session' },
      offer: lock(release, buttons['lock.release']('release'), false),
    },
    {
      name: 'hand a lock over',
      action: { type: 'lock.release', source: 'consul', key: handOver, how: 'hand-over' },
      offer: lock(handOver, menu['hand-over'], true),
    },
    {
      name: 'delete a free lock',
      action: { type: 'lock.delete', source: 'consul', key: idle },
      offer: lock(idle, menu['lock.delete'], true),
    },
    {
      name: 'prune the ghost of a semaphore',
      action: { type: 'semaphore.prune', source: 'consul', prefixes: [pool] },
      offer: semaphore(pool, buttons['semaphore.prune'](1), false),
    },
    {
      name: 'resize a semaphore',
      action: { type: 'semaphore.resize', source: 'consul', prefix: pool, limit: 5 },
      offer: semaphore(pool, buttons['semaphore.resize'], false),
    },
    {
      name: 'evict a holder by destroying its session',
      action: {
        type: 'semaphore.evict',
        source: 'consul',
        prefix: pool,
        sessionId: holder,
        how: 'destroy-session',
      },
      offer: semaphore(pool, 'Evict ', false),
    },
    {
      name: 'delete an idle semaphore',
      action: { type: 'semaphore.delete', source: 'consul', prefix: empty },
      offer: semaphore(empty, menu['semaphore.delete'], true),
    },
    {
      name: 'destroy a session',
      action: { type: 'session.destroy', source: 'consul', sessionId: session },
      offer: { path: paths.session(session), text: buttons['session.destroy'], inMenu: false },
    },
  ];
}

/** One person's view, one cell each. */
export interface Seen {
  readonly board: string;
  readonly lockPage: string;
  readonly semaphorePage: string;
  readonly sessionsPage: string;
  readonly sessionPage: string;
  readonly findingsPage: string;
  readonly graphPage: string;
  readonly snapshot: string;
  readonly stream: string;
  readonly findings: string;
}

/** The fate of a deed: its button's state, and Consul's answer when it is done. */
export interface Done {
  readonly name: string;
  readonly button: string;
  readonly consul: string;
}

/** The teams in a text, by their prefix. */
function whoseIn(text: string): string {
  const found = teams.filter((team) => text.includes(`${team}/`) || text.includes(`${team}-`));
  return found.length === 0 ? 'nothing' : found.map((team) => `${team}/`).join(', ');
}

async function pageSays(page: Page, path: string): Promise<string> {
  await page.goto(path);
  if (new URL(page.url()).pathname === '/login') return 'sign in';
  await isLive(page);
  return whoseIn(await page.locator('main').innerText());
}

/** A lock's or semaphore's stored entry, a session's facts. */
const facts = new RegExp(`^(${en.subject.sections.raw}|${en.subject.sections.facts})$`);

/** A page of one subject, for each team: there, or not in view. */
async function subjectPages(page: Page, path: (team: Team) => string): Promise<string> {
  const said: string[] = [];
  for (const team of teams) {
    await page.goto(path(team));
    if (new URL(page.url()).pathname === '/login') return 'sign in';
    await isLive(page);
    // The page of what is not in view has neither.
    if ((await page.getByRole('heading', { level: 2, name: facts }).count()) > 0) said.push(`${team}/`);
  }
  return said.length === 0 ? 'nothing' : said.join(', ');
}

/** Looks at everything as this person. */
export async function lookAround({ page }: Person, places: Readonly<Record<Team, Places>>): Promise<Seen> {
  await page.goto('/');
  const inside = new URL(page.url()).pathname !== '/login';
  if (inside) await isLive(page);
  const rows = inside ? await rowsOn(page) : [];
  const { status, snapshot } = await snapshotOf(page);
  const stream = await streamOf(page);
  const findings = await page.request.get('/api/v1/findings');
  const said = (code: number, text: string) => (code === 200 ? whoseIn(text) : String(code));
  return {
    board: inside ? countsOf(rows) : 'sign in',
    lockPage: await subjectPages(page, (team) => paths.lock(places[team].idle)),
    semaphorePage: await subjectPages(page, (team) => paths.semaphore(places[team].pool)),
    sessionsPage: await pageSays(page, paths.sessions()),
    sessionPage: await subjectPages(page, (team) => paths.session(places[team].session)),
    findingsPage: await pageSays(page, paths.findings()),
    graphPage: await pageSays(page, paths.graph()),
    snapshot: said(status, JSON.stringify(snapshot)),
    stream: said(stream.status, stream.text),
    findings: said(findings.status(), await findings.text()),
  };
}

/** `5 of red/, 5 of zebrafish/`. */
function countsOf(rows: readonly string[]): string {
  const parts = teams.flatMap((team) => {
    // Rows of other tests on the same agent are not counted.
    const n = rows.filter((row) => /^\w+:(\w+)\/(first|second)\//.exec(row)?.[1] === team).length;
    return n === 0 ? [] : [`${n} of ${team}/`];
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Tries every deed as this person: by its button where that is on, else straight by the API, as a script would. */
export async function tryDeeds({ page }: Person, places: Places): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const { name, action, offer } of deedsOn(places)) {
    const button = await offered(page, offer);
    const on = button?.reason === '';
    const consul = on ? await pressed(page, offer) : await applied(page, action);
    const reason = button === null ? 'not offered' : on ? 'on' : `off: ${button.reason}`;
    done.push({ name, button: reason, consul });
  }
  return done;
}

export interface Column {
  readonly who: string;
  readonly seen: Seen;
  /** By team: this person's attempts on its things. */
  readonly deeds: Readonly<Record<Team, readonly Done[]>>;
}

const seenRows: readonly (readonly [keyof Seen, string])[] = [
  ['board', 'rows on the board'],
  ['lockPage', 'the page of a lock'],
  ['semaphorePage', 'the page of a semaphore'],
  ['sessionsPage', 'all sessions'],
  ['sessionPage', 'the page of a session'],
  ['findingsPage', 'findings'],
  ['graphPage', 'the graph'],
  ['snapshot', '`GET /api/v1/snapshot`'],
  ['stream', '`GET /api/v1/events`'],
  ['findings', '`GET /api/v1/findings`'],
];

/** Names of things hold which run it was for; the document does not. */
const plain = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{4}…[0-9a-f]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|');

const row = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;

/** `docs/access.md`. */
export function accessDocument(columns: readonly Column[]): string {
  const head = ['', ...columns.map(({ who }) => who)];
  const rule = head.map(() => '---');
  const deedTable = (team: Team) =>
    (columns[0]?.deeds[team] ?? []).map(({ name }, i) =>
      row([
        name,
        ...columns.map(({ deeds }) => {
          const one = deeds[team][i];
          return one === undefined ? '' : `${one.button} → **${one.consul}**`;
        }),
      ]),
    );
  return `# Who sees and may do what

\`e2e/identity.spec.ts\` writes this page with a real browser on a real Consul with access control
(\`SIGNALBOX_WRITE_ACCESS=1 npx playwright test e2e/identity.spec.ts\`), and compares it in every other run. Signalbox has a token that
may read everything; people without a sign-in see nothing (\`SIGNALBOX_ANONYMOUS=off\`, the default). Two teams have a prefix and a node
each: \`red/\` and \`${mark}/\`.

The tokens:

- **reader of red/**: \`key_prefix "red/" { policy = "read" }\`, \`session "red-node" { policy = "read" }\`,
  \`node "red-node" { policy = "read" }\`
- **operator of red/**: the same with \`policy = "write"\` for keys and sessions
- **everything**: Consul's \`global-management\`

With several sources this is about the one that people sign in to. What they see and do on another that asks for tokens, too, its
\`access=\` says ([decision 70](decisions/0070-who-sees-a-second-source.md)); \`test/identity/second-source.test.ts\` shows it on two real
Consuls:

| | no token | signed in |
| --- | --- | --- |
| not set | the start ends | the start ends |
| \`access=token\` | sign in | as above, by their own token there |
| \`access=read\` | sign in | everything that the server's token there may read; no action |
| \`access=act\` | sign in | the same, and every action that this token may do |

One that asks nobody (Redis, ZooKeeper, a Consul without ACLs) is shown to everyone who may look, and takes actions only with \`access=act\`
while people sign in.

The [history](operations.md#history) shows of a lock or semaphore what its row on the board would show now: the right is asked when the past
is read, and remembered for 10 s. Who may not read a key gets the answer of one that is not there, for any time. Without the right to read
sessions, holders have no name and no node (\`test/history/rights.test.ts\`).

## What each sees
${[row(head), row(rule), ...seenRows.map(([name, text]) => row([text, ...columns.map(({ seen }) => seen[name])]))].join('\n')}

"sign in": the page leads there and comes back afterwards. A number is the answer's status.

## What each may do
Before the arrow: the button, and why it is off. After it: the outcome, by the button where it is on, else by the API, where Consul
answers as it would answer a script.

### Below red/
${[row(head), row(rule), ...deedTable('red')].join('\n')}

### Below ${mark}/
${[row(head), row(rule), ...deedTable('zebrafish')].join('\n')}
`;
}
