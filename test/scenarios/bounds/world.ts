import { createFixture, type Fixture, type WorldOptions } from '../../world/fixture.ts'
import { type Conversation, conversationOf } from '../world/conversation.ts'
import { withRecords } from '../world/crew-script.ts'
import { type CommandResult, plan, resultOf, type Turns } from '../world/fixture.ts'

/** A finished Run, and the number of model requests. */
export interface EndedRun {
  readonly fixture: Fixture
  readonly done: CommandResult
  readonly status: unknown
  readonly requests: number
  readonly conversation: Conversation
  /** The report for people. */
  readonly report: string
}

interface Playing extends WorldOptions {
  readonly args?: readonly string[]
  readonly lanes: Readonly<Record<string, Turns>>
}

export const says = (text: string): object => ({ text })
export const times = (count: number, turn: (i: number) => object): Turns =>
  Array.from({ length: count }, (_, i) => turn(i))

/** Puts the calls of several turns into one reply. */
export const together = (...turns: readonly object[]): object => ({
  calls: turns.flatMap((turn) => (turn as { readonly calls: readonly object[] }).calls),
})

/** Plays a Run to its end, or until somebody is asked. */
export async function plays(
  onTestFinished: (cleanUp: () => Promise<void>) => void,
  { lanes, args = ['task', 'Say new'], ...options }: Playing,
): Promise<EndedRun> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  const done = await fixture.drydock(...args, '--model', await fixture.replay(lanes), '--json', '--no-wait')
  const run = done.events.find((event) => typeof event.run === 'string')?.run as string
  const calls = await withRecords(fixture, (records) => records.modelCalls(run))
  const { stdout } = await fixture.drydock('report', run)
  const status = done.events.some(({ type }) => type === 'result') ? resultOf(done).status : undefined
  return { fixture, done, status, requests: calls.length, conversation: conversationOf(fixture, done), report: stdout }
}

/** A task with an immediate plan. */
export const coding = (...turns: Turns): Playing['lanes'] => ({
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': turns,
})

export const verifications = ({ done }: EndedRun): readonly unknown[] =>
  done.events.flatMap(({ type, status }) => (type === 'verification' ? [status] : []))
