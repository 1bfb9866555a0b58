'use client';
/**
 * The token is only in the field. The field has no name, so a form sent before its script runs carries nothing. The
 * token goes out in one request's body, and the field is emptied before the page continues.
 */
import { useId, useRef, useState } from 'react';
import { useHydrated } from '@/components/dom/hydrated';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/text-field';
import { signIn } from '@/lib/client/session';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { worded } from '@/lib/i18n/format/worded';

interface FormProps {
  readonly datacenter: string | null;
  readonly onSignedIn: (session: Visitor) => void;
}

export function SignInForm({ datacenter, onSignedIn }: FormProps) {
  const { login } = useMessages().identity;
  const field = useRef<HTMLInputElement>(null);
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState<Problem | 'empty' | null>(null);
  const faultId = useId();
  const hydrated = useHydrated();

  const send = async () => {
    const input = field.current;
    if (input === null || asking) return;
    const token = input.value.trim();
    if (token === '') {
      setFault('empty');
      input.focus();
      return;
    }
    setAsking(true);
    setFault(null);
    const answer = await signIn(token, AbortSignal.timeout(30_000)).catch(
      (): Problem => ({ code: 'unavailable', why: { code: 'server-not-reached', facts: {} } }),
    );
    setAsking(false);
    if (isProblem(answer)) {
      setFault(answer);
      // The next paste replaces a wrong token; after an outage it is still there.
      input.focus();
      input.select();
      return;
    }
    input.value = '';
    onSignedIn(answer);
  };

  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      className="flex flex-col gap-3"
    >
      {/* Password managers file what they keep under a user's name. */}
      <input
        type="text"
        hidden
        readOnly
        autoComplete="username"
        value={`consul ${datacenter ?? ''}`.trim()}
      />
      <TextField
        ref={field}
        label={login.token}
        help={login.tokenHelp}
        type="password"
        autoComplete="current-password"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={4096}
        aria-invalid={fault !== null}
        aria-describedby={faultId}
        className="h-10! font-mono"
      />
      <div id={faultId} aria-live="assertive" className="text-[13px] text-danger empty:hidden">
        {fault === null ? null : <Fault of={fault} />}
      </div>
      {/* Before that, the browser would send the form itself. */}
      <Button
        type="submit"
        tone="primary"
        disabled={!hydrated}
        aria-disabled={asking ? true : undefined}
        className="h-10"
      >
        {asking ? login.checking : login.button}
      </Button>
    </form>
  );
}

function Fault({ of }: { of: Problem | 'empty' }) {
  const m = useMessages();
  const { login } = m.identity;
  if (of === 'empty') return login.empty;
  const { code, why = null, detail } = of;
  const next = login.refused[code];
  // The sentence says already that Consul does not know it.
  const reason = why === null ? (detail ?? m.problems[code].title) : worded(why, m.why);
  return code === 'signed-out' && next !== undefined ? next : [reason, next ?? ''].join(m.joint).trim();
}
