import type { Command } from '../../domain/command.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Installation } from '../installation.ts'
import type { StateAccess } from '../state-access.ts'

/**
 * The fate of a command: the owner has applied it, has not applied it yet, or there is no owner and
 * the next one will apply it.
 */
export type HandedOver = 'applied' | 'waiting' | 'recorded'

/** An owner applies what is said to any Run, and works on those that it was asked for. */
async function isWorkedOn({ ownerFacts }: Pick<StateAccess, 'ownerFacts'>, { kind, run }: Command): Promise<boolean> {
  if (kind !== 'reply' && kind !== 'post' && kind !== 'budget' && kind !== 'acceptance') return true
  const asked = (await ownerFacts())?.asked ?? 'all'
  return asked === 'all' || run === null || asked.includes(run)
}

/** The queue of commands of a state, with the owner that applies them. */
export type CommandQueue = Pick<StateAccess, 'openRecords' | 'submit' | 'connect' | 'ownerFacts'> &
  Pick<Installation, 'clock'>

/** Milliseconds that an owner may take to apply a command before the asker stops waiting. */
const patienceMs = 10_000

/** Stores a command and sees the owner apply it, when there is one. */
export async function handOver(drydock: CommandQueue, key: string, command: Command): Promise<HandedOver> {
  return seeApplied(drydock, await drydock.submit(key, command), command)
}

/** Sees the owner apply a command that is stored with this key. */
export async function seeApplied(
  drydock: Pick<Installation, 'clock'> & Pick<StateAccess, 'openRecords' | 'connect' | 'ownerFacts'>,
  stored: string,
  command: Command,
): Promise<HandedOver> {
  const told = Promise.withResolvers<'waiting' | 'recorded'>()
  const applied = Promise.withResolvers<'applied'>()
  const records = drydock.openRecords()
  let looking = Promise.resolve()
  const look = () => {
    looking = looking.then(async () => {
      if (await records.commandApplied(stored)) applied.resolve('applied')
    }, applied.reject)
  }
  const connection = await drydock.connect({ change: look, gone: () => told.resolve('recorded') })
  const cancel = actAfter(drydock.clock, { ms: patienceMs }, () => told.resolve('waiting'))
  try {
    if (connection === null) return 'recorded'
    connection.wake()
    look()
    const handed = await Promise.race([applied.promise, told.promise])
    return handed === 'applied' && !(await isWorkedOn(drydock, command)) ? 'recorded' : handed
  } finally {
    cancel()
    connection?.close()
    await looking
    await records.close()
  }
}
