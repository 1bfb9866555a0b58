/** Adds rows to the audit of `STORE`, eight at a time, until it is killed; prints a line for each that was acknowledged. */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';

const store = openStore(JSON.parse(process.env.STORE ?? ''));
const audit = createAuditLog({ store, replica: String(process.pid), now: Date.now });

async function append(): Promise<never> {
  for (;;) {
    const { seq, digest } = await audit.append({
      kind: 'sign-in',
      thread: String(process.pid),
      who: { kind: 'anonymous' },
      address: null,
      action: null,
      subjects: ['lock:a'],
      reason: '',
      detail: {},
    });
    writeSync(1, `${seq} ${digest}\n`);
    // SQLite keeps no queue of writers: two that never pause could keep each other out.
    await delay(Math.random() * 40);
  }
}

await Promise.all(Array.from({ length: 8 }, append));
