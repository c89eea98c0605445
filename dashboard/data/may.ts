import { currentActor } from './session.ts'

type Right = NonNullable<ReturnType<typeof currentActor>>['may'][number]

/**
 * True if the signed-in person has a right. The server checks every request; this only hides
 * controls that it would refuse. On a dashboard of one user everything is permitted.
 */
export function may(right: Right): boolean {
  return currentActor()?.may.includes(right) ?? true
}

/** True on a team's hub, for an admin of its tokens. */
export function keepsTokens(): boolean {
  return currentActor()?.may.includes('admin') ?? false
}

/** True on a single user's own dashboard, rather than a team's hub. */
export function isAlone(): boolean {
  return currentActor() === null
}
