/**
 * The detail of another person's row, for a viewer who may read its subjects and perhaps nothing else. Only listed
 * fields pass, so a new field stays hidden.
 */
import type { AuditEntry, Json } from '@/lib/domain/actions/audit';
import { detailList, detailObject } from '@/lib/domain/actions/deed';

type Detail = AuditEntry['detail'];

const plain = [
  'how',
  'limit',
  'permits',
  'session',
  'outcome',
  'afterIndex',
  'limitAfter',
  'holderAfter',
  'watchedMs',
  'cutShort',
  'lateMs',
  'source',
] as const;

const isPlain = (value: Json | undefined): value is Exclude<Json, object> =>
  value !== undefined && (value === null || typeof value !== 'object');

function pick(detail: Detail, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = detail[name];
      return isPlain(value) ? [[name, value] as const] : [];
    }),
  );
}

function about(detail: Detail, name: string, subjects: readonly string[], names: readonly string[]) {
  const visible = detailList(detail, name).flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const each = one as Detail;
    return subjects.includes(String(each.subject)) ? [pick(each, ['subject', ...names])] : [];
  });
  return visible.length === 0 ? {} : { [name]: visible };
}

export function cutDetail({ detail, subjects }: Pick<AuditEntry, 'detail' | 'subjects'>): Detail {
  const freed = detailList(detail, 'freed').filter((one) => subjects.includes(String(one)));
  const why = detailObject(detail, 'why');
  const followed = detailList(detail, 'subjects');
  return {
    ...pick(detail, plain),
    // The facts may name other keys.
    ...(why === null ? {} : { why: pick(why, ['code']) }),
    ...(freed.length === 0 ? {} : { freed }),
    ...about(detail, 'parts', subjects, ['done', 'outcome']),
    ...(followed.length === 0 ? {} : withTakers(about(detail, 'subjects', subjects, taking), followed)),
  };
}

/** Counts only: waiters are named in their own entries, which the viewer may not be able to read. */
const taking = ['what', 'afterMs', 'untilMs', 'waited', 'waiting', 'leftInAll'];

/** The takers stand in the subject's own entry, which the viewer may read. */
function withTakers(cut: { readonly subjects?: readonly Json[] }, followed: readonly Json[]): Detail {
  const whole = new Map(followed.map((one) => [(one as Detail).subject, one as Detail]));
  return {
    subjects: (cut.subjects ?? []).map((one) => {
      const { by, again, eachMs } = whole.get((one as Detail).subject) ?? {};
      if (!Array.isArray(by)) return one;
      return {
        ...(one as Detail),
        by,
        ...(Array.isArray(again) ? { again } : {}),
        ...(Array.isArray(eachMs) ? { eachMs } : {}),
      };
    }),
  };
}
