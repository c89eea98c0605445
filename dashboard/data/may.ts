import { currentActor } from './session.ts'

type Right = NonNullable<ReturnType<typeof currentActor>>['may'][number]

/**
 * Whether the person who is signed in may do something here. The server decides for every request;
 * this keeps from the page what it would refuse. A dashboard of one user may all.
 */
export function may(right: Right): boolean {
  return currentActor()?.may.includes(right) ?? true
}

/** Whether a team's hub serves the page, to somebody who keeps its tokens. */
export function keepsTokens(): boolean {
  return currentActor()?.may.includes('admin') ?? false
}

/** Whether the page is of one person's own installation, and not of a team's hub. */
export function isAlone(): boolean {
  return currentActor() === null
}
