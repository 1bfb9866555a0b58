'use client';
/**
 * A page's questions to the server beside the live view, and the answers. The first question makes the query
 * cache and loads its code, because the board asks nothing before it is live.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';

export interface Answers {
  /** `null`: nothing was asked yet. */
  cache: QueryClient | null;
}

/** `LiveRoot` provides it, and empties it at sign-out. */
export const AnswersContext = createContext<Answers | null>(null);
