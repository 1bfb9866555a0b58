'use client';
/**
 * A page's questions to the server beside the live view. The first question loads the query cache, because the board
 * asks nothing before it is live.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';

export interface Answers {
  cache: QueryClient | null;
}

/** `LiveRoot` provides it, and empties it at sign-out. */
export const AnswersContext = createContext<Answers | null>(null);
