// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { type AuditParameters, instantOf, localTime } from './audit-query';
import { Filters } from './filters';

afterEach(cleanup);

function show(asked: AuditParameters = {}) {
  const gone: AuditParameters[] = [];
  render(<Filters asked={asked} go={(next) => void gone.push(next)} />);
  return gone;
}
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

test('a select keeps what was typed and not applied yet', () => {
  const gone = show();
  type('Person', 'ada');
  fireEvent.change(screen.getByRole('combobox', { name: 'outcome' }), { target: { value: 'refused' } });
  expect(gone).toMatchObject([{ person: 'ada', outcome: 'refused' }]);
});

test('a text that is no time is refused beside its field, and applies nothing', () => {
  const gone = show();
  type('From', '26.11.2026');
  fireEvent.submit(screen.getByRole('form'));
  expect(gone).toEqual([]);
  expect(screen.getByLabelText('From').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole('alert').textContent).toMatch(/2026-11-26 14:05/);
  type('From', '2026-11-26');
  fireEvent.submit(screen.getByRole('form'));
  expect(gone).toMatchObject([{ from: instantOf('2026-11-26', 'from') }]);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('the fault of a time goes with the filters beside which it was typed', () => {
  const { rerender } = render(<Filters asked={{ person: 'ada' }} go={() => {}} />);
  type('From', '26.11.2026');
  fireEvent.submit(screen.getByRole('form'));
  expect(screen.getByRole('alert')).toBeDefined();
  rerender(<Filters asked={{}} go={() => {}} />);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.getByLabelText('From').getAttribute('aria-invalid')).toBe('false');
});

test('on a phone the fields open by a button that counts what narrows the list', () => {
  show({ person: 'ada', outcome: 'refused' });
  const button = screen.getByRole('button', { name: /2/ });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  expect(screen.getByRole('form').className).toContain('max-md:hidden');
  fireEvent.click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByRole('form').className).not.toContain('max-md:hidden');
});

describe('a time in the address', () => {
  test('is a date with an optional time, in the zone of the browser', () => {
    expect(instantOf('2026-11-26 14:05', 'from')).toBe(new Date(2026, 10, 26, 14, 5).toISOString());
    expect(instantOf('2026-11-26T14:05', 'from')).toBe(new Date(2026, 10, 26, 14, 5).toISOString());
    expect(instantOf('2026-11-26', 'from')).toBe(new Date(2026, 10, 26).toISOString());
    expect(instantOf('', 'to')).toBe('');
    for (const text of ['11/26/2026', '2026-13-26', '2026-11-26 25:00', 'yesterday'])
      expect(instantOf(text, 'from'), text).toBeNull();
  });

  test('ends with its minute, or with its day', () => {
    expect(instantOf('2026-11-26 14:05', 'to')).toBe(new Date(2026, 10, 26, 14, 5, 59, 999).toISOString());
    expect(instantOf('2026-11-26', 'to')).toBe(new Date(2026, 10, 26, 23, 59, 59, 999).toISOString());
  });

  test('stands in its field as times stand on the page', () => {
    expect(localTime('2026-11-26T14:05:00Z', () => '2026-11-26 14:05:00')).toBe('2026-11-26 14:05');
    expect(localTime(undefined, () => 'never')).toBe('');
  });
});
