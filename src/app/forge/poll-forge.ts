import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Place } from '../../ports/forge.ts'
import { reading } from '../reading.ts'
import { hearAnswers } from './hear-answers.ts'
import { landResult } from './land-result.ts'
import { readRunNow } from './run-now.ts'
import { takeIssues, takenIssues } from './take-issues.ts'
import { tellStatus } from './tell-status.ts'
import { createMayWrite, type WatchEvent, type Watching } from './watching.ts'

/** What a watcher keeps in mind between its polls, so that nothing is said at every one. */
export interface Memory {
  /** What is in the way, by what it is about. */
  readonly problems: Map<string, string>
  /** When a result that could not be handed over is tried again, by Run. */
  readonly later: Map<string, number>
}

/** Looks at the forge once, and does whatever that asks for. DrydockError of the forge. */
export async function pollForge(given: Omit<Watching, 'mayWrite' | 'attempt'>, memory: Memory): Promise<void> {
  const attempt = createAttempt(given.say, memory)
  const watching = { ...given, mayWrite: createMayWrite(given.forge), attempt }
  await takeIssues(watching)
  for (const { run, number } of await takenIssues(watching)) {
    await attempt(`issue ${number}`, () => follow(watching, { run, place: { type: 'issue', number }, memory }))
  }
}

interface Followed {
  readonly run: string
  readonly place: Place
  readonly memory: Memory
}

/** What people have answered, then the result, then where it stands. */
async function follow(watching: Watching, { run, place, memory }: Followed): Promise<void> {
  const { drydock } = watching
  const read = () => reading(drydock, (records) => readRunNow(records, run))
  await hearAnswers(watching, place, await read())
  const problem = await handOver(watching, run, memory)
  await tellStatus(watching, { place, now: await read(), problem })
}

/** What stands in the way of a result; null when nothing does, or when it will pass by itself. */
async function handOver(watching: Watching, run: string, { later, problems }: Memory): Promise<string | null> {
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
    // Nothing of a remote is needed to see whether somebody has accepted a finding.
    if (code !== 'not_landable') later.set(run, drydock.clock.now().getTime() + limits.forge.slowMs)
    return message
  }
}

function isOutage({ code }: DrydockError): boolean {
  return code === 'forge_unreachable' || code === 'forge_rate_limited'
}

/** After so many failures of the whole forge in a row there is nothing to try any more. */
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
