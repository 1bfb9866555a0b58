/** Sentences for anything on the wire: every code with valid facts, and with invalid ones. */
import fc from 'fast-check';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Facts, Sayings } from '@/lib/domain/message';
import { formatBytes, formatDuration, formatWhen, nameParts } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import { languages } from '@/lib/i18n/messages';
import { comment } from '@/lib/i18n/script';
import { findingOwner, findingText } from '@/lib/i18n/sentences';
import { spokenOutcome, spokenPlan, spokenProblem } from '@/lib/server/http/english';
import { finding as findingSchema } from '@/lib/server/openapi/schema-finding';
import { outcome, plan as planSchema } from '@/lib/server/openapi/schema-plan';
import { difference, problem as problemSchema, why } from '@/lib/server/openapi/schema-problem';
import { anyJson, anyText } from '@/quality/fuzz/bytes';
import { shaped } from '@/quality/fuzz/shapes';
import { claim, target } from '@/quality/fuzz/target';

type AnySayings = Sayings<Readonly<Record<string, Facts>>>;
const { en } = languages;
const sayings = { ...en.why, ...en.differences, ...en.plan.warnings, ...en.plan.notes };

const said = fc.oneof(shaped(why), shaped(difference)) as fc.Arbitrary<{ code: string; facts: Facts }>;

/** Checks that a sentence has content, and no trace of the program. */
function sentence(text: unknown, of: unknown): void {
  claim(typeof text === 'string' && text !== '', `no words: ${JSON.stringify(of)}`);
  claim(
    !/\[object |undefined|\bNaN\b/.test(text) || /undefined|NaN|\[object /.test(JSON.stringify(of)),
    text,
  );
}

export const wordTargets = [
  target({
    name: 'words',
    guarantee: 'Every code has a sentence in both languages, with any names and numbers as facts.',
    inputs: fc.oneof(said, shaped(problemSchema), shaped(findingSchema)),
    check: (input) => {
      const one = input as {
        code: string;
        facts?: Facts;
        subject?: unknown;
        why?: { code: string; facts: Facts } | null;
      };
      for (const m of Object.values(languages)) {
        const known: AnySayings = { ...m.why, ...m.differences } as never;
        if (one.subject !== undefined) {
          sentence(findingText(one as unknown as Finding, m), one);
          sentence(findingOwner(one as unknown as Finding, m), one);
        } else if (one.facts !== undefined) sentence(worded(one as never, known), one);
        else if (one.why) sentence(worded(one.why as never, known), one.why);
      }
    },
  }),
  target({
    name: 'plans',
    guarantee: 'Every plan, outcome and problem has an English sentence in JSON.',
    inputs: fc.tuple(shaped(planSchema), shaped(outcome), shaped(problemSchema)),
    check: ([plan, done, problem]) => {
      for (const { text } of spokenPlan(plan as never).warnings) sentence(text, plan);
      spokenOutcome(done as never);
      spokenProblem(problem as never);
    },
    share: 0.3,
  }),
  target({
    name: 'strange-words',
    guarantee: 'An unknown code, or facts of an unknown shape, still leave something to read.',
    inputs: fc.tuple(
      fc.oneof(fc.constantFrom(...Object.keys(sayings), ...Object.keys(en.findings)), anyText),
      fc.oneof(
        anyJson,
        said.map((one) => one.facts),
      ),
      fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    ),
    check: ([code, facts, text]) => {
      for (const m of Object.values(languages)) {
        const known: AnySayings = { ...m.why, ...m.differences } as never;
        claim(typeof worded({ code, facts, text } as never, known) === 'string', 'no words');
        claim(typeof findingText({ code, facts } as never, m) === 'string', 'no words');
        claim(typeof findingOwner({ code, facts } as never, m) === 'string', 'no words');
      }
    },
  }),
  target({
    name: 'figures',
    guarantee: 'Any times, spans, sizes, names and shell lines can be written.',
    inputs: fc.tuple(fc.double(), fc.integer({ min: -8.64e15, max: 8.64e15 }), anyText),
    check: ([any, atMs, name]) => {
      formatDuration(any);
      formatBytes(any);
      claim(formatWhen(atMs, 0, 'Europe/Vienna') !== '', 'no time');
      const { lead, last, tail } = nameParts(name);
      claim(lead + last + tail === name, 'a name lost a part');
      claim(!/[\r\n\u2028\u2029]/.test(comment(name)), 'a comment of two lines');
    },
  }),
];
