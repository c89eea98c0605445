import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conversationOf } from '../../src/agents/conversation.ts'
import type { LaneDependencies, LaneRequest } from '../../src/agents/lane.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import { done, type ToolContext } from '../../src/agents/tools/tool.ts'
import { freshLane, type Lane, laneTable } from '../../src/domain/lane/lane.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import { editorLimits } from '../../src/domain/lane/next-request.ts'
import { limits } from '../../src/domain/limits.ts'
import type { Model } from '../../src/ports/model.ts'
import type { SandboxSession } from '../../src/ports/sandbox.ts'
import { sessionFiles } from '../../src/workflow/lane/session-files.ts'
import { liveWork } from '../live-work.ts'
import { openSession } from './open-session.ts'

const never = new AbortController().signal

/** A lane's actions until it handed over its work or was stopped. */
export interface LaneRun {
  readonly end: LaneRequest
  readonly messages: readonly Message[]
  /** The calls with the answers of their tools. */
  readonly made: readonly { readonly tool: string; readonly ok: boolean | null; readonly output: string | null }[]
  /** The workspace's `a.txt` at the end. */
  readonly file: string
}

export interface Workshop {
  /** Runs a coder's lane from its first request to its end; lanes run one after another. */
  run(model: Model): Promise<LaneRun>
  close(): Promise<void>
}

/**
 * A real sandbox in which lanes run as in the workflow, but without a store. Each run finds a fresh
 * workspace.
 */
export async function openWorkshop(): Promise<Workshop> {
  const workspace = mkdtempSync(join(tmpdir(), 'drydock-workshop-'))
  const session = await openSession(workspace, 'write')
  return {
    async run(model) {
      for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true })
      writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n')
      const driven = await drive(model, contextOf(session))
      return { ...driven, file: readFileSync(join(workspace, 'a.txt'), 'utf8') }
    },
    async close() {
      await session.close()
      rmSync(workspace, { recursive: true })
    },
  }
}

async function drive(model: Model, context: ToolContext): Promise<Omit<LaneRun, 'file'>> {
  let lane: Lane = {
    id: 'run/lane',
    kind: 'lane',
    run: 'run',
    story: 'task',
    state: 'ASKING',
    version: 1,
    data: {
      key: 'editor/task/CODING',
      role: 'editor_coding',
      parent: 'story',
      system: 'You build one story.',
      limits: editorLimits(limits.codingIterations, limits.turnsWithoutProgress),
      ...freshLane,
    },
  }
  const messages: Message[] = [{ role: 'user', text: 'Change a.txt.' }]
  const made: { tool: string; ok: boolean | null; output: string | null }[] = []
  for (;;) {
    const step = await advanceLane(lane, dependencies(model, context, conversationOf(lane.data, messages)), never)
    const to = laneTable[lane.state][step.event]
    if (to === undefined) throw new Error(`${lane.state} has no ${step.event}`)
    lane = { ...lane, state: to, data: step.data, version: lane.version + 1 }
    messages.push(...step.messages)
    for (const { tool, success: ok, result: output } of step.toolExecutions ?? []) made.push({ tool, ok, output })
    if (step.request) return { end: step.request, messages, made }
  }
}

export function contextOf(session: SandboxSession): ToolContext {
  return {
    session,
    signal: never,
    ignored: async () => [],
    callName: '1-1',
    keepOutput: async () => null,
    files: async () => ({ ok: true, files: sessionFiles(session) }),
    diff: async () => done('(no change)'),
    artifact: async () => done('a log\n'),
    output: async () => done('an output\n'),
    messages: async () => done('none'),
  }
}

function dependencies(
  model: Model,
  context: ToolContext,
  conversation: LaneDependencies['conversation'],
): LaneDependencies {
  const clock = { now: () => new Date(), random: () => 0 }
  return {
    model,
    clock,
    conversation,
    live: liveWork(),
    patience: { clock, hasAnswered: async () => true, maxWaitMs: 60_000 },
    redact: (text: string) => text,
    contextWindow: null,
    facts: {},
    news: null,
    guides: null,
    toolTimeoutSec: 20,
    readContext: async () => context,
    editContext: async () => context,
    started: async () => null,
    start: async () => {},
  }
}
