import type { Command } from '../../domain/command.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import type { Commands } from './commands.ts'
import type { HandedOver } from './hand-over.ts'
import { checkUsed, type Stored } from './reply.ts'

interface Given {
  /** Of whom; null for the user of the machine. */
  readonly by: string | null
  /** Names one command of theirs. */
  readonly key: string
}

/**
 * Commands that are carried out once, however often a request with their key comes: a client that
 * has lost the answer asks again. What checks would refuse by then, because it is done, is told as
 * it was the first time.
 */
export function givenOnce(drydock: Drydock, { by, key }: Given, make: (drydock: Drydock) => Commands): Commands {
  const once = <Args extends unknown[], Told extends { readonly run: string }>(
    name: keyof Commands,
    pick: (commands: Commands) => (...args: Args) => Promise<Told>,
    more: (command: Command) => object = () => ({}),
    check: (command: Command, handed: Stored) => Promise<void> = async () => undefined,
  ) => {
    const stored = `given/${by ?? ''}/${name}/${key}`
    const submit: Drydock['submit'] = (_, command) => drydock.submit(stored, command)
    const find = () => reading(drydock, (records) => records.commandAt(stored))
    // Of two at the same time, one was stored.
    const tell = (told: Told, command: Command | null): Told =>
      command === null ? told : { ...told, run: command.run ?? told.run, ...more(command), command: stored }
    return async (...args: Args): Promise<Told> => {
      const before = await find()
      const again = async (command: Command) => {
        const handed = await handedNow(drydock, stored)
        await check(command, { key: stored, handed })
        return tell({ run: '', handed } as unknown as Told, command)
      }
      if (before !== null) return again(before)
      try {
        const told = await pick(make({ ...drydock, submit }))(...args)
        return tell(told, await find())
      } catch (error) {
        // The same request, sent twice, may be in its own way.
        const meanwhile = await find()
        if (meanwhile === null) throw error
        return again(meanwhile)
      }
    }
  }
  const checkReply = async (command: Command, stored: Stored) => {
    if (command.kind === 'reply') await checkUsed(drydock, command, stored)
  }
  const followUp = (command: Command) => (command.kind === 'review' ? { follow_up: command.followUp } : {})
  return {
    startRun: once('startRun', (commands) => commands.startRun),
    startInterview: once('startInterview', (commands) => commands.startInterview),
    startTask: once('startTask', (commands) => commands.startTask),
    cancel: once('cancel', (commands) => commands.cancel),
    pause: once('pause', (commands) => commands.pause),
    resume: once('resume', (commands) => commands.resume),
    accept: once('accept', (commands) => commands.accept),
    decideTests: once('decideTests', (commands) => commands.decideTests),
    editPlan: make(drydock).editPlan,
    buildPlan: once('buildPlan', (commands) => commands.buildPlan),
    land: make(drydock).land,
    retry: once('retry', (commands) => commands.retry),
    budget: once('budget', (commands) => commands.budget),
    submitReview: once('submitReview', (commands) => commands.submitReview, followUp),
    post: once('post', (commands) => commands.post),
    reply: once('reply', (commands) => commands.reply, undefined, checkReply),
  }
}

async function handedNow(drydock: Drydock, stored: string): Promise<HandedOver> {
  if (await reading(drydock, (records) => records.commandApplied(stored))) return 'applied'
  return (await drydock.ownerFacts()) === null ? 'recorded' : 'waiting'
}
