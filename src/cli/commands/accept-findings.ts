import { actsOf } from '../../app/operations/acts-of.ts'
import { viewsOf } from '../../app/operations/views-of.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'
import { apply } from './control.ts'

interface AcceptOptions {
  /** The person's reason, which the receipt keeps. */
  readonly reason?: string
}

/**
 * `accept <id> <finding...>`: a person accepts findings of a result, or of a story that is being
 * built.
 */
export function accept(
  context: Context,
  [id = '', ...ids]: readonly string[],
  options: CommonOptions & AcceptOptions,
): Promise<number> {
  return acceptFindings(context, { id, ids }, options)
}

interface Accepting {
  /** The id of a Run or a story; null for the latest task that has a result. */
  readonly id: string | null
  readonly ids: readonly string[]
  /** The command line is a spelling of 0.9. */
  readonly isOutdated?: boolean
}

/** Accepts findings, also for `task --accept <id>` without a text, a spelling of 0.9. */
export async function acceptFindings(
  context: Context,
  { id, ids, isOutdated = false }: Accepting,
  options: CommonOptions & AcceptOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const work = await (await viewsOf(drydock)).work({ id: id ?? undefined, meant: 'task' })
  const { story } = work
  const acts = await actsOf(drydock, { options })
  if (isOutdated) context.output.note(`Write instead:  drydock accept ${work.run} ${ids.join(' ')}`)
  const { reason } = options
  const about = { run: work.run, ...(story && { story }) }
  const give = () => acts.accept({ ...about, findings: ids, ...(reason !== undefined && { reason }) })
  // Prints the result of an ended Run again.
  if (work.ended) return apply(context, { drydock, give, options, only: true, holds: false })
  const { run, handed } = await give()
  context.output.emit({ type: 'accept', run, ...(story && { story }), findings: ids })
  sayHandedOver(context, handed)
  return 0
}
