import { randomUUID } from 'node:crypto'
import { type Accepting, acceptCommand, tellsResult } from '../../app/commands/accept-findings.ts'
import { handOver } from '../../app/commands/hand-over.ts'
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

/** The same for `task --accept <id>` without a text, which speaks of the last task. */
export async function acceptFindings(context: Context, accepting: Accepting, options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const command = await acceptCommand(drydock, accepting)
  const { run, story, findings } = command
  if (await tellsResult(drydock, command))
    return apply(context, { drydock, command, runs: [run], options, only: true, holds: false })
  const handed = await handOver(drydock, `accept/${randomUUID()}`, command)
  context.output.emit({ type: 'accept', run, ...(story !== undefined && { story }), findings })
  sayHandedOver(context, handed)
  return 0
}
