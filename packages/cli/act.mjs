/** An action: planned, printed, and done with `--yes` alone, with exactly what the plan saw. */
import { readFileSync } from 'node:fs';
import { exit, Failure, notUnderstood } from './api.mjs';
import { firstSource, subjectText, verdictText } from './board.mjs';
import { sentences, shown } from './terminal.mjs';
import { effectText, informing, operationText, problemText } from './words.mjs';

/** @typedef {import('../../lib/domain/actions/action').ActionRequest} ActionRequest */
/** @typedef {import('../../lib/domain/actions/expect').Expect} Expect */
/** @typedef {import('../../lib/domain/model').Subject} Subject */
/** @typedef {import('./arguments.mjs').Asked} Asked */
/** @typedef {import('./signalbox.mjs').Ways} Ways */
/** @typedef {{ text: string, code?: string }} Spoken */
/**
 * @typedef {{
 *   lock: import('../../lib/domain/model').Lock | null, semaphore: import('../../lib/domain/model').Semaphore | null,
 *   bySession: boolean,
 * }} Seen
 */
/**
 * @typedef {{
 *   summary: Spoken,
 *   writes: { operation: string, target: string, condition: Spoken | null, before: Spoken | null, after: Spoken | null }[],
 *   touches: { subject: Subject, effect: string, who: { label: string, node: string | null } | null, detail: Spoken | null }[],
 *   warnings: Spoken[], undo: Spoken, friction?: 'click' | 'reason' | 'type-name', confirmName?: string | null,
 * }} Plan
 * @typedef {{
 *   done: boolean, freed: Subject[], warnings: Spoken[],
 *   parts: { subject: Subject, done: boolean, problem: import('./api.mjs').Problem | null, detail: Spoken | null }[],
 * }} Outcome
 */

/** The shortest beginning of a session's id. */
const startMin = 4;

/**
 * The session that is meant. What no session begins with is passed on, and the console says what it is.
 * @param {string} given
 * @param {readonly string[]} ids
 * @returns {string}
 */
export function meant(given, ids) {
  if (ids.includes(given) || given.length < startMin) return given;
  const found = [...new Set(ids)].filter((id) => id.startsWith(given.toLowerCase()));
  if (found.length > 1)
    throw notUnderstood(`${found.length} sessions begin with ${shown(given)}. Give more of the id.`);
  return found[0] ?? given;
}

/**
 * What is in view of one name in one source.
 * @param {string} name
 * @param {Asked['options']} options
 * @param {Ways} ways
 * @returns {Promise<Seen>}
 */
async function seen(name, { source = firstSource, kind }, { api }) {
  /** @type {import('../../lib/domain/world/snapshot').Snapshot} */
  const snapshot = await api.call(
    `/api/v1/snapshot?prefix=${encodeURIComponent(name)}&source=${encodeURIComponent(source)}`,
  );
  const is = (/** @type {string} */ of, /** @type {string} */ its) => its === name && (kind ?? of) === of;
  const own = (snapshot.source.parts ?? [snapshot.source]).find(({ id }) => id === source);
  return {
    lock: snapshot.locks.find(({ key }) => is('lock', key)) ?? null,
    semaphore: snapshot.semaphores.find(({ prefix }) => is('semaphore', prefix)) ?? null,
    bySession: (own?.provider ?? 'consul') === 'consul',
  };
}

/** @param {readonly { readonly sessionId: string }[]} parties */
const idsOf = (parties) => parties.map(({ sessionId }) => sessionId);

/** @param {import('../../lib/domain/model').Lock | null} lock */
const holdersOf = (lock) =>
  lock === null || lock.holder === null ? [] : [lock.holder, ...(lock.readers ?? [])];

/**
 * @param {Asked} asked
 * @param {Ways} ways
 * @returns {Promise<ActionRequest>}
 */
