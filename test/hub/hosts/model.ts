import { setTimeout as delay } from 'node:timers/promises'
import { approve, planned, reply, storyPlan, submit, writeFile } from '../../scenarios/world/crew.ts'
import { call } from '../../scenarios/world/fixture.ts'
import { fill, laneOf } from '../../scenarios/world/wire-crew.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireRequest, type WireServer } from '../../wire/wire-server.ts'

/** Delay of each answer: with a delay, faults hit running calls, whose cost nobody learns. */
const thinkingMs = Number(process.env.STORM_THINKING_MS ?? 0)

/** Usage of each answer. A token costs a millionth of a dollar. */
export const usage = { input: 1_000, output: 100 }

export const model = 'wire:crew'
export const prices = { [model]: { input: 1, output: 1 } }

/**
 * The longest wait of a story for the storm, in commands of four seconds: a storm that outlasts the
 * stories would hit nothing at its end.
 */
const mostCommands = 80

/** The limit on replies without progress must be higher than that. */
export const patience = { editor: { turns_without_progress: mostCommands + 20 } }

interface Crew {
  readonly names: readonly string[]
  readonly address: string
  /** True if stories are built faster than faults occur. */
  isAhead(): boolean
}

/** A crew whose stories each write their own file, and last as long as the storm. */
export function startCrew({ names, address, isAhead }: Crew): Promise<WireServer> {
  const turnOf = (lane: string, request: WireRequest): object => {
    const story = lane.split('/')[1] ?? ''
    if (lane === 'architect/SCOPING') return reply('A small repository.')
    if (lane === 'architect/STORY_GENERATION')
      return call('submit_stories', { stories: names.map((id) => planned({ id })) })
    if (lane.startsWith('architect/REQUEST/')) return approve()
    if (lane.endsWith('/PLANNING')) return storyPlan(story)
    return codingTurn(story, { calls: callsOf(request), isWritten: isWritten(request, story), isAhead })
  }
  return startWireServer((request) => {
    const turn = turnOf(laneOf(request), request)
    return { usage, after: delay(thinkingMs), ...fill(turn, request.body.messages[1].content) } as WireTurn
  }, address)
}

/** The names of the called tools, in order. */
function callsOf({ body }: WireRequest): readonly string[] {
  return body.messages.flatMap(({ tool_calls = [] }: { tool_calls?: { function: { name: string } }[] }) =>
    tool_calls.map((each) => each.function.name),
  )
}

/**
 * True if its last call has written the story's file, and it was not told since then that a machine
 * is gone. A write fails if the disk is full.
 */
function isWritten({ body }: WireRequest, story: string): boolean {
  const answered = body.messages.findLastIndex(({ role }: { role: string }) => role === 'assistant')
  const since = JSON.stringify(body.messages.slice(answered + 1))
  return since.includes(`Replaced ${story}.txt.`) && !since.includes('is gone')
}

interface Coding {
  readonly calls: readonly string[]
  readonly isWritten: boolean
  readonly isAhead: () => boolean
}

function codingTurn(story: string, { calls, isWritten, isAhead }: Coding): object {
  const number = calls.length
  if (number === 0) return writeFile(`${story}.txt`, 'half\n')
  if (number === 1) return call('get_diff', {})
  // A file that was reported as lost with a machine is written again before it is submitted.
  if (calls.at(-1) === 'write_file' && isWritten) return submit(story)
  const waited = calls.filter((name) => name === 'run_command').length
  if (waited < 1 || (waited < mostCommands && isAhead()))
    return call('run_command', {
      command: `echo ${number} > noise-${story}-${number}; sleep 4; rm noise-${story}-${number}`,
    })
  return writeFile(`${story}.txt`, `${story}\n`)
}
