import type { Again } from '../../domain/run/again.ts'

/** Tells that a Run which the infrastructure has stopped is resumed automatically. */
export function describeAgain({ at, tries }: Again): string {
  const before = tries === 1 ? '' : `, after ${tries - 1} ${tries === 2 ? 'try' : 'tries'} that failed`
  return `is tried again by itself at ${at.slice(0, 16).replace('T', ' ')} UTC${before}.`
}
