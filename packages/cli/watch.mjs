/**
 * `signalbox watch`: the live world as lines, through every restart of the console. Changes during a lost connection
 * are printed afterwards, from patches or by comparing a whole snapshot.
 */
import { causeCode, exit, Failure } from './api.mjs';
import {
  clock,
  firstSource,
  listLines,
  lockText,
  placed,
  semaphoreText,
  staleText,
  subjectText,
  unreadOf,
  wasRead,
} from './board.mjs';
import { edited } from './edited.mjs';
import { events } from './stream.mjs';
import { sentences, shown } from './terminal.mjs';
import { problemText, spaced } from './words.mjs';

/** @typedef {import('../../lib/domain/world/change').Patch} Patch */
/** @typedef {import('../../lib/domain/findings/finding').Finding} Finding */
/** @typedef {import('../../lib/domain/model').Lock} Lock */
/** @typedef {import('../../lib/domain/model').Semaphore} Semaphore */
/** @typedef {import('../../lib/domain/world/snapshot').Snapshot} Snapshot */
/** @typedef {import('./signalbox.mjs').Ways} Ways */

/** The console sends something every 3 s. */
const silentMsMax = 8_000;
const waitsMs = [500, 1_000, 2_000, 5_000, 10_000];

/** @typedef {{ row: Lock | Semaphore, text: string, held: ReadonlyMap<string, string> }} Row as it came and as it was printed, and its holders by session */

/**
 * @param {Lock | Semaphore} row
 * @returns {Row}
 */
function rowOf(row) {
  const listed =
    row.kind === 'lock' ? (row.holder === null ? [] : [row.holder, ...(row.readers ?? [])]) : row.holders;
  // Names that are only counted may join the list when others leave it, which is no arrival.
  const isCut = row.kind === 'semaphore' && row.beyond !== undefined;
  const holders = isCut ? listed.filter(({ session }) => session !== null) : listed;
  return {
    row,
    text: row.kind === 'lock' ? lockText(row) : semaphoreText(row),
    held: new Map(holders.map(({ sessionId, label }) => [sessionId, label])),
  };
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {string} [source]
 */
const nameIn = (kind, name, source) => `${kind} ${placed(name, source)}`;

/** @param {Lock | Semaphore} row */
const nameOf = (row) =>
  row.kind === 'lock' ? nameIn('lock', row.key, row.source) : nameIn('semaphore', row.prefix, row.source);

/** The known world, and the lines that a change of it makes. */
export function createWorld() {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @type {Map<string, Finding>} */
  const findings = new Map();
  /** @type {number | null} */
  let version = null;
  let stale = '';

  /**
   * @param {string} name
   * @param {Row | null} row
   * @returns {string[]}
   */
  const setRow = (name, row) => {
    const before = rows.get(name);
    if (row === null) {
      if (before === undefined) return [];
      rows.delete(name);
      return [`${shown(name)}  gone`];
    }
    rows.set(name, row);
    const came = [...row.held].filter(([id]) => !before?.held.has(id)).map(([, label]) => `+${shown(label)}`);
    const left = [...(before?.held ?? [])]
      .filter(([id]) => !row.held.has(id))
      .map(([, label]) => `-${shown(label)}`);
    const moved = [...left, ...came].join(' ');
    if (before?.text === row.text && moved === '') return [];
    return [`${shown(name)}  ${row.text}${moved === '' ? '' : `  (${moved})`}`];
  };

  return {
    /**
     * @param {Snapshot} snapshot
     * @returns {{ lines: string[], began: Finding[], over: Finding[] }}
     */
    snapshot: (snapshot) => {
      const now = new Map([...snapshot.locks, ...snapshot.semaphores].map((row) => [nameOf(row), row]));
      const unread = unreadOf(snapshot.source);
      /** @param {{ source?: string }} of */
      const isUnread = ({ source = firstSource }) => unread.includes(source);
      const lines = [...rows]
        .filter(([name, { row }]) => !now.has(name) && !isUnread(row))
        .flatMap(([name]) => setRow(name, null));
      for (const [name, row] of now) lines.push(...setRow(name, rowOf(row)));
      const ids = new Set(snapshot.findings.map(({ id }) => id));
      const began = snapshot.findings.filter(({ id }) => !findings.has(id));
      const over = [...findings.values()].filter(({ id, subject }) => !ids.has(id) && !isUnread(subject));
      for (const { id } of over) findings.delete(id);
      for (const finding of snapshot.findings) findings.set(finding.id, finding);
      version = snapshot.version;
      return { lines, began, over };
    },
    /**
     * `null`: it does not join what is known, so a snapshot is needed.
     * @param {Patch} patch
     */
    patch: ({ from, to, put, edit, remove, removeIn = {} }) => {
      if (from !== version) return null;
      const changed = [
        ...(edit.locks ?? []).map(({ of, source, ...one }) =>
          edited(rows.get(nameIn('lock', of, source))?.row, one),
        ),
        ...(edit.semaphores ?? []).map(({ of, source, ...one }) =>
          edited(rows.get(nameIn('semaphore', of, source))?.row, one),
        ),
      ];
      const worse = (edit.findings ?? []).map(({ of, ...one }) => edited(findings.get(of), one));
      if ([...changed, ...worse].includes(undefined)) return null;
      const others = Object.entries(removeIn).map(([source, gone]) => ({ source, gone }));
      const lines = [
        ...[{ source: firstSource, gone: remove }, ...others].flatMap(({ source, gone }) => [
          ...(gone.locks ?? []).flatMap((key) => setRow(nameIn('lock', key, source), null)),
          ...(gone.semaphores ?? []).flatMap((prefix) => setRow(nameIn('semaphore', prefix, source), null)),
        ]),
        ...[...(put.locks ?? []), ...(put.semaphores ?? []), ...changed].flatMap((row) =>
          setRow(nameOf(row), rowOf(row)),
        ),
      ];
      const began = (put.findings ?? []).filter(({ id }) => !findings.has(id));
      const over = (remove.findings ?? []).flatMap((id) => findings.get(id) ?? []);
      for (const { id } of over) findings.delete(id);
      for (const finding of [...(put.findings ?? []), ...worse]) findings.set(finding.id, finding);
      version = to;
      return { lines, began, over };
    },
    /**
     * What to say of the source, when that is news.
     * @param {Snapshot['source'] | undefined} source
     * @returns {string | null}
     */
    source: (source) => {
      if (source === undefined) return null;
      const text = staleText(source) ?? '';
      if (text === stale) return null;
      stale = text;
      return text === '' ? 'Live.' : text;
    },
  };
}

/**
 * @param {AbortSignal} signal
 * @param {number} ms
 * @returns {Promise<void>}
 */
const pause = (signal, ms) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });

