import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Place } from '../../ports/forge.ts'
import { reading } from '../reading.ts'
import { readRemarks } from '../views/remarks.ts'
import { answerRemarks } from './answer-remarks.ts'
import { hearAnswers } from './hear-answers.ts'
import { hearChecks } from './hear-checks.ts'
import { hearRemarks } from './hear-remarks.ts'
import { landResult } from './land-result.ts'
import { lookAtChange, type OpenChange, openChanges } from './open-changes.ts'
import { readRunNow } from './run-now.ts'
import { takeIssues, takenIssues } from './take-issues.ts'
import { tellStatus } from './tell-status.ts'
import { createMayWrite, type WatchEvent, type Watching } from './watching.ts'

/** The watcher's memory between polls, so that it does not repeat a message at every poll. */
export interface Memory {
  /** Current problems by their topic. */
  readonly problems: Map<string, string>
  /** The time of the next try, by Run, for results that could not be handed over. */
  readonly later: Map<string, number>
  readonly strangers: Map<string, number>
}

/** Polls the forge once and acts on the answers. Throws the DrydockErrors of the forge. */
export async function pollForge(given: Omit<Watching, 'mayWrite' | 'attempt'>, memory: Memory): Promise<void> {
  const attempt = createAttempt(given.say, memory)
  const [{ strangers }, now] = [memory, given.drydock.clock.now().getTime()]
  const watching = { ...given, mayWrite: createMayWrite(given.forge, { strangers, now }), attempt }
  await takeIssues(watching)
  for (const change of await openChanges(watching))
    await attempt(`change ${change.number}`, () => hearAbout(watching, change))
  const taken = await takenIssues(watching)
  for (const { run, number } of taken) {
    await attempt(`issue ${number}`, () => follow(watching, { run, place: { type: 'issue', number }, memory }))
  }
  for (const change of await openChanges(watching)) {
    const { run, number } = change
    const isAsked = taken.some((each) => each.run === run)
    await attempt(`change ${number}`, async () => {
      if (!isAsked) await followChange(watching, change, memory)
      await answerRemarks(watching, change)
    })
  }
}

/** Reads new comments and failed checks while the change is open. */
async function hearAbout(watching: Watching, change: OpenChange): Promise<void> {
  const now = await lookAtChange(watching, change)
  if (now === null) return
  await hearRemarks(watching, change)
  await hearChecks(watching, change, now)
}

/** Updates and reports on a change that people have landed, once there are remarks. */
async function followChange(watching: Watching, { run, number }: OpenChange, memory: Memory): Promise<void> {
  const remarks = await reading(watching.drydock, (records) => readRemarks(records, run))
  if (remarks.length > 0) await follow(watching, { run, place: { type: 'change', number }, memory })
}

interface FollowInput {
  readonly run: string
  readonly place: Place
  readonly memory: Memory
}

/** Takes in people's answers, then hands over the result, then updates the status. */
async function follow(watching: Watching, { run, place, memory }: FollowInput): Promise<void> {
  const { drydock } = watching
  const read = () => reading(drydock, (records) => readRunNow(records, run))
  await hearAnswers(watching, place, await read())
  const problem = await handResultOver(watching, run, memory)
  await tellStatus(watching, { place, now: await read(), problem })
}

/**
 * The reason why a result cannot be handed over; null if it can, or if the reason will pass by
 * itself.
 */
async function handResultOver(watching: Watching, run: string, { later, problems }: Memory): Promise<string | null> {
  const { drydock, say } = watching
  const now = await reading(drydock, (records) => readRunNow(records, run))
  if ((later.get(run) ?? 0) > drydock.clock.now().getTime()) return problems.get(run) ?? null
  try {
    await landResult(watching, now)
    problems.delete(run)
    return null
  } catch (error) {
    if (!(error instanceof DrydockError) || isOutage(error)) throw error
    const { message, code, todo } = error
    if (problems.get(run) !== message) say({ what: 'problem', text: message, code, todo, run })
    problems.set(run, message)
    // An unaccepted finding can be checked again without the remote, so only other failures wait.
    if (code !== 'not_landable') later.set(run, drydock.clock.now().getTime() + limits.forge.slowMs)
    return message
  }
}

function isOutage({ code }: DrydockError): boolean {
  return code === 'forge_unreachable' || code === 'forge_rate_limited'
}

/**
 * Wraps each part of a poll. After several failures in a row the whole forge is considered down,
 * and the rest is skipped.
 */
function createAttempt(say: (event: WatchEvent) => void, { problems }: Memory): Watching['attempt'] {
  let failures = 0
  return async (about, work) => {
    try {
      await work()
      failures = 0
      problems.delete(about)
    } catch (error) {
      if (!(error instanceof DrydockError) || error.code === 'forge_rate_limited') throw error
      failures = error.code === 'forge_unreachable' ? failures + 1 : 0
      if (failures >= limits.forge.failures) throw error
      const { message, code, todo } = error
      if (problems.get(about) !== message) say({ what: 'problem', text: `${about}: ${message}`, code, todo })
      problems.set(about, message)
    }
  }
}
