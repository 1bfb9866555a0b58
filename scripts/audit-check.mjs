/**
 * Checks the chain of an audit that was exported as JSON lines, with nothing but this file:
 *
 *   node scripts/audit-check.mjs signalbox-audit-2026-11-21.jsonl
 *
 * Rows may stand newest first, as they are exported, or oldest first. A whole export begins at row 1 and misses none.
 * `--narrowed` says that the export had a filter, so missing rows are counted and are no fault.
 *
 * Exit code: 0 no fault; 1 a row was changed or does not follow, or there is no row; 2 the rows hold no digests,
 * because the exporter may not see all rows, so nothing was checked and no fault is claimed; 3 rows are missing.
 */
import { createHash } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const genesis = '0'.repeat(64);

/**
 * JSON without spaces, with the members of every object in the order of their names, which is the input of the digest.
 *
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/**
 * @typedef {{ seq: number, before: string, digest: string }} Place
 */

/**
 * The fault between these two rows, of which `later` has the higher number; `null`: none.
 *
 * @param {Place} earlier
 * @param {Place} later
 */
function between(earlier, later) {
  if (later.seq <= earlier.seq) return `row ${later.seq} does not come after row ${earlier.seq}`;
  if (later.seq === earlier.seq + 1 && later.before !== earlier.digest)
    return `row ${later.seq} does not follow row ${earlier.seq}`;
  return null;
}

/**
 * Reads lines and returns the findings. `gaps`: missing rows between the present ones, which a filter or a cut leaves
 * out. `bare`: rows without number and digests, as viewers of a part get them, which cannot be checked.
 *
 * @param {AsyncIterable<string> | Iterable<string>} lines
 */
export async function checkLines(lines) {
  /** @type {string[]} */
  const faults = [];
  let rows = 0;
  let gaps = 0;
  let bare = 0;
  /** @type {Place | null} */
  let last = null;
  /** @type {Place | null} */
  let first = null;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const { digest, ...row } = JSON.parse(line);
    rows += 1;
    // Viewers of a part get rows without all three. A row that lacks only some of them was tampered with.
    if (digest === undefined && row.seq === undefined && row.before === undefined) {
      bare += 1;
      continue;
    }
    if (createHash('sha256').update(canonical(row)).digest('hex') !== digest)
      faults.push(`row ${row.seq} was changed`);
    if (row.seq === 1 && row.before !== genesis) faults.push('row 1 is not the first');
    const here = { seq: row.seq, before: row.before, digest };
    if (last !== null) {
      const [earlier, later] = here.seq < last.seq ? [here, last] : [last, here];
      const fault = between(earlier, later);
      if (fault !== null) faults.push(fault);
      gaps += Math.max(0, later.seq - earlier.seq - 1);
    }
    first ??= here;
    last = here;
  }
  const ends = [first, last].flatMap((end) => end ?? []).sort((a, b) => a.seq - b.seq);
  // No export mixes both kinds, so among rows with digests, one without was stripped of its own.
  if (bare > 0 && bare < rows) faults.push(`${bare} of ${rows} rows hold no digest`);
  return { rows, bare, gaps, from: ends[0]?.seq ?? null, head: ends.at(-1) ?? null, faults };
}

// Through a link, too, and on Node before 20.11, which has no `import.meta.filename`: a check that checks nothing would
// end like one that found no fault.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const isNarrowed = process.argv.includes('--narrowed');
  const [path] = process.argv.slice(2).filter((argument) => argument !== '--narrowed');
  const input = path === undefined ? process.stdin : createReadStream(path);
  const { rows, bare, gaps, from, head, faults } = await checkLines(createInterface({ input }));
  const missing = gaps + Math.max(0, (from ?? 1) - 1);
  for (const fault of faults) console.error(fault);
  if (rows > 0 && bare === rows) {
    console.error(
      `${rows} rows, none with a digest: who exported them does not see the whole record, so nothing of it can be checked. Export with a token that has acl:read.`,
    );
    process.exitCode = 2;
  } else {
    console.log(
      `${rows} rows from ${from ?? '-'} to ${head?.seq ?? '-'}, ${gaps} missing in between, head ${head?.digest ?? '-'}`,
    );
    const isHoled = missing > 0 && !isNarrowed;
    if (isHoled)
      console.error(
        `${missing} rows are missing up to row ${head?.seq}. If the export had a filter, check it with --narrowed.`,
      );
    process.exitCode = faults.length > 0 || rows === 0 ? 1 : isHoled ? 3 : 0;
  }
}
