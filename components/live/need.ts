/**
 * The number of locks and semaphores that need attention, updated from the last answer, as one or two of ten thousand
 * findings differ.
 */
import { concernedBy, type Finding } from '@/lib/domain/findings/finding';
import { type Need, needsHuman } from '@/lib/domain/findings/need';
import { subjectId } from '@/lib/domain/model';
import { compare } from '@/lib/domain/sorted';

interface SubjectNeed {
  /** The subject's findings that need a person, and the urgent ones among them. */
  readonly all: number;
  readonly now: number;
}

/** Same result as `needOf`, for successive lists of findings, each sorted by id. */
export function createNeed(): (findings: readonly Finding[]) => Need {
  let last: readonly Finding[] = [];
  let need: Need = { all: 0, now: 0 };
  const needs = new Map<string, SubjectNeed>();
  const count = (finding: Finding, by: 1 | -1) => {
    if (!needsHuman(finding)) return;
    for (const subject of concernedBy(finding)) {
      if (subject.kind === 'session') continue;
      const id = subjectId(subject);
      const was = needs.get(id) ?? { all: 0, now: 0 };
      const is = { all: was.all + by, now: was.now + (finding.severity === 'urgent' ? by : 0) };
      if (is.all === 0) needs.delete(id);
      else needs.set(id, is);
      need = {
        all: needs.size,
        now: need.now + Number(is.now > 0) - Number(was.now > 0),
      };
    }
  };
  return (findings) => {
    compare(
      last,
      findings,
      ({ id }) => id,
      (was, is) => {
        if (was !== null) count(was, -1);
        if (is !== null) count(is, 1);
      },
    );
    last = findings;
    return need;
  };
}
