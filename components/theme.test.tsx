// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { themeScript } from './theme';
import { chooseTheme, useDark, useTheme } from './theme-choice';

/** What the system has. */
const system = Object.assign(new EventTarget(), { matches: false });

beforeEach(() => {
  localStorage.clear();
  system.matches = false;
  vi.stubGlobal('matchMedia', () => system);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = () => new Function(themeScript)();
const turnsDark = (dark: boolean) => {
  system.matches = dark;
  system.dispatchEvent(new Event('change'));
};
const shown = () => {
  const { classList, style } = document.documentElement;
  return [classList.contains('dark'), classList.contains('light'), style.colorScheme];
};
const night = [true, false, 'dark'];
const day = [false, true, 'light'];

test('who chose no theme has that of the system, as it changes', () => {
  open();
  expect(shown()).toEqual(day);
  turnsDark(true);
  expect(shown()).toEqual(night);
});

test('a theme that was chosen holds whatever the system does, also on the next page', () => {
  open();
  chooseTheme('dark');
  expect(shown()).toEqual(night);
  turnsDark(false);
  expect(shown()).toEqual(night);
  document.documentElement.className = '';
  open();
  expect(shown()).toEqual(night);
});

test('a document whose script did not run has its theme when it is drawn', () => {
  localStorage.setItem('theme', 'dark');
  document.documentElement.className = 'fonts';
  document.documentElement.removeAttribute('style');
  function Frame() {
    useTheme();
    return null;
  }
  render(<Frame />);
  expect(shown()).toEqual(night);
});

test('what is chosen in another tab is put on here', () => {
  open();
  window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'dark' }));
  expect(shown()).toEqual(night);
  window.dispatchEvent(new StorageEvent('storage', { key: 'signalbox.views', newValue: 'light' }));
  expect(shown()).toEqual(night);
});

test('where a browser stores nothing, a choice is that of the page', () => {
  const refuse = () => {
    throw new Error('SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  open();
  expect(shown()).toEqual(day);
  chooseTheme('dark');
  expect(shown()).toEqual(night);
});

test('who shows the theme hears of every change of it', async () => {
  open();
  function Shown() {
    return useDark() ? 'night' : 'day';
  }
  render(<Shown />);
  expect(screen.getByText('day')).toBeTruthy();
  await act(async () => chooseTheme('dark'));
  expect(screen.getByText('night')).toBeTruthy();
});
