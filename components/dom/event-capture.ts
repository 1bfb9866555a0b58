/**
 * Keeps input on a page whose script is still loading: presses, new values of fields, and forms sent with Enter. The
 * page repeats it when it answers (`event-replay.ts`).
 */

export type EarlyField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export interface Early {
  /** The last pressed button: a second press replaces the first. */
  press: HTMLButtonElement | null;
  /** The target of that button when it was pressed (`data-bound`). The world may move before the page answers. */
  bound: string | null;
  readonly fields: Map<EarlyField, string | boolean>;
  /**
   * The browser sends nothing while the form's button is disabled; an enabled one is pressed by Enter, and is `press`
   * then.
   */
  sent: HTMLFormElement | null;
  readonly end: () => void;
}

declare global {
  interface Window {
    signalboxEarly?: Early;
  }
}

/** The source text is inlined in the document, so it refers to nothing outside itself. */
function keep(): void {
  const gone = new AbortController();
  const how = { capture: true, signal: gone.signal };
  const early: Early = { press: null, bound: null, fields: new Map(), sent: null, end: () => gone.abort() };
  window.signalboxEarly = early;
  window.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button === null) return;
      // The browser would send a form; and React would handle a press that is repeated later.
      event.preventDefault();
      event.stopImmediatePropagation();
      early.press = button;
      early.bound = button.getAttribute('data-bound');
    },
    how,
  );
  window.addEventListener(
    'input',
    ({ target }) => {
      // A token stays in its field and nowhere else.
      if (target instanceof HTMLInputElement && target.type === 'password') return;
      if (target instanceof HTMLInputElement && target.type === 'checkbox')
        early.fields.set(target, target.checked);
      else if (
        target instanceof HTMLInputElement ||
        target instanceof HTMLSelectElement ||
        target instanceof HTMLTextAreaElement
      )
        early.fields.set(target, target.value);
    },
    how,
  );
  window.addEventListener(
    'keydown',
    ({ key, isComposing, target }) => {
      if (key === 'Enter' && !isComposing && target instanceof HTMLInputElement && target.form !== null)
        early.sent = target.form;
    },
    how,
  );
}

export const captureScript = `(${keep.toString()})()`;
