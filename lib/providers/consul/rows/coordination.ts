/**
 * Reads the coordination entry of a semaphore, `<prefix>/.lock`, and edits it in the shape it was found.
 *
 * Go's `api.Semaphore` (and .NET, and `consul lock -n`) keeps a map, `{"Limit":3,"Holders":{"<session>":true}}`.
 * Followers of the HashiCorp guide and the Java article keep a list, `{"limit":3,"holders":["<session>"]}`. Clients
 * decode strictly, and a wrong type makes every Go holder drop its slot within milliseconds. So an edit replaces only
 * the text of the limit and of the holders. Letter case, unknown fields, number formats and white space stay, byte for
 * byte.
 *
 * Authority: HashiCorp `api/semaphore.go` (`semaphoreLock`, `decodeLock`) and Go's `encoding/json`, which ignores the
 * case of field names and refuses a limit that is not a plain integer. `quality/truth/shapes.ts` tries each odd shape
 * with the real client.
 */
import { type Node, parseTree } from 'jsonc-parser';
import { recordKey, recordName } from '@/lib/domain/layout';
import type { SemaphoreProblem } from '@/lib/domain/model';
import { utf8 } from '@/lib/domain/seam/stored-value';

/** uint64 flags of Go's `api.Lock` and `api.Semaphore`; without them a Go client refuses the key. */
export const lockFlags = '3304740253564472344';
export const semaphoreFlags = '16210313421097356768';

/** The last part of a coordination entry's key (and of a lock made by `consul lock -n=1` or Terraform). */
export const coordinationName = recordName;
export const coordinationKey = (prefix: string) => recordKey({ prefix });
/** The contender's key in Go's client. Other clients may use other names. */
export const contenderKey = (prefix: string, sessionId: string) => `${prefix}/${sessionId}`;

/** An entry that was understood in full, so it may be written. */
export interface Coordination {
  readonly shape: 'map' | 'list';
  readonly limit: number;
  /** The recorded holders, in order. A list may name one session twice. */
  readonly holders: readonly string[];
  /** The stored text, which an edit starts from. */
  readonly text: string;
}

export interface CoordinationReading {
  /** `null` when a part that clients depend on was not understood. Such an entry is never written. */
  readonly coordination: Coordination | null;
  /** The readable parts. */
  readonly limit: number | null;
  readonly holders: readonly string[] | null;
  readonly problems: readonly SemaphoreProblem[];
}

interface Field {
  readonly name: string;
  readonly value: Node;
}

/** Most holders. A value has at most 512 KiB and a session's id 36 characters, so further names are no sessions. */
const holdersMax = 13_443;

const sessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isSessionId = (text: string): boolean => sessionId.test(text);

/** Go decodes each byte outside of UTF-8 as U+FFFD. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** The syntax tree of strict JSON, or `null`. The tree parser is lenient, so `JSON.parse` must agree first. */
function strictTree(text: string): Node | null {
  try {
    JSON.parse(text);
    return parseTree(text) ?? null;
  } catch {
    // Not JSON, or nested too deeply for the parser's stack.
    return null;
  }
}

/** Go decodes half of a character (`\ud800`) as U+FFFD. A link to the unchanged half would break. */
const stringOf = (node: Node) => String(node.value).toWellFormed();

function fieldsOf(tree: Node): Field[] {
  return (tree.children ?? []).flatMap((property) => {
    const [name, value] = property.children ?? [];
    return name !== undefined && value !== undefined ? [{ name: stringOf(name), value }] : [];
  });
}

/** Go folds letters as Unicode does, so a long s and the kelvin sign match field names. */
const folded = (name: string) => name.toLowerCase().replaceAll('ſ', 's');

const textOf = (text: string, node: Node) => text.slice(node.offset, node.offset + node.length);

function readLimit(
  text: string,
  field: Field | undefined,
): { limit: number | null; problem: SemaphoreProblem | null } {
  // Go leaves a null field at its default, 0.
  if (field === undefined || field.value.type === 'null')
    return { limit: null, problem: { code: 'limit-missing', detail: null } };
  const written = textOf(text, field.value);
  // In comparisons, -0 is another number.
  const limit = Number(written) + 0;
  if (field.value.type !== 'number' || !/^-?\d+$/.test(written) || !Number.isSafeInteger(limit))
    return { limit: null, problem: { code: 'limit-not-integer', detail: written.slice(0, 64) } };
  return { limit, problem: limit < 1 ? { code: 'limit-below-one', detail: written } : null };
}

function readHolders(field: Field | undefined): {
  shape: 'map' | 'list' | null;
  holders: string[] | null;
  problems: SemaphoreProblem[];
} {
  const wrong = (detail: string | null) => ({
    shape: null,
    holders: null,
    problems: [{ code: 'holders-wrong-type' as const, detail }],
  });
  if (field === undefined)
    return { shape: null, holders: null, problems: [{ code: 'holders-missing', detail: null }] };
  const { value } = field;
  // Each name would be judged, sent and drawn, so one entry of short names would delay everything for seconds.
  if ((value.children?.length ?? 0) > holdersMax) return wrong(`more than ${holdersMax}`);
  // Go reads null as no map, and a client that writes itself into it crashes.
  if (value.type === 'null')
    return { shape: null, holders: null, problems: [{ code: 'holders-missing', detail: 'null' }] };

  if (value.type === 'object') {
    const members = fieldsOf(value);
    const odd = members.find(({ value: v }) => v.type !== 'boolean' && v.type !== 'null');
    // The type is map[string]bool. Any other value fails the whole decode in every Go client.
    if (odd !== undefined) return wrong(`${odd.name}: ${odd.value.type}`);
    // Clients count a repeated name once.
    const names = new Set<string>();
    // No early stop, because it would lose the holders after the first repetition.
    const twice = members.filter((m) => names.size === names.add(m.name).size);
    const problems = twice
      .slice(0, 1)
      .map((m) => ({ code: 'holder-repeated' as const, detail: m.name.slice(0, 64) }));
    return { shape: 'map', holders: [...names], problems };
  }
  if (value.type === 'array') {
    const members = value.children ?? [];
    if (members.some((m) => m.type !== 'string')) return wrong('a member is not a string');
    return { shape: 'list', holders: members.map(stringOf), problems: [] };
  }
  return wrong(value.type);
}