async function actionOf({ command, names, options }, ways) {
  const { api } = ways;
  const [first = '', second = ''] = names;
  const { source = firstSource } = options;
  // A console from before there were several takes no source.
  const of = source === firstSource ? {} : { source };
  const among = `&source=${encodeURIComponent(source)}`;
  switch (command) {
    case 'release': {
      const { holder } = options;
      // On the first source a holder always has a session.
      const isPlain = source === firstSource && holder === undefined;
      const { lock, bySession } = isPlain
        ? { lock: null, bySession: true }
        : await seen(first, options, ways);
      return {
        type: 'lock.release',
        ...of,
        key: first,
        how: options['hand-over'] || !bySession ? 'hand-over' : 'destroy-session',
        ...(holder === undefined ? {} : { holder: meant(holder, idsOf(holdersOf(lock))) }),
      };
    }
    case 'remove-waiter': {
      const { lock, semaphore } = await seen(first, options, ways);
      const sessionId = meant(second, idsOf((lock ?? semaphore)?.waiters ?? []));
      if (lock !== null && semaphore !== null)
        throw notUnderstood('There is a lock and a semaphore of this name. Add --kind.');
      return semaphore === null
        ? { type: 'lock.remove-waiter', ...of, key: first, sessionId }
        : { type: 'semaphore.remove-waiter', ...of, prefix: first, sessionId };
    }
    case 'ask': {
      const { lock } = await seen(first, { ...options, kind: 'lock' }, ways);
      const ids = idsOf(holdersOf(lock));
      if (second === '' && ids.length !== 1)
        throw notUnderstood(
          `${ids.length === 0 ? 'Nobody holds' : `${ids.length} hold`} it. Name the holder.`,
        );
      return {
        type: 'lock.ask',
        ...of,
        key: first,
        sessionId: second === '' ? (ids[0] ?? '') : meant(second, ids),
      };
    }
    case 'wake':
      return { type: 'lock.wake', ...of, key: first };
    case 'return':
      return { type: 'semaphore.return-permits', ...of, prefix: first, permits: Number(second) };
    case 'evict': {
      const { semaphores } = await api.call(
        `/api/v1/snapshot?kind=semaphore&prefix=${encodeURIComponent(first)}${among}`,
      );
      const semaphore = semaphores.find((/** @type {{ prefix: string }} */ one) => one.prefix === first);
      const ids = (semaphore?.holders ?? []).map((/** @type {{ sessionId: string }} */ one) => one.sessionId);
      // Elsewhere than on the first source a slot may be held without a session.
      const { bySession } = source === firstSource ? { bySession: true } : await seen(first, options, ways);
      const how = options['slot-only'] || !bySession ? 'slot-only' : 'destroy-session';
      return { type: 'semaphore.evict', ...of, prefix: first, sessionId: meant(second, ids), how };
    }
    case 'prune':
      return { type: 'semaphore.prune', ...of, prefixes: names };
    case 'resize':
      return { type: 'semaphore.resize', ...of, prefix: first, limit: Number(second) };
    case 'destroy': {
      const { sessions } = await api.call(`/api/v1/snapshot?kind=session${among}`);
      const ids = sessions.map((/** @type {{ id: string }} */ one) => one.id);
      return { type: 'session.destroy', ...of, sessionId: meant(first, ids) };
    }
    case 'delete-lock':
      return { type: 'lock.delete', ...of, key: first };
    case 'delete-semaphore':
      return { type: 'semaphore.delete', ...of, prefix: first };
    default:
      throw notUnderstood(`Unknown action: ${command}`);
  }
}

/**
 * @typedef {{ action: ActionRequest, plan: Plan, expect: Expect, saw?: import('../../lib/domain/actions/expect').Target }} Planned
 */

/**
 * The ids of the console's sources, where it has none called consul, which is what a command without `--source` means at first.
 * @param {unknown} error
 * @returns {readonly string[]} none: it is another error
 */
export function otherSources(error) {
  const why = error instanceof Failure ? error.problem.why : null;
  const known = why?.code === 'no-source' ? why.facts?.known : null;
  return typeof known === 'string' ? known.split(', ') : [];
}

/** @param {readonly string[]} known */
export const severalSources = (known) =>
  notUnderstood(`There are several sources. Add --source: ${known.map(shown).join(', ')}.`);

/**
 * @param {Asked} asked
 * @param {Ways} ways
 * @returns {Promise<Planned>}
 */
async function planned(asked, ways) {
  const { source, reason = '' } = asked.options;
  try {
    const action = await actionOf(asked, ways);
    return {
      action,
      ...(await ways.api.call('/api/v1/actions', { body: { mode: 'plan', action, reason } })),
    };
  } catch (error) {
    const [only, ...others] = source === undefined ? otherSources(error) : [];
    if (only === undefined) throw error;
    if (others.length > 0) throw severalSources([only, ...others]);
    return planned({ ...asked, options: { ...asked.options, source: only } }, ways);
  }
}

/**
 * A plan as `--json` has saved it.
 * @param {string} path
 * @returns {Planned}
 */
function savedPlan(path) {
  try {
    const saved = JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'));
    if (saved?.action?.type && saved.plan?.summary && saved.expect) return saved;
  } catch (cause) {
    throw Object.assign(notUnderstood(`Cannot read a plan from ${shown(path)}.`), { cause });
  }
  throw notUnderstood(`There is no plan in ${shown(path)}. Save one with --json.`);
}

/**
 * Warnings, marked where they warn; those that only inform are not.
 * @param {readonly Spoken[]} warnings
 * @param {Ways} ways
 */
function printWarnings(warnings, { say, paint }) {
  for (const { code, text } of warnings)
    if (/** @type {ReadonlySet<string | undefined>} */ (informing).has(code)) say(sentences(text, '  - '));
    else say(paint('yellow', sentences(text, '  ! ')));
}