/** Come back at once, with the last id if one is left. */
class Anew extends Error {}

/**
 * Trying again would not help.
 * @param {unknown} error
 * @param {boolean} wasConnected the address is that of a console, so what else answers there only stands in for it
 */
const final = (error, wasConnected) =>
  error instanceof Failure &&
  !(wasConnected && error.unread) &&
  // A console that has just started may not know yet whether Consul asks for tokens.
  error.problem.why?.code !== 'access-unknown' &&
  ['signed-out', 'forbidden', 'invalid', 'not-found'].includes(error.problem.code);

/**
 * Why there is no stream, as a sentence.
 * @param {unknown} error
 */
function awayText(error) {
  if (error instanceof Failure) return error.unread ? error.message : problemText(error.problem);
  const code = causeCode(error);
  if (code !== null) return `The connection failed (${code}).`;
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {{ prefix?: string, source?: string, json?: boolean }} options
 * @param {Ways} ways
 * @param {AbortSignal} stop
 * @returns {Promise<number>} exit status
 */
export async function watch({ prefix = '', source: from = '', json = false }, ways, stop) {
  const { api, say, warn, sayJson, paint } = ways;
  const world = createWorld();
  let first = true;
  let tries = 0;
  let wasConnected = false;
  /**
   * Why the console is away, as it was printed.
   * @type {string | null}
   */
  let saidWhy = null;
  /** @type {string | null} */
  let lastId = null;
  /** The console is up, and has read nothing from Consul so far. */
  let reading = false;
  /**
   * The sources that it had not read then. What is gone of one shows in a whole snapshot once it is read.
   * @type {readonly string[]}
   */
  let unread = [];
  /** Patches that did not fit since the last one that did: each costs a whole world. */
  let misfits = 0;
  /** This connection brought an event before. */
  let spoke = false;
  /** Comes back for a whole snapshot. */
  const anew = () => {
    lastId = null;
    return new Anew();
  };
  const given = Object.entries({ prefix, source: from }).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;

  /**
   * What was printed of each finding that is there.
   * @type {Map<string, string>}
   */
  const texts = new Map();

  /** @param {readonly Finding[]} began */
  const tellFindings = async (began) => {
    if (began.length === 0) return;
    // The stream carries codes; the words are the console's.
    const answer = await api
      .call(`/api/v1/findings${query}`, { timeoutMs: 3_000 })
      .catch(() => ({ findings: [] }));
    /** @type {Map<string, string>} */
    const spoken = new Map(
      answer.findings.map((/** @type {{ id: string, text: string }} */ one) => [one.id, one.text]),
    );
    for (const { id, severity, subject, code } of began) {
      const line = `${clock(Date.now())}  ${severity === 'notice' ? ' ' : '!'} ${severity}  ${subjectText(subject)}`;
      say(paint(severity === 'urgent' ? 'red' : severity === 'notice' ? 'dim' : 'yellow', line));
      const text = spoken.get(id) ?? spaced(code);
      texts.set(id, text);
      say(sentences(text, '            '));
    }
  };

  /** @param {import('./stream.mjs').ServerEvent} event */
  const take = async ({ event, id, data: raw }) => {
    // A console that says nothing else must not be asked without a pause.
    if (event === 'again' && spoke) throw new Anew();
    spoke = true;
    if (event === 'ping' || event === 'again') return;
    const data = JSON.parse(raw);
    if (event === 'signed-out') throw new Failure(data);
    if (event !== 'snapshot' && event !== 'patch' && event !== 'status') return;
    if (json) sayJson({ event, id, data }, 0);
    const source = world.source(data.source);
    if (source !== null && !json) warn(source);
    // A console that has read nothing yet knows of no locks, which does not mean that they are gone.
    if (event === 'snapshot') reading = !wasRead(data.source);
    else if (reading && data.source !== undefined && wasRead(data.source)) throw anew();
    if (reading) return;
    if (event === 'snapshot') unread = unreadOf(data.source);
    else if (data.source !== undefined && unread.some((id) => !unreadOf(data.source).includes(id)))
      throw anew();
    const news = event === 'snapshot' ? world.snapshot(data) : world.patch(data);
    if (news === null) {
      misfits += 1;
      throw anew();
    }
    if (event !== 'snapshot') misfits = 0;
    lastId = id;
    if (json) return;
    if (first && event === 'snapshot') for (const line of listLines(data, undefined, paint)) say(line);
    else for (const line of news.lines) say(`${clock(Date.now())}  ${line}`);
    first = false;
    for (const { id, subject, code } of news.over) {
      say(paint('green', `${clock(Date.now())}  over  ${subjectText(subject)}`));
      say(sentences(texts.get(id) ?? spaced(code), '            '));
      texts.delete(id);
    }
    await tellFindings(news.began);
  };

  while (!stop.aborted) {
    const silent = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silentMsMax);
    };
    let why = 'It closed the connection.';
    try {
      heard();
      const stream = await api.stream(
        `/api/v1/events${query}`,
        lastId,
        AbortSignal.any([stop, silent.signal]),
      );
      if (tries > 0) warn('Connected again.');
      tries = 0;
      wasConnected = true;
      saidWhy = null;
      spoke = false;
      for await (const event of events(stream, heard)) await take(event);
    } catch (error) {
      if (stop.aborted) break;
      if (error instanceof Anew) {
        // One misfit may be a missed patch; a second in a row is no chance.
        const restMs = misfits < 2 ? 0 : (waitsMs[misfits - 2] ?? 10_000);
        await pause(stop, restMs);
        continue;
      }
      if (final(error, wasConnected)) throw error;
      why = silent.signal.aborted ? `It sent nothing for ${silentMsMax / 1_000} s.` : awayText(error);
    } finally {
      clearTimeout(timer);
      silent.abort();
    }
    if (stop.aborted) break;
    if (why !== saidWhy) warn(`The console at ${api.origin} is away; retrying. ${why}`);
    saidWhy = why;
    await pause(stop, waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 10_000);
    tries += 1;
  }
  return exit.done;
}
