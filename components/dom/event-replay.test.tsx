// @vitest-environment happy-dom
import { act } from '@testing-library/react';
import { useState, useSyncExternalStore } from 'react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { captureScript } from './event-capture';
import { useReplay } from './event-replay';

let heard: string[] = [];
const hear = (text: string) => void heard.push(text);

function Frame({ children }: { children: React.ReactNode }) {
  useReplay('frame');
  return (
    <>
      <header>
        <button type="button" onClick={() => hear('help')}>
          <i>help</i>
        </button>
        <button type="button" onClick={() => hear('theme')}>
          theme
        </button>
        <Search />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            hear(`sent ${event.currentTarget.querySelector('input')?.value}`);
          }}
        >
          <input type="password" />
        </form>
      </header>
      <main id="content">{children}</main>
    </>
  );
}

/** The server's text in the search field. */
let drawn = '';

function Search() {
  const [text, setText] = useState(drawn);
  return (
    <input
      aria-label="search"
      value={text}
      onChange={(event) => {
        hear(`search ${event.target.value}`);
        setText(event.target.value);
      }}
    />
  );
}

/** Who holds the lock when the page answers; the document said `a`. */
let holder = 'a';
const never = () => () => {};

function Release() {
  const now = useSyncExternalStore(
    never,
    () => holder,
    () => 'a',
  );
  return (
    <button type="button" data-bound={now} onClick={() => hear(`release ${now}`)}>
      release
    </button>
  );
}

function Page() {
  useReplay('page');
  const [grouped, setGrouped] = useState(false);
  const [verdict, setVerdict] = useState('any');
  return (
    <>
      <button type="button" onClick={() => hear('freeze')}>
        freeze
      </button>
      <Release />
      <input
        type="checkbox"
        checked={grouped}
        onChange={(event) => {
          hear(`group ${event.target.checked}`);
          setGrouped(event.target.checked);
        }}
      />
      <select
        value={verdict}
        onChange={(event) => {
          hear(`verdict ${event.target.value}`);
          setVerdict(event.target.value);
        }}
      >
        <option>any</option>
        <option>ghost</option>
      </select>
      <form
        aria-label="filters"
        onSubmit={(event) => {
          event.preventDefault();
          hear(`asked ${event.currentTarget.querySelector('input')?.value}`);
        }}
      >
        <input aria-label="person" />
        <button type="submit">apply</button>
        <button type="button" onClick={() => hear('clear')}>
          clear
        </button>
      </form>
    </>
  );
}

const whole = (
  <Frame>
    <Page />
  </Frame>
);

let root: Root | null = null;
let place: HTMLElement;

/** The document before its scripts: painted, with only the inline script that keeps input. */
beforeEach(() => {
  heard = [];
  holder = 'a';
  drawn = '';
  new Function(captureScript)();
  place = document.createElement('div');
  place.innerHTML = renderToString(whole);
  document.body.append(place);
});

afterEach(async () => {
  await act(async () => root?.unmount());
  root = null;
  place.remove();
  window.signalboxEarly?.end();
  delete window.signalboxEarly;
});

const hydrate = () =>
  act(async () => {
    root = hydrateRoot(place, whole);
  });
const one = <E extends HTMLElement>(selector: string) => place.querySelector<E>(selector) as E;
const button = (text: string) =>
  [...place.querySelectorAll('button')].find((each) => each.textContent === text) as HTMLButtonElement;

test('a button that was pressed before the page answers is pressed once when it does', async () => {
  one('header i').click();
  expect(heard).toEqual([]);
  await hydrate();
  expect(heard).toEqual(['help']);
  await act(async () => button('help').click());
  expect(heard).toEqual(['help', 'help']);
});

test('of several presses the last is meant, and an impatient one is one', async () => {
  button('help').click();
  for (let n = 0; n < 3; n += 1) button('freeze').click();
  await hydrate();
  expect(heard).toEqual(['freeze']);
});

test('early field values are in the fields, and the page knows them', async () => {
  const search = one<HTMLInputElement>('[aria-label=search]');
  for (const text of ['t', 'tf']) {
    search.value = text;
    search.dispatchEvent(new Event('input', { bubbles: true }));
  }
  one<HTMLInputElement>('[type=checkbox]').click();
  const select = one<HTMLSelectElement>('select');
  select.value = 'ghost';
  select.dispatchEvent(new Event('input', { bubbles: true }));
  expect(heard).toEqual([]);
  await hydrate();
  expect(heard).toEqual(['search tf', 'group true', 'verdict ghost'].toSorted(byPart));
  expect(search.value).toBe('tf');
  expect(one<HTMLInputElement>('[type=checkbox]').checked).toBe(true);
  expect(select.value).toBe('ghost');
});

test('an emptied field is empty, and the page knows it', async () => {
  drawn = 'tf';
  place.innerHTML = renderToString(whole);
  const search = one<HTMLInputElement>('[aria-label=search]');
  search.value = '';
  search.dispatchEvent(new Event('input', { bubbles: true }));
  await hydrate();
  expect(heard).toEqual(['search ']);
  expect(search.value).toBe('');
});

test('a form that was sent with Enter is sent once when the page answers, and its token was kept nowhere', async () => {
  const token = one<HTMLInputElement>('[type=password]');
  token.value = 'a token';
  token.dispatchEvent(new Event('input', { bubbles: true }));
  for (let n = 0; n < 2; n += 1)
    token.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  expect([...(window.signalboxEarly?.fields.values() ?? [])]).toEqual([]);
  expect(heard).toEqual([]);
  await hydrate();
  expect(heard).toEqual(['sent a token']);
});

/** As in a browser: Enter presses the form's button where it is enabled. */
function enterInFilters() {
  one('[aria-label=person]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  button('apply').click();
}

test('a form that was sent with Enter is sent once where the browser pressed its button for it', async () => {
  one<HTMLInputElement>('[aria-label=person]').value = 'ann';
  enterInFilters();
  expect(heard).toEqual([]);
  await hydrate();
  expect(heard).toEqual(['asked ann']);
});

test('a form that was sent with Enter is sent also when another button of it was pressed afterwards', async () => {
  one<HTMLInputElement>('[aria-label=person]').value = 'ann';
  enterInFilters();
  button('clear').click();
  await hydrate();
  expect(heard).toEqual(['asked ann', 'clear']);
});

/** The page is hydrated before its surroundings have run their effects. */
const byPart = (a: string, b: string) => Number(a.startsWith('search')) - Number(b.startsWith('search'));

test('a press in the midst of hydration is one press', async () => {
  root = hydrateRoot(place, whole);
  button('theme').click();
  await expect.poll(() => heard).toContain('theme');
  await act(async () => {});
  expect(heard).toEqual(['theme']);
});

test('a button that hydration removed is not pressed', async () => {
  const gone = button('theme');
  gone.click();
  gone.replaceWith(gone.cloneNode(true));
  await hydrate();
  expect(heard).toEqual([]);
});

test('a press after the page answers is handled once', async () => {
  await hydrate();
  await act(async () => button('theme').click());
  expect(heard).toEqual(['theme']);
  expect(window.signalboxEarly?.press).toBeNull();
});

test('a press on a button that acts on another holder when the page answers is dropped', async () => {
  holder = 'b';
  button('release').click();
  await hydrate();
  expect(button('release').dataset.bound).toBe('b');
  expect(heard).toEqual([]);
  await act(async () => button('release').click());
  expect(heard).toEqual(['release b']);
});

test('a press on a button that still acts on the same holder is done', async () => {
  button('release').click();
  await hydrate();
  expect(heard).toEqual(['release a']);
});
