import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { once } from '../../domain/once.ts'
import type { Change, Forge } from '../../ports/forge.ts'

const change = once((): z.ZodType<Change> => {
  // Normalized to a URL that is harmless in a terminal and a browser, whatever the forge sent.
  const address = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).href)
  return z.object({
    number: z.int().min(1),
    url: address,
    state: z.enum(['open', 'closed', 'merged']),
    head: z.string(),
    base: z.string(),
    title: z.string(),
    text: z.string(),
    // The commit is null if the branch is gone.
    sha: z
      .string()
      .nullish()
      .transform((sha) => sha ?? ''),
  })
})

/**
 * Turns the error of an unreadable answer, such as a web page, into the message that this is not a
 * forge.
 */
export async function asForge<T>(name: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof DrydockError) throw error
    throw new DrydockError('forge_unreachable', `${name} does not answer as a forge does.`, {
      todo: 'Check that its URL and its kind in `forges` of your configuration are right, and that no proxy or sign-in page answers in its place.',
      cause: error,
    })
  }
}

/** Wraps a forge so that all its calls fail with a DrydockError, whatever the server answers. */
export function understood(forge: Forge): Forge {
  const said = <T>(answer: Promise<T>) => asForge(forge.name, answer)
  const calls = Object.entries(forge).map(([name, value]) =>
    typeof value === 'function' ? [name, (...args: unknown[]) => said(value(...args))] : [name, value],
  )
  const changeIn = (answer: Promise<unknown>) => said(answer.then((found) => change().parse(found)))
  return {
    ...(Object.fromEntries(calls) as Forge),
    openChange: (wanted) => changeIn(forge.openChange(wanted)),
    updateChange: (number, text) => changeIn(forge.updateChange(number, text)),
    findChange: (head) => said(forge.findChange(head).then((found) => found && change().parse(found))),
  }
}
