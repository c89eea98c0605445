import { lastTask } from '../../app/operations/act/accept.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { lookUp, namedStory } from '../../app/views/find/find-work.ts'
import { isEnded } from '../../domain/run/run.ts'
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
  options: CommonOptions & Pick<Accepting, 'reason'>,
): Promise<number> {
  return acceptFindings(context, { id, ids, reason: options.reason }, options)
}

interface Accepting {
  /** A Run or a story; null for the last task that has a result. */
  readonly id: string | null
  readonly ids: readonly string[]
  readonly reason?: string | undefined
}

/** The same for `task --accept <id>` without a text, which speaks of the last task. */
export async function acceptFindings(
  context: Context,
  { id, ids, reason }: Accepting,
  options: CommonOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const work = await lookUp(drydock, id ?? (await lastTask(drydock)).id)
  const story = namedStory(work)?.story
  const acts = await actsOf(drydock, { options })
  const give = () =>
    acts.accept({
      run: work.run.id,
      ...(story && { story }),
      findings: ids,
      ...(reason !== undefined && { reason }),
    })
  // The result of what has ended is told again.
  if (isEnded(work.run.state)) return apply(context, { drydock, give, options, only: true, holds: false })
  const { run, handed } = await give()
  context.output.emit({ type: 'accept', run, ...(story && { story }), findings: ids })
  sayHandedOver(context, handed)
  return 0
}
