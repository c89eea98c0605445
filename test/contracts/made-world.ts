import { onTestFinished } from 'vitest'
import { makeReadyWorld, makeWorld } from '../adapters/git/git-world.ts'

/** See makeWorld; gone with the test. */
export function world(...args: Parameters<typeof makeWorld>) {
  const made = makeWorld(...args)
  onTestFinished(() => made.close())
  return made
}

/** See makeReadyWorld; gone with the test. */
export async function ready(...args: Parameters<typeof makeReadyWorld>) {
  const made = await makeReadyWorld(...args)
  onTestFinished(() => made.close())
  return made
}

/** The snapshot, which was not refused. */
export async function taken(result: ReturnType<Awaited<ReturnType<typeof ready>>['snapshot']>) {
  const made = await result
  if (!made.ok) throw new Error(made.reason)
  return made.snapshot
}
