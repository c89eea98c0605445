import type { InputOf, Route } from '../../api/route.ts'
import type { Command } from '../../domain/command.ts'
import { reading } from '../reading.ts'
import type { StateAccess } from '../state-access.ts'
import type { HandedOver } from './hand-over.ts'
import type { Acting, CommandAnswer, Operation } from './operation.ts'

interface Once {
  /** Under which the command is stored. */
  readonly key: string
  readonly acting: (key: string) => Acting
}

/**
 * Carries an operation out once, however often a request with its key comes: a client that has lost
 * the answer asks again. What checks would refuse by then, because it is done, is told as it was
 * the first time.
 */
export async function giveOnce<Of extends Route>(
  { run, again = async () => ({}) }: Operation<Of>,
  input: InputOf<Of>,
  { key, acting: actingWith }: Once,
): Promise<CommandAnswer> {
  const acting = actingWith(key)
  const { drydock } = acting
  const find = () => reading(drydock, (records) => records.commandAt(key))
  const tellAgain = async (command: Command): Promise<CommandAnswer> => {
    const handed = await handedNow(drydock, key)
    const more = await again(acting, command, { key, handed })
    return { run: command.run ?? '', handed, ...more, command: key }
  }
  const before = await find()
  if (before !== null) return tellAgain(before)
  try {
    const told = (await run(acting, input)) as unknown as CommandAnswer
    // One of two at the same time was stored.
    const stored = await find()
    return stored === null
      ? told
      : {
          ...told,
          run: stored.run ?? told.run,
          ...(await again(acting, stored, { key, handed: told.handed })),
          command: key,
        }
  } catch (error) {
    // The same request, sent twice, may be in its own way.
    const meanwhile = await find()
    if (meanwhile === null) throw error
    return tellAgain(meanwhile)
  }
}

async function handedNow(
  drydock: Pick<StateAccess, 'openRecords' | 'ownerFacts'>,
  stored: string,
): Promise<HandedOver> {
  if (await reading(drydock, (records) => records.commandApplied(stored))) return 'applied'
  return (await drydock.ownerFacts()) === null ? 'recorded' : 'waiting'
}
