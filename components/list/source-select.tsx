'use client';
import { useMessages } from '@/components/dom/locale';
import { useShownSources } from '@/components/live/sources';
import { Select } from '@/components/ui/select';
import type { SourceId } from '@/lib/domain/source';

interface SourceSelectProps {
  /** `null`: every source. */
  readonly value: SourceId | null;
  readonly onChange: (source: SourceId | null) => void;
}

/** Narrows a list to one source; nothing where there is only one. */
export function SourceSelect({ value, onChange }: SourceSelectProps) {
  const { sources: words } = useMessages().shell;
  const sources = useShownSources();
  // An address may name a source that does not exist, and a person must be able to leave it.
  if (sources.length === 0 && value === null) return null;
  const named = sources.map(({ id, title }) => ({ value: id, text: title }));
  const isKnown = value === null || named.some((one) => one.value === value);
  return (
    <Select
      label={words.label}
      value={value ?? ''}
      active={value !== null}
      options={[{ value: '', text: words.any }, ...(isKnown ? [] : [{ value, text: value }]), ...named]}
      onChange={(next) => onChange(next === '' ? null : next)}
    />
  );
}
