import { actsOf } from '../../app/operations/acts-of.ts'
import { viewsOf } from '../../app/operations/views-of.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'
import { apply } from './control.ts'

/**
 * `accept <id> <finding...>`: a human takes findings as they are, of a result or of a story that is
 * being built.
 */
export function accept(
  context: Context,
  [id = '', ...ids]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  return acceptFindings(context, { id, ids }, options)
}

interface Accepting {
  /** A Run or a story; null for the last task that has a result. */
  readonly id: string | null
  readonly ids: readonly string[]
}

/** The same for `task --accept <id>` without a text, which speaks of the last task. */
export async function acceptFindings(
  context: Context,
  { id, ids }: Accepting,
  options: CommonOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const work = await (await viewsOf(drydock)).work({ id: id ?? undefined, meant: 'task' })
  const { story } = work
  const acts = await actsOf(drydock, { options })
  const give = () => acts.accept({ run: work.run, ...(story && { story }), findings: ids })
  // The result of what has ended is told again.
  if (work.ended) return apply(context, { drydock, give, options, only: true, holds: false })
  const { run, handed } = await give()
  context.output.emit({ type: 'accept', run, ...(story && { story }), findings: ids })
  sayHandedOver(context, handed)
  return 0
}