/** The reading of any value. Never throws. */
export function readCoordination(value: Buffer): CoordinationReading {
  const unreadable = (code: SemaphoreProblem['code'], detail: string | null = null): CoordinationReading => ({
    coordination: null,
    limit: null,
    holders: null,
    problems: [{ code, detail }],
  });
  if (value.length === 0) return unreadable('empty-value');
  const exact = utf8(value);
  const text = exact ?? lenient.decode(value);
  const tree = strictTree(text);
  if (tree === null) return unreadable('not-json');
  if (tree.type !== 'object') return unreadable('not-an-object', tree.type);

  const fields = fieldsOf(tree);
  const named = (name: string) => fields.filter((f) => folded(f.name) === name);
  const limits = named('limit');
  const lists = named('holders');
  const { limit, problem: ofLast } = readLimit(text, limits.at(-1));
  const { shape, holders, problems: holderProblems } = readHolders(lists.at(-1));
  // Only the last limit counts, but any that cannot be decoded fails the whole entry.
  const failing = limits.map((field) => readLimit(text, field).problem);
  const problem = failing.find((one) => one?.code === 'limit-not-integer') ?? ofLast;

  const problems: SemaphoreProblem[] = [...(problem === null ? [] : [problem]), ...holderProblems];
  if (exact === null) problems.push({ code: 'not-utf8', detail: null });
  const ambiguous = limits.length > 1 || lists.length > 1;
  if (ambiguous) problems.push({ code: 'duplicate-fields', detail: limits.length > 1 ? 'limit' : 'holders' });
  // A set, because an entry may name a hundred thousand holders.
  const met = new Set<string>();
  const twice = (holders ?? []).find((id) => met.size === met.add(id).size);
  if (twice !== undefined) problems.push({ code: 'duplicate-holders', detail: twice.slice(0, 64) });
  const odd = (holders ?? []).find((id) => !sessionId.test(id));
  if (odd !== undefined) problems.push({ code: 'holder-not-a-session', detail: odd.slice(0, 64) });
  const others = fields.filter((f) => !/^(limit|holders)$/.test(folded(f.name))).map((f) => f.name);
  if (others.length > 0) problems.push({ code: 'unknown-fields', detail: others.join(', ').slice(0, 200) });

  const complete = exact !== null && shape !== null && limit !== null && holders !== null && !ambiguous;
  return {
    coordination: complete ? { shape, limit, holders, text } : null,
    limit: ambiguous ? null : limit,
    holders: ambiguous ? null : holders,
    problems,
  };
}

/**
 * The value with another limit, with fewer holders, or with more, in the shape it was found. Other members keep their
 * text and order; new ones are appended. Throws only for a `Coordination` that was not read here.
 */
export function editCoordination(
  coordination: Coordination,
  change: { readonly limit?: number; readonly holders?: readonly string[] },
): Buffer {
  const { text } = coordination;
  const tree = parseTree(text);
  if (tree === undefined) throw new Error('editCoordination was given a text that was never read.');
  const edits: { readonly at: Node; readonly replacement: string }[] = [];
  for (const field of fieldsOf(tree)) {
    if (change.limit !== undefined && folded(field.name) === 'limit')
      edits.push({ at: field.value, replacement: String(change.limit) });
    if (change.holders !== undefined && folded(field.name) === 'holders')
      edits.push({ at: field.value, replacement: holdersText(coordination, field.value, change.holders) });
  }
  // From the end, so that earlier offsets stay true.
  edits.sort((a, b) => b.at.offset - a.at.offset);
  const edited = edits.reduce(
    (result, { at, replacement }) =>
      result.slice(0, at.offset) + replacement + result.slice(at.offset + at.length),
    text,
  );
  return Buffer.from(edited, 'utf8');
}

function holdersText({ shape, text }: Coordination, node: Node, holders: readonly string[]): string {
  const written = new Map<string, string>();
  for (const member of node.children ?? []) {
    const named = shape === 'map' ? member.children?.[0] : member;
    const id = named === undefined ? '' : stringOf(named);
    if (!written.has(id)) written.set(id, textOf(text, member));
  }
  const members = holders.map(
    (id) => written.get(id) ?? (shape === 'map' ? `${JSON.stringify(id)}:true` : JSON.stringify(id)),
  );
  return shape === 'map' ? `{${members.join(',')}}` : `[${members.join(',')}]`;
}

/** A first value, as the client library of that shape writes it. */
export function newCoordination(shape: 'map' | 'list', limit: number, holders: readonly string[]): Buffer {
  return Buffer.from(
    shape === 'map'
      ? JSON.stringify({ Limit: limit, Holders: Object.fromEntries(holders.map((id) => [id, true])) })
      : JSON.stringify({ limit, holders }),
    'utf8',
  );
}
