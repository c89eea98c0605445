import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { once } from '../../domain/once.ts'
import type { Change, Forge } from '../../ports/forge.ts'

const change = once((): z.ZodType<Change> => {
  // As a terminal and a browser take it without harm, whatever the forge has put into it.
  const address = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).href)
  return z.object({
    ...{ number: z.int().min(1), url: address, state: z.enum(['open', 'closed', 'merged']) },
    ...{ head: z.string(), base: z.string(), title: z.string(), text: z.string() },
    // The branch may be gone.
    sha: z
      .string()
      .nullish()
      .transform((sha) => sha ?? ''),
  })
})

/** Says of an answer that could not be read, such as a page for people, that no forge gives it. */
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

/** The same forge, whose calls fail with an error of the catalogue whatever it answers. */
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
