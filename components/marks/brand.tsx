import { clsx } from 'clsx';

/** The lamp is green while the data is live. */
export function Brand({ old }: { old: boolean }) {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      <circle cx="10" cy="10" r="8.6" fill="none" strokeWidth="1.8" className="stroke-brass" />
      <circle
        cx="10"
        cy="10"
        r="4.6"
        className={clsx('lamp-lit', old ? 'fill-danger text-danger' : 'fill-lamp-alive text-lamp-alive')}
      />
    </svg>
  );
}
