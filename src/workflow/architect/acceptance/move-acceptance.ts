import type { Acceptance, AcceptanceData, AcceptanceEvent } from '../../../domain/acceptance/acceptance.ts'
import type { WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import { describeInterface } from '../../../domain/acceptance/criteria.ts'
import { softAndHard } from '../../../domain/lane/next-request.ts'
import type { Transaction } from '../../../ports/store.ts'
import { tellStory } from '../../chat/tell-story.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { answerLane, endLane } from '../../lane/answer-lane.ts'
import { laneId, openLane } from '../../lane/open-lane.ts'
import { load } from '../../machines.ts'

/** A transition of a story's tests, with the data that it stores. */
export interface AcceptanceMove {
  readonly acceptance: Acceptance
  readonly event: AcceptanceEvent
  readonly data?: Partial<AcceptanceData>
  /** The new tests; omitted to keep the present ones. */
  readonly tests?: WrittenTests
  /** For `written`: the first message of the lane that reads the tests. */
  readonly reading?: string
  /** For `returned`: the message to the author of the tests. */
  readonly told?: string
}

/** Moves the tests of a story, together with their lanes and a change that waits for them. */
export async function moveAcceptance(
  tx: Transaction,
  { acceptance: given, event, data, tests, reading, told }: AcceptanceMove,
  { clock }: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  const { id, run, story } = given
  if (tests !== undefined) await tx.keepAcceptanceTests(id, tests)
  const next = event === 'read' || event === 'mended' ? 'queue' : 'rest'
  let moved = await tx.move(given, event, { ...(data && { data }), next })
  const { lane, reader, returns } = moved.data
  switch (event) {
    case 'written': {
      const key = `architect/ACCEPTANCE_QUOTES/${story}/${returns + 1}`
      const { config } = (await load(tx, 'run', run)).data
      if (config === null) throw new Error(`run ${run} has not started`)
      await openLane(tx, {
        run,
        story,
        key,
        parent: id,
        role: 'architect_quotes',
        limits: softAndHard(config.request),
        prompt: () => reading ?? '',
      })
      moved = await tx.edit(moved, { reader: laneId(run, key) })
      break
    }
    case 'returned':
      if (reader !== null) await endLane(tx, clock, reader)
      if (lane !== null) await answerLane(tx, clock, { lane, output: told ?? '', ok: false })
      break
    case 'ready':
    case 'cancelled':
      for (const each of [lane, reader]) if (each !== null) await endLane(tx, clock, each)
      if (event === 'ready') await publishInterface(tx, moved)
      await wakeVerifications(tx, moved)
      break
    case 'read':
      if (reader !== null) await endLane(tx, clock, reader)
      break
    case 'mended':
    case 'reopened':
      break
    default:
      throw new Error(`unknown event ${event satisfies never}`)
  }
  await appendAcceptance(tx, moved)
}

/** Tells the editor the entry points through which the tests call its change. */
async function publishInterface(tx: Transaction, { run, story, data }: Acceptance): Promise<void> {
  const isTested = data.criteria.some(({ state }) => state === 'tested')
  if (!isTested || data.interface.length === 0) return
  const content = `Others will use what this story builds through these entry points. Build them as they stand here:\n${describeInterface(data.interface)}`
  await tellStory(tx, { run, story }, content)
}

/** Starts the verifications that waited for the tests. */
async function wakeVerifications(tx: Transaction, { run, story }: Acceptance): Promise<void> {
  const waiting = await tx.machines({ kind: 'verification', run, states: ['REQUESTED'] })
  for (const verification of waiting) if (verification.story === story) await tx.queue(verification)
}

/** Appends the state of a story's tests to the events of the Run, without any text of the tests. */
export async function appendAcceptance(tx: Transaction, { run, story, state, data }: Acceptance): Promise<void> {
  const criteria = data.criteria.map(({ id, state, confirmed }) => ({ id, state, ...(confirmed && { confirmed }) }))
  await tx.appendEvent({ run, story, type: 'acceptance', data: { state, criteria } })
}

/** Updates the data of the tests without changing their state. */
export async function editAcceptance(
  tx: Transaction,
  { acceptance, data = {}, tests }: Pick<AcceptanceMove, 'acceptance' | 'data' | 'tests'>,
): Promise<void> {
  if (tests !== undefined) await tx.keepAcceptanceTests(acceptance.id, tests)
  await appendAcceptance(tx, await tx.edit(acceptance, data))
}
