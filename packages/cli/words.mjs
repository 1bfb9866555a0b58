/** English for the codes that the API sends without a sentence. A code of a newer console is printed with spaces. */

/** @typedef {import('./api.mjs').Problem} Problem */
/** @typedef {import('../../lib/domain/problem').ProblemCode} ProblemCode */
/** @typedef {import('../../lib/domain/actions/plan').Touch} Touch */
/** @typedef {import('../../lib/domain/actions/plan').PlannedWrite} PlannedWrite */
/** @typedef {import('../../lib/domain/actions/plan').WarningCode} WarningCode */

/**
 * @param {Readonly<Record<string, string>>} words
 * @param {string} code
 */
const worded = (words, code) => (Object.hasOwn(words, code) ? words[code] : undefined) ?? spaced(code);

/** @param {string} code */
export const spaced = (code) => code.replaceAll('-', ' ');

/** @type {Readonly<Record<Touch['effect'], string>>} */
const effects = {
  released: 'is released',
  deleted: 'is deleted',
  fails: 'fails at once if it is a Go client',
  'loses-slot': 'loses its slot',
};

/** @param {string} effect */
export const effectText = (effect) => worded(effects, effect);

/** @type {Readonly<Record<PlannedWrite['operation'], string>>} */
const operations = {
  update: 'Update',
  delete: 'Delete',
  unlock: 'Unlock',
  'destroy-session': 'Destroy session',
};

/** @param {string} operation */
export const operationText = (operation) => worded(operations, operation);

/** @type {Readonly<Record<ProblemCode, string>>} */
export const problems = {
  stale: 'It changed since the plan. Nothing was written.',
  'not-held': 'That client no longer holds it. Nothing was written.',
  'not-found': 'Not found.',
  'conflict-in-use': 'It is in use. Nothing was written.',
  forbidden: 'Not allowed.',
  'signed-out': 'Not signed in.',
  invalid: 'The console did not understand the request.',
  unwritable: 'Consul does not write this name. Nothing was written.',
  'read-only': 'This console is read-only.',
  busy: 'Too busy. Nothing was written.',
  unavailable: 'No answer.',
  'no-leader': 'Consul has no leader.',
  'unknown-result': 'The outcome is unknown. Check before you repeat it.',
};

/**
 * What happened, and why where that is known.
 * @param {Problem} problem
 */
export function problemText({ code, detail, why }) {
  const reason = detail ?? why?.text;
  const title = Object.hasOwn(problems, code) ? problems[code] : `The console refused: ${spaced(code)}.`;
  if (reason === undefined) return title;
  // The reason names what does not answer.
  return code === 'unavailable' ? reason : `${title} ${reason}`;
}

/**
 * Warnings of a plan that only inform. Every other one is marked, also one that is not known here.
 * @type {ReadonlySet<WarningCode>}
 */
export const informing = new Set(
  /** @type {const} */ ([
    'holder-notices',
    'next-holder',
    'next-in-queue',
    'next-holder-unseen',
    'limit-live',
    'may-retake',
    'not-conditional',
    'lock-delay-protects',
    'session-lives-on',
    'limit-forgotten',
    'clients-recreate',
    'lock-info-goes',
    'locks-stay',
    'leftovers-stay',
    'layout-caution',
    'redis-same-thread',
    'redis-fenced',
    'redis-clients-wait',
    'redis-frees-itself',
    'redis-readers-stay',
    'redis-waiter-dead',
    'redis-waiter-returns',
    'redis-wake-changes-nothing',
    'redis-clocks',
    'redis-more-over',
    'zookeeper-requeues',
    'zookeeper-lease-requeues',
    'zookeeper-owns-more',
    'zookeeper-session-stays',
    'zookeeper-asks-only',
    'zookeeper-other-readers-stay',
    'zookeeper-writer-stays',
  ]),
);
