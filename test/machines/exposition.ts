/**
 * Reads the text format of Prometheus, version 0.0.4, and throws at anything that a strict reader would refuse: a
 * sample without its HELP and TYPE before it, a family in two places, a series twice, an unknown name or escape.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';
  readonly samples: Sample[];
}

const types: readonly string[] = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const escapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const found = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/.exec(rest);
    if (found === null) throw new Error(`not a list of labels: ${line}`);
    const [all, name = '', value = ''] = found;
    if (name in labels) throw new Error(`a label twice: ${line}`);
    labels[name] = value.replace(/\\[\\"n]/g, (one) => escapes[one] ?? one);
    rest = rest.slice(all.length);
  }
  return labels;
}

function readNumber(text: string, line: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  if (text === 'NaN' || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  throw new Error(`not a number: ${line}`);
}

/** Samples of a histogram or summary carry a suffix; of a counter or gauge none. */
function belongs(name: string, { name: family, type }: Family): boolean {
  if (name === family) return type !== 'histogram';
  const suffix = name.startsWith(family) ? name.slice(family.length) : '';
  return type === 'histogram'
    ? ['_bucket', '_sum', '_count'].includes(suffix)
    : type === 'summary' && ['_sum', '_count'].includes(suffix);
}

export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let help: { name: string; text: string } | null = null;
  let family: Family | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', said = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (families.has(name)) throw new Error(`a family in two places: ${line}`);
      help = { name, text: said };
      family = null;
    } else if (kind === 'TYPE') {
      if (help?.name !== name || !types.includes(said)) throw new Error(`TYPE without its HELP: ${line}`);
      family = { name, help: help.text, type: said as Family['type'], samples: [] };
      families.set(name, family);
    } else if (line.startsWith('#')) {
      throw new Error(`neither HELP nor TYPE: ${line}`);
    } else {
      const found = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (found === null) throw new Error(`not a sample: ${line}`);
      const [, sampled = '', labelled = '', value = ''] = found;
      if (family === null || !belongs(sampled, family)) throw new Error(`outside of its family: ${line}`);
      const labels = readLabels(labelled, line);
      const id = `${sampled} ${JSON.stringify(Object.entries(labels).sort())}`;
      if (series.has(id)) throw new Error(`a series twice: ${line}`);
      series.add(id);
      family.samples.push({ labels, value: readNumber(value, line) });
    }
  }
  return families;
}