/**
 * In the order of the console's dialog: what to know before what is written.
 * @param {Plan} plan
 * @param {import('../../lib/domain/actions/expect').Target | undefined} saw Absent in a plan that an older version saved.
 * @param {Ways} ways
 */
function printPlan({ summary, writes, touches, warnings, undo }, saw, ways) {
  const { say, paint } = ways;
  say(paint('bold', sentences(summary.text)));
  // Of whom it hits, as judged by what the plan has read.
  if (saw?.verdict) say(paint('bold', `  verdict: ${shown(verdictText(saw.verdict))}`));
  printWarnings(warnings, ways);
  if (writes.length > 0) say('  Will be written:');
  for (const { operation, target, condition, before, after } of writes) {
    say(`    ${shown(operationText(operation))} ${shown(target)}`);
    if (before !== null) say(sentences(`before: ${before.text}`, '      '));
    if (after !== null) say(sentences(`after:  ${after.text}`, '      '));
    say(sentences(condition === null ? 'unconditional' : `only if ${condition.text}`, '      '));
  }
  if (touches.length > 0) say('  Also affected:');
  for (const { subject, effect, who, detail } of touches) {
    const named =
      who === null ? '' : ` (${shown(who.label)}${who.node === null ? '' : ` on ${shown(who.node)}`})`;
    const more = detail === null ? '' : ` (${shown(detail.text)})`;
    say(`    ${subjectText(subject)}${named} ${shown(effectText(effect))}${more}.`);
  }
  say(sentences(`Undo: ${undo.text}`, '  '));
}

/**
 * The option as a shell takes it, and as no other option is taken for it.
 * @param {string} name
 */
function confirmOption(name) {
  const quoted = /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return `--confirm${name.startsWith('-') ? '=' : ' '}${shown(quoted)}`;
}

/**
 * The options that are still to be given before the plan may be applied: the same ceremony as in the console's dialog.
 * @param {Plan} plan
 * @param {{ reason?: string, confirm?: string }} given
 * @returns {string[]}
 */
function lacking({ friction = 'click', confirmName = null }, { reason = '', confirm }) {
  const named = friction !== 'type-name' || (confirmName !== null && confirm === confirmName);
  return [
    ...(friction === 'click' || reason.trim() !== '' ? [] : ['--reason']),
    ...(named ? [] : [confirmName === null ? '--confirm' : confirmOption(confirmName)]),
  ];
}

/** @param {readonly string[]} options */
const listed = (options) =>
  options.length < 2 ? options.join('') : `${options.slice(0, -1).join(', ')} and ${options.at(-1)}`;

/**
 * @param {Outcome} outcome
 * @param {Ways} ways
 */
function printOutcome({ done, freed, warnings, parts }, ways) {
  const { say, paint } = ways;
  for (const { subject, done: partDone, problem, detail } of parts) {
    const text = detail?.text ?? (problem === null ? '' : problemText(problem));
    say(sentences(`${partDone ? 'done' : 'refused'}  ${subjectText(subject)}  ${text}`, '  '));
  }
  for (const subject of freed) say(`  freed ${subjectText(subject)}`);
  printWarnings(warnings, ways);
  say(done ? paint('green', 'Done.') : paint('red', 'Partly done.'));
}

/**
 * @param {Asked} asked
 * @param {Ways} ways
 * @returns {Promise<number>} exit status
 */
export async function act(asked, ways) {
  const { api, say, sayJson } = ways;
  const { yes = false, reason = '', json = false, confirm } = asked.options;
  const { action, plan, expect, saw } =
    asked.command === 'apply' ? savedPlan(asked.names[0] ?? '') : await planned(asked, ways);
  if (!json) printPlan(plan, saw, ways);
  const missing = lacking(plan, { reason, confirm });
  if (!yes) {
    if (json) sayJson({ action, plan, expect, saw });
    else say(`Nothing was written. Add ${listed(['--yes', ...missing])} to do it.`);
    return exit.done;
  }
  if (missing.length > 0) throw notUnderstood(`Nothing was written. Add ${listed(missing)}.`);
  /** @type {{ outcome?: Outcome }} */
  const { outcome } = await api
    .call('/api/v1/actions', {
      body: { mode: 'apply', action, reason, expect },
      // Longer than the server takes to bring it to an end.
      timeoutMs: 90_000,
      lost: 'unknown-result',
    })
    .catch((error) => {
      // The server asks for the reason that the command line lacks.
      if (error instanceof Failure && error.problem.why?.code === 'reason-needed')
        throw new Failure({ ...error.problem, detail: `${error.message} Add --reason.` }, exit.usage);
      throw error;
    });
  if (typeof outcome?.done !== 'boolean')
    throw new Failure({
      code: 'unknown-result',
      detail: 'The console answered something else than an outcome.',
    });
  if (json) sayJson({ action, plan, outcome });
  else printOutcome(outcome, ways);
  return outcome.done ? exit.done : exit.refused;
}
