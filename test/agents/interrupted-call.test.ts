import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { noConversation } from '../../src/agents/conversation.ts'
import type { LaneDependencies } from '../../src/agents/lane.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import type { ToolContext } from '../../src/agents/tools/tool.ts'
import { freshLane, type Lane } from '../../src/domain/lane/lane.ts'
import { editorLimits } from '../../src/domain/lane/next-request.ts'
import type { Expectation, ToolExecution } from '../../src/ports/rows.ts'
import type { SandboxSession } from '../../src/ports/sandbox.ts'
import { sessionFiles } from '../../src/workflow/lane/session-files.ts'
import { liveWork } from '../live-work.ts'
import { openSession } from './open-session.ts'

const never = new AbortController().signal
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

let folder: string
let session: SandboxSession
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-calls-'))
  session = await openSession(folder, 'write')
})
afterEach(async () => {
  await session.close()
  await rm(folder, { recursive: true })
})

const file = (name: string) => readFile(join(folder, name), 'utf8')

async function context(signal: AbortSignal): Promise<ToolContext> {
  const nothing = async () => ({ ok: true, output: '' })
  return {
    session,
    signal,
    ignored: async () => [],
    callName: '1-1',
    keepOutput: async () => null,
    files: async () => ({ ok: true, files: sessionFiles(session) }),
    diff: nothing,
    artifact: nothing,
    output: nothing,
    messages: nothing,
  }
}

/**
 * Repeats a call that a crash interrupted after its start was stored, with its stored expectation.
 */
async function again(tool: string, input: object, expectation: Expectation | null) {
  const starts: ToolExecution[] = []
  const lane: Lane = {
    id: 'run/lane',
    kind: 'lane',
    run: 'run',
    story: 'task',
    state: 'ACTING',
    version: 1,
    data: {
      key: 'editor/task/CODING',
      role: 'editor_coding',
      parent: 'story',
      system: '',
      limits: editorLimits(40),
      ...freshLane,
      turn: 1,
      iterations: 1,
      calls: [{ id: 'call', tool, input: { ...input } }],
    },
  }
  const deps: LaneDependencies = {
    live: liveWork(),
    model: { id: 'none', reply: () => Promise.reject(new Error('no model is asked here')) },
    redact: String,
    clock: { now: () => new Date(), random: () => 0 },
    patience: { clock: { now: () => new Date(), random: () => 0 }, hasAnswered: async () => true, maxWaitMs: 1_000 },
    conversation: noConversation,
    contextWindow: null,
    facts: {},
    news: null,
    guides: null,
    readContext: context,
    editContext: context,
    toolTimeoutSec: 20,
    started: async () => ({ expectation }) as ToolExecution,
    start: async (row) => void starts.push(row),
  }
  const step = await advanceLane(lane, deps, never)
  return { output: step.toolExecutions?.[0]?.result, ok: step.toolExecutions?.[0]?.success, starts }
}

describe('a call that a crash interrupted', () => {
  test('and that only reads is simply made again', async () => {
    await writeFile(join(folder, 'a'), 'text\n')
    expect(await again('read_file', { path: 'a' }, null)).toMatchObject({ ok: true, output: '1\ttext' })
  })

  test('and that edits is done when the file is as it was to be', async () => {
    await writeFile(join(folder, 'a'), 'after')
    const expectation = [{ path: 'a', before: sha('before'), after: sha('after') }]
    const answer = await again('edit_file', { path: 'a', old: 'before', new: 'after' }, expectation)
    expect(answer).toEqual({ ok: true, output: 'Done (before an interruption).', starts: [] })
    expect(await file('a')).toBe('after')
  })

  test('and that edits is made when the file is as it was', async () => {
    await writeFile(join(folder, 'a'), 'before')
    const expectation = [{ path: 'a', before: sha('before'), after: sha('after') }]
    const answer = await again('edit_file', { path: 'a', old: 'before', new: 'after' }, expectation)
    expect(answer).toMatchObject({ ok: true, output: 'Edited a in 1 place.', starts: [] })
    expect(await file('a')).toBe('after')
  })

  test('and that edits is left open when the file is neither', async () => {
    await writeFile(join(folder, 'a'), 'before and more')
    const expectation = [{ path: 'a', before: sha('before'), after: sha('after') }]
    const answer = await again('edit_file', { path: 'a', old: 'before', new: 'after' }, expectation)
    expect(answer).toMatchObject({ ok: false, output: expect.stringContaining('Read it again') })
    expect(await file('a')).toBe('before and more')
  })

  test('and that moves is done only when both ends say so', async () => {
    const expectation = [
      { path: 'from', before: sha('x'), after: null },
      { path: 'to', before: null, after: sha('x') },
    ]
    await writeFile(join(folder, 'to'), 'x')
    expect(await again('move_file', { from: 'from', to: 'to' }, expectation)).toMatchObject({ ok: true, starts: [] })
    await writeFile(join(folder, 'from'), 'x')
    expect(await again('move_file', { from: 'from', to: 'to' }, expectation)).toMatchObject({ ok: false })
    await rm(join(folder, 'to'))
    expect(await again('move_file', { from: 'from', to: 'to' }, expectation)).toMatchObject({ ok: true })
    expect(await file('to')).toBe('x')
  })

  test('and that patches several files is brought to its end', async () => {
    const patch =
      '*** Begin Patch\n*** Update File: a\n-old\n+new\n*** Add File: b\n+made\n*** Update File: c\n*** Move to: d\n-x\n+y\n*** Delete File: e\n*** End Patch'
    const expectation = [
      { path: 'a', before: sha('old\n'), after: sha('new\n') },
      { path: 'b', before: null, after: sha('made\n') },
      { path: 'd', before: null, after: sha('y\n') },
      { path: 'c', before: sha('x\n'), after: null },
      { path: 'e', before: sha('e'), after: null },
    ]
    const order = ['a', 'b', 'd', 'c', 'e'] as const
    const after = { a: 'new\n', b: 'made\n', d: 'y\n' }
    for (let done = 0; done <= order.length; done += 1) {
      for (const name of order) await rm(join(folder, name), { force: true })
      for (const [name, text] of Object.entries({ a: 'old\n', c: 'x\n', e: 'e' }))
        await writeFile(join(folder, name), text)
      for (const name of order.slice(0, done)) {
        if (name in after) await writeFile(join(folder, name), after[name as keyof typeof after])
        else await rm(join(folder, name))
      }
      expect(await again('apply_patch', { patch }, expectation), `${done}`).toMatchObject({ ok: true, starts: [] })
      for (const [name, text] of Object.entries(after)) expect(await file(name)).toBe(text)
      for (const name of ['c', 'e']) await expect(file(name)).rejects.toThrow('ENOENT')
    }
    await writeFile(join(folder, 'a'), 'other\n')
    expect(await again('apply_patch', { patch }, expectation)).toMatchObject({ ok: false })
    expect(await file('a')).toBe('other\n')
  })

  test('and that deletes is done when the file is gone', async () => {
    const expectation = [{ path: 'a', before: sha('x'), after: null }]
    expect(await again('delete_file', { path: 'a' }, expectation)).toMatchObject({ ok: true, starts: [] })
  })

  test('and that ran a command may have happened, and does not happen again', async () => {
    const answer = await again('run_command', { command: 'touch ran' }, null)
    expect(answer).toMatchObject({ ok: false, output: expect.stringContaining('It may or may not have happened') })
    await expect(file('ran')).rejects.toThrow('ENOENT')
  })
})
